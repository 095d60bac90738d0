/* SPDX-License-Identifier: MIT */
#include "report/findings/host_range.h"

#include <stdlib.h>

#include "report/ranges/range_tree.h"
#include "report/session/estimate.h"

/* CUPTI recorded all: without that there are no findings. */
static bool every_row(const struct row *row, double *average, void *argument)
{
	(void)argument;
	*average = row->cupti.count ? (double)row->cupti.total / (double)row->cupti.count : 0;
	return true;
}

/* The host's time of each node without that of its children. A start/end range belongs to no
 * thread: it may last while its thread is in others, and says less of what the host did. */
static void own_times(const struct range_tree *tree, uint64_t *own)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct range_node *node = &tree->nodes[i];

		own[i] = node->range->style == RANGE_PUSH_POP ? node->total : 0;
		if (node->parent != RANGE_NO_PARENT)
			own[node->parent] -=
				own[i] < own[node->parent] ? own[i] : own[node->parent];
	}
}

/* How much GPU time was launched outside of ranges; 0 if one thread launched all. */
static uint64_t outside_of(const struct session *session, const struct range_tree *tree)
{
	const struct session_header *header = session_header(session);
	uint64_t processes = header->processes ? header->processes : 1, inside = 0, all = 0;
	const struct row *row;

	if (header->counters[COUNTER_threads] <= processes)
		return 0;
	for (size_t i = 0; i < tree->count; i++)
		inside += tree->nodes[i].own.time;
	session_for_each_row (session, row)
		/* A graph whose nodes were recorded is in their rows. */
		if (row_is_gpu(row->kind) &&
		    (row->kind != ROW_GRAPH || !header->counters[COUNTER_graph_nodes]))
			all += row->cupti.total;
	return all > inside ? all - inside : 0;
}

struct range_tree finding_ranges(const struct session *session)
{
	struct range_tree tree = {.nodes = NULL};

	if (session_next_item(session, SEGMENT_RANGES, NULL) &&
	    range_tree_build(&tree, session, false, every_row, NULL))
		range_tree_free(&tree);
	return tree;
}

struct host_range host_range_find(const struct session *session, const struct range_tree *tree)
{
	struct host_range found = {.range = NULL};
	uint64_t *own = tree->count ? calloc(tree->count, sizeof(*own)) : NULL, most = 0;

	if (!own)
		return found;
	own_times(tree, own);
	for (size_t i = 0; i < tree->count; i++) {
		const struct range_node *node = &tree->nodes[i];
		const struct range_node *in =
			node->parent != RANGE_NO_PARENT ? &tree->nodes[node->parent] : NULL;

		if (own[i] <= node->own.time || own[i] - node->own.time <= most)
			continue;
		most = own[i] - node->own.time;
		found = (struct host_range){.range = node->range,
					    .in = in ? in->range : NULL,
					    .time = own[i],
					    .around = in ? in->total : 0,
					    .gpu = node->own.time};
	}
	if (found.range)
		found.outside = outside_of(session, tree);
	free(own);
	return found;
}

static bool is_one_of(const struct row *row, const struct functions *functions)
{
	unsigned i = 0;

	while (i < functions->count && functions->of[i].name != row->name)
		i++;
	return row_is_api(row->kind) && i < functions->count;
}

struct call_range call_range_find(const struct session *session, const struct range_tree *tree,
				  const struct functions *functions)
{
	struct call_range found = {.range = NULL};

	for (size_t i = 0; functions->count && i < tree->count; i++) {
		const struct range_node *node = &tree->nodes[i];
		double calls = 0;

		for (size_t j = 0; j < node->part_count; j++) {
			const struct nvtx_part *part = tree->parts[node->first_part + j];

			if (is_one_of(session_row_at(session, part->row), functions))
				calls += part->calls;
		}
		if (to_unsigned(calls) > found.calls)
			found = (struct call_range){node->range, to_unsigned(calls)};
	}
	return found;
}
