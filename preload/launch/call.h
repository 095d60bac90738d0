/* SPDX-License-Identifier: MIT */
/*
 * The launch path: one call of a wrapped driver function, from the wrapper's entry to its return.
 *
 * call_begin() and call_end() bracket the real call. Once a thread has met its streams and kernels
 * they take no lock, allocate nothing and make no system call.
 */
#ifndef KTIME_PRELOAD_LAUNCH_CALL_H
#define KTIME_PRELOAD_LAUNCH_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "preload/base/launch_section.h"
#include "preload/driver/driver.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/launch/thread.h"

/* What a call is inside of on its thread. */
enum call_inside {
	CALL_INSIDE_NOTHING,
	/* Another call is in progress, or was left: a call in its own right. */
	CALL_INSIDE_CALL,
	/* A part of ktime that may hold a lock: counted, and no more. */
	CALL_INSIDE_KTIME,
	/* A function of the driver's, which made it: part of that one's call. */
	CALL_INSIDE_DRIVER,
};

/* A call that allocates or frees memory in the order of a stream. */
enum pool_call {
	POOL_CALL_NONE,
	POOL_CALL_ALLOCATES, /* `host` is where the address goes, record.bytes the size */
	POOL_CALL_FREES,     /* `host` is freed */
	POOL_CALL_FREEING,   /* and was noted before the real call */
};

struct call {
	/* What the collector gets; call_describe() and the functions of describe.h fill in its
	 * first members. */
	struct call_record record;

	/* The rest of the description: the program's handles, to be used only until the call
	 * returns. */
	CUstream default_stream; /* what stream NULL means: 0x1 or 0x2 */
	CUstream stream;
	CUfunction function; /* NULL: record.operation or `graph` tells what is launched */
	CUgraphExec graph;
	const void *host; /* the host address of a copy, or NULL */
	union {
		uint64_t marks; /* clears those below at once */
		struct {
			bool synchronous;  /* waits for the copy: an event pair would include host
					      work */
			bool asynchronous; /* its function returns before its operation ends */
			bool countable;	   /* may be count-only: its wrapper asks */
			bool dependent;	   /* a programmatic dependent launch */
			bool gated;	   /* set by call_begin(): its stream waits for the thread's
					      gate */
			uint8_t pool;	   /* enum pool_call */
			uint8_t inside;	   /* enum call_inside: set by call_begin() */
			bool counted;	   /* is count-only: set by call_begin_or_count() */
		};
	};

	/* Set by call_begin(). `thread` is NULL if the call is not recorded; the other two are then
	 * not set. */
	struct thread *thread;
	/* Where the record goes; NULL if the ring was full. The thread publishes no other record
	 * before call_end(). */
	struct call_record *slot;
	uint64_t entered; /* ticks */

	/* Of a call made while another one was in progress: what that one counts by if it is
	 * count-only. */
	uint32_t counter_before;
	uint16_t row_before;
};
_Static_assert(offsetof(struct call, counted) < offsetof(struct call, marks) + 8,
	       "marks must cover all of them");

/* Begins the description of a call: its API row, and what stream NULL means. */
static inline void call_describe(struct call *call, uint16_t api, CUstream default_stream)
{
	call->record.api = api;
	call->record.flags = 0;
	call->record.operation = NULL;
	call->record.bytes = 0;
	call->default_stream = default_stream;
	call->stream = NULL;
	call->function = NULL;
	call->graph = NULL;
	call->host = NULL;
	call->marks = 0;
}

/* Before and after the real call of all that is not count-only (count_only.h), on the calling
 * thread. `caller` is the wrapper's. Both keep errno. */
void call_begin(struct call *call, const void *caller);
void call_end(struct call *call, CUresult result);
/* After the real call of a count-only call, which has failed: every failure leaves a call record.
 * Keeps errno. */
void call_failed(struct thread *thread, CUresult result) LAUNCH_COLD;

/* The whole of it for calls that are not launches, in place of call_begin() and call_end(): copies
 * and memsets may be count-only. */
void call_begin_or_count(struct call *call, const void *caller);
void call_end_or_count(struct call *call, CUresult result);

/* One call of a function of host_calls.def, from the wrapper's entry to its return. It leaves a
 * call record without operation and stream. Keeps errno, takes no lock. */

struct timed_call {
	struct thread *thread; /* NULL: the call is not timed */
	uint64_t started;      /* ticks */
};

/* Before and after the real call, on its thread. A thread that has not made the GPU work, and a
 * call inside another wrapped one, are not timed. */
void host_call_begin(struct timed_call *call);
void host_call_end(const struct timed_call *call, uint16_t api, CUresult result);

#endif
