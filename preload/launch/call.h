/* SPDX-License-Identifier: MIT */
/*
 * One call of a wrapped driver function, from the wrapper's entry to its return: the launch path.
 *
 * call_begin and call_end bracket the real call. Once a thread has met its streams and kernels they
 * take no lock, allocate nothing and make no system call.
 */
#ifndef KTIME_PRELOAD_LAUNCH_CALL_H
#define KTIME_PRELOAD_LAUNCH_CALL_H

#include <stddef.h>

#include "preload/base/launch_section.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/launch/call_record.h"

struct call {
	/* What goes to the collector; the wrapper's description (describe.h) begins it. */
	struct call_record record;

	/* The rest of the description: the program's handles, of use until the call returns. */
	CUstream default_stream; /* what a NULL stream means here: 0x1 or 0x2 */
	CUstream stream;
	CUfunction function; /* or NULL: record.operation or the graph says what is launched */
	CUgraphExec graph;
	const void *host; /* the host's side of a copy */
	union {
		uint32_t marks; /* all of these, to clear them at once */
		struct {
			bool synchronous; /* waits for the copy: an event pair would hold host work
					   */
			bool countable;	  /* a launch that may be only counted */
			bool dependent;	  /* a programmatic dependent launch */
			/* Between begin and end: it is to be counted and no more. */
			bool counted;
		};
	};

	/* Between begin and end; `thread` alone is always set, NULL: leaves no record. */
	struct thread *thread;
	/* Where the record goes, NULL if the ring was full. Nothing else of the thread is published
	 * in between. */
	struct call_record *slot;
	uint64_t entered; /* ticks */
};
_Static_assert(offsetof(struct call, counted) < offsetof(struct call, marks) + 4,
	       "all are cleared");

static inline void call_describe(struct call *call, uint16_t api, CUstream default_stream)
{
	call->record.api = api;
	call->record.flags = 0;
	call->record.operation = NULL;
	call->record.bytes = 0;
	call->default_stream = default_stream;
	call->function = NULL;
	call->graph = NULL;
	call->host = NULL;
	call->marks = 0;
}

void call_begin(struct call *call);
void call_end(struct call *call, CUresult result);

#endif
