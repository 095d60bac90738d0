/* SPDX-License-Identifier: MIT */
#include "report/print/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/estimate.h"
#include "report/session/grow.h"

uint64_t row_calls(const struct row *row)
{
	uint64_t counted = row->calls + row->node_calls;
	uint64_t calls = row->cupti.count > counted ? row->cupti.count : counted;

	return row->events.count > calls ? row->events.count : calls;
}

uint64_t row_calls_of_clock(const struct row *row, enum clock_source clock)
{
	if (clock != CLOCK_EVENTS)
		return row_calls(row);
	return row->calls > row->events.count ? row->calls : row->events.count;
}

/* Whether events say more exactly how long the calls of a row took than windows do: twice as much,
 * as what a pair holds is known less well than an interval says (docs/accuracy.md). */
static bool events_know_more(const struct row *row)
{
	return row->node_calls == 0 && row->host_included == 0 &&
	       row->events.count >= ESTIMATE_LEAST_TIMED &&
	       !(row->known & ERROR_KNOWN &&
		 row->windows_error <= 2 * row_estimate(row, CLOCK_EVENTS).error);
}

const struct figures *row_figures(const struct session *session, const struct row *row,
				  enum clock_source *clock)
{
	const struct session_header *header = session_header(session);
	/* The program may have ended CUPTI: then it speaks for a row of which it timed most. */
	bool ended = !header->cupti_active && 2 * row->cupti.count < row_calls(row);
	/* In a window the launch of a graph takes longer than outside. */
	bool outside = row->kind == ROW_GRAPH && header->counters[COUNTER_windows] > 0 &&
		       row->cupti.count < row_calls(row);
	bool events = (header->timer == TIMER_EVENTS || ended || outside ||
		       (row->known & TOTAL_KNOWN && events_know_more(row))) &&
		      row->events.count > 0;

	if (row->cupti.count > 0 && !events) {
		*clock = CLOCK_CUPTI;
		return &row->cupti;
	}
	*clock = row->events.count > 0 ? CLOCK_EVENTS : CLOCK_NONE;
	return &row->events;
}

bool row_is_estimated(const struct row *row, enum clock_source clock)
{
	return (clock == CLOCK_EVENTS && row->events.count < row_calls_of_clock(row, clock)) ||
	       (clock == CLOCK_CUPTI && row->known & TOTAL_KNOWN);
}

struct estimated row_estimate(const struct row *row, enum clock_source clock)
{
	return clock == CLOCK_EVENTS && !row->summed
		       ? estimate_of(&row->estimate, row_calls_of_clock(row, clock))
		       : window_estimate_of(row, row_calls(row));
}

bool row_timed(const struct session *session, const struct row *row, struct timed_row *timed)
{
	struct estimated estimated;

	*timed = (struct timed_row){.row = row};
	timed->figures = row_figures(session, row, &timed->clock);
	if (timed->clock == CLOCK_NONE)
		return false;
	timed->estimated = row_is_estimated(row, timed->clock);
	if (timed->estimated) {
		estimated = row_estimate(row, timed->clock);
		timed->calls = row_calls_of_clock(row, timed->clock);
		timed->total = estimated.total;
		timed->squares = estimated.squares;
		timed->error = estimated.error;
	} else {
		timed->calls = timed->figures->count;
		timed->total = (double)timed->figures->total;
		timed->squares = timed->figures->squares;
	}
	return true;
}

double row_average(const struct session *session, const struct row *row)
{
	struct timed_row timed;

	return row_timed(session, row, &timed) && timed.calls ? timed.total / (double)timed.calls
							      : 0;
}

static int add_histogram(struct table_row *row, const struct histogram *histogram)
{
	if (histogram && !row->histogram)
		row->histogram = calloc(1, sizeof(*row->histogram));
	if (histogram && !row->histogram)
		return -ENOMEM;
	histogram_merge(row->histogram, histogram);
	return 0;
}

int table_row_add(struct table_row *sum, const struct session *session, const struct row *row,
		  bool histograms)
{
	struct timed_row timed;
	const struct figures *figures;

	sum->calls += row_calls(row);
	sum->more_calls |= row->more_calls != 0;
	sum->calls_about |= row->node_calls_estimated > 0;
	if (!row_timed(session, row, &timed))
		return 0;
	figures = timed.figures;
	sum->total += to_unsigned(timed.total + 0.5);
	sum->squares += timed.squares;
	sum->counted += timed.calls;
	sum->estimated |= timed.estimated;
	sum->error = sqrt(sum->error * sum->error + timed.error * timed.error);
	if (sum->timed == 0 || figures->minimum < sum->minimum)
		sum->minimum = figures->minimum;
	if (figures->maximum > sum->maximum)
		sum->maximum = figures->maximum;
	sum->timed += figures->count;
	if (sum->clock != CLOCK_EVENTS)
		sum->clock = timed.clock;
	return histograms ? add_histogram(sum, session_histogram(session, figures->histogram)) : 0;
}

static int compare_keys(const void *left, const void *right)
{
	const struct row *a = *(const struct row *const *)left;
	const struct row *b = *(const struct row *const *)right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return 0;
}

static int by_number(uint64_t left, uint64_t right)
{
	return left > right ? -1 : left < right;
}

static int compare_rows(const void *left, const void *right, void *argument)
{
	const struct table_row *a = left, *b = right;
	const struct options *options = argument;
	int order = 0;

	switch ((enum sort_key)options->sort) {
	case SORT_TIME:
		break;
	case SORT_CALLS:
		order = by_number(a->calls, b->calls);
		break;
	case SORT_AVERAGE:
		order = by_number(table_time(a, TABLE_AVERAGE), table_time(b, TABLE_AVERAGE));
		break;
	case SORT_MINIMUM:
		order = by_number(a->minimum, b->minimum);
		break;
	case SORT_MAXIMUM:
		order = by_number(a->maximum, b->maximum);
		break;
	case SORT_NAME:
		order = strcmp(a->name, b->name);
		break;
	}
	if (order == 0)
		order = by_number(a->total, b->total);
	return order ? order : strcmp(a->name, b->name);
}

enum table_section table_section_of(const struct session *session, const struct row *row)
{
	const uint64_t *counters = session_header(session)->counters;

	if (row->kind == ROW_GRAPH &&
	    (counters[COUNTER_graph_nodes] > 0 ||
	     (counters[COUNTER_graph_node_calls] > 0 && counters[COUNTER_windows] > 0)))
		return TABLE_GRAPHS;
	return row_is_gpu(row->kind)   ? TABLE_GPU
	       : row_is_api(row->kind) ? TABLE_API
				       : TABLE_SECTIONS;
}

static bool in_section(const struct session *session, const struct row *row,
		       enum table_section section, int device)
{
	if (device != TABLE_ALL_DEVICES && row->device != device)
		return false;
	if (row_calls(row) == 0)
		return false;
	return table_section_of(session, row) == section;
}

/* The session's rows of a section, those of the same name next to each other. */
static int collect_keys(const struct session *session, enum table_section section, int device,
			const struct row ***result, size_t *count)
{
	const struct row **rows = NULL, **grown;
	struct row *row;
	size_t room = 0;

	*count = 0;
	session_for_each_row (session, row) {
		if (!in_section(session, row, section, device))
			continue;
		grown = grow_list(rows, *count, &room, sizeof(*rows));
		if (!grown) {
			free(rows);
			return -ENOMEM;
		}
		rows = grown;
		rows[(*count)++] = row;
	}
	if (*count > 0)
		qsort(rows, *count, sizeof(*rows), compare_keys);
	*result = rows;
	return 0;
}

/* "[CUDA graph 1] 3 nodes: kernel, other kernel"; NULL if memory is out. */
static char *describe_graph(const struct filter *filter, const struct row *row, const char *name)
{
	const char *kernel = session_string(filter->session, row->kernels_listed);
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	fprintf(out, "%s %u node%s", name, row->nodes, row->nodes == 1 ? "" : "s");
	for (bool first = true; *kernel; first = false) {
		size_t size = strcspn(kernel, "\n");
		char *mangled = strndup(kernel, size);
		char *readable = mangled ? filter_kernel_text(filter, mangled) : NULL;

		if (readable)
			fprintf(out, "%s%s", first ? ": " : ", ", readable);
		free(readable);
		free(mangled);
		kernel += size + (kernel[size] == '\n');
	}
	fclose(out);
	return text;
}

char *table_row_name(struct filter *filter, const struct row *row)
{
	const char *name = filter_name(filter, row->kind, row->name);
	bool described = row->kind == ROW_GRAPH && row->nodes > 0;
	char *text;

	if (!name)
		return NULL;
	text = described ? describe_graph(filter, row, name) : strdup(name);
	if (text && row->kind != ROW_KERNEL && filter->options->name_most)
		filter_cut(text, filter->options->name_most);
	return text;
}

static int collect_rows(struct table *table, struct filter *filter, const struct row *const *rows,
			size_t count, bool histograms)
{
	struct table_row *sum = NULL;
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		const struct row *row = rows[i];

		if (!filter_shows(filter, row->kind, row->name, row->device))
			continue;
		if (!sum || compare_keys(&row, &sum->first) != 0) {
			sum = &table->rows[table->collected];
			*sum = (struct table_row){.name = table_row_name(filter, row),
						  .kind = row->kind,
						  .first = row};
			if (!sum->name)
				return -ENOMEM;
			table->collected++;
		}
		error = table_row_add(sum, filter->session, row, histograms);
	}
	return error;
}

void table_sort(struct table *table, const struct options *options)
{
	table->total = 0;
	for (size_t i = 0; i < table->collected; i++)
		table->total += table->rows[i].total;
	if (table->collected > 0)
		qsort_r(table->rows, table->collected, sizeof(*table->rows), compare_rows,
			(void *)options);
	table->count = table->collected;
	if (options->top > 0 && options->top < table->count)
		table->count = options->top;
}

int table_collect(struct table *table, const struct session *session, const struct options *options,
		  enum table_section section, int device, bool histograms)
{
	const struct row **rows = NULL;
	struct filter filter;
	size_t count;
	int error;

	*table = (struct table){.rows = NULL};
	error = filter_init(&filter, session, options);
	if (error)
		return error;
	error = collect_keys(session, section, device, &rows, &count);
	if (error)
		goto out;
	table->rows = calloc(count + 1, sizeof(*table->rows));
	if (!table->rows) {
		error = -ENOMEM;
		goto out;
	}
	error = collect_rows(table, &filter, rows, count, histograms);
	if (error)
		goto out;
	table_sort(table, options);
out:
	if (error)
		table_free(table);
	free(rows);
	filter_free(&filter);
	return error;
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->collected; i++) {
		free(table->rows[i].name);
		free(table->rows[i].histogram);
	}
	free(table->rows);
	*table = (struct table){.rows = NULL};
}

static uint64_t percentile(const struct table_row *row, double fraction)
{
	return row->histogram ? histogram_percentile_within(row->histogram, fraction, row->minimum,
							    row->maximum)
			      : row->minimum;
}

double table_variance(const struct table_row *row)
{
	return sample_variance(row->counted, (double)row->total, row->squares);
}

uint64_t table_time(const struct table_row *row, enum table_column column)
{
	if (row->timed == 0)
		return 0;
	switch (column) {
	case TABLE_TIME:
		return row->total;
	case TABLE_AVERAGE:
		/* As nvprof does it: what is left of a nanosecond is cut off. */
		return row->counted ? row->total / row->counted : 0;
	case TABLE_MINIMUM:
		return row->minimum;
	case TABLE_MAXIMUM:
		return row->maximum;
	case TABLE_MEDIAN:
		return percentile(row, 0.5);
	case TABLE_P95:
		return percentile(row, 0.95);
	case TABLE_P99:
		return percentile(row, 0.99);
	case TABLE_DEVIATION:
		return to_unsigned(sqrt(table_variance(row)) + 0.5);
	default:
		return 0;
	}
}
