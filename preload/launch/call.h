/* SPDX-License-Identifier: MIT */
/*
 * One call of a wrapped driver entry, from the wrapper's entry to its return: the launch path.
 *
 * call_begin and call_end bracket the real call. Once a thread has seen its streams and kernels
 * they take no lock, allocate nothing and make no system call.
 */
#ifndef KTIME_PRELOAD_LAUNCH_CALL_H
#define KTIME_PRELOAD_LAUNCH_CALL_H

#include <stddef.h>

#include "preload/base/launch_section.h"
#include "preload/handles/operation.h"
#include "preload/launch/call_record.h"
#include "preload/handles/stream.h"

struct call {
	/* What the wrapper says of the call (describe.h). */
	uint16_t api;		 /* the row of the API, as in struct span */
	CUstream default_stream; /* what a NULL stream means here: 0x1 or 0x2 */
	CUstream stream;
	struct operation *operation; /* or NULL, and one of the next two */
	CUfunction function;
	CUgraphExec graph;
	uint64_t bytes;
	const void *host; /* the host's side of a copy */
	union {
		uint64_t marks; /* all of these, to clear them at once */
		struct {
			bool synchronous; /* waits for the copy: a pair would hold host work */
			bool countable;	  /* a launch that may be only counted */
			bool dependent;	  /* a programmatic dependent launch */
			bool call_only;	  /* a row of the API, no operation */
			bool no_record;	  /* moves nothing */
			bool counted;	  /* between begin and end: nothing more than counted */
			bool decided;	  /* whether a pair is wanted: it is not, if counted */
			bool watched;	  /* one in WATCHED_CALLS that may be only counted */
		};
	};

	/* Between begin and end; `thread` alone is always set, NULL: not watched. */
	struct thread *thread;
	uint8_t flags, untimed;
	struct stream *known;
	struct event_pair *pair;
	/* The slot that it will be written to, NULL: there was none yet. Nothing else of the
	 * thread's is published in between. */
	struct span *span;
	uint64_t entered, started;
};
_Static_assert(offsetof(struct call, watched) < offsetof(struct call, marks) + 8,
	       "all are cleared");

static inline void call_describe(struct call *call, uint16_t api, CUstream default_stream)
{
	call->api = api;
	call->default_stream = default_stream;
	call->operation = NULL;
	call->function = NULL;
	call->graph = NULL;
	call->bytes = 0;
	call->host = NULL;
	call->marks = 0;
}

void call_begin(struct call *call);
void call_end(struct call *call, CUresult result);

/* Of calls that are only counted, one in so many is watched like the others. */
#define WATCHED_CALLS 32

/* What comes into a stream of the calling thread's otherwise than through a wrapped launch. */
void call_break_chain(void);

/*
 * Why calls may not be only counted: CUPTI or a trace wants a span of each, a capture is under way,
 * collecting is off, ktime does not run. At 0 the launch path has nothing more to ask.
 */
extern LAUNCH_STATE _Atomic int call_watch_reasons;
static inline void call_watch(int by)
{
	atomic_fetch_add_explicit(&call_watch_reasons, by, memory_order_relaxed);
}

/* How many captures are under way: while none is, no launch asks the driver about it. */
extern LAUNCH_STATE _Atomic int live_captures;

#endif
