/* SPDX-License-Identifier: MIT */
#include "preload/recording/sums.h"

#include <math.h>
#include <stdlib.h>
#include <uthash.h>

#include "preload/handles/graph_contents.h"
#include "preload/recording/row_totals.h"
#include "preload/recording/versions.h"
#include "preload/recording/window_estimate.h"

/* An operation's part in the units of a class. */
struct part {
	struct operation *operation;
	struct window_times times;
	double records;	     /* that `times` is of */
	double open, opened; /* nanoseconds and records of the present window */
	struct part *next;
};

/* VERSION: what is in GRAPHS as well, of one version of a graph (versions.h). */
enum unit { ALONE, GRAPHS, VERSION };

struct class_key {
	uint64_t kernels; /* or the operation's address */
	uint32_t device, unit;
};

/* Units that are told apart from others: the launches of the graphs with the same kernels, or of
 * one operation by itself. */
struct class
{
	struct class_key key;
	struct window_units units;
	double open;	 /* units of the present window */
	double recorded; /* units of those before it */
	double all;	 /* units in all, as of count_units() */
	struct part *parts;
	struct class *next_open;
	UT_hash_handle link;
};

static struct class *classes;
static struct class *open_classes; /* those with units in the present window */

static struct class *class_of(uint64_t kernels, uint32_t device, enum unit unit, bool add)
{
	struct class_key key = {kernels, device, unit};
	struct class *class = NULL;

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

static struct part *part_of(struct class *class, struct operation *operation)
{
	struct part **link = &class->parts, *part;

	while (*link && (*link)->operation != operation)
		link = &(*link)->next;
	if (*link)
		return *link;
	part = calloc(1, sizeof(*part));
	if (part)
		part->operation = operation;
	return *link = part;
}

static void add_unit(struct class *class)
{
	if (!(class->open > 0)) {
		class->next_open = open_classes;
		open_classes = class;
	}
	class->open++;
}

static void add_part(struct class *class, struct operation *operation, uint64_t count,
		     uint64_t total)
{
	struct part *part = part_of(class, operation);

	if (!part)
		return;
	part->open += (double)total;
	part->opened += (double)count;
}

void sums_start(struct session *session,
		struct row *(*row_of)(struct operation *operation, int device))
{
	row_totals_start(session, row_of);
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		for (uint32_t device = 0; device < SESSION_DEVICES; device++) {
			const struct row *row = operation->rows[device];
			struct class *class =
				row && row->cupti.count && operation->kind != ROW_GRAPH
					? class_of((uintptr_t)operation, device, ALONE, true)
					: NULL;
			struct part *part = class ? part_of(class, operation) : NULL;

			if (!part)
				continue;
			class->units.certain = class->recorded = (double)row->cupti.count;
			part->times.certain = (double)row->cupti.total;
			part->records = (double)row->cupti.count;
		}
	}
}

void sums_add(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	struct class *class = class_of((uintptr_t)operation, device, ALONE, true);

	if (!class)
		return;
	add_unit(class);
	add_part(class, operation, 1, nanoseconds);
}

/* How many graphs have these kernels; `found` is one of them. */
static unsigned graphs_with(uint64_t kernels, struct operation **found)
{
	unsigned count = 0;

	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		const struct graph_contents *contents = graph_contents_of(operation);

		if (!contents || operation->version_of || graph_contents_key(contents) != kernels)
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
	unsigned count = graphs_with(kernels, &operation);
	struct class *class;

	/* Whether a part is missing cannot be told where nobody knows what there should be. */
	if (count == 0) {
		kernels = GRAPH_CONTENTS_VARIABLE;
		count = graphs_with(kernels, &operation);
	}
	class = count ? class_of(kernels, device, GRAPHS, true) : NULL;
	if (!class)
		return false;
	add_unit(class);
	for (uint32_t i = 0; i < part_count; i++)
		add_part(class, parts[i].operation, parts[i].count, parts[i].total);
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

static bool lacking;

static void look_for_class(const struct graph_contents *contents, uint32_t device,
			   const struct row *row)
{
	(void)row;
	/* Asked for once: of some launches no complete records may ever come. */
	if (contents->recorded > 0 &&
	    !class_of(graph_contents_key(contents), device, GRAPHS, false))
		lacking |= class_of(graph_contents_key(contents), device, GRAPHS, true) != NULL;
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
	struct class *class = class_of(graph_contents_key(contents), device, GRAPHS, false);

	if (class)
		class->all += (double)row->calls;
	for (uint32_t i = 0; i < contents->part_count; i++)
		row_totals_count(contents->parts[i].operation, device,
				 row->calls * contents->parts[i].count,
				 !class || !(class->recorded + class->open > 0));
}

static void count_operations(void)
{
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		for (uint32_t device = 0; device < SESSION_DEVICES; device++) {
			const struct row *row = operation->rows[device];
			struct class *class;

			if (!row || !row->calls || operation->kind == ROW_GRAPH)
				continue;
			class = class_of((uintptr_t)operation, device, ALONE, false);
			if (class)
				class->all = (double)row->calls;
			else
				row_totals_unknown(operation, device, row->calls);
		}
	}
}

/* Brings the number of each class's units up to date. */
static void count_units(void)
{
	struct class *class, *next;

	row_totals_begin();
	HASH_ITER (link, classes, class, next)
		class->all = 0;
	for_each_graph(count_launches);
	count_operations();
}

/* A random window stands for all units since the last one that had any of them. */
static void close_random(struct class *class)
{
	double covers = class->all - class->units.certain - class->units.covered;

	covers = covers > class->open ? covers : class->open;
	window_units_add(&class->units, covers);
	for (struct part *part = class->parts; part; part = part->next)
		window_times_add(&part->times, &class->units, covers, part->open / class->open);
}

static void close_certain(struct class *class)
{
	class->units.certain += class->open;
	for (struct part *part = class->parts; part; part = part->next)
		part->times.certain += part->open;
}

static void close_class(struct class *class, bool random)
{
	if (random)
		close_random(class);
	else
		close_certain(class);
	class->recorded += class->open;
	class->open = 0;
	for (struct part *part = class->parts; part; part = part->next) {
		part->records += part->opened;
		part->open = part->opened = 0;
	}
}

/* What the window has of a graph's launches is of one version, if no other was launched in it. */
static void add_to_version(const struct class *class, bool random)
{
	struct operation *version =
		class->key.unit == GRAPHS ? versions_in_window(class->key.kernels) : NULL;
	struct class *of =
		version ? class_of((uintptr_t)version, class->key.device, VERSION, true) : NULL;

	if (!of)
		return;
	of->open = class->open;
	of->all = (double)version->calls;
	for (struct part *part = class->parts; part; part = part->next)
		add_part(of, part->operation, (uint64_t)part->opened, (uint64_t)part->open);
	close_class(of, random);
}

void sums_close_window(bool random)
{
	if (random && open_classes)
		count_units();
	for (struct class *class = open_classes; class; class = class->next_open) {
		add_to_version(class, random);
		close_class(class, random);
	}
	open_classes = NULL;
	versions_window_taken();
}

/* Whose versions are added up, and of which part of their launches. */
struct versions {
	const struct class *class;
	struct operation *part;
	struct window_strata strata;
};

static void add_version(struct operation *version, void *context)
{
	struct versions *versions = context;
	struct class *of =
		class_of((uintptr_t)version, versions->class->key.device, VERSION, false);
	struct part *part = of ? part_of(of, versions->part) : NULL;

	if (part)
		window_strata_add(&versions->strata, &of->units, &part->times,
				  (double)version->calls);
}

static struct estimated by_version(const struct class *class, const struct part *part,
				   const struct estimated *of_all)
{
	struct versions versions = {.class = class, .part = part->operation};

	versions_for_each(class->key.kernels, add_version, &versions);
	return window_strata_estimate(&versions.strata, &class->units, &part->times, class->all,
				      of_all);
}

/* A kernel of a graph whose contents only the device knows: how often all its launches ran it. */
static void estimate_count(const struct class *class, const struct part *part)
{
	double recorded = class->recorded + class->open;
	double count = recorded > 0 ? (part->records + part->opened) / recorded * class->all : 0;

	row_totals_estimate_count(part->operation, class->key.device, (uint64_t)(count + 0.5));
}

static void add_class(const struct class *class)
{
	for (const struct part *part = class->parts; part; part = part->next) {
		struct window_units units = class->units;
		struct window_times times = part->times;
		struct estimated estimated;

		/* The present window: what it stands for is settled when it ends. */
		units.certain += class->open;
		times.certain += part->open;
		estimated = window_estimate(&units, &times, class->all);
		if (class->key.unit == GRAPHS)
			estimated = by_version(class, part, &estimated);
		row_totals_add(part->operation, class->key.device, &estimated,
			       class->all > units.certain);
		if (class->key.unit == GRAPHS && class->key.kernels == GRAPH_CONTENTS_VARIABLE)
			estimate_count(class, part);
	}
}

void sums_update_rows(void)
{
	struct class *class, *next;

	count_units();
	HASH_ITER (link, classes, class, next)
		if (class->key.unit != VERSION)
			add_class(class);
	row_totals_end();
}
