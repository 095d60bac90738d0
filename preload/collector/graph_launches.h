/* SPDX-License-Identifier: MIT */
/*
 * Launches of graphs whose nodes CUPTI records one by one. All records of a launch have the same
 * correlation id; it lasts from the first node's start to the last node's end. For the collector
 * thread only.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_GRAPH_LAUNCHES_H
#define KTIME_PRELOAD_COLLECTOR_GRAPH_LAUNCHES_H

#include <stdint.h>

#include "cupti/activity.h"
#include "preload/collector/match.h"

/* `finished` is called for each launch that is complete and whose call is known. */
void graph_launches_start(void (*finished)(struct in_flight *call, uint32_t device, uint64_t start,
					   uint64_t end));
/* Takes a node's record, in a stream (NULL: not known). Returns the launch's call if this record
 * has identified it, else NULL. */
struct in_flight *graph_launches_node(struct match_stream *stream, const struct activity *activity);
/* The start of the first launch whose nodes may still have records to come, at the time `now`;
 * UINT64_MAX if there is none. */
uint64_t graph_launches_open_since(uint64_t now);
/* Ends the launches that are complete, given that records of work that started at `newest` have
 * arrived; all launches for UINT64_MAX. */
void graph_launches_settle(uint64_t newest);
/* The call of the launch that a node's record belongs to; NULL if it is not known yet. */
const struct in_flight *graph_launches_call(const struct activity *activity);

#endif
