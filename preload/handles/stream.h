/* SPDX-License-Identifier: MIT */
/*
 * Contexts and streams, as far as ktime has to know them.
 *
 * A handle of the program's is used only within the call that brought it: asking the driver about
 * a stream that is gone is a segmentation fault, and handles are given out again. So a context or
 * stream is looked up by handle at its first sight in a thread, and forgotten, for all threads at
 * once, right before the call that ends it.
 */
#ifndef KTIME_PRELOAD_HANDLES_STREAM_H
#define KTIME_PRELOAD_HANDLES_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver.h"
#include "preload/base/launch_section.h"

struct event_pair;
struct match_stream; /* a stream's calls that await their activity records */
struct event_queue;  /* those that await their events */

struct context {
	CUcontext handle;
	int device;
	bool wanted; /* what runs there is to be timed */
	uint32_t id;
	uint32_t cupti_context; /* CUPTI's number of it; 0 unknown */
	/* No call of ktime's may use the handle or an event of it any more. */
	_Atomic bool ended;
	_Atomic uint32_t events; /* created */
	_Atomic bool has_pools;
	struct event_pair *spare; /* made and in no pool yet: pool.c's */
	struct stream *legacy;	  /* the legacy default stream, once seen */
	struct context *next;
};

struct stream {
	CUstream handle; /* to record into; 0x1 and 0x2 for the default streams */
	struct context *context;
	uint32_t id;
	/* CUPTI's number of it, once known. */
	uint32_t cupti_stream;
	bool cupti_known;
	struct event_queue *events;   /* the collector's alone */
	struct match_stream *records; /* the same */
	uint64_t traced_until;	      /* the same: the end of its last trace record */
	struct stream *next; /* of a thread's own default streams, then of those that ended */
	/* Once it has ended, the collector's: ticks when that was seen, how often it has looked
	 * since, and whether all calls that knew the stream were over at a look. */
	uint64_t ended;
	uint32_t looks;
	bool quiet;
};

/* Changes whenever a context or stream ends: what threads cached under an older one is void. */
extern LAUNCH_STATE _Atomic uint32_t stream_generation;

/*
 * The stream behind a handle (0x1 and 0x2: the default streams of the current context), or NULL
 * where the driver does not know it or memory is out. Takes a lock and may ask the driver, which
 * crashes on a handle that is none: only for one that a call has just succeeded with. The
 * per-thread default stream is another one in every thread.
 */
struct stream *stream_lookup(CUstream handle, CUcontext current);
/* The context of a handle, first seen or known. */
struct context *context_lookup(CUcontext handle);

/* The same for a handle that was seen before, without asking the driver; else NULL. */
struct stream *stream_known(CUstream handle) LAUNCH_SELDOM;

/*
 * Shows every stream that has not ended, the legacy default ones among them, while none can end:
 * the lock that stream_ending() takes is held, so `visit` may ask the driver about it and no more.
 */
void stream_visit(void (*visit)(struct stream *stream));

/* To be called before the driver's own call. */
void stream_ending(CUstream handle);
/* Ends streams that were never found by their handle, linked by `next`. */
void stream_list_ending(struct stream *streams);
/* The streams that have ended since the last call, linked by `next`: the caller's from here on. */
struct stream *stream_take_ended(void);
/* All streams of a context end with it. */
void context_ending(struct context *context);

/* The live context of a handle, or NULL where it was never seen. */
struct context *context_known(CUcontext handle);
/*
 * Notes that a device has a context. Whether several have: only then can a copy be between two.
 */
void context_on_device(int device);
bool context_several_devices(void);
/* All contexts, newest first. */
struct context *context_first(void);

/* Makes a context current in the collector's thread, if it is not yet; NULL for none. The collector
 * alone. */
bool context_use(struct context *context);

#endif
