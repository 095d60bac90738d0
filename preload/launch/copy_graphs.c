/* SPDX-License-Identifier: MIT */
#include "preload/launch/copy_graphs.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "cupti/cupti.h"
#include "preload/handles/graph.h"

/* CUPTI numbers graphs one after the other: a graph's place goes to the one that is
 * made this number of graphs later. Chosen: 16 KB. */
#define PLACES 4096u

static _Atomic uint32_t numbers[PLACES];
/* Some number is not known, or was forgotten. */
static _Atomic bool incomplete;

void copy_graphs_launched(CUgraphExec exec, const struct operation *operation)
{
	const struct graph_contents *contents = graph_contents_of(operation);
	uint32_t number = 0, before;

	if (!contents || contents->variable || contents->kernels || !contents->copies ||
	    !cupti_active())
		return;
	if (cupti_graph_id(exec, &number) == 0) {
		/* Relaxed, as all here: the collector reads the launch's records only once the call
		 * has ended, which it sees by the thread's call record. */
		before = atomic_exchange_explicit(&numbers[number % PLACES], number,
						  memory_order_relaxed);
		if (!before || before == number)
			return;
	}
	atomic_store_explicit(&incomplete, true, memory_order_relaxed);
}

enum copy_graph copy_graphs_has(uint32_t number)
{
	/* Until a record has a number that CUPTI told, they may not be the same numbers. */
	static bool proven;

	if (number &&
	    atomic_load_explicit(&numbers[number % PLACES], memory_order_relaxed) == number) {
		proven = true;
		return COPY_GRAPH_YES;
	}
	return proven && !atomic_load_explicit(&incomplete, memory_order_relaxed)
		       ? COPY_GRAPH_NO
		       : COPY_GRAPH_UNKNOWN;
}
