/* SPDX-License-Identifier: MIT */
/*
 * Collecting CUPTI's activity records: CUPTI fills buffers from ktime's pool, the collector thread
 * reads them. ktime never subscribes to CUPTI's callbacks, of which there can be only one
 * subscriber, so a program that profiles itself still can.
 *
 * No lock of ktime's is held around a call into CUPTI that can call back.
 */
#ifndef KTIME_CUPTI_CUPTI_H
#define KTIME_CUPTI_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#include "cupti/activity.h"

struct cupti_settings {
	bool graph_nodes;    /* a record for each node of a graph, not one for each launch */
	bool serial_kernels; /* CUPTI runs kernels one after the other */
	bool runtime_api;    /* runtime calls that ktime does not wrap */
	bool driver_api;     /* driver calls, which costs 0.15 us a launch */
	bool unified_memory; /* migrations and page faults */
	/* Called on any thread, also the program's, when many filled buffers wait, so that the
	 * collector need not wait for its period. Must not block. May be NULL. */
	void (*wake)(void);
};

/*
 * Starts collecting with the library that library_load() has found, once a context may exist; takes
 * some 10 ms. 0, or -errno with one line for the user in `reason`. If it returns 0, `reason` is ""
 * or says what CUPTI does not record. The caller holds no lock.
 */
int cupti_start(const struct cupti_settings *settings, char *reason, size_t size);

/* Whether CUPTI records; false again when the program has ended CUPTI with cuptiFinalize, or ktime
 * has stepped aside (then cupti_ended()). Any thread. */
bool cupti_active(void);
bool cupti_ended(void);
/* Whether CUPTI uses ktime's buffers. Any thread. */
bool cupti_has_callbacks(void);

/*
 * Makes CUPTI hand over its part-filled buffers: those whose records are all finished or, if
 * `forced` and kernels were never paused, all of them; records of unfinished work then never get
 * their times. 0 or -EIO. Any thread, without locks held.
 */
int cupti_flush(bool forced);

/* How many records CUPTI has dropped since the last call, as it got no buffer; also after CUPTI has
 * ended. Without locks held. */
uint64_t cupti_dropped(void);
/* How many records were overwritten unread since the last call, as too many waited. Any thread. */
uint64_t cupti_unread(void);

/* Stops recording a runtime function, by its callback id. Any thread. */
void cupti_skip_call(uint32_t callback);
/*
 * To be called before and after the program's cuptiFinalize(), with whether it succeeded. As the
 * names in records may be freed with CUPTI, cupti_ending() wakes the collector and waits, for a
 * bounded time, until it has read all records; those that arrive later have no names. From then on
 * ktime does not call CUPTI. Without locks held.
 */
void cupti_ending(void);
void cupti_finalized(bool ended);
/*
 * To be called before the program subscribes by CUPTI's V2 interface: ktime leaves CUPTI to it for
 * good, as after cuptiFinalize(), and does not start it either. Without locks held.
 */
void cupti_step_aside(void);
/* For a forked child: forgets everything, and never calls CUPTI. */
void cupti_forget(void);

/*
 * The id of a stream in records; per_thread: the caller's default stream is the per-thread one.
 * `context` may be NULL for a stream that is not a default stream. 0, -ENOTSUP if CUPTI does not
 * run, or -EINVAL.
 */
int cupti_stream_id(CUcontext context, CUstream stream, bool per_thread, uint32_t *stream_id);
/* The id of a context in records; returns the same values. */
int cupti_context_id(CUcontext context, uint32_t *context_id);
/* The id of an executable graph in records; returns the same values. */
int cupti_graph_id(CUgraphExec graph, uint32_t *graph_id);
/* The id of a node of a graph that is not executable; its low 32 bits are those of the records of
 * the graph's instances. Returns the same values. */
int cupti_graph_node_id(CUgraphNode node, uint64_t *node_id);
/*
 * Whether records have times of CLOCK_REALTIME now. ktime keeps a program's clock from CUPTI
 * (program.h), unless the program reached CUPTI past the functions that ktime exports. Any
 * thread.
 */
bool cupti_clock_is_realtime(void);
/* CLOCK_REALTIME less the records' clock, in nanoseconds, at the last cupti_clock_is_realtime(); 0
 * if they agree. */
extern _Atomic int64_t cupti_clock_behind;

/* Turning the recording of kernels, and of copies between devices, off and on while the program
 * runs. */

/* Whether kernels can be turned off and on with this CUPTI while the program launches graphs
 * (library.h). Call it once CUPTI is loaded. */
bool pause_is_safe(void);
/*
 * Stops or resumes the recording of kernels for ktime; kinds that the program has enabled stay on.
 * False if CUPTI does not record, or refused. Any thread, without locks held.
 *
 * The recording of copies and memsets must stay on: when it was turned off and on some 50 times a
 * run, PyTorch's ResNet-50 died of a double free in CUPTI's thread in 36 of 98 runs, and in 1 of 16
 * with CUDA graphs; with kernels alone turned off and on in none of 36 (H200, CUPTI 13.0).
 */
bool pause_kernels(enum pause_reason reason, bool paused);
/*
 * Records copies between devices from now on; without it ktime's CUPTI does not. To be called
 * before the program has the second device's context, as then none is missed. If CUPTI refuses,
 * the report says that a call of ktime's failed. Any thread.
 *
 * Once their kind (MEMCPY2) was enabled, each launch of a graph of 100 kernels takes the host 59 us
 * instead of 36, whatever is recorded (H200, CUPTI 13.0).
 */
void pause_ends_for_peer_copies(void);
/* Whether the program records kernels itself now: then a pause has no effect. Any thread. */
bool pause_is_refused(void);

#endif
