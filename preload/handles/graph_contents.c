/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph_contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/entries.h"
#include "report/session/memory.h"

/* CU_GRAPH_NODE_TYPE_MEM_ALLOC, since CUDA 11.4. */
#define NODE_ALLOCATES 10

/* Adds a node's operation. The search begins with the part of the node before, `last`: many nodes
 * in a row run one kernel, or the same ones again and again. */
static void add_part(struct graph_contents *contents, struct operation *operation, uint32_t *last)
{
	uint32_t i = *last, seen = 0;

	for (; seen < contents->part_count; seen++, i++) {
		i = i < contents->part_count ? i : 0;
		if (contents->parts[i].operation == operation)
			break;
	}
	if (seen == contents->part_count) {
		i = contents->part_count++;
		contents->parts[i] = (struct graph_part){.operation = operation};
	}
	contents->parts[i].count++;
	*last = i;
}

/* The same contents in a block that has no room for further parts. */
static struct graph_contents *trimmed(struct graph_contents *contents)
{
	const size_t size = sizeof(*contents) + contents->part_count * sizeof(contents->parts[0]);

	return grow(contents, size, size) ?: contents;
}

/* Makes the contents that the nodes add up to; NULL if memory is out. */
static struct graph_contents *sum_nodes(const struct graph_nodes *nodes, uint64_t mark)
{
	struct graph_contents *contents =
		calloc(1, sizeof(*contents) + nodes->count * sizeof(contents->parts[0]));
	uint32_t last = 0;

	if (!contents)
		return NULL;
	contents->digest = DIGEST_OF_NONE;
	contents->variable = nodes->lacking || nodes->unread;
	for (size_t i = 0; i < nodes->count; i++) {
		const struct graph_node *node = &nodes->nodes[i];

		if (node->disabled)
			continue;
		contents->nodes++;
		contents->allocations += (int)node->type == NODE_ALLOCATES;
		contents->variable |= (int)node->type >= NODE_CONDITIONAL;
		contents->digest = digest_with(contents->digest, node->type + 1);
		if (!node->operation)
			continue;
		contents->digest = digest_with(contents->digest, (uintptr_t)node->operation);
		contents->recorded++;
		/* Only records tell which kernel it is, and have it counted in that kernel's row.
		 */
		if (node->operation == operation_fixed(OPERATION_UNKNOWN_KERNEL))
			contents->variable = true;
		else
			add_part(contents, node->operation, &last);
		if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
			contents->kernels += graph_contents_kernel_mark(node->operation);
		else
			contents->copies++;
	}
	/* Of a graph whose nodes only the device knows, nothing is told apart. */
	if (mark && !contents->variable) {
		contents->digest = digest_with(contents->digest, mark);
		contents->mark = mark;
		contents->kernels += contents->kernels ? mark : 0;
	}
	return contents;
}

/* A part by its operation and place. */
struct ranged_part {
	struct entry entry;
	struct graph_part part;
};

/* Adds what is made in ranges; less of it if memory is out. */
static void add_ranged(struct graph_contents *contents, const struct graph_nodes *nodes)
{
	struct entry *parts = NULL;

	for (size_t i = 0; contents->mark && i < nodes->count; i++) {
		const struct graph_node *node = &nodes->nodes[i];
		const struct node_place place = node->place;
		const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)node->operation, place.thread,
						     place.path, place.started};
		struct ranged_part *ranged;

		if (node->disabled || !node->operation || !node_place_is_somewhere(place))
			continue;
		ranged = entry_of(&parts, key, sizeof(*ranged));
		if (ranged)
			ranged->part =
				(struct graph_part){node->operation, ranged->part.count + 1, place};
	}
	contents->ranged = calloc(HASH_COUNT(parts) + 1, sizeof(*contents->ranged));
	entries_for_each (struct ranged_part, parts, ranged)
		if (contents->ranged)
			contents->ranged[contents->ranged_count++] = ranged->part;
	entries_free(&parts);
}

/* How many kernels a row lists. The graph of a neural network has hundreds of nodes but some ten
 * kernels. */
#define LISTED_KERNELS 16
/* Versions of a graph that are told apart; further ones are counted as the first. Chosen. */
#define MOST_VERSIONS  16

struct version {
	uint64_t number;
	struct operation *operation;
};

/* What is shared by all graphs with the same nodes: found by the digest of the nodes. */
struct shape {
	struct entry entry;
	struct version versions[MOST_VERSIONS]; /* the first one's operation is the shape's */
	unsigned version_count;
};

/* Guarded by the callers' lock, but for what is atomic. */
static struct {
	struct entry *shapes;
	unsigned shape_count;
	struct operation *_Atomic allocating;
} graphs;

static char *list_kernels(const struct graph_contents *contents)
{
	const char *names[LISTED_KERNELS];
	unsigned count = 0;
	size_t size = 1;
	char *list;

	for (uint32_t i = 0; i < contents->part_count && count < LISTED_KERNELS; i++)
		if (contents->parts[i].operation->kind == ROW_KERNEL) {
			names[count++] = contents->parts[i].operation->name;
			size += strlen(names[count - 1]) + 1;
		}
	list = calloc(1, size);
	/* One per line, as demangled names contain commas and spaces. */
	for (unsigned i = 0; list && i < count; i++) {
		strcat(list, names[i]);
		strcat(list, i + 1 < count ? "\n" : "");
	}
	return list;
}

struct operation *graph_allocating_first(void)
{
	return load_acquire(&graphs.allocating);
}

/* The operation of a shape's version by its number. An unknown number is added if `add`, else the
 * first version's operation is returned. */
static struct operation *version_of_shape(struct shape *shape, uint64_t number, bool add)
{
	struct operation *first = shape->versions[0].operation;

	for (unsigned i = 0; i < shape->version_count; i++)
		if (shape->versions[i].number == number)
			return shape->versions[i].operation;
	if (!add || shape->version_count == MOST_VERSIONS)
		return first;
	shape->versions[shape->version_count++] =
		(struct version){number, operation_version(first)};
	return shape->versions[shape->version_count - 1].operation;
}

struct operation *graph_nodes_operation(const struct graph_nodes *nodes, uint64_t mark,
					uint64_t version, bool add)
{
	struct graph_contents *contents = sum_nodes(nodes, mark);
	const uint64_t key[ENTRY_NUMBERS] = {contents ? contents->digest : 0};
	struct shape *shape = contents ? entry_of(&graphs.shapes, key, sizeof(struct shape)) : NULL;
	struct operation *operation;
	char name[64];

	if (!shape || shape->version_count) {
		free(contents);
		return shape ? version_of_shape(shape, version, add)
			     : operation_fixed(OPERATION_UNKNOWN_GRAPH);
	}
	snprintf(name, sizeof(name), "[CUDA graph %u]", ++graphs.shape_count);
	operation = operation_named(ROW_GRAPH, name);
	/* Memory is out. */
	if (operation->kind != ROW_GRAPH) {
		free(contents);
		return operation_fixed(OPERATION_UNKNOWN_GRAPH);
	}
	contents = trimmed(contents);
	operation->kernels_listed = list_kernels(contents);
	add_ranged(contents, nodes);
	/* Release: the collector reads what it holds. */
	store_release(&operation->contents, contents);
	if (contents->allocations) {
		operation->allocating = load_relaxed(&graphs.allocating);
		/* Release: whoever walks the list sees the rest of it. */
		store_release(&graphs.allocating, operation);
	}
	shape->versions[shape->version_count++] = (struct version){version, operation};
	return operation;
}
