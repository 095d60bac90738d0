/* SPDX-License-Identifier: MIT */
#include "report/merge/merge_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/items.h"
#include "report/print/table.h"
#include "report/ranges/range_tree.h"
#include "report/session/estimate.h"
#include "report/session/layout.h"
#include "report/session/session_internal.h"

static void merge_shapes(struct row *to, const struct row *from)
{
	for (unsigned i = 0; i < ROW_SHAPES && from->shapes[i].threads; i++) {
		const struct launch_shape *added = &from->shapes[i];

		for (unsigned j = 0; j < ROW_SHAPES; j++) {
			struct launch_shape *shape = &to->shapes[j];

			if (!shape->threads) {
				*shape = *added;
				break;
			}
			if (shape->threads == added->threads &&
			    shape->registers == added->registers &&
			    shape->shared == added->shared) {
				shape->launches += added->launches;
				shape->blocks += added->blocks;
				break;
			}
		}
	}
}

static double rate(const struct sized_call *call)
{
	return call->ns ? (double)call->size / (double)call->ns : 0;
}

static void row_sum_figures(struct session *session, struct figures *to,
			    const struct session *source, const struct figures *from)
{
	const struct histogram *histogram = session_histogram(source, from->histogram);
	struct histogram *sum = histogram ? session_make_histogram(session, &to->histogram) : NULL;

	if (sum)
		histogram_merge(sum, histogram);
	figures_merge(figures_of(SCOPE_CLOCK), to, from);
	if (from->slowest.size && (!to->slowest.size || rate(&from->slowest) < rate(&to->slowest)))
		to->slowest = from->slowest;
	if (from->fastest.size && (!to->fastest.size || rate(&from->fastest) > rate(&to->fastest)))
		to->fastest = from->fastest;
}

/* What both clocks say of the same calls. */
static void merge_differences(struct session *session, struct row *to, const struct session *source,
			      const struct row *from)
{
	const struct histogram *differences = session_histogram(source, from->difference_histogram);
	struct histogram *sum =
		differences ? session_make_histogram(session, &to->difference_histogram) : NULL;

	if (sum)
		histogram_merge(sum, differences);
}

static void merge_counts(struct row *to, const struct row *from, enum clock_source clock)
{
	struct row part = *from;

	/* Both together are row_calls(). */
	part.calls = row_calls(from) - from->node_calls;
	if (clock != CLOCK_EVENTS)
		part.gated = part.may_wait = part.beside = part.queued = 0;
	figures_merge(figures_of(SCOPE_ROW), to, &part);
}

static void row_sum_counts(struct session *session, struct row *to, const struct session *source,
			   const struct row *from, enum clock_source clock)
{
	const char *kernels = session_string(source, from->kernels_listed);

	merge_counts(to, from, clock);
	merge_shapes(to, from);
	merge_differences(session, to, source, from);
	if (*kernels && !to->kernels_listed)
		to->kernels_listed = session_intern(session, kernels);
}

struct sum_entry {
	struct entry entry;
	struct row *row;
	bool estimated;
	double total, error;	     /* then: as in struct estimated */
	struct spread_entry *spread; /* of its name; NULL: not looked for yet */
};

struct spread_entry {
	struct entry entry;
	struct job_row *row;
	bool is_collective;
	/* Of the process that is being added. */
	bool is_touched;
	struct spread_entry *next_touched;
	uint64_t calls;
	double total, error;
};

bool row_is_collective(enum row_kind kind, const char *name)
{
	return kind == ROW_KERNEL &&
	       (strstr(name, "ncclDevKernel") || strstr(name, "ncclKernel")) &&
	       !strstr(name, "SendRecv");
}

uint64_t merge_string(struct merge *merge, const struct session *from, uint64_t offset)
{
	const char *text = session_string(from, offset);

	return *text ? session_intern(merge->session, text) : 0;
}

/* The sum that another profile's row belongs to. */
static struct sum_entry *find_sum(struct merge *merge, const struct session *source,
				  const struct row *from, enum clock_source clock)
{
	const uint64_t key[ENTRY_NUMBERS] = {
		session_intern(merge->session, session_string(source, from->name)),
		(uint64_t)from->device, from->kind, clock};
	struct sum_entry *sum = key[0] ? entry_of(&merge->sums, key, sizeof(*sum)) : NULL;

	if (sum && !sum->row)
		sum->row = session_append_row(merge->session, from->kind, key[0], from->device);
	return sum && sum->row ? sum : NULL;
}

/* The spread of a name (offset in the merged session). */
static struct spread_entry *find_spread(struct merge *merge, enum row_kind kind, uint64_t name)
{
	const struct job_row empty = {.kind = kind, .name = name};
	const uint64_t key[ENTRY_NUMBERS] = {name, kind};
	struct spread_entry *spread = name ? entry_of(&merge->spreads, key, sizeof(*spread)) : NULL;

	if (spread && !spread->row) {
		spread->row = session_add_item(merge->session, SEGMENT_JOB_ROWS, &empty);
		spread->is_collective =
			row_is_collective(kind, session_string(merge->session, name));
	}
	return spread && spread->row ? spread : NULL;
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
	row = entry->row;
	row->summed = 1;
	row_sum_counts(merge->session, row, source, timed->row, timed->clock);
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
	row_sum_figures(merge->session, to, source, timed->figures);
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
	return entry ? entry->row : NULL;
}

/* The process that is being added has something of a name. */
static void touch(struct merge *merge, struct spread_entry *entry)
{
	if (entry->is_touched)
		return;
	entry->is_touched = true;
	entry->calls = 0;
	entry->total = entry->error = 0;
	entry->next_touched = merge->touched;
	merge->touched = entry;
}

static int add_part(struct merge *merge, const struct session *source,
		    const struct timed_row *timed, struct sum_entry *sum,
		    struct job_process *process)
{
	const struct row *from = timed->row;
	struct spread_entry *entry = sum->spread;

	if (!entry)
		entry = sum->spread = find_spread(merge, from->kind, sum->entry.key[0]);
	if (!entry)
		return -ENOMEM;
	touch(merge, entry);
	entry->calls += row_calls(from);
	entry->total += timed->total;
	entry->error = sqrt(entry->error * entry->error + timed->error * timed->error);
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

static void spread_add(const struct session *session, struct job_row *row, double total,
		       uint64_t process)
{
	uint64_t time = to_unsigned(total + 0.5);

	row->processes++;
	row->total += total;
	row->squares += total * total;
	figure_least(&row->minimum, &row->known, time);
	if (is_slower(session, row, time, process)) {
		row->maximum = time;
		row->slowest = process;
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
					.row = session_offset(merge->session, entry->row),
					.calls = entry->calls,
					.total = entry->total};

		figure_set(&part.error, &part.known, ERROR_KNOWN, entry->error);
		entry->is_touched = false;
		/* What counted alone says nothing of times. */
		if (!process->timed)
			continue;
		spread_add(merge->session, entry->row, entry->total, offset);
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
			error = add_part(merge, from, &timed, sum, process);
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
	uint64_t slowest = moved_to(merge, added->slowest);
	struct job_row *row;

	if (!move)
		return -ENOMEM;
	row = entry->row;
	move->to = session_offset(merge->session, row);
	figures_merge(figures_of(SCOPE_JOB_ROW), row, added);
	if (is_slower(merge->session, row, added->maximum, slowest)) {
		row->maximum = added->maximum;
		row->slowest = slowest;
	}
	return 0;
}

/* The spreads of a merged profile. */
static int add_spreads(struct merge *merge, const struct session *from)
{
	const struct job_row *row;
	const struct job_part *part;
	int error = 0;

	session_for_each_job_row(from, row) if (!error) error = add_spread(merge, from, row);
	session_for_each_job_part(from, part)
	{
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
	const char *name = session_string(from, added->name);
	const uint64_t key[ENTRY_NUMBERS] = {session_offset(merge->session, row),
					     session_intern(merge->session, name)};
	struct entry *merged = entry_of(&merge->metrics, key, sizeof(*merged));

	if (merged && !merged->item)
		merged->item =
			session_add_metric(merge->session, row, name,
					   session_string(from, added->description), added->unit);
	return merged ? merged->item : NULL;
}

static int add_metrics(struct merge *merge, const struct session *from)
{
	const struct metric_values *added;

	session_for_each_metric(from, added)
	{
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
	struct entry entry;
	struct nvtx_range *range;
	uint64_t path; /* offset of a string: "outer/domain@inner" */
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
		.parent = parent ? session_offset(merge->session, parent->range) : 0,
		.name = merge_string(merge, from, range->name),
		.domain = merge_string(merge, from, range->domain)};
	const uint64_t key[ENTRY_NUMBERS] = {empty.parent, empty.name, empty.domain, empty.style};
	bool fits = HASH_COUNT(merge->ranges) < MERGED_RANGES_MOST;
	struct range_entry *merged =
		entry_of(&merge->ranges, key, fits ? sizeof(struct range_entry) : 0);

	if (merged && !merged->range) {
		merged->range = session_add_item(merge->session, SEGMENT_RANGES, &empty);
		merged->path = intern_path(merge, from, range, parent);
	}
	if (merged && merged->range)
		return merged;
	if (merged || fits) {
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
	const uint64_t key[ENTRY_NUMBERS] = {session_offset(merge->session, range),
					     row ? session_offset(merge->session, row) : 0};
	struct entry *merged = row ? entry_of(&merge->parts, key, sizeof(*merged)) : NULL;

	if (merged && !merged->item)
		merged->item = session_add_nvtx_part(merge->session, range, row);
	if (!merged || !merged->item)
		return -ENOMEM;
	figures_merge(figures_of(SCOPE_PART), merged->item, from);
	return 0;
}

/* The GPU's time in a range joins what the process has of its path. */
static int add_range_time(struct merge *merge, uint64_t path, const struct range_node *node)
{
	struct spread_entry *entry = find_spread(merge, ROW_RANGE, path);

	if (!entry)
		return -ENOMEM;
	touch(merge, entry);
	entry->calls += node->calls;
	entry->total += (double)node->all.time;
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
	struct range_entry *range;
	int error = 0;

	/* What it is in was left out. */
	if (is_inner && !merged[node->parent])
		return 0;
	range = merged[index] = find_range(merge, from, node->range,
					   is_inner ? merged[node->parent] : NULL, &error);
	if (!range)
		return error;
	figures_merge(figures_of(SCOPE_RANGE), range->range, &times);
	for (size_t i = 0; i < node->part_count && !error; i++)
		error = add_range_part(merge, from, range->range,
				       tree->parts[node->first_part + i]);
	if (!error && spread && node->all.operations > 0)
		error = add_range_time(merge, range->path, node);
	return error;
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

int merge_rows_add(struct merge *merge, const struct session *from, struct job_process *process)
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
