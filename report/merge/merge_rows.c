/* SPDX-License-Identifier: MIT */
#include "report/merge/merge_rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/metrics/metric_values.h"
#include "report/print/table.h"
#include "report/ranges/range_tree.h"
#include "report/session/estimate.h"
#include "report/session/figure_tables.h"
#include "report/session/session_internal.h"
#include "report/session/session_nvtx.h"

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

/* What a sum or a spread is of; members that do not apply are 0. */
struct merge_key {
	uint64_t name;
	int32_t device;
	uint32_t kind, clock, reserved;
};

/* Both structures of entries begin with it. */
struct merge_entry {
	struct merge_key key;
	UT_hash_handle hh;
};

struct sum_entry {
	struct merge_entry entry;
	struct row *row;
	bool estimated;
	struct spread_entry *spread; /* of its name; NULL: not looked for yet */
};

struct spread_entry {
	struct merge_entry entry;
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

/* The entry of a key, of `size` bytes and zero if it is new; NULL if memory is out. */
static void *find_entry(struct merge_entry **table, const struct merge_key *key, size_t size)
{
	struct merge_entry *entry;

	HASH_FIND(hh, *table, key, sizeof(*key), entry);
	if (entry)
		return entry;
	entry = calloc(1, size);
	if (!entry)
		return NULL;
	entry->key = *key;
	HASH_ADD(hh, *table, key, sizeof(*key), entry);
	if (entry->hh.tbl)
		return entry;
	free(entry);
	return NULL;
}

static void free_entries(struct merge_entry **table)
{
	struct merge_entry *entry, *next;

	HASH_ITER (hh, *table, entry, next) {
		HASH_DEL(*table, entry);
		free(entry);
	}
}

static struct sum_entry *find_sum(struct merge_rows *rows, const struct row *from, uint64_t name,
				  enum clock_source clock)
{
	const struct merge_key key = {
		.name = name, .device = from->device, .kind = from->kind, .clock = clock};
	struct sum_entry *sum = find_entry(&rows->sums, &key, sizeof(*sum));

	if (sum && !sum->row)
		sum->row = session_append_row(rows->session, from->kind, name, from->device);
	return sum && sum->row ? sum : NULL;
}

static struct spread_entry *find_spread(struct merge_rows *rows, enum row_kind kind, uint64_t name)
{
	const struct job_row empty = {.kind = kind, .name = name, .minimum = UINT64_MAX};
	const struct merge_key key = {.name = name, .kind = kind};
	struct spread_entry *spread = find_entry(&rows->spreads, &key, sizeof(*spread));

	if (spread && !spread->row) {
		spread->row = session_add_job_row(rows->session, &empty);
		spread->is_collective =
			row_is_collective(kind, session_string(rows->session, name));
	}
	return spread && spread->row ? spread : NULL;
}

/* The time of all calls of a row, as its report shows it. */
static struct estimated shown(const struct session *source, const struct row *row,
			      bool *is_estimated)
{
	enum clock_source clock;
	const struct figures *figures = row_figures(source, row, &clock);

	*is_estimated = clock != CLOCK_NONE && row_is_estimated(row, clock);
	if (*is_estimated)
		return row_estimate(row, clock);
	return (struct estimated){.total = clock == CLOCK_NONE ? 0 : (double)figures->total};
}

/*
 * A sum of estimates is none that strata or windows would give: it stands in the fields for
 * windows, and row_estimate() takes it from there if the row is a sum.
 */
static struct sum_entry *add_sum(struct merge_rows *rows, const struct session *source,
				 const struct row *from, uint64_t name)
{
	enum clock_source clock;
	const struct figures *figures = row_figures(source, from, &clock);
	struct sum_entry *entry = find_sum(rows, from, name, clock);
	struct figures *to;
	struct estimated time;
	bool estimated;

	if (!entry)
		return NULL;
	entry->row->summed = 1;
	row_sum_counts(rows->session, entry->row, source, from, clock);
	if (clock == CLOCK_NONE)
		return entry;
	to = clock == CLOCK_EVENTS ? &entry->row->events : &entry->row->cupti;
	time = shown(source, from, &estimated);
	if (estimated && !entry->estimated)
		entry->row->windows_total = (double)to->total;
	entry->estimated |= estimated;
	if (entry->estimated) {
		entry->row->windows_total += time.total;
		entry->row->windows_error =
			sqrt(entry->row->windows_error * entry->row->windows_error +
			     time.error * time.error);
	}
	row_sum_figures(rows->session, to, source, figures);
	return entry;
}

struct row *merge_rows_sum(struct merge_rows *rows, const struct session *source,
			   const struct row *from)
{
	uint64_t name = session_intern(rows->session, session_string(source, from->name));
	enum clock_source clock;
	struct sum_entry *entry;

	row_figures(source, from, &clock);
	entry = name ? find_sum(rows, from, name, clock) : NULL;
	return entry ? entry->row : NULL;
}

/* The process that is being added has something of a name. */
static void touch(struct merge_rows *rows, struct spread_entry *entry)
{
	if (entry->is_touched)
		return;
	entry->is_touched = true;
	entry->calls = 0;
	entry->total = entry->error = 0;
	entry->next_touched = rows->touched;
	rows->touched = entry;
}

int merge_rows_spread(struct merge_rows *rows, enum row_kind kind, uint64_t name, uint64_t calls,
		      double total)
{
	struct spread_entry *entry = name ? find_spread(rows, kind, name) : NULL;

	if (!entry)
		return -ENOMEM;
	touch(rows, entry);
	entry->calls += calls;
	entry->total += total;
	return 0;
}

static int add_part(struct merge_rows *rows, const struct session *source, const struct row *from,
		    struct sum_entry *sum, struct job_process *process)
{
	bool estimated;
	struct estimated time = shown(source, from, &estimated);
	struct spread_entry *entry = sum->spread;

	if (!entry)
		entry = sum->spread = find_spread(rows, from->kind, sum->entry.key.name);
	if (!entry)
		return -ENOMEM;
	touch(rows, entry);
	entry->calls += row_calls(from);
	entry->total += time.total;
	entry->error = sqrt(entry->error * entry->error + time.error * time.error);
	/* A graph's nodes have rows of their own. */
	if (table_section_of(source, from) == TABLE_GPU) {
		process->gpu += to_unsigned(time.total);
		process->operations += row_calls(from);
		process->timed |= time.total > 0;
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
	if (time < row->minimum)
		row->minimum = time;
	if (is_slower(session, row, time, process)) {
		row->maximum = time;
		row->slowest = process;
	}
}

int merge_rows_settle(struct merge_rows *rows, struct job_process *process)
{
	struct spread_entry *entry = rows->touched;
	uint64_t offset = session_offset(rows->session, process);
	int error = 0;

	rows->touched = NULL;
	for (; entry; entry = entry->next_touched) {
		struct job_part part = {.process = offset,
					.row = session_offset(rows->session, entry->row),
					.calls = entry->calls,
					.total = entry->total,
					.error = entry->error};

		entry->is_touched = false;
		/* What counted alone says nothing of times. */
		if (!process->timed)
			continue;
		spread_add(rows->session, entry->row, entry->total, offset);
		if (!entry->is_collective)
			continue;
		process->collectives += to_unsigned(entry->total);
		if (!session_add_job_part(rows->session, &part))
			error = -ENOMEM;
	}
	return error;
}

int merge_rows_add(struct merge_rows *rows, const struct session *from, struct job_process *process)
{
	const struct row *row;
	int error = 0;

	session_for_each_row (from, row) {
		uint64_t name = session_intern(rows->session, session_string(from, row->name));
		struct sum_entry *sum;

		if (!row_calls(row) && !row->failed && !row->calls_outside)
			continue;
		sum = name ? add_sum(rows, from, row, name) : NULL;
		error = sum ? 0 : -ENOMEM;
		if (!error && process && row_calls(row))
			error = add_part(rows, from, row, sum, process);
		if (error)
			return error;
	}
	return 0;
}

/* Where a row of the other profile is in this one. */
struct moved_row {
	uint64_t from, to;
	UT_hash_handle hh;
};

static int add_spread(struct merge_rows *rows, const struct session *from,
		      const struct job_row *added, uint64_t slowest, struct moved_row **moved)
{
	uint64_t name = session_intern(rows->session, session_string(from, added->name));
	struct spread_entry *entry = name ? find_spread(rows, added->kind, name) : NULL;
	struct moved_row *move = entry ? calloc(1, sizeof(*move)) : NULL;
	struct job_row *row;

	if (!move)
		return -ENOMEM;
	row = entry->row;
	row->total += added->total;
	row->squares += added->squares;
	if (added->minimum < row->minimum)
		row->minimum = added->minimum;
	if (is_slower(rows->session, row, added->maximum, slowest)) {
		row->maximum = added->maximum;
		row->slowest = slowest;
	}
	row->processes += added->processes;
	move->from = session_offset(from, added);
	move->to = session_offset(rows->session, row);
	HASH_ADD(hh, *moved, from, sizeof(move->from), move);
	if (move->hh.tbl)
		return 0;
	free(move);
	return -ENOMEM;
}

int merge_rows_add_job(struct merge_rows *rows, const struct session *from,
		       uint64_t (*process_of)(void *argument, uint64_t process), void *argument)
{
	struct moved_row *moved = NULL, *move, *next;
	const struct job_row *row;
	const struct job_part *part;
	int error = 0;

	session_for_each_job_row(from, row) if (!error) error =
		add_spread(rows, from, row, process_of(argument, row->slowest), &moved);
	session_for_each_job_part(from, part)
	{
		struct job_part added = *part;

		HASH_FIND(hh, moved, &part->row, sizeof(part->row), move);
		added.process = process_of(argument, part->process);
		added.row = move ? move->to : 0;
		if (!error && added.process && added.row &&
		    !session_add_job_part(rows->session, &added))
			error = -ENOMEM;
	}
	HASH_ITER (hh, moved, move, next) {
		HASH_DEL(moved, move);
		free(move);
	}
	return error;
}

void merge_rows_free(struct merge_rows *rows)
{
	free_entries(&rows->sums);
	free_entries(&rows->spreads);
}

struct metric_key {
	uint64_t row, name; /* offsets in the merged profile */
};

struct merged_metric {
	struct metric_key key;
	struct metric_values *values;
	UT_hash_handle hh;
};

static struct metric_values *find_metric(struct merge_metrics *metrics, const struct session *from,
					 const struct metric_values *added, const struct row *row)
{
	struct session *session = metrics->rows->session;
	const char *name = session_string(from, added->name);
	const struct metric_key key = {session_offset(session, row), session_intern(session, name)};
	struct merged_metric *merged;

	HASH_FIND(hh, metrics->metrics, &key, sizeof(key), merged);
	if (merged)
		return merged->values;
	merged = calloc(1, sizeof(*merged));
	if (!merged)
		return NULL;
	merged->key = key;
	merged->values = session_add_metric(session, row, name,
					    session_string(from, added->description), added->unit);
	if (merged->values)
		HASH_ADD(hh, metrics->metrics, key, sizeof(merged->key), merged);
	if (merged->values && merged->hh.tbl)
		return merged->values;
	free(merged);
	return NULL;
}

int merge_metrics_add(struct merge_metrics *metrics, const struct session *from)
{
	const struct metric_values *added;

	session_for_each_metric(from, added)
	{
		const struct row *row =
			merge_rows_sum(metrics->rows, from, session_row_at(from, added->row));
		struct metric_values *to = row ? find_metric(metrics, from, added, row) : NULL;

		if (!to)
			return -ENOMEM;
		if (added->count && (!to->count || added->minimum < to->minimum))
			to->minimum = added->minimum;
		if (added->count && (!to->count || added->maximum > to->maximum))
			to->maximum = added->maximum;
		to->total += added->total;
		to->count += added->count;
	}
	return 0;
}

void merge_metrics_free(struct merge_metrics *metrics)
{
	struct merged_metric *metric, *next;

	HASH_ITER (hh, metrics->metrics, metric, next) {
		HASH_DEL(metrics->metrics, metric);
		free(metric);
	}
}

/* Of a path's text, so that it stays a name. Chosen. */
#define PATH_LENGTH_MOST 4000

struct range_key {
	uint64_t parent, name, domain; /* offsets in the merged profile */
	uint64_t style;
};

struct merged_range {
	struct range_key key;
	struct nvtx_range *range;
	uint64_t path; /* offset of a string: "outer/domain@inner" */
	UT_hash_handle hh;
};

struct part_key {
	uint64_t range, row;
};

struct merged_part {
	struct part_key key;
	struct nvtx_part *part;
	UT_hash_handle hh;
};

static bool every_row(const struct row *row, double *average, void *source)
{
	*average = row_average(source, row);
	return true;
}

static uint64_t intern_path(const struct merge_ranges *ranges, const struct session *from,
			    const struct nvtx_range *range, const struct merged_range *parent)
{
	struct session *session = ranges->rows->session;
	const char *before = parent ? session_string(session, parent->path) : "";
	const char *domain = session_string(from, range->domain);
	const char *name = session_string(from, range->name);
	char text[PATH_LENGTH_MOST];

	snprintf(text, sizeof(text), "%s%s%s%s%s", before, parent ? "/" : "", domain,
		 *domain ? "@" : "", *name ? name : "<unnamed>");
	return session_intern(session, text);
}

/* Without parents in the profile: what they are in is left out. */
static struct merged_range *add_range(struct merge_ranges *ranges, const struct range_key *key,
				      const struct nvtx_range *from)
{
	struct session *session = ranges->rows->session;
	const struct nvtx_range empty = {.style = from->style,
					 .parent = key->parent,
					 .name = key->name,
					 .domain = key->domain};
	struct merged_range *merged = calloc(1, sizeof(*merged));

	if (!merged)
		return NULL;
	merged->key = *key;
	merged->range = session_add_nvtx_range(session, &empty);
	if (merged->range)
		HASH_ADD(hh, ranges->ranges, key, sizeof(merged->key), merged);
	if (merged->range && merged->hh.tbl) {
		ranges->count++;
		return merged;
	}
	free(merged);
	return NULL;
}

/* NULL with *error 0: there are more than fit. */
static struct merged_range *find_range(struct merge_ranges *ranges, const struct session *from,
				       const struct nvtx_range *range,
				       const struct merged_range *parent, int *error)
{
	struct session *session = ranges->rows->session;
	const char *domain = session_string(from, range->domain);
	const char *name = session_string(from, range->name);
	const struct range_key key = {
		.parent = parent ? session_offset(session, parent->range) : 0,
		.name = *name ? session_intern(session, name) : 0,
		.domain = *domain ? session_intern(session, domain) : 0,
		.style = range->style,
	};
	struct merged_range *merged;

	HASH_FIND(hh, ranges->ranges, &key, sizeof(key), merged);
	if (merged || ranges->count == MERGED_RANGES_MOST)
		return merged;
	merged = add_range(ranges, &key, range);
	if (merged)
		merged->path = intern_path(ranges, from, range, parent);
	else
		*error = -ENOMEM;
	return merged;
}

static void add_times(struct nvtx_range *to, const struct range_node *from)
{
	to->calls += from->calls;
	to->open += (uint32_t)from->open;
	to->total += from->total;
	if (from->minimum < to->minimum)
		to->minimum = from->minimum;
	if (from->maximum > to->maximum)
		to->maximum = from->maximum;
}

static struct nvtx_part *find_part(struct merge_ranges *ranges, const struct nvtx_range *range,
				   const struct row *row)
{
	struct session *session = ranges->rows->session;
	const struct part_key key = {session_offset(session, range), session_offset(session, row)};
	struct merged_part *merged;

	HASH_FIND(hh, ranges->parts, &key, sizeof(key), merged);
	if (merged)
		return merged->part;
	merged = calloc(1, sizeof(*merged));
	if (!merged)
		return NULL;
	merged->key = key;
	merged->part = session_add_nvtx_part(session, range, row);
	if (merged->part)
		HASH_ADD(hh, ranges->parts, key, sizeof(key), merged);
	if (merged->part && merged->hh.tbl)
		return merged->part;
	free(merged);
	return NULL;
}

/* The events' overhead was taken off when the profile was opened. */
static int add_range_part(struct merge_ranges *ranges, const struct session *source,
			  const struct nvtx_range *range, const struct nvtx_part *from)
{
	const struct row *row =
		merge_rows_sum(ranges->rows, source, session_row_at(source, from->row));
	struct nvtx_part *to = row ? find_part(ranges, range, row) : NULL;

	if (!to)
		return -ENOMEM;
	figures_merge(figures_of(SCOPE_PART), to, from);
	return 0;
}

static void say_more(struct merge_ranges *ranges)
{
	if (!ranges->said)
		session_note(ranges->rows->session,
			     "NVTX ranges: there are more than %u of different paths; those beyond "
			     "are left out.",
			     MERGED_RANGES_MOST);
	ranges->said = true;
}

static int add_node(struct merge_ranges *ranges, const struct session *from,
		    const struct range_tree *tree, size_t index, struct merged_range **merged,
		    bool spread)
{
	const struct range_node *node = &tree->nodes[index];
	bool is_inner = node->parent != RANGE_NO_PARENT;
	int error = 0;

	/* What it is in was left out. */
	if (is_inner && !merged[node->parent])
		return 0;
	merged[index] = find_range(ranges, from, node->range,
				   is_inner ? merged[node->parent] : NULL, &error);
	if (!merged[index]) {
		say_more(ranges);
		return error;
	}
	add_times(merged[index]->range, node);
	for (size_t i = 0; i < node->part_count && !error; i++)
		error = add_range_part(ranges, from, merged[index]->range,
				       tree->parts[node->first_part + i]);
	if (!error && spread && node->all.operations > 0)
		error = merge_rows_spread(ranges->rows, ROW_RANGE, merged[index]->path, node->calls,
					  (double)node->all.time);
	return error;
}

int merge_ranges_add(struct merge_ranges *ranges, const struct session *from,
		     struct job_process *process)
{
	struct merged_range **merged = NULL;
	struct range_tree tree;
	int error = range_tree_build(&tree, from, false, every_row, (void *)from);

	if (!error && tree.count > 0) {
		merged = calloc(tree.count, sizeof(*merged));
		error = merged ? 0 : -ENOMEM;
	}
	/* Parents come first. */
	for (size_t i = 0; i < tree.count && !error; i++)
		error = add_node(ranges, from, &tree, i, merged, process != NULL);
	free(merged);
	range_tree_free(&tree);
	return error;
}

void merge_ranges_free(struct merge_ranges *ranges)
{
	struct merged_range *range, *next_range;
	struct merged_part *part, *next_part;

	HASH_ITER (hh, ranges->ranges, range, next_range) {
		HASH_DEL(ranges->ranges, range);
		free(range);
	}
	HASH_ITER (hh, ranges->parts, part, next_part) {
		HASH_DEL(ranges->parts, part);
		free(part);
	}
}
