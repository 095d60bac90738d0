/* SPDX-License-Identifier: MIT */
#include "preload/recording/launches.h"

#include <stdlib.h>
#include <uthash.h>
#include <utlist.h>

#include "preload/handles/graph_contents.h"
#include "preload/launch/copy_graphs.h"
#include "preload/recording/sums.h"
#include "report/session/grow.h"

/* A launch is complete once work has begun that started this many nanoseconds after its last node,
 * or this many later launches are in flight. Chosen. */
#define LATER_NS      1000000000u
#define MOST_LAUNCHES 4096u

struct node {
	uint32_t part;
	uint32_t nanoseconds; /* at most UINT32_MAX */
};

struct launch {
	uint32_t correlation, device;
	uint32_t graph;	 /* CUPTI's number of the executable graph */
	uint64_t stream; /* context id, stream id: of its first record */
	uint64_t start, end;
	uint64_t busy;	  /* sum of the nodes' times in that stream, ns */
	uint64_t kernels; /* see graph_contents.h */
	uint32_t part_count, part_room, last_part;
	struct launch_part *parts;
	uint32_t node_count, node_room;
	struct node *nodes;
	struct launch *prev, *next;
	UT_hash_handle link;
};

static struct launch *by_correlation;
static struct launch *oldest; /* by their first record's arrival */
static uint64_t seen, newest;
static void (*take_node)(struct operation *, uint32_t, uint64_t);
static void (*take_graph)(struct operation *, uint32_t, uint64_t);

void launches_start(void (*node)(struct operation *, uint32_t, uint64_t),
		    void (*graph)(struct operation *, uint32_t, uint64_t))
{
	take_node = node;
	take_graph = graph;
}

uint64_t launches_seen(void)
{
	return seen;
}

static const struct launch *next_in_stream(const struct launch *launch)
{
	const struct launch *next = launch->next;

	while (next && next->stream != launch->stream)
		next = next->next;
	return next;
}

/*
 * The ends of the last launch's nodes are lost when CUPTI's kernel kind is turned off: CUPTI 13.0
 * gives them the time at which it hands the records out, 10 to 170 ms later on an H200. Then the
 * nodes of one stream seem to overlap, or the launch overlaps the next one in its stream.
 */
static bool has_ends(const struct launch *launch)
{
	const struct launch *next = next_in_stream(launch);

	return launch->busy / 2 <= launch->end - launch->start &&
	       !(next && next->start < launch->end);
}

/* Whether the records are those of all nodes, if they have no kernels: while kernels are not
 * recorded, a launch of a graph that has some leaves those of its copies alone. */
static bool is_whole(const struct launch *launch)
{
	enum copy_graph copies = launch->kernels ? COPY_GRAPH_YES : copy_graphs_has(launch->graph);

	return copies == COPY_GRAPH_YES ||
	       (copies == COPY_GRAPH_UNKNOWN &&
		!sums_may_lack_kernels(launch->parts, launch->part_count));
}

static void end(struct launch *launch, bool valid)
{
	struct operation *graph;

	if (valid && has_ends(launch) && is_whole(launch) &&
	    sums_add_launch(launch->kernels, launch->device, launch->parts, launch->part_count,
			    &graph)) {
		for (uint32_t i = 0; i < launch->node_count; i++)
			take_node(launch->parts[launch->nodes[i].part].operation, launch->device,
				  launch->nodes[i].nanoseconds);
		if (graph)
			take_graph(graph, launch->device, launch->end - launch->start);
	}
	HASH_DELETE(link, by_correlation, launch);
	DL_DELETE(oldest, launch);
	free(launch->parts);
	free(launch->nodes);
	free(launch);
}

static struct launch *launch_of(const struct activity *activity)
{
	struct launch *launch = NULL;

	HASH_FIND(link, by_correlation, &activity->correlation, sizeof(activity->correlation),
		  launch);
	if (launch)
		return launch;
	if (HASH_CNT(link, by_correlation) == MOST_LAUNCHES)
		end(oldest, true);
	launch = calloc(1, sizeof(*launch));
	if (!launch)
		return NULL;
	launch->correlation = activity->correlation;
	launch->device = activity->device;
	launch->graph = activity->graph;
	launch->stream = (uint64_t)activity->context << 32 | activity->stream;
	launch->start = activity->start;
	HASH_ADD(link, by_correlation, correlation, sizeof(launch->correlation), launch);
	if (!launch->link.tbl) {
		free(launch);
		return NULL;
	}
	DL_APPEND(oldest, launch);
	return launch;
}

/* Makes room for one more; false if memory is out. */
static bool has_room(void **list, size_t size, uint32_t count, uint32_t *room)
{
	uint32_t larger = *room ? 2 * *room : 4;
	void *grown;

	if (count < *room)
		return true;
	grown = grow(*list, count * size, larger * size);
	if (!grown)
		return false;
	*list = grown;
	*room = larger;
	return true;
}

static struct launch_part *part_of(struct launch *launch, struct operation *operation)
{
	uint32_t i = launch->last_part;

	/* The same kernel often comes many times in a row. */
	if (i < launch->part_count && launch->parts[i].operation == operation)
		return &launch->parts[i];
	for (i = 0; i < launch->part_count; i++)
		if (launch->parts[i].operation == operation)
			break;
	if (!has_room((void **)&launch->parts, sizeof(*launch->parts), i, &launch->part_room))
		return NULL;
	if (i == launch->part_count)
		launch->parts[launch->part_count++] = (struct launch_part){.operation = operation};
	launch->last_part = i;
	return &launch->parts[i];
}

void launches_add(struct operation *operation, const struct activity *activity)
{
	uint64_t taken = activity->end - activity->start;
	struct launch *launch = launch_of(activity);
	struct launch_part *part = launch ? part_of(launch, operation) : NULL;

	if (activity->start > newest)
		newest = activity->start;
	if (!part)
		return;
	part->count++;
	part->total += taken;
	if (has_room((void **)&launch->nodes, sizeof(*launch->nodes), launch->node_count,
		     &launch->node_room))
		launch->nodes[launch->node_count++] = (struct node){
			launch->last_part, taken < UINT32_MAX ? (uint32_t)taken : UINT32_MAX};
	if (launch->stream == ((uint64_t)activity->context << 32 | activity->stream))
		launch->busy += taken;
	if (activity->kind == ACTIVITY_KERNEL) {
		seen += launch->kernels == 0;
		launch->kernels += graph_contents_kernel_mark(operation);
	}
	if (activity->start < launch->start)
		launch->start = activity->start;
	if (activity->end > launch->end)
		launch->end = activity->end;
}

void launches_settle(void)
{
	struct launch *launch, *next;

	DL_FOREACH_SAFE(oldest, launch, next)
	if (launch->end + LATER_NS < newest)
		end(launch, true);
}

void launches_end(bool turned_off, uint64_t since, uint64_t until)
{
	struct launch *launch, *next;

	/* First, as they would be taken for the next launches in their streams. */
	DL_FOREACH_SAFE(oldest, launch, next)
	if (turned_off && launch->kernels == 0 && launch->start >= until)
		end(launch, false);
	DL_FOREACH_SAFE(oldest, launch, next)
	end(launch, !turned_off || (next_in_stream(launch) && launch->start >= since));
}

uint64_t launches_begin(void)
{
	launches_end(true, UINT64_MAX, UINT64_MAX);
	return seen;
}
