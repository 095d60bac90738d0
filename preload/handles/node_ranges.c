/* SPDX-License-Identifier: MIT */
#include "preload/handles/node_ranges.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/* How deep child graphs are followed; a bound in case they are not a tree. Chosen. */
#define NESTING	     16
/* CU_GRAPH_NODE_TYPE_CONDITIONAL, since CUDA 12.3; higher ones ktime does not know. */
#define CONDITIONAL  13
/* Nodes whose ranges are kept: of graphs that are not executable, a hundred bytes each; of
 * executable ones, a byte each. Chosen. */
#define MOST_NODES   1000000u
#define MOST_NUMBERS 16000000u
/* Executable graphs that have ended are kept for records that come late, as long as no more than
 * this have ended since. Chosen. */
#define MOST_ENDED   4096u
/* Sets of ranges that get rows of their own: a program may name each capture anew. Graphs with
 * further ones are in one row with others. Chosen. */
#define MOST_MARKS   1024u

struct node {
	struct entry entry; /* by its handle */
	struct node_place place;
};

/* What records may be of a node. */
enum node_kind { NODE_OTHER, NODE_KERNEL, NODE_COPY, NODE_MEMSET };

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

/* An executable graph. */
struct executable {
	struct entry entry;    /* by its handle */
	uint32_t graph;	       /* CUPTI's number; 0: not known yet */
	uint32_t count;	       /* of nodes */
	uint32_t numbers;      /* the highest number of a node, and one more */
	uint32_t *number_of;   /* by place in the list of nodes; NULL: they are the same */
	uint8_t *kinds;	       /* by number */
	struct places *places; /* the newest */
	bool unfit;
	bool marked;		 /* its row is told from others by the places' mark */
	struct executable *next; /* of those that have ended: the one that ended after it */
};

static struct {
	pthread_mutex_t lock;
	struct entry *nodes;
	struct entry *executables;
	struct entry *graphs; /* executables, also ended ones, by CUPTI's number */
	struct entry *marks;
	size_t numbers; /* of all executables */
	struct executable *ended, **ended_end;
	unsigned ended_count;
} all = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.ended_end = &all.ended,
};
struct node_range_counts node_range_counts;
/* Read without the lock: there may be nodes, or executables, to look for; and a node of a graph was
 * destroyed, so that numbers may have holes where they cannot be asked for. */
static _Atomic bool have_nodes, have_executables, had_destroyed;

static bool is_set(const _Atomic bool *flag)
{
	return atomic_load_explicit(flag, memory_order_relaxed) && !lifecycle_forked();
}

static void count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static struct node_place place_now(void)
{
	return (struct node_place){.thread = (uint32_t)pthread_self(), .path = range_now()};
}

static struct node *node_locked(CUgraphNode handle, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)handle};

	return entry_of(&all.nodes, key, add ? sizeof(struct node) : 0);
}

/* A handle may be that of a node that has ended unseen. */
static void place_locked(CUgraphNode handle, const struct node_place *place)
{
	bool has_room = HASH_COUNT(all.nodes) < MOST_NODES;
	struct node *node = node_locked(handle, place->path != PATHS_OUTSIDE && has_room);

	if (node && place->path != PATHS_OUTSIDE) {
		node->place = *place;
		atomic_store_explicit(&have_nodes, true, memory_order_relaxed);
	} else if (node) {
		HASH_DEL(all.nodes, &node->entry);
		free(node);
	} else if (place->path != PATHS_OUTSIDE) {
		count(&node_range_counts.lost);
	}
}

/* The nodes that the stream's next operation would depend on. */
static size_t dependencies_of(CUstream stream, const CUgraphNode **nodes)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
	size_t number = 0;
	const void *edges;
	CUresult result = CUDA_ERROR_NOT_SUPPORTED;

	/* Since CUDA 12.3; the older one refuses where an edge has properties, as behind a
	 * programmatic launch. */
	if (driver.cuStreamGetCaptureInfo_v3)
		result = driver.cuStreamGetCaptureInfo_v3(stream, &status, NULL, NULL, nodes,
							  &edges, &number);
	return result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? number : 0;
}

void node_ranges_captured(CUstream stream)
{
	const struct node_place place = place_now();
	const CUgraphNode *nodes = NULL;
	int saved_errno = errno;
	size_t number;

	if (place.path == PATHS_OUTSIDE && !is_set(&have_nodes))
		return;
	number = dependencies_of(stream, &nodes);
	pthread_mutex_lock(&all.lock);
	for (size_t i = 0; i < number; i++)
		place_locked(nodes[i], &place);
	pthread_mutex_unlock(&all.lock);
	errno = saved_errno;
}

void node_ranges_added(const CUgraphNode *node, CUresult result)
{
	const struct node_place place = place_now();

	if (result != CUDA_SUCCESS || !node || !lifecycle_running() ||
	    (place.path == PATHS_OUTSIDE && !is_set(&have_nodes)))
		return;
	pthread_mutex_lock(&all.lock);
	place_locked(*node, &place);
	pthread_mutex_unlock(&all.lock);
}

/* A graph's nodes; the caller frees them. */
static CUgraphNode *nodes_of(CUgraph graph, size_t *number)
{
	CUgraphNode *nodes = NULL;

	*number = 0;
	if (!driver.cuGraphGetNodes ||
	    driver.cuGraphGetNodes(graph, NULL, number) != CUDA_SUCCESS || *number == 0)
		return NULL;
	nodes = calloc(*number, sizeof(*nodes));
	if (!nodes || driver.cuGraphGetNodes(graph, nodes, number) != CUDA_SUCCESS)
		*number = 0;
	return nodes;
}

/* The graph of a node that has one. */
static CUgraph child_of(CUgraphNode node)
{
	CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
	CUgraph child = NULL;

	if (driver.cuGraphNodeGetType && driver.cuGraphChildGraphNodeGetGraph &&
	    driver.cuGraphNodeGetType(node, &type) == CUDA_SUCCESS &&
	    type == CU_GRAPH_NODE_TYPE_GRAPH &&
	    driver.cuGraphChildGraphNodeGetGraph(node, &child) != CUDA_SUCCESS)
		child = NULL;
	return child;
}

/* A clone has its nodes in the same order. */
static void clone_places(CUgraph clone, CUgraph graph, int depth)
{
	size_t number = 0, cloned = 0;
	CUgraphNode *nodes = nodes_of(graph, &number), *clones = nodes_of(clone, &cloned);

	for (size_t i = 0; i < number && number == cloned; i++) {
		CUgraph from = depth < NESTING ? child_of(nodes[i]) : NULL;
		CUgraph to = from ? child_of(clones[i]) : NULL;
		const struct node *node;
		struct node_place place = {.path = PATHS_OUTSIDE};

		pthread_mutex_lock(&all.lock);
		node = node_locked(nodes[i], false);
		if (node)
			place = node->place;
		place_locked(clones[i], &place);
		pthread_mutex_unlock(&all.lock);
		if (to)
			clone_places(to, from, depth + 1);
	}
	free(nodes);
	free(clones);
}

void node_ranges_cloned(const CUgraph *clone, CUgraph graph, CUresult result)
{
	if (result == CUDA_SUCCESS && clone && is_set(&have_nodes))
		clone_places(*clone, graph, 0);
}

void node_ranges_child_added(const CUgraphNode *node, CUgraph graph, CUresult result)
{
	CUgraph child;

	node_ranges_added(node, result);
	if (result != CUDA_SUCCESS || !node || !is_set(&have_nodes))
		return;
	child = child_of(*node);
	if (child)
		clone_places(child, graph, 1);
}

static void forget_nodes(CUgraph graph, int depth)
{
	const struct node_place nowhere = {.path = PATHS_OUTSIDE};
	size_t number;
	CUgraphNode *nodes = nodes_of(graph, &number);

	for (size_t i = 0; i < number; i++) {
		CUgraph child = depth < NESTING ? child_of(nodes[i]) : NULL;

		if (child)
			forget_nodes(child, depth + 1);
		pthread_mutex_lock(&all.lock);
		place_locked(nodes[i], &nowhere);
		pthread_mutex_unlock(&all.lock);
	}
	free(nodes);
}

void node_ranges_graph_ends(CUgraph graph)
{
	if (graph && is_set(&have_nodes))
		forget_nodes(graph, 0);
}

void node_ranges_node_ends(CUgraphNode node)
{
	const struct node_place nowhere = {.path = PATHS_OUTSIDE};
	CUgraph child;

	atomic_store_explicit(&had_destroyed, true, memory_order_relaxed);
	if (!node || !is_set(&have_nodes))
		return;
	child = child_of(node);
	if (child)
		forget_nodes(child, 1);
	pthread_mutex_lock(&all.lock);
	place_locked(node, &nowhere);
	pthread_mutex_unlock(&all.lock);
}

struct listed {
	struct node_place place;
	uint32_t number;
	uint8_t kind;
};

/* The nodes of a graph and of its child graphs, in the order of the blocks that they are numbered
 * in. */
struct list {
	struct listed *nodes;
	size_t count, room;
	uint32_t numbers; /* the next block's first */
	bool in_ranges;	  /* a node that has records was made in a range */
	bool variable, incomplete;
};

static enum node_kind kind_of(CUgraphNodeType type)
{
	return type == CU_GRAPH_NODE_TYPE_KERNEL   ? NODE_KERNEL
	       : type == CU_GRAPH_NODE_TYPE_MEMCPY ? NODE_COPY
	       : type == CU_GRAPH_NODE_TYPE_MEMSET ? NODE_MEMSET
						   : NODE_OTHER;
}

/* The number of a node of a graph that is no child. Where none was ever destroyed, it is its place;
 * CUPTI knows it in any case. */
static bool number_of(CUgraphNode node, size_t place, uint32_t *number)
{
	uint64_t id;

	*number = (uint32_t)place;
	if (!atomic_load_explicit(&had_destroyed, memory_order_relaxed))
		return true;
	if (cupti_graph_node_id(node, &id))
		return false;
	*number = (uint32_t)id;
	return true;
}

static void add_listed(struct list *list, const struct listed *node)
{
	size_t room = list->room ? 2 * list->room : 64;
	struct listed *larger;

	if (list->count == list->room) {
		larger = grow(list->nodes, list->count * sizeof(*larger), room * sizeof(*larger));
		if (!larger) {
			list->incomplete = true;
			return;
		}
		list->nodes = larger;
		list->room = room;
	}
	list->nodes[list->count++] = *node;
}

static void list_nodes(struct list *list, CUgraph graph, const struct node_place *around, int depth)
{
	const uint32_t first = list->numbers;
	const size_t listed = list->count;
	size_t number;
	CUgraphNode *nodes = nodes_of(graph, &number);

	for (size_t i = 0; i < number; i++) {
		CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
		struct listed item = {.place = *around, .number = first + (uint32_t)i};
		const struct node *node;

		driver.cuGraphNodeGetType(nodes[i], &type);
		item.kind = (uint8_t)kind_of(type);
		list->variable |= (int)type >= CONDITIONAL;
		if (depth == 0 && !number_of(nodes[i], i, &item.number))
			list->incomplete = true;
		pthread_mutex_lock(&all.lock);
		node = node_locked(nodes[i], false);
		if (node)
			item.place = node->place;
		pthread_mutex_unlock(&all.lock);
		list->in_ranges |= item.kind != NODE_OTHER && item.place.path != PATHS_OUTSIDE;
		if (item.number >= list->numbers)
			list->numbers = item.number + 1;
		add_listed(list, &item);
	}
	for (size_t i = 0; i < number && listed + i < list->count; i++) {
		const struct node_place place = list->nodes[listed + i].place;
		CUgraph child = depth < NESTING ? child_of(nodes[i]) : NULL;

		/* Of the last nodes that a graph had before nobody knows. */
		list->incomplete |= child && is_set(&had_destroyed);
		if (child)
			list_nodes(list, child, &place, depth + 1);
	}
	free(nodes);
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
	return (digest ^ value) * 0x100000001b3ull; /* FNV-1a's 64-bit prime */
}

/* The number of a set of ranges; 0 if there are too many. */
static uint64_t mark_locked(const struct places *places)
{
	uint64_t mark = 0xcbf29ce484222325ull;
	size_t size = HASH_COUNT(all.marks) < MOST_MARKS ? sizeof(struct entry) : 0;

	for (uint32_t i = 0; i < places->run_count; i++)
		mark = mix(mix(mark, places->runs[i].first), places->runs[i].place.path);
	return entry_of(&all.marks, (const uint64_t[ENTRY_NUMBERS]){mark}, size) ? mark : 0;
}

static bool is_same(const struct node_place *one, const struct node_place *other)
{
	return one->path == other->path && one->thread == other->thread;
}

/* The places of listed nodes; NULL if memory is out. `executable` says their numbers. */
static struct places *places_of(const struct list *list, const struct executable *executable)
{
	const struct node_place nowhere = {.path = PATHS_OUTSIDE};
	struct node_place *by_number = calloc(executable->numbers, sizeof(*by_number));
	uint32_t runs = 0;
	struct places *places;

	for (uint32_t i = 0; by_number && i < list->count; i++) {
		uint32_t number = executable->number_of ? executable->number_of[i] : i;

		if (number < executable->numbers)
			by_number[number] = list->nodes[i].place;
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

static void free_executable(struct executable *executable)
{
	struct places *before;

	for (struct places *places = executable->places; places; places = before) {
		before = places->before;
		free(places);
	}
	free(executable->number_of);
	free(executable->kinds);
	free(executable);
}

static struct entry *graph_locked(uint32_t graph, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {graph};

	return entry_of(&all.graphs, key, add ? sizeof(struct entry) : 0);
}

static void forget_ended_locked(void)
{
	struct executable *executable = all.ended;
	struct entry *entry = executable->graph ? graph_locked(executable->graph, false) : NULL;

	all.ended = executable->next;
	if (!all.ended)
		all.ended_end = &all.ended;
	all.ended_count--;
	all.numbers -= executable->numbers;
	if (entry && entry->item == executable) {
		HASH_DEL(all.graphs, entry);
		free(entry);
	}
	free_executable(executable);
}

static struct executable *executable_locked(CUgraphExec exec)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)exec};

	return entry_of(&all.executables, key, 0);
}

static void end_locked(struct executable *executable)
{
	HASH_DEL(all.executables, &executable->entry);
	executable->next = NULL;
	*all.ended_end = executable;
	all.ended_end = &executable->next;
	if (++all.ended_count > MOST_ENDED)
		forget_ended_locked();
}

void node_ranges_exec_ends(CUgraphExec exec)
{
	struct executable *executable;

	if (!is_set(&have_executables))
		return;
	pthread_mutex_lock(&all.lock);
	executable = executable_locked(exec);
	if (executable)
		end_locked(executable);
	pthread_mutex_unlock(&all.lock);
}

/* Fills in what does not change: numbers and kinds. False if memory is out. */
static bool describe(struct executable *executable, const struct list *list)
{
	bool in_order = true;

	executable->count = (uint32_t)list->count;
	executable->numbers = list->numbers;
	executable->kinds = calloc(list->numbers, 1);
	for (size_t i = 0; executable->kinds && i < list->count; i++) {
		in_order &= list->nodes[i].number == i;
		executable->kinds[list->nodes[i].number] = list->nodes[i].kind;
	}
	if (!in_order)
		executable->number_of = calloc(list->count, sizeof(*executable->number_of));
	for (size_t i = 0; executable->number_of && i < list->count; i++)
		executable->number_of[i] = list->nodes[i].number;
	return executable->kinds && (in_order || executable->number_of);
}

/* Has a number of CUPTI's, which is asked for if it is not known yet. CUPTI calls nobody back. */
static bool number_locked(struct executable *executable, CUgraphExec exec)
{
	struct entry *entry;

	if (executable->graph)
		return true;
	if (cupti_graph_id(exec, &executable->graph) || !executable->graph)
		return false;
	entry = graph_locked(executable->graph, true);
	if (entry)
		entry->item = executable;
	return entry;
}

/* Adds an executable graph; NULL if nothing can be said of it. */
static struct executable *add_locked(CUgraphExec exec, const struct list *list)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)exec};
	struct executable *executable;

	while (all.ended && all.numbers + list->numbers > MOST_NUMBERS)
		forget_ended_locked();
	if (list->incomplete || list->variable || all.numbers + list->numbers > MOST_NUMBERS)
		return NULL;
	executable = entry_of(&all.executables, key, sizeof(*executable));
	if (!executable)
		return NULL;
	all.numbers += list->numbers;
	atomic_store_explicit(&have_executables, true, memory_order_relaxed);
	if (describe(executable, list))
		return executable;
	executable->numbers = list->numbers;
	end_locked(executable);
	return NULL;
}

/* Gives an executable graph the places of listed nodes. */
static void set_places_locked(struct executable *executable, const struct list *list,
			      uint64_t since)
{
	struct places *places = places_of(list, executable);

	if (!places)
		return;
	places->since = since;
	places->mark = mark_locked(places);
	if (executable->places && executable->places->mark == places->mark && places->mark) {
		free(places);
		return;
	}
	places->before = executable->places;
	executable->places = places;
}

/* 0 for NULL. */
static uint64_t mark_of(const struct executable *executable)
{
	return executable && executable->marked && executable->places ? executable->places->mark
								      : 0;
}

static void count_unsplit(const struct list *list)
{
	count(list->variable ? &node_range_counts.variable : &node_range_counts.unknown);
}

uint64_t node_ranges_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result)
{
	const struct node_place nowhere = {.path = PATHS_OUTSIDE};
	struct executable *executable;
	struct list list = {.nodes = NULL};
	uint64_t mark = 0;

	if (result != CUDA_SUCCESS || !exec || !lifecycle_running())
		return 0;
	/* In case that the one with this handle has ended unseen. */
	node_ranges_exec_ends(*exec);
	if (!is_set(&have_nodes))
		return 0;
	list_nodes(&list, graph, &nowhere, 0);
	if (list.in_ranges) {
		count(&node_range_counts.graphs);
		pthread_mutex_lock(&all.lock);
		executable = add_locked(*exec, &list);
		if (executable) {
			executable->marked = number_locked(executable, *exec);
			set_places_locked(executable, &list, 0);
			mark = mark_of(executable);
		}
		pthread_mutex_unlock(&all.lock);
		if (!executable)
			count_unsplit(&list);
	}
	free(list.nodes);
	return mark;
}

uint64_t node_ranges_updated(CUgraphExec exec, CUgraph graph, CUresult result)
{
	const struct node_place nowhere = {.path = PATHS_OUTSIDE};
	struct executable *executable;
	struct list list = {.nodes = NULL};
	uint64_t mark = 0;

	if (result != CUDA_SUCCESS || !lifecycle_running() ||
	    (!is_set(&have_nodes) && !is_set(&have_executables)))
		return 0;
	list_nodes(&list, graph, &nowhere, 0);
	pthread_mutex_lock(&all.lock);
	executable = executable_locked(exec);
	/* The instance keeps the numbers of the graph that it was made of. If that had no ranges,
	 * they are not known where they have holes. */
	if (!executable && list.in_ranges) {
		count(&node_range_counts.graphs);
		list.incomplete |= is_set(&had_destroyed);
		executable = add_locked(exec, &list);
		if (executable)
			executable->marked = number_locked(executable, exec);
		else
			count_unsplit(&list);
	}
	/* An update does not change how many nodes there are. */
	if (executable && executable->count == list.count)
		set_places_locked(executable, &list, clock_ns(CLOCK_REALTIME));
	mark = mark_of(executable);
	pthread_mutex_unlock(&all.lock);
	free(list.nodes);
	return mark;
}

void node_ranges_launched(CUgraphExec exec)
{
	struct executable *executable;

	if (!is_set(&have_executables))
		return;
	pthread_mutex_lock(&all.lock);
	executable = executable_locked(exec);
	if (executable)
		number_locked(executable, exec);
	pthread_mutex_unlock(&all.lock);
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
	uint32_t low = 0, high = places->run_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (places->runs[middle].first <= number)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? places->runs[low - 1].place : (struct node_place){.path = PATHS_OUTSIDE};
}

static struct executable *of_graph_locked(uint32_t graph)
{
	const struct entry *entry = graph ? graph_locked(graph, false) : NULL;

	return entry ? entry->item : NULL;
}

struct node_place node_ranges_of(const struct activity *activity, uint64_t launched)
{
	struct node_place place = {.path = PATHS_OUTSIDE};
	const uint32_t number = (uint32_t)activity->graph_node;
	const uint64_t begun =
		launched
			?: activity->start + (uint64_t)atomic_load_explicit(&cupti_clock_behind,
									    memory_order_relaxed);
	struct executable *executable;

	if (!activity->graph_node || !is_set(&have_executables))
		return place;
	pthread_mutex_lock(&all.lock);
	executable = of_graph_locked(activity->graph);
	if (executable && !executable->unfit &&
	    (number >= executable->numbers ||
	     executable->kinds[number] != (uint8_t)kind_of_record(activity))) {
		executable->unfit = true;
		count(&node_range_counts.unfit);
	}
	if (executable && !executable->unfit) {
		const struct places *places = executable->places;

		while (places && places->before && places->since > begun)
			places = places->before;
		if (places && places->since <= begun)
			place = place_in(places, number);
	}
	pthread_mutex_unlock(&all.lock);
	if (place.path != PATHS_OUTSIDE)
		count(&node_range_counts.records);
	return place;
}

uint64_t node_ranges_mark(uint32_t graph)
{
	uint64_t mark;

	if (!is_set(&have_executables))
		return 0;
	pthread_mutex_lock(&all.lock);
	mark = mark_of(of_graph_locked(graph));
	pthread_mutex_unlock(&all.lock);
	return mark;
}
