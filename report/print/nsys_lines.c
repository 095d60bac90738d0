/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/print/nsys_lines.h"

#include "report/session/entries.h"
#include "report/session/estimate.h"
#include "report/session/grow.h"
#include "report/names/demangle.h"
#include "report/names/nsys_names.h"
#include "report/names/visible.h"
#include "report/print/table.h"

/*
 * Samples kept for exact medians: 64 MB at most. A longer trace has its medians read from the
 * histograms, as a session without a trace.
 */
#define SAMPLES_LIMIT (8UL << 20)

struct collection {
	struct session *session;
	struct filter filter;
	unsigned kinds;
	struct nsys_line *lines;
	/* Which line the records of a name belong to: names are interned, so one offset is one
	 * name. */
	struct entry *names;
	size_t samples;
};

/* What nsys prints for a row; to be freed, NULL without memory. */
static char *line_name(const struct collection *collection, const struct row *row)
{
	const char *name = session_string(collection->session, row->name);
	char *text, *visible;

	if (row_is_gpu(row->kind) && row->kind != ROW_KERNEL)
		name = nsys_operation_name(name);
	text = row->kind == ROW_KERNEL && collection->filter.options->demangling
		       ? nsys_demangle(name)
		       : strdup(name);
	visible = text ? visible_text(text) : NULL;
	free(text);
	return visible;
}

/* The line of a name, which is taken over; NULL without memory. */
static struct nsys_line *line_get(struct collection *collection, char *name)
{
	struct nsys_line *line;

	HASH_FIND_STR(collection->lines, name, line);
	if (line) {
		free(name);
		return line;
	}
	line = calloc(1, sizeof(*line));
	if (!line) {
		free(name);
		return NULL;
	}
	line->name = name;
	HASH_ADD_KEYPTR(hh, collection->lines, line->name, strlen(line->name), line);
	if (line->hh.tbl)
		return line;
	free(name);
	free(line);
	return NULL;
}

static int name_add(struct collection *collection, uint64_t name, struct nsys_line *line)
{
	const uint64_t key[ENTRY_NUMBERS] = {name};
	struct entry *entry = entry_of(&collection->names, key, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	if (!entry->item)
		entry->item = line;
	return 0;
}

static void distribution_merge(struct distribution *distribution, const struct distribution *part)
{
	if (!part->timed)
		return;
	if (!distribution->timed || part->minimum < distribution->minimum)
		distribution->minimum = part->minimum;
	if (part->maximum > distribution->maximum)
		distribution->maximum = part->maximum;
	distribution->count += part->count;
	distribution->timed += part->timed;
	distribution->total += part->total;
	distribution->squares += part->squares;
}

static int row_collect(struct collection *collection, const struct row *row)
{
	struct timed_row timed;
	struct distribution time;
	const struct distribution bytes = {
		.count = row_calls(row),
		.timed = row->bytes ? row_calls(row) : 0,
		.total = row->bytes,
		.minimum = row->bytes_minimum,
		.maximum = row->bytes_maximum,
		.squares = row->bytes_squares,
	};
	struct nsys_line *line;
	char *name;

	if (row_calls(row) == 0)
		return 0;
	if (row->kind == ROW_MOVEMENT &&
	    !nsys_is_memory_operation(row->kind, session_string(collection->session, row->name)))
		return 0;
	name = line_name(collection, row);
	if (!name)
		return -ENOMEM;
	if (!filter_matches(&collection->filter, row->kind, name) ||
	    !filter_shows_device(&collection->filter, row->device)) {
		free(name);
		return 0;
	}
	line = line_get(collection, name);
	if (!line)
		return -ENOMEM;
	if (!row_timed(collection->session, row, &timed))
		line->time.untimed += row_calls(row);
	/* A sample of the calls stands for all of them. */
	time = (struct distribution){.count = timed.calls,
				     .timed = timed.figures->count,
				     .total = to_unsigned(timed.total + 0.5),
				     .minimum = timed.figures->minimum,
				     .maximum = timed.figures->maximum,
				     .squares = timed.squares};
	distribution_merge(&line->time, &time);
	distribution_merge(&line->bytes, &bytes);
	histogram_merge(&line->histogram,
			session_histogram(collection->session, timed.figures->histogram));
	return name_add(collection, row->name, line);
}

static int sample_add(struct distribution *distribution, uint64_t value)
{
	if (distribution->sample_count == distribution->sample_capacity) {
		size_t capacity = distribution->sample_capacity * 2 + 64;
		uint64_t *samples =
			grow(distribution->samples, distribution->sample_count * sizeof(*samples),
			     capacity * sizeof(*samples));

		if (!samples)
			return -ENOMEM;
		distribution->samples = samples;
		distribution->sample_capacity = capacity;
	}
	distribution->samples[distribution->sample_count++] = value;
	distribution->sample_total += value;
	return 0;
}

/* Collects single durations and sizes, as far as they fit. */
static int samples_collect(struct collection *collection)
{
	const struct trace_record *record;

	session_for_each_trace (collection->session, record) {
		const uint64_t key[ENTRY_NUMBERS] = {record->name};
		const struct entry *entry;
		struct nsys_line *line;
		int error;

		if (record->kind >= ROW_KINDS || !(collection->kinds & 1U << record->kind))
			continue;
		entry = entry_of(&collection->names, key, 0);
		if (!entry)
			continue;
		if (collection->samples++ == SAMPLES_LIMIT)
			break;
		line = entry->item;
		error = sample_add(&line->time, record->end - record->start);
		if (!error && record->bytes)
			error = sample_add(&line->bytes, record->bytes);
		if (error)
			return error;
	}
	return 0;
}

static int compare_samples(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Median and deviation from all of a line's samples. */
static void distribution_exact(struct distribution *distribution)
{
	size_t count = distribution->sample_count, middle = count / 2;
	long double mean = (long double)distribution->total / count, sum = 0;
	uint64_t *samples = distribution->samples;

	qsort(samples, count, sizeof(*samples), compare_samples);
	distribution->median = count % 2 ? (double)samples[middle]
					 : ((double)samples[middle - 1] + samples[middle]) / 2;
	for (size_t i = 0; i < count; i++)
		sum += (samples[i] - mean) * (samples[i] - mean);
	distribution->deviation = count > 1 ? sqrt((double)(sum / (count - 1))) : 0;
}

static void distribution_finish(struct distribution *distribution,
				const struct histogram *histogram)
{
	long double total = distribution->total, sum;

	if (!distribution->timed)
		return;
	/* Records of event pairs hold the pairs' overhead, which the row's figures do not. */
	if (distribution->sample_count == distribution->count &&
	    distribution->sample_total == distribution->total) {
		distribution_exact(distribution);
		return;
	}
	if (histogram)
		distribution->median = histogram_percentile_within(
			histogram, 0.5, distribution->minimum, distribution->maximum);
	else if (distribution->minimum == distribution->maximum)
		distribution->median = distribution->minimum;
	else
		distribution->median = NAN;
	sum = distribution->squares - total * total / distribution->count;
	distribution->deviation = distribution->count > 1 && sum > 0
					  ? sqrt((double)(sum / (distribution->count - 1)))
					  : 0;
}

static uint64_t calls_of(const struct nsys_line *line)
{
	return line->time.count + line->time.untimed;
}

/* nsys's order: total, calls (fewer first), name. */
static int compare_time(const struct nsys_line *a, const struct nsys_line *b)
{
	if (a->time.total != b->time.total)
		return a->time.total < b->time.total ? 1 : -1;
	if (calls_of(a) != calls_of(b))
		return calls_of(a) > calls_of(b) ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int compare_bytes(const struct nsys_line *a, const struct nsys_line *b)
{
	if (a->bytes.total != b->bytes.total)
		return a->bytes.total < b->bytes.total ? 1 : -1;
	return strcmp(a->name, b->name);
}

void nsys_lines_sort_by_bytes(struct nsys_line **lines)
{
	HASH_SORT(*lines, compare_bytes);
}

int nsys_lines_collect(struct session *session, const struct options *options, unsigned kinds,
		       struct nsys_line **lines)
{
	struct collection collection = {.session = session, .kinds = kinds};
	struct nsys_line *line;
	struct row *row;
	int error;

	*lines = NULL;
	error = filter_init(&collection.filter, session, options);
	if (error)
		return error;
	session_for_each_row (session, row) {
		if (row->kind < ROW_KINDS && kinds & 1U << row->kind && !error)
			error = row_collect(&collection, row);
	}
	if (!error)
		error = samples_collect(&collection);
	for (line = collection.lines; line && !error; line = line->hh.next) {
		distribution_finish(&line->time, &line->histogram);
		distribution_finish(&line->bytes, NULL);
	}
	HASH_SORT(collection.lines, compare_time);
	*lines = collection.lines;
	entries_free(&collection.names);
	filter_free(&collection.filter);
	return error;
}

void nsys_lines_free(struct nsys_line **lines)
{
	struct nsys_line *line, *next;

	HASH_ITER (hh, *lines, line, next) {
		HASH_DEL(*lines, line);
		free(line->time.samples);
		free(line->bytes.samples);
		free(line->name);
		free(line);
	}
}
