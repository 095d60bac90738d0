/* SPDX-License-Identifier: MIT */
#include "preload/recording/sums.h"

#include <math.h>

#include "preload/handles/graph_contents.h"
#include "preload/recording/row_totals.h"
#include "preload/recording/versions.h"
#include "preload/recording/window_class.h"
#include "preload/recording/window_estimate.h"

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

bool sums_may_lack_kernels(const struct launch_part *parts, uint32_t part_count)
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
