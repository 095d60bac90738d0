/* SPDX-License-Identifier: MIT */
/*
 * Launches of graphs whose nodes CUPTI records one by one: the records of one launch carry one
 * correlation id, and the launch lasts from the first one's start to the last one's end. The
 * collector thread alone.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_GRAPH_LAUNCHES_H
#define KTIME_PRELOAD_COLLECTOR_GRAPH_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/collector/match.h"

/* `whole` gets each launch's call once the launch is over. */
void graph_launches_start(void (*whole)(struct in_flight *call, uint32_t device, uint64_t start,
					uint64_t end));
/* A node's record, in a stream (NULL: none known). The launch's call, if it was this record that
 * told which one it is, else NULL. */
struct in_flight *graph_launches_node(struct match_stream *stream, const struct activity *activity);
/*
 * Ends the launches that are over, now that records of work have come in that began at `newest`;
 * all of them for UINT64_MAX.
 */
void graph_launches_settle(uint64_t newest);

#endif
