/* SPDX-License-Identifier: MIT */
/* How far the two clocks agree, row by row, over the calls that both timed. */
#include <errno.h>
#include <stdlib.h>

#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/memory.h"

/* Averages this close agree: so well is the event-pair overhead known, measured on the device. */
#define AGREEMENT_NANOSECONDS 200
#define AGREEMENT_PERCENT     2.0

enum clock_verdict { CLOCKS_UNCHECKED, CLOCKS_AGREE, CLOCKS_DISAGREE };

struct agreement_row {
	const char *name; /* the filter's */
	uint64_t calls, checked;
	uint64_t cupti, raw, events; /* averages over the checked calls */
	uint64_t difference;	     /* of the averages, without its sign */
	double percent;		     /* of CUPTI's */
	uint64_t median;	     /* of the calls' differences */
	enum clock_verdict verdict;
	const char *reason; /* why an event pair may span more than the operation; "": none */
};

struct agreement {
	struct agreement_row *rows; /* in the session's order */
	size_t count, disagreeing;
	uint64_t checked;
	uint64_t median;		   /* of the differences of all checked calls */
	const struct agreement_row *worst; /* largest difference in percent, NULL without rows */
};

static const char *likely_reason(const struct session *session, const struct row *row,
				 const struct agreement_row *judged)
{
	static const char overlapped[] =
		"operations overlapped; the events' time includes waiting for others";
	uint64_t half_of_pairs = row->events.count / 2;
	/* Whether most pairs hold more than was taken off, as their operations were queued. */
	bool queued = row->overhead == OVERHEAD_KERNEL && row->queued > half_of_pairs &&
		      session_header(session)->queued.pairs == 0;

	if (row->checked_overlapped > row->checked / 2)
		return overlapped;
	if (row->host_included > 0)
		return "the events' time includes the host's part of the copy";
	if (row->beside > half_of_pairs)
		return "other streams had calls at the same time; the events' time includes "
		       "waiting for them";
	if (judged->events > judged->cupti && queued)
		return "operations were queued behind others; how much longer that makes their "
		       "event pairs was not measured";
	return row->checked_overlapped > 0 ? overlapped : "reason unknown";
}

/* Whether what the row's event pairs hold beside the operation was measured. */
static bool overhead_is_known(const struct session *session, const struct row *row)
{
	const uint32_t kind = row->overhead;

	return kind < OVERHEAD_KINDS && session_header(session)->overheads[kind].pairs > 0;
}

bool rows_include_overhead(const struct session *session)
{
	enum clock_source clock;
	const struct row *row;

	session_for_each_row (session, row) {
		if (!row_is_gpu(row->kind) || row->host_included || row->summed)
			continue;
		row_figures(session, row, &clock);
		if (clock == CLOCK_EVENTS && !overhead_is_known(session, row))
			return true;
	}
	return false;
}

static void judge(struct agreement_row *judged, const struct session *session,
		  const struct row *row)
{
	const struct histogram *differences = session_histogram(session, row->difference_histogram);

	judged->calls = row_calls(row);
	judged->checked = row->checked;
	judged->reason = "";
	if (row->checked == 0) {
		if (row->waited > 0)
			judged->reason =
				"event pairs include a wait for the host or another engine";
		return;
	}
	judged->cupti = row->checked_cupti / row->checked;
	judged->raw = row->checked_raw / row->checked;
	judged->events = row->checked_events / row->checked;
	judged->difference = judged->events > judged->cupti ? judged->events - judged->cupti
							    : judged->cupti - judged->events;
	judged->percent =
		judged->cupti > 0 ? 100.0 * (double)judged->difference / (double)judged->cupti : 0;
	judged->median = differences ? histogram_percentile(differences, 0.5) : judged->difference;
	if (!overhead_is_known(session, row)) {
		judged->reason = "the event-pair overhead was not measured";
	} else if (judged->difference <= AGREEMENT_NANOSECONDS ||
		   judged->percent <= AGREEMENT_PERCENT) {
		judged->verdict = CLOCKS_AGREE;
	} else {
		judged->verdict = CLOCKS_DISAGREE;
		judged->reason = likely_reason(session, row, judged);
	}
}

static int add_row(struct agreement *agreement, struct filter *filter, const struct row *row,
		   size_t *room)
{
	const char *name = filter_name(filter, row->kind, row->name);

	if (!name)
		return -ENOMEM;
	if (!filter_shows(filter, row->kind, row->name, row->device))
		return 0;
	if (!LIST_HAS_ROOM(agreement->rows, agreement->count, *room))
		return -ENOMEM;
	agreement->rows[agreement->count] = (struct agreement_row){.name = name};
	judge(&agreement->rows[agreement->count++], filter->session, row);
	return 0;
}

static int agreement_collect(struct agreement *agreement, struct report *report)
{
	struct histogram *differences = calloc(1, sizeof(*differences));
	struct row *row;
	size_t room = 0;
	int error = differences ? 0 : -ENOMEM;

	*agreement = (struct agreement){.rows = NULL};
	if (error)
		return error;
	session_for_each_row (report->session, row) {
		if (!row_is_gpu(row->kind) || row_calls(row) == 0)
			continue;
		error = add_row(agreement, &report->filter, row, &room);
		if (error)
			break;
		histogram_merge(differences,
				session_histogram(report->session, row->difference_histogram));
		agreement->checked += row->checked;
	}
	agreement->median = histogram_percentile(differences, 0.5);
	for (size_t i = 0; i < agreement->count; i++) {
		const struct agreement_row *judged = &agreement->rows[i];

		agreement->disagreeing += judged->verdict == CLOCKS_DISAGREE;
		if (judged->checked > 0 &&
		    (!agreement->worst || judged->percent > agreement->worst->percent))
			agreement->worst = judged;
	}
	free(differences);
	if (error)
		free(agreement->rows);
	return error;
}

static const struct column columns[] = {
	{"Clocks", "Clocks", .width = 10},
	{"Calls", "Calls", .kind = CELL_COUNT, .width = 8},
	{"Checked", "Checked", .kind = CELL_COUNT, .width = 8},
	{"CUPTI", "CUPTI Avg", .kind = CELL_NS, .width = 8, .unit = "ns"},
	{"Raw", "Events Raw", .kind = CELL_NS, .width = 8, .unit = "ns"},
	{"Events", "Events Avg", .kind = CELL_NS, .width = 8, .unit = "ns"},
	{"Diff", "Difference", .kind = CELL_NS, .width = 8, .unit = "ns"},
	{"Median", "Median Difference", .kind = CELL_NS, .width = 8, .unit = "ns"},
	{"Name", "Name", .name = true},
	{NULL, "Reason", .kind = CELL_TEXT},
};

static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	static const char *const verdicts[] = {"unchecked", "agree", "disagree"};
	const struct agreement_row *row = &((const struct agreement *)sheet->argument)->rows[index];
	const uint64_t times[] = {row->cupti, row->raw, row->events, row->difference, row->median};
	bool text = sheet->form != SHEET_CSV;

	cell_text(&cells[0],
		  text && row->verdict == CLOCKS_DISAGREE ? "DISAGREE" : verdicts[row->verdict]);
	cell_count(&cells[1], row->calls);
	cell_count(&cells[2], row->checked);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]) && row->checked; i++)
		cell_count(&cells[3 + i], times[i]);
	if (text && *row->reason)
		cell_print(&cells[8], "%s (%s)", row->name, row->reason);
	else
		cell_text(&cells[8], row->name);
	cell_text(&cells[9], row->reason);
}

int cross_check_write(struct report *report)
{
	struct agreement agreement;
	struct sheet sheet = {SHEET_OF(columns), .row = fill_row, .argument = &agreement,
			      .has_units = report->options->csv};
	int error = agreement_collect(&agreement, report);

	if (error)
		return error;
	sheet.rows = agreement.count;
	fputc('\n', report->file);
	report_sheet(report, &sheet);
	free(agreement.rows);
	return 0;
}

int agreement_count(struct report *report, size_t *disagreeing, size_t *rows)
{
	struct agreement agreement;
	int error = agreement_collect(&agreement, report);

	if (error)
		return error;
	*disagreeing = agreement.disagreeing;
	*rows = agreement.count;
	free(agreement.rows);
	return 0;
}

int agreement_write(struct report *report)
{
	struct agreement agreement;
	char text[NUMBER_SIZE], other[NUMBER_SIZE];
	int error = agreement_collect(&agreement, report);

	if (error)
		return error;
	if (agreement.disagreeing > 0)
		report_warn(report,
			    "Timers: CUPTI and events disagree by more than 0.2 us and 2 %% on %zu "
			    "of %zu rows, which show CUPTI's times: those of the operation alone, "
			    "where a pair of events also holds waits and what ran beside it "
			    "(--cross-check: why).",
			    agreement.disagreeing, agreement.count);
	if (agreement.checked > 0) {
		report_begin(report,
			     "Timers: %s operation%s timed by both CUPTI and CUDA events, median "
			     "difference %s.\n",
			     number_count(other, agreement.checked),
			     agreement.checked == 1 ? "" : "s",
			     number_about(text, (double)agreement.median, 2));
		report_begin(report,
			     "Timers: largest difference %s (%.2g %%), %s%s%s%s; the table has "
			     "CUPTI's time.\n",
			     number_about(text, (double)agreement.worst->difference, 2),
			     agreement.worst->percent, agreement.worst->name,
			     *agreement.worst->reason ? " (" : "", agreement.worst->reason,
			     *agreement.worst->reason ? ")" : "");
	}
	free(agreement.rows);
	return 0;
}

bool rows_are_by_events(const struct session *session)
{
	enum clock_source clock;
	bool found = false;
	struct row *row;

	session_for_each_row (session, row) {
		if (!row_is_gpu(row->kind) || row_calls(row) == 0)
			continue;
		row_figures(session, row, &clock);
		if (clock == CLOCK_CUPTI)
			return false;
		found |= clock == CLOCK_EVENTS;
	}
	return found;
}
