/* SPDX-License-Identifier: MIT */
#include "preload/recording/sums.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <uthash.h>
#include <utlist.h>

#include "preload/handles/graph_contents.h"
#include "preload/launch/copy_graphs.h"
#include "preload/recording/window_estimate.h"
#include "report/session/grow.h"

/* UNIT_VERSION: what is in UNIT_GRAPHS as well, of one version of a graph (sums.h). */
enum window_unit { UNIT_ALONE, UNIT_GRAPHS, UNIT_VERSION };

static struct window_class *classes;

/* NULL if there is none, and `add` is false or memory is out. It stays. */
static struct window_class *window_class_of(uint64_t kernels, uint32_t device,
					    enum window_unit unit, bool add)
{
	struct window_class_key key = {kernels, device, unit};
	struct window_class *class = NULL;

	HASH_FIND(link, classes, &key, sizeof(key), class);
	if (class || !add)
		return class;
	class = calloc(1, sizeof(*class));
	if (!class)
		return NULL;
	class->key = key;
	HASH_ADD(link, classes, key, sizeof(class->key), class);
	if (!class->link.tbl) {
		free(class);
		return NULL;
	}
	return class;
}

/* An operation's part in it, added if need be; NULL if memory is out. */
static struct window_part *window_class_part(struct window_class *class,
					     struct operation *operation)
{
	struct window_part **link = &class->parts, *part;

	while (*link && (*link)->operation != operation)
		link = &(*link)->next;
	if (*link)
		return *link;
	part = calloc(1, sizeof(*part));
	if (part)
		part->operation = operation;
	return *link = part;
}

/* The one after `class`, in any order; the first one after NULL. */
static struct window_class *window_class_next(const struct window_class *class)
{
	return class ? class->link.next : classes;
}

/* Adds `count` records of an operation to the present window; nanoseconds. */
static void window_class_add(struct window_class *class, struct operation *operation,
			     uint64_t count, uint64_t total)
{
	struct window_part *part = window_class_part(class, operation);

	if (!part)
		return;
	part->open += (double)total;
	part->opened += (double)count;
}

/* Whether any of its units is recorded; false for NULL. */
static bool window_class_is_recorded(const struct window_class *class)
{
	return class && class->recorded + class->open > 0;
}

/* A random window stands for all units since the last one that had any of them, and for as many of
 * those before the recording began: the first window alone would stand for most of the run. */
static void close_random(struct window_class *class)
{
	struct window_units *units = &class->units;
	double covers = class->all - units->certain - units->covered - units->before, before;

	covers = covers > class->open ? covers : class->open;
	before = units->before < covers ? units->before : covers;
	units->before -= before;
	covers += before;
	window_units_add(units, covers);
	for (struct window_part *part = class->parts; part; part = part->next)
		window_times_add(&part->times, units, covers, part->open / class->open);
}

static void close_certain(struct window_class *class)
{
	class->units.certain += class->open;
	for (struct window_part *part = class->parts; part; part = part->next)
		part->times.certain += part->open;
}

/* Ends the present window, which has at least one of its units. */
static void window_class_close(struct window_class *class, bool random)
{
	if (random)
		close_random(class);
	else
		close_certain(class);
	class->recorded += class->open;
	class->open = 0;
	for (struct window_part *part = class->parts; part; part = part->next) {
		part->records += part->opened;
		part->open = part->opened = 0;
	}
}

static enum { UNKNOWN, OPEN, KNOWN } window;

void versions_window_opens(void)
{
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		operation->calls_before = operation->calls;
	window = OPEN;
}

void versions_window_was_closed(void)
{
	if (window != OPEN)
		return;
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		operation->in_window = operation->calls > operation->calls_before;
	window = KNOWN;
}

void versions_window_taken(void)
{
	window = UNKNOWN;
}

static bool has_kernels(const struct operation *operation, uint64_t kernels)
{
	const struct graph_contents *contents = graph_contents_of(operation);

	return contents && graph_contents_key(contents) == kernels;
}

void versions_for_each(uint64_t kernels, void (*use)(struct operation *version, void *context),
		       void *context)
{
	bool several = false;

	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		several |= operation->version_of && has_kernels(operation, kernels);
	for (struct operation *operation = operation_first(); several && operation;
	     operation = operation->next)
		if (has_kernels(operation, kernels))
			use(operation, context);
}

struct operation *versions_in_window(uint64_t kernels)
{
	struct operation *found = NULL;

	for (struct operation *operation = operation_first(); window == KNOWN && operation;
	     operation = operation->next) {
		if (!operation->in_window || !has_kernels(operation, kernels))
			continue;
		if (found)
			return NULL;
		found = operation;
	}
	return found;
}

static struct window_class *open_classes; /* those with units in the present window */
static bool fresh;			  /* of something there are the first records */

static void add_unit(struct window_class *class)
{
	fresh |= !window_class_is_recorded(class);
	if (!(class->open > 0)) {
		class->next_open = open_classes;
		open_classes = class;
	}
	class->open++;
}

/* Calls `use` for each row of operations that were launched by themselves. */
static void for_each_row(void (*use)(struct operation *operation, uint32_t device,
				     const struct row *row))
{
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		for (uint32_t device = 0; device < SESSION_DEVICES; device++)
			if (operation->rows[device] && operation->kind != ROW_GRAPH)
				use(operation, device, operation->rows[device]);
}

static void add_recorded(struct operation *operation, uint32_t device, const struct row *row)
{
	struct window_class *class =
		row->cupti.count ? window_class_of((uintptr_t)operation, device, UNIT_ALONE, true)
				 : NULL;
	struct window_part *part = class ? window_class_part(class, operation) : NULL;

	if (!part)
		return;
	class->units.certain = class->recorded = (double)row->cupti.count;
	part->times.certain = (double)row->cupti.total;
	part->records = (double)row->cupti.count;
}

void sums_start(struct session *session,
		struct row *(*row_of)(struct operation *operation, int device))
{
	row_totals_start(session, row_of);
	for_each_row(add_recorded);
}

void sums_add(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	struct window_class *class =
		window_class_of((uintptr_t)operation, device, UNIT_ALONE, true);

	if (!class)
		return;
	add_unit(class);
	window_class_add(class, operation, 1, nanoseconds);
}

/* Whether these are all of a graph's parts, but for its kernels. */
static bool consists_of(const struct graph_contents *contents, const struct launch_part *parts,
			uint32_t part_count)
{
	uint32_t same = 0, kernels = 0;

	for (uint32_t k = 0; k < contents->part_count; k++)
		kernels += contents->parts[k].operation->kind == ROW_KERNEL;
	for (uint32_t i = 0; i < part_count; i++)
		for (uint32_t k = 0; k < contents->part_count; k++)
			same += contents->parts[k].operation == parts[i].operation &&
				contents->parts[k].count == parts[i].count;
	return same == part_count && same == contents->part_count - kernels;
}

/* Whether a graph with kernels does just this beside them, so that it may be what is left of one of
 * its launches if no kernel was recorded. */
static bool sums_may_lack_kernels(const struct launch_part *parts, uint32_t part_count)
{
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		const struct graph_contents *contents = graph_contents_of(operation);

		if (contents && contents->kernels && consists_of(contents, parts, part_count))
			return true;
	}
	return false;
}

/*
 * How many graphs have these kernels; `found` is one of them. Without kernels all parts must be
 * theirs: copies are recorded all the time, so a launch may have them and its kernels not.
 */
static unsigned graphs_with(uint64_t kernels, const struct launch_part *parts, uint32_t part_count,
			    struct operation **found)
{
	unsigned count = 0;

	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		const struct graph_contents *contents = graph_contents_of(operation);

		if (!contents || operation->version_of || graph_contents_key(contents) != kernels ||
		    (!kernels && !consists_of(contents, parts, part_count)))
			continue;
		*found = operation;
		count++;
	}
	return count;
}

bool sums_add_launch(uint64_t kernels, uint32_t device, const struct launch_part *parts,
		     uint32_t part_count, struct operation **graph)
{
	struct operation *operation = NULL;
	unsigned count = graphs_with(kernels, parts, part_count, &operation);
	struct window_class *class;

	/* Whether a part is missing cannot be told where nobody knows what there should be. */
	if (count == 0 && kernels) {
		kernels = GRAPH_CONTENTS_VARIABLE;
		count = graphs_with(kernels, parts, part_count, &operation);
	}
	class = count ? window_class_of(kernels, device, UNIT_GRAPHS, true) : NULL;
	if (!class)
		return false;
	add_unit(class);
	for (uint32_t i = 0; i < part_count; i++)
		window_class_add(class, parts[i].operation, parts[i].count, parts[i].total);
	*graph = count == 1 ? operation : NULL;
	return true;
}

/* Calls `use` for each graph that was launched, on each device. */
static void for_each_graph(void (*use)(const struct graph_contents *contents, uint32_t device,
				       const struct row *row))
{
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		const struct graph_contents *contents =
			operation->version_of ? NULL : graph_contents_of(operation);

		for (uint32_t device = 0; contents && device < SESSION_DEVICES; device++)
			if (operation->rows[device] && operation->rows[device]->calls > 0)
				use(contents, device, operation->rows[device]);
	}
}

static void note_launches(const struct graph_contents *contents, uint32_t device,
			  const struct row *row)
{
	struct window_class *class =
		window_class_of(graph_contents_key(contents), device, UNIT_GRAPHS, true);

	if (class)
		class->units.before += (double)row->calls;
}

static void note_calls(struct operation *operation, uint32_t device, const struct row *row)
{
	struct window_class *class =
		row->calls ? window_class_of((uintptr_t)operation, device, UNIT_ALONE, true) : NULL;

	if (class)
		class->units.before = (double)row->calls;
}

void sums_begin_late(void)
{
	for_each_row(note_calls);
	for_each_graph(note_launches);
}

bool sums_are_fresh(void)
{
	bool are = fresh;

	fresh = false;
	return are;
}

static bool lacking;

static void look_for_class(const struct graph_contents *contents, uint32_t device,
			   const struct row *row)
{
	struct window_class *class =
		contents->recorded > 0
			? window_class_of(graph_contents_key(contents), device, UNIT_GRAPHS, true)
			: NULL;

	(void)row;
	if (!class)
		return;
	/* Asked for once: of some launches no complete records may ever come. */
	lacking |= !class->asked && !window_class_is_recorded(class);
	class->asked = true;
}

bool sums_lack_a_graph(void)
{
	lacking = false;
	for_each_graph(look_for_class);
	return lacking;
}

static void count_launches(const struct graph_contents *contents, uint32_t device,
			   const struct row *row)
{
	struct window_class *class =
		window_class_of(graph_contents_key(contents), device, UNIT_GRAPHS, false);

	if (class)
		class->all += (double)row->calls;
	for (uint32_t i = 0; i < contents->part_count; i++)
		row_totals_count(contents->parts[i].operation, device,
				 row->calls * contents->parts[i].count,
				 !window_class_is_recorded(class));
}

static void count_calls(struct operation *operation, uint32_t device, const struct row *row)
{
	struct window_class *class =
		row->calls ? window_class_of((uintptr_t)operation, device, UNIT_ALONE, false)
			   : NULL;

	if (class)
		class->all = (double)row->calls;
	if (row->calls && !window_class_is_recorded(class))
		row_totals_unknown(operation, device, row->calls);
}

/* Brings the number of each class's units up to date. */
static void count_units(void)
{
	row_totals_begin();
	for (struct window_class *class = window_class_next(NULL); class;
	     class = window_class_next(class))
		class->all = 0;
	for_each_graph(count_launches);
	for_each_row(count_calls);
}

/* What the window has of a graph's launches is of one version, if no other was launched in it. */
static void add_to_version(const struct window_class *class, bool random)
{
	struct operation *version =
		class->key.unit == UNIT_GRAPHS ? versions_in_window(class->key.kernels) : NULL;
	struct window_class *of =
		version ? window_class_of((uintptr_t)version, class->key.device, UNIT_VERSION, true)
			: NULL;

	if (!of)
		return;
	of->open = class->open;
	of->all = (double)version->calls;
	for (struct window_part *part = class->parts; part; part = part->next)
		window_class_add(of, part->operation, (uint64_t)part->opened, (uint64_t)part->open);
	window_class_close(of, random);
}

void sums_close_window(bool random)
{
	if (random && open_classes)
		count_units();
	for (struct window_class *class = open_classes; class; class = class->next_open) {
		add_to_version(class, random);
		window_class_close(class, random);
	}
	open_classes = NULL;
	versions_window_taken();
}

/* Whose versions are added up, and of which part of their launches. */
struct versions {
	const struct window_class *class;
	struct operation *part;
	struct window_strata strata;
};

static void add_version(struct operation *version, void *context)
{
	struct versions *versions = context;
	struct window_class *of = window_class_of((uintptr_t)version, versions->class->key.device,
						  UNIT_VERSION, false);
	struct window_part *part = of ? window_class_part(of, versions->part) : NULL;

	if (part)
		window_strata_add(&versions->strata, &of->units, &part->times,
				  (double)version->calls);
}

static struct estimated by_version(const struct window_class *class, const struct window_part *part,
				   const struct estimated *of_all)
{
	struct versions versions = {.class = class, .part = part->operation};

	versions_for_each(class->key.kernels, add_version, &versions);
	return window_strata_estimate(&versions.strata, &class->units, &part->times, class->all,
				      of_all);
}

/* A kernel of a graph whose contents only the device knows: how often all its launches ran it. */
static void estimate_count(const struct window_class *class, const struct window_part *part)
{
	double recorded = class->recorded + class->open;
	double count = recorded > 0 ? (part->records + part->opened) / recorded * class->all : 0;

	row_totals_estimate_count(part->operation, class->key.device, (uint64_t)(count + 0.5));
}

static void add_class(const struct window_class *class)
{
	for (const struct window_part *part = class->parts; part; part = part->next) {
		struct window_units units = class->units;
		struct window_times times = part->times;
		struct estimated estimated;

		/* The present window: what it stands for is settled when it ends. */
		units.certain += class->open;
		times.certain += part->open;
		estimated = window_estimate(&units, &times, class->all);
		if (class->key.unit == UNIT_GRAPHS)
			estimated = by_version(class, part, &estimated);
		row_totals_add(part->operation, class->key.device, &estimated,
			       class->all > units.certain);
		if (class->key.unit == UNIT_GRAPHS && class->key.kernels == GRAPH_CONTENTS_VARIABLE)
			estimate_count(class, part);
	}
}

void sums_update_rows(void)
{
	count_units();
	for (struct window_class *class = window_class_next(NULL); class;
	     class = window_class_next(class))
		if (class->key.unit != UNIT_VERSION)
			add_class(class);
	row_totals_end();
}

/* A launch is complete once work has begun that started this many nanoseconds after its last node,
 * or this many later launches are in flight. Chosen. */
#define LATER_NS      1000000000u
#define MOST_LAUNCHES 4096u

struct node {
	uint32_t part;
	uint32_t nanoseconds; /* at most UINT32_MAX */
};

struct launch {
	uint32_t correlation, device;
	uint32_t graph;	 /* CUPTI's number of the executable graph */
	uint64_t stream; /* context id, stream id: of its first record */
	uint64_t start, end;
	uint64_t busy;	  /* sum of the nodes' times in that stream, ns */
	uint64_t kernels; /* see graph_contents.h */
	uint32_t part_count, part_room, last_part;
	struct launch_part *parts;
	uint32_t node_count, node_room;
	struct node *nodes;
	struct launch *prev, *next;
	UT_hash_handle link;
};

static struct launch *by_correlation;
static struct launch *oldest; /* by their first record's arrival */
static uint64_t seen, newest;
static void (*take_node)(struct operation *, uint32_t, uint64_t);
static void (*take_graph)(struct operation *, uint32_t, uint64_t);

void launches_start(void (*node)(struct operation *, uint32_t, uint64_t),
		    void (*graph)(struct operation *, uint32_t, uint64_t))
{
	take_node = node;
	take_graph = graph;
}

uint64_t launches_seen(void)
{
	return seen;
}

static const struct launch *next_in_stream(const struct launch *launch)
{
	const struct launch *next = launch->next;

	while (next && next->stream != launch->stream)
		next = next->next;
	return next;
}

/*
 * The ends of the last launch's nodes are lost when CUPTI's kernel kind is turned off: CUPTI 13.0
 * gives them the time at which it hands the records out, 10 to 170 ms later on an H200. Then the
 * nodes of one stream seem to overlap, or the launch overlaps the next one in its stream.
 */
static bool has_ends(const struct launch *launch)
{
	const struct launch *next = next_in_stream(launch);

	return launch->busy / 2 <= launch->end - launch->start &&
	       !(next && next->start < launch->end);
}

/* Whether the records are those of all nodes, if they have no kernels: while kernels are not
 * recorded, a launch of a graph that has some leaves those of its copies alone. */
static bool is_whole(const struct launch *launch)
{
	enum copy_graph copies = launch->kernels ? COPY_GRAPH_YES : copy_graphs_has(launch->graph);

	return copies == COPY_GRAPH_YES ||
	       (copies == COPY_GRAPH_UNKNOWN &&
		!sums_may_lack_kernels(launch->parts, launch->part_count));
}

static void end(struct launch *launch, bool valid)
{
	struct operation *graph;

	if (valid && has_ends(launch) && is_whole(launch) &&
	    sums_add_launch(launch->kernels, launch->device, launch->parts, launch->part_count,
			    &graph)) {
		for (uint32_t i = 0; i < launch->node_count; i++)
			take_node(launch->parts[launch->nodes[i].part].operation, launch->device,
				  launch->nodes[i].nanoseconds);
		if (graph)
			take_graph(graph, launch->device, launch->end - launch->start);
	}
	HASH_DELETE(link, by_correlation, launch);
	DL_DELETE(oldest, launch);
	free(launch->parts);
	free(launch->nodes);
	free(launch);
}

static struct launch *launch_of(const struct activity *activity)
{
	struct launch *launch = NULL;

	HASH_FIND(link, by_correlation, &activity->correlation, sizeof(activity->correlation),
		  launch);
	if (launch)
		return launch;
	if (HASH_CNT(link, by_correlation) == MOST_LAUNCHES)
		end(oldest, true);
	launch = calloc(1, sizeof(*launch));
	if (!launch)
		return NULL;
	launch->correlation = activity->correlation;
	launch->device = activity->device;
	launch->graph = activity->graph;
	launch->stream = (uint64_t)activity->context << 32 | activity->stream;
	launch->start = activity->start;
	HASH_ADD(link, by_correlation, correlation, sizeof(launch->correlation), launch);
	if (!launch->link.tbl) {
		free(launch);
		return NULL;
	}
	DL_APPEND(oldest, launch);
	return launch;
}

/* Makes room for one more; false if memory is out. */
static bool has_room(void **list, size_t size, uint32_t count, uint32_t *room)
{
	uint32_t larger = *room ? 2 * *room : 4;
	void *grown;

	if (count < *room)
		return true;
	grown = grow(*list, count * size, larger * size);
	if (!grown)
		return false;
	*list = grown;
	*room = larger;
	return true;
}

static struct launch_part *part_of(struct launch *launch, struct operation *operation)
{
	uint32_t i = launch->last_part;

	/* The same kernel often comes many times in a row. */
	if (i < launch->part_count && launch->parts[i].operation == operation)
		return &launch->parts[i];
	for (i = 0; i < launch->part_count; i++)
		if (launch->parts[i].operation == operation)
			break;
	if (!has_room((void **)&launch->parts, sizeof(*launch->parts), i, &launch->part_room))
		return NULL;
	if (i == launch->part_count)
		launch->parts[launch->part_count++] = (struct launch_part){.operation = operation};
	launch->last_part = i;
	return &launch->parts[i];
}

void launches_add(struct operation *operation, const struct activity *activity)
{
	uint64_t taken = activity->end - activity->start;
	struct launch *launch = launch_of(activity);
	struct launch_part *part = launch ? part_of(launch, operation) : NULL;

	if (activity->start > newest)
		newest = activity->start;
	if (!part)
		return;
	part->count++;
	part->total += taken;
	if (has_room((void **)&launch->nodes, sizeof(*launch->nodes), launch->node_count,
		     &launch->node_room))
		launch->nodes[launch->node_count++] = (struct node){
			launch->last_part, taken < UINT32_MAX ? (uint32_t)taken : UINT32_MAX};
	if (launch->stream == ((uint64_t)activity->context << 32 | activity->stream))
		launch->busy += taken;
	if (activity->kind == ACTIVITY_KERNEL) {
		seen += launch->kernels == 0;
		launch->kernels += graph_contents_kernel_mark(operation);
	}
	if (activity->start < launch->start)
		launch->start = activity->start;
	if (activity->end > launch->end)
		launch->end = activity->end;
}

void launches_settle(void)
{
	struct launch *launch, *next;

	DL_FOREACH_SAFE(oldest, launch, next)
	if (launch->end + LATER_NS < newest)
		end(launch, true);
}

void launches_end(bool turned_off, uint64_t since, uint64_t until)
{
	struct launch *launch, *next;

	/* First, as they would be taken for the next launches in their streams. */
	DL_FOREACH_SAFE(oldest, launch, next)
	if (turned_off && launch->kernels == 0 && launch->start >= until)
		end(launch, false);
	DL_FOREACH_SAFE(oldest, launch, next)
	end(launch, !turned_off || (next_in_stream(launch) && launch->start >= since));
}

uint64_t launches_begin(void)
{
	launches_end(true, UINT64_MAX, UINT64_MAX);
	return seen;
}
