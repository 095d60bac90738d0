/* SPDX-License-Identifier: MIT */
#include "preload/recording/sums.h"

#include <math.h>
#include <stdlib.h>
#include <utlist.h>

#include "preload/base/run.h"
#include "preload/handles/graph.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"
#include "preload/recording/rows.h"
#include "report/session/entries.h"
#include "report/session/memory.h"

/* What the units of a class are: launches of one operation by itself, launches of all graphs with
 * the same kernels, or launches of one version of a graph (sums.h), which are in UNIT_GRAPHS too.
 */
enum window_unit { UNIT_ALONE, UNIT_GRAPHS, UNIT_VERSION };

/* An operation's part in the units of a class. */
struct window_part {
	struct operation *operation;
	struct window_times times;
	double records;	     /* that `times` is of */
	double open, opened; /* nanoseconds and records of the present window */
	struct window_part *next;
};

/* An operation's part, in the nodes that were made in one NVTX range. */
struct ranged_part {
	struct entry entry; /* by the operation's address, and these */
	uint32_t thread;    /* 0: of a start/end range */
	uint16_t path;
	struct window_part part;
	uint64_t minimum, maximum; /* nanoseconds, of a record */
	uint64_t unknown;	   /* nodes, if nothing of the graph's is recorded */
	double inside; /* of a start/end range: launches of the graph that were made in it */
	struct range_told told;
};

/* A class of units: launches that records can tell from others, whose windows are summed up
 * separately. */
struct window_class {
	struct entry entry; /* by KERNELS, or the operation's address; DEVICE; UNIT */
	struct window_units units;
	double open;	 /* units of the present window */
	double recorded; /* units of those before it */
	double all;	 /* units in all, when they were last counted */
	bool asked;	 /* sums_lack_a_graph() has named it, or it had records */
	struct window_part *parts;
	double ranged;		 /* share of its nodes' time that lies in NVTX ranges */
	uint64_t unknown;	 /* nodes, if nothing is recorded */
	struct entry *in_ranges; /* struct ranged_part: the parts of nodes by range */
	/* Of UNIT_GRAPHS: whether some of its graphs is a version of another, and the classes of
	 * all of them, linked by `next_version`. */
	bool several;
	struct window_class *versions, *next_version;
	struct window_class *next_open;
};
enum { KERNELS, DEVICE, UNIT };

static struct {
	struct entry *classes, *totals;
	struct window_class *open;     /* the classes with units in the present window */
	bool fresh;		       /* of something there are the first records */
	bool lacking;		       /* a graph was launched, and nothing of it is recorded */
	struct window_class *launched; /* of the launch that was added last */
} sums;

#define for_each_in_ranges(class, ranged)                                                          \
	for (struct ranged_part * (ranged) = (struct ranged_part *)(class)->in_ranges; ranged;     \
	     (ranged) = (struct ranged_part *)(ranged)->entry.hh.next)

/* Finds a class; NULL if there is none, and `add` is false or memory is out. Classes are never
 * freed. */
static struct window_class *class_of(uint64_t kernels, uint32_t device, enum window_unit unit,
				     bool add)
{
	const uint64_t key[ENTRY_NUMBERS] = {[KERNELS] = kernels, [DEVICE] = device, [UNIT] = unit};

	return entry_of(&sums.classes, key, add ? sizeof(struct window_class) : 0);
}

static struct window_class *class_alone(const struct operation *operation, uint32_t device)
{
	return class_of((uintptr_t)operation, device, UNIT_ALONE, true);
}

static struct window_class *next_class(const struct window_class *class)
{
	return (struct window_class *)(class ? class->entry.hh.next : sums.classes);
}

/* An operation's part in a class, added if there is none yet; NULL if memory is out. */
static struct window_part *part_in(struct window_class *class, struct operation *operation)
{
	struct window_part **link = &class->parts;

	while (*link && (*link)->operation != operation)
		link = &(*link)->next;
	if (!*link && (*link = calloc(1, sizeof(**link))))
		(*link)->operation = operation;
	return *link;
}

/* Adds `count` records of an operation to the present window; nanoseconds. */
static void add_records(struct window_class *class, struct operation *operation, uint64_t count,
			uint64_t total)
{
	struct window_part *part = part_in(class, operation);

	if (!part)
		return;
	part->open += (double)total;
	part->opened += (double)count;
}

/* Whether any unit of a class is recorded; false for NULL. */
static bool is_recorded(const struct window_class *class)
{
	return class && class->recorded + class->open > 0;
}

static void add_unit(struct window_class *class)
{
	sums.fresh |= !is_recorded(class);
	if (!(class->open > 0)) {
		class->next_open = sums.open;
		sums.open = class;
	}
	class->open++;
}

/* A random window stands for all units since the last one that had any of them, and for as many of
 * those before the recording began: the first window alone would stand for most of the run. */
static void close_random(struct window_class *class)
{
	struct window_units *units = &class->units;
	double covers = class->all - units->certain - units->covered - units->before, before;

	RAISE(covers, class->open);
	before = units->before < covers ? units->before : covers;
	units->before -= before;
	covers += before;
	window_units_add(units, covers);
	for (struct window_part *part = class->parts; part; part = part->next)
		window_times_add(&part->times, units, covers, part->open / class->open);
	for_each_in_ranges (class, ranged)
		window_times_add(&ranged->part.times, units, covers,
				 ranged->part.open / class->open);
}

static void close_part(struct window_part *part, bool random)
{
	part->times.certain += random ? 0 : part->open;
	part->records += part->opened;
	part->open = part->opened = 0;
}

/* Ends the present window for a class that has at least one unit in it. */
static void close_class(struct window_class *class, bool random)
{
	if (random)
		close_random(class);
	else
		class->units.certain += class->open;
	for (struct window_part *part = class->parts; part; part = part->next)
		close_part(part, random);
	for_each_in_ranges (class, ranged)
		close_part(&ranged->part, random);
	class->recorded += class->open;
	class->open = 0;
}

static enum { UNKNOWN, OPEN, KNOWN } window;

void versions_window_opens(void)
{
	operations_for_each (operation)
		operation->calls_before = operation->calls;
	window = OPEN;
}

void versions_window_was_closed(void)
{
	if (window != OPEN)
		return;
	operations_for_each (operation)
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

static void add_recorded(struct operation *operation, uint32_t device, const struct row *row)
{
	struct window_class *class = class_alone(operation, device);
	struct window_part *part = class ? part_in(class, operation) : NULL;

	if (!part)
		return;
	class->units.certain = class->recorded = (double)row->cupti.count;
	part->times.certain = (double)row->cupti.total;
	part->records = (double)row->cupti.count;
}

void sums_start(void)
{
	operations_for_each (operation)
		for (uint32_t device = 0; device < SESSION_DEVICES; device++)
			if (operation->kind != ROW_GRAPH && operation->rows[device] &&
			    operation->rows[device]->cupti.count)
				add_recorded(operation, device, operation->rows[device]);
}

void sums_add(struct operation *operation, uint32_t device, uint64_t nanoseconds)
{
	struct window_class *class = class_alone(operation, device);

	if (!class)
		return;
	add_unit(class);
	add_records(class, operation, 1, nanoseconds);
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

/* Whether there is a graph with kernels whose other nodes are just these parts: then they may be of
 * a launch of that graph whose kernels were not recorded. */
static bool sums_may_lack_kernels(const struct launch_part *parts, uint32_t part_count)
{
	operations_for_each (operation) {
		const struct graph_contents *contents = graph_contents_of(operation);

		if (contents && contents->kernels && consists_of(contents, parts, part_count))
			return true;
	}
	return false;
}

/*
 * How many graphs have these kernels; `found` is one of them. If there are no kernels, a graph
 * counts only if it has exactly these parts: copies are recorded all the time, so the records may
 * be of a graph whose kernels were not recorded.
 */
static unsigned graphs_with(uint64_t kernels, const struct launch_part *parts, uint32_t part_count,
			    struct operation **found)
{
	unsigned count = 0;

	operations_for_each (operation) {
		const struct graph_contents *contents = graph_contents_of(operation);

		if (!contents || operation->version_of || graph_contents_key(contents) != kernels ||
		    (!kernels && !consists_of(contents, parts, part_count)))
			continue;
		*found = operation;
		count++;
	}
	return count;
}

/* Where a record's graph is not known, so that nothing tells its ranges: a graph with these
 * kernels, whatever ranges it has. */
static unsigned graphs_without_mark(uint64_t *kernels, struct operation **found)
{
	operations_for_each (operation) {
		const struct graph_contents *contents = graph_contents_of(operation);

		if (!contents || operation->version_of || !contents->mark || !contents->kernels ||
		    contents->kernels - contents->mark != *kernels)
			continue;
		*found = operation;
		*kernels = contents->kernels;
		return 1;
	}
	return 0;
}

bool sums_add_launch(uint64_t kernels, uint32_t device, const struct launch_part *parts,
		     uint32_t part_count, struct operation **graph)
{
	struct operation *operation = NULL;
	unsigned count = graphs_with(kernels, parts, part_count, &operation);
	struct window_class *class;

	/* Whether a part is missing cannot be told where nobody knows what there should be. */
	if (count == 0 && kernels) {
		count = graphs_with(GRAPH_CONTENTS_VARIABLE, parts, part_count, &operation);
		kernels = count ? GRAPH_CONTENTS_VARIABLE : kernels;
	}
	if (count == 0)
		count = graphs_without_mark(&kernels, &operation);
	class = count ? class_of(kernels, device, UNIT_GRAPHS, true) : NULL;
	sums.launched = class;
	if (!class)
		return false;
	add_unit(class);
	for (uint32_t i = 0; i < part_count; i++)
		add_records(class, parts[i].operation, parts[i].count, parts[i].total);
	*graph = count == 1 ? operation : NULL;
	return true;
}

/* The part of an operation in a range; NULL if memory is out. */
static struct ranged_part *ranged_in(struct window_class *class, struct operation *operation,
				     uint32_t thread, uint16_t path)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)operation, thread, path};
	struct ranged_part *ranged = entry_of(&class->in_ranges, key, sizeof(*ranged));

	if (!ranged)
		return NULL;
	ranged->part.operation = operation;
	ranged->thread = thread;
	ranged->path = path;
	return ranged;
}

static bool is_started(const struct ranged_part *ranged)
{
	return paths_of(ranged->path).style == RANGE_START_END;
}

/* Gives a number to an operation's parts in the ranges of a place. */
static void in_each_range(struct window_class *class, struct operation *operation,
			  struct node_place place,
			  void (*take)(struct ranged_part *ranged, uint64_t number),
			  uint64_t number)
{
	struct ranged_part *ranged;

	if (place.path != PATHS_OUTSIDE &&
	    (ranged = ranged_in(class, operation, place.thread, place.path)))
		take(ranged, number);
	for (uint32_t bits = place.started; bits; bits &= bits - 1)
		if ((ranged = ranged_in(class, operation, 0,
					started_path((unsigned)__builtin_ctz(bits)))))
			take(ranged, number);
}

static void take_record(struct ranged_part *ranged, uint64_t nanoseconds)
{
	if (!ranged->maximum || nanoseconds < ranged->minimum)
		ranged->minimum = nanoseconds;
	RAISE(ranged->maximum, nanoseconds);
	ranged->part.open += (double)nanoseconds;
	ranged->part.opened++;
}

void sums_add_in_range(struct operation *operation, struct node_place place, uint64_t nanoseconds)
{
	if (sums.launched)
		in_each_range(sums.launched, operation, place, take_record, nanoseconds);
}

/* What was called on a device: a graph, without its versions, or an operation by itself. */
struct called {
	struct operation *operation;
	const struct graph_contents *contents; /* NULL: no graph */
	uint32_t device;
	uint64_t calls;
	struct window_class *class;
};

/* Calls `use` for all that was called, with the class of its units: NULL if there is none, and
 * `add` is false or memory is out. */
static void for_each_called(bool add, void (*use)(const struct called *called))
{
	operations_for_each (operation) {
		struct called called = {.operation = operation,
					.contents = graph_contents_of(operation)};
		const struct graph_contents *contents = called.contents;

		if (operation->version_of || (operation->kind == ROW_GRAPH && !contents))
			continue;
		for (called.device = 0; called.device < SESSION_DEVICES; called.device++) {
			const struct row *row = operation->rows[called.device];

			if (!row || !row->calls)
				continue;
			called.calls = row->calls;
			called.class = class_of(
				contents ? graph_contents_key(contents) : (uintptr_t)operation,
				called.device, contents ? UNIT_GRAPHS : UNIT_ALONE, add);
			use(&called);
		}
	}
}

static void note_before(const struct called *called)
{
	if (called->class)
		called->class->units.before += (double)called->calls;
}

void sums_begin_late(void)
{
	for_each_called(true, note_before);
}

bool sums_are_fresh(void)
{
	bool are = sums.fresh;

	sums.fresh = false;
	return are;
}

static void look_for_records(const struct called *called)
{
	struct window_class *class = called->class;

	if (!class || !called->contents || !called->contents->recorded)
		return;
	/* Asked for once: of some launches no complete records may ever come. */
	sums.lacking |= !class->asked && !is_recorded(class);
	class->asked = true;
}

bool sums_lack_a_graph(void)
{
	sums.lacking = false;
	for_each_called(true, look_for_records);
	return sums.lacking;
}

/* A row's operations that were partly recorded in windows: the sum over the graphs that have them
 * as nodes, and over those launched by themselves. */
struct total {
	struct entry entry; /* by the operation's address, and the device */
	struct operation *operation;
	uint64_t nodes, estimated_nodes;
	uint64_t unknown; /* operations of whose time nothing is known */
	double time, error;
	bool sampled;
	bool used; /* else it has nothing but `unknown`, and says nothing */
};

static struct total *next_total(const struct total *total)
{
	return (struct total *)(total ? total->entry.hh.next : sums.totals);
}

/* The total of an operation on a device; NULL if memory is out. */
static struct total *total_of(struct operation *operation, uint32_t device)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)operation, device};
	struct total *total = entry_of(&sums.totals, key, sizeof(*total));

	if (total)
		total->operation = operation;
	return total;
}

static void take_unknown(struct ranged_part *ranged, uint64_t nodes)
{
	ranged->unknown += nodes;
}

/* Counts the nodes of a graph of which nothing is recorded in the ranges that they were made in. */
static void count_unknown(const struct called *called)
{
	const struct graph_contents *contents = called->contents;
	struct window_class *class =
		contents && contents->ranged_count
			? class_of(graph_contents_key(contents), called->device, UNIT_GRAPHS, true)
			: NULL;

	if (!class)
		return;
	/* It is new. */
	if (!called->class)
		class->all += (double)called->calls;
	class->unknown += called->calls * contents->recorded;
	for (uint32_t i = 0; i < contents->ranged_count; i++) {
		const struct graph_part *part = &contents->ranged[i];

		in_each_range(class, part->operation, part->place, take_unknown,
			      called->calls * part->count);
	}
}

static void count_called(const struct called *called)
{
	const struct graph_contents *contents = called->contents;
	bool unknown = !is_recorded(called->class);
	struct total *total;

	if (called->class)
		called->class->all += (double)called->calls;
	for (uint32_t i = 0; contents && i < contents->part_count; i++) {
		uint64_t nodes = called->calls * contents->parts[i].count;

		total = total_of(contents->parts[i].operation, called->device);
		if (!total)
			continue;
		total->nodes += nodes;
		total->unknown += unknown ? nodes : 0;
		total->used = true;
	}
	if (unknown)
		count_unknown(called);
	total = !contents && unknown ? total_of(called->operation, called->device) : NULL;
	if (total)
		total->unknown += called->calls;
}

/* Brings the number of each class's units up to date, and counts the nodes. */
static void count_units(void)
{
	for (struct total *total = next_total(NULL); total; total = next_total(total)) {
		total->nodes = total->estimated_nodes = total->unknown = 0;
		total->time = total->error = 0;
		total->sampled = false;
	}
	for (struct window_class *class = next_class(NULL); class; class = next_class(class)) {
		class->all = class->unknown = 0;
		for_each_in_ranges (class, ranged)
			ranged->unknown = 0;
	}
	for_each_called(false, count_called);
}

/* Adds the window's launches of a graph to one version of it, if no other version was launched in
 * the window. */
static void add_to_version(const struct window_class *class, bool random)
{
	struct operation *version = class->entry.key[UNIT] == UNIT_GRAPHS
					    ? versions_in_window(class->entry.key[KERNELS])
					    : NULL;
	struct window_class *of =
		version ? class_of((uintptr_t)version, (uint32_t) class->entry.key[DEVICE],
				   UNIT_VERSION, true)
			: NULL;

	if (!of)
		return;
	of->open = class->open;
	of->all = (double)version->calls;
	for (struct window_part *part = class->parts; part; part = part->next)
		add_records(of, part->operation, (uint64_t)part->opened, (uint64_t)part->open);
	close_class(of, random);
}

void sums_close_window(bool random)
{
	if (random && sums.open)
		count_units();
	for (struct window_class *class = sums.open; class; class = class->next_open) {
		add_to_version(class, random);
		close_class(class, random);
	}
	sums.open = NULL;
	versions_window_taken();
}

/* The class of all graphs with the kernels of one version; NULL if there is none. */
static struct window_class *class_of_version(const struct operation *version, uint32_t device)
{
	const struct graph_contents *contents = graph_contents_of(version);

	return contents ? class_of(graph_contents_key(contents), device, UNIT_GRAPHS, false) : NULL;
}

/* The graph that a class of UNIT_VERSION is of. */
static const struct operation *version_of_class(const struct window_class *class)
{
	return (const struct operation *)(uintptr_t) class->entry.key[KERNELS];
}

/* Brings together what is of versions of the same graph. */
static void link_versions(void)
{
	struct window_class *of;

	for (struct window_class *class = next_class(NULL); class; class = next_class(class)) {
		class->versions = NULL;
		class->several = false;
	}
	operations_for_each (operation)
		for (uint32_t device = 0; operation->version_of && device < SESSION_DEVICES;
		     device++)
			if ((of = class_of_version(operation, device)))
				of->several = true;
	for (struct window_class *class = next_class(NULL); class; class = next_class(class)) {
		of = class->entry.key[UNIT] == UNIT_VERSION
			     ? class_of_version(version_of_class(class),
						(uint32_t) class->entry.key[DEVICE])
			     : NULL;
		if (!of)
			continue;
		class->next_version = of->versions;
		of->versions = class;
	}
}

/* The estimated time of one kernel in the launches of a graph: added up over the graph's versions
 * (the same graph with updated nodes) if there are several, else `of_all`. */
static struct estimated by_version(const struct window_class *class, const struct window_part *part,
				   const struct estimated *of_all)
{
	struct window_strata strata = {.units = 0};

	for (struct window_class *of = class->several ? class->versions : NULL; of;
	     of = of->next_version) {
		struct window_part *its = part_in(of, part->operation);

		if (its)
			window_strata_add(&strata, &of->units, &its->times,
					  (double)version_of_class(of)->calls);
	}
	return window_strata_estimate(&strata, &class->units, &part->times, class->all, of_all);
}

/* How often all launches of a graph ran a kernel, estimated from the recorded launches: conditional
 * nodes make that known to the device alone. */
static uint64_t estimate_count(const struct window_class *class, const struct window_part *part)
{
	double recorded = class->recorded + class->open;
	double count = recorded > 0 ? (part->records + part->opened) / recorded * class->all : 0;

	return (uint64_t)(count + 0.5);
}

static void add_class(const struct window_class *class)
{
	bool graphs = class->entry.key[UNIT] == UNIT_GRAPHS;

	for (const struct window_part *part = class->parts; part; part = part->next) {
		struct window_units units = class->units;
		struct window_times times = part->times;
		struct estimated time;
		struct total *total =
			total_of(part->operation, (uint32_t) class->entry.key[DEVICE]);

		if (!total)
			continue;
		/* Units of the window that is still open count as themselves: how many others they
		 * stand for is decided when it closes. */
		units.certain += class->open;
		times.certain += part->open;
		time = window_estimate(&units, &times, class->all);
		if (graphs)
			time = by_version(class, part, &time);
		total->time += time.total;
		/* NAN means that the error is not known; a sum with it is NAN too. */
		total->error = sqrt(total->error * total->error + time.error * time.error);
		total->sampled |= class->all > units.certain;
		total->used = true;
		if (graphs && class->entry.key[KERNELS] == GRAPH_CONTENTS_VARIABLE)
			total->estimated_nodes += estimate_count(class, part);
	}
}

/* Counts how many launches of a graph were made in the start/end ranges that have nodes of it: they
 * count in these as wholes. */
static void count_inside(const struct called *called)
{
	if (!called->contents || !called->class)
		return;
	for_each_in_ranges (called->class, ranged) {
		if (is_started(ranged))
			ranged->inside += ranges_calls_in(ranged->path,
							  called->operation->rows[called->device]);
	}
}

/* Tells the ranges of a class's nodes what these did. Returns what share of the nodes' time lies in
 * push/pop ranges, which the ranges of the launches lack; of their number, if nothing is recorded.
 */
static double tell_ranges(const struct window_class *class)
{
	const int device = (int)class->entry.key[DEVICE];
	struct window_units units = class->units;
	double all = (double)class->unknown, in_ranges = 0;

	units.certain += class->open;
	for (const struct window_part *part = class->parts; part; part = part->next)
		all += part->times.certain + part->times.total + part->open;
	for_each_in_ranges (class, ranged) {
		const struct window_part *part = &ranged->part;
		struct window_times times = part->times;
		const double rest = class->all - ranged->inside;
		const double share = ranged->inside <= 0 ? 1 : rest > 0 ? rest / class->all : 0;
		struct range_place place = ranges_in_path(ranged->thread, ranged->path);
		struct row *row = rows_of(part->operation, device);
		struct estimated time;
		struct range_told now;

		if (!is_started(ranged))
			in_ranges +=
				(double)ranged->unknown + times.certain + times.total + part->open;
		times.certain += part->open;
		time = window_estimate(&units, &times, class->all);
		now = (struct range_told){
			.calls = floor((double)estimate_count(class, part) * share + 0.5),
			.untimed = floor((double)ranged->unknown * share + 0.5),
			.total = (uint64_t)(time.total * share + 0.5),
			.variance = isnan(time.error) ? 0 : pow(time.error * share, 2),
			.minimum = ranged->minimum,
			.maximum = ranged->maximum,
		};
		if (row && place.range && (share > 0 || ranged->told.calls > 0))
			ranges_tell(&place, row, &ranged->told, &now,
				    is_recorded(class) && class->all > units.certain);
	}
	return all > 0 && in_ranges < all ? in_ranges / all : in_ranges > 0;
}

static void set_ranged(const struct called *called)
{
	if (called->contents && called->class && called->class->in_ranges)
		called->operation->rows[called->device]->ranged = called->class->ranged;
}

/* Writes an operation's total into its row. Calls whose time is not known (`unknown`) are taken to
 * last as long as the others on average. */
static void write_total(struct total *total, struct row *row)
{
	uint64_t calls;

	if (total->estimated_nodes > total->nodes) {
		row->node_calls_estimated = total->estimated_nodes - total->nodes;
		total->nodes = total->estimated_nodes;
	}
	calls = row->calls + total->nodes;
	if (total->unknown) {
		uint64_t known = calls > total->unknown ? calls - total->unknown : 0;

		total->sampled = true;
		total->error = NAN;
		total->time = known ? total->time * (double)calls / (double)known : 0;
	}
	row->node_calls = total->nodes;
	row_set_windows(row, total->sampled ? total->time : 0, total->error);
}

void sums_update_rows(void)
{
	uint64_t nodes = 0;

	count_units();
	link_versions();
	for_each_called(false, count_inside);
	for (struct window_class *class = next_class(NULL); class; class = next_class(class)) {
		if (class->entry.key[UNIT] != UNIT_VERSION)
			add_class(class);
		if (class->in_ranges)
			class->ranged = tell_ranges(class);
	}
	for_each_called(false, set_ranged);
	for (struct total *total = next_total(NULL); total; total = next_total(total)) {
		struct row *row =
			total->used ? rows_of(total->operation, (int)total->entry.key[1]) : NULL;

		if (!row)
			continue;
		write_total(total, row);
		nodes += total->nodes;
	}
	run.header->counters[COUNTER_graph_node_calls] = nodes;
}

/* A launch is complete once work has begun that started this many nanoseconds after its last node,
 * or this many later launches are in flight. Chosen. */
#define LATER_NS      1000000000u
#define MOST_LAUNCHES 4096u

struct node {
	uint32_t part;
	uint32_t nanoseconds; /* at most UINT32_MAX */
	struct node_place place;
};

struct launch {
	struct entry entry; /* by correlation id */
	uint32_t device;
	uint32_t graph;	 /* CUPTI's number of the executable graph */
	uint64_t stream; /* context id, stream id: of its first record */
	uint64_t start, end;
	uint64_t busy;	  /* sum of the nodes' times in that stream, ns */
	uint64_t kernels; /* see graph.h */
	uint32_t part_count, part_room, last_part;
	struct launch_part *parts;
	uint32_t node_count, node_room;
	struct node *nodes;
	struct launch *prev, *next;
};

static struct {
	struct entry *by_correlation;
	struct launch *oldest; /* by their first record's arrival */
	uint64_t seen;	       /* how many had a kernel */
	uint64_t newest;       /* latest start of a node */
} launches;

uint64_t launches_seen(void)
{
	return launches.seen;
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
		for (uint32_t i = 0; i < launch->node_count; i++) {
			const struct node *node = &launch->nodes[i];
			struct operation *operation = launch->parts[node->part].operation;

			recording_node(operation, launch->device, node->nanoseconds);
			if (node_place_is_somewhere(node->place))
				sums_add_in_range(operation, node->place, node->nanoseconds);
		}
		if (graph)
			recording_graph(graph, launch->device, launch->end - launch->start);
	}
	HASH_DEL(launches.by_correlation, &launch->entry);
	DL_DELETE(launches.oldest, launch);
	free(launch->parts);
	free(launch->nodes);
	free(launch);
}

static struct launch *launch_of(const struct activity *activity)
{
	const uint64_t key[ENTRY_NUMBERS] = {activity->correlation};
	struct launch *launch = entry_of(&launches.by_correlation, key, 0);

	if (launch)
		return launch;
	if (HASH_COUNT(launches.by_correlation) == MOST_LAUNCHES)
		end(launches.oldest, true);
	launch = entry_of(&launches.by_correlation, key, sizeof(*launch));
	if (!launch)
		return NULL;
	launch->device = activity->device;
	launch->graph = activity->graph;
	launch->stream = (uint64_t)activity->context << 32 | activity->stream;
	launch->start = activity->start;
	DL_APPEND(launches.oldest, launch);
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
	uint32_t i = launch->last_part, seen = 0;

	/* The same kernel often comes many times in a row, or the same ones again and again. */
	for (; seen < launch->part_count; seen++, i++) {
		i = i < launch->part_count ? i : 0;
		if (launch->parts[i].operation == operation)
			break;
	}
	if (seen == launch->part_count) {
		if (!has_room((void **)&launch->parts, sizeof(*launch->parts), seen,
			      &launch->part_room))
			return NULL;
		i = launch->part_count++;
		launch->parts[i] = (struct launch_part){.operation = operation};
	}
	launch->last_part = i;
	return &launch->parts[i];
}

void launches_add(struct operation *operation, const struct activity *activity)
{
	uint64_t taken = activity->end - activity->start;
	struct launch *launch = launch_of(activity);
	struct launch_part *part = launch ? part_of(launch, operation) : NULL;

	RAISE(launches.newest, activity->start);
	if (!part)
		return;
	part->count++;
	part->total += taken;
	if (has_room((void **)&launch->nodes, sizeof(*launch->nodes), launch->node_count,
		     &launch->node_room))
		launch->nodes[launch->node_count++] = (struct node){
			launch->last_part, taken < UINT32_MAX ? (uint32_t)taken : UINT32_MAX,
			graph_node_place(activity, 0)};
	if (launch->stream == ((uint64_t)activity->context << 32 | activity->stream))
		launch->busy += taken;
	if (activity->kind == ACTIVITY_KERNEL) {
		launches.seen += launch->kernels == 0;
		if (launch->kernels == 0)
			launch->kernels = graph_mark(activity);
		launch->kernels += graph_contents_kernel_mark(operation);
	}
	LOWER(launch->start, activity->start);
	RAISE(launch->end, activity->end);
}

void launches_settle(void)
{
	struct launch *launch, *next;

	DL_FOREACH_SAFE (launches.oldest, launch, next)
		if (launch->end + LATER_NS < launches.newest)
			end(launch, true);
}

void launches_end(bool turned_off, uint64_t since, uint64_t until)
{
	struct launch *launch, *next;

	/* First, as they would be taken for the next launches in their streams. */
	DL_FOREACH_SAFE (launches.oldest, launch, next)
		if (turned_off && launch->kernels == 0 && launch->start >= until)
			end(launch, false);
	DL_FOREACH_SAFE (launches.oldest, launch, next)
		end(launch, !turned_off || (next_in_stream(launch) && launch->start >= since));
}

uint64_t launches_begin(void)
{
	launches_end(true, UINT64_MAX, UINT64_MAX);
	return launches.seen;
}
