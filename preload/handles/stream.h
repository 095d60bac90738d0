/* SPDX-License-Identifier: MIT */
/*
 * The program's contexts and streams.
 *
 * A handle may be used only within the program's call that passed it: the driver crashes on the
 * handle of a destroyed stream, and reuses handles. So a thread looks a context or stream up by its
 * handle when it first meets it, and all threads forget it right before the driver's call that
 * destroys it.
 */
#ifndef KTIME_PRELOAD_HANDLES_STREAM_H
#define KTIME_PRELOAD_HANDLES_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/atomics.h"
#include "preload/base/launch_state.h"
#include "preload/driver/driver.h"

struct event_pair;
struct gate_words;
struct match_stream; /* a stream's calls that wait for their activity records */
struct event_queue;  /* a stream's calls whose event pairs are not read yet */

/* How often a gate may have to be opened by the reporter, or a test of gates may be too late to
 * tell, before a context's calls are gated no more. Chosen. */
#define GATES_LATE_MOST 3

/* Why a context has no gates, for the user. */
enum gates_off {
	GATES_ON, /* or not tried yet */
	GATES_FAIL,
	GATES_REFUSED,
	GATES_LATE,
	GATES_NO_THREAD,
};

struct context {
	CUcontext handle;
	int device;
	bool reported; /* the user wants rows of this device */
	uint32_t id;
	_Atomic uint32_t cupti_context; /* its id in CUPTI's records; 0 unknown */
	/* ktime must not use the handle, or an event of the context, any more. */
	_Atomic bool ended;
	_Atomic uint32_t events; /* events created */
	_Atomic bool has_pools;
	/*
	 * The words that gated calls make their streams wait for, as the host and the device see
	 * them; NULL: calls are not gated. They are first the untried ones, with which a call tries
	 * whether a stream waits (gates.h).
	 */
	struct gate_words *_Atomic gates, *_Atomic gates_untried;
	CUdeviceptr gate_address;
	_Atomic enum gates_off gates_off;
	/* Counts up to GATES_LATE_MOST. */
	_Atomic uint32_t gates_late;
	_Atomic uint32_t blocking_streams; /* in use, without the legacy stream, and not ended */
	/* For gates.c: the page, whether it was asked for, and whether the user knows that
	 * gates are off. */
	struct gate_words *gate_page;
	_Atomic bool gates_asked;
	bool gates_warned;
	struct event_pair *spare; /* event pairs that are in no pool yet; for event_pool.c only */
	struct stream *legacy;	  /* the legacy default stream; NULL until the program uses it */
	struct context *next;
};

struct stream {
	CUstream handle; /* 0x1 and 0x2 for the default streams */
	struct context *context;
	uint32_t id;
	/* Whether the stream and the legacy default stream wait for each other (it was not made
	 * with CU_STREAM_NON_BLOCKING), and blocking_streams counts it. */
	bool blocking;
	_Atomic bool used_blocking;
	/* Its id in CUPTI's records, and whether that and the context's are known, which is set
	 * after both, by any thread that uses the stream. */
	_Atomic uint32_t cupti_stream;
	_Atomic bool cupti_known;
	/* Ticks: until then the device surely has work of the stream; set by the collector. */
	_Atomic uint64_t busy_until;
	bool used, copied; /* for the collector only: its last operation was a copy engine's */
	struct event_queue *events;   /* for the collector only */
	struct match_stream *records; /* for the collector only */
	uint64_t traced_until;	      /* for the collector only: end of its last trace record, ns */
	uint64_t counted; /* for the collector only: when it last had a call that stood for more */
	struct stream *next; /* of a list of default or of ended streams */
	/*
	 * For the collector after the stream has ended (collector.c): ticks when the collector
	 * learnt of it, how often it has checked since, and whether all calls that may use the
	 * stream had returned at a check.
	 */
	uint64_t ended;
	uint32_t checks;
	bool unused;
};

/*
 * The stream of a handle (0x1 and 0x2: a default stream of the current context), or NULL if the
 * driver does not know it or memory is out. Takes a lock and may ask the driver, which crashes on
 * an invalid handle: pass only a handle that a call has just succeeded with. Every thread has a
 * per-thread default stream of its own, so for 0x2 this returns a new object each time.
 */
struct stream *stream_lookup(CUstream handle, CUcontext current);
/* The context of a handle; asks the driver the first time. NULL if it does not know it or memory is
 * out. */
struct context *context_lookup(CUcontext handle);

/* To be called when a stream was made, with its flags, before the program gets its handle. A stream
 * that was made before ktime started is taken to be a blocking stream. */
void stream_made(CUstream handle, unsigned flags);
/* To be called when a thread first starts an operation in a stream. */
void stream_used(struct stream *stream);

/* The stream of a handle that stream_lookup() has returned before, without asking the driver; else
 * NULL. */
struct stream *stream_known(CUstream handle) LAUNCH_COLD;

/*
 * Calls `visit` for every stream that has not ended, including legacy default streams. The lock
 * that stream_ending() takes is held, so no stream can end meanwhile; `visit` may ask the driver
 * about the stream but must call nothing else here.
 */
void stream_visit(void (*visit)(struct stream *stream));

/* Has each thread look its streams up again at its next call. */
void stream_forget_cached(void);

/* To be called before the driver destroys a stream. */
void stream_ending(CUstream handle);
/* Ends a list of per-thread default streams, linked by `next`; they have no handle of their own, so
 * stream_ending() cannot find them. */
void stream_list_ending(struct stream *streams);
/* Takes the streams that have ended since the last call, linked by `next`; the caller then owns
 * them. */
struct stream *stream_take_ended(void);
/* To be called before the driver destroys a context: all its streams end with it. */
void context_ending(struct context *context);

/* The context of a handle that context_lookup() has returned before and that has not ended; else
 * NULL. */
struct context *context_known(CUcontext handle);
/*
 * Remembers that a device has a context, before the program can use the context. Once two devices
 * have one, CUPTI records copies between devices, and launches are no longer count-only: only a
 * call record tells which device a launch ran on.
 */
void context_on_device(int device);
extern _Atomic bool context_several_devices;
/* The device that had the first context; all count-only launches were made on it. */
extern _Atomic int context_first_device;
/* All contexts, newest first, linked by `next`, including those that have ended. */
struct context *context_first(void);

/* Makes a context (NULL: none) current in the collector thread, which alone may call it. False if
 * the context has ended or the driver refuses. */
bool context_use(struct context *context);

/* Counts the stream captures in progress. While there are none, launches need not ask the driver
 * about them; while there is one, ktime must put nothing into a capturing stream. */
static inline bool capture_is_live(void)
{
	return load_relaxed(&launch_state.captures) > 0;
}

/* To be called before and after the driver's call that begins a capture, and after the one that
 * ends it. Any thread. */
void capture_begins(void);
void capture_began(CUresult result);
void capture_ended(CUresult result);

/* Whether a stream is capturing. Asks the driver, which crashes on a destroyed stream, so call it
 * only within the program's call that passed the handle. */
bool capture_is_in(CUstream handle) LAUNCH_COLD;

#endif
