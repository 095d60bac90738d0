/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/handles/graph_contents.h"

/* How many kernels a row lists. The graph of a neural network has hundreds of nodes but some ten
 * kernels. */
#define LISTED_KERNELS	 16
/* How many nodes of executable graphs are kept to follow their updates, 40 bytes each; updates of
 * graphs made beyond are not followed. Chosen. */
#define MOST_NODES	 500000u
/* What reading updated graphs may take at first, in nanoseconds. Chosen. */
#define READING_START_NS 10000000u

struct executable {
	CUgraphExec exec;
	struct operation *operation;
	struct graph_nodes nodes; /* none unless updates are followed */
	bool changed;		  /* they have, since its operation was found */
	UT_hash_handle link;
};

struct shape {
	uint64_t digest;
	struct operation *operation;
	UT_hash_handle link;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct executable *executables;
static struct shape *shapes;
static unsigned shape_count;
static size_t nodes_kept;
static _Atomic bool follows;
/* Nanoseconds: when updates began to be followed, and what reading them has taken. */
static _Atomic uint64_t following_since, reading_ns;
static _Atomic uint64_t unread;
static struct operation *_Atomic allocating;

void graph_follow_updates(void)
{
	atomic_store_explicit(&following_since, clock_ns(CLOCK_MONOTONIC), memory_order_relaxed);
	atomic_store_explicit(&follows, true, memory_order_relaxed);
}

static bool is_following(void)
{
	return atomic_load_explicit(&follows, memory_order_relaxed) && lifecycle_running();
}

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

struct operation *graph_allocating_first(void)
{
	return atomic_load_explicit(&allocating, memory_order_acquire);
}

static void add_allocating_locked(struct operation *operation)
{
	operation->allocating = atomic_load_explicit(&allocating, memory_order_relaxed);
	/* Release: whoever walks the list sees the rest of it. */
	atomic_store_explicit(&allocating, operation, memory_order_release);
}

/* The operation of what a graph holds, and makes one if there is none yet. */
static struct operation *operation_of_nodes_locked(const struct graph_nodes *nodes)
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
		return shape->operation;
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
		add_allocating_locked(operation);
	shape->operation = operation;
	HASH_ADD(link, shapes, digest, sizeof(shape->digest), shape);
	if (!shape->link.tbl)
		free(shape);
	return operation;
}

static struct executable *executable_locked(CUgraphExec exec, bool add)
{
	struct executable *executable = NULL;

	HASH_FIND(link, executables, &exec, sizeof(exec), executable);
	if (executable || !add)
		return executable;
	executable = calloc(1, sizeof(*executable));
	if (!executable)
		return NULL;
	executable->exec = exec;
	HASH_ADD(link, executables, exec, sizeof(executable->exec), executable);
	if (!executable->link.tbl) {
		free(executable);
		executable = NULL;
	}
	return executable;
}

static void drop_nodes_locked(struct executable *executable)
{
	nodes_kept -= executable->nodes.count;
	free(executable->nodes.nodes);
	executable->nodes = (struct graph_nodes){0};
}

void graph_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result)
{
	struct executable *executable;
	struct graph_nodes nodes = {0};

	if (result != CUDA_SUCCESS || !exec || !lifecycle_running())
		return;
	graph_contents_read(&nodes, graph, NULL);
	pthread_mutex_lock(&lock);
	executable = executable_locked(*exec, true);
	if (executable) {
		drop_nodes_locked(executable);
		executable->operation = operation_of_nodes_locked(&nodes);
		executable->changed = false;
		if (is_following() && nodes_kept + nodes.count <= MOST_NODES) {
			nodes_kept += nodes.count;
			executable->nodes = nodes;
			nodes.nodes = NULL;
		}
	}
	pthread_mutex_unlock(&lock);
	free(nodes.nodes);
}

void graph_ending(CUgraphExec exec)
{
	struct executable *executable;

	if (lifecycle_forked())
		return;
	pthread_mutex_lock(&lock);
	executable = executable_locked(exec, false);
	if (executable) {
		drop_nodes_locked(executable);
		HASH_DELETE(link, executables, executable);
		free(executable);
		/* Threads cache the operations of graphs like those of kernels, and the driver may
		 * reuse the handle. */
		operation_forget_kernels();
	}
	pthread_mutex_unlock(&lock);
}

struct operation *graph_operation(CUgraphExec exec)
{
	struct executable *executable;
	struct operation *operation;

	pthread_mutex_lock(&lock);
	executable = executable_locked(exec, false);
	if (executable && executable->changed) {
		executable->operation = operation_of_nodes_locked(&executable->nodes);
		executable->changed = false;
	}
	operation = executable ? executable->operation : operation_fixed(OPERATION_UNKNOWN_GRAPH);
	pthread_mutex_unlock(&lock);
	return operation;
}

/* Its nodes have changed: its next launch may be another operation's. Programs often change many
 * nodes before that. */
static void renew_locked(struct executable *executable)
{
	if (!executable->changed)
		operation_forget_kernels();
	executable->changed = true;
}

static struct graph_node *node_locked(const struct executable *executable, CUgraphNode handle)
{
	for (size_t i = 0; executable && i < executable->nodes.count; i++)
		if (executable->nodes.nodes[i].handle == handle)
			return &executable->nodes.nodes[i];
	return NULL;
}

/* Reads a graph's nodes if there is time for it; else counts it. */
static bool read_in_time(struct graph_nodes *nodes, CUgraph graph)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);
	uint64_t first = atomic_load_explicit(&following_since, memory_order_relaxed);

	if (atomic_load_explicit(&reading_ns, memory_order_relaxed) >
	    READING_START_NS + (begun - first) / 100 * GRAPH_READING_PERCENT) {
		atomic_fetch_add_explicit(&unread, 1, memory_order_relaxed);
		return false;
	}
	graph_contents_read(nodes, graph, NULL);
	atomic_fetch_add_explicit(&reading_ns, clock_ns(CLOCK_MONOTONIC) - begun,
				  memory_order_relaxed);
	return true;
}

uint64_t graph_updates_unread(void)
{
	return atomic_load_explicit(&unread, memory_order_relaxed);
}

void graph_updated(CUgraphExec exec, CUgraph graph, CUresult result)
{
	struct graph_nodes nodes = {0};
	struct executable *executable;

	if (result != CUDA_SUCCESS || !is_following() || !read_in_time(&nodes, graph))
		return;
	pthread_mutex_lock(&lock);
	executable = executable_locked(exec, false);
	/* The program goes on naming nodes by those of the first graph. */
	if (executable && executable->nodes.count == nodes.count) {
		for (size_t i = 0; i < nodes.count; i++) {
			struct graph_node *node = &executable->nodes.nodes[i];

			if (node->operation == nodes.nodes[i].operation)
				continue;
			node->operation = nodes.nodes[i].operation;
			renew_locked(executable);
		}
	}
	pthread_mutex_unlock(&lock);
	free(nodes.nodes);
}

void graph_kernel_changed(CUgraphExec exec, CUgraphNode handle, const void *parameters,
			  CUresult result)
{
	struct executable *executable;
	struct operation *operation;
	struct graph_node *node;

	if (result != CUDA_SUCCESS || !parameters || !is_following())
		return;
	operation = graph_contents_kernel(parameters);
	pthread_mutex_lock(&lock);
	executable = executable_locked(exec, false);
	node = node_locked(executable, handle);
	if (node && node->operation != operation) {
		node->operation = operation;
		renew_locked(executable);
	}
	pthread_mutex_unlock(&lock);
}

void graph_child_changed(CUgraphExec exec, CUgraphNode handle, CUgraph graph, CUresult result)
{
	struct graph_nodes added = {0}, *nodes;
	struct executable *executable;
	size_t kept = 0;

	if (result != CUDA_SUCCESS || !is_following())
		return;
	graph_contents_read(&added, graph, handle);
	pthread_mutex_lock(&lock);
	executable = executable_locked(exec, false);
	if (node_locked(executable, handle)) {
		nodes = &executable->nodes;
		nodes_kept -= nodes->count;
		for (size_t i = 0; i < nodes->count; i++)
			if (nodes->nodes[i].child != handle)
				nodes->nodes[kept++] = nodes->nodes[i];
		nodes->count = kept;
		for (size_t i = 0; i < added.count; i++)
			graph_contents_add(nodes, &added.nodes[i]);
		nodes_kept += nodes->count;
		renew_locked(executable);
	}
	pthread_mutex_unlock(&lock);
	free(added.nodes);
}

void graph_node_enabled(CUgraphExec exec, CUgraphNode handle, bool enabled, CUresult result)
{
	struct executable *executable;
	struct graph_node *node;

	if (result != CUDA_SUCCESS || !is_following())
		return;
	pthread_mutex_lock(&lock);
	executable = executable_locked(exec, false);
	node = node_locked(executable, handle);
	if (node && node->disabled == enabled) {
		node->disabled = !enabled;
		renew_locked(executable);
	}
	pthread_mutex_unlock(&lock);
}
