/* SPDX-License-Identifier: MIT */
#include "preload/handles/graph.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/lifecycle_state.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/* How deep child graphs are followed; a bound in case they are not a tree. Chosen. */
#define NESTING		 16
/* CU_GRAPH_NODE_TYPE_CONDITIONAL, since CUDA 12.3. */
#define NODE_CONDITIONAL 13
/* CU_GRAPH_NODE_TYPE_MEM_ALLOC, since CUDA 11.4. */
#define NODE_ALLOCATES	 10

/* A node, also one of a child graph. */
struct graph_node {
	CUgraphNode handle, child;   /* child: the node of the child graph that it is in, or NULL */
	struct operation *operation; /* NULL: nothing that CUPTI records */
	CUgraphNodeType type;
	bool disabled;
	uint64_t parameters; /* kernel nodes: see digest_of_kernel(); else 0 */
};

struct graph_nodes {
	struct graph_node *nodes;
	size_t count, room;
};

static struct operation *operation_of_kernel_node(const CUDA_KERNEL_NODE_PARAMS_v2 *kernel)
{
	return operation_of_kernel(kernel->func ? kernel->func : (CUfunction)kernel->kern);
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
	/* FNV-1a with its 64-bit prime, a word at a time instead of a byte. */
	return (digest ^ value) * 0x100000001b3ull;
}

/* A number that tells a kernel node's grid, block and shared memory from others. */
static uint64_t digest_of_kernel(const CUDA_KERNEL_NODE_PARAMS_v2 *kernel)
{
	uint64_t digest = mix(0, kernel->sharedMemBytes);

	digest = mix(mix(digest, kernel->gridDimX), kernel->blockDimX);
	digest = mix(mix(digest, kernel->gridDimY), kernel->blockDimY);
	return mix(mix(digest, kernel->gridDimZ), kernel->blockDimZ);
}

static struct operation *operation_of_copy(CUgraphNode handle)
{
	CUDA_MEMCPY3D copy;

	memset(&copy, 0, sizeof(copy));
	if (!driver.cuGraphMemcpyNodeGetParams ||
	    driver.cuGraphMemcpyNodeGetParams(handle, &copy) != CUDA_SUCCESS)
		return NULL;
	return operation_fixed(copy_direction(
		&(struct copy_end){copy.srcMemoryType, copy.srcDevice, copy.srcHost},
		&(struct copy_end){copy.dstMemoryType, copy.dstDevice, copy.dstHost}));
}

static struct operation *operation_of_node(struct graph_node *node)
{
	CUDA_KERNEL_NODE_PARAMS_v2 kernel;

	switch (node->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		memset(&kernel, 0, sizeof(kernel));
		if (!driver.cuGraphKernelNodeGetParams_v2 ||
		    driver.cuGraphKernelNodeGetParams_v2(node->handle, &kernel) != CUDA_SUCCESS)
			return operation_fixed(OPERATION_UNKNOWN_KERNEL);
		node->parameters = digest_of_kernel(&kernel);
		return operation_of_kernel_node(&kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return operation_of_copy(node->handle);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return operation_fixed(OPERATION_MEMSET);
	default:
		return NULL;
	}
}

/* Adds a node to the list; without effect if memory is out. */
static void add_node(struct graph_nodes *nodes, const struct graph_node *node)
{
	if (nodes->count == nodes->room) {
		size_t room = nodes->room ? 2 * nodes->room : 16;
		struct graph_node *larger =
			grow(nodes->nodes, nodes->count * sizeof(*larger), room * sizeof(*larger));

		if (!larger)
			return;
		nodes->nodes = larger;
		nodes->room = room;
	}
	nodes->nodes[nodes->count++] = *node;
}

/* Adds the nodes of a graph, and those of its child graphs; `child` is NULL, or the node that the
 * graph is the child of. Without memory, or if the driver refuses, some are missing. */
static void read_nodes(struct graph_nodes *nodes, CUgraph graph, CUgraphNode child, int depth)
{
	CUgraphNode *handles = NULL;
	size_t count = 0;

	if (depth > NESTING || !driver.cuGraphGetNodes || !driver.cuGraphNodeGetType ||
	    driver.cuGraphGetNodes(graph, NULL, &count) != CUDA_SUCCESS || count == 0)
		return;
	handles = calloc(count, sizeof(*handles));
	if (!handles || driver.cuGraphGetNodes(graph, handles, &count) != CUDA_SUCCESS)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		struct graph_node node = {
			.handle = handles[i], .child = child, .type = CU_GRAPH_NODE_TYPE_EMPTY};
		CUgraph below;

		driver.cuGraphNodeGetType(node.handle, &node.type);
		node.operation = operation_of_node(&node);
		add_node(nodes, &node);
		if (node.type == CU_GRAPH_NODE_TYPE_GRAPH && driver.cuGraphChildGraphNodeGetGraph &&
		    driver.cuGraphChildGraphNodeGetGraph(node.handle, &below) == CUDA_SUCCESS)
			read_nodes(nodes, below, child ? child : node.handle, depth + 1);
	}
	free(handles);
}

static void add_part(struct graph_contents *contents, struct operation *operation)
{
	uint32_t i;

	for (i = 0; i < contents->part_count; i++)
		if (contents->parts[i].operation == operation)
			break;
	if (i == contents->part_count)
		contents->parts[contents->part_count++] =
			(struct graph_part){.operation = operation};
	contents->parts[i].count++;
}

/* Makes the contents that the nodes add up to; NULL if memory is out. */
static struct graph_contents *sum_nodes(const struct graph_nodes *nodes, uint64_t mark)
{
	struct graph_contents *contents =
		calloc(1, sizeof(*contents) + nodes->count * sizeof(contents->parts[0]));

	if (!contents)
		return NULL;
	contents->digest = 0xcbf29ce484222325ull; /* FNV-1a's offset basis */
	for (size_t i = 0; i < nodes->count; i++) {
		const struct graph_node *node = &nodes->nodes[i];

		if (node->disabled)
			continue;
		contents->nodes++;
		contents->allocations += (int)node->type == NODE_ALLOCATES;
		contents->variable |= (int)node->type >= NODE_CONDITIONAL;
		contents->digest = mix(contents->digest, node->type + 1);
		if (!node->operation)
			continue;
		contents->digest = mix(contents->digest, (uintptr_t)node->operation);
		contents->recorded++;
		add_part(contents, node->operation);
		if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
			contents->kernels += graph_contents_kernel_mark(node->operation);
		else
			contents->copies++;
	}
	/* Of a graph whose nodes only the device knows, nothing is told apart. */
	if (mark && !contents->variable) {
		contents->digest = mix(contents->digest, mark);
		contents->mark = mark;
		contents->kernels += contents->kernels ? mark : 0;
	}
	return contents;
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

/* Guarded by the lock, but for what is atomic. */
static struct {
	struct entry *shapes;
	unsigned shape_count;
	struct operation *_Atomic allocating;
	pthread_mutex_t lock;
	struct entry *executables;
	size_t nodes_kept;
	_Atomic bool follows;
	/* Nanoseconds: when updates began to be followed, and what reading them has taken. */
	_Atomic uint64_t following_since, reading_ns;
} graphs = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

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
	return atomic_load_explicit(&graphs.allocating, memory_order_acquire);
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

/*
 * The operation of a version of the graphs that have these nodes. Makes the shape, with this
 * version as its first, if there is none yet; adds a further version only if `add`, up to
 * MOST_VERSIONS. OPERATION_UNKNOWN_GRAPH if memory is out. The caller holds the lock.
 */
static struct operation *shape_operation(const struct graph_nodes *nodes, uint64_t mark,
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
	operation->kernels_listed = list_kernels(contents);
	/* Release: the collector reads what it holds. */
	atomic_store_explicit(&operation->contents, contents, memory_order_release);
	if (contents->allocations) {
		operation->allocating =
			atomic_load_explicit(&graphs.allocating, memory_order_relaxed);
		/* Release: whoever walks the list sees the rest of it. */
		atomic_store_explicit(&graphs.allocating, operation, memory_order_release);
	}
	shape->versions[shape->version_count++] = (struct version){version, operation};
	return operation;
}

/* How many nodes of executable graphs are kept to follow their updates, 48 bytes each; updates of
 * graphs made beyond are not followed. Chosen. */
#define MOST_NODES	 500000u
/* What reading updated graphs may take at first, in nanoseconds. Chosen. */
#define READING_START_NS 10000000u

/* Versions that last less than this many nanoseconds are counted as the first one: one recording
 * window would contain launches of several, and each new version makes all threads look up their
 * operations again. Chosen. */
#define VERSION_LEAST_NS 20000000u

/* By its handle. */
struct executable {
	struct entry entry;
	struct operation *operation;
	struct graph_nodes nodes; /* none unless updates are followed */
	bool changed;		  /* the nodes have changed since the operation was found */
	/* A hash of what the nodes work on, if updates are followed: the handle of the graph that
	 * they come from, and the kernel nodes' parameters. If a handle is reused for another
	 * graph, launches of two versions are counted as one. */
	uint64_t version;
	uint64_t mark;	    /* of the nodes' ranges */
	uint64_t versioned; /* when `version` changed last: CLOCK_MONOTONIC in nanoseconds */
	bool brief;	    /* the version before lived too short: counted as the first one */
};

_Atomic uint64_t graph_updates_unread;

void graph_follow_updates(void)
{
	atomic_store_explicit(&graphs.following_since, clock_ns(CLOCK_MONOTONIC),
			      memory_order_relaxed);
	atomic_store_explicit(&graphs.follows, true, memory_order_relaxed);
}

static bool is_following(void)
{
	return atomic_load_explicit(&graphs.follows, memory_order_relaxed) && lifecycle_running();
}

static struct executable *executable_locked(CUgraphExec exec, bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)exec};

	return entry_of(&graphs.executables, key, add ? sizeof(struct executable) : 0);
}

static void drop_nodes_locked(struct executable *executable)
{
	graphs.nodes_kept -= executable->nodes.count;
	free(executable->nodes.nodes);
	executable->nodes = (struct graph_nodes){0};
}

void graph_instantiated(const CUgraphExec *exec, CUgraph graph, CUresult result, uint64_t mark)
{
	struct executable *executable;
	struct graph_nodes nodes = {0};

	instantiation_end();
	if (result != CUDA_SUCCESS || !exec || !lifecycle_running())
		return;
	read_nodes(&nodes, graph, NULL, 0);
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(*exec, true);
	if (executable) {
		drop_nodes_locked(executable);
		executable->mark = mark;
		executable->operation = shape_operation(&nodes, mark, (uintptr_t)graph, false);
		executable->changed = false;
		executable->version = (uintptr_t)graph;
		executable->versioned = clock_ns(CLOCK_MONOTONIC);
		if (is_following() && graphs.nodes_kept + nodes.count <= MOST_NODES) {
			graphs.nodes_kept += nodes.count;
			executable->nodes = nodes;
			nodes.nodes = NULL;
		}
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
	if (executable) {
		drop_nodes_locked(executable);
		HASH_DEL(graphs.executables, &executable->entry);
		free(executable);
		/* Threads cache the operations of graphs like those of kernels, and the driver may
		 * reuse the handle. */
		operation_forget_kernels();
	}
	pthread_mutex_unlock(&graphs.lock);
}

struct operation *graph_operation(CUgraphExec exec)
{
	struct executable *executable;
	struct operation *operation;

	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	if (executable && executable->changed) {
		executable->operation = shape_operation(&executable->nodes, executable->mark,
							executable->version, !executable->brief);
		executable->changed = false;
	}
	operation = executable ? executable->operation : operation_fixed(OPERATION_UNKNOWN_GRAPH);
	pthread_mutex_unlock(&graphs.lock);
	return operation;
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
	uint64_t first = atomic_load_explicit(&graphs.following_since, memory_order_relaxed);

	if (atomic_load_explicit(&graphs.reading_ns, memory_order_relaxed) >
	    READING_START_NS + (begun - first) / 100 * GRAPH_READING_PERCENT) {
		atomic_fetch_add_explicit(&graph_updates_unread, 1, memory_order_relaxed);
		return false;
	}
	read_nodes(nodes, graph, NULL, 0);
	atomic_fetch_add_explicit(&graphs.reading_ns, clock_ns(CLOCK_MONOTONIC) - begun,
				  memory_order_relaxed);
	return true;
}

void graph_updated(CUgraphExec exec, CUgraph graph, CUresult result, uint64_t mark)
{
	struct graph_nodes nodes = {0};
	struct executable *executable;
	bool read;

	instantiation_end();
	if (result != CUDA_SUCCESS || !is_following())
		return;
	read = read_in_time(&nodes, graph);
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	if (executable && (!read || executable->nodes.count == nodes.count))
		set_version_locked(executable, (uintptr_t)graph);
	if (executable && executable->nodes.count == nodes.count && executable->mark != mark) {
		executable->mark = mark;
		renew_locked(executable);
	}
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
	pthread_mutex_unlock(&graphs.lock);
	free(nodes.nodes);
}

void graph_kernel_changed(CUgraphExec exec, CUgraphNode handle,
			  const CUDA_KERNEL_NODE_PARAMS_v2 *kernel, CUresult result)
{
	struct executable *executable;
	struct operation *operation;
	struct graph_node *node;
	uint64_t with;

	if (result != CUDA_SUCCESS || !kernel || !is_following())
		return;
	operation = operation_of_kernel_node(kernel);
	with = digest_of_kernel(kernel);
	pthread_mutex_lock(&graphs.lock);
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
	pthread_mutex_unlock(&graphs.lock);
}

void graph_child_changed(CUgraphExec exec, CUgraphNode handle, CUgraph graph, CUresult result)
{
	struct graph_nodes added = {0}, *nodes;
	struct executable *executable;
	size_t kept = 0;

	if (result != CUDA_SUCCESS || !is_following())
		return;
	read_nodes(&added, graph, handle, 1);
	pthread_mutex_lock(&graphs.lock);
	executable = executable_locked(exec, false);
	if (node_locked(executable, handle)) {
		nodes = &executable->nodes;
		graphs.nodes_kept -= nodes->count;
		for (size_t i = 0; i < nodes->count; i++)
			if (nodes->nodes[i].child != handle)
				nodes->nodes[kept++] = nodes->nodes[i];
		nodes->count = kept;
		for (size_t i = 0; i < added.count; i++)
			add_node(nodes, &added.nodes[i]);
		graphs.nodes_kept += nodes->count;
		renew_locked(executable);
	}
	pthread_mutex_unlock(&graphs.lock);
	free(added.nodes);
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

/* CUPTI numbers graphs one after the other: a graph's place goes to the one that is
 * made this number of graphs later. Chosen: 16 KB. */
#define PLACES 4096u

/* The ids of copy graphs (graph.h), at the place of their id modulo PLACES. */
static struct {
	_Atomic uint32_t numbers[PLACES];
	_Atomic bool incomplete; /* some number is not known, or was forgotten */
	/* A record has had an id that cupti_graph_id() returned. Before that it is not certain that
	 * records use these ids. */
	bool proven;
} copy_graphs;

void copy_graphs_launched(CUgraphExec exec, const struct operation *operation)
{
	const struct graph_contents *contents = graph_contents_of(operation);
	uint32_t number = 0, before;

	if (!contents || contents->variable || contents->kernels || !contents->copies ||
	    !cupti_active())
		return;
	if (cupti_graph_id(exec, &number) == 0) {
		/* Relaxed, as all here: the collector reads the launch's records only once the call
		 * has ended, which it sees by the thread's call record. */
		before = atomic_exchange_explicit(&copy_graphs.numbers[number % PLACES], number,
						  memory_order_relaxed);
		if (!before || before == number)
			return;
	}
	atomic_store_explicit(&copy_graphs.incomplete, true, memory_order_relaxed);
}

enum copy_graph copy_graphs_has(uint32_t number)
{

	if (number && atomic_load_explicit(&copy_graphs.numbers[number % PLACES],
					   memory_order_relaxed) == number) {
		copy_graphs.proven = true;
		return COPY_GRAPH_YES;
	}
	return copy_graphs.proven &&
			       !atomic_load_explicit(&copy_graphs.incomplete, memory_order_relaxed)
		       ? COPY_GRAPH_NO
		       : COPY_GRAPH_UNKNOWN;
}

/* The longest that a thread waits for the collector, which may be busy with a flush. Then the graph
 * is made with the kind on, which costs and breaks nothing. Chosen. */
#define WAIT_NS 20000000u

/* The states of the kernel kind. */
enum { KIND_ON, KIND_IN_WINDOW, KIND_STAYS_ON, KIND_OFF, KIND_STAYS_OFF };

/* What the collector tells of the kernel kind. */
static struct {
	void (*wake)(void);
	_Atomic bool watched;
	_Atomic uint32_t state;
} kind;
_Atomic bool instantiation_ever;
_Atomic unsigned instantiation_count;
static __thread bool is_making __attribute__((tls_model("initial-exec")));

static uint32_t kind_now(void)
{
	return atomic_load_explicit(&kind.state, memory_order_acquire);
}

/* Waits while the kind is on and can be turned off, or else until it is on or another thread needs
 * it off. */
static void wait_while(bool on)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), end = now + WAIT_NS;

	for (; now < end && lifecycle_running(); now = clock_ns(CLOCK_MONOTONIC)) {
		uint32_t seen = kind_now();

		if (on ? seen > KIND_IN_WINDOW : seen != KIND_OFF || instantiation_count > 0)
			break;
		kind.wake();
		futex_wait(&kind.state, seen, end - now);
	}
}

void instantiation_update_begin(void)
{
	if (kind_now() != KIND_IN_WINDOW)
		instantiation_begin();
}

void instantiation_begin(void)
{
	if (!lifecycle_running())
		return;
	atomic_store_explicit(&instantiation_ever, true, memory_order_relaxed);
	if (!atomic_load_explicit(&kind.watched, memory_order_acquire))
		return;
	/* Still set if an earlier instantiation never returned (a longjmp). */
	if (is_making)
		return;
	is_making = true;
	/* Sequentially consistent, here and in instantiation_tell(): either the collector sees this
	 * thread's graph, or this thread sees that the kind is on, and wakes the collector. */
	atomic_fetch_add(&instantiation_count, 1);
	wait_while(true);
}

void instantiation_end(void)
{
	if (!is_making)
		return;
	is_making = false;
	atomic_fetch_sub(&instantiation_count, 1);
	wait_while(false);
}

void instantiation_watch(void (*the_wake)(void))
{
	kind.wake = the_wake;
	atomic_store_explicit(&kind.watched, true, memory_order_release);
}

static void tell(uint32_t now)
{
	if (atomic_exchange(&kind.state, now) != now)
		futex_wake(&kind.state);
}

void instantiation_tell(bool off, bool windows)
{
	tell(windows ? (off ? KIND_STAYS_OFF : KIND_IN_WINDOW) : (off ? KIND_OFF : KIND_ON));
}

void instantiation_stays_on(void)
{
	tell(KIND_STAYS_ON);
}
