/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs: which graph one was made of, so that its launches have a row with a name.
 * Graphs with the same nodes share a row, or a program that instantiates one in every iteration
 * would have a row for each.
 */
#ifndef KTIME_PRELOAD_HANDLES_GRAPH_H
#define KTIME_PRELOAD_HANDLES_GRAPH_H

#include "preload/driver/driver.h"

struct operation;

/* After an instantiation; reads the graph's nodes. Any thread. */
void graph_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result);
/* Before the driver destroys it. */
void graph_ending(CUgraphExec exec);
/* The operation of a launch; OPERATION_UNKNOWN_GRAPH where its instantiation went unseen. */
struct operation *graph_operation(CUgraphExec exec);

#endif
