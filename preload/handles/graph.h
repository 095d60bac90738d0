/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs and the operations that their launches are counted under. Graphs with the same
 * nodes share one, so that a program which instantiates a graph in every iteration does not get a
 * row for each.
 */
#ifndef KTIME_PRELOAD_HANDLES_GRAPH_H
#define KTIME_PRELOAD_HANDLES_GRAPH_H

#include "preload/driver/driver.h"

struct operation;

/* To be called after an instantiation; reads the graph's nodes. Any thread; takes a lock. */
void graph_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result);
/* Has what changes executable graphs followed from now on, so that each launch is counted under the
 * operation of what it does. */
void graph_follow_updates(void);
/* To be called after calls that change an executable graph: by the nodes of another graph; a kernel
 * node, with its CUDA_KERNEL_NODE_PARAMS; a child graph; or whether a node is run. Any thread; take
 * a lock. */
void graph_updated(CUgraphExec exec, CUgraph graph, CUresult result);
/* Programs may update a graph before every launch. Reading a node takes about a microsecond; all of
 * it together takes this share of the run's time at most. Chosen. */
#define GRAPH_READING_PERCENT 1
/* How many updates were not read because of that. */
uint64_t graph_updates_unread(void);
void graph_kernel_changed(CUgraphExec exec, CUgraphNode node, const void *parameters,
			  CUresult result);
void graph_child_changed(CUgraphExec exec, CUgraphNode node, CUgraph graph, CUresult result);
void graph_node_enabled(CUgraphExec exec, CUgraphNode node, bool enabled, CUresult result);
/* To be called before the driver destroys it. Any thread; takes a lock. */
void graph_ending(CUgraphExec exec);
/* The operation of a graph's launches; OPERATION_UNKNOWN_GRAPH if ktime has not seen its
 * instantiation. Any thread; takes a lock. */
struct operation *graph_operation(CUgraphExec exec);

#endif
