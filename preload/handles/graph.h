/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs: one record of each, from which come the operation that its launches are
 * counted under (graph_contents.h), and the NVTX range that a node in CUPTI's records was made in.
 * Any thread; the functions take a lock, but for graph_follow_updates().
 */
#ifndef KTIME_PRELOAD_HANDLES_GRAPH_H
#define KTIME_PRELOAD_HANDLES_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/base/launch_state.h"
#include "preload/driver/driver.h"
#include "preload/handles/graph_contents.h"

/* To be called after a graph was instantiated: reads its nodes, and ends what instantiation_begin()
 * began. */
void graph_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result);
/* From now on ktime reads executable graphs again when the program changes them, so that each
 * launch is counted under an operation with the graph's present nodes. */
void graph_follow_updates(void);
/* To be called after calls that change an executable graph: by the nodes of another graph, where it
 * ends the update; a kernel node; a child graph; or whether a node is run. */
void graph_updated(CUgraphExec exec, CUgraph graph, CUresult result);
/* Programs may update a graph before every launch. Reading a node takes about a microsecond; all of
 * it together takes this share of the run's time at most. Chosen. */
#define GRAPH_READING_PERCENT 1
/* How many updates were not read because of GRAPH_READING_PERCENT. */
extern _Atomic uint64_t graph_updates_unread;
void graph_kernel_changed(CUgraphExec exec, CUgraphNode node,
			  const CUDA_KERNEL_NODE_PARAMS_v2 *kernel, CUresult result);
void graph_child_changed(CUgraphExec exec, CUgraphNode node, CUgraph graph, CUresult result);
void graph_node_enabled(CUgraphExec exec, CUgraphNode node, bool enabled, CUresult result);
/* To be called before the driver destroys an executable graph. */
void graph_ending(CUgraphExec exec);
/* The operation of a graph's launches; OPERATION_UNKNOWN_GRAPH if ktime has not seen its
 * instantiation. */
struct operation *graph_operation(CUgraphExec exec);
/* To be called before a thread's first launch of a graph has returned, with the launch's operation.
 * May ask CUPTI. */
void graph_launched(CUgraphExec exec, const struct operation *operation) LAUNCH_COLD;

/* The rest is for the collector thread. CUPTI's records name an executable graph by a number. */

/* Where the node of a record was made; in no range if that is not known, or the record does not
 * fit the graph's nodes: then the graph is not split any more. `launched`: when the launch was
 * called, CLOCK_REALTIME in ns, as later updates do not concern it; 0: not known, the record's
 * start is taken in its place. */
struct node_place graph_node_place(const struct activity *activity, uint64_t launched);
/* A number that tells the ranges of the nodes of a record's graph from those of others, as they
 * were when the record's work began; 0 if there are none. */
uint64_t graph_mark(const struct activity *activity);

/*
 * Whether an executable graph has no kernels, only copies and memsets. While CUPTI's recording of
 * kernels is off (recording.h), the launch of a graph with kernels leaves records of its copies and
 * memsets only, as a graph without kernels does.
 */
enum copy_graph { COPY_GRAPH_UNKNOWN, COPY_GRAPH_YES, COPY_GRAPH_NO };
enum copy_graph copy_graphs_has(uint32_t id);

/* What the report is to say of graphs whose nodes were made in ranges. */
struct graph_range_counts {
	_Atomic uint64_t graphs;   /* executable graphs with such nodes */
	_Atomic uint64_t variable; /* of these: only the device knows which nodes run */
	_Atomic uint64_t unknown;  /* of these: the nodes' numbers, or CUPTI's of the graph, are not
				    * known */
	_Atomic uint64_t unfit;	   /* of these: a record did not fit the nodes */
	_Atomic uint64_t records;  /* records of nodes that were made in a range */
};
extern struct graph_range_counts graph_range_counts;

#endif
