/* SPDX-License-Identifier: MIT */
/* The path of activity records into the profile's rows, and to the calls that they belong to. For
 * the collector thread only. */
#ifndef KTIME_PRELOAD_COLLECTOR_RECORDS_H
#define KTIME_PRELOAD_COLLECTOR_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/activity.h"
#include "preload/collector/match.h"

/* Takes a record: the callback of cupti_drain(). */
void records_take(const struct activity *activity, void *unused);
/* Whether calls that began before the records which come next may not be queued yet. */
extern bool records_calls_are_late;
/* To be called after each drain: ends the graph launches whose nodes have all been recorded. */
void records_settle(void);
/* To be called at the end of the run or of CUPTI: ends the other graph launches too. */
void records_finish(void);

/*
 * Launches of graphs whose nodes CUPTI records one by one. All records of a launch have the same
 * correlation id; it lasts from the first node's start to the last node's end. For the collector
 * thread only.
 */

/* Takes a node's record, in a stream (NULL: not known). Returns the launch's call if this record
 * has identified it, else NULL. `call`: that of the launch, as far as it is known. */
struct in_flight *graph_launches_node(struct match_stream *stream, const struct activity *activity,
				      const struct in_flight **call);
/* The start of the first launch whose nodes may still have records to come, at the time `now`;
 * UINT64_MAX if there is none. */
uint64_t graph_launches_open_since(uint64_t now);
/* Ends the launches that are complete, given that records of work that started at `newest` have
 * arrived; all launches for UINT64_MAX. */
void graph_launches_settle(uint64_t newest);

#endif
