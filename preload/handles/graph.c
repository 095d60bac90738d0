/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph.h"

#include <pthread.h>
#include <stdlib.h>

#include "cupti/cupti.h"
#include "preload/base/atomics.h"
#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/handles/graph_contents.h"
#include "preload/handles/instantiation.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/* How many nodes of executable graphs are kept to follow their updates, 56 bytes each; updates of
 * graphs made beyond are not followed. Chosen. */
#define MOST_NODES	 500000u
/* What reading updated graphs may take at first, in nanoseconds. Chosen. */
#define READING_START_NS 10000000u

/* Versions that last less than this many nanoseconds are counted as the first one: one recording
 * window would contain launches of several, and each new version makes all threads look up their
 * operations again. Chosen. */
#define VERSION_LEAST_NS 20000000u

/* Nodes whose ranges are kept for records, a byte each. Chosen. */
#define MOST_NUMBERS	 16000000u
/* Executable graphs that have ended are kept for records that come late, as long as no more than
 * this have ended since. Chosen. */
#define MOST_ENDED	 4096u
/* How many updates that gave the nodes other ranges are remembered, for launches from before them
 * whose records are still to come. Chosen. */
#define MOST_PLACES	 64u
/* Sets of ranges that get rows of their own: a program may name each capture anew. Graphs with
 * further ones are in one row with others. Chosen. */
#define MOST_MARKS	 1024u

/* Nodes that follow each other by their numbers and were made in one place. */
struct run {
	uint32_t first; /* number */
	struct node_place place;
};

/* The places of all nodes from a time on, until an update gave the nodes others. */
struct places {
	uint64_t since; /* CLOCK_REALTIME, ns */
	uint64_t mark;
	uint32_t run_count;
	struct places *before;
	struct run runs[];
};

/* What records may be of a node. */
enum node_kind { NODE_OTHER, NODE_KERNEL, NODE_COPY, NODE_MEMSET };

/* An executable graph. */
struct executable {
	struct entry entry; /* by its handle */
	/* What its launches are counted under; NULL: ktime has not seen its instantiation. */
	struct operation *operation;
	/* None unless updates are followed, or there are child graphs: which number a changed
	 * child's nodes have, and so which ranges, only the whole list tells. */
	struct graph_nodes nodes;
	size_t found; /* place of the node that was looked for last */
	bool changed; /* the nodes have changed since the operation was found */
	/* A hash of what the nodes work on, if updates are followed: the handle of the graph that
	 * they come from, and the kernel nodes' parameters. If a handle is reused for another
	 * graph, launches of two versions are counted as one. */
	uint64_t version;
	uint64_t versioned; /* when `version` changed last: CLOCK_MONOTONIC in nanoseconds */
	bool brief;	    /* the version before lived too short: counted as the first one */

	uint32_t id; /* CUPTI's number of the graph; 0: not known yet */
	/* For its records, once some of its nodes were made in ranges. */
	uint8_t *kinds;		 /* by a node's number; NULL: none was, or they are not known */
	uint32_t numbers;	 /* of `kinds` */
	uint32_t count;		 /* of nodes */
	uint32_t *number_of;	 /* by place in the list of nodes; NULL: they are the same */
	struct places *places;	 /* the newest */
	bool counted;		 /* in graph_range_counts */
	bool unfit;		 /* a record did not fit the nodes */
	bool marked;		 /* its operation is told from others by the places' mark */
	struct executable *next; /* of those that have ended: the one that ended after it */
};

/* Guarded by the lock, but for what is atomic. */
static struct {
	pthread_mutex_t lock;
	struct entry *executables;
	struct entry *by_id; /* executables, also ended ones, by CUPTI's number */
	struct entry *marks;
	struct executable *ended, **ended_end;
	unsigned ended_count;
	size_t nodes_kept, numbers; /* of all executables */
	_Atomic bool follows;
	_Atomic bool have_ranges; /* some executable has `kinds` */
	/* Nanoseconds: when updates began to be followed, and what reading them has taken. */
	_Atomic uint64_t following_since, reading_ns;
} graphs = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.ended_end = &graphs.ended,
};
/* The executable graphs that have no kernels. Guarded by the lock. */
static struct {
	bool incomplete; /* the number of some is not known, or was forgotten */
	/* A record has had a number that ask_id() returned. Before that it is not certain that
	 * records use these numbers. */
	bool proven;
} copies;
_Atomic uint64_t graph_updates_unread;
struct graph_range_counts graph_range_counts;

void graph_follow_updates(void)
{
	store_relaxed(&graphs.following_since, clock_ns(CLOCK_MONOTONIC));
	store_relaxed(&graphs.follows, true);
}

static bool is_following(void)
{
	return load_relaxed(&graphs.follows) && lifecycle_running();
}

static bool have_ranges(void)
{
	return load_relaxed(&graphs.have_ranges) && !lifecycle_forked();
}

static struct executable *executable_locked(CUgraphExec exec, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)exec};

	return entry_of(&graphs.executables, key, add ? sizeof(struct executable) : 0);
}

static struct entry *entry_of_id_locked(uint32_t id, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {id};

	return entry_of(&graphs.by_id, key, add ? sizeof(struct entry) : 0);
}

static struct executable *of_id_locked(uint32_t id)
{
	const struct entry *entry = id ? entry_of_id_locked(id, false) : NULL;

	return entry ? entry->item : NULL;
}

/* CUPTI's number of an executable graph; 0 if it does not say. Asked without the lock. */
static uint32_t ask_id(CUgraphExec exec)
{
	uint32_t id = 0;

	return cupti_graph_id(exec, &id) ? 0 : id;
}

/* Sets the number if it is not known yet; whether it is now. */
static bool set_id_locked(struct executable *executable, uint32_t id)
{
	struct entry *entry;

	if (executable->id || !id)
		return executable->id;
	entry = entry_of_id_locked(id, true);
	if (!entry)
		return false;
	entry->item = executable;
	executable->id = id;
	return true;
}

static bool is_same(const struct node_place *one, const struct node_place *other)
{
	return one->path == other->path && one->thread == other->thread &&
	       one->started == other->started;
}

/* The places of an executable graph's nodes, as they are in this list; NULL if memory is out. */
static struct places *places_of(const struct graph_nodes *nodes,
				const struct executable *executable)
{
	const struct node_place nowhere = {0};
	struct node_place *by_number = calloc(executable->numbers, sizeof(*by_number));
	uint32_t runs = 0;
	struct places *places;

	for (uint32_t i = 0; by_number && i < nodes->count; i++) {
		uint32_t number = executable->number_of ? executable->number_of[i] : i;

		if (number < executable->numbers)
			by_number[number] = nodes->nodes[i].place;
	}
	for (uint32_t i = 0; by_number && i < executable->numbers; i++)
		runs += !is_same(&by_number[i], i ? &by_number[i - 1] : &nowhere);
	places = by_number ? calloc(1, sizeof(*places) + runs * sizeof(places->runs[0])) : NULL;
	for (uint32_t i = 0; places && i < executable->numbers; i++)
		if (!is_same(&by_number[i], i ? &by_number[i - 1] : &nowhere))
			places->runs[places->run_count++] = (struct run){i, by_number[i]};
	free(by_number);
	return places;
}

/* The number of a set of push/pop ranges; 0 if there are too many. Which start/end ranges were open
 * depends on other threads: graphs that differ in these are not told apart. */
static uint64_t mark_locked(const struct places *places)
{
	uint64_t mark = DIGEST_OF_NONE;
	size_t size = HASH_COUNT(graphs.marks) < MOST_MARKS ? sizeof(struct entry) : 0;
	uint16_t before = PATHS_OUTSIDE;

	for (uint32_t i = 0; i < places->run_count; i++) {
		const struct run *run = &places->runs[i];

		if (run->place.path != before)
			mark = digest_with(digest_with(mark, run->first), run->place.path);
		before = run->place.path;
	}
	return entry_of(&graphs.marks, (const uint64_t[ENTRY_NUMBERS]){mark}, size) ? mark : 0;
}

static bool are_same(const struct places *one, const struct places *other)
{
	bool same = one->run_count == other->run_count;

	for (uint32_t i = 0; same && i < one->run_count; i++)
		same = one->runs[i].first == other->runs[i].first &&
		       is_same(&one->runs[i].place, &other->runs[i].place);
	return same;
}

/* What tells the ranges of an executable graph's nodes from those of others; 0 if nothing does. */
static uint64_t mark_of(const struct executable *executable)
{
	return executable && executable->marked && executable->places ? executable->places->mark
								      : 0;
}

/* Forgets all but the newest places of an executable graph. */
static void keep_places(struct executable *executable, unsigned number)
{
	struct places **oldest = &executable->places, *before;

	while (*oldest && number-- > 0)
		oldest = &(*oldest)->before;
	for (struct places *places = *oldest; places; places = before) {
		before = places->before;
		free(places);
	}
	*oldest = NULL;
}

/* Gives an executable graph the places of the nodes in a list, from a time on. */
static void set_places_locked(struct executable *executable, const struct graph_nodes *nodes,
			      uint64_t since)
{
	/* No change of a graph changes how many nodes there are. */
	struct places *places =
		executable->count == nodes->count ? places_of(nodes, executable) : NULL;

	if (!places)
		return;
	places->since = since;
	places->mark = mark_locked(places);
	if (executable->places && are_same(executable->places, places)) {
		free(places);
		return;
	}
	places->before = executable->places;
	executable->places = places;
	keep_places(executable, MOST_PLACES);
}

/* Whether a graph has no kernels, only copies and memsets; false for NULL. */
static bool is_copies(const struct operation *operation)
{
	const struct graph_contents *contents = operation ? graph_contents_of(operation) : NULL;

	return contents && !contents->variable && !contents->kernels && contents->copies;
}

static void forget_ended_locked(void)
{
	struct executable *executable = graphs.ended;
	struct entry *entry = entry_of_id_locked(executable->id, false);

	graphs.ended = executable->next;
	if (!graphs.ended)
		graphs.ended_end = &graphs.ended;
	graphs.ended_count--;
	graphs.numbers -= executable->numbers;
	copies.incomplete |= is_copies(executable->operation);
	if (entry && entry->item == executable) {
		HASH_DEL(graphs.by_id, entry);
		free(entry);
	}
	keep_places(executable, 0);
	free(executable->number_of);
	free(executable->kinds);
	free(executable);
}

static enum node_kind kind_of(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_KERNEL   ? NODE_KERNEL
	       : type == CU_GRAPH_NODE_TYPE_MEMCPY ? NODE_COPY
	       : type == CU_GRAPH_NODE_TYPE_MEMSET ? NODE_MEMSET
						   : NODE_OTHER;
}

/* Fills in the kinds and numbers of nodes, which do not change. False if memory is out. */
static bool describe(struct executable *executable, const struct graph_nodes *nodes)
{
	bool in_order = true;

	executable->kinds = calloc(nodes->numbers, 1);
	for (size_t i = 0; executable->kinds && i < nodes->count; i++) {
		in_order &= nodes->nodes[i].number == i;
		executable->kinds[nodes->nodes[i].number] = (uint8_t)kind_of(nodes->nodes[i].type);
	}
	if (executable->kinds && !in_order)
		executable->number_of = calloc(nodes->count, sizeof(*executable->number_of));
	for (size_t i = 0; executable->number_of && i < nodes->count; i++)
		executable->number_of[i] = nodes->nodes[i].number;
	if (!executable->kinds || (!in_order && !executable->number_of)) {
		free(executable->kinds);
		executable->kinds = NULL;
		return false;
	}
	executable->count = (uint32_t)nodes->count;
	executable->numbers = nodes->numbers;
	return true;
}

/* Keeps of an executable graph whose nodes were made in ranges what its records need. */
static void describe_locked(struct executable *executable, const struct graph_nodes *nodes,
			    uint32_t id)
{
	if (executable->counted)
		return;
	executable->counted = true;
	add_relaxed(&graph_range_counts.graphs, 1);
	while (graphs.ended && graphs.numbers + nodes->numbers > MOST_NUMBERS)
		forget_ended_locked();
	if (nodes->incomplete || nodes->lacking || nodes->variable ||
	    graphs.numbers + nodes->numbers > MOST_NUMBERS || !describe(executable, nodes)) {
		add_relaxed(nodes->variable ? &graph_range_counts.variable
					    : &graph_range_counts.unknown,
			    1);
		return;
	}
	graphs.numbers += nodes->numbers;
	executable->marked = set_id_locked(executable, id);
	store_relaxed(&graphs.have_ranges, true);
}

/* Takes over a list of nodes, without the room that it has for more. */
static void keep_nodes_locked(struct executable *executable, struct graph_nodes *nodes)
{
	const size_t size = nodes->count * sizeof(*nodes->nodes);
	struct graph_node *exact = grow(nodes->nodes, size, size);

	graphs.nodes_kept += nodes->count;
	executable->nodes = *nodes;
	if (exact)
		executable->nodes.nodes = exact;
	executable->nodes.room = nodes->count;
	nodes->nodes = NULL;
}

/* Nodes of child graphs come last. */
static bool have_children(const struct graph_nodes *nodes)
{
	return nodes->count && nodes->nodes[nodes->count - 1].child;
}

static void drop_nodes_locked(struct executable *executable)
{
	graphs.nodes_kept -= executable->nodes.count;
	graph_nodes_free(&executable->nodes);
}

static void end_locked(struct executable *executable)
{
	drop_nodes_locked(executable);
	HASH_DEL(graphs.executables, &executable->entry);
	/* Threads cache the operations of graphs like those of kernels, and the driver may reuse
	 * the handle. */
	operation_forget_kernels();
	if (!executable->id && !executable->kinds) {
		free(executable);
		return;
	}
	executable->next = NULL;
	*graphs.ended_end = executable;
	graphs.ended_end = &executable->next;
	if (++graphs.ended_count > MOST_ENDED)
		forget_ended_locked();
}

void graph_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result)
{
	struct executable *executable;
	struct graph_nodes nodes = {0};
	uint32_t id;

	instantiation_end();
	if (result != CUDA_SUCCESS || !exec || !lifecycle_running())
		return;
	graph_nodes_read(&nodes, graph, NULL, true);
	id = nodes.in_ranges ? ask_id(*exec) : 0;
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(*exec, false);
	/* The one with this handle has ended unseen. */
	if (executable)
		end_locked(executable);
	executable = executable_locked(*exec, true);
	if (executable) {
		if (nodes.in_ranges)
			describe_locked(executable, &nodes, id);
		if (executable->kinds)
			set_places_locked(executable, &nodes, 0);
		executable->operation =
			graph_nodes_operation(&nodes, mark_of(executable), (uintptr_t)graph, false);
		executable->version = (uintptr_t)graph;
		executable->versioned = clock_ns(CLOCK_MONOTONIC);
		if ((is_following() || have_children(&nodes)) &&
		    graphs.nodes_kept + nodes.count <= MOST_NODES)
			keep_nodes_locked(executable, &nodes);
	}
	pthread_mutex_unlock(&graphs.lock);
	free(nodes.nodes);
}

void graph_ending(CUgraphExec exec)
{
	struct executable *executable;

	if (lifecycle_forked())
		return;
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	if (executable)
		end_locked(executable);
	pthread_mutex_unlock(&graphs.lock);
}

struct operation *graph_operation(CUgraphExec exec)
{
	struct executable *executable;
	struct operation *operation = NULL;

	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	if (executable && executable->changed) {
		executable->operation =
			graph_nodes_operation(&executable->nodes, mark_of(executable),
					      executable->version, !executable->brief);
		executable->changed = false;
	}
	if (executable)
		operation = executable->operation;
	pthread_mutex_unlock(&graphs.lock);
	return operation ?: operation_fixed(OPERATION_UNKNOWN_GRAPH);
}

/* To be called when the graph's nodes have changed: marks that its operation must be found again at
 * its next launch, as programs often change many nodes before that. */
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

/* To be called before nodes are changed. All changes between two launches make one new version. */
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

/* Programs change nodes mostly in the order in which they made them, so each is looked for from the
 * one before on. */
static struct graph_node *node_locked(struct executable *executable, CUgraphNode handle)
{
	const struct graph_nodes *nodes = executable ? &executable->nodes : NULL;
	size_t place = nodes ? executable->found : 0;

	for (size_t i = 0; nodes && i < nodes->count; i++, place++) {
		place = place < nodes->count ? place : 0;
		if (nodes->nodes[place].handle != handle)
			continue;
		executable->found = place;
		return &nodes->nodes[place];
	}
	return NULL;
}

/* Whether there is time to read what the nodes of another graph do; else counts it. */
static bool has_time(uint64_t now)
{
	uint64_t first = load_relaxed(&graphs.following_since);

	if (load_relaxed(&graphs.reading_ns) <=
	    READING_START_NS + (now - first) / 100 * GRAPH_READING_PERCENT)
		return true;
	add_relaxed(&graph_updates_unread, 1);
	return false;
}

static void count_reading(uint64_t begun)
{
	add_relaxed(&graphs.reading_ns, clock_ns(CLOCK_MONOTONIC) - begun);
}

/* Takes over what nodes do, and where they were made. The program goes on naming them by those of
 * the first graph. */
static void take_nodes_locked(struct executable *executable, const struct graph_nodes *from,
			      bool operations)
{
	for (size_t i = 0; i < from->count; i++) {
		struct graph_node *node = &executable->nodes.nodes[i];
		const struct graph_node *now = &from->nodes[i];

		node->place = now->place;
		if (!operations)
			continue;
		node->parameters = now->parameters;
		if (node->operation == now->operation)
			continue;
		node->operation = now->operation;
		renew_locked(executable);
	}
}

static void update_locked(struct executable *executable, CUgraph graph,
			  const struct graph_nodes *nodes, uint32_t id, bool operations)
{
	const uint64_t mark = mark_of(executable);
	const bool follows = is_following() && executable->nodes.count;
	const bool fits = executable->nodes.count && executable->nodes.count == nodes->count;

	if (follows && (fits || !operations))
		set_version_locked(executable, (uintptr_t)graph);
	/* The instance keeps the numbers of the graph that it was made of, which had no ranges. */
	if (nodes->in_ranges && !executable->kinds)
		describe_locked(executable, nodes, id);
	if (executable->kinds)
		set_places_locked(executable, nodes, clock_ns(CLOCK_REALTIME));
	if (fits)
		take_nodes_locked(executable, nodes, operations);
	if (fits && follows && mark_of(executable) != mark)
		renew_locked(executable);
}

void graph_updated(CUgraphExec exec, CUgraph graph, CUresult result)
{
	struct graph_nodes nodes = {0};
	struct executable *executable;
	bool operations = false;
	uint64_t begun = 0;
	uint32_t id;

	instantiation_end();
	if (result != CUDA_SUCCESS || !lifecycle_running())
		return;
	if (is_following()) {
		begun = clock_ns(CLOCK_MONOTONIC);
		operations = has_time(begun);
	}
	if (operations || graph_nodes_have_ranges() || have_ranges())
		graph_nodes_read(&nodes, graph, NULL, operations);
	if (operations)
		count_reading(begun);
	/* Numbers with holes are those of the graph that the instance was made of. */
	nodes.incomplete |= graph_nodes_have_holes();
	id = nodes.in_ranges ? ask_id(exec) : 0;
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, nodes.in_ranges);
	if (executable)
		update_locked(executable, graph, &nodes, id, operations);
	pthread_mutex_unlock(&graphs.lock);
	graph_nodes_free(&nodes);
}

void graph_kernel_changed(CUgraphExec exec, CUgraphNode handle,
			  const CUDA_KERNEL_NODE_PARAMS_v2 *kernel, CUresult result)
{
	struct graph_node changed = {.handle = handle}, *node;
	struct executable *executable;

	if (result != CUDA_SUCCESS || !kernel || !is_following())
		return;
	graph_node_set_kernel(&changed, kernel);
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	node = node_locked(executable, handle);
	if (node) {
		set_version_locked(executable, executable->version ^
						       version_part(handle, node->parameters) ^
						       version_part(handle, changed.parameters));
		node->parameters = changed.parameters;
	}
	if (node && node->operation != changed.operation) {
		node->operation = changed.operation;
		renew_locked(executable);
	}
	pthread_mutex_unlock(&graphs.lock);
}

/* Takes over what the nodes of a child graph do, and where they were made. The child has as many
 * nodes as before. */
static void take_child_locked(struct executable *executable, const struct graph_node *around,
			      const struct graph_nodes *child, bool operations)
{
	const CUgraphNode handle = around->handle;
	size_t next = 0;

	for (size_t i = 0; i < executable->nodes.count && next < child->count; i++) {
		struct graph_node *node = &executable->nodes.nodes[i];
		const struct graph_node *now = &child->nodes[next];

		if (node->child != handle)
			continue;
		next++;
		node->place = node_place_is_somewhere(now->place) ? now->place : around->place;
		if (!operations)
			continue;
		node->operation = now->operation;
		node->parameters = now->parameters;
	}
}

void graph_child_changed(CUgraphExec exec, CUgraphNode handle, CUgraph graph, CUresult result)
{
	struct graph_nodes child = {0};
	struct executable *executable;
	const struct graph_node *around;
	bool follows, operations;
	uint64_t begun;
	uint32_t id;

	if (result != CUDA_SUCCESS || !lifecycle_running())
		return;
	begun = clock_ns(CLOCK_MONOTONIC);
	follows = is_following();
	operations = follows && has_time(begun);
	if (!operations && !graph_nodes_have_ranges() && !have_ranges())
		return;
	graph_nodes_read(&child, graph, handle, operations);
	if (operations)
		count_reading(begun);
	id = child.in_ranges ? ask_id(exec) : 0;
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	around = node_locked(executable, handle);
	if (around) {
		take_child_locked(executable, around, &child, operations);
		executable->nodes.lacking |= child.lacking;
		executable->nodes.incomplete |= graph_nodes_have_holes();
		if (child.in_ranges && !executable->kinds)
			describe_locked(executable, &executable->nodes, id);
		if (executable->kinds)
			set_places_locked(executable, &executable->nodes, clock_ns(CLOCK_REALTIME));
		if (follows)
			renew_locked(executable);
	}
	pthread_mutex_unlock(&graphs.lock);
	graph_nodes_free(&child);
}

void graph_node_enabled(CUgraphExec exec, CUgraphNode handle, bool enabled, CUresult result)
{
	struct executable *executable;
	struct graph_node *node;

	if (result != CUDA_SUCCESS || !is_following())
		return;
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	node = node_locked(executable, handle);
	if (node && node->disabled == enabled) {
		node->disabled = !enabled;
		renew_locked(executable);
	}
	pthread_mutex_unlock(&graphs.lock);
}

void graph_launched(CUgraphExec exec, const struct operation *operation)
{
	const bool is_of_copies = is_copies(operation) && cupti_active();
	struct executable *executable;
	uint32_t id;
	bool asks;

	if (!is_of_copies && !have_ranges())
		return;
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	asks = executable && !executable->id && (is_of_copies || executable->kinds);
	pthread_mutex_unlock(&graphs.lock);
	if (!asks)
		return;
	id = ask_id(exec);
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	copies.incomplete |= !(executable && set_id_locked(executable, id)) && is_of_copies;
	pthread_mutex_unlock(&graphs.lock);
}

enum copy_graph copy_graphs_has(uint32_t id)
{
	const struct executable *executable;
	enum copy_graph answer;

	pthread_mutex_lock(&graphs.lock);
	executable = of_id_locked(id);
	if (executable && is_copies(executable->operation)) {
		copies.proven = true;
		answer = COPY_GRAPH_YES;
	} else {
		answer = copies.proven && !copies.incomplete ? COPY_GRAPH_NO : COPY_GRAPH_UNKNOWN;
	}
	pthread_mutex_unlock(&graphs.lock);
	return answer;
}

static enum node_kind kind_of_record(const struct activity *activity)
{
	return activity->kind == ACTIVITY_KERNEL   ? NODE_KERNEL
	       : activity->kind == ACTIVITY_MEMSET ? NODE_MEMSET
						   : NODE_COPY;
}

/* The place of a node by its number. */
static struct node_place place_in(const struct places *places, uint32_t number)
{
	uint32_t next = FIRST_NOT(i, 0, places->run_count, places->runs[i].first <= number);

	return next ? places->runs[next - 1].place : (struct node_place){0};
}

/* The places of an executable graph's nodes in a launch that began at a time: CLOCK_REALTIME, ns.
 * NULL if they are not known, or no longer. */
static const struct places *places_at(const struct executable *executable, uint64_t begun)
{
	const struct places *places = executable->places;

	while (places && places->since > begun)
		places = places->before;
	return places;
}

/* When the work of a record began: CLOCK_REALTIME, ns. */
static uint64_t start_of(const struct activity *activity)
{
	return activity->start + (uint64_t)load_relaxed(&cupti_clock_behind);
}

struct node_place graph_node_place(const struct activity *activity, uint64_t launched)
{
	struct node_place place = {0};
	const uint32_t number = (uint32_t)activity->graph_node;
	struct executable *executable;

	if (!activity->graph_node || !have_ranges())
		return place;
	pthread_mutex_lock(&graphs.lock);
	executable = of_id_locked(activity->graph);
	if (executable && executable->kinds && !executable->unfit &&
	    (number >= executable->numbers ||
	     executable->kinds[number] != (uint8_t)kind_of_record(activity))) {
		executable->unfit = true;
		add_relaxed(&graph_range_counts.unfit, 1);
	}
	if (executable && !executable->unfit) {
		const struct places *places = places_at(executable, launched ?: start_of(activity));

		if (places)
			place = place_in(places, number);
	}
	pthread_mutex_unlock(&graphs.lock);
	if (node_place_is_somewhere(place))
		add_relaxed(&graph_range_counts.records, 1);
	return place;
}

uint64_t graph_mark(const struct activity *activity)
{
	const struct executable *executable;
	const struct places *places;
	uint64_t mark = 0;

	if (!have_ranges())
		return 0;
	pthread_mutex_lock(&graphs.lock);
	executable = of_id_locked(activity->graph);
	places =
		executable && executable->marked ? places_at(executable, start_of(activity)) : NULL;
	if (places)
		mark = places->mark;
	pthread_mutex_unlock(&graphs.lock);
	return mark;
}
