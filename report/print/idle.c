/* SPDX-License-Identifier: MIT */
/* How busy the devices were, and why they were idle: two lines a device, and the table of --idle.
 */
#include <stdlib.h>
#include <string.h>

#include "report/findings/outside.h"
#include "report/names/demangle.h"
#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/session/text.h"

/* The causes of the line "Idle:", and the least that one of them has of the device's time, in
 * percent. Chosen: what a reader takes in, and what is shown as 0.1 %. */
#define CAUSES_NAMED  5
#define LEAST_PERCENT 0.05
/* A run that is longer than the device's time by less than this part gets no share of its own.
 * Chosen. */
#define RUN_LONGER    0.05
/* How many threads of a device the table tells apart. Chosen. */
#define THREADS_SHOWN 16

static int compare_sums(const void *left, const void *right)
{
	const struct idle_sum *a = left, *b = right;

	return IN_ORDER(b->total, a->total)
		       ?: IN_ORDER(a->cause, b->cause) ?: strcmp(a->function, b->function);
}

static struct idle_sum sum_of(const struct session *session, const struct idle_row *row)
{
	const char *function = session_string(session, row->name);

	return (struct idle_sum){.cause = row->cause,
				 .text = row->cause != IDLE_CALL ? idle_cause_texts[row->cause]
					 : *function		 ? function
								 : "other CUDA calls",
				 .function = row->cause == IDLE_CALL ? function : "",
				 .device = row->device,
				 .thread = row->thread};
}

static void add(struct idle_sum *sum, const struct idle_row *row)
{
	sum->gaps += row->gaps;
	sum->total += row->total;
	/* Too wide, if anything: what one cause has another one lacks. */
	sum->error += row->error;
	if (row->longest <= sum->longest)
		return;
	sum->longest = row->longest;
	sum->before = row->longest_before;
	sum->after = row->longest_after;
}

unsigned idle_sums(const struct session *session, int device, uint32_t thread,
		   struct idle_sum sums[IDLE_SUMS])
{
	const struct idle_row *row;
	unsigned count = 0, i;

	session_for_each_idle (session, row) {
		const struct idle_sum sum = sum_of(session, row);

		if (row->device != device || (thread && row->thread != thread))
			continue;
		/* A profile has each name once. */
		for (i = 0; i < count && sums[i].text != sum.text; i++)
			;
		if (i == count && count < IDLE_SUMS)
			sums[count++] = sum;
		add(&sums[i < count ? i : count - 1], row);
	}
	qsort(sums, count, sizeof(*sums), compare_sums);
	return count;
}

bool use_is_incomplete(const struct session_header *header, const struct device_use *use)
{
	return use->late || header->counters[COUNTER_cupti_dropped] ||
	       header->counters[COUNTER_cupti_unread];
}

const char *busy_share(char text[BUSY_SHARE_SIZE], const struct session_header *header,
		       const struct device_use *use)
{
	uint64_t whole;
	double busy;

	idle_time(use, &whole);
	busy = time_percent(use->busy, whole);
	if (use->error > 0)
		snprintf(text, BUSY_SHARE_SIZE, "~%.1f ± %.1f %%", busy,
			 100 * use->error / (double)whole);
	else
		snprintf(text, BUSY_SHARE_SIZE, "%s%.1f %%",
			 use_is_incomplete(header, use) ? "at least " : "", busy);
	return text;
}

const char *run_word(const struct session *session)
{
	return session_header(session)->finished == RUN_BETWEEN ? "window" : "run";
}

/* From which factor on that of kernels and copies is not worth a word. Chosen. */
#define RATIO_MOST 10

void busy_write(const struct session *session, int device, const char *prefix, FILE *file)
{
	const struct session_header *header = session_header(session);
	const struct device_use *use = &header->uses[device];
	uint64_t whole, idle = idle_time(use, &whole), run = header->counters[COUNTER_wall_ns];
	uint64_t both = busy_with_both(use);
	double ratio = use->copies ? (double)use->kernels / (double)use->copies : 0;
	char text[NUMBER_SIZE], share[BUSY_SHARE_SIZE];

	fprintf(file, "%sGPU %d: busy %s of %s (", prefix, device, busy_share(share, header, use),
		number_about(text, (double)whole, 3));
	if (use->kernels)
		fprintf(file, "kernels %.1f %%%s", time_percent(use->kernels, whole),
			use->copies ? ", " : "");
	if (use->copies)
		fprintf(file, "copies %.1f %%", time_percent(use->copies, whole));
	if (use->kernels && use->copies)
		fprintf(file, ", both at once %.1f %%", time_percent(both, whole));
	if (ratio >= 1 && ratio < RATIO_MOST)
		fprintf(file, "; kernels take %.*f times as long as copies", ratio < 10, ratio);
	else if (ratio < 1 && ratio > 1 / RATIO_MOST)
		fprintf(file, "; copies take %.*f times as long as kernels", ratio > 0.1,
			1 / ratio);
	fprintf(file, "); idle %.1f %%", time_percent(idle, whole));
	/* How busy it was with what is outside the profiling window nobody knows. */
	if ((double)run > (1 + RUN_LONGER) * (double)whole &&
	    header->counters[COUNTER_operations_outside] == 0)
		fprintf(file, "; of the whole %s (%s) busy %.1f %%", run_word(session),
			number_about(text, (double)run, 3), time_percent(use->busy, run));
	fputs(".\n", file);
	if (use->contexts > 1)
		fprintf(file,
			"%sGPU %d: several contexts share it, which take turns: busy is the time "
			"in which any of them worked.\n",
			prefix, device);
}

/* Of a run of which the device's time is more than this, in percent, nothing is said. Chosen. */
#define SMALL_PART 50
/* What is less than this part of the run, in percent, is not named in what surrounds it. Chosen. */
#define LEAST_PART 1

/* What some devices did in a run. */
struct worked {
	uint64_t devices, busy, longest; /* the longest time of a device */
	bool estimated;
};

static struct worked worked_of(const struct session *session, uint64_t devices)
{
	struct worked worked = {.devices = 0};
	const struct device_use *use;
	uint64_t whole;

	session_for_each_use (session, devices, device, use) {
		idle_time(use, &whole);
		worked.devices |= UINT64_C(1) << device;
		RAISE(worked.longest, whole);
		worked.busy += use->busy;
		worked.estimated |= use->error > 0;
	}
	return worked;
}

/* What of the run was before the first operation, and after the last. `devices`: a bit for each. */
static void write_rest(const struct session *session, uint64_t devices, FILE *file)
{
	const uint64_t run = session_header(session)->counters[COUNTER_wall_ns];
	struct outside before, after;
	bool begun, named;
	char time[NUMBER_SIZE];

	if (!outside_find(session, devices, &before, &after))
		return;
	begun = time_percent(before.time, run) >= LEAST_PART;
	named = before.call && before.certain;
	if (begun)
		fprintf(file, ": %s before the first operation",
			number_about(time, (double)before.time, 3));
	if (begun && named) {
		fprintf(file, ", %s of it in ", number_about(time, (double)before.in_call, 3));
		visible_write(session_string(session, before.call->name), file);
	}
	if (time_percent(after.time, run) >= LEAST_PART)
		fprintf(file, "%s%s after the last%s",
			!begun	? ": "
			: named ? ", and "
				: " and ",
			number_about(time, (double)after.time, 3), begun ? "" : " operation");
}

void use_share_text(const struct session *session, const struct options *options, int device,
		    char text[USE_SHARE_SIZE])
{
	const struct session_header *header = session_header(session);
	const uint64_t devices = device < 0 ? UINT64_MAX : UINT64_C(1) << device;
	const struct worked worked = worked_of(session, options->devices & devices);
	uint64_t run = header->counters[COUNTER_wall_ns];
	uint64_t outside = header->counters[COUNTER_operations_outside];
	double busy = time_percent(worked.busy, run);
	char time[NUMBER_SIZE], count[NUMBER_SIZE];
	FILE *file;

	memset(text, 0, USE_SHARE_SIZE);
	if (header->processes || !worked.longest || !run ||
	    time_percent(worked.longest, run) > SMALL_PART)
		return;
	file = fmemopen(text, USE_SHARE_SIZE - 1, "w");
	if (!file)
		return;
	number_about(time, (double)run, 3);
	if (device >= 0)
		fprintf(file, "%s%.*f %% of the whole %s, %s",
			outside		   ? "at least "
			: worked.estimated ? "~"
					   : "",
			busy < 1 ? 2 : 1, busy, run_word(session), time);
	else
		fprintf(file, "the whole %s was %s", run_word(session), time);
	/* When these ran nobody knows. */
	if (outside)
		fprintf(file, ": %s operation%s outside the profiling window %s only counted",
			number_count(count, outside), outside == 1 ? "" : "s",
			outside == 1 ? "was" : "were");
	else
		write_rest(session, worked.devices, file);
	fclose(file);
}

/* The program's own code is one cause, whatever went before it. */
static void join_program(struct idle_sum *sums, unsigned *count, uint64_t *waited)
{
	struct idle_sum *program = NULL, *after = NULL;

	*waited = 0;
	for (unsigned i = 0; i < *count; i++) {
		program = sums[i].cause == IDLE_PROGRAM ? &sums[i] : program;
		after = sums[i].cause == IDLE_AFTER_WAIT ? &sums[i] : after;
	}
	if (!after)
		return;
	*waited = after->total;
	after->cause = IDLE_PROGRAM;
	after->text = idle_cause_texts[IDLE_PROGRAM];
	if (program) {
		after->total += program->total;
		*program = sums[--*count];
	}
	qsort(sums, *count, sizeof(*sums), compare_sums);
}

/* The largest causes: "1.5 % launch latency, 0.7 % cudaFree"; nothing if none is worth it. Returns
 * whether there was one. `prefix` comes before them. */
static bool write_causes(const struct session *session, int device, const char *prefix, FILE *file)
{
	static struct idle_sum sums[IDLE_SUMS]; /* too large for a small stack */
	const struct device_use *use = &session_header(session)->uses[device];
	uint64_t whole, idle = idle_time(use, &whole), waited, left = idle;
	unsigned count = idle_sums(session, device, 0, sums), written = 0;

	join_program(sums, &count, &waited);
	for (unsigned i = 0; i < count && written < CAUSES_NAMED; i++) {
		double share = time_percent(sums[i].total, whole);

		if (share < LEAST_PERCENT)
			break;
		fprintf(file, "%s%s%.1f %% ", written ? ", " : prefix, sums[i].error > 0 ? "~" : "",
			share);
		visible_write(sums[i].text, file);
		if (sums[i].cause == IDLE_PROGRAM && time_percent(waited, whole) >= LEAST_PERCENT)
			fprintf(file, " (%.1f %% after a synchronizing call)",
				time_percent(waited, whole));
		left -= sums[i].total < left ? sums[i].total : left;
		written++;
	}
	if (written && time_percent(left, whole) >= LEAST_PERCENT)
		fprintf(file, ", %.1f %% other causes", time_percent(left, whole));
	return written > 0;
}

unsigned devices_used(const struct session *session)
{
	unsigned used = 0;

	for (int device = 0; device < SESSION_DEVICES; device++)
		used += session_header(session)->uses[device].last != 0;
	return used;
}

/* The most lines. Chosen: what a reader acts on. */
#define FINDINGS_SHOWN 5

static void write_savings(const struct report *report, const struct finding *findings,
			  unsigned count)
{
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);
	bool known = line && savings_write(report->session, findings, count, line);

	if (!text_close(line, &text) && known)
		report_begin(report, "%s\n", text);
	free(text);
}

static void write_findings(const struct report *report)
{
	static struct finding findings[FINDING_COUNT]; /* too large for a small stack */
	unsigned count = findings_of(report->session, report->options->devices, findings);

	for (unsigned i = 0; i < count && i < FINDINGS_SHOWN; i++) {
		report_begin(report, "Finding: ");
		finding_write(report->session, &findings[i], report->file);
		fputc('\n', report->file);
	}
	write_savings(report, findings, count);
}

const char *idle_unknown(const struct session *session)
{
	if (!session_knows_use(session))
		return session_header(session)->counters[COUNTER_cupti_late_ns] > 0
			       ? "CUPTI was not on from the start"
			       : "CUPTI's recording windows tell too little";
	/* Events say how long an operation took, and not when. */
	return rows_are_by_events(session)
		       ? "CUDA events say how long an operation took and not when"
		       : NULL;
}

const char *exact_times_by(const struct session *session)
{
	const struct session_header *header = session_header(session);

	if (header->timer == TIMER_EVENTS)
		return "a run without --timer events";
	/* Only a CUPTI that records can be asked for all of some seconds. */
	return header->cupti_active
		       ? "of a program that runs, ktime window PID 5s --trace gpu,api -o FILE"
		       : "a run with --timer cupti";
}

static void write_unknown(const struct report *report)
{
	report_begin(report, "GPU busy and idle: not known, as %s.\n",
		     idle_unknown(report->session));
}

/* Of one device: "GPU 0: busy 63.1 % of 1.2 s; idle 36.9 %: 30.1 % launch latency, ..."; of
 * several, how busy each was. */
static void write_busy_brief(const struct report *report)
{
	const struct session_header *header = session_header(report->session);
	bool several = devices_used(report->session) > 1, begun = false;
	char text[NUMBER_SIZE], busy[BUSY_SHARE_SIZE];
	const struct device_use *use;
	uint64_t whole, idle;

	session_for_each_use (report->session, report->options->devices, device, use) {
		idle = idle_time(use, &whole);
		if (!begun)
			report_begin(report, "GPU ");
		fprintf(report->file, "%s%d%s busy %s", begun ? ", " : "", device,
			several ? "" : ":", busy_share(busy, header, use));
		begun = true;
		if (several)
			continue;
		fprintf(report->file, " of %s; idle %.1f %%", number_about(text, (double)whole, 3),
			time_percent(idle, whole));
		write_causes(report->session, device, ": ", report->file);
	}
	if (begun)
		fputs(several ? " (--verbose: why they were idle).\n" : ".\n", report->file);
}

void use_write_brief(const struct report *report)
{
	static struct finding findings[FINDING_COUNT]; /* too large for a small stack */
	unsigned count = findings_of(report->session, report->options->devices, findings);
	unsigned inside = 0;

	/* How long a program takes to begin and to end says nothing of how it goes on. */
	for (unsigned i = 0; i < count; i++)
		if (!finding_is_outside(&findings[i]))
			findings[inside++] = findings[i];
	if (report->options->findings && inside) {
		/* No other line here has a number of gaps. */
		findings[0].gaps = 0;
		report_begin(report, "Finding: ");
		finding_write(report->session, findings, report->file);
		if (inside > 1)
			fprintf(report->file, " (%u more: --verbose)", inside - 1);
		fputc('\n', report->file);
	}
	/* A job's devices are not told apart. */
	if (session_header(report->session)->processes)
		return;
	if (!session_knows_use(report->session))
		write_unknown(report);
	else
		write_busy_brief(report);
}

void use_write(const struct report *report)
{
	bool job = session_header(report->session)->processes;
	const struct device_use *use;
	char idle[64];

	if (!job && !session_knows_use(report->session)) {
		write_unknown(report);
		return;
	}
	session_for_each_use (report->session, job ? 0 : report->options->devices, device, use) {
		busy_write(report->session, device, report->prefix, report->file);
		snprintf(idle, sizeof(idle), "%sIdle: ", report->prefix);
		if (write_causes(report->session, device, idle, report->file))
			fputs(".\n", report->file);
	}
	if (report->options->findings)
		write_findings(report);
	if (!job && idle_unknown(report->session))
		write_unknown(report);
}

char *idle_plain_name(const char *name)
{
	char *readable = demangle(name);
	char *base = readable ? telling_name(readable) : NULL;
	char *visible = visible_text(base ? base : name);

	free(base);
	free(readable);
	return visible;
}

/* Half of an estimate's 95 % interval, in percent of it. */
#define INTERVALS 1

static const struct column columns[] = {
	{NULL, NULL, .page = "What", .head = true},
	{NULL, "Device", .kind = CELL_INTEGER},
	{NULL, "Thread", .kind = CELL_INTEGER},
	{NULL, "Cause", .kind = CELL_TEXT},
	{NULL, "Function", .kind = CELL_TEXT},
	{"Share", "Share(%)", .kind = CELL_PERCENT, .width = 7},
	{"Time", "Time(ns)", .kind = CELL_NS, .width = 8},
	{"±", NULL, .page = "", .kind = CELL_REAL, .width = 8, .parts = INTERVALS},
	{"Gaps", "Gaps", .kind = CELL_COUNT, .width = 8},
	{"Avg", NULL, .kind = CELL_NS, .width = 8},
	{"Longest", "Longest(ns)", .kind = CELL_NS, .width = 8},
	{NULL, "Before", .kind = CELL_TEXT},
	{NULL, "After", .kind = CELL_TEXT},
	{NULL, NULL, .page = "Longest gap between", .name = true},
	{"Cause", NULL, .page = ""},
};

void idle_fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct idle_table *table = sheet->argument;
	const struct idle_sum *sum = &table->sums[index];
	const char *before = session_string(table->session, sum->before);
	const char *after = session_string(table->session, sum->after);
	char *from = idle_plain_name(before), *to = idle_plain_name(after);
	bool around = from && to && *from && *to;
	uint64_t whole;

	idle_time(&session_header(table->session)->uses[sum->device], &whole);
	cell_text(&cells[0], sum->text);
	cell_count(&cells[1], (uint64_t)sum->device);
	cell_count(&cells[2], sum->thread);
	cell_text(&cells[4], sum->function);
	cell_real(&cells[5], time_percent(sum->total, whole));
	cell_count(&cells[6], sum->total);
	cell_text(&cells[7], "");
	if (sum->error > 0) {
		cells[6].mark = '~';
		cells[6].error = sum->error;
		if (sum->total)
			cell_print(&cells[7], "%.1f%%", 100 * sum->error / (double)sum->total);
	}
	if (sum->cause < IDLE_CAUSE_COUNT) {
		cell_text(&cells[3], idle_cause_keys[sum->cause]);
		cell_count(&cells[8], sum->gaps);
		cell_count(&cells[9], sum->gaps ? sum->total / sum->gaps : 0);
		cell_count(&cells[10], sum->longest);
	}
	cell_text(&cells[11], before);
	cell_text(&cells[12], after);
	cell_text(&cells[13], "");
	cell_text(&cells[14], sum->text);
	if (around) {
		cell_print(&cells[13], "%s to %s", from, to);
		cell_print(&cells[14], "%s (longest: %s to %s)", sum->text, from, to);
	}
	free(from);
	free(to);
}

void idle_sheet(struct sheet *sheet, const struct idle_table *table, size_t count)
{
	*sheet = (struct sheet){SHEET_OF(columns), .row = idle_fill_row, .argument = table,
				.rows = count};
	for (size_t i = 0; i < count; i++)
		sheet->parts |= table->sums[i].error > 0 ? INTERVALS : 0;
}

/* The threads whose operations ended a gap of a device. */
static unsigned list_threads(const struct session *session, int device, uint32_t *threads)
{
	const struct idle_row *row;
	unsigned count = 0, i;

	session_for_each_idle (session, row) {
		if (row->device != device || !row->thread)
			continue;
		for (i = 0; i < count && threads[i] != row->thread; i++)
			;
		if (i == count && count < THREADS_SHOWN)
			threads[count++] = row->thread;
	}
	return count;
}

static void write_part(const struct report *report, int device, uint32_t thread)
{
	static struct idle_sum sums[IDLE_SUMS]; /* too large for a small stack */
	const struct idle_table table = {report->session, sums};
	struct sheet sheet;
	uint64_t whole;

	idle_sheet(&sheet, &table, idle_sums(report->session, device, thread, sums));
	sheet.continued = thread != 0;
	if (sheet.rows || !idle_time(&session_header(report->session)->uses[device], &whole))
		report_sheet(report, &sheet);
	else
		fputs("  The causes are not known yet: ktime works them out some operations "
		      "later.\n",
		      report->file);
}

static void write_text(const struct report *report, int device)
{
	const struct session *session = report->session;
	FILE *file = report->file;
	const struct device_use *use = &session_header(session)->uses[device];
	uint64_t whole, idle = idle_time(use, &whole);
	uint32_t threads[THREADS_SHOWN];
	unsigned thread_count = list_threads(session, device, threads);
	char time[NUMBER_SIZE], all[NUMBER_SIZE];

	fprintf(file, "\nGPU %d idle: %s of %s\n", device, number_about(time, (double)idle, 3),
		number_about(all, (double)whole, 3));
	write_part(report, device, 0);
	for (unsigned i = 0; i < thread_count && thread_count > 1; i++) {
		fprintf(file, "before operations of thread %u%s:\n", threads[i],
			threads[i] == (uint32_t)session_header(session)->pid ? " (main)" : "");
		write_part(report, device, threads[i]);
	}
}

/* One line for each cause and thread. */
static void write_csv(const struct report *report)
{
	struct idle_sum sum;
	const struct idle_table table = {report->session, &sum};
	const struct idle_row *row;
	struct sheet sheet;

	idle_sheet(&sheet, &table, 0);
	sheet.form = SHEET_CSV;
	sheet_write(&sheet, report->file);
	sheet.continued = true;
	sheet.rows = 1;
	session_for_each_idle (report->session, row) {
		if (!session_use(report->session, row->device) ||
		    !(report->options->devices >> row->device & 1))
			continue;
		sum = sum_of(report->session, row);
		add(&sum, row);
		sheet_write(&sheet, report->file);
	}
}

void idle_table_write(const struct report *report)
{
	const char *unknown = idle_unknown(report->session);
	const struct device_use *use;

	if (report->options->csv) {
		if (session_knows_use(report->session))
			write_csv(report);
		return;
	}
	if (unknown) {
		fprintf(report->file, "\nIdle time: not known, as %s. What tells it: %s.\n",
			unknown, exact_times_by(report->session));
		return;
	}
	session_for_each_use (report->session, report->options->devices, device, use)
		write_text(report, device);
}
