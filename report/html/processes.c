/* SPDX-License-Identifier: MIT */
/* A merged profile's processes side by side, and the rows that are uneven over them. */
#include <errno.h>
#include <stdlib.h>

#include "report/html/section.h"
#include "report/merge/job.h"
#include "report/sheet/number.h"
#include "report/session/estimate.h"

/* Bytes of the section's tables. Chosen: a page stays under 1 MB. */
#define PROCESSES_BYTES 100000
#define BALANCE_BYTES	200000

struct job {
	struct page *page;
	const struct job_process **processes; /* the slowest first */
	size_t count;
	struct waits waits;
	uint64_t longest;		   /* time of a process's devices */
	uint64_t causes[IDLE_CAUSE_COUNT]; /* of all processes */
};

/* Busy and idle time, each process's bar as long as its devices' time is beside the longest. */
static void write_bar(const struct job *job, const struct job_process *process)
{
	struct html *html = &job->page->html;
	double at = 0, scale = job->longest ? 100.0 / (double)job->longest : 0;
	uint64_t left = job_idle(process);
	double length = (double)process->busy * scale;

	fputs("<td><svg class=\"stack process\" aria-hidden=\"true\">\n", html->file);
	stack_part(html, "busy-kernels", "busy", at, length);
	at += length;
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++) {
		if (!process->causes[i])
			continue;
		length = (double)process->causes[i] * scale;
		stack_part(html, stack_cause_class(i), idle_cause_texts[i], at, length);
		at += length;
		left -= process->causes[i] < left ? process->causes[i] : left;
	}
	if (left)
		stack_part(html, "idle-unresolved", "no cause known", at, (double)left * scale);
	fputs("</svg></td>", html->file);
}

static void write_process(const struct job *job, const struct job_process *process)
{
	const struct session *session = job->page->session;
	const struct process_wait *wait = waits_of(&job->waits, session, process);
	double waited = wait ? (wait->is_exact ? wait->exact : wait->least) : 0;
	const char *mark = wait && !wait->is_exact && process->collectives ? "&#62;" : "";
	struct html *html = &job->page->html;
	bool ranked = process->rank.rank >= 0;
	int number = ranked ? process->rank.rank : process->pid;

	fprintf(html->file, "<tr><th scope=\"row\" class=\"number\" data-value=\"%d\">%d</th>",
		number, number);
	write_bar(job, process);
	html_time(html, process->gpu, true, "");
	html_time(html, process->collectives, true, "");
	html_time(html, to_unsigned(waited), true, mark);
	html_time(html, process->busy, true, "");
	html_time(html, job_idle(process), true, "");
	html_bytes(html, process->memory_peak);
	fputs("<td class=\"name\">", html->file);
	/* Processes without ranks are a tree's, on one node. */
	html_text(html, session_string(session, ranked ? process->hostname : process->command));
	fputs("</td></tr>\n", html->file);
}

static void write_legend(const struct job *job)
{
	struct html *html = &job->page->html;

	fputs("<ul class=\"legend\" aria-hidden=\"true\">\n<li>", html->file);
	stack_swatch(html, "busy-kernels");
	fputs("busy</li>\n", html->file);
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++) {
		if (!job->causes[i])
			continue;
		fputs("<li>", html->file);
		stack_swatch(html, stack_cause_class(i));
		fprintf(html->file, "%s</li>\n", idle_cause_texts[i]);
	}
	fputs("</ul>\n", html->file);
}

static void write_processes(const struct job *job)
{
	struct html *html = &job->page->html;
	bool ranked = job->count > 0 && job->processes[0]->rank.rank >= 0;
	long most = ftell(html->file) + PROCESSES_BYTES;
	size_t i;

	write_legend(job);
	html_table_begin(
		html, "processes-table", "sortable",
		"Processes, the one with most GPU time outside collectives first; bars are "
		"the time of their devices",
		ranked ? "#Rank|-Busy and idle|#GPU time|#Collectives|#Waiting|#Busy|#Idle|#Memory "
			 "at most|Node"
		       : "#Process|-Busy and idle|#GPU "
			 "time|#Collectives|#Waiting|#Busy|#Idle|#Memory at most|Command");
	for (i = 0; i < job->count && ftell(html->file) < most; i++)
		write_process(job, job->processes[i]);
	html_table_end(html);
	if (i < job->count)
		fprintf(html->file,
			"<p class=\"left-out\">%zu more processes are not in this page: "
			"<code>ktime "
			"show --slowest %zu</code> prints them.</p>\n",
			job->count - i, job->count);
}

/* The process that has most of a row; nobody is slower if all have as much. */
static void write_slowest(struct html *html, const struct session *session,
			  const struct job_row *row)
{
	const struct job_process *slowest = session_process_at(session, row->slowest);

	fputs("<td>", html->file);
	if (!slowest || (row->minimum == row->maximum && row->processes > 1))
		fputc('-', html->file);
	else if (slowest->rank.rank >= 0)
		fprintf(html->file, "rank %d", slowest->rank.rank);
	else
		fprintf(html->file, "process %d", slowest->pid);
	fputs("</td>", html->file);
}

static void write_row(struct page *page, const struct job_row *row, const char *name)
{
	double mean = row->processes ? row->total / (double)row->processes : 0;
	struct html *html = &page->html;
	char text[NUMBER_SIZE];

	html_row(html, name);
	snprintf(text, sizeof(text), "%.2f", job_imbalance(row));
	html_number(html, job_imbalance(row), text);
	html_time(html, row->minimum, true, "");
	html_time(html, to_unsigned(mean + 0.5), true, "");
	html_time(html, row->maximum, true, "");
	html_count(html, row->processes);
	write_slowest(html, page->session, row);
	fputs("</tr>\n", html->file);
}

static int write_balance(struct page *page)
{
	const struct job_row **rows;
	struct html *html = &page->html;
	struct filter filter;
	size_t count;
	int error = filter_init(&filter, page->session, page->options);

	if (error)
		return error;
	rows = job_longest_first(page->session, false, &count);
	if (!rows)
		error = -ENOMEM;
	html_table_begin(html, "balance-table", "sortable filterable",
			 "What the processes have of each row; imbalance is the most that one has "
			 "over the mean",
			 "Name|#Imbalance|#Min|#Mean|#Max|#Processes|Slowest");
	for (size_t i = 0; i < count && !error && ftell(html->file) < BALANCE_BYTES; i++) {
		const char *name = filter_name(&filter, rows[i]->kind, rows[i]->name);

		if (!name)
			error = -ENOMEM;
		else if (filter_shows(&filter, rows[i]->kind, rows[i]->name, -1))
			write_row(page, rows[i], name);
	}
	html_table_end(html);
	free(rows);
	filter_free(&filter);
	return error;
}

static int write_lines(FILE *file, void *argument)
{
	const struct page *page = argument;

	return job_lines_write(page->session, "", file);
}

int processes_section(struct page *page)
{
	struct job job = {.page = page};
	int error;

	if (!session_header(page->session)->processes)
		return 0;
	error = html_lines(&page->html, write_lines, page);
	if (error)
		return error;
	job.processes = job_slowest_first(page->session, &job.count);
	error = job.processes ? waits_find(&job.waits, page->session) : -ENOMEM;
	for (size_t i = 0; i < job.count && !error; i++) {
		if (job.processes[i]->device_time > job.longest)
			job.longest = job.processes[i]->device_time;
		for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++)
			job.causes[cause] += job.processes[i]->causes[cause];
	}
	if (!error) {
		write_processes(&job);
		error = write_balance(page);
	}
	waits_free(&job.waits);
	free(job.processes);
	return error;
}
