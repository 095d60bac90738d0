/* SPDX-License-Identifier: MIT */
#include "preload/graph_launches.h"

#include <stdlib.h>
#include <uthash.h>

struct launch {
	uint32_t correlation, device;
	uint64_t start, end;
	bool told; /* `expected` is its call */
	struct expected expected;
	UT_hash_handle link;
};

static struct launch *launches; /* in the order of their first records */
static void (*whole)(const struct expected *, uint32_t, uint64_t, uint64_t);

void graph_launches_start(void (*the_whole)(const struct expected *, uint32_t, uint64_t, uint64_t))
{
	whole = the_whole;
}

bool graph_launches_node(struct match_stream *stream, const struct activity *activity,
			 struct expected *expected)
{
	struct launch *launch = NULL;
	bool now_told = false;

	HASH_FIND(link, launches, &activity->correlation, sizeof(activity->correlation), launch);
	if (!launch) {
		launch = calloc(1, sizeof(*launch));
		if (!launch)
			return false;
		launch->correlation = activity->correlation;
		launch->device = activity->device;
		launch->start = activity->start;
		HASH_ADD(link, launches, correlation, sizeof(launch->correlation), launch);
	}
	/* Branches of a graph run in streams of the driver's own, which have no calls; the first
	 * node that runs in the stream of the launch itself tells. */
	if (!launch->told && stream)
		now_told = launch->told = match_graph(stream, activity->buffer_thread,
						      activity->start, &launch->expected);
	if (activity->start < launch->start)
		launch->start = activity->start;
	if (activity->end > launch->end)
		launch->end = activity->end;
	if (now_told)
		*expected = launch->expected;
	return now_told;
}

void graph_launches_close(uint64_t before)
{
	struct launch *launch, *next;

	HASH_ITER (link, launches, launch, next) {
		if (launch->end >= before)
			continue;
		if (launch->told)
			whole(&launch->expected, launch->device, launch->start, launch->end);
		HASH_DELETE(link, launches, launch);
		free(launch);
	}
}
