/* SPDX-License-Identifier: MIT */
/* The operations that launches of graphs are counted under: one for all graphs whose nodes are the
 * same, and one for each of its versions. For graph.c, which holds its lock. */
#ifndef KTIME_PRELOAD_HANDLES_GRAPH_SHAPES_H
#define KTIME_PRELOAD_HANDLES_GRAPH_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/handles/graph_contents.h"

/*
 * Makes the operation if there is none yet, of its first version then. `add`: also one of the
 * version, as long as there are few; else one that is not known is counted as the first.
 * OPERATION_UNKNOWN_GRAPH if memory is out.
 */
struct operation *graph_shape_operation(const struct graph_nodes *nodes, uint64_t version,
					bool add);

/* The operations of graphs whose launches allocate memory, newest first, linked by `allocating`;
 * the list may be walked without a lock. */
struct operation *graph_allocating_first(void);

#endif
