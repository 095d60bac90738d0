/* SPDX-License-Identifier: MIT */
/*
 * What CUPTI's records say of all calls while it records in windows (recording.h). Launches of
 * graphs are told apart by the kernels that they run, whatever order their records come in;
 * kernels, copies and memsets launched by themselves, by their operation. For the collector thread
 * only.
 */
#ifndef KTIME_PRELOAD_RECORDING_SUMS_H
#define KTIME_PRELOAD_RECORDING_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/handles/operation.h"
#include "report/session/session.h"

/* What a graph's launch did of one operation. */
struct launch_part {
	struct operation *operation;
	uint64_t count, total; /* nanoseconds */
};

/* What the rows hold was all recorded. `row_of` gives the row of an operation on a device; NULL if
 * there is no room for it. */
void sums_start(struct session *session,
		struct row *(*row_of)(struct operation *operation, int device));
/* Nothing of what the rows have counted was recorded; from now on all is. */
void sums_begin_late(void);
/* Adds an operation that was launched by itself. */
void sums_add(struct operation *operation, uint32_t device, uint64_t nanoseconds);
/*
 * Adds a launch of the graph that has these kernels (graph_contents.h). False if there is no such
 * graph, so that a part of the launch was not recorded. `graph` is set to its operation, or to NULL
 * if there are several.
 */
bool sums_add_launch(uint64_t kernels, uint32_t device, const struct launch_part *parts,
		     uint32_t part_count, struct operation **graph);
/* Whether a graph with kernels does just this beside them, so that it may be what is left of one of
 * its launches if no kernel was recorded. */
bool sums_may_lack_kernels(const struct launch_part *parts, uint32_t part_count);
/* All that was added since the last call was recorded in one window: at a random time, or not. */
void sums_close_window(bool random);
/* Whether a graph has been launched of which nothing is recorded; true once for each. */
bool sums_lack_a_graph(void);
/* Whether records were added of something that had none, since the last call: its rows say of all
 * calls what these records do, until they are updated. */
bool sums_are_fresh(void);
/* Updates the rows: how often nodes ran, and the time of all operations. */
void sums_update_rows(void);

#endif
