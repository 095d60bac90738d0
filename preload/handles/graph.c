/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <uthash.h>

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/handles/graph_contents.h"
#include "preload/handles/graph_shapes.h"

/* How many nodes of executable graphs are kept to follow their updates, 48 bytes each; updates of
 * graphs made beyond are not followed. Chosen. */
#define MOST_NODES	 500000u
/* What reading updated graphs may take at first, in nanoseconds. Chosen. */
#define READING_START_NS 10000000u

/* A version that lived shorter is counted as the first one: recording windows would hold several of
 * them, and all threads look their operations up again for each. In nanoseconds. Chosen. */
#define VERSION_LEAST_NS 20000000u

struct executable {
	CUgraphExec exec;
	struct operation *operation;
	struct graph_nodes nodes; /* none unless updates are followed */
	bool changed;		  /* they have, since its operation was found */
	/* What its nodes do it with, if updates are followed: from which graph they are, and kernel
	 * nodes' parameters. Graphs with other arguments have other handles; if a handle is another
	 * graph's later on, that only makes launches count as one version that differ. */
	uint64_t version;
	uint64_t versioned; /* CLOCK_MONOTONIC, when that changed last, ns */
	bool brief;	    /* the version before lived too short: counted as the first one */
	UT_hash_handle link;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct executable *executables;
static size_t nodes_kept;
static _Atomic bool follows;
/* Nanoseconds: when updates began to be followed, and what reading them has taken. */
static _Atomic uint64_t following_since, reading_ns;
static _Atomic uint64_t unread;

void graph_follow_updates(void)
{
	atomic_store_explicit(&following_since, clock_ns(CLOCK_MONOTONIC), memory_order_relaxed);
	atomic_store_explicit(&follows, true, memory_order_relaxed);
}

static bool is_following(void)
{
	return atomic_load_explicit(&follows, memory_order_relaxed) && lifecycle_running();
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
		executable->operation = graph_shape_operation(&nodes, (uintptr_t)graph, false);
		executable->changed = false;
		executable->version = (uintptr_t)graph;
		executable->versioned = clock_ns(CLOCK_MONOTONIC);
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
		executable->operation = graph_shape_operation(
			&executable->nodes, executable->version, !executable->brief);
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

static uint64_t version_part(CUgraphNode handle, uint64_t parameters)
{
	/* The golden ratio's fraction of 2^64: near numbers become far ones. */
	return ((uintptr_t)handle ^ parameters) * 0x9e3779b97f4a7c15ull;
}

/* To be called before nodes are changed. Between two launches all changes are one. */
static void set_version_locked(struct executable *executable, uint64_t version)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool brief = now - executable->versioned < VERSION_LEAST_NS, was_brief = executable->brief;

	if (version == executable->version)
		return;
	executable->version = version;
	if (executable->changed)
		return;
	executable->versioned = now;
	executable->brief = brief;
	if (!brief || !was_brief)
		renew_locked(executable);
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
	bool read;

	if (result != CUDA_SUCCESS || !is_following())
		return;
	read = read_in_time(&nodes, graph);
	pthread_mutex_lock(&lock);
	executable = executable_locked(exec, false);
	if (executable && (!read || executable->nodes.count == nodes.count))
		set_version_locked(executable, (uintptr_t)graph);
	/* The program goes on naming nodes by those of the first graph. */
	if (executable && read && executable->nodes.count == nodes.count) {
		for (size_t i = 0; i < nodes.count; i++) {
			struct graph_node *node = &executable->nodes.nodes[i];

			node->parameters = nodes.nodes[i].parameters;
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
	uint64_t with;

	if (result != CUDA_SUCCESS || !parameters || !is_following())
		return;
	operation = graph_contents_kernel(parameters);
	with = graph_contents_parameters(parameters);
	pthread_mutex_lock(&lock);
	executable = executable_locked(exec, false);
	node = node_locked(executable, handle);
	if (node) {
		set_version_locked(executable, executable->version ^
						       version_part(handle, node->parameters) ^
						       version_part(handle, with));
		node->parameters = with;
	}
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
