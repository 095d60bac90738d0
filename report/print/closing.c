/* SPDX-License-Identifier: MIT */
/* The lines below the table: the clock, what was timed and what was not, and what ktime cost. */
#include <stdarg.h>
#include <string.h>

#include "report/energy/energy.h"
#include "report/names/visible.h"
#include "report/session/layout.h"
#include "report/print/report.h"
#include "report/print/table.h"

#define ROWS_NAMED    10 /* estimated rows that get a line each; the others are counted */
/* Of the run: an overhead under this is told with --verbose alone. Chosen. */
#define OVERHEAD_SAID 1.0 /* percent */

/* The GPU operations, by the clock that their row shows. */
struct coverage {
	uint64_t seen, timed, by_events;
	uint64_t untimed[UNTIMED_COUNT];  /* of rows without times, and of those by events */
	uint64_t unpaired[UNTIMED_COUNT]; /* without an event pair, in any row */
	uint64_t estimated; /* left out by sampling, and in an estimate: in neither list */
	uint64_t left_out;  /* operations of rows without times: the percentages leave them out */
	unsigned rows_by_cupti, rows_by_events, bounds; /* those whose times are upper bounds */
	bool sampled;					/* a row is an estimate from a sample */
	bool corrected[OVERHEAD_KINDS]; /* a row by events has the event-pair overhead taken off */
	bool queued, mostly_queued;	/* such a row has queued operations; most of its pairs do */
};

void report_begin(const struct report *report, const char *format, ...)
{
	va_list arguments;

	fputs(report->prefix, report->file);
	va_start(arguments, format);
	vfprintf(report->file, format, arguments);
	va_end(arguments);
}

void report_warn(const struct report *report, const char *format, ...)
{
	va_list arguments;

	report_begin(report, "%s", report->options->colour ? "\033[33m" : "");
	va_start(arguments, format);
	vfprintf(report->file, format, arguments);
	va_end(arguments);
	fprintf(report->file, "%s\n", report->options->colour ? "\033[0m" : "");
}

/* Of a row by events whose pairs do not hold the host's part. */
static void cover_overhead(struct coverage *coverage, const struct row *row)
{
	coverage->corrected[row->overhead] = true;
	if (row->overhead != OVERHEAD_KERNEL)
		return;
	coverage->queued |= row->queued > 0;
	coverage->mostly_queued |= row->queued > row->events.count / 2;
}

static void cover(struct coverage *coverage, const struct session *session)
{
	struct row *row;

	session_for_each_row (session, row) {
		uint64_t calls = row_calls(row);
		enum clock_source clock;
		const struct figures *figures = row_figures(session, row, &clock);

		if (!row_is_gpu(row->kind) || calls == 0)
			continue;
		for (unsigned i = 0; i < UNTIMED_COUNT; i++) {
			coverage->unpaired[i] += row->untimed[i];
			/* What sampling leaves out is in the estimate. */
			if (clock == CLOCK_EVENTS && i == UNTIMED_SAMPLED_OUT)
				coverage->estimated += row->untimed[i];
			else if (clock != CLOCK_CUPTI)
				coverage->untimed[i] += row->untimed[i];
		}
		coverage->left_out += clock == CLOCK_NONE ? calls : 0;
		coverage->rows_by_cupti += clock == CLOCK_CUPTI;
		coverage->rows_by_events += clock == CLOCK_EVENTS;
		coverage->bounds += clock == CLOCK_EVENTS && row_is_upper_bound(row);
		coverage->sampled |= row_is_estimated(row, clock) &&
				     !(clock == CLOCK_EVENTS && row_is_upper_bound(row));
		if (clock == CLOCK_EVENTS && !row->host_included && row->overhead < OVERHEAD_KINDS)
			cover_overhead(coverage, row);
		coverage->seen += calls;
		coverage->timed += clock == CLOCK_NONE ? 0 : figures->count;
		coverage->by_events += row->events.count;
	}
}

void report_wrap(const char *text, size_t indent, size_t width, FILE *file)
{
	size_t indented = 0;

	while (*text) {
		size_t length = 0, columns = indented, fits = 0;

		for (; text[length] && text[length] != '\n' && (columns <= width || !fits);
		     length++) {
			if (text[length] == '\033') { /* a colour */
				length += strcspn(text + length, "m");
				continue;
			}
			if (text[length] == ' ' && text[length + 1] != '%' && columns > indent)
				fits = length;
			columns += (text[length] & 0xc0) != 0x80;
		}
		if (columns <= width || !fits)
			fits = length;
		fwrite(text, 1, fits, file);
		fputc('\n', file);
		text += fits + (text[fits] != '\0');
		indented = fits < length ? indent : 0;
		fprintf(file, "%*s", (int)indented, "");
	}
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* "Not timed: no free event (3), ring full (1).": the reasons that apply. */
static void write_reasons(const struct report *report, const char *title, const uint64_t *reasons)
{
	char count[NUMBER_SIZE];
	unsigned written = 0;

	for (unsigned i = 0; i < UNTIMED_COUNT; i++) {
		if (reasons[i] == 0)
			continue;
		if (!written)
			report_begin(report, "%s: ", title);
		fprintf(report->file, "%s%s (%s)", written++ ? ", " : "", untimed_texts[i],
			number_count(count, reasons[i]));
	}
	if (written)
		fputs(".\n", report->file);
}

/* How many rows by events have upper bounds, and their names. */
static void write_bounds(struct report *report, const struct coverage *coverage)
{
	enum clock_source clock;
	const struct row *row;

	if (coverage->bounds)
		report_begin(report,
			     "Upper bounds: %u of %u rows by CUDA events; their times may include "
			     "host time, or waits for another engine or stream.\n",
			     coverage->bounds, coverage->rows_by_events);
	session_for_each_row (report->session, row) {
		row_figures(report->session, row, &clock);
		if (!row_is_gpu(row->kind) || clock != CLOCK_EVENTS || !row_is_upper_bound(row) ||
		    !filter_shows(&report->filter, row->kind, row->name, row->device))
			continue;
		report_begin(report, "Upper bound: %s\n",
			     filter_name(&report->filter, row->kind, row->name));
	}
}

/* What is taken off event pairs, and which rows it is not known for. */
static void write_corrections(struct report *report, const struct coverage *coverage)
{
	static const char *const names[OVERHEAD_KINDS] = {"kernels, memsets and device copies",
							  "copies to and from the host"};
	const struct session_header *header = session_header(report->session);
	char time[NUMBER_SIZE];
	unsigned written = 0;

	for (unsigned i = 0; i < OVERHEAD_KINDS; i++) {
		const struct event_overhead *overhead = &header->overheads[i];

		if (!coverage->corrected[i] || !overhead->pairs)
			continue;
		if (!written++)
			report_begin(report, "Event-pair overhead taken off: ");
		else
			fputs("; ", report->file);
		fprintf(report->file, "%s %s", names[i],
			number_range(time, (double)overhead->ns,
				     1.96 * (double)overhead->standard_error));
		if (i == OVERHEAD_KERNEL && coverage->queued && header->queued.pairs)
			fprintf(report->file, " (and %s more for those queued behind other work)",
				number_range(time, (double)header->queued.ns,
					     1.96 * (double)header->queued.standard_error));
	}
	if (written)
		fputs(".\n", report->file);
	for (unsigned i = 0; i < OVERHEAD_KINDS; i++)
		if (coverage->corrected[i] && !header->overheads[i].pairs)
			report_warn(
				report, "Times of %s include the event-pair overhead, which %s.",
				names[i],
				header->finished
					? "was not measured (a running program's is, at its end)"
					: "is measured when the program ends");
	if (coverage->mostly_queued && header->overheads[OVERHEAD_KERNEL].pairs &&
	    !header->queued.pairs)
		report_warn(
			report,
			"Times of kernels queued behind other work by CUDA events are too long by "
			"what such a pair of events adds, which has not been measured.");
	write_bounds(report, coverage);
}

/* Those that estimates stand for are not timed either. */
static void write_untimed(const struct report *report, const struct coverage *coverage)
{
	uint64_t untimed[UNTIMED_COUNT];

	memcpy(untimed, coverage->untimed, sizeof(untimed));
	untimed[UNTIMED_SAMPLED_OUT] += coverage->estimated;
	write_reasons(report, "Not timed", untimed);
}

static void write_timing(struct report *report, const struct coverage *coverage)
{
	char seen[NUMBER_SIZE], timed[NUMBER_SIZE];

	number_count(seen, coverage->seen);
	number_count(timed, coverage->timed);
	report_begin(report, "Timing: ");
	if (coverage->timed == 0) {
		fprintf(report->file,
			coverage->seen ? "none of %s GPU operation%s timed.\n"
				       : "no GPU operations.\n",
			seen, plural(coverage->seen));
	} else if (coverage->rows_by_cupti == 0 && coverage->timed < coverage->seen) {
		fprintf(report->file, "CUDA events on %s of %s operations%s.\n", timed, seen,
			coverage->sampled ? "; rows marked ~ are estimates" : "");
	} else {
		fputs(coverage->rows_by_cupti ? "CUPTI" : "CUDA events", report->file);
		if (coverage->rows_by_cupti && coverage->rows_by_events)
			fprintf(report->file, " (%u row%s by CUDA events)",
				coverage->rows_by_events, plural(coverage->rows_by_events));
		if (coverage->timed < coverage->seen)
			fprintf(report->file, "; %s of %s GPU operations timed%s.\n", timed, seen,
				coverage->sampled ? "; rows marked ~ are estimates" : "");
		else
			fprintf(report->file, "; %s%s GPU operation%s timed.\n",
				coverage->seen > 1 ? "all " : "", seen, plural(coverage->seen));
	}
	if (coverage->timed < coverage->seen)
		write_untimed(report, coverage);
	if (coverage->left_out && coverage->timed > 0)
		report_begin(report, "Time(%%) leaves out %s operation%s of rows without times.\n",
			     number_count(timed, coverage->left_out), plural(coverage->left_out));
	if (coverage->rows_by_cupti) {
		report_begin(report, "Timed by CUDA events too: %s of %s operations.\n",
			     number_count(timed, coverage->by_events), seen);
		write_reasons(report, "Not timed by events", coverage->unpaired);
	}
	write_corrections(report, coverage);
}

/* What was only counted, and what was not. */
static void write_counted(const struct report *report)
{
	const struct row *row = NULL;

	const uint64_t *counters = session_header(report->session)->counters;
	uint64_t outside = counters[COUNTER_operations_outside];
	char count[NUMBER_SIZE];

	if (counters[COUNTER_graph_node_calls] > 0 && counters[COUNTER_graph_nodes] == 0)
		report_begin(
			report,
			"Nodes of graphs: %s launched, counted and not timed; their time is in the "
			"graphs' rows.\n",
			number_count(count, counters[COUNTER_graph_node_calls]));
	if (outside > 0)
		report_begin(report,
			     "Outside the profiling window: %s GPU operation%s, counted only.\n",
			     number_count(count, outside), plural(outside));
	while ((row = session_next_row(report->session, row)) && !row->more_calls)
		;
	if (row)
		report_begin(
			report,
			"Rows marked > had more calls than are counted: recording one takes as "
			"long as the call (--print-api-trace records all).\n");
}

static const enum session_counter losses[] = {
	COUNTER_cupti_dropped, COUNTER_cupti_unread, COUNTER_cupti_invalid,
	COUNTER_cupti_unknown, COUNTER_rows_lost,    COUNTER_failed_calls,
	COUNTER_driver_errors, COUNTER_cupti_errors, COUNTER_memory_untracked,
};

static void write_losses(const struct report *report)
{
	const struct figure *figures = figures_of(SCOPE_RUN)->figures;
	const uint64_t *counts = session_header(report->session)->counters;
	char count[NUMBER_SIZE];

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (counts[losses[i]] > 0)
			report_warn(report, "Lost or failed: %s (%s).", figures[losses[i]].text,
				    number_count(count, counts[losses[i]]));
}

static int write_estimates(const struct report *report)
{
	struct table table;
	size_t estimated = 0;
	int error = table_collect(&table, report->session, report->options, TABLE_GPU,
				  TABLE_ALL_DEVICES, false);

	if (error)
		return error;
	for (size_t i = 0; i < table.count; i++) {
		const struct table_row *row = &table.rows[i];

		if (!row->estimated || row->bound || estimated++ >= ROWS_NAMED)
			continue;
		report_begin(report, "~ %s: ", row->name);
		table_estimate_write(row, row->calls_about, report->file);
		fputc('\n', report->file);
	}
	if (estimated > ROWS_NAMED)
		report_begin(report, "~ %zu more row%s.\n", estimated - ROWS_NAMED,
			     plural(estimated - ROWS_NAMED));
	table_free(&table);
	return 0;
}

static void write_budget(const struct report *report, double wall)
{
	const struct session_header *header = session_header(report->session);
	const double part = 100 / wall, added = part * (double)header->counters[COUNTER_added_ns],
		     cupti = part * (double)header->counters[COUNTER_cupti_added_ns];

	if (header->budget_given && wall > 0)
		report_begin(report,
			     "Budget: %g %%; spent about %.2g %%: %.2g %% by CUPTI, %.2g %% by "
			     "hooks and "
			     "event pairs; measured in the program's calls: %.2g %%.\n",
			     header->budget_percent, added, cupti, added - cupti,
			     part * (double)header->counters[COUNTER_host_ns]);
}

/* How long the profiling windows were that are a part of the run, as seen by the device whose first
 * and last operation are furthest apart; 0 where all of the run was profiled. */
static double profiled_part(const struct session *session)
{
	const struct session_header *header = session_header(session);
	uint64_t longest = 0;

	/* The times of several processes are summed up. */
	if (header->processes || !header->counters[COUNTER_operations_outside])
		return 0;
	for (uint32_t i = 0; i < SESSION_DEVICES; i++) {
		uint64_t time = use_time(&header->uses[i]);

		RAISE(longest, time);
	}
	return (double)longest;
}

/*
 * By how much the run became longer. The calls' part and the device's go on at the same time as
 * the program's work, so that what they add up to is more than that, and has a line of its own.
 */
static void write_longer(const struct report *report, double added, double wall)
{
	const bool processes = session_header(report->session)->processes;
	double profiled = profiled_part(report->session);
	char text[NUMBER_SIZE];

	fprintf(report->file, "the %s took about %s longer (",
		processes ? "processes together" : "run", number_about(text, added, 2));
	fprintf(report->file, added < 0.1 * wall ? "%.2g %% of %s%s" : "%.0f %% of %s%s",
		100 * added / wall, processes ? "their " : "", number_about(text, wall, 3));
	if (profiled > 0)
		fprintf(report->file,
			added < 0.1 * profiled ? "; %.2g %% of the %s profiled"
					       : "; %.0f %% of the %s profiled",
			100 * added / profiled, number_about(text, profiled, 3));
	fputs("), ", report->file);
}

/* What was measured, and what CUPTI and events are known to cost. */
static void write_spent(const struct report *report)
{
	const uint64_t *counters = session_header(report->session)->counters;
	/* CUPTI costs where it does not record, too. */
	const uint64_t host = counters[COUNTER_host_ns], gpu = counters[COUNTER_gpu_ns],
		       cupti = counters[COUNTER_cupti_ns] + counters[COUNTER_cupti_standing_ns];
	const double sum = (double)(host + cupti + gpu), added = (double)counters[COUNTER_added_ns];
	char text[NUMBER_SIZE];

	if (!host && !cupti && !gpu)
		return;
	report_begin(report, "Overhead on the program's threads");
	if (counters[COUNTER_threads] > 1)
		fprintf(report->file, " (%s)", number_count(text, counters[COUNTER_threads]));
	fprintf(report->file, ": %s in ktime, measured", number_about(text, (double)host, 2));
	if (cupti)
		fprintf(report->file, ", and %s in CUPTI, assumed",
			number_about(text, (double)cupti, 2));
	if (gpu)
		fprintf(report->file, "; on the GPU: %s, assumed",
			number_about(text, (double)gpu, 2));
	if (sum > added) {
		fprintf(report->file,
			". Of this about %s delayed the run%s; the rest passed beside its other "
			"work",
			number_about(text, added, 2), cupti ? ", in the GPU's idle time" : "");
	}
	fputs(".\n", report->file);
}

static void write_overhead(const struct report *report)
{
	const struct session_header *header = session_header(report->session);
	const uint64_t *counters = header->counters;
	double wall = (double)counters[COUNTER_wall_ns], added = (double)counters[COUNTER_added_ns];
	char text[NUMBER_SIZE];
	bool over = header->budget_percent > 0 && 100 * added > header->budget_percent * wall;

	report_begin(report, "Overhead: ");
	if (wall > 0)
		write_longer(report, added, wall);
	fprintf(report->file, "%s of CPU in the background",
		number_about(text,
			     (double)(counters[COUNTER_collector_ns] + counters[COUNTER_energy_ns]),
			     2));
	fprintf(report->file, ", %s.\n", number_bytes_about(text, counters[COUNTER_memory_bytes]));
	write_spent(report);
	write_budget(report, wall);
	if (over && 100 * (double)counters[COUNTER_cupti_added_ns] > header->budget_percent * wall)
		report_warn(report, "Overhead: CUPTI alone is over the budget of %g %%; %s.",
			    header->budget_percent,
			    header->budget_given
				    ? "--timer events costs less"
				    : "with --budget CUPTI is started only if its cost fits");
	else if (over)
		report_warn(report, "Overhead: over the budget of %g %%.", header->budget_percent);
}

struct figure_row {
	const struct figure *figure;
	const struct row *row;
	const char *name;
};

static const struct column figure_columns[] = {{NULL, "Figure", .kind = CELL_TEXT},
					       {NULL, "Value", .kind = CELL_WORD},
					       {NULL, "GPU", .kind = CELL_WORD},
					       {NULL, "Name", .kind = CELL_TEXT}};

static void fill_figure(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct figure_row *of = (const struct figure_row *)sheet->argument + index;

	cell_text(&cells[0], of->figure->name);
	cell_print(&cells[1], "%.15g", figure_value(of->figure, of->row));
	cell_print(&cells[2], "%d", of->row->device);
	cell_text(&cells[3], of->name);
}

/* The rows that have a figure: in text behind each other, in CSV one a line. */
static void write_figure(struct report *report, const struct figure *figure)
{
	struct figure_row of = {.figure = figure};
	struct sheet sheet = {SHEET_OF(figure_columns), .row = fill_figure, .argument = &of,
			      .rows = 1};
	bool begun = false;

	session_for_each_row (report->session, of.row) {
		double value = figure_value(figure, of.row);
		char text[NUMBER_SIZE];

		if (!figure_is_known(figure, of.row) || !(value > 0) ||
		    !filter_shows(&report->filter, of.row->kind, of.row->name, of.row->device))
			continue;
		of.name = filter_name(&report->filter, of.row->kind, of.row->name);
		sheet.continued = begun;
		if (report->options->csv)
			report_sheet(report, &sheet);
		else if (!begun)
			report_begin(report, "%s: ", figure->text);
		if (!report->options->csv)
			fprintf(report->file, "%s%s %s", begun ? ", " : "", of.name,
				number_figure(text, figure, value));
		begun = true;
	}
	if (begun && !report->options->csv)
		fputs(".\n", report->file);
}

double figures_of_rows(const struct session *session, const struct figure *figure)
{
	static struct row sum; /* too large for a small stack */
	const struct figure_table table = {.figures = figure, .count = 1};
	const struct row *row, *first = session_next_row(session, NULL);

	memset(&sum, 0, sizeof(sum));
	for (row = first; row; row = session_next_row(session, row)) {
		if (row == first)
			sum = *row;
		else
			figures_merge(&table, &sum, row);
	}
	return figure_is_known(figure, &sum) ? figure_value(figure, &sum) : 0;
}

void figures_write(struct report *report)
{
	const struct figure_table *table = figures_of(SCOPE_ROW);

	for (unsigned i = 0; i < table->count; i++)
		if (table->figures[i].shown == SHOWN_LISTED)
			write_figure(report, &table->figures[i]);
}

/* What is not as it should be, or has to be known to read the table: parts of one sentence. */
struct remarks {
	char text[1024];
	size_t length;
	unsigned count;
};

static void __attribute__((format(printf, 2, 3)))
remark(struct remarks *remarks, const char *format, ...)
{
	size_t room = sizeof(remarks->text) - remarks->length;
	va_list arguments;
	int length;

	length =
		snprintf(remarks->text + remarks->length, room, "%s", remarks->count++ ? "; " : "");
	remarks->length += (size_t)length < room ? (size_t)length : room - 1;
	room = sizeof(remarks->text) - remarks->length;
	va_start(arguments, format);
	length = vsnprintf(remarks->text + remarks->length, room, format, arguments);
	va_end(arguments);
	remarks->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void remark_losses(struct remarks *remarks, const struct session_header *header)
{
	const struct figure *figures = figures_of(SCOPE_RUN)->figures;
	char count[NUMBER_SIZE];

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (header->counters[losses[i]] > 0)
			remark(remarks, "%s (%s)", figures[losses[i]].text,
			       number_count(count, header->counters[losses[i]]));
	if (header->counters[COUNTER_trace_lost])
		remark(remarks, "%s records of the trace were not kept",
		       number_count(count, header->counters[COUNTER_trace_lost]));
}

/* How many operations have no time, and the reason of most of them. */
static void remark_untimed(struct remarks *remarks, const struct coverage *coverage)
{
	unsigned most = 0;
	uint64_t sum = 0;
	char count[NUMBER_SIZE], all[NUMBER_SIZE];

	for (unsigned i = 0; i < UNTIMED_COUNT; i++) {
		sum += coverage->untimed[i];
		most = coverage->untimed[i] > coverage->untimed[most] ? i : most;
	}
	if (!sum && !coverage->sampled && coverage->seen > coverage->timed)
		sum = coverage->seen - coverage->timed;
	if (!sum)
		return;
	remark(remarks, "%s of %s operations not timed%s%s%s", number_count(count, sum),
	       number_count(all, coverage->seen), coverage->untimed[most] ? " (" : "",
	       coverage->untimed[most] ? untimed_texts[most] : "",
	       coverage->untimed[most] ? ")" : "");
}

static int remark_clocks(struct remarks *remarks, struct report *report)
{
	size_t disagreeing, rows;
	int error = agreement_count(report, &disagreeing, &rows);

	if (!error && disagreeing)
		remark(remarks,
		       "CUDA events differ from CUPTI on %zu of %zu rows, which show CUPTI's "
		       "times (--cross-check)",
		       disagreeing, rows);
	return error;
}

static void remark_overheads(struct remarks *remarks, const struct coverage *coverage,
			     const struct session_header *header)
{
	const double wall = (double)header->counters[COUNTER_wall_ns],
		     added = 100 * (double)header->counters[COUNTER_added_ns];
	bool unmeasured = false;

	for (unsigned i = 0; i < OVERHEAD_KINDS; i++)
		unmeasured |= coverage->corrected[i] && !header->overheads[i].pairs;
	if (unmeasured)
		remark(remarks, "times by events include the event-pair overhead, which %s",
		       header->finished ? "was not measured (a running program's is, at its end)"
					: "is measured when the program ends");
	if (wall > 0 && added >= OVERHEAD_SAID * wall)
		remark(remarks, "ktime made the run about %.2g %% longer%s", added / wall,
		       header->budget_percent > 0 && added > header->budget_percent * wall
			       ? ", more than its budget"
			       : "");
}

static void write_notes(const struct report *report)
{
	const struct session_header *header = session_header(report->session);

	for (uint32_t i = 0; i < header->note_count && i < SESSION_NOTES; i++) {
		const char *note = session_string(report->session, header->notes[i]);

		if (*note)
			visible_line(report->file, "%s%s", report->prefix, note);
	}
}

/* The notes of the run, of which the first is written in full. */
static void write_remarks(const struct report *report, const struct remarks *remarks)
{
	const struct session_header *header = session_header(report->session);
	const char *first = "";
	char more[64] = "";
	unsigned notes = 0;

	for (uint32_t i = 0; i < header->note_count && i < SESSION_NOTES; i++) {
		const char *note = session_string(report->session, header->notes[i]);

		if (*note && !notes++)
			first = note;
	}
	/* A merged profile's tell which files it lacks: all of them count. */
	if (header->processes) {
		write_notes(report);
		notes = 0;
		first = "";
	}
	if (notes > 1)
		snprintf(more, sizeof(more), " (%u more: --verbose)", notes - 1);
	if (remarks->count || notes)
		visible_line(report->file, "%s%s%s%s%s%s", report->prefix,
			     remarks->count ? "Note: " : "", remarks->text,
			     !remarks->count ? ""
			     : notes	     ? ". "
					     : ".",
			     first, more);
}

int brief_write(struct report *report)
{
	const struct session_header *header = session_header(report->session);
	struct coverage coverage = {0};
	struct remarks remarks = {.count = 0};
	char held[MEMORY_HELD_SIZE];
	int error;

	cover(&coverage, report->session);
	if (!header->finished && header->pid)
		remark(&remarks, "the program was killed or still runs, its last operations may be "
				 "missing");
	remark_untimed(&remarks, &coverage);
	remark_losses(&remarks, header);
	error = remark_clocks(&remarks, report);
	remark_overheads(&remarks, &coverage, header);
	if (memory_held_text(report->session, held))
		remark(&remarks, "%s", held);
	if (coverage.sampled)
		remark(&remarks, "~ marks estimates from a sample, ± half their 95 %% interval");
	if (coverage.bounds)
		remark(&remarks,
		       "≤ marks upper bounds: times by events that may include host time "
		       "or waits (exact ones: %s)",
		       exact_times_by(report->session));
	use_write_brief(report);
	if (!report->options->csv)
		energy_write(report->session, report->options, report->prefix, report->file);
	write_remarks(report, &remarks);
	return error;
}

int closing_write(struct report *report, bool use)
{
	const struct session_header *header = session_header(report->session);
	struct coverage coverage = {0};
	int error;

	if (!header->finished && header->pid)
		report_warn(report, "The program was killed or is still running: its last "
				    "operations may be missing.");
	cover(&coverage, report->session);
	write_timing(report, &coverage);
	error = write_estimates(report);
	if (!error)
		error = agreement_write(report);
	write_counted(report);
	write_losses(report);
	if (use)
		use_write(report);
	/* The page has sections of what follows, too. */
	if (use || !session_next_item(report->session, SEGMENT_MEMORY, NULL))
		memory_line_write(report->session, report->prefix, report->file);
	if (use)
		energy_write(report->session, report->options, report->prefix, report->file);
	trace_size_write(report->session, report->prefix, report->file);
	write_overhead(report);
	if (!error && !report->options->csv)
		figures_write(report);
	write_notes(report);
	return error;
}
