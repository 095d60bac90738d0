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

/* `whole` gets each launch once it is over; `expected` is the call that it belongs to. */
void graph_launches_start(void (*whole)(const struct expected *expected, uint32_t device,
					uint64_t start, uint64_t end));
/* A node's record, in a stream (NULL: none known). True when this one told the
 * launch's call, which `expected` then is. */
bool graph_launches_node(struct match_stream *stream, const struct activity *activity,
			 struct expected *expected);
/*
 * Ends the launches that are over, now that records of work have come in that began at `newest`;
 * all of them for UINT64_MAX.
 */
void graph_launches_settle(uint64_t newest);

#endif
