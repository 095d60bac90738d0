/* SPDX-License-Identifier: MIT */
#include "report/ranges/range_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "report/session/entries.h"
#include "report/session/estimate.h"
#include "report/session/session_internal.h"

/* The node of a session's range; NULL if it has none. */
static struct range_node *find(const struct range_tree *tree, uint64_t offset)
{
	const uint64_t key[ENTRY_NUMBERS] = {offset};
	struct entry *ranges = tree->ranges;
	const struct entry *entry = entry_of(&ranges, key, 0);

	return entry ? entry->item : NULL;
}

static void add_range(struct range_node *node, const struct nvtx_range *range)
{
	node->calls += range->calls;
	node->total += range->total;
	node->open += range->open;
	if (range->known & MINIMUM_KNOWN)
		figure_least(&node->minimum, &node->known, range->minimum);
	RAISE(node->maximum, range->maximum);
}

/* The node of a range, made if it is the first of its kind; NULL if memory is out. */
static struct range_node *node_for(struct range_tree *tree, struct entry **index,
				   const struct nvtx_range *range, bool by_thread)
{
	const struct range_node *parent = range->parent ? find(tree, range->parent) : NULL;
	const size_t at = parent ? (size_t)(parent - tree->nodes) : RANGE_NO_PARENT;
	const uint64_t key[ENTRY_NUMBERS] = {at, range->name, range->domain, range->style,
					     by_thread ? range->thread : 0};
	struct entry *entry = entry_of(index, key, sizeof(*entry));

	if (!entry || entry->item)
		return entry ? entry->item : NULL;
	entry->item = &tree->nodes[tree->count];
	tree->nodes[tree->count++] = (struct range_node){
		.range = range, .parent = at, .depth = parent ? parent->depth + 1 : 0};
	return entry->item;
}

static int add_ranges(struct range_tree *tree, const struct session *session, bool by_thread)
{
	size_t count;
	const struct nvtx_range **ranges = session_items(session, SEGMENT_RANGES, &count);
	struct entry *index = NULL;
	int error = -ENOMEM;

	tree->nodes = calloc(count + 1, sizeof(*tree->nodes));
	if (ranges && tree->nodes)
		error = 0;
	for (size_t i = 0; i < count && !error; i++) {
		const uint64_t key[ENTRY_NUMBERS] = {session_offset(session, ranges[i])};
		struct entry *entry = entry_of(&tree->ranges, key, sizeof(*entry));

		if (entry)
			entry->item = node_for(tree, &index, ranges[i], by_thread);
		if (entry && entry->item)
			add_range(entry->item, ranges[i]);
		else
			error = -ENOMEM;
	}
	entries_free(&index);
	free(ranges);
	return error;
}

static void add_sum(struct range_sum *sum, const struct range_sum *more)
{
	sum->operations += more->operations;
	sum->time += more->time;
	sum->estimated |= more->estimated;
	sum->variance += more->variance;
}

/* Sorts the parts by their nodes. */
static int add_parts(struct range_tree *tree, const struct session *session)
{
	size_t count, next = 0;
	const struct nvtx_part **parts = session_items(session, SEGMENT_RANGE_PARTS, &count);
	struct range_node *node;
	int error = 0;

	tree->parts = calloc(count + 1, sizeof(*tree->parts));
	if (!parts || !tree->parts)
		error = -ENOMEM;
	for (size_t i = 0; i < count && !error; i++) {
		node = find(tree, parts[i]->range);
		if (node)
			node->part_count++;
	}
	for (size_t i = 0; i < tree->count; i++) {
		tree->nodes[i].first_part = next;
		next += tree->nodes[i].part_count;
		tree->nodes[i].part_count = 0;
	}
	for (size_t i = 0; i < count && !error; i++) {
		node = find(tree, parts[i]->range);
		if (node)
			tree->parts[node->first_part + node->part_count++] = parts[i];
	}
	free(parts);
	return error;
}

/* Whether a part is of a start/end range, which has all that was launched in it. */
static bool is_started(const struct session *session, const struct nvtx_part *part)
{
	const struct nvtx_range *range = session_nvtx_range_at(session, part->range);

	return range && range->style == RANGE_START_END;
}

struct range_sum range_part_sum(const struct session *session, const struct nvtx_part *part,
				const struct row *row, double average)
{
	bool of_nodes = row->kind == ROW_GRAPH &&
			session_header(session)->counters[COUNTER_graph_nodes] > 0;
	bool lacks_nodes = of_nodes && !is_started(session, part);
	double left = !lacks_nodes ? 1 : row->ranged < 1 ? 1 - row->ranged : 0;
	double untimed = part->untimed * average * left;
	double untimed_calls = left > 0 ? part->untimed : 0;

	return (struct range_sum){.operations = (of_nodes ? 0 : part->calls) + untimed_calls,
				  .time = (of_nodes ? 0 : part->total) + to_unsigned(untimed + 0.5),
				  .variance = part->variance,
				  .estimated = (!of_nodes && part->estimated) || untimed_calls > 0};
}

/* Whether a node, or one inside of it, has anything, by their indexes; NULL if memory is out. */
static bool *find_used(const struct range_tree *tree)
{
	bool *used = calloc(tree->count + 1, sizeof(*used));

	for (size_t i = tree->count; i-- > 0 && used;) {
		const struct range_node *node = &tree->nodes[i];

		used[i] |= node->calls || node->open || node->part_count;
		if (used[i] && node->parent != RANGE_NO_PARENT)
			used[node->parent] = true;
	}
	return used;
}

/* Leaves out the nodes of ranges that came and went while nothing was recorded. */
static int leave_out_unused(struct range_tree *tree)
{
	bool *used = find_used(tree);
	size_t *moved = calloc(tree->count + 1, sizeof(*moved)), count = 0;
	int error = used && moved ? 0 : -ENOMEM;

	for (size_t i = 0; i < tree->count && !error; i++) {
		struct range_node node = tree->nodes[i];

		if (!used[i])
			continue;
		if (node.parent != RANGE_NO_PARENT)
			node.parent = moved[node.parent];
		moved[i] = count;
		tree->nodes[count++] = node;
	}
	if (!error)
		tree->count = count;
	free(moved);
	free(used);
	/* They lead to where the nodes were. */
	entries_free(&tree->ranges);
	return error;
}

int range_tree_build(struct range_tree *tree, const struct session *session, bool by_thread,
		     range_filter *shows, void *argument)
{
	int error;

	*tree = (struct range_tree){.nodes = NULL};
	error = add_ranges(tree, session, by_thread);
	if (!error)
		error = add_parts(tree, session);
	if (!error)
		error = leave_out_unused(tree);
	if (error)
		return error;
	for (size_t i = 0; i < tree->count; i++) {
		struct range_node *node = &tree->nodes[i];
		struct range_sum sum;
		double average;

		for (size_t j = 0; j < node->part_count; j++) {
			const struct nvtx_part *part = tree->parts[node->first_part + j];
			const struct row *row = session_row_at(session, part->row);

			if (row->ranged > 0 && !is_started(session, part))
				node->launches += to_unsigned(part->calls + part->untimed + 0.5);
			if (row_is_gpu(row->kind) && shows(row, &average, argument)) {
				sum = range_part_sum(session, part, row, average);
				add_sum(&node->own, &sum);
			}
		}
		node->all = node->own;
	}
	/* Children come after their parents. */
	for (size_t i = tree->count; i-- > 0;)
		if (tree->nodes[i].parent != RANGE_NO_PARENT) {
			struct range_node *parent = &tree->nodes[tree->nodes[i].parent];

			add_sum(&parent->all, &tree->nodes[i].all);
			parent->launches += tree->nodes[i].launches;
		}
	return 0;
}

void range_tree_free(struct range_tree *tree)
{
	free(tree->nodes);
	free(tree->parts);
	entries_free(&tree->ranges);
	*tree = (struct range_tree){.nodes = NULL};
}

/* From the top down; among those of one parent the one with most GPU time first. */
static int compare_nodes(const void *left, const void *right, void *argument)
{
	const struct range_tree *tree = argument;
	const struct range_node *one = &tree->nodes[*(const size_t *)left];
	const struct range_node *two = &tree->nodes[*(const size_t *)right];
	const struct range_node *a = one, *b = two;

	while (a->depth > b->depth)
		a = &tree->nodes[a->parent];
	while (b->depth > a->depth)
		b = &tree->nodes[b->parent];
	/* One of them is in the other. */
	if (a == b)
		return IN_ORDER(one->depth, two->depth);
	for (; a->parent != b->parent; b = &tree->nodes[b->parent])
		a = &tree->nodes[a->parent];
	return IN_ORDER(b->all.time, a->all.time) ?: IN_ORDER(b->total, a->total) ?: IN_ORDER(a, b);
}

size_t *range_order(const struct range_tree *tree)
{
	size_t *order = calloc(tree->count, sizeof(*order));

	for (size_t i = 0; i < tree->count && order; i++)
		order[i] = i;
	if (order)
		qsort_r(order, tree->count, sizeof(*order), compare_nodes, (void *)tree);
	return order;
}
