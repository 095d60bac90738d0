/* SPDX-License-Identifier: MIT */
#include "report/ranges/range_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "report/session/entries.h"
#include "report/session/estimate.h"

/* The node of a session's range; RANGE_NO_PARENT if it has none. */
static size_t find(const struct range_tree *tree, uint64_t offset)
{
	size_t low = 0, high = tree->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tree->offsets[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < tree->range_count && tree->offsets[low] == offset ? tree->node_of[low]
								       : RANGE_NO_PARENT;
}

static void add_range(struct range_node *node, const struct nvtx_range *range)
{
	node->calls += range->calls;
	node->total += range->total;
	node->open += range->open;
	if (range->known & MINIMUM_KNOWN)
		figure_least(&node->minimum, &node->known, range->minimum);
	if (range->maximum > node->maximum)
		node->maximum = range->maximum;
}

/* The node of a range, made if it is the first of its kind; RANGE_NO_PARENT if memory is out. */
static size_t node_for(struct range_tree *tree, struct entry **index,
		       const struct nvtx_range *range, bool by_thread)
{
	size_t parent = range->parent ? find(tree, range->parent) : RANGE_NO_PARENT;
	const uint64_t key[ENTRY_NUMBERS] = {parent, range->name, range->domain, range->style,
					     by_thread ? range->thread : 0};
	struct entry *entry = entry_of(index, key, sizeof(*entry));
	struct range_node *node;

	if (!entry)
		return RANGE_NO_PARENT;
	if (entry->item)
		return (size_t)((struct range_node *)entry->item - tree->nodes);
	node = entry->item = &tree->nodes[tree->count];
	*node = (struct range_node){
		.range = range,
		.parent = parent,
		.depth = parent == RANGE_NO_PARENT ? 0 : tree->nodes[parent].depth + 1,
	};
	return tree->count++;
}

static int add_ranges(struct range_tree *tree, const struct session *session, bool by_thread)
{
	struct entry *index = NULL;
	const struct nvtx_range *range;
	const void *base;
	size_t size, most = 0;
	int error = 0;

	session_range(session, &base, &size);
	session_for_each_nvtx_range (session, range)
		most++;
	tree->nodes = calloc(most + 1, sizeof(*tree->nodes));
	tree->offsets = calloc(most + 1, sizeof(*tree->offsets));
	tree->node_of = calloc(most + 1, sizeof(*tree->node_of));
	if (!tree->nodes || !tree->offsets || !tree->node_of)
		return -ENOMEM;
	session_for_each_nvtx_range (session, range) {
		size_t node;

		/* The collector may add ranges while a profile is shown. */
		if (tree->range_count == most || error)
			break;
		node = node_for(tree, &index, range, by_thread);
		if (node == RANGE_NO_PARENT) {
			error = -ENOMEM;
			break;
		}
		add_range(&tree->nodes[node], range);
		tree->offsets[tree->range_count] =
			(uint64_t)((const char *)range - (const char *)base);
		tree->node_of[tree->range_count++] = node;
	}
	entries_free(&index);
	return error;
}

static void add_sum(struct range_sum *sum, const struct range_sum *more)
{
	sum->operations += more->operations;
	sum->time += more->time;
	sum->estimated |= more->estimated;
}

/* Sorts the parts by their nodes. Those that come while they are counted are left out. */
static int add_parts(struct range_tree *tree, const struct session *session)
{
	const struct nvtx_part *part;
	size_t most = 0, next = 0, node;

	session_for_each_nvtx_part (session, part) {
		node = find(tree, part->range);
		if (node == RANGE_NO_PARENT)
			continue;
		tree->nodes[node].part_count++;
		most++;
	}
	tree->parts = calloc(most + 1, sizeof(*tree->parts));
	if (!tree->parts)
		return -ENOMEM;
	for (size_t i = 0; i < tree->count; i++) {
		tree->nodes[i].first_part = next;
		next += tree->nodes[i].part_count;
		tree->nodes[i].part_count = 0;
	}
	session_for_each_nvtx_part (session, part) {
		node = find(tree, part->range);
		if (node == RANGE_NO_PARENT || most-- == 0)
			break;
		tree->parts[tree->nodes[node].first_part + tree->nodes[node].part_count++] = part;
	}
	return 0;
}

/* A graph launch whose nodes were recorded is in their rows already; one of which nothing was, is
 * not. */
static void add_part(struct range_sum *sum, const struct session *session,
		     const struct nvtx_part *part, const struct row *row, double average)
{
	bool of_nodes = row->kind == ROW_GRAPH &&
			session_header(session)->counters[COUNTER_graph_nodes] > 0;
	double untimed = part->untimed * average;

	add_sum(sum, &(struct range_sum){
			     .operations = (of_nodes ? 0 : part->calls) + part->untimed,
			     .time = (of_nodes ? 0 : part->total) + to_unsigned(untimed + 0.5),
			     .estimated = (!of_nodes && part->estimated) || part->untimed > 0});
}

int range_tree_build(struct range_tree *tree, const struct session *session, bool by_thread,
		     range_filter *shows, void *argument)
{
	int error;

	*tree = (struct range_tree){.nodes = NULL};
	error = add_ranges(tree, session, by_thread);
	if (!error)
		error = add_parts(tree, session);
	if (error)
		return error;
	for (size_t i = 0; i < tree->count; i++) {
		struct range_node *node = &tree->nodes[i];
		double average;

		for (size_t j = 0; j < node->part_count; j++) {
			const struct nvtx_part *part = tree->parts[node->first_part + j];
			const struct row *row = session_row_at(session, part->row);

			if (row_is_gpu(row->kind) && shows(row, &average, argument))
				add_part(&node->own, session, part, row, average);
		}
		node->all = node->own;
	}
	/* Children come after their parents. */
	for (size_t i = tree->count; i-- > 0;)
		if (tree->nodes[i].parent != RANGE_NO_PARENT)
			add_sum(&tree->nodes[tree->nodes[i].parent].all, &tree->nodes[i].all);
	return 0;
}

void range_tree_free(struct range_tree *tree)
{
	free(tree->nodes);
	free(tree->parts);
	free(tree->offsets);
	free(tree->node_of);
	*tree = (struct range_tree){.nodes = NULL};
}

struct order {
	const struct range_tree *tree;
	size_t *sorted; /* by their parents, then by GPU time */
	size_t *first;	/* of a parent's, in `sorted`; the last one is of those without a parent */
	size_t *nodes, count;
};

static int by_parent(const void *left, const void *right, void *argument)
{
	const struct range_tree *tree = argument;
	size_t i = *(const size_t *)left, j = *(const size_t *)right;
	const struct range_node *a = &tree->nodes[i], *b = &tree->nodes[j];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->all.time != b->all.time)
		return a->all.time > b->all.time ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return i < j ? -1 : 1;
}

static size_t place_of_parent(const struct range_tree *tree, size_t parent)
{
	return parent == RANGE_NO_PARENT ? tree->count : parent;
}

/* Appends the nodes inside of a node, each followed by those inside of it. */
static void append_children(struct order *order, size_t parent)
{
	size_t count = order->tree->count;

	for (size_t i = order->first[place_of_parent(order->tree, parent)]; i < count; i++) {
		size_t node = order->sorted[i];

		if (order->tree->nodes[node].parent != parent)
			break;
		order->nodes[order->count++] = node;
		append_children(order, node);
	}
}

size_t *range_order(const struct range_tree *tree)
{
	struct order order = {
		.tree = tree,
		.sorted = calloc(tree->count, sizeof(size_t)),
		.first = calloc(tree->count + 1, sizeof(size_t)),
		.nodes = calloc(tree->count, sizeof(size_t)),
	};

	if (order.sorted && order.first && order.nodes) {
		for (size_t i = 0; i < tree->count; i++) {
			order.sorted[i] = i;
			order.first[i] = tree->count;
		}
		qsort_r(order.sorted, tree->count, sizeof(size_t), by_parent, (void *)tree);
		for (size_t i = tree->count; i-- > 0;)
			order.first[place_of_parent(tree, tree->nodes[order.sorted[i]].parent)] = i;
		append_children(&order, RANGE_NO_PARENT);
	} else {
		free(order.nodes);
		order.nodes = NULL;
	}
	free(order.sorted);
	free(order.first);
	return order.nodes;
}
