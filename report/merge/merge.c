/* SPDX-License-Identifier: MIT */
#include "report/merge/merge.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/merge/job.h"
#include "report/print/table.h"
#include "report/ranges/range_tree.h"
#include "report/session/entries.h"
#include "report/session/estimate.h"
#include "report/session/items.h"
#include "report/session/layout.h"
#include "report/session/session_internal.h"

struct merge {
	struct session *session; /* that is written */
	struct entry *starts;	 /* processes: owner, start, number */
	struct entry *clocks;	 /* of nodes */
	/* Its items: rows by name, device, kind and the clock that the report shows; those of the
	 * job by name and kind; metrics by row and name; ranges by parent, name, domain and style;
	 * their parts by range and row; memory by kind and device. */
	struct entry *items[SEGMENT_KINDS];
	/* Of the profile that is being added. */
	struct entry *moved; /* its processes and rows of the job: their offsets there */
	struct spread_entry *touched;
	struct process_rank job; /* of the first profile that has a rank */
	bool whole_trace;
	bool more_ranges; /* than fit: it was said */
};

/* Where something of the profile that is being added is in the merged one. */
struct moved_entry {
	struct entry entry;
	uint64_t to;
	int64_t shift; /* ns, of a process's records */
};
struct sum_entry {
	struct entry entry; /* of a row */
	bool estimated;
	double total, error;	     /* then: as in struct estimated */
	struct spread_entry *spread; /* of its name; NULL: not looked for yet */
};

struct spread_entry {
	struct entry entry; /* of a struct job_row */
	bool is_collective;
	/* Of the process that is being added. */
	bool is_touched;
	struct spread_entry *next_touched;
	uint64_t calls;
	double total, error;
};

/* A text of another profile in this one; 0 if it is empty, or memory is out. */
static uint64_t merge_string(struct merge *merge, const struct session *from, uint64_t offset)
{
	const char *text = session_string(from, offset);

	return *text ? session_intern(merge->session, text) : 0;
}

/* Adds a histogram of another profile to the one at *to, made where there is none. */
static void merge_histogram(struct merge *merge, uint64_t *to, const struct session *from,
			    uint64_t offset)
{
	const struct histogram *added = session_histogram(from, offset);
	struct histogram *sum = added ? session_make_histogram(merge->session, to) : NULL;

	if (sum)
		histogram_merge(sum, added);
}

static void add_figures(struct merge *merge, struct figures *to, const struct session *source,
			const struct figures *from)
{
	merge_histogram(merge, &to->histogram, source, from->histogram);
	figures_merge(figures_of(SCOPE_CLOCK), to, from);
	session_add_sized_call(to, &from->slowest);
	session_add_sized_call(to, &from->fastest);
}

static void add_counts(struct merge *merge, struct row *to, const struct session *source,
		       const struct row *from, enum clock_source clock)
{
	struct row part = *from;

	/* Both together are row_calls(). */
	part.calls = row_calls(from) - from->node_calls;
	if (clock != CLOCK_EVENTS)
		part.gated = part.may_wait = part.beside = part.queued = 0;
	figures_merge(figures_of(SCOPE_ROW), to, &part);
	for (unsigned i = 0; i < ROW_SHAPES; i++)
		session_add_shape(to, &from->shapes[i]);
	merge_histogram(merge, &to->difference_histogram, source, from->difference_histogram);
	if (!to->kernels_listed)
		to->kernels_listed = merge_string(merge, source, from->kernels_listed);
}

/* The entry of an item of the merged profile, which is added if there is none; NULL if memory is
 * out. */
static void *find(struct merge *merge, enum segment_kind kind, const uint64_t key[ENTRY_NUMBERS],
		  size_t size, const void *empty)
{
	struct entry *entry = entry_of(&merge->items[kind], key, size);

	if (entry && !entry->item)
		entry->item = session_add_item(merge->session, kind, empty);
	return entry && entry->item ? entry : NULL;
}

/* The sum that another profile's row belongs to. */
static struct sum_entry *find_sum(struct merge *merge, const struct session *source,
				  const struct row *from, enum clock_source clock)
{
	const struct row empty = {
		.kind = from->kind,
		.name = session_intern(merge->session, session_string(source, from->name)),
		.device = from->device};
	const uint64_t key[ENTRY_NUMBERS] = {empty.name, (uint64_t)from->device, from->kind, clock};

	return empty.name ? find(merge, SEGMENT_ROWS, key, sizeof(struct sum_entry), &empty) : NULL;
}

/* The spread of a name (offset in the merged session). */
static struct spread_entry *find_spread(struct merge *merge, enum row_kind kind, uint64_t name)
{
	const struct job_row empty = {.kind = kind, .name = name};
	const uint64_t key[ENTRY_NUMBERS] = {name, kind};
	struct spread_entry *spread =
		name ? find(merge, SEGMENT_JOB_ROWS, key, sizeof(*spread), &empty) : NULL;

	if (spread)
		spread->is_collective =
			row_is_collective(kind, session_string(merge->session, name));
	return spread;
}

/*
 * A sum of estimates is none that strata or windows would give: it stands in the fields for
 * windows, and row_estimate() takes it from there if the row is a sum.
 */
static struct sum_entry *add_sum(struct merge *merge, const struct session *source,
				 const struct timed_row *timed)
{
	struct sum_entry *entry = find_sum(merge, source, timed->row, timed->clock);
	struct figures *to;
	struct row *row;

	if (!entry)
		return NULL;
	row = entry->entry.item;
	row->summed = 1;
	add_counts(merge, row, source, timed->row, timed->clock);
	if (timed->clock == CLOCK_NONE)
		return entry;
	to = timed->clock == CLOCK_EVENTS ? &row->events : &row->cupti;
	if (timed->estimated && !entry->estimated)
		entry->total = (double)to->total;
	entry->estimated |= timed->estimated;
	if (entry->estimated) {
		entry->total += timed->total;
		entry->error = sqrt(entry->error * entry->error + timed->error * timed->error);
		row_set_windows(row, entry->total, entry->error);
	}
	add_figures(merge, to, source, timed->figures);
	return entry;
}

/* The row that another profile's row, which was added, is summed in; NULL if memory is out. */
static struct row *find_row(struct merge *merge, const struct session *source,
			    const struct row *from)
{
	enum clock_source clock;
	struct sum_entry *entry;

	row_figures(source, from, &clock);
	entry = find_sum(merge, source, from, clock);
	return entry ? entry->entry.item : NULL;
}

/* The process that is being added has something of a name. */
static void add_time(struct merge *merge, struct spread_entry *entry, uint64_t calls, double total,
		     double error)
{
	if (!entry->is_touched) {
		entry->is_touched = true;
		entry->calls = 0;
		entry->total = entry->error = 0;
		entry->next_touched = merge->touched;
		merge->touched = entry;
	}
	entry->calls += calls;
	entry->total += total;
	entry->error = sqrt(entry->error * entry->error + error * error);
}

static int add_to_spread(struct merge *merge, const struct session *source,
			 const struct timed_row *timed, struct sum_entry *sum,
			 struct job_process *process)
{
	const struct row *from = timed->row;
	struct spread_entry *entry = sum->spread;

	if (!entry)
		entry = sum->spread = find_spread(merge, from->kind, sum->entry.key[0]);
	if (!entry)
		return -ENOMEM;
	add_time(merge, entry, row_calls(from), timed->total, timed->error);
	/* A graph's nodes have rows of their own. */
	if (table_section_of(source, from) == TABLE_GPU) {
		process->gpu += to_unsigned(timed->total);
		process->operations += row_calls(from);
		process->timed |= timed->total > 0;
	}
	return 0;
}

/* Of two processes with the same time the lower rank, whatever the order of the files. */
static bool is_slower(const struct session *session, const struct job_row *row, uint64_t time,
		      uint64_t process)
{
	const struct job_process *slowest = session_process_at(session, row->slowest);
	const struct job_process *other = session_process_at(session, process);

	if (!slowest || !other || time != row->maximum)
		return !slowest || time > row->maximum;
	return other->rank.rank < slowest->rank.rank;
}

static void join_spread(const struct session *session, struct job_row *row,
			const struct job_row *added)
{
	/* What was merged before calls were counted here has none. */
	const bool known = (!row->processes || row->calls) && added->calls;

	row->calls = known ? row->calls + added->calls : 0;
	figures_merge(figures_of(SCOPE_JOB_ROW), row, added);
	if (is_slower(session, row, added->maximum, added->slowest)) {
		row->maximum = added->maximum;
		row->slowest_calls = added->slowest_calls;
		row->slowest = added->slowest;
	}
}

/* All that the process has is known: it joins the spreads. */
static int settle(struct merge *merge, struct job_process *process)
{
	struct spread_entry *entry = merge->touched;
	uint64_t offset = session_offset(merge->session, process);
	int error = 0;

	merge->touched = NULL;
	for (; entry; entry = entry->next_touched) {
		struct job_part part = {.process = offset,
					.row = session_offset(merge->session, entry->entry.item),
					.calls = entry->calls,
					.total = entry->total};
		const uint64_t time = to_unsigned(entry->total + 0.5);
		const struct job_row of_process = {.processes = 1,
						   .total = entry->total,
						   .squares = entry->total * entry->total,
						   .minimum = time,
						   .maximum = time,
						   .calls = entry->calls,
						   .slowest_calls = entry->calls,
						   .slowest = offset,
						   .known = MINIMUM_KNOWN};

		figure_set(&part.error, &part.known, ERROR_KNOWN, entry->error);
		entry->is_touched = false;
		/* What counted alone says nothing of times. */
		if (!process->timed)
			continue;
		join_spread(merge->session, entry->entry.item, &of_process);
		if (!entry->is_collective)
			continue;
		process->collectives += to_unsigned(entry->total);
		if (!session_add_item(merge->session, SEGMENT_JOB_PARTS, &part))
			error = -ENOMEM;
	}
	return error;
}

static int add_rows(struct merge *merge, const struct session *from, struct job_process *process)
{
	const struct row *row;
	int error = 0;

	session_for_each_row (from, row) {
		struct timed_row timed;
		struct sum_entry *sum;

		if (!row_calls(row) && !row->failed && !row->calls_outside)
			continue;
		row_timed(from, row, &timed);
		sum = add_sum(merge, from, &timed);
		error = sum ? 0 : -ENOMEM;
		if (!error && process && row_calls(row))
			error = add_to_spread(merge, from, &timed, sum, process);
		if (error)
			return error;
	}
	return 0;
}

/* Where something of the other profile is in this one; 0: nowhere. */
static uint64_t moved_to(struct merge *merge, uint64_t from)
{
	const uint64_t key[ENTRY_NUMBERS] = {from};
	const struct moved_entry *moved = entry_of(&merge->moved, key, 0);

	return moved ? moved->to : 0;
}

static int add_spread(struct merge *merge, const struct session *from, const struct job_row *added)
{
	const uint64_t key[ENTRY_NUMBERS] = {session_offset(from, added)};
	const struct spread_entry *entry =
		find_spread(merge, added->kind, merge_string(merge, from, added->name));
	struct moved_entry *move = entry ? entry_of(&merge->moved, key, sizeof(*move)) : NULL;
	struct job_row moved = *added;

	if (!move)
		return -ENOMEM;
	move->to = session_offset(merge->session, entry->entry.item);
	moved.slowest = moved_to(merge, added->slowest);
	join_spread(merge->session, entry->entry.item, &moved);
	return 0;
}

/* The spreads of a merged profile. */
static int add_spreads(struct merge *merge, const struct session *from)
{
	const struct job_row *row;
	const struct job_part *part;
	int error = 0;

	session_for_each_job_row (from, row)
		if (!error)
			error = add_spread(merge, from, row);
	session_for_each_job_part (from, part) {
		struct job_part added = *part;

		added.process = moved_to(merge, part->process);
		added.row = moved_to(merge, part->row);
		if (!error && added.process && added.row &&
		    !session_add_item(merge->session, SEGMENT_JOB_PARTS, &added))
			error = -ENOMEM;
	}
	return error;
}

static struct metric_values *find_metric(struct merge *merge, const struct session *from,
					 const struct metric_values *added, const struct row *row)
{
	const struct metric_values empty = {.unit = added->unit,
					    .row = session_offset(merge->session, row),
					    .name = merge_string(merge, from, added->name),
					    .description =
						    merge_string(merge, from, added->description)};
	const uint64_t key[ENTRY_NUMBERS] = {empty.row, empty.name};
	const struct entry *merged = find(merge, SEGMENT_METRICS, key, sizeof(*merged), &empty);

	return merged ? merged->item : NULL;
}

static int add_metrics(struct merge *merge, const struct session *from)
{
	const struct metric_values *added;

	session_for_each_metric (from, added) {
		const struct row *row = find_row(merge, from, session_row_at(from, added->row));
		struct metric_values *to = row ? find_metric(merge, from, added, row) : NULL;

		if (!to)
			return -ENOMEM;
		if (added->count)
			figures_merge(figures_of(SCOPE_METRIC), to, added);
	}
	return 0;
}

/* Of a path's text, so that it stays a name. Chosen. */
#define PATH_LENGTH_MOST 4000

struct range_entry {
	struct entry entry; /* of a struct nvtx_range */
	uint64_t path;	    /* offset of a string: "outer/domain@inner" */
};

static bool every_row(const struct row *row, double *average, void *source)
{
	*average = row_average(source, row);
	return true;
}

static uint64_t intern_path(struct merge *merge, const struct session *from,
			    const struct nvtx_range *range, const struct range_entry *parent)
{
	const char *before = parent ? session_string(merge->session, parent->path) : "";
	const char *domain = session_string(from, range->domain);
	const char *name = session_string(from, range->name);
	char text[PATH_LENGTH_MOST];

	snprintf(text, sizeof(text), "%s%s%s%s%s", before, parent ? "/" : "", domain,
		 *domain ? "@" : "", *name ? name : "<unnamed>");
	return session_intern(merge->session, text);
}

/* NULL with *error 0: there are more than fit, which is said once. */
static struct range_entry *find_range(struct merge *merge, const struct session *from,
				      const struct nvtx_range *range,
				      const struct range_entry *parent, int *error)
{
	/* Without parents in the profile: what they are in is left out. */
	const struct nvtx_range empty = {
		.style = range->style,
		.parent = parent ? session_offset(merge->session, parent->entry.item) : 0,
		.name = merge_string(merge, from, range->name),
		.domain = merge_string(merge, from, range->domain)};
	const uint64_t key[ENTRY_NUMBERS] = {empty.parent, empty.name, empty.domain, empty.style};
	bool fits = HASH_COUNT(merge->items[SEGMENT_RANGES]) < MERGED_RANGES_MOST;
	struct range_entry *merged =
		find(merge, SEGMENT_RANGES, key, fits ? sizeof(*merged) : 0, &empty);

	if (merged && !merged->path)
		merged->path = intern_path(merge, from, range, parent);
	if (merged)
		return merged;
	if (fits) {
		*error = -ENOMEM;
		return NULL;
	}
	if (!merge->more_ranges)
		session_note(merge->session,
			     "NVTX ranges: there are more than %u of different paths; those beyond "
			     "are left out.",
			     MERGED_RANGES_MOST);
	merge->more_ranges = true;
	return NULL;
}

/* The events' overhead was taken off when the profile was opened. */
static int add_range_part(struct merge *merge, const struct session *source,
			  const struct nvtx_range *range, const struct nvtx_part *from)
{
	const struct row *row = find_row(merge, source, session_row_at(source, from->row));
	const struct nvtx_part empty = {.range = session_offset(merge->session, range),
					.row = row ? session_offset(merge->session, row) : 0};
	const uint64_t key[ENTRY_NUMBERS] = {empty.range, empty.row};
	const struct entry *merged =
		row ? find(merge, SEGMENT_RANGE_PARTS, key, sizeof(*merged), &empty) : NULL;

	if (!merged)
		return -ENOMEM;
	figures_merge(figures_of(SCOPE_PART), merged->item, from);
	return 0;
}

static int add_range(struct merge *merge, const struct session *from, const struct range_tree *tree,
		     size_t index, struct range_entry **merged, bool spread)
{
	const struct range_node *node = &tree->nodes[index];
	const struct nvtx_range times = {.open = (uint32_t)node->open,
					 .calls = node->calls,
					 .total = node->total,
					 .minimum = node->minimum,
					 .maximum = node->maximum,
					 .known = node->known};
	bool is_inner = node->parent != RANGE_NO_PARENT;
	struct spread_entry *entry;
	struct range_entry *range;
	int error = 0;

	/* What it is in was left out. */
	if (is_inner && !merged[node->parent])
		return 0;
	range = merged[index] = find_range(merge, from, node->range,
					   is_inner ? merged[node->parent] : NULL, &error);
	if (!range)
		return error;
	figures_merge(figures_of(SCOPE_RANGE), range->entry.item, &times);
	for (size_t i = 0; i < node->part_count && !error; i++)
		error = add_range_part(merge, from, range->entry.item,
				       tree->parts[node->first_part + i]);
	if (error || !spread || !(node->all.operations > 0))
		return error;
	/* The GPU's time in it joins what the process has of its path. */
	entry = find_spread(merge, ROW_RANGE, range->path);
	if (!entry)
		return -ENOMEM;
	add_time(merge, entry, node->calls, (double)node->all.time, 0);
	return 0;
}

static int add_ranges(struct merge *merge, const struct session *from, bool spread)
{
	struct range_entry **merged = NULL;
	struct range_tree tree;
	int error = range_tree_build(&tree, from, false, every_row, (void *)from);

	if (!error && tree.count > 0) {
		merged = calloc(tree.count, sizeof(*merged));
		error = merged ? 0 : -ENOMEM;
	}
	/* Parents come first. */
	for (size_t i = 0; i < tree.count && !error; i++)
		error = add_range(merge, from, &tree, i, merged, spread);
	free(merged);
	range_tree_free(&tree);
	return error;
}

/*
 * Adds a process's rows, hardware counters and ranges. `process`: in the merged session; its GPU
 * time is filled in, and how it compares to the others. If the profile is a merged one, `process`
 * is NULL, and what the profile knows of each of its processes is added. -ENOMEM.
 */
static int add_all_rows(struct merge *merge, const struct session *from,
			struct job_process *process)
{
	int error = add_rows(merge, from, process);

	if (!error)
		error = add_ranges(merge, from, process != NULL);
	if (!error)
		error = add_metrics(merge, from);
	if (!error)
		error = process ? settle(merge, process) : add_spreads(merge, from);
	return error;
}

/* Of independent estimates. Where windows told one process nothing they tell nothing of all. */
static double merge_errors(double one, double other)
{
	return sqrt(one * one + other * other);
}

/* A device's time is that of all processes, from no moment of any clock. */
static void add_use(struct device_use *to, const struct device_use *from, bool estimates)
{
	if (!from->last)
		return;
	to->error =
		merge_errors(to->error, estimates && !(from->error > 0) ? INFINITY : from->error);
	to->last += from->last > from->first ? from->last - from->first : 0;
	figures_merge(figures_of(SCOPE_USE), to, from);
}

/* What is said of all processes is taken from the first one. */
static void begin_header(struct session *merged, const struct session *session)
{
	struct session_header *to = session_header(merged);
	const struct session_header *from = session_header(session);

	to->pid = from->pid;
	to->start_realtime = from->start_realtime;
	to->command = session_intern(merged, session_string(session, from->command));
	to->driver_version = from->driver_version;
	to->cupti_version = from->cupti_version;
	to->timer = from->timer;
	to->budget_percent = from->budget_percent;
	to->budget_given = from->budget_given;
	to->events_fraction = from->events_fraction;
	memcpy(to->overheads, from->overheads, sizeof(to->overheads));
	to->queued = from->queued;
}

static void merge_header(struct session *merged, const struct session *session)
{
	struct session_header *to = session_header(merged);
	const struct session_header *from = session_header(session);

	if (!to->processes)
		begin_header(merged, session);
	to->processes += from->processes ? from->processes : 1;
	/* No command is that of all. */
	if (strcmp(session_string(merged, to->command), session_string(session, from->command)))
		to->command = 0;
	to->cupti_active |= from->cupti_active;
	to->events_active |= from->events_active;
	LOWER(to->start_realtime, from->start_realtime);
	figures_merge(figures_of(SCOPE_RUN), to->counters, from->counters);
	for (unsigned i = 0; i < SESSION_DEVICES; i++) {
		uint32_t used = to->devices[i].used || from->devices[i].used;

		if (from->devices[i].used && !to->devices[i].used)
			to->devices[i] = from->devices[i];
		/* Of several GPUs the number says nothing of one. */
		if (from->devices[i].used && memcmp(to->devices[i].uuid, from->devices[i].uuid,
						    sizeof(from->devices[i].uuid)))
			memset(to->devices[i].uuid, 0, sizeof(to->devices[i].uuid));
		/* Processes that share a device have all of its energy each. */
		to->devices[i].energy = (struct device_energy){0};
		to->devices[i].used = used;
		add_use(&to->uses[i], &from->uses[i], session_estimates_use(session));
	}
	figures_merge(figures_of(SCOPE_TOTALS), &to->totals, &from->totals);
	for (uint32_t i = 0; i < from->note_count && i < SESSION_NOTES; i++)
		if (*session_string(session, from->notes[i]))
			session_note(merged, "%s", session_string(session, from->notes[i]));
}

static void merge_trace_start(struct session *merged, const struct session *session, int64_t shift)
{
	uint64_t *to = &session_header(merged)->trace_start;
	uint64_t from = session_header(session)->trace_start;

	if (from && (!*to || from + (uint64_t)shift < *to))
		*to = from + (uint64_t)shift;
}

/* Their threads' numbers would say nothing. */
static int merge_idle(struct merge *merge, const struct session *session,
		      struct job_process *process)
{
	const struct idle_row *row;

	session_for_each_idle (session, row) {
		const struct idle_row key = {.cause = row->cause,
					     .device = row->device,
					     .name = merge_string(merge, session, row->name)};
		struct idle_row *to = session_idle_row(merge->session, &key);

		if (process && session_knows_cause(session, row))
			process->causes[row->cause] += row->total;
		if (!to)
			return -ENOMEM;
		to->error = merge_errors(to->error, row->error);
		figures_merge(figures_of(SCOPE_IDLE), to, row);
		if (row->longest <= to->longest)
			continue;
		to->longest = row->longest;
		to->longest_before = merge_string(merge, session, row->longest_before);
		to->longest_after = merge_string(merge, session, row->longest_after);
	}
	return 0;
}

static int merge_memory(struct merge *merge, const struct session *session,
			struct job_process *process)
{
	const struct memory_use *use;

	session_for_each_memory_use (session, use) {
		const struct memory_use empty = {.kind = use->kind, .device = use->device};
		const uint64_t key[ENTRY_NUMBERS] = {use->kind, (uint64_t)use->device};
		const struct entry *entry =
			find(merge, SEGMENT_MEMORY, key, sizeof(*entry), &empty);
		struct memory_use *to;

		if (!entry)
			return -ENOMEM;
		to = entry->item;
		if (use->peak > to->peak) {
			to->peak = use->peak;
			to->peak_time = use->peak_time;
		}
		figures_merge(figures_of(SCOPE_MEMORY), to, use);
		if (!process || use->kind != ALLOCATION_TOTAL)
			continue;
		RAISE(process->memory_peak, use->peak);
		process->memory_held += use->held;
	}
	return 0;
}

struct clock_entry {
	struct entry entry;
	uint64_t offset;
};

static uint64_t intern_boot(struct merge *merge, const struct session_owner *owner)
{
	char boot[sizeof(owner->boot)];

	snprintf(boot, sizeof(boot), "%.39s", owner->boot);
	return *boot ? session_intern(merge->session, boot) : 0;
}

/*
 * By how much (ns) the records of a process are to be moved, so that they lie on the clock of its
 * node, which is that of the first process; `offset` as in its header. Processes of one node share
 * the wall clock, unless it was set between their starts: the monotonic clock tells by how much.
 */
static int node_clock_shift(struct merge *merge, const struct session_owner *owner, uint64_t offset,
			    int64_t *shift)
{
	/* Containers may have a monotonic clock of their own. */
	const uint64_t key[ENTRY_NUMBERS] = {intern_boot(merge, owner), owner->pid_namespace};
	struct clock_entry *clock;
	uint64_t apart;

	*shift = 0;
	if (!offset || !*owner->boot)
		return 0;
	clock = key[0] ? entry_of(&merge->clocks, key, sizeof(*clock)) : NULL;
	if (!clock)
		return -ENOMEM;
	if (!clock->offset)
		clock->offset = offset;
	apart = clock->offset > offset ? clock->offset - offset : offset - clock->offset;
	if (apart >= CLOCK_SET_LEAST_NS)
		*shift = (int64_t)(clock->offset - offset);
	return 0;
}

int merge_start(struct merge **result, const char *path, bool whole_trace)
{
	struct merge *merge = calloc(1, sizeof(*merge));
	int error = merge ? 0 : -ENOMEM;

	*result = NULL;
	if (!error)
		error = session_create(&merge->session, path,
				       SESSION_KEPT | SESSION_TRACE | SESSION_REPLACES);
	if (error) {
		free(merge);
		return error;
	}
	merge->whole_trace = whole_trace;
	session_header(merge->session)->trace_on = 0;
	*result = merge;
	return 0;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	entries_free(&merge->starts);
	entries_free(&merge->clocks);
	for (unsigned kind = 0; kind < SEGMENT_KINDS; kind++)
		entries_free(&merge->items[kind]);
	entries_free(&merge->moved);
	session_close(merge->session);
	free(merge);
}

struct session *merge_session(const struct merge *merge)
{
	return merge->session;
}

/* One start of a process, wherever it ran: as entry_of(). */
static struct entry *start_of(struct merge *merge, const struct session_owner *owner,
			      uint64_t start, int32_t pid, size_t size)
{
	const uint64_t key[ENTRY_NUMBERS] = {intern_boot(merge, owner), owner->started,
					     owner->pid_namespace, start, (uint64_t)pid};

	return entry_of(&merge->starts, key, *owner->boot && !key[0] ? 0 : size);
}

static bool is_other_job(const struct process_rank *job, const struct process_rank *other)
{
	if (!*job->launcher || !*other->launcher)
		return false;
	if (*job->job && *other->job && strcmp(job->job, other->job) != 0)
		return true;
	return job->world_size >= 0 && other->world_size >= 0 &&
	       job->world_size != other->world_size;
}

/* Why a profile may not be added; NULL: it may. */
static const char *refusal(struct merge *merge, const struct session *session)
{
	const struct session_header *header = session_header(session);
	const struct job_process *process;

	if (is_other_job(&merge->job, &header->rank))
		return "of another job";
	/* Records without a process are known by nothing. */
	if (header->pid && !header->processes &&
	    start_of(merge, &header->owner, header->start_realtime, header->pid, 0))
		return "given twice";
	session_for_each_process (session, process)
		if (start_of(merge, &process->owner, process->start_realtime, process->pid, 0))
			return "holds a process that was given already";
	return NULL;
}

/* Adds a process, on the clock of its node if that was set before it began; `shift` is what its
 * records move by. */
static int note_process(struct merge *merge, struct job_process *added, struct job_process **there,
			int64_t *shift)
{
	int error = node_clock_shift(merge, &added->owner, added->clock_offset, shift);

	if (error)
		return error;
	added->clock_offset += (uint64_t)*shift;
	added->records_moved += *shift < 0 ? 0 - (uint64_t)*shift : (uint64_t)*shift;
	*there = session_add_item(merge->session, SEGMENT_PROCESSES, added);
	return *there && start_of(merge, &added->owner, added->start_realtime, added->pid,
				  sizeof(struct entry))
		       ? 0
		       : -ENOMEM;
}

static int add_process(struct merge *merge, const struct session *session,
		       struct job_process **process, int64_t *shift)
{
	const struct session_header *header = session_header(session);
	const uint64_t *counters = header->counters;
	struct job_process added = {
		.pid = header->pid,
		.owner = header->owner,
		.rank = header->rank,
		.hostname = merge_string(merge, session, header->hostname),
		.command = merge_string(merge, session, header->command),
		.start_realtime = header->start_realtime,
		.clock_offset = header->clock_offset,
		.clock_moved = header->clock_moved,
		.finished = header->finished,
		.wall = counters[COUNTER_wall_ns],
		.trace_records = counters[COUNTER_trace_lost] ? 0 : counters[COUNTER_trace_records],
	};
	unsigned devices = 0;

	for (unsigned i = 0; i < SESSION_DEVICES; i++) {
		const struct device_use *use = session_use(session, (int)i);

		added.device_time += use ? use_time(use) : 0;
		added.busy += use ? use->busy : 0;
		if (!header->devices[i].used)
			continue;
		if (devices++)
			memset(added.gpu_uuid, 0, sizeof(added.gpu_uuid));
		else
			memcpy(added.gpu_uuid, header->devices[i].uuid, sizeof(added.gpu_uuid));
	}
	return note_process(merge, &added, process, shift);
}

/* Those of a profile that is a merged one. */
static int add_processes(struct merge *merge, const struct session *session, int64_t *earliest)
{
	const struct job_process *process;
	int error = 0;

	*earliest = 0;
	session_for_each_process (session, process) {
		const uint64_t key[ENTRY_NUMBERS] = {session_offset(session, process)};
		struct job_process added = *process, *there;
		struct moved_entry *moved = entry_of(&merge->moved, key, sizeof(*moved));

		added.hostname = merge_string(merge, session, process->hostname);
		added.command = merge_string(merge, session, process->command);
		error = moved ? note_process(merge, &added, &there, &moved->shift) : -ENOMEM;
		if (error)
			return error;
		LOWER(*earliest, moved->shift);
		moved->to = session_offset(merge->session, there);
	}
	return 0;
}

static bool is_merged(const struct merge *merge, const struct session *session,
		      const struct trace_record *record)
{
	if (merge->whole_trace)
		return record->kind < ROW_KINDS || record->kind == TRACE_HELD;
	return record->kind < ROW_KINDS &&
	       row_is_collective(record->kind, session_string(session, record->name));
}

/* The records of a part, all of one process, moved by `shift` ns. */
static int add_trace_part(struct merge *merge, const struct session *session,
			  const struct trace_part *part, int64_t shift)
{
	for (size_t i = 0; i < part->count; i++) {
		const struct trace_record *record = &part->records[i];
		struct trace_record moved = *record;

		if (!is_merged(merge, session, record))
			continue;
		moved.name = merge_string(merge, session, record->name);
		moved.kernel = merge_string(merge, session, record->kernel);
		moved.start += (uint64_t)shift;
		moved.end += (uint64_t)shift;
		moved.overhead = 0;
		if (session_trace(merge->session, &moved))
			return -ENOMEM;
		session_header(merge->session)->trace_on = 1;
	}
	return 0;
}

/* `process`: whose records they are, and by how much they move; 0 in a merged profile, which tells.
 */
static int add_trace(struct merge *merge, const struct session *session, uint64_t process,
		     int64_t shift)
{
	uint64_t records = session_header(session)->counters[COUNTER_trace_records];
	struct trace_part part = {.records = NULL};
	uint64_t last = 0;
	int error = 0;

	while (!error && session_next_trace_part(session, &part)) {
		const uint64_t key[ENTRY_NUMBERS] = {
			part.process ? session_offset(session, part.process) : 0};
		const struct moved_entry *of_job = entry_of(&merge->moved, key, 0);
		uint64_t of = of_job ? of_job->to : process;

		if (of != last)
			session_trace_of(merge->session, of, records);
		last = of;
		error = add_trace_part(merge, session, &part, of_job ? of_job->shift : shift);
		session_release_trace_part(session, &part);
	}
	return error;
}

int merge_add(struct merge *merge, const struct session *session, char *message, size_t size)
{
	const struct session_header *header = session_header(session);
	const char *reason = refusal(merge, session);
	struct job_process *process = NULL;
	int64_t shift = 0;
	int error;

	if (reason) {
		snprintf(message, size, "%s", reason);
		return -EXDEV;
	}
	if (!*merge->job.launcher)
		merge->job = header->rank;
	merge_header(merge->session, session);
	if (*merge->job.launcher) {
		session_header(merge->session)->rank = merge->job;
		session_header(merge->session)->rank.rank = -1;
	}
	error = header->processes ? add_processes(merge, session, &shift)
				  : add_process(merge, session, &process, &shift);
	merge_trace_start(merge->session, session, shift);
	if (!error)
		error = add_all_rows(merge, session, process);
	if (!error)
		error = merge_idle(merge, session, process);
	if (!error)
		error = merge_memory(merge, session, process);
	if (!error)
		error = add_trace(merge, session,
				  process ? session_offset(merge->session, process) : 0, shift);
	entries_free(&merge->moved);
	return error;
}

void merge_finish(struct merge *merge)
{
	struct session_header *header = session_header(merge->session);
	const struct job_process *process;

	/* Of windows nobody knows what was held at exit. */
	header->finished = RUN_WHOLE;
	session_for_each_process (merge->session, process)
		RAISE(header->finished, process->finished);
	/* What it has of traces is for waiting times alone. */
	if (!merge->whole_trace)
		header->counters[COUNTER_trace_records] = 0;
	header->reported = 1;
}
