/* SPDX-License-Identifier: MIT */
/*
 * The executable graphs that run copies and memsets alone, by CUPTI's numbers. While the recording
 * of kernels is off (recording.h), a launch of any graph has records of its copies and memsets
 * alone: by these it cannot be told from a launch of one that has no kernels.
 */
#ifndef KTIME_PRELOAD_LAUNCH_COPY_GRAPHS_H
#define KTIME_PRELOAD_LAUNCH_COPY_GRAPHS_H

#include <stdint.h>

#include "preload/base/launch_section.h"
#include "preload/driver/driver.h"

struct operation;

/* To be called before a thread's first launch of a graph has returned, with the launch's operation.
 * May ask CUPTI. */
void copy_graphs_launched(CUgraphExec exec, const struct operation *operation) LAUNCH_COLD;

enum copy_graph { COPY_GRAPH_UNKNOWN, COPY_GRAPH_YES, COPY_GRAPH_NO };

/* Whether the graph with this number, of a record, has no kernels. For the collector thread. */
enum copy_graph copy_graphs_has(uint32_t number);

#endif
