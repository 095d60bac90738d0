/* SPDX-License-Identifier: MIT */
/*
 * Graphs: nodes with their dependencies, and executable graphs, which are clones in an order that
 * the dependencies allow. A launch runs the nodes one after the other.
 */
#ifndef SIM_DRIVER_GRAPH_H
#define SIM_DRIVER_GRAPH_H

#include "tests/sim/driver/activity.h"
#include "tests/sim/driver/handle.h"
#include "tests/sim/driver/operation.h"

struct graph;

struct graph_nodes {
	struct graph_node **list;
	size_t count;
};

struct graph_node {
	struct handle handle;
	struct graph *graph;
	CUgraphNodeType type;
	struct operation operation; /* with parameters of its own */
	struct graph *child;	    /* of a node that is a graph */
	CUevent event;		    /* of a node that records or waits for one */
	struct graph_nodes dependencies;
	uint32_t number; /* in order of adding; one that was destroyed leaves a hole */
	uint64_t id;	 /* in an executable graph: as records have it */
	bool disabled;
	const struct graph_node *original; /* what it was cloned from */
	struct graph_node *clone;	   /* the last that was cloned from it */
};

struct graph {
	struct handle handle;
	uint64_t id;
	uint32_t counter; /* of the nodes ever added */
	struct graph_nodes nodes;
};

struct graph_exec {
	struct handle handle;
	uint64_t id;
	unsigned long long flags;
	struct graph *graph;
};

struct graph *graph_create(void);
void graph_destroy(struct graph *graph);
struct graph *graph_clone(const struct graph *graph);

/* NULL where the handle is none that is alive. */
struct graph *graph_get(CUgraph handle);
struct graph_node *graph_node_get(CUgraphNode handle);
struct graph_exec *graph_exec_get(CUgraphExec handle);

/* Copies the operation's parameters. A NULL operation: a node that does nothing. */
struct graph_node *graph_add(struct graph *graph, CUgraphNodeType type,
			     const struct operation *operation,
			     const struct graph_nodes *dependencies);

void graph_node_set_operation(struct graph_node *node, const struct operation *operation);
void graph_node_destroy(struct graph_node *node);

struct graph_exec *graph_instantiate(const struct graph *graph, unsigned long long flags);
/* An executable graph keeps its nodes' ids through an update, which goes by their places. */
void graph_take_ids(struct graph *graph, const struct graph *from);
void graph_exec_destroy(struct graph_exec *exec);

/* The node of the executable graph that was made of an original one. */
struct graph_node *graph_exec_node(const struct graph_exec *exec,
				   const struct graph_node *original);

/* Runs the nodes from activity->start_ns on, telling of each; returns when the last ends. */
uint64_t graph_run(const struct graph_exec *exec, const struct sim_activity *activity);

/* A set of nodes that holds each once; false without memory. */
bool graph_nodes_add(struct graph_nodes *nodes, struct graph_node *node);
bool graph_nodes_add_all(struct graph_nodes *nodes, const struct graph_nodes *more);
void graph_nodes_clear(struct graph_nodes *nodes);

#endif
