/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "tests/sim/driver/event.h"
#include "tests/sim/driver/graph.h"

static struct handle_pool graphs = HANDLE_POOL(struct graph);
static struct handle_pool nodes = HANDLE_POOL_OF(struct graph_node, 128); /* 100,000 twice */
static struct handle_pool execs = HANDLE_POOL(struct graph_exec);
static uint64_t ids;

struct graph *graph_get(CUgraph handle)
{
	return handle_get(&graphs, handle);
}

struct graph_node *graph_node_get(CUgraphNode handle)
{
	return handle_get(&nodes, handle);
}

struct graph_exec *graph_exec_get(CUgraphExec handle)
{
	return handle_get(&execs, handle);
}

/* Adds a node that is not in the set. */
static bool append(struct graph_nodes *set, struct graph_node *node)
{
	struct graph_node **list;

	list = realloc(set->list, (set->count + 1) * sizeof(*list));
	if (!list)
		return false;
	set->list = list;
	set->list[set->count++] = node;
	return true;
}

bool graph_nodes_add(struct graph_nodes *set, struct graph_node *node)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->list[i] == node)
			return true;
	}
	return append(set, node);
}

bool graph_nodes_add_all(struct graph_nodes *set, const struct graph_nodes *more)
{
	for (size_t i = 0; i < more->count; i++) {
		if (!graph_nodes_add(set, more->list[i]))
			return false;
	}
	return true;
}

void graph_nodes_clear(struct graph_nodes *set)
{
	free(set->list);
	*set = (struct graph_nodes){0};
}

struct graph *graph_create(void)
{
	struct graph *graph = handle_create(&graphs);

	if (graph)
		graph->id = ++ids;
	return graph;
}

static void free_node(struct graph_node *node)
{
	operation_release(&node->operation);
	if (node->child)
		graph_destroy(node->child);
	graph_nodes_clear(&node->dependencies);
	handle_destroy(node);
}

void graph_destroy(struct graph *graph)
{
	for (size_t i = 0; i < graph->nodes.count; i++)
		free_node(graph->nodes.list[i]);
	graph_nodes_clear(&graph->nodes);
	handle_destroy(graph);
}

static void forget(struct graph_nodes *set, const struct graph_node *node)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (set->list[i] != node)
			set->list[kept++] = set->list[i];
	}
	set->count = kept;
}

void graph_node_destroy(struct graph_node *node)
{
	struct graph *graph = node->graph;

	forget(&graph->nodes, node);
	for (size_t i = 0; i < graph->nodes.count; i++)
		forget(&graph->nodes.list[i]->dependencies, node);
	free_node(node);
}

struct graph_node *graph_add(struct graph *graph, CUgraphNodeType type,
			     const struct operation *operation,
			     const struct graph_nodes *dependencies)
{
	static const struct operation nothing = {.kind = OPERATION_EMPTY};
	struct graph_node *node = handle_create(&nodes);

	if (!node)
		return NULL;
	node->graph = graph;
	node->type = type;
	node->number = graph->counter++;
	if (!operation_copy(&node->operation, operation ? operation : &nothing) ||
	    (dependencies && !graph_nodes_add_all(&node->dependencies, dependencies)) ||
	    !append(&graph->nodes, node)) {
		free_node(node);
		return NULL;
	}
	return node;
}

void graph_node_set_operation(struct graph_node *node, const struct operation *operation)
{
	struct operation copy;

	if (!operation_copy(&copy, operation))
		return;
	operation_release(&node->operation);
	node->operation = copy;
}

static struct graph_node *clone_of(const struct graph *clone, const struct graph_node *original)
{
	for (size_t i = 0; i < clone->nodes.count; i++) {
		if (clone->nodes.list[i]->original == original)
			return clone->nodes.list[i];
	}
	return NULL;
}

/* Clones a node after those it depends on. */
static struct graph_node *clone_node(struct graph *clone, struct graph_node *node)
{
	/* Graphs have 100,000 nodes: no search. */
	struct graph_node *copy = graph_node_get((CUgraphNode)node->clone), *dependency;
	struct graph_nodes dependencies = {0};

	if (copy && copy->graph == clone && copy->original == node)
		return copy;
	for (size_t i = 0; i < node->dependencies.count; i++) {
		dependency = clone_node(clone, node->dependencies.list[i]);
		if (!dependency || !graph_nodes_add(&dependencies, dependency))
			goto out;
	}
	copy = graph_add(clone, node->type, &node->operation, &dependencies);
	if (!copy)
		goto out;
	copy->number = node->number;
	copy->event = node->event;
	copy->original = node;
	node->clone = copy;
	copy->disabled = node->disabled;
	if (node->child)
		copy->child = graph_clone(node->child);
out:
	graph_nodes_clear(&dependencies);
	return copy;
}

struct graph *graph_clone(const struct graph *graph)
{
	struct graph *clone = graph_create();

	for (size_t i = 0; clone && i < graph->nodes.count; i++) {
		if (!clone_node(clone, graph->nodes.list[i])) {
			graph_destroy(clone);
			return NULL;
		}
	}
	if (clone)
		clone->counter = graph->counter;
	return clone;
}

/*
 * The ids of a graph's nodes in records: the low half of those of the graph itself are their
 * numbers; child graphs have a block each after them, by the nodes' places, and after a child's
 * block come those of its children (H200, CUDA 13.0). `counted` is where the next block begins.
 */
static void number_nodes(struct graph *graph, uint64_t of, uint32_t *counted, bool is_child)
{
	uint32_t first = *counted;

	for (size_t i = 0; i < graph->nodes.count; i++) {
		struct graph_node *node = graph->nodes.list[i];

		node->id = of << 32 | (is_child ? first + (uint32_t)i : node->number);
	}
	*counted += is_child ? (uint32_t)graph->nodes.count : graph->counter;
	for (size_t i = 0; i < graph->nodes.count; i++)
		if (graph->nodes.list[i]->child)
			number_nodes(graph->nodes.list[i]->child, of, counted, true);
}

void graph_take_ids(struct graph *graph, const struct graph *from)
{
	for (size_t i = 0; i < graph->nodes.count && i < from->nodes.count; i++) {
		struct graph_node *node = graph->nodes.list[i];

		node->id = from->nodes.list[i]->id;
		if (node->child && from->nodes.list[i]->child)
			graph_take_ids(node->child, from->nodes.list[i]->child);
	}
}

struct graph_exec *graph_instantiate(const struct graph *graph, unsigned long long flags)
{
	struct graph_exec *exec = handle_create(&execs);
	uint32_t counted = 0;

	if (!exec)
		return NULL;
	exec->id = ++ids;
	exec->flags = flags;
	exec->graph = graph_clone(graph);
	if (!exec->graph) {
		handle_destroy(exec);
		return NULL;
	}
	number_nodes(exec->graph, graph->id, &counted, false);
	return exec;
}

void graph_exec_destroy(struct graph_exec *exec)
{
	graph_destroy(exec->graph);
	handle_destroy(exec);
}

struct graph_node *graph_exec_node(const struct graph_exec *exec, const struct graph_node *original)
{
	return clone_of(exec->graph, original);
}

static uint64_t run_nodes(const struct graph *graph, struct sim_activity *activity)
{
	for (size_t i = 0; i < graph->nodes.count; i++) {
		const struct graph_node *node = graph->nodes.list[i];

		if (node->disabled)
			continue;
		if (node->child) {
			run_nodes(node->child, activity);
			continue;
		}
		activity->operation = &node->operation;
		activity->graph_node = node->id;
		activity->end_ns = activity->start_ns + operation_duration_ns(&node->operation);
		operation_execute(&node->operation);
		if (node->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
			event_record_at(node->event, activity->start_ns);
		activity_done(activity);
		activity->start_ns = activity->end_ns + activity_node_cost();
	}
	return activity->start_ns;
}

uint64_t graph_run(const struct graph_exec *exec, const struct sim_activity *whole)
{
	struct sim_activity activity = *whole;

	activity.graph = exec->id;
	return run_nodes(exec->graph, &activity);
}
