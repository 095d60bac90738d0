/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs and the operations that their launches are counted under. Graphs with the same
 * nodes share one, so that a program which instantiates a graph in every iteration does not get a
 * row for each.
 */
#ifndef KTIME_PRELOAD_HANDLES_GRAPH_H
#define KTIME_PRELOAD_HANDLES_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/launch_state.h"
#include "preload/driver/driver.h"
#include "preload/handles/operation.h"

/* To be called after a graph was instantiated: reads its nodes, and ends what instantiation_begin()
 * began. `mark`: of the nodes' ranges (node_ranges.h). Any thread; takes a lock. */
void graph_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result, uint64_t mark);
/* From now on ktime reads executable graphs again when the program changes them, so that each
 * launch is counted under an operation with the graph's present nodes. */
void graph_follow_updates(void);
/* To be called after calls that change an executable graph: by the nodes of another graph, where it
 * ends the update; a kernel node; a child graph; or whether a node is run. Any thread; take a
 * lock. */
void graph_updated(CUgraphExec exec, CUgraph graph, CUresult result, uint64_t mark);
/* Programs may update a graph before every launch. Reading a node takes about a microsecond; all of
 * it together takes this share of the run's time at most. Chosen. */
#define GRAPH_READING_PERCENT 1
/* How many updates were not read because of GRAPH_READING_PERCENT. */
extern _Atomic uint64_t graph_updates_unread;
void graph_kernel_changed(CUgraphExec exec, CUgraphNode node,
			  const CUDA_KERNEL_NODE_PARAMS_v2 *kernel, CUresult result);
void graph_child_changed(CUgraphExec exec, CUgraphNode node, CUgraph graph, CUresult result);
void graph_node_enabled(CUgraphExec exec, CUgraphNode node, bool enabled, CUresult result);
/* To be called before the driver destroys an executable graph. Any thread; takes a lock. */
void graph_ending(CUgraphExec exec);
/* The operation of a graph's launches; OPERATION_UNKNOWN_GRAPH if ktime has not seen its
 * instantiation. Any thread; takes a lock. */
struct operation *graph_operation(CUgraphExec exec);

/* How often a launch runs an operation. */
struct graph_part {
	struct operation *operation;
	uint32_t count;
};

/* What a launch of a graph does. Graphs with the same nodes share one object. */
struct graph_contents {
	uint64_t digest; /* of all nodes */
	/* Of the kernels, in any order: see graph_contents_kernel_mark(); if there are any, with
	 * `mark`, which is of the NVTX ranges that the nodes were made in: see node_ranges.h. */
	uint64_t kernels, mark;
	uint32_t nodes;	      /* number of nodes, without disabled ones */
	uint32_t recorded;    /* number of nodes that CUPTI makes records of */
	uint32_t copies;      /* number of recorded nodes that are copies or memsets */
	uint32_t allocations; /* number of nodes that allocate memory */
	/* A conditional node, whose body runs as often as the device decides, or a node of a type
	 * that ktime does not know. */
	bool variable;
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
	return operation->kind == ROW_GRAPH
		       ? atomic_load_explicit(&operation->contents, memory_order_acquire)
		       : NULL;
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
 * The executable graphs that have no kernels, only copies and memsets, by CUPTI's graph ids. While
 * CUPTI's recording of kernels is off (recording.h), the launch of a graph with kernels leaves
 * records of its copies and memsets only, as a graph without kernels does; the id tells the two
 * apart.
 */

/* To be called before a thread's first launch of a graph has returned, with the launch's operation.
 * May ask CUPTI. */
void copy_graphs_launched(CUgraphExec exec, const struct operation *operation) LAUNCH_COLD;

enum copy_graph { COPY_GRAPH_UNKNOWN, COPY_GRAPH_YES, COPY_GRAPH_NO };

/* Whether the graph with this id in a record has no kernels. For the collector thread. */
enum copy_graph copy_graphs_has(uint32_t number);

/*
 * Executable graphs are made while CUPTI's kernel kind is off. A graph of 100 empty kernels that
 * was made while it was on takes 69.6 us a launch once it is off, one made while it was off 52.3
 * (H200, CUPTI 13.0; 51.1 without CUPTI). The collector turns the kind off and on; the program's
 * thread waits for that, for a bounded time.
 */

/* To be called before and after the driver's call that makes or updates an executable graph, on the
 * program's thread. Before instantiation_watch() they only set instantiation_ever. */
void instantiation_begin(void);
void instantiation_end(void);
/* Before the driver's call that updates a graph, which some programs do before every launch: an
 * open window stays open. */
void instantiation_update_begin(void);

/* From now on the collector turns the kind off while graphs are made; `wake` wakes the collector.
 */
void instantiation_watch(void (*wake)(void));
/* Whether the program has made any executable graph, and how many calls that make one are in
 * progress. For the collector. */
extern _Atomic bool instantiation_ever;
extern _Atomic unsigned instantiation_count;
/* Tells the program's threads whether the kernel kind is off, and whether the collector records in
 * windows. If not in windows, the collector turns the kind on again as soon as the graph is made,
 * and the program's thread waits for that too, so that every launch is recorded. For the collector.
 */
void instantiation_tell(bool off, bool windows);
/* Tells the program's threads not to wait: the kernel kind stays on while they make graphs, as a
 * trace is taken or the program records kernels itself. Holds until the next instantiation_tell().
 * For the collector. */
void instantiation_stays_on(void);

#endif
