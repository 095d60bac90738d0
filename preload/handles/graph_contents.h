/* SPDX-License-Identifier: MIT */
/* What a graph holds, read from its nodes: what a launch of it does. Any thread. */
#ifndef KTIME_PRELOAD_HANDLES_GRAPH_CONTENTS_H
#define KTIME_PRELOAD_HANDLES_GRAPH_CONTENTS_H

#include "preload/driver/driver.h"
#include "preload/handles/operation.h"

/* A node, also one of a child graph. */
struct graph_node {
	CUgraphNode handle, child;   /* child: the node of the child graph that it is in, or NULL */
	struct operation *operation; /* NULL: nothing that CUPTI records */
	CUgraphNodeType type;
	bool disabled;
	uint64_t parameters; /* kernel nodes: see graph_contents_parameters(); else 0 */
};

struct graph_nodes {
	struct graph_node *nodes; /* the caller frees it */
	size_t count, room;
};

/* Adds the nodes of a graph, and those of its child graphs; `child` is NULL, or the node that the
 * graph is the child of. Without memory, or if the driver refuses, some are missing. */
void graph_contents_read(struct graph_nodes *nodes, CUgraph graph, CUgraphNode child);
/* Adds a node; without memory it is missing. */
void graph_contents_add(struct graph_nodes *nodes, const struct graph_node *node);
/* The operation of a kernel node's parameters. */
struct operation *graph_contents_kernel(const void *parameters);
/* A number that tells a kernel node's grid, block and shared memory from others. */
uint64_t graph_contents_parameters(const void *parameters);

/* How often a launch runs an operation. */
struct graph_part {
	struct operation *operation;
	uint32_t count;
};

/* What a launch does. Of graphs whose nodes are the same there is one. */
struct graph_contents {
	uint64_t digest;      /* of all nodes */
	uint64_t kernels;     /* of the kernels, in any order: see graph_contents_kernel_mark() */
	uint32_t nodes;	      /* all but disabled ones */
	uint32_t recorded;    /* of these, how many CUPTI records */
	uint32_t copies;      /* of those, how many are copies or memsets */
	uint32_t allocations; /* of these, how many allocate memory */
	/* A conditional node, whose body runs as often as the device decides, or a node of a type
	 * that ktime does not know. */
	bool variable;
	uint32_t part_count;
	struct graph_part parts[];
};

/* What a graph's launches are told apart by in CUPTI's records: its kernels, or this if the device
 * alone knows what a launch does. */
#define GRAPH_CONTENTS_VARIABLE UINT64_MAX
static inline uint64_t graph_contents_key(const struct graph_contents *contents)
{
	return contents->variable ? GRAPH_CONTENTS_VARIABLE : contents->kernels;
}

/* What a launch of an operation does; NULL if that is not known, or it is no graph. */
static inline const struct graph_contents *graph_contents_of(const struct operation *operation)
{
	return operation->kind == ROW_GRAPH
		       ? atomic_load_explicit(&operation->contents, memory_order_acquire)
		       : NULL;
}

/* The caller frees it; NULL if memory is out. */
struct graph_contents *graph_contents_sum(const struct graph_nodes *nodes);
/* What a kernel's launch adds to `kernels`. */
static inline uint64_t graph_contents_kernel_mark(const struct operation *operation)
{
	/* The finaliser of MurmurHash3: neighbouring numbers become unlike ones. */
	uint64_t mark = operation->index + 1ull;

	mark = (mark ^ mark >> 33) * 0xff51afd7ed558ccdull;
	mark = (mark ^ mark >> 33) * 0xc4ceb9fe1a85ec53ull;
	return mark ^ mark >> 33;
}

#endif
