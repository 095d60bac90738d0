/* SPDX-License-Identifier: MIT */
/* What a page says first: what was found, and a handful of figures that say how much, of what and
 * why not more. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/section.h"
#include "report/merge/job.h"
#include "report/print/report.h"
#include "report/session/text.h"

/* The least by which a row is uneven, as a part of a process's GPU time. Chosen. */
#define LEAST_UNEVEN 0.01

static void write_gpu_time(struct page *page)
{
	const struct session_header *header = session_header(page->session);
	uint64_t operations = header->counters[COUNTER_operations];
	const struct table *table = &page->tables[TABLE_GPU];
	char time[NUMBER_SIZE], value[NUMBER_SIZE + 1], count[NUMBER_SIZE], note[96];
	bool estimated = false;

	for (size_t i = 0; i < table->count; i++)
		estimated |= table->rows[i].estimated;
	snprintf(value, sizeof(value), "%s%s", estimated ? "~" : "",
		 number_about(time, (double)table->total, 3));
	snprintf(note, sizeof(note), "in %s operation%s%s", number_count(count, operations),
		 operations == 1 ? "" : "s", header->processes ? " of all processes" : "");
	html_fact(&page->html, "GPU time", "value", value, note);
}

static void write_longest_row(struct page *page)
{
	const struct table *table = &page->tables[TABLE_GPU];
	const struct table_row *row = next_row(table);
	char time[NUMBER_SIZE], calls[NUMBER_SIZE], note[128];

	if (!row)
		return;
	snprintf(note, sizeof(note), "%.1f %% of the GPU time: %s%s in %s call%s",
		 table_percent(table, row), row->estimated ? "~" : "",
		 number_about(time, (double)row->total, 3), number_count(calls, row->calls),
		 row->calls == 1 ? "" : "s");
	html_fact(&page->html, "Most time in", "value name", row->name, note);
}

/* From the least to the most of several. */
struct span {
	double least, most;
	unsigned count;
};

static void span_add(struct span *span, double value)
{
	span->least = !span->count || value < span->least ? value : span->least;
	span->most = !span->count || value > span->most ? value : span->most;
	span->count++;
}

static void span_text(char *text, size_t size, const struct span *span)
{
	if (span->count > 1 && span->most - span->least >= 0.1)
		snprintf(text, size, "%.1f to %.1f %%", span->least, span->most);
	else
		snprintf(text, size, "%.1f %%", span->most);
}

/* Whether less than half of the run was profiled, and operations ran outside of the window. */
static bool has_window(const struct page *page)
{
	char share[USE_SHARE_SIZE];

	use_share_text(page->session, page->options, -1, share);
	return *share && session_header(page->session)->counters[COUNTER_operations_outside];
}

/* That the page is about a part of the run, before anything is said of that. */
static void write_window(struct page *page)
{
	const struct session_header *header = session_header(page->session);
	const uint64_t outside = header->counters[COUNTER_operations_outside];
	const uint64_t inside = header->counters[COUNTER_operations];
	uint64_t whole, longest = 0;
	const double wall = (double)header->counters[COUNTER_wall_ns];
	char time[NUMBER_SIZE], run[NUMBER_SIZE], count[NUMBER_SIZE], all[NUMBER_SIZE];
	const struct device_use *use;

	if (!has_window(page))
		return;
	session_for_each_use (page->session, page->options->devices, device, use) {
		idle_time(use, &whole);
		RAISE(longest, whole);
	}
	fprintf(page->html.file,
		"<p>Only %s of the %s’s %s (%.1f %%) were profiled: %s of the %s operations ran "
		"outside the profiling window and %s only counted.</p>\n",
		number_about(time, (double)longest, 3), run_word(page->session),
		number_about(run, wall, 3), 100 * (double)longest / wall,
		number_count(count, outside), number_count(all, inside + outside),
		outside == 1 ? "was" : "were");
}

static void write_busy(struct page *page)
{
	struct span busy = {.count = 0};
	uint64_t whole, longest = 0;
	char value[64], time[NUMBER_SIZE], share[USE_SHARE_SIZE], note[128 + USE_SHARE_SIZE];
	const struct device_use *use;
	bool estimated = false;
	int only = 0;

	session_for_each_use (page->session, page->options->devices, device, use) {
		idle_time(use, &whole);
		span_add(&busy, time_percent(use->busy, whole));
		RAISE(longest, whole);
		only = device;
		estimated |= use->error > 0;
	}
	if (!busy.count)
		return;
	strcpy(value, estimated ? "~" : "");
	span_text(value + strlen(value), sizeof(value) - strlen(value), &busy);
	number_about(time, (double)longest, 3);
	use_share_text(page->session, page->options, busy.count > 1 ? -1 : only, share);
	/* The page's first line says it. */
	if (has_window(page))
		*share = '\0';
	if (busy.count > 1)
		snprintf(note, sizeof(note), "of the time of %u GPUs, at most %s%s%s", busy.count,
			 time, *share ? "; " : "", share);
	else
		snprintf(note, sizeof(note), "of %s from the first operation to the last%s%s", time,
			 *share ? "; " : "", share);
	html_fact(&page->html, "GPU busy", "value", value, note);
}

static void write_largest_cause(struct page *page)
{
	const struct idle_share largest = idle_largest(page->session, page->options);
	char time[NUMBER_SIZE], gaps[NUMBER_SIZE], note[160];

	if (!largest.sum.total)
		return;
	snprintf(note, sizeof(note), "%.1f %% of the time of GPU %d: %s in %s gap%s",
		 time_percent(largest.sum.total, largest.whole), largest.sum.device,
		 number_about(time, (double)largest.sum.total, 3),
		 number_count(gaps, largest.sum.gaps), largest.sum.gaps == 1 ? "" : "s");
	html_fact(&page->html, "Idle mostly because of", "value", largest.sum.text, note);
}

#define PROCESS_SIZE 24
static void process_text(char text[PROCESS_SIZE], const struct job_process *process)
{
	snprintf(text, PROCESS_SIZE, process->rank.rank >= 0 ? "rank %d" : "process %d",
		 process->rank.rank >= 0 ? process->rank.rank : process->pid);
}

/* The largest cause, as the bars of the processes show it, and how much of that probably was
 * waiting for the slowest. */
static void write_job_cause(struct page *page, const struct uneven *uneven,
			    const uint64_t causes[IDLE_CAUSE_COUNT], uint64_t whole)
{
	char slowest[PROCESS_SIZE], other[PROCESS_SIZE] = "the others", note[160];
	char time[NUMBER_SIZE];
	unsigned largest = 0;
	int length;

	for (unsigned cause = 1; cause < IDLE_CAUSE_COUNT; cause++)
		largest = causes[cause] > causes[largest] ? cause : largest;
	if (!causes[largest])
		return;
	length = snprintf(note, sizeof(note), "%.1f %% of the time of all processes’ GPUs: %s",
			  time_percent(causes[largest], whole),
			  number_about(time, (double)causes[largest], 3));
	if (uneven_waits(uneven) && uneven->waited[largest]) {
		process_text(slowest, uneven->slowest);
		if (uneven->other)
			process_text(other, uneven->other);
		snprintf(note + length, sizeof(note) - (size_t)length,
			 ", in %s of which %s probably wait%s for %s",
			 number_about(time, (double)uneven->waited[largest], 3), other,
			 uneven->other ? "s" : "", slowest);
	}
	html_fact(&page->html, "Idle mostly because of", "value", idle_cause_texts[largest], note);
}

/* What processes have of it, and which of them has most work. */
static void write_job(struct page *page, const struct job *job)
{
	const struct uneven uneven = finding_uneven(page->session);
	uint64_t causes[IDLE_CAUSE_COUNT] = {0}, whole = 0;
	struct span busy = {.count = 0};
	const struct job_process *first = job->count ? job->processes[0] : NULL;
	char value[64], time[NUMBER_SIZE], other[NUMBER_SIZE], note[160];
	double mean = 0;

	for (size_t i = 0; i < job->count; i++) {
		const struct job_process *process = job->processes[i];

		mean += (double)(process->gpu - process->collectives) / (double)job->count;
		whole += process->device_time;
		if (process->device_time)
			span_add(&busy, time_percent(process->busy, process->device_time));
		for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++)
			causes[cause] += process->causes[cause];
	}
	if (busy.count) {
		span_text(value, sizeof(value), &busy);
		html_fact(&page->html, "GPU busy", "value", value,
			  "of the time of the GPUs, in each process");
	}
	if (first && mean > 0) {
		process_text(value, first);
		snprintf(note, sizeof(note), "%s of GPU time%s, on average %s",
			 number_about(time, (double)(first->gpu - first->collectives), 3),
			 job_without_collectives(page->session), number_about(other, mean, 3));
		html_fact(&page->html, "Most work on", "value", value, note);
	}
	write_job_cause(page, &uneven, causes, whole);
}

/* As a line by itself, which begins with a capital, behind its time. */
static void write_finding(const struct session *session, const struct finding *finding, FILE *file)
{
	char *text = NULL, time[NUMBER_SIZE];
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (line)
		finding_write(session, finding, line);
	if (text_close(line, &text))
		return;
	if (*text >= 'a' && *text <= 'z')
		*text -= 'a' - 'A';
	fprintf(file, "%s\t%s\n", number_about(time, (double)finding->time, 3), text);
	free(text);
}

/* Whether two can be about the same time: the idle time of a device, that of its FP32 matrix
 * products, and what is before all its work and after it cannot. */
static bool can_overlap(const struct session *session, const struct finding *findings,
			unsigned count)
{
	bool apart = devices_used(session) == 1;

	for (unsigned i = 0; i < count; i++)
		apart &= findings[i].kind == FINDING_LOW_USE ||
			 findings[i].kind == FINDING_FP32_MATRIX ||
			 finding_is_outside(&findings[i]);
	return !apart;
}

/* What the time is that findings are a part of, before them, and whether theirs add up. */
static void write_base(struct page *page, const struct finding *findings, unsigned count)
{
	const struct session_header *header = session_header(page->session);
	const bool overlap = count > 1 && can_overlap(page->session, findings, count);
	char time[NUMBER_SIZE];
	uint64_t span = 0;
	bool shares = false;

	for (unsigned i = 0; i < count; i++)
		shares |= findings[i].percent > 0 && !finding_is_of_run(&findings[i]);
	for (int device = 0; device < SESSION_DEVICES; device++)
		span = use_time(&header->uses[device]) ?: span;
	if (!shares && !overlap)
		return;
	fputs("<p class=\"remark\">", page->html.file);
	if (shares && header->processes)
		fputs("A process’s time is, on average, from its GPU’s", page->html.file);
	else if (shares && devices_used(page->session) > 1)
		fputs("A GPU’s time is from its", page->html.file);
	else if (shares)
		fprintf(page->html.file, "The GPU’s %s are from its",
			number_about(time, (double)span, 3));
	if (shares)
		fprintf(page->html.file, " first operation to its last.%s", overlap ? " " : "");
	if (overlap)
		fputs("Two findings can be about the same time: they do not add up.",
		      page->html.file);
	fputs("</p>\n", page->html.file);
}

/* What the run would be without what was found. */
static int write_savings(struct page *page, const struct finding *findings, unsigned count)
{
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);
	bool known = line && savings_write(page->session, findings, count, line);

	if (text_close(line, &text))
		return -ENOMEM;
	if (known) {
		fputs("<p>", page->html.file);
		html_text(&page->html, text);
		fputs("</p>\n", page->html.file);
	}
	free(text);
	return 0;
}

static int write_findings(struct page *page, bool *host_work)
{
	struct finding findings[FINDING_COUNT];
	struct html_lines lines;
	const char *unknown = idle_unknown(page->session);
	int error;
	unsigned count = findings_of(page->session, page->options->devices, findings);

	*host_work = findings_have_host_work(findings, count);
	write_base(page, findings, count);
	html_lines_begin(&lines);
	for (unsigned i = 0; i < count && lines.file; i++)
		write_finding(page->session, &findings[i], lines.file);
	if (lines.file && findings_are_outside(findings, count))
		next_without_finding(page->session, page->options, &page->tables[TABLE_GPU], count,
				     lines.file);
	if (lines.file && !count && unknown)
		fprintf(lines.file, "Why the GPU was idle is not known, as %s.\n", unknown);
	error = html_lines_end(&page->html, &lines, count ? "ol" : "ul");
	return error ?: write_savings(page, findings, count);
}

/* "When: most idle time, 60 % of it, is from 4.192 s to 4.206 s: see the timeline" */
static void write_when(struct page *page)
{
	const struct idle_share largest = idle_largest(page->session, page->options);
	const uint64_t start = session_header(page->session)->start_realtime;
	const bool of_window = session_header(page->session)->finished == RUN_BETWEEN;
	struct idle_part part;
	double tenth;
	int places;

	if (!largest.sum.total || session_header(page->session)->processes ||
	    !idle_part_find(page->session, largest.sum.device, &part) || part.first < start)
		return;
	tenth = (double)(part.last - part.first) / 1e10;
	places = tenth < 1 ? (int)ceil(-log10(tenth)) : 0;
	fputs("<p class=\"remark\">When: ", page->html.file);
	if (part.idle)
		fprintf(page->html.file, "%.0f %% of the idle time of GPU %d is in this part of",
			100 * (double)part.idle / (double)part.all, largest.sum.device);
	else
		fprintf(page->html.file, "idle time of GPU %d is spread over all of",
			largest.sum.device);
	fprintf(page->html.file,
		" the <a href=\"#timeline\">trace</a>: %.*f s to %.*f s after the start of "
		"%s</p>\n",
		places, (double)((part.idle ? part.begin : part.first) - start) / 1e9, places,
		(double)((part.idle ? part.end : part.last) - start) / 1e9,
		of_window ? "the window" : "CUDA");
}

/* What the page leaves open, and the commands that tell it. */
static int write_next(struct page *page, bool host_work)
{
	static const enum next_step steps[] = {NEXT_HOST,  NEXT_KERNEL, NEXT_COUNTERS,
					       NEXT_WHOLE, NEXT_TRACE,	NEXT_TRACE_PAGE,
					       NEXT_EXACT, NEXT_WINDOW, NEXT_RANK};
	const struct table *table = &page->tables[TABLE_GPU];
	const struct next next = {page->session, page->options, table,
				  next_kernel(page->session, table), host_work};
	char *what, *command;
	int error = 0;

	write_when(page);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !error; i++) {
		error = next_step_text(&next, steps[i], &what, &command);
		if (!command)
			continue;
		*what = (char)toupper((unsigned char)*what);
		fputs("<p class=\"remark\">", page->html.file);
		html_text(&page->html, what);
		fputs(": <code>", page->html.file);
		html_text(&page->html, command);
		fputs("</code></p>\n", page->html.file);
		free(what);
		free(command);
	}
	return error;
}

int summary_section(struct page *page)
{
	bool merged = session_header(page->session)->processes;
	struct job job;
	bool host_work = false;
	int error = 0;

	write_window(page);
	if (page->options->findings)
		error = write_findings(page, &host_work);
	if (error)
		return error;
	if (merged)
		error = job_init(&job, page->session);
	fputs("<dl class=\"figures\">\n", page->html.file);
	write_gpu_time(page);
	if (merged) {
		if (!error)
			write_job(page, &job);
		job_free(&job);
	} else {
		write_busy(page);
		write_largest_cause(page);
	}
	write_longest_row(page);
	fputs("</dl>\n", page->html.file);
	return error ?: write_next(page, host_work);
}
