/* SPDX-License-Identifier: MIT */
/*
 * In which NVTX range each node of a graph was made: captured there, or added by hand. What is
 * known of a node of a graph that is not executable yet is found by its handle; of an executable
 * graph, by the numbers in CUPTI's records (docs/internals/driver-and-cupti.md). Where no node was
 * made in a range all of this does nothing.
 */
#ifndef KTIME_PRELOAD_HANDLES_NODE_RANGES_H
#define KTIME_PRELOAD_HANDLES_NODE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/base/launch_state.h"
#include "preload/driver/driver.h"

/* Graphs that are not executable. All of these: any thread; take a lock, and keep errno. */

/* An operation was captured in a stream. */
void node_ranges_captured(CUstream stream) LAUNCH_COLD;
/* After a node was added by hand. */
void node_ranges_added(const CUgraphNode *node, CUresult result);
/* After a graph was added as a node: the node has a clone of it. */
void node_ranges_child_added(const CUgraphNode *node, CUgraph graph, CUresult result);
/* After a graph was cloned. */
void node_ranges_cloned(const CUgraph *clone, CUgraph graph, CUresult result);
/* Before a node, or a graph with all of its nodes, is destroyed. */
void node_ranges_node_ends(CUgraphNode node);
void node_ranges_graph_ends(CUgraph graph);

/*
 * Executable graphs. The first two, to be called after a graph was instantiated, or updated by the
 * nodes of another one, return a number that tells the ranges of its nodes from those of others: 0
 * if there are none.
 */
uint64_t node_ranges_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result);
uint64_t node_ranges_updated(CUgraphExec exec, CUgraph graph, CUresult result);
/* Before a thread's first launch of a graph has returned. May ask CUPTI. */
void node_ranges_launched(CUgraphExec exec) LAUNCH_COLD;
/* Before the driver destroys an executable graph. */
void node_ranges_exec_ends(CUgraphExec exec);

/* Where a node was made. */
struct node_place {
	uint32_t thread; /* the low half of its pthread_self() */
	uint16_t path;	 /* PATHS_OUTSIDE: in no range */
};

/* Where the node of a record was made; PATHS_OUTSIDE if that is not known, or the record does not
 * fit the graph's nodes: then the graph is not split any more. `launched`: when the launch was
 * called, CLOCK_REALTIME in ns, as later updates do not concern it; 0: not known, the record's
 * start is taken in its place. For the collector thread. */
struct node_place node_ranges_of(const struct activity *activity, uint64_t launched);
/* The number (above) of an executable graph by CUPTI's number. For the collector thread. */
uint64_t node_ranges_mark(uint32_t graph);

/* What the report is to say of graphs whose nodes were made in ranges. */
struct node_range_counts {
	_Atomic uint64_t graphs;   /* executable graphs with such nodes */
	_Atomic uint64_t variable; /* of these: only the device knows which nodes run */
	_Atomic uint64_t unknown;  /* of these: the nodes' numbers, or CUPTI's of the graph, are not
				    * known */
	_Atomic uint64_t unfit;	   /* of these: a record did not fit the nodes */
	_Atomic uint64_t lost;	   /* nodes of which nothing is known, as there were too many */
	_Atomic uint64_t records;  /* records of nodes that were made in a range */
};
extern struct node_range_counts node_range_counts;

#endif
