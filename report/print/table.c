/* SPDX-License-Identifier: MIT */
#include "report/print/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/cut_name.h"
#include "report/print/report.h"
#include "report/session/entries.h"
#include "report/session/memory.h"
#include "report/session/text.h"

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
 * as what a pair holds is known less well than an interval says (docs/internals/accuracy.md). */
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

bool row_is_upper_bound(const struct row *row)
{
	uint64_t half = row->events.count / 2;

	return row->host_included > 0 || row->may_wait > half || row->beside > half;
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

int table_row_add(struct table_row *sum, const struct session *session, const struct row *row,
		  bool histograms)
{
	const struct histogram *histogram;
	const struct figures *figures;
	struct timed_row timed;

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
	sum->bound |= timed.clock == CLOCK_EVENTS && row_is_upper_bound(row);
	sum->error = sqrt(sum->error * sum->error + timed.error * timed.error);
	if (sum->timed == 0 || figures->minimum < sum->minimum)
		sum->minimum = figures->minimum;
	RAISE(sum->maximum, figures->maximum);
	sum->timed += figures->count;
	if (sum->clock != CLOCK_EVENTS)
		sum->clock = timed.clock;
	histogram = histograms ? session_histogram(session, figures->histogram) : NULL;
	if (histogram && !sum->histogram)
		sum->histogram = calloc(1, sizeof(*sum->histogram));
	if (histogram && !sum->histogram)
		return -ENOMEM;
	histogram_merge(sum->histogram, histogram);
	return 0;
}

static uint64_t sort_value(const struct table_row *row, enum sort_key key)
{
	switch (key) {
	case SORT_CALLS:
		return row->calls;
	case SORT_AVERAGE:
		return table_time(row, TABLE_AVERAGE);
	case SORT_MINIMUM:
		return row->minimum;
	case SORT_MAXIMUM:
		return row->maximum;
	case SORT_NAME:
		return 0;
	default:
		return row->total;
	}
}

static int compare_rows(const void *left, const void *right, void *argument)
{
	const struct table_row *a = left, *b = right;
	const enum sort_key keys[] = {((const struct options *)argument)->sort, SORT_TIME};
	int order = keys[0] == SORT_NAME ? strcmp(a->name, b->name) : 0;

	for (unsigned i = 0; i < 2 && !order; i++)
		order = IN_ORDER(sort_value(b, keys[i]), sort_value(a, keys[i]));
	return order ?: strcmp(a->name, b->name);
}

void table_estimate_write(const struct table_row *row, bool about, FILE *file)
{
	char total[NUMBER_SIZE], timed[NUMBER_SIZE], calls[NUMBER_SIZE];
	bool known = !isnan(row->error);

	fprintf(file, "%s%s, from %s of %s%s calls",
		known ? number_range(total, (double)row->total, row->error)
		      : number_about(total, (double)row->total, 3),
		known ? " (95 %)" : "", number_count(timed, row->timed), about ? "about " : "",
		number_count(calls, row->counted));
	if (!known)
		fprintf(file, "; no interval: too few %s",
			row->clock == CLOCK_CUPTI ? "recording windows" : "samples");
	fputc('.', file);
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
	text_close(out, &text);
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
		cut_middle(text, filter->options->name_most);
	return text;
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

struct place {
	struct entry entry; /* by a kind and a name */
	size_t number;	    /* of the table's row, from 1 */
};

struct collection {
	struct table *table;
	struct filter filter;
	struct entry *places;
	size_t room;
	bool histograms;
};

static int collect_row(struct collection *collection, const struct row *row)
{
	const uint64_t key[ENTRY_NUMBERS] = {row->kind, row->name};
	struct place *place = entry_of(&collection->places, key, sizeof(*place));
	struct table *table = collection->table;

	if (!place)
		return -ENOMEM;
	if (!place->number) {
		if (!LIST_HAS_ROOM(table->rows, table->collected, collection->room))
			return -ENOMEM;
		table->rows[table->collected] =
			(struct table_row){.name = table_row_name(&collection->filter, row),
					   .kind = row->kind,
					   .first = row};
		if (!table->rows[table->collected].name)
			return -ENOMEM;
		place->number = ++table->collected;
	}
	return table_row_add(&table->rows[place->number - 1], collection->filter.session, row,
			     collection->histograms);
}

int table_collect(struct table *table, const struct session *session, const struct options *options,
		  enum table_section section, int device, bool histograms)
{
	struct collection collection = {.table = table, .histograms = histograms};
	const struct row *row;
	int error;

	*table = (struct table){.rows = NULL};
	error = filter_init(&collection.filter, session, options);
	if (error)
		return error;
	session_for_each_row (session, row)
		if (!error && in_section(session, row, section, device) &&
		    filter_shows(&collection.filter, row->kind, row->name, row->device))
			error = collect_row(&collection, row);
	if (error)
		table_free(table);
	else
		table_sort(table, options);
	entries_free(&collection.places);
	filter_free(&collection.filter);
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

uint64_t table_percentile(const struct table_row *row, double fraction, bool *exact)
{
	/* An estimate's total is not that of the calls in the histogram. */
	const struct samples known = {.count = row->timed,
				      .total = row->estimated ? 0 : row->total,
				      .minimum = row->minimum,
				      .maximum = row->maximum};

	*exact = true;
	return row->histogram ? histogram_percentile_of(row->histogram, fraction, &known, exact)
			      : row->minimum;
}

static const double fractions[TABLE_COLUMN_COUNT] = {
	[TABLE_MEDIAN] = 0.5, [TABLE_P95] = 0.95, [TABLE_P99] = 0.99};

double table_variance(const struct table_row *row)
{
	return sample_variance(row->counted, (double)row->total, row->squares);
}

uint64_t table_time(const struct table_row *row, enum table_column column)
{
	bool exact;

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
	case TABLE_P95:
	case TABLE_P99:
		return table_percentile(row, fractions[column], &exact);
	case TABLE_DEVIATION:
		return to_unsigned(sqrt(table_variance(row)) + 0.5);
	default:
		return 0;
	}
}

/* nvprof's summary, as text and as CSV, and the histograms of its rows. */

#define TITLE_WIDTH 16

static const struct column columns[] = {
	{"Type", "Type", .page = "", .width = TITLE_WIDTH, .once = true, .parts = SUMMARY_WIDE},
	{"Type", NULL, .page = "", .line = "", .parts = SUMMARY_NARROW},
	{"Time(%)", "Time(%)", .kind = CELL_PERCENT, .width = 7},
	{"Time", "Time", .kind = CELL_TIME, .width = 8},
	{"±", NULL, .page = "", .kind = CELL_REAL, .width = 8, .parts = SUMMARY_INTERVALS},
	{"Calls", "Calls", .kind = CELL_COUNT, .width = 8},
	{"Avg", "Avg", .kind = CELL_TIME, .width = 8},
	{"Min", "Min", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_EXTREMES},
	{"Max", "Max", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_EXTREMES},
	{"Med", "Med", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_PERCENTILES},
	{"p95", "p95", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_PERCENTILES},
	{"p99", "p99", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_PERCENTILES},
	{"StdDev", "StdDev", .kind = CELL_TIME, .width = 8, .parts = SUMMARY_PERCENTILES},
	{"Name", "Name", .name = true, .head = true},
};

/* nvprof writes the colon of a range in CSV too. */
static const char *section_title(enum table_section section, bool csv)
{
	static const char *const titles[] = {
		"Range:", "GPU activities:", "CUDA graphs:", "API calls:"};
	static const char *const plain[] = {"Range:", "GPU activities", "CUDA graphs", "API calls"};

	return (csv ? plain : titles)[section];
}

/* Half the 95 % interval of an estimate, in percent of it; nothing of what was all timed. */
static void fill_interval(struct cell *cell, const struct table_row *row)
{
	if (!row->estimated || row->bound || isnan(row->error) || !row->total)
		cell_text(cell, row->estimated && !row->bound ? "?" : "");
	else
		cell_print(cell, "%.1f%%", 100 * row->error / (double)row->total);
}

void summary_fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct table *table = sheet->argument;
	const struct table_row *row;
	enum table_section section = TABLE_RANGE;

	for (; index >= table->count; section++)
		index -= table++->count;
	row = &table->rows[index];
	for (unsigned i = 0; i < 2; i++)
		cell_group(cells++, section, section_title(section, sheet->form == SHEET_CSV));
	if (row->timed > 0)
		cell_real(cells, table_percent(table, row));
	cells++;
	for (enum table_column column = TABLE_TIME; column < TABLE_COLUMN_COUNT; column++) {
		bool is_extreme = column == TABLE_MINIMUM || column == TABLE_MAXIMUM, exact;

		/* Calls of a range that nobody has timed have no shortest one. */
		if (row->timed > 0 && !(is_extreme && row->minimum == UINT64_MAX))
			cell_count(cells, table_time(row, column));
		if (cells->known && fractions[column] > 0) {
			table_percentile(row, fractions[column], &exact);
			cells->about = !exact;
		}
		cells++;
		if (column != TABLE_TIME)
			continue;
		/* The lines below the table say what the marks mean. */
		if (row->estimated || row->bound)
			cells[-1].mark = row->bound ? '<' : '~';
		if (row->estimated && !row->bound)
			cells[-1].error = row->error;
		fill_interval(cells++, row);
		cell_count(cells, row->calls);
		cells++->mark = row->more_calls ? '>' : '\0';
	}
	cell_text(cells, row->name);
}

void summary_sheet(struct sheet *sheet, const struct table *tables)
{
	*sheet = (struct sheet){SHEET_OF(columns), .row = summary_fill_row, .argument = tables,
				.parts = SUMMARY_WIDE | SUMMARY_EXTREMES};
	for (unsigned section = TABLE_RANGE; section <= TABLE_API; section++)
		sheet->rows += tables[section].count;
}

/*
 * As nvprof: a column takes the unit of its largest value in the first section that has times. The
 * API's times, often much longer, do not make the kernels' times unreadable.
 */
static void fit_sheet(struct sheet *sheet, const struct table *tables,
		      const struct options *options, bool percentiles)
{
	size_t longest = 0, first = 0,
	       times = percentiles ? TABLE_COLUMN_COUNT : TABLE_NVPROF_COLUMNS;
	const struct table *timed = tables;
	bool estimated = false;

	summary_sheet(sheet, tables);
	for (unsigned section = TABLE_RANGE; section <= TABLE_API; section++)
		for (size_t i = 0; i < tables[section].count; i++) {
			size_t length = strlen(tables[section].rows[i].name);

			RAISE(longest, length);
			estimated |=
				tables[section].rows[i].estimated && !tables[section].rows[i].bound;
		}
	if (options->width &&
	    TITLE_WIDTH + 2 + TABLE_FIGURES_WIDTH(times + estimated) + longest > options->width)
		sheet->parts ^= SUMMARY_WIDE | SUMMARY_NARROW;
	sheet->parts |= percentiles ? SUMMARY_PERCENTILES : 0;
	sheet->parts |= estimated && options->format == FORMAT_AUTO ? SUMMARY_INTERVALS : 0;
	sheet->form = sheet_form_of(options);
	sheet->bold = options->colour;
	for (; timed->total == 0 && timed < &tables[TABLE_API]; timed++)
		first += timed->count;
	sheet_choose_units(sheet, options->unit, first, timed->count);
}

void summary_write_range(const struct table *tables, const struct options *options, FILE *file)
{
	struct sheet sheet;
	size_t rows;

	fit_sheet(&sheet, tables, options, false);
	rows = sheet.rows;
	sheet.rows = tables[TABLE_RANGE].count + tables[TABLE_GPU].count;
	sheet_write(&sheet, file);
	if (tables[TABLE_GPU].count == 0)
		fputs("No kernels were profiled in this range.\n", file);
	sheet.first = sheet.rows;
	sheet.continued = true;
	sheet.rows = rows;
	sheet_write(&sheet, file);
	if (tables[TABLE_API].count == 0)
		fputs("No API activities were profiled in this range.\n", file);
}

/* On a terminal: the calls that took 0.00 % of all are not worth their lines. */
static void leave_out_least(struct table *calls, const struct options *options)
{
	if ((!options->colour && !options->width) || options->verbose || options->sort != SORT_TIME)
		return;
	while (calls->count > 1 && table_percent(calls, &calls->rows[calls->count - 1]) < 0.005)
		calls->count--;
}

int summary_write(const struct report *report, bool gpu, bool api, int device)
{
	const bool wanted[TABLE_SECTIONS] = {
		[TABLE_GPU] = gpu, [TABLE_GRAPHS] = gpu, [TABLE_API] = api};
	struct table tables[TABLE_SECTIONS] = {{.rows = NULL}};
	struct sheet sheet;
	int error = 0;

	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++)
		if (wanted[section] && !error)
			error = table_collect(&tables[section], report->session, report->options,
					      section, device, report->options->percentiles);
	if (error)
		goto out;
	leave_out_least(&tables[TABLE_API], report->options);
	fit_sheet(&sheet, tables, report->options, report->options->percentiles);
	if (gpu && tables[TABLE_GPU].count == 0)
		fputs("No kernels were profiled.\n", report->file);
	if (sheet.rows > 0)
		sheet_write(&sheet, report->file);
	if (api && tables[TABLE_API].count == 0)
		fputs("No API activities were profiled.\n", report->file);
out:
	for (unsigned section = TABLE_GPU; section <= TABLE_API; section++)
		table_free(&tables[section]);
	return error;
}

/* Each row's histogram, drawn in text. */
#define LINES_MOST 16
#define BAR_WIDTH  50

bool bars_of(struct bars *bars, const struct histogram *histogram, unsigned most)
{
	*bars = (struct bars){.last = HISTOGRAM_BUCKETS - 1, .step = 1};
	while (bars->first < bars->last && histogram->buckets[bars->first] == 0)
		bars->first++;
	while (bars->last > bars->first && histogram->buckets[bars->last] == 0)
		bars->last--;
	while ((bars->last - bars->first) / bars->step >= most)
		bars->step++;
	bars->count = (bars->last - bars->first) / bars->step + 1;
	for (unsigned bucket = bars->first; bucket <= bars->last; bucket++)
		bars->calls[(bucket - bars->first) / bars->step] += histogram->buckets[bucket];
	for (unsigned i = 0; i < bars->count; i++) {
		bars->all += bars->calls[i];
		RAISE(bars->largest, bars->calls[i]);
	}
	return bars->largest > 0;
}

static void write_bars(const struct bars *bars, FILE *file)
{
	static const char bar[] = "##################################################";
	char low[NUMBER_SIZE], high[NUMBER_SIZE];

	for (unsigned i = 0; i < bars->count; i++) {
		unsigned from = bars->first + i * bars->step, to = from + bars->step - 1;
		/* Rounded up: what is there is seen. */
		uint64_t width = (bars->calls[i] * BAR_WIDTH + bars->largest - 1) / bars->largest;

		fprintf(file, "%10s ..%10s  %10llu  %.*s\n",
			number_time(low, histogram_bucket_low(from)),
			number_time(high,
				    histogram_bucket_high(to < bars->last ? to : bars->last) - 1),
			(unsigned long long)bars->calls[i], (int)width, bar);
	}
}

int histograms_write(const struct report *report)
{
	int error = 0;

	for (enum table_section section = TABLE_GPU; section <= TABLE_API && !error; section++) {
		struct table table;

		if (section == TABLE_API && !(report->options->trace & TRACE_API))
			break;
		error = table_collect(&table, report->session, report->options, section,
				      TABLE_ALL_DEVICES, true);
		for (size_t i = 0; !error && i < table.count; i++) {
			struct bars bars;

			/* A damaged file may have one of zeros for calls that were timed. */
			if (!table.rows[i].histogram ||
			    !bars_of(&bars, table.rows[i].histogram, LINES_MOST))
				continue;
			fprintf(report->file, "\n%s\n", table.rows[i].name);
			write_bars(&bars, report->file);
		}
		if (!error)
			table_free(&table);
	}
	return error;
}
