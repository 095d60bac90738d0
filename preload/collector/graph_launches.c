/* SPDX-License-Identifier: MIT */
#include "preload/collector/graph_launches.h"

#include <stdlib.h>
#include <utlist.h>

#include "report/session/entries.h"

/*
 * When a launch is taken as complete. On the device it has ended when a later launch in its stream
 * begins, but records of its parallel branches may arrive later: it is kept for this many later
 * launches, or for this many nanoseconds of later work. Chosen.
 */
#define LATER_LAUNCHES	  16u
#define LATE_NS		  1000000000u
/* For the last launch of its stream: its next node may start only after a long one has ended.
 * Chosen. */
#define LONGEST_NODE_NS	  30000000000u
/* For this long after the last known node of the last launch of its stream more nodes may come: a
 * flush hands out the records of what has finished. Chosen: FLUSH_NS (drain.c). */
#define OPEN_NS		  200000000u
/* How many launches are kept whose call is not known yet; nothing is reported of them. Chosen. */
#define MOST_UNIDENTIFIED 1024u

struct launch {
	struct entry entry; /* by correlation id */
	uint32_t device;
	uint64_t start, end;
	struct in_flight *call; /* NULL: not known yet */
	struct launches *list;
	struct launch *prev, *next;
};

/* The launches of one stream, in order. */
struct launches {
	struct entry entry; /* by context id and stream id */
	struct launch *first;
	unsigned count;
};

static struct entry *by_correlation;
static struct entry *by_stream;
static struct launches unidentified;
static void (*finished)(struct in_flight *, uint32_t, uint64_t, uint64_t);

void graph_launches_start(void (*the_finished)(struct in_flight *, uint32_t, uint64_t, uint64_t))
{
	finished = the_finished;
}

static void add(struct launches *list, struct launch *launch)
{
	launch->list = list;
	list->count++;
	DL_APPEND(list->first, launch);
}

static void take_out(struct launch *launch)
{
	launch->list->count--;
	DL_DELETE(launch->list->first, launch);
}

static void free_if_empty(struct launches *list)
{
	if (list == &unidentified || list->count > 0)
		return;
	HASH_DEL(by_stream, &list->entry);
	free(list);
}

static void end(struct launch *launch)
{
	struct launches *list = launch->list;

	if (list != &unidentified)
		finished(launch->call, launch->device, launch->start, launch->end);
	take_out(launch);
	free_if_empty(list);
	HASH_DEL(by_correlation, &launch->entry);
	free(launch);
}

/* NULL if it is not there, and `add` is false or memory is out. */
static struct launch *find_launch(const struct activity *activity, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {activity->correlation};

	return entry_of(&by_correlation, key, add ? sizeof(struct launch) : 0);
}

static struct launch *launch_of(const struct activity *activity)
{
	struct launch *launch = find_launch(activity, false);

	if (launch)
		return launch;
	if (unidentified.count == MOST_UNIDENTIFIED)
		end(unidentified.first);
	launch = find_launch(activity, true);
	if (!launch)
		return NULL;
	launch->device = activity->device;
	launch->start = activity->start;
	add(&unidentified, launch);
	return launch;
}

/* Finds a launch's call by a node's record. The driver runs parallel branches of a graph in streams
 * of its own, which have no calls; the first node in the launch's stream identifies the call. */
static bool identify(struct launch *launch, struct match_stream *stream,
		     const struct activity *activity)
{
	const uint64_t key[ENTRY_NUMBERS] = {activity->context, activity->stream};
	struct launches *list = entry_of(&by_stream, key, sizeof(*list));

	if (!list)
		return false;
	launch->call = match_record(stream, &(struct match_key){.thread = activity->buffer_thread,
								.start = activity->start});
	if (!launch->call) {
		free_if_empty(list);
		return false;
	}
	take_out(launch);
	add(list, launch);
	if (list->count > LATER_LAUNCHES + 1)
		end(list->first);
	return true;
}

struct in_flight *graph_launches_node(struct match_stream *stream, const struct activity *activity)
{
	struct launch *launch = launch_of(activity);

	if (!launch)
		return NULL;
	if (activity->start < launch->start)
		launch->start = activity->start;
	if (activity->end > launch->end)
		launch->end = activity->end;
	if (launch->list != &unidentified || !stream || !identify(launch, stream, activity))
		return NULL;
	return launch->call;
}

static bool is_last(const struct launch *launch)
{
	return launch->list == &unidentified || !launch->next;
}

uint64_t graph_launches_open_since(uint64_t now)
{
	uint64_t first = UINT64_MAX;

	for (const struct entry *entry = by_correlation; entry; entry = entry->hh.next) {
		const struct launch *launch = (const struct launch *)entry;

		if (is_last(launch) && launch->end + OPEN_NS > now && launch->start < first)
			first = launch->start;
	}
	return first;
}

void graph_launches_settle(uint64_t newest)
{
	struct entry *entry, *next;

	HASH_ITER (hh, by_correlation, entry, next) {
		struct launch *launch = (struct launch *)entry;

		if (launch->end + (is_last(launch) ? LONGEST_NODE_NS : LATE_NS) < newest)
			end(launch);
	}
}

const struct in_flight *graph_launches_call(const struct activity *activity)
{
	const struct launch *launch = find_launch(activity, false);

	return launch ? launch->call : NULL;
}
