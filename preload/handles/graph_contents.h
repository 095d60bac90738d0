/* SPDX-License-Identifier: MIT */
/*
 * What a launch of an executable graph does, and the operation that it is counted under. Graphs
 * with the same nodes share one, so that a program which instantiates a graph in every iteration
 * does not get a row for each.
 */
#ifndef KTIME_PRELOAD_HANDLES_GRAPH_CONTENTS_H
#define KTIME_PRELOAD_HANDLES_GRAPH_CONTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/atomics.h"
#include "preload/handles/graph_nodes.h"

/* How often a launch runs an operation. */
struct graph_part {
	struct operation *operation;
	uint32_t count;
	struct node_place place; /* of a part of `ranged`; else no more is known than the count */
};

/* What a launch of a graph does. Graphs with the same nodes share one object. */
struct graph_contents {
	uint64_t digest; /* of all nodes */
	/* Of the kernels, in any order: see graph_contents_kernel_mark(); if there are any, with
	 * `mark`, which is of the NVTX ranges that the nodes were made in: see graph.c. */
	uint64_t kernels, mark;
	uint32_t nodes;	      /* number of nodes, without disabled ones */
	uint32_t recorded;    /* number of nodes that CUPTI makes records of */
	uint32_t copies;      /* number of recorded nodes that are copies or memsets */
	uint32_t allocations; /* number of nodes that allocate memory */
	/* A conditional node, whose body runs as often as the device decides, a node of a type that
	 * ktime does not know, or nodes that it could not read. */
	bool variable;
	/* What of the parts is made in NVTX ranges, each in its own: nothing without `mark`. */
	struct graph_part *ranged;
	uint32_t ranged_count;
	uint32_t part_count;
	struct graph_part parts[];
};

/* CUPTI's records of graph launches are assigned to a graph by the kernels that they are of. This
 * value stands in place of the kernels if only the device knows which of them a launch runs. */
#define GRAPH_CONTENTS_VARIABLE UINT64_MAX
static inline uint64_t graph_contents_key(const struct graph_contents *contents)
{
	return contents->variable ? GRAPH_CONTENTS_VARIABLE : contents->kernels;
}

/* What a launch of a graph's operation does; NULL if not known, or if the operation is no graph. */
static inline const struct graph_contents *graph_contents_of(const struct operation *operation)
{
	return operation->kind == ROW_GRAPH ? load_acquire(&operation->contents) : NULL;
}

/* The number that each launch of a kernel adds to `kernels` of its graph: a sum, so that the order
 * of the launches does not matter. */
static inline uint64_t graph_contents_kernel_mark(const struct operation *operation)
{
	/* The finaliser of MurmurHash3: neighbouring numbers become unlike ones. */
	uint64_t mark = operation->index + 1ull;

	mark = (mark ^ mark >> 33) * 0xff51afd7ed558ccdull;
	mark = (mark ^ mark >> 33) * 0xc4ceb9fe1a85ec53ull;
	return mark ^ mark >> 33;
}

/* The operations of graphs whose launches allocate memory, newest first, linked by `allocating`;
 * the list may be walked without a lock. */
struct operation *graph_allocating_first(void);

/*
 * The operation of a version of the graphs that have these nodes. Makes it, with this version as
 * the first, if there is none yet; adds a further version only if `add`, up to a number.
 * OPERATION_UNKNOWN_GRAPH if memory is out. For graph.c, which guards this by its lock.
 */
struct operation *graph_nodes_operation(const struct graph_nodes *nodes, uint64_t mark,
					uint64_t version, bool add);

#endif
