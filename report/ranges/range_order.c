/* SPDX-License-Identifier: MIT */
#include "report/ranges/range_order.h"

#include <stdlib.h>

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
