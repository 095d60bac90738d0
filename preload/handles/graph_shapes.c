/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* How many kernels a row lists. The graph of a neural network has hundreds of nodes but some ten
 * kernels. */
#define LISTED_KERNELS 16
/* Versions of a graph that are told apart; further ones are counted as the first. Chosen. */
#define MOST_VERSIONS  16

struct version {
	uint64_t number;
	struct operation *operation;
};

struct shape {
	uint64_t digest;
	struct version versions[MOST_VERSIONS]; /* the first one's operation is the shape's */
	unsigned version_count;
	UT_hash_handle link;
};

static struct shape *shapes;
static unsigned shape_count;
static struct operation *_Atomic allocating;

static unsigned count_kernels(const struct graph_contents *contents, const char **names)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < contents->part_count && count < LISTED_KERNELS; i++)
		if (contents->parts[i].operation->kind == ROW_KERNEL)
			names[count++] = contents->parts[i].operation->name;
	return count;
}

static char *list_kernels(const struct graph_contents *contents)
{
	const char *names[LISTED_KERNELS];
	unsigned count = count_kernels(contents, names);
	size_t size = 1;
	char *list;

	for (unsigned i = 0; i < count; i++)
		size += strlen(names[i]) + 1;
	list = malloc(size);
	if (list)
		list[0] = '\0';
	/* One per line, as demangled names contain commas and spaces. */
	for (unsigned i = 0; list && i < count; i++) {
		strcat(list, names[i]);
		strcat(list, i + 1 < count ? "\n" : "");
	}
	return list;
}

/* The operation of a version; one that is not known is the first one, unless it is to be added. */
struct operation *graph_allocating_first(void)
{
	return atomic_load_explicit(&allocating, memory_order_acquire);
}

static void add_allocating(struct operation *operation)
{
	operation->allocating = atomic_load_explicit(&allocating, memory_order_relaxed);
	/* Release: whoever walks the list sees the rest of it. */
	atomic_store_explicit(&allocating, operation, memory_order_release);
}

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

struct operation *graph_shape_operation(const struct graph_nodes *nodes, uint64_t version, bool add)
{
	struct operation *operation = operation_fixed(OPERATION_UNKNOWN_GRAPH);
	struct graph_contents *contents = graph_contents_sum(nodes);
	struct shape *shape = NULL;
	char name[64];

	if (!contents)
		return operation;
	HASH_FIND(link, shapes, &contents->digest, sizeof(contents->digest), shape);
	if (shape) {
		free(contents);
		return version_of_shape(shape, version, add);
	}
	shape = calloc(1, sizeof(*shape));
	if (!shape) {
		free(contents);
		return operation;
	}
	snprintf(name, sizeof(name), "[CUDA graph %u]", ++shape_count);
	shape->digest = contents->digest;
	operation = operation_named(ROW_GRAPH, name);
	operation->kernels_listed = list_kernels(contents);
	/* Release: the collector reads what it holds. */
	atomic_store_explicit(&operation->contents, contents, memory_order_release);
	if (contents->allocations)
		add_allocating(operation);
	shape->versions[shape->version_count++] = (struct version){version, operation};
	HASH_ADD(link, shapes, digest, sizeof(shape->digest), shape);
	if (!shape->link.tbl)
		free(shape);
	return operation;
}
