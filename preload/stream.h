/* SPDX-License-Identifier: MIT */
/*
 * Contexts and streams, as far as ktime has to know them, and the event pairs of a context.
 *
 * A handle of the program's is used only within the call that brought it: asking the driver about
 * a stream that is gone is a segmentation fault, and handles are given out again. So a context or
 * stream is looked up by handle at its first sight in a thread, and forgotten, for all threads at
 * once, right before the call that ends it.
 */
#ifndef KTIME_PRELOAD_STREAM_H
#define KTIME_PRELOAD_STREAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/driver.h"

struct match_stream; /* a stream's calls that await their activity records */
struct track;	     /* those that await their events */

struct context {
	CUcontext handle;
	int device;
	bool wanted; /* what runs there is to be timed */
	uint32_t id;
	uint32_t cupti_context; /* CUPTI's number of it; 0 unknown */
	/* No call of ktime's may use the handle or an event of it any more. */
	_Atomic bool ended;
	_Atomic uint32_t events; /* created */
	struct stream *legacy;	 /* the legacy default stream, once seen */
	struct context *next;
};

struct stream {
	CUstream handle; /* to record into; 0x1 and 0x2 for the default streams */
	struct context *context;
	uint32_t id;
	/* CUPTI's number of it, once known. */
	uint32_t cupti_stream;
	bool cupti_known;
	struct track *track;	      /* the collector's alone */
	struct match_stream *records; /* the same */
	uint64_t traced_until;	      /* the same: the end of its last trace record */
	struct stream *next;
};

struct event_pair {
	CUevent start, end;
	struct lane *lane;
	/* The pair whose end is this one's start; NULL: `start` was recorded. */
	struct event_pair *previous;
	/* The collector's alone. */
	struct event_pair *next;
};

/*
 * The free event pairs of one thread in one context: the collector puts back, the thread takes. A
 * thread that ends leaves them to the next that comes.
 */
#define LANE_PAIRS 1024u
struct lane {
	_Atomic uint32_t put __attribute__((aligned(64))); /* the collector's */
	uint32_t pairs; /* made for this lane; the collector's after the first */
	_Atomic uint32_t taken __attribute__((aligned(64))); /* the thread's */
	uint32_t known_put;
	struct event_pair *spare; /* taken and not used: the thread's, used first */
	struct context *context;
	_Atomic bool idle;     /* its thread has ended: another may take it over */
	struct lane *next;     /* of the thread's lanes */
	struct lane *all_next; /* of all threads' */
	struct event_pair *free[LANE_PAIRS];
};

/* Bounds a context's events, and with them the device memory they take. */
#define CONTEXT_EVENTS 32768u

/* Changes whenever a context or stream ends: what threads cached under an older one is void. */
extern _Atomic uint32_t stream_generation;

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
struct stream *stream_known(CUstream handle);

/*
 * Shows every stream that has not ended, the legacy default ones among them, while none can end:
 * the lock that stream_ending() takes is held, so `visit` may ask the driver about it and no more.
 */
void stream_visit(void (*visit)(struct stream *stream));

/* To be called before the driver's own call. */
void stream_ending(CUstream handle);
/* All streams of a context end with it. */
void context_ending(struct context *context);

/* The primary context of a device, if it was ever seen; else NULL. */
struct context *context_of_device(int device);
/* The live context of a handle, or NULL where it was never seen. */
struct context *context_known(CUcontext handle);
/*
 * Notes that a device has a context. Whether several have: only then can a copy be between two.
 */
void context_on_device(int device);
bool context_several_devices(void);
/* All contexts, newest first. */
struct context *context_first(void);

/* A new pair for a lane; NULL where the driver refuses or the bound is reached. The context must be
 * current in the calling thread. */
struct event_pair *event_pair_create(struct lane *lane);

static inline struct event_pair *lane_take(struct lane *lane)
{
	struct event_pair *pair = lane->spare;
	uint32_t taken;

	if (pair) {
		lane->spare = NULL;
		return pair;
	}
	taken = atomic_load_explicit(&lane->taken, memory_order_relaxed);
	if (taken == lane->known_put) {
		/* Acquire: the collector wrote the slot before it moved `put`. */
		lane->known_put = atomic_load_explicit(&lane->put, memory_order_acquire);
		if (taken == lane->known_put)
			return NULL;
	}
	pair = lane->free[taken % LANE_PAIRS];
	/* Release: the slot is read before the collector may fill it again. */
	atomic_store_explicit(&lane->taken, taken + 1, memory_order_release);
	return pair;
}

/* The collector alone; a lane never has more pairs than slots, so there is always room. */
static inline void lane_put(struct lane *lane, struct event_pair *pair)
{
	uint32_t put = atomic_load_explicit(&lane->put, memory_order_relaxed);

	lane->free[put % LANE_PAIRS] = pair;
	atomic_store_explicit(&lane->put, put + 1, memory_order_release);
}

#endif
