/* SPDX-License-Identifier: MIT */
/* What a page says first: what was found, and a handful of figures that say how much, of what and
 * why not more. */
#include <stdlib.h>
#include <string.h>

#include "report/html/section.h"
#include "report/merge/job.h"
#include "report/print/report.h"

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

/* The row with most time, which comes first unless another order was asked for. */
static const struct table_row *longest_row(const struct table *table)
{
	const struct table_row *longest = NULL;

	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].timed && (!longest || table->rows[i].total > longest->total))
			longest = &table->rows[i];
	return longest;
}

static void write_longest_row(struct page *page)
{
	const struct table *table = &page->tables[TABLE_GPU];
	const struct table_row *row = longest_row(table);
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

/* The largest cause of idle time of any device, and that device's time. */
struct largest_cause {
	struct idle_sum sum; /* a total of 0: none */
	uint64_t whole;
};

static struct largest_cause largest_cause_of(const struct page *page)
{
	static struct idle_sum sums[IDLE_SUMS]; /* too large for a small stack */
	struct largest_cause largest = {.whole = 0};
	uint64_t whole;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		if (!idle_shows(page->session, page->options, device) ||
		    !idle_sums(page->session, device, 0, sums) ||
		    sums[0].total <= largest.sum.total)
			continue;
		idle_time(&session_header(page->session)->uses[device], &whole);
		largest = (struct largest_cause){sums[0], whole};
	}
	return largest;
}

static void write_busy(struct page *page)
{
	struct span busy = {.count = 0};
	uint64_t whole, longest = 0;
	char value[64], time[NUMBER_SIZE], note[160];

	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct device_use *use = &session_header(page->session)->uses[device];

		if (!idle_shows(page->session, page->options, device))
			continue;
		idle_time(use, &whole);
		span_add(&busy, time_percent(use->busy, whole));
		longest = whole > longest ? whole : longest;
	}
	if (!busy.count)
		return;
	span_text(value, sizeof(value), &busy);
	number_about(time, (double)longest, 3);
	if (busy.count > 1)
		snprintf(note, sizeof(note), "of the time of %u GPUs, at most %s", busy.count,
			 time);
	else
		snprintf(note, sizeof(note), "of %s, from the first operation to the last", time);
	html_fact(&page->html, "GPU busy", "value", value, note);
}

static void write_largest_cause(struct page *page)
{
	const struct largest_cause largest = largest_cause_of(page);
	char time[NUMBER_SIZE], gaps[NUMBER_SIZE], note[160];

	if (!largest.sum.total)
		return;
	snprintf(note, sizeof(note), "%.1f %% of the time of GPU %d: %s in %s gap%s",
		 time_percent(largest.sum.total, largest.whole), largest.sum.device,
		 number_about(time, (double)largest.sum.total, 3),
		 number_count(gaps, largest.sum.gaps), largest.sum.gaps == 1 ? "" : "s");
	html_fact(&page->html, "Idle mostly for", "value", largest.sum.text, note);
}

/* What processes have of it, and which of them has most work. */
static void write_job(struct page *page, const struct job *job)
{
	uint64_t causes[IDLE_CAUSE_COUNT] = {0}, whole = 0;
	struct span busy = {.count = 0};
	const struct job_process *first = job->count ? job->processes[0] : NULL;
	char value[64], time[NUMBER_SIZE], other[NUMBER_SIZE], note[160];
	double mean = 0;
	unsigned largest = 0;

	for (size_t i = 0; i < job->count; i++) {
		const struct job_process *process = job->processes[i];

		mean += (double)(process->gpu - process->collectives) / (double)job->count;
		whole += process->device_time;
		if (process->device_time)
			span_add(&busy, time_percent(process->busy, process->device_time));
		for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++)
			causes[cause] += process->causes[cause];
	}
	for (unsigned cause = 1; cause < IDLE_CAUSE_COUNT; cause++)
		largest = causes[cause] > causes[largest] ? cause : largest;
	if (busy.count) {
		span_text(value, sizeof(value), &busy);
		html_fact(&page->html, "GPU busy", "value", value,
			  "of the time of the GPUs, in each process");
	}
	if (first && mean > 0) {
		snprintf(value, sizeof(value), first->rank.rank >= 0 ? "rank %d" : "process %d",
			 first->rank.rank >= 0 ? first->rank.rank : first->pid);
		snprintf(note, sizeof(note), "%s of GPU time without collectives, on average %s",
			 number_about(time, (double)(first->gpu - first->collectives), 3),
			 number_about(other, mean, 3));
		html_fact(&page->html, "Most work on", "value", value, note);
	}
	if (causes[largest]) {
		snprintf(note, sizeof(note), "%.1f %% of the time of all processes’ GPUs",
			 time_percent(causes[largest], whole));
		html_fact(&page->html, "Idle mostly for", "value", idle_cause_texts[largest], note);
	}
}

/* By what part the time that each process's devices were busy may differ to be the same. Chosen. */
#define SAME_BUSY 0.01

/* Whether the devices of all processes were busy equally long: what is uneven ran beside other work
 * then. In a collective a device is busy while it waits for the others, and so this says nothing.
 */
static bool is_busy_equally(const struct job *job)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < job->count; i++) {
		uint64_t busy = job->processes[i]->busy;

		if (job->processes[i]->collectives)
			return false;
		least = busy < least ? busy : least;
		most = busy > most ? busy : most;
	}
	return most && (double)(most - least) <= SAME_BUSY * (double)most;
}

static void write_uneven(const struct page *page, const struct job *job, const char *name,
			 const struct job_row *row, FILE *file)
{
	const struct job_process *process = session_process_at(page->session, row->slowest);
	bool equally = is_busy_equally(job);

	fprintf(file, "The work is uneven%s: “%s” takes %.2f times the mean on ",
		equally ? ", but costs no time, as the GPUs of all processes were busy equally long"
			: "",
		name, job_imbalance(row));
	fprintf(file, process->rank.rank >= 0 ? "rank %d" : "process %d",
		process->rank.rank >= 0 ? process->rank.rank : process->pid);
	if ((row->known & MINIMUM_KNOWN) && row->minimum)
		fprintf(file, ", %.2f times the least",
			(double)row->maximum / (double)row->minimum);
	fputs(".\n", file);
}

/* The row of which one process has most more than the mean, and whether that is worth a sentence:
 * 1 % of the GPU time of one process. */
static int write_job_verdict(struct page *page, const struct job *job)
{
	struct job_rows rows;
	struct html_lines lines;
	const struct job_row *uneven = NULL;
	double most = 0, whole = 0;
	int error = job_rows_init(&rows, job, page->options, false);

	if (error)
		return error;
	for (size_t i = 0; i < job->count; i++)
		whole += (double)job->processes[i]->gpu / (double)job->count;
	for (size_t i = 0; i < rows.count; i++) {
		const struct job_row *row = rows.rows[i];
		double excess = (double)row->maximum - row->total / (double)row->processes;

		if (excess > most) {
			most = excess;
			uneven = row;
		}
	}
	if (html_lines_begin(&lines) && uneven && most > LEAST_UNEVEN * whole) {
		write_uneven(page, job, filter_name(&rows.filter, uneven->kind, uneven->name),
			     uneven, lines.file);
	} else if (lines.file && rows.count) {
		fputs("No row is uneven over the processes by 1 % of their GPU time.\n",
		      lines.file);
	}
	job_rows_free(&rows);
	return html_lines_end(&page->html, &lines, "ol");
}

/* The least part of a device's time, in percent, for which its idle time is worth a look. Chosen.
 */
#define WORTH_PERCENT 5

/* From which part of the run on, in percent, the GPU's own time is what a run takes. Chosen. */
#define MOSTLY_GPU    80
/* The most rows that are named as where to begin, and the part of the GPU's time with which they
 * are enough, in percent. Chosen. */
#define BEGIN_ROWS    3
#define BEGIN_PERCENT 50

/* Where to begin if nobody knows when the GPU was idle: the rows with most time, and what the GPU's
 * time is beside the run's if it ran on one device. */
static void write_begin(const struct page *page, FILE *file)
{
	const struct session_header *header = session_header(page->session);
	const struct table *table = &page->tables[TABLE_GPU];
	uint64_t wall = header->counters[COUNTER_wall_ns];
	const struct table_row *longest = longest_row(table);
	double share = time_percent(table->total, wall), sum = 0;
	bool one = devices_used(page->session) <= 1 && !header->counters[COUNTER_windows];
	size_t count = 0;

	if (!longest || !table->total)
		return;
	/* The rows can be in another order. */
	while (table->rows == longest && count < table->count && count < BEGIN_ROWS &&
	       sum < BEGIN_PERCENT)
		sum += table_percent(table, &table->rows[count++]);
	fputs("Most of the GPU’s time is in ", file);
	if (!count)
		fprintf(file, "%s: %.1f %%.", longest->name, table_percent(table, longest));
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s%s", i ? i + 1 < count ? ", " : " and " : "", table->rows[i].name);
	if (count)
		fprintf(file, ": %.1f %%.", sum);
	if (one && wall && share >= 1 && share <= 100)
		fprintf(file, " GPU time is about %.0f %% of the run%s", share,
			share >= MOSTLY_GPU ? ": unless operations overlap, the GPU is at work "
					      "nearly all the time, so make these faster."
					    : ".");
	fputc('\n', file);
}

/* What stands where no rule found anything. */
static void write_no_finding(struct page *page, FILE *file)
{
	const struct table *table = &page->tables[TABLE_GPU];
	const struct table_row *row = longest_row(table);
	const char *unknown = idle_unknown(page->session);
	const struct largest_cause largest = largest_cause_of(page);
	double share = time_percent(largest.sum.total, largest.whole);

	if (unknown) {
		fprintf(file, "Why the GPU was idle is not known, as %s. To know it: %s.\n",
			unknown, exact_times_by(page->session));
		write_begin(page, file);
		return;
	}
	if (!row)
		return;
	fprintf(file,
		"No findings: nothing reaches the threshold of a rule. Begin with %s, %.1f %% of "
		"the GPU time",
		row->name, table_percent(table, row));
	if (share >= WORTH_PERCENT)
		fprintf(file, ", or with what the GPU waited for: %s, %.1f %% of its time",
			largest.sum.text, share);
	fputs(".\n", file);
}

/* As a line by itself, which begins with a capital. */
static void write_finding(const struct finding *finding, bool several, FILE *file)
{
	char text[512] = "";
	FILE *line = fmemopen(text, sizeof(text), "w");

	if (!line)
		return;
	finding_write(finding, several, line);
	fclose(line);
	if (*text >= 'a' && *text <= 'z')
		*text -= 'a' - 'A';
	fprintf(file, "%s\n", text);
}

static int write_findings(struct page *page)
{
	struct finding findings[FINDING_COUNT];
	struct html_lines lines;
	unsigned count = findings_of(page->session, page->options->devices, findings);

	html_lines_begin(&lines);
	for (unsigned i = 0; i < count && lines.file; i++)
		write_finding(&findings[i], devices_used(page->session) > 1, lines.file);
	if (lines.file && !count)
		write_no_finding(page, lines.file);
	return html_lines_end(&page->html, &lines, count ? "ol" : "ul");
}

/* A question that the page leaves open, and the command that answers it. */
static void write_open(struct page *page, const char *what, const char *command)
{
	fprintf(page->html.file, "<p class=\"remark\">%s: <code>%s</code></p>\n", what, command);
}

int summary_section(struct page *page)
{
	bool merged = session_header(page->session)->processes;
	struct job job;
	int error = 0;

	if (merged) {
		error = job_init(&job, page->session);
		error = error ?: write_job_verdict(page, &job);
	} else if (page->options->findings) {
		error = write_findings(page);
	}
	fputs("<dl class=\"figures\">\n", page->html.file);
	write_gpu_time(page);
	if (!merged) {
		write_busy(page);
		write_largest_cause(page);
	} else if (!error) {
		write_job(page, &job);
	}
	write_longest_row(page);
	fputs("</dl>\n", page->html.file);
	if (!session_next_trace(page->session, NULL))
		write_open(page, "When: needs a trace",
			   "ktime --keep-trace all -o run.ktime ./app");
	if (merged) {
		write_open(page, "A rank’s page has its findings",
			   "ktime show --html rank1.html FILE");
		job_free(&job);
	}
	return error;
}
