/* SPDX-License-Identifier: MIT */
/* What stands after the table: the clock, what was seen and timed, and what ktime cost. */
#include <stdlib.h>
#include <string.h>

#include "report/print/agreement.h"
#include "report/print/number.h"
#include "report/print/report.h"
#include "report/print/table.h"

/* Rows that are named one by one; more are counted. */
#define ROWS_NAMED 10

#define BIAS_NAMES                                                                                 \
	{                                                                                          \
		"kernels", "memsets", "pinned copies", "device copies", "graphs"                   \
	}

#define UNTIMED_TEXT(name, text) text,
static const char *const untimed_texts[] = {UNTIMED_REASONS(UNTIMED_TEXT)};

/* The operations of the GPU rows. */
struct coverage {
	uint64_t seen, by_cupti, by_events, timed;
	uint64_t untimed[UNTIMED_COUNT]; /* by events */
	unsigned rows_by_cupti, rows_by_events;
	bool biased[BIAS_KINDS]; /* what was taken off a row that is shown by events */
};

static void cover(struct coverage *coverage, const struct session *session)
{
	struct row *row;
	unsigned i;

	session_for_each_row (session, row) {
		uint64_t calls = row_calls(row);
		enum clock_source clock;
		const struct figures *figures = row_figures(session, row, &clock);

		if (!row_is_gpu(row->kind))
			continue;
		for (i = 0; i < UNTIMED_COUNT; i++)
			coverage->untimed[i] += row->untimed[i];
		if (calls == 0)
			continue;
		coverage->rows_by_cupti += clock == CLOCK_CUPTI;
		coverage->rows_by_events += clock == CLOCK_EVENTS;
		if (clock == CLOCK_EVENTS && !row->host_included && row->bias < BIAS_KINDS)
			coverage->biased[row->bias] = true;
		coverage->seen += calls;
		coverage->timed += clock == CLOCK_NONE ? 0 : figures->count;
		coverage->by_cupti += row->cupti.count;
		coverage->by_events += row->events.count;
	}
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* "; 3 no free event, 1 ring full": the reasons that apply. */
static void write_reasons(const struct coverage *coverage, const char *open, const char *close,
			  FILE *file)
{
	char count[NUMBER_SIZE];
	unsigned i, written = 0;

	for (i = 0; i < UNTIMED_COUNT; i++) {
		if (coverage->untimed[i] == 0)
			continue;
		fprintf(file, "%s%s %s", written++ ? ", " : open,
			number_count(count, coverage->untimed[i]), untimed_texts[i]);
	}
	if (written)
		fputs(close, file);
}

/* Of the kinds that there are in the rows: what was taken off each, and where it is known from. */
static void write_biases(const struct session *session, const struct coverage *coverage, FILE *file)
{
	static const char *const names[BIAS_KINDS] = BIAS_NAMES;
	const struct session_header *header = session_header(session);
	char time[NUMBER_SIZE];
	uint64_t doubt = 0;
	unsigned i, written = 0;

	for (i = 0; i < BIAS_KINDS; i++) {
		if (!coverage->biased[i])
			continue;
		fprintf(file, "%s%s %s", written++ ? ", " : ", less their bias (", names[i],
			number_time(time, header->biases[i].ns));
		if (doubt < header->biases[i].doubt)
			doubt = header->biases[i].doubt;
	}
	if (doubt)
		fprintf(file, "; known from H200s, +- %s",
			number_time(time, (uint64_t)(1.96 * (double)doubt)));
	if (written)
		fputc(')', file);
}

static void write_clock(const struct session *session, const struct coverage *coverage,
			const char *prefix, FILE *file)
{
	const struct session_header *header = session_header(session);
	char count[NUMBER_SIZE];

	fprintf(file, "%sTimes: ", prefix);
	if (coverage->timed == 0) {
		fputs("none", file);
	} else if (coverage->rows_by_cupti == 0) {
		fputs("CUDA events around each operation", file);
		write_biases(session, coverage, file);
		fputs("; a wait of the device for the host within a pair is in them", file);
	} else {
		fputs("CUPTI activity records", file);
		if (coverage->rows_by_events > 0)
			fprintf(file, " (%u row%s by CUDA events)", coverage->rows_by_events,
				plural(coverage->rows_by_events));
	}
	fprintf(file, ". %s operation%s seen", number_count(count, coverage->seen),
		plural(coverage->seen));
	fprintf(file, ", %s timed", number_count(count, coverage->timed));
	fprintf(file, ", %s untimed", number_count(count, coverage->seen - coverage->timed));
	if (coverage->by_cupti > 0 && coverage->by_events > 0) {
		fprintf(file, "; %s by events too", number_count(count, coverage->by_events));
		write_reasons(coverage, " (not: ", ")", file);
	} else if (coverage->by_cupti == 0) {
		write_reasons(coverage, " (", ")", file);
	} else if (header->events_active) {
		write_reasons(coverage, "; none by events (", ")", file);
	}
	fputs(".\n", file);
}

static void write_drops(const struct session *session, const char *prefix, FILE *file)
{
	static const enum session_counter counters[] = {
		COUNTER_cupti_dropped, COUNTER_cupti_unread,  COUNTER_cupti_invalid,
		COUNTER_cupti_unknown, COUNTER_rows_lost,     COUNTER_trace_lost,
		COUNTER_failed_calls,  COUNTER_driver_errors, COUNTER_cupti_errors,
	};
#define COUNTER_TEXT(name, text) text,
	static const char *const texts[] = {SESSION_COUNTERS(COUNTER_TEXT)};
#undef COUNTER_TEXT
	const struct session_header *header = session_header(session);
	char count[NUMBER_SIZE];
	unsigned i, written = 0;

	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (header->counters[counters[i]] == 0)
			continue;
		if (!written)
			fprintf(file, "%sLost or failed: ", prefix);
		fprintf(file, "%s%s %s", written++ ? ", " : "",
			number_count(count, header->counters[counters[i]]), texts[counters[i]]);
	}
	if (written)
		fputs(".\n", file);
}

static void write_agreement(const struct agreement *agreement, const char *prefix, FILE *file)
{
	char text[NUMBER_SIZE];
	size_t i, named = 0;

	if (agreement->checked == 0)
		return;
	fprintf(file, "%sClocks: %s operation%s timed by both; ", prefix,
		number_count(text, agreement->checked), plural(agreement->checked));
	fprintf(file, "median difference %s", number_time(text, agreement->median));
	if (agreement->worst) {
		fprintf(file, ", worst row %s", number_time(text, agreement->worst->difference));
		fprintf(file, " (%.1f %%): %s", agreement->worst->percent, agreement->worst->name);
	}
	fputs(".\n", file);
	for (i = 0; i < agreement->count && named < ROWS_NAMED; i++) {
		const struct agreement_row *row = &agreement->rows[i];

		if (row->verdict != CLOCKS_DISAGREE)
			continue;
		named++;
		fprintf(file, "%sClocks disagree: CUPTI %s", prefix, number_time(text, row->cupti));
		fprintf(file, ", events %s (%s): %s\n", number_time(text, row->events),
			agreement_reason_text(row->reason), row->name);
	}
	if (agreement->disagreeing > named)
		fprintf(file, "%sClocks disagree: %zu more rows (--cross-check shows all).\n",
			prefix, agreement->disagreeing - named);
}

static int write_estimates(const struct session *session, const struct options *options,
			   const char *prefix, FILE *file)
{
	struct table table;
	size_t i, named = 0, estimated = 0;
	char text[NUMBER_SIZE];
	int error = table_collect(&table, session, options, TABLE_GPU, TABLE_ALL_DEVICES, false);

	if (error)
		return error;
	for (i = 0; i < table.count; i++) {
		const struct table_row *row = &table.rows[i];

		if (!row->estimated)
			continue;
		estimated++;
		if (named == ROWS_NAMED)
			continue;
		named++;
		fprintf(file, "%sEstimated from %s of ", prefix, number_count(text, row->timed));
		fprintf(file, "%s calls: Time ", number_count(text, row->calls));
		fprintf(file, "%s +- ", number_time(text, row->total));
		fprintf(file, "%s (95 %%): %s\n", number_time(text, (uint64_t)row->error),
			row->name);
	}
	if (estimated > named)
		fprintf(file, "%sEstimated: %zu more rows.\n", prefix, estimated - named);
	table_free(&table);
	return 0;
}

static void write_trace_size(const struct session *session, const char *prefix, FILE *file)
{
	uint64_t records = session_header(session)->counters[COUNTER_trace_records];
	char text[NUMBER_SIZE];

	if (records == 0)
		return;
	fprintf(file, "%sTrace: %s record%s", prefix, number_count(text, records), plural(records));
	fprintf(file, ", %s.\n", number_size(text, records * sizeof(struct trace_record)));
}

static void write_cost(const struct session *session, const char *prefix, FILE *file)
{
	const struct session_header *header = session_header(session);
	const uint64_t *counters = header->counters;
	uint64_t host = counters[COUNTER_host_ns], cupti = counters[COUNTER_cupti_ns],
		 gpu = counters[COUNTER_gpu_ns], wall = counters[COUNTER_wall_ns];
	char text[NUMBER_SIZE];
	double percent;

	fprintf(file, "%sCost of ktime: host %s in the program's calls", prefix,
		number_time(text, host));
	if (cupti > 0)
		fprintf(file, " + %s in CUPTI", number_time(text, cupti));
	/* Theirs together, while the run's time is one clock's. */
	if (counters[COUNTER_threads] > 1)
		fprintf(file, ", on %s threads", number_count(text, counters[COUNTER_threads]));
	fprintf(file, ", GPU %s", number_time(text, gpu));
	if (wall > 0) {
		percent = 100.0 * (double)counters[COUNTER_added_ns] / (double)wall;
		fprintf(file, ": %.2f %% of %s", percent, number_time(text, wall));
		if (header->budget_percent > 0 && 100.0 * (double)counters[COUNTER_cupti_added_ns] >
							  header->budget_percent * (double)wall)
			fprintf(file,
				"; CUPTI alone is over the budget of %g %%, --timer events costs "
				"less",
				header->budget_percent);
		else if (header->budget_percent > 0 && percent > header->budget_percent)
			fprintf(file, ", over the budget of %g %%", header->budget_percent);
	}
	fprintf(file, "; own thread %s of processor time",
		number_time(text, counters[COUNTER_collector_ns]));
	fprintf(file, "; memory %s.\n", number_size(text, counters[COUNTER_memory_bytes]));
}

int closing_write(const struct session *session, const struct options *options, const char *prefix,
		  FILE *file)
{
	const struct session_header *header = session_header(session);
	struct coverage coverage = {0};
	struct agreement agreement;
	uint32_t i;
	int error;

	error = agreement_collect(&agreement, session, options);
	if (error)
		return error;
	if (!header->finished && header->pid)
		fprintf(file,
			"%sThe program was killed or runs still: what it did last may be "
			"missing.\n",
			prefix);
	cover(&coverage, session);
	write_clock(session, &coverage, prefix, file);
	error = write_estimates(session, options, prefix, file);
	write_agreement(&agreement, prefix, file);
	write_drops(session, prefix, file);
	write_trace_size(session, prefix, file);
	write_cost(session, prefix, file);
	for (i = 0; i < header->note_count && i < SESSION_NOTES; i++)
		if (*session_string(session, header->notes[i]))
			fprintf(file, "%s%s\n", prefix, session_string(session, header->notes[i]));
	agreement_free(&agreement);
	return error;
}
