/* SPDX-License-Identifier: MIT */
/*
 * One call of a wrapped driver entry, from the wrapper's entry to its return: the launch path.
 *
 * call_begin and call_end bracket the real call. Once a thread has seen its streams and kernels
 * they take no lock, allocate nothing and make no system call.
 */
#ifndef KTIME_PRELOAD_CALL_H
#define KTIME_PRELOAD_CALL_H

#include "preload/operation.h"
#include "preload/span.h"
#include "preload/stream.h"

struct call {
	/* What the wrapper says of the call (describe.h). */
	uint16_t entry;
	bool from_runtime;	 /* a cudart called, not the program itself */
	bool synchronous;	 /* waits for the copy: an event pair would hold host work */
	bool dependent;		 /* a programmatic dependent launch */
	bool call_only;		 /* a row of the API, no operation */
	bool no_record;		 /* moves nothing */
	CUstream default_stream; /* what a NULL stream means here: 0x1 or 0x2 */
	CUstream stream;
	struct operation *operation; /* or NULL, and one of the next two */
	CUfunction function;
	CUgraphExec graph;
	uint64_t bytes;
	const void *host; /* the host's side of a copy */

	/* Between begin and end. */
	struct thread *thread; /* NULL: not watched */
	bool nested;
	bool counted; /* nothing more than counted */
	bool decided; /* whether an event pair is wanted has been decided: `sampled` */
	bool sampled;
	uint8_t flags, untimed;
	struct stream *known;
	struct event_pair *pair;
	uint64_t entered, started;
};

void call_begin(struct call *call);
void call_end(struct call *call, CUresult result);

/*
 * A runtime symbol's wrapper around the real runtime call: the driver call inside gives the
 * operation, this one the name and the host time of the API row.
 */
struct runtime_call {
	uint32_t outer;
	uint64_t started;
};
void runtime_call_begin(struct runtime_call *call, uint32_t which);
void runtime_call_end(struct runtime_call *call, uint32_t which, int result);

/* How many captures are under way: while none is, no launch asks the driver about it. */
extern _Atomic int live_captures;

#endif
