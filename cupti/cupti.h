/* SPDX-License-Identifier: MIT */
/*
 * ktime's collection of activity records: CUPTI fills buffers from ktime's pool, the collector
 * thread reads them. It never subscribes, so a program that profiles itself still can.
 *
 * No ktime lock is held around a call into CUPTI that can call back.
 */
#ifndef KTIME_CUPTI_CUPTI_H
#define KTIME_CUPTI_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "cupti/activity.h"

struct cupti_settings {
	bool graph_nodes;    /* a record for each node of a graph, else one for each launch */
	bool serial_kernels; /* kernels one after the other, by CUPTI's serialising kind */
	bool runtime_api;    /* runtime calls, but for the hot ones (hot_calls.h) */
	bool driver_api;     /* driver calls: 0.15 us a launch */
	bool unified_memory; /* migrations and page faults */
	/*
	 * Called when filled buffers begin to pile up, so that the collector does not wait for its
	 * period; on any thread, the program's among them: it must not block. NULL for none.
	 */
	void (*wake)(void);
};

/*
 * Starts to collect, with the library that library_load() found, once a context may exist (some
 * 10 ms). 0, or -errno and one line for the user in `reason`; also where it returns 0, `reason`
 * may say what is missing, else it is "". The caller holds no lock.
 */
int cupti_start(const struct cupti_settings *settings, char *reason, size_t size);

/* Whether records come in. False again once the program ended CUPTI by cuptiFinalize
 * (cupti_ended). Any thread. */
bool cupti_active(void);
bool cupti_ended(void);
/* Whether CUPTI's buffers come to ktime. Any thread. */
bool cupti_has_callbacks(void);

/*
 * Asks CUPTI for its part-filled buffers: those whose records are all finished, or all of them if
 * forced; then some records may come without times, for good. 0, or -EIO. Any thread without locks.
 */
int cupti_flush(bool forced);

/*
 * Hands every record that has come in to `consume`, in the order in which their work began as far
 * as the buffers of several threads go; pointers in the record are valid during the call only.
 * `before` (or NULL) is called for each buffer before its first record; at the first one, whatever
 * the records of all of them are of was called by then. Returns how many records. Collector thread
 * only.
 */
size_t cupti_drain(void (*before)(bool first),
		   void (*consume)(const struct activity *activity, void *argument),
		   void *argument);

/* The memory of the buffers' pool, touched as far as it was needed; NULL and 0 before the start. */
void cupti_range(const void **start, size_t *size);
/* How many records CUPTI dropped since the last call, for want of a buffer; of those before its end
 * too. Without locks. */
uint64_t cupti_dropped(void);
/* How many records were lost since the last call, since what waited became too much. Any thread. */
uint64_t cupti_unread(void);
/* How many of ktime's own calls into CUPTI failed since the last call. Any thread. */
uint64_t cupti_errors(void);

/* Leaves a runtime call, by its callback id, out of the records from here on. Any thread. */
void cupti_skip_call(uint32_t callback);
/*
 * Before and after the program's cuptiFinalize, which `ended` CUPTI or failed. The names in records
 * may go with CUPTI, so before it the collector is given time to read them all; it is woken for it.
 * What still comes in has no names. From then on nothing is asked of CUPTI any more. Without locks.
 */
void cupti_ending(void);
void cupti_finalized(bool ended);
/* The collector reads no more, and is not to be waited for. */
void cupti_leave(void);
/* In a forked child: forgets everything and never calls CUPTI. */
void cupti_forget(void);

/*
 * The id that records have for a stream; per_thread: what the default stream means to the caller.
 * `context` may be NULL for a stream of its own. 0, -ENOTSUP before CUPTI runs, or -EINVAL.
 */
int cupti_stream_id(CUcontext context, CUstream stream, bool per_thread, uint32_t *stream_id);
/* The id that records have for a context; the same answers. */
int cupti_context_id(CUcontext context, uint32_t *context_id);
/*
 * Whether records are stamped with CLOCK_REALTIME at this time. A program's own clock is kept from
 * CUPTI (program_clock.h), unless it was given past ktime's exported calls. Any thread.
 */
bool cupti_clock_is_realtime(void);
/* By how much the records' clock was behind CLOCK_REALTIME then, ns; 0 where it is that clock. */
int64_t cupti_clock_behind(void);

#endif
