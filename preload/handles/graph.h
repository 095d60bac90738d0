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
/* To be called before the driver destroys it. Any thread; takes a lock. */
void graph_ending(CUgraphExec exec);
/* The operation of a graph's launches; OPERATION_UNKNOWN_GRAPH if ktime has not seen its
 * instantiation. Any thread; takes a lock. */
struct operation *graph_operation(CUgraphExec exec);

#endif
