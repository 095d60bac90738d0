/* SPDX-License-Identifier: MIT */
#include "report/merge/job.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/session/estimate.h"

#define PREFIX	     "======== "
/* Of more than these a line says how many there are. Chosen. */
#define NAMED_MOST   8
/* Causes of idle time in a process's line. Chosen. */
#define CAUSES_NAMED 2

struct job_lines {
	struct job job;
	const char *prefix;
	FILE *file;
};

/* "rank 3 on node7", "process 4711 on node7" */
static void write_process(const struct job_lines *lines, const struct job_process *process)
{
	const char *node = session_string(lines->job.session, process->hostname);

	if (process->rank.rank >= 0)
		fprintf(lines->file, "rank %d", process->rank.rank);
	else
		fprintf(lines->file, "process %d", process->pid);
	if (*node) {
		fputs(" on ", lines->file);
		visible_write(node, lines->file);
	}
}

/* "Processes: 16 on 2 nodes, each with a GPU of its own, of 16 ranks (Open MPI)." */
static void write_heading(const struct job_lines *lines)
{
	const struct session_header *header = session_header(lines->job.session);
	size_t nodes = job_nodes(lines->job.session);
	char gpus[JOB_GPUS_SIZE];

	fprintf(lines->file, "%sProcesses: %zu on %zu node%s%s", lines->prefix, lines->job.count,
		nodes, nodes == 1 ? "" : "s", job_gpus_text(lines->job.session, gpus));
	if (header->rank.world_size >= 0)
		fprintf(lines->file, ", of %d ranks (%s)", header->rank.world_size,
			header->rank.launcher);
	else if (*header->rank.launcher)
		fprintf(lines->file, ", of a job of %s", header->rank.launcher);
	fputs("; times are sums over them.\n", lines->file);
}

/* Those for which `is_one` is true, and what is to be said of them. */
static void write_named(const struct job_lines *lines, const char *title,
			bool (*is_one)(const struct job_process *process), const char *end)
{
	size_t found = 0;

	for (size_t i = 0; i < lines->job.count; i++) {
		if (!is_one(lines->job.processes[i]) || ++found > NAMED_MOST)
			continue;
		fprintf(lines->file, "%s%s", found == 1 ? lines->prefix : ", ",
			found == 1 ? title : "");
		write_process(lines, lines->job.processes[i]);
	}
	if (found > NAMED_MOST)
		fprintf(lines->file, " and %zu more", found - NAMED_MOST);
	if (found > 0)
		fprintf(lines->file, "%s\n", end);
}

static bool is_unfinished(const struct job_process *process)
{
	return !process->finished;
}

static bool only_counts(const struct job_process *process)
{
	return !process->timed && process->operations > 0;
}

/* "No profile of ranks 3, 7-9 of 16." */
static int write_missing(const struct job_lines *lines)
{
	struct rank_range *ranges;
	size_t count;
	int error = job_missing(lines->job.session, &ranges, &count);

	if (error || !count)
		goto out;
	fprintf(lines->file, "%sNo profile of rank", lines->prefix);
	fputs(count > 1 || ranges[0].first < ranges[0].last ? "s" : "", lines->file);
	for (size_t i = 0; i < count && i < NAMED_MOST; i++) {
		fprintf(lines->file, "%s%d", i > 0 ? ", " : " ", ranges[i].first);
		if (ranges[i].last > ranges[i].first)
			fprintf(lines->file, "-%d", ranges[i].last);
	}
	fprintf(lines->file, "%s.\n", count > NAMED_MOST ? " and more" : "");
out:
	free(ranges);
	return error;
}

static int write_lines(const struct job_lines *lines)
{
	char clocks[JOB_CLOCKS_SIZE];
	int error;

	write_heading(lines);
	write_named(lines, "Killed, or still running: ", is_unfinished,
		    "; what it did until then is in the sums.");
	write_named(lines, "Counted only: ", only_counts, ".");
	error = write_missing(lines);
	job_clocks_text(lines->job.session, &lines->job.waits, clocks);
	if (*clocks) {
		fprintf(lines->file, "%sClocks: ", lines->prefix);
		visible_write(clocks, lines->file);
		fputs(".\n", lines->file);
	}
	return error;
}

enum { OF_ROWS = 1, OF_RANGES = 2 };
static const struct column row_columns[] = {
	{"Imbalance", NULL, .kind = CELL_REAL, .width = 9, .decimals = 2},
	{NULL, "Imbalance", .kind = CELL_REAL, .decimals = 4},
	{"Min", "Min(ns)", .kind = CELL_NS, .width = 8},
	{"Mean", "Mean(ns)", .page = "", .kind = CELL_MEAN_NS, .width = 8, .decimals = 1},
	{NULL, NULL, .page = "Mean", .kind = CELL_NS},
	{"Max", "Max(ns)", .kind = CELL_NS, .width = 8},
	{"Processes", "Processes", .kind = CELL_COUNT, .width = 9},
	{"Calls", "Calls", .kind = CELL_MEAN, .width = 8, .parts = OF_ROWS},
	{"Slowest", "Slowest", .page = "", .width = -24},
	{NULL, NULL, .page = "Slowest"},
	{"Its calls", "Slowest Calls", .kind = CELL_COUNT, .width = 9, .parts = OF_ROWS},
	{"Name", "Name", .name = true, .head = true, .parts = OF_ROWS},
	{"Range", "Range", .name = true, .head = true, .parts = OF_RANGES},
};

static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct job_rows *rows = sheet->argument;
	const struct session *session = rows->job->session;
	const struct job_row *row = rows->rows[index];
	const struct job_process *slowest = session_process_at(session, row->slowest);
	bool ranked = slowest->rank.rank >= 0;
	int number = ranked ? slowest->rank.rank : slowest->pid;
	double mean = row->total / (double)row->processes;

	cell_real(&cells[0], job_imbalance(row));
	cell_real(&cells[1], job_imbalance(row));
	cell_count(&cells[2], row->minimum);
	cell_real(&cells[3], mean);
	cell_count(&cells[4], to_unsigned(mean + 0.5));
	cell_count(&cells[5], row->maximum);
	cell_count(&cells[6], row->processes);
	if (row->calls)
		cell_real(&cells[7], (double)row->calls / (double)row->processes);
	/* Nobody is slower than the others. */
	cell_text(&cells[8], "-");
	cell_text(&cells[9], "-");
	if (row->minimum != row->maximum || row->processes == 1) {
		cell_print(&cells[8], ranked ? "rank %d on %s" : "%d on %s", number,
			   session_string(session, slowest->hostname));
		visible_replace(cells[8].small, strlen(cells[8].small));
		cell_print(&cells[9], ranked ? "rank %d" : "process %d", number);
		if (row->calls)
			cell_count(&cells[10], row->slowest_calls);
	}
	if (!rows->of_ranges)
		cell_text(&cells[11],
			  filter_name((struct filter *)&rows->filter, row->kind, row->name));
	cell_text(&cells[12], session_string(session, row->name));
}

static int compare_total(const void *left, const void *right)
{
	const struct job_row *a = *(const struct job_row *const *)left;
	const struct job_row *b = *(const struct job_row *const *)right;

	return IN_ORDER(b->total, a->total) ?: IN_ORDER(a->name, b->name);
}

/* Leaves the rows that the table shows: ranges, or those of the GPU that its filter takes. -ENOMEM.
 */
static int filter_rows(struct job_rows *rows, size_t all)
{
	for (size_t i = 0; i < all; i++) {
		const struct job_row *row = rows->rows[i];

		if (rows->of_ranges ? row->kind != ROW_RANGE : !row_is_gpu(row->kind))
			continue;
		if (!rows->of_ranges && !filter_name(&rows->filter, row->kind, row->name))
			return -ENOMEM;
		if (rows->of_ranges || filter_shows(&rows->filter, row->kind, row->name, -1))
			rows->rows[rows->count++] = row;
	}
	return 0;
}

int job_rows_init(struct job_rows *rows, const struct job *job, const struct options *options,
		  bool of_ranges)
{
	size_t all;
	int error;

	*rows = (struct job_rows){.job = job, .of_ranges = of_ranges};
	error = filter_init(&rows->filter, job->session, options);
	if (error)
		return error;
	rows->rows = session_items(job->session, SEGMENT_JOB_ROWS, &all);
	error = rows->rows ? filter_rows(rows, all) : -ENOMEM;
	if (error)
		job_rows_free(rows);
	else if (rows->count > 0)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), compare_total);
	return error;
}

void job_rows_free(struct job_rows *rows)
{
	free(rows->rows);
	filter_free(&rows->filter);
}

void job_rows_sheet(struct sheet *sheet, const struct job_rows *rows)
{
	*sheet =
		(struct sheet){SHEET_OF(row_columns), .row = fill_row, .argument = rows,
			       .rows = rows->count, .parts = rows->of_ranges ? OF_RANGES : OF_ROWS};
}

/* The GPU's rows, or its time in NVTX ranges if there are any. */
static int write_rows(const struct job_lines *lines, const struct options *options, bool of_ranges)
{
	struct job_rows rows;
	struct sheet sheet;
	int error = job_rows_init(&rows, &lines->job, options, of_ranges);

	if (error)
		return error;
	job_rows_sheet(&sheet, &rows);
	sheet.form = sheet_form_of(options);
	if (options->top && sheet.rows > options->top)
		sheet.rows = options->top;
	if (!options->csv && (sheet.rows || !of_ranges))
		/* In Markdown it would belong to the list before it. */
		fprintf(lines->file, "%s%s", options->as_markdown ? "\n" : "",
			of_ranges ? "GPU time in NVTX ranges, by process:\n" : "By process:\n");
	if (sheet.rows || !of_ranges)
		sheet_write(&sheet, lines->file);
	job_rows_free(&rows);
	return 0;
}

/* Processes without ranks are a tree's, on one node: what tells them apart is the command. */
enum { RANKED = 1, UNRANKED = 2, COLLECTIVES = 4 };
static const struct column slow_columns[] = {
	{NULL, NULL, .page = "Busy and idle", .kind = CELL_PICTURE},
	{"Rank", NULL, .kind = CELL_INTEGER, .width = 8, .head = true, .parts = RANKED},
	{"Process", "Rank or process", .kind = CELL_INTEGER, .width = 8, .head = true,
	 .parts = UNRANKED},
	{NULL, "Node or command", .name = true},
	{"GPU time", "GPU(ns)", .kind = CELL_NS, .width = 8},
	{"Collectives", "Collectives(ns)", .kind = CELL_NS, .width = 11, .parts = COLLECTIVES},
	{NULL, "Bound", .name = false},
	{"Waiting", "Waiting(ns)", .kind = CELL_NS, .width = 9, .parts = COLLECTIVES},
	{"Busy", "Busy(ns)", .kind = CELL_NS, .width = 8},
	{"Idle", "Idle(ns)", .kind = CELL_NS, .width = 8},
	{"Memory", "Memory Peak", .page = "Memory at most", .kind = CELL_SIZE_ABOUT, .width = 8},
	{NULL, "Memory Held", .kind = CELL_SIZE_ABOUT},
	{"Node", NULL, .width = -16, .name = true, .parts = RANKED},
	{"Command", NULL, .width = -40, .name = true, .parts = UNRANKED},
	{"Idle because of", NULL, .page = "", .width = 0},
};

/* The largest causes of a process's idle time: "program 80 %, launch latency 12 %". */
static void print_causes(char text[JOB_CAUSES_SIZE], const struct job_process *process,
			 uint64_t idle)
{
	uint64_t causes[IDLE_CAUSE_COUNT];
	size_t length = 0;

	*text = '\0';
	memcpy(causes, process->causes, sizeof(causes));
	for (unsigned named = 0; named < CAUSES_NAMED && idle; named++) {
		unsigned largest = 0;

		for (unsigned i = 1; i < IDLE_CAUSE_COUNT; i++)
			largest = causes[i] > causes[largest] ? i : largest;
		if (!causes[largest])
			break;
		snprintf(text + length, JOB_CAUSES_SIZE - length, "%s%.0f %% %s", named ? ", " : "",
			 100.0 * (double)causes[largest] / (double)idle, idle_cause_texts[largest]);
		length = strlen(text);
		causes[largest] = 0;
	}
}

void job_fill_process(const struct sheet *sheet, size_t index, struct cell *cells)
{
	static const unsigned places[] = {3, 12, 13};
	struct job *job = (struct job *)sheet->argument;
	const struct job_process *process = job->processes[index];
	const struct process_wait *wait = waits_of(&job->waits, job->session, process);
	bool ranked = process->rank.rank >= 0, csv = sheet->form == SHEET_CSV;
	double waited = wait ? (wait->is_exact ? wait->exact : wait->least) : 0;
	bool bound = wait && !wait->is_exact && process->collectives;
	const char *place =
		session_string(job->session, ranked ? process->hostname : process->command);

	for (unsigned i = 1; i < 3; i++)
		cell_count(&cells[i], (uint64_t)(ranked ? process->rank.rank : process->pid));
	for (unsigned i = 0; i < 3; i++) {
		struct cell *cell = &cells[places[i]];

		cell_print(cell, "%s", place);
		if (sheet->form != SHEET_HTML)
			visible_replace(cell->small, strlen(cell->small));
	}
	cell_count(&cells[4], process->gpu);
	cell_count(&cells[5], process->collectives);
	cell_text(&cells[6], bound ? ">" : "");
	cell_count(&cells[7], to_unsigned(csv ? rint(waited) : waited));
	cells[7].mark = bound ? '>' : '\0';
	cell_count(&cells[8], process->busy);
	cell_count(&cells[9], job_idle(process));
	if (sheet->form == SHEET_CSV || sheet->form == SHEET_HTML || process->memory_peak)
		cell_count(&cells[10], process->memory_peak);
	cell_count(&cells[11], process->memory_held);
	print_causes(job->causes, process, job_idle(process));
	cell_text(&cells[14], job->causes);
}

void job_processes_sheet(struct sheet *sheet, const struct job *job)
{
	*sheet = (struct sheet){
		SHEET_OF(slow_columns), .row = job_fill_process, .argument = job,
		.rows = job->count,
		.parts = job->count > 0 && job->processes[0]->rank.rank >= 0 ? RANKED : UNRANKED};
	for (size_t i = 0; i < job->count; i++)
		if (job->processes[i]->collectives)
			sheet->parts |= COLLECTIVES;
}

static void write_slowest(const struct job_lines *lines, const struct options *options)
{
	struct sheet sheet;

	job_processes_sheet(&sheet, &lines->job);
	LOWER(sheet.rows, options->slowest);
	sheet.form = sheet_form_of(options);
	if (options->csv) {
		sheet.parts = UNRANKED | COLLECTIVES;
	} else {
		fprintf(lines->file, "Slowest processes, by GPU time%s, %zu of %zu:\n",
			job_without_collectives(lines->job.session), sheet.rows, lines->job.count);
	}
	sheet_write(&sheet, lines->file);
}

int job_init(struct job *job, const struct session *session)
{
	*job = (struct job){.session = session};
	job->processes = job_slowest_first(session, &job->count);
	return job->processes ? waits_find(&job->waits, session) : -ENOMEM;
}

void job_free(struct job *job)
{
	waits_free(&job->waits);
	free(job->processes);
}

int job_lines_write(const struct session *session, const char *prefix, FILE *file)
{
	struct job_lines lines = {.prefix = prefix, .file = file};
	int error = job_init(&lines.job, session);

	if (!error)
		error = write_lines(&lines);
	job_free(&lines.job);
	return error;
}

int job_write(const struct session *session, const struct options *options, FILE *file)
{
	struct job_lines lines = {.prefix = options->as_markdown ? "- " : PREFIX, .file = file};
	locale_t before;
	int error;

	if (!session_header(session)->processes)
		return 0;
	before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	error = job_init(&lines.job, session);
	if (!error && !options->quiet)
		error = write_lines(&lines);
	if (!error)
		error = write_rows(&lines, options, false);
	if (!error)
		error = write_rows(&lines, options, true);
	if (!error)
		write_slowest(&lines, options);
	job_free(&lines.job);
	uselocale(before);
	return error;
}
