/* SPDX-License-Identifier: MIT */
/* A merged profile's processes side by side, and the rows that are uneven over them. */
#include "report/html/section.h"
#include "report/merge/job.h"

/* Bytes of the section's tables. Chosen: a page stays under 1 MB. */
#define PROCESSES_BYTES 100000
#define BALANCE_BYTES	100000

struct side_by_side {
	struct job job; /* the sheet's argument */
	struct page *page;
	uint64_t longest; /* time of a process's devices */
};

/* Busy and idle time, each process's bar as long as its devices' time is beside the longest. */
static void write_bar(struct html *html, const struct job_process *process, double scale)
{
	uint64_t left = job_idle(process);
	double at;

	fputs("<svg class=\"stack process\" aria-hidden=\"true\">\n", html->file);
	at = stack_part(html, "busy-kernels", "busy", 0, (double)process->busy * scale);
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++) {
		if (!process->causes[i])
			continue;
		at = stack_part(html, stack_cause_class(i), idle_cause_texts[i], at,
				(double)process->causes[i] * scale);
		left -= process->causes[i] < left ? process->causes[i] : left;
	}
	if (left)
		stack_part(html, "idle-unresolved", "no cause known", at, (double)left * scale);
	fputs("</svg>", html->file);
}

static void fill_process(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct side_by_side *sides = sheet->argument;
	struct html_markup bar;

	job_fill_process(sheet, index, cells);
	if (html_cell_begin(&bar))
		write_bar(&bar.inside, sides->job.processes[index],
			  sides->longest ? 100.0 / (double)sides->longest : 0);
	html_cell_end(&sides->page->html, &bar, &cells[0]);
}

static void write_legend(const struct job *job, struct html *html)
{
	fputs("<ul class=\"legend\" aria-hidden=\"true\">\n<li>", html->file);
	stack_swatch(html, "busy-kernels");
	fputs("busy</li>\n", html->file);
	for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++) {
		size_t i = 0;

		while (i < job->count && !job->processes[i]->causes[cause])
			i++;
		if (i == job->count)
			continue;
		fputs("<li>", html->file);
		stack_swatch(html, stack_cause_class(cause));
		fprintf(html->file, "%s</li>\n", idle_cause_texts[cause]);
	}
	fputs("</ul>\n", html->file);
}

static void write_processes(const struct side_by_side *sides)
{
	struct html *html = &sides->page->html;
	struct sheet sheet;

	write_legend(&sides->job, html);
	job_processes_sheet(&sheet, &sides->job);
	sheet.row = fill_process;
	sheet.room = PROCESSES_BYTES;
	html_sheet(html, &sheet, "processes-table", "sortable",
		   "Processes, the one with most GPU time outside collectives first; bars are "
		   "the time of their devices");
	if (sheet.shown < sheet.rows)
		fprintf(html->file,
			"<p class=\"left-out\">%zu more processes are not in this page: "
			"<code>ktime show --slowest %zu</code> prints them.</p>\n",
			sheet.rows - sheet.shown, sheet.rows);
}

static int write_balance(struct page *page, const struct job *job)
{
	struct job_rows rows;
	struct sheet sheet;
	int error = job_rows_init(&rows, job, page->options, false);

	if (error)
		return error;
	job_rows_sheet(&sheet, &rows);
	sheet.room = BALANCE_BYTES;
	html_sheet(&page->html, &sheet, "balance-table", "sortable filterable",
		   "What the processes have of each row; imbalance is the most that one has over "
		   "the mean");
	job_rows_free(&rows);
	return 0;
}

int processes_section(struct page *page)
{
	struct side_by_side sides = {.page = page};
	struct job *job = &sides.job;
	struct html_lines lines;
	int error = 0, ended;

	if (!session_header(page->session)->processes)
		return 0;
	if (html_lines_begin(&lines))
		error = job_lines_write(page->session, "", lines.file);
	ended = html_lines_end(&page->html, &lines, "ul");
	if (error || ended)
		return error ? error : ended;
	error = job_init(job, page->session);
	for (size_t i = 0; i < job->count && !error; i++)
		if (job->processes[i]->device_time > sides.longest)
			sides.longest = job->processes[i]->device_time;
	if (!error) {
		write_processes(&sides);
		error = write_balance(page, job);
	}
	job_free(job);
	return error;
}
