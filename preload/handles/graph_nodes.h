/* SPDX-License-Identifier: MIT */
/*
 * The nodes of graphs, of those that are not executable: what each does, its number in CUPTI's
 * records (docs/internals/driver-and-cupti.md), and in which NVTX range it was made, captured there
 * or added by hand. The ranges are kept by the nodes' handles from then on; where no node was made
 * in a range that does nothing.
 */
#ifndef KTIME_PRELOAD_HANDLES_GRAPH_NODES_H
#define KTIME_PRELOAD_HANDLES_GRAPH_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/launch_state.h"
#include "preload/driver/driver.h"
#include "preload/handles/operation.h"
#include "preload/nvtx/names.h"

/* FNV-1a with its offset basis and its 64-bit prime, a word at a time instead of a byte. */
#define DIGEST_OF_NONE 0xcbf29ce484222325ull
static inline uint64_t digest_with(uint64_t digest, uint64_t value)
{
	return (digest ^ value) * 0x100000001b3ull;
}

/* Where a node was made. All zero: in no range. */
struct node_place {
	uint32_t thread;  /* the low half of its pthread_self(); 0 without a path */
	uint32_t started; /* start/end ranges that were open: bits, see started_path() */
	uint16_t path;	  /* the thread's innermost push/pop range; PATHS_OUTSIDE: none */
};

static inline bool node_place_is_somewhere(struct node_place place)
{
	return place.path != PATHS_OUTSIDE || place.started;
}

/* All of these: any thread; take a lock, and keep errno. */

/* An operation was captured in a stream. */
void graph_node_captured(CUstream stream) LAUNCH_COLD;
/* After a node was added by hand. */
void graph_node_added(const CUgraphNode *node, CUresult result);
/* After a graph was added as a node: the node has a clone of it. */
void graph_child_added(const CUgraphNode *node, CUgraph graph, CUresult result);
/* After a graph was cloned. */
void graph_cloned(const CUgraph *clone, CUgraph graph, CUresult result);
/* Before a node, or a graph with all of its nodes, is destroyed. */
void graph_node_ends(CUgraphNode node);
void graph_nodes_end(CUgraph graph);

/* CU_GRAPH_NODE_TYPE_CONDITIONAL, since CUDA 12.3; higher ones ktime does not know. */
#define NODE_CONDITIONAL 13

/* A node, also one of a child graph. */
struct graph_node {
	CUgraphNode handle, child;   /* child: the node of the child graph that it is in, or NULL */
	struct operation *operation; /* NULL: nothing that CUPTI records */
	uint64_t parameters;	     /* kernel nodes: see graph_node_set_kernel(); else 0 */
	CUgraphNodeType type;
	uint32_t number; /* in CUPTI's records */
	struct node_place place;
	bool disabled;
};

/* The nodes of a graph and of its child graphs, in the order of the blocks that they are numbered
 * in. All zero: none. */
struct graph_nodes {
	struct graph_node *nodes;
	size_t count, room;
	uint32_t numbers; /* the highest number, and one more */
	bool variable;	  /* only the device knows which of them run */
	bool in_ranges;	  /* one that has records was made in a range: else numbers may be wrong */
	bool incomplete;  /* a number is not known */
	bool lacking;	  /* some are missing: memory was out, the driver refused, or child graphs
			   * are nested too deep */
	bool unread;	  /* of some it is not known what they do */
};

/* Adds a graph's nodes to none; `child`: the node that the graph is the child of, or NULL. What
 * they do is read only if `operations` is set. */
void graph_nodes_read(struct graph_nodes *nodes, CUgraph graph, CUgraphNode child, bool operations);
void graph_nodes_free(struct graph_nodes *nodes);
/* Sets what a kernel node does: its operation, and a number that tells its grid, block and shared
 * memory from others. */
void graph_node_set_kernel(struct graph_node *node, const CUDA_KERNEL_NODE_PARAMS_v2 *kernel);
/* Whether some node was made in a range, so that graph_nodes_read() finds where. */
bool graph_nodes_have_ranges(void);
/* Whether a node of a graph was ever destroyed: then numbers may have holes, and where CUPTI cannot
 * be asked for them they are not known. */
bool graph_nodes_have_holes(void);
/* How many nodes were too many at a time to keep their ranges. */
extern _Atomic uint64_t graph_nodes_lost;

#endif
