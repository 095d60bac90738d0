/* SPDX-License-Identifier: MIT */
#include "report/merge/job.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/print/filter.h"
#include "report/sheet/sheet.h"
#include "report/session/estimate.h"

#define PREFIX	     "======== "
/* Of more than these a line says how many there are. Chosen. */
#define NAMED_MOST   8
/* Causes of idle time in a process's line. Chosen. */
#define CAUSES_NAMED 2
#define CAUSES_SIZE  160

struct job {
	const struct session *session;
	const struct options *options;
	const char *prefix;
	FILE *file;
	struct waits waits;
	const struct job_process **processes; /* the slowest first */
	size_t count;
	char *causes; /* CAUSES_SIZE bytes */
};

/* "rank 3 on node7", "process 4711 on node7" */
static void write_process(const struct job *job, const struct job_process *process)
{
	const char *node = session_string(job->session, process->hostname);

	if (process->rank.rank >= 0)
		fprintf(job->file, "rank %d", process->rank.rank);
	else
		fprintf(job->file, "process %d", process->pid);
	if (*node) {
		fputs(" on ", job->file);
		visible_write(node, job->file);
	}
}

/* "Processes: 16 on 2 nodes, of 16 ranks (Open MPI)." */
static void write_heading(const struct job *job)
{
	const struct session_header *header = session_header(job->session);
	size_t nodes = job_nodes(job->session);

	fprintf(job->file, "%sProcesses: %zu on %zu node%s", job->prefix, job->count, nodes,
		nodes == 1 ? "" : "s");
	if (header->rank.world_size >= 0)
		fprintf(job->file, ", of %d ranks (%s)", header->rank.world_size,
			header->rank.launcher);
	else if (*header->rank.launcher)
		fprintf(job->file, ", of a job of %s", header->rank.launcher);
	fputs("; times are sums over them.\n", job->file);
}

/* Those for which `is_one` is true, and what is to be said of them. */
static void write_named(const struct job *job, const char *title,
			bool (*is_one)(const struct job_process *process), const char *end)
{
	size_t found = 0;

	for (size_t i = 0; i < job->count; i++) {
		if (!is_one(job->processes[i]) || ++found > NAMED_MOST)
			continue;
		fprintf(job->file, "%s%s", found == 1 ? job->prefix : ", ",
			found == 1 ? title : "");
		write_process(job, job->processes[i]);
	}
	if (found > NAMED_MOST)
		fprintf(job->file, " and %zu more", found - NAMED_MOST);
	if (found > 0)
		fprintf(job->file, "%s\n", end);
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
static int write_missing(const struct job *job)
{
	struct rank_range *ranges;
	size_t count;
	int error = job_missing(job->session, &ranges, &count);

	if (error || !count)
		goto out;
	fprintf(job->file, "%sNo profile of rank", job->prefix);
	fputs(count > 1 || ranges[0].first < ranges[0].last ? "s" : "", job->file);
	for (size_t i = 0; i < count && i < NAMED_MOST; i++) {
		fprintf(job->file, "%s%d", i > 0 ? ", " : " ", ranges[i].first);
		if (ranges[i].last > ranges[i].first)
			fprintf(job->file, "-%d", ranges[i].last);
	}
	fprintf(job->file, "%s.\n", count > NAMED_MOST ? " and more" : "");
out:
	free(ranges);
	return error;
}

static int write_lines(const struct job *job)
{
	char clocks[JOB_CLOCKS_SIZE];
	int error;

	write_heading(job);
	write_named(job, "Killed, or still running: ", is_unfinished,
		    "; what it did until then is in the sums.");
	write_named(job, "Counted only: ", only_counts, ".");
	error = write_missing(job);
	job_clocks_text(job->session, &job->waits, clocks);
	if (*clocks) {
		fprintf(job->file, "%sClocks: ", job->prefix);
		visible_write(clocks, job->file);
		fputs(".\n", job->file);
	}
	return error;
}

enum { OF_ROWS = 1, OF_RANGES = 2 };
static const struct column row_columns[] = {
	{"Imbalance", NULL, .kind = CELL_REAL, .width = 9, .decimals = 2},
	{NULL, "Imbalance", .kind = CELL_REAL, .decimals = 4},
	{"Min", "Min(ns)", .kind = CELL_NS, .width = 8},
	{"Mean", "Mean(ns)", .kind = CELL_MEAN_NS, .width = 8, .decimals = 1},
	{"Max", "Max(ns)", .kind = CELL_NS, .width = 8},
	{"Processes", "Processes", .kind = CELL_COUNT, .width = 9},
	{"Slowest", "Slowest", .width = -24},
	{"Name", "Name", .name = true, .parts = OF_ROWS},
	{"Range", "Range", .name = true, .parts = OF_RANGES},
};

struct rows {
	const struct job *job;
	const struct job_row **rows;
	struct filter *filter; /* NULL: of ranges */
};

static void fill_row(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct rows *rows = sheet->argument;
	const struct session *session = rows->job->session;
	const struct job_row *row = rows->rows[index];
	const struct job_process *slowest = session_process_at(session, row->slowest);

	cell_real(cells++, job_imbalance(row));
	cell_real(cells++, job_imbalance(row));
	cell_count(cells++, row->minimum);
	cell_real(cells++, row->total / (double)row->processes);
	cell_count(cells++, row->maximum);
	cell_count(cells++, row->processes);
	cell_print(cells, slowest->rank.rank >= 0 ? "rank %d on %s" : "%d on %s",
		   slowest->rank.rank >= 0 ? slowest->rank.rank : slowest->pid,
		   session_string(session, slowest->hostname));
	visible_replace(cells->small, strlen(cells->small));
	/* Nobody is slower than the others. */
	if (row->minimum == row->maximum && row->processes > 1)
		cell_text(cells, "-");
	cells++;
	cell_text(cells, rows->filter ? filter_name(rows->filter, row->kind, row->name) : NULL);
	cell_text(cells + 1, session_string(session, row->name));
}

/* Leaves the rows that the tables show. -ENOMEM. */
static int filter_rows(struct rows *rows, size_t *count)
{
	size_t shown = 0;

	for (size_t i = 0; i < *count; i++) {
		const struct job_row *row = rows->rows[i];

		if (!filter_name(rows->filter, row->kind, row->name))
			return -ENOMEM;
		if (filter_shows(rows->filter, row->kind, row->name, -1))
			rows->rows[shown++] = row;
	}
	*count = shown;
	return 0;
}

/* The GPU's rows, or its time in NVTX ranges if there are any, the longest first. */
static int write_rows(const struct job *job, bool of_ranges)
{
	const struct options *options = job->options;
	struct filter filter;
	struct rows rows = {.job = job, .filter = of_ranges ? NULL : &filter};
	struct sheet sheet = {SHEET_OF(row_columns), .row = fill_row, .argument = &rows,
			      .form = options->csv ? SHEET_CSV : SHEET_TEXT,
			      .parts = of_ranges ? OF_RANGES : OF_ROWS};
	int error = of_ranges ? 0 : filter_init(&filter, job->session, options);

	if (error)
		return error;
	rows.rows = job_longest_first(job->session, of_ranges, &sheet.rows);
	error = !rows.rows ? -ENOMEM : of_ranges ? 0 : filter_rows(&rows, &sheet.rows);
	if (options->top && sheet.rows > options->top)
		sheet.rows = options->top;
	if (!error && (sheet.rows || !of_ranges)) {
		if (!options->csv)
			fputs(of_ranges ? "GPU time in NVTX ranges, by process:\n"
					: "By process:\n",
			      job->file);
		sheet_write(&sheet, job->file);
	}
	free(rows.rows);
	if (!of_ranges)
		filter_free(&filter);
	return error;
}

/* Processes without ranks are a tree's, on one node: what tells them apart is the command. */
enum { RANKED = 1, UNRANKED = 2 };
static const struct column slow_columns[] = {
	{"Rank", NULL, .kind = CELL_COUNT, .width = 8, .parts = RANKED},
	{"Process", "Rank or process", .kind = CELL_COUNT, .width = 8, .parts = UNRANKED},
	{NULL, "Node or command", .name = true},
	{"GPU time", "GPU(ns)", .kind = CELL_NS, .width = 8},
	{"Collectives", "Collectives(ns)", .kind = CELL_NS, .width = 11},
	{NULL, "Bound", .name = false},
	{"Waiting", "Waiting(ns)", .kind = CELL_NS, .width = 9},
	{"Busy", "Busy(ns)", .kind = CELL_NS, .width = 8},
	{"Idle", "Idle(ns)", .kind = CELL_NS, .width = 8},
	{"Memory", "Memory Peak", .kind = CELL_SIZE_ABOUT, .width = 8},
	{NULL, "Memory Held", .kind = CELL_SIZE_ABOUT},
	{"Node", NULL, .width = -16, .parts = RANKED},
	{"Command", NULL, .width = -40, .parts = UNRANKED},
	{"Idle because of", NULL, .width = 0},
};

/* The largest causes of a process's idle time: "program 80 %, launch latency 12 %". */
static void print_causes(char text[CAUSES_SIZE], const struct job_process *process, uint64_t idle)
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
		snprintf(text + length, CAUSES_SIZE - length, "%s%.0f %% %s", named ? ", " : "",
			 100.0 * (double)causes[largest] / (double)idle, idle_cause_texts[largest]);
		length = strlen(text);
		causes[largest] = 0;
	}
}

static void fill_slow(const struct sheet *sheet, size_t index, struct cell *cells)
{
	const struct job *job = sheet->argument;
	const struct job_process *process = job->processes[index];
	const struct process_wait *wait = waits_of(&job->waits, job->session, process);
	bool ranked = process->rank.rank >= 0, csv = sheet->form == SHEET_CSV;
	double waited = wait ? (wait->is_exact ? wait->exact : wait->least) : 0;
	bool bound = wait && !wait->is_exact && process->collectives;
	const char *place =
		session_string(job->session, ranked ? process->hostname : process->command);
	static const unsigned places[] = {2, 11, 12};

	for (unsigned i = 0; i < 2; i++)
		cell_count(&cells[i], (uint64_t)(ranked ? process->rank.rank : process->pid));
	for (unsigned i = 0; i < 3; i++) {
		cell_print(&cells[places[i]], "%s", place);
		visible_replace(cells[places[i]].small, strlen(cells[places[i]].small));
	}
	cell_count(&cells[3], process->gpu);
	cell_count(&cells[4], process->collectives);
	cell_text(&cells[5], bound ? ">" : "");
	cell_count(&cells[6], to_unsigned(csv ? rint(waited) : waited));
	cells[6].mark = bound ? '>' : '\0';
	cell_count(&cells[7], process->busy);
	cell_count(&cells[8], job_idle(process));
	if (csv || process->memory_peak)
		cell_count(&cells[9], process->memory_peak);
	cell_count(&cells[10], process->memory_held);
	print_causes(job->causes, process, job_idle(process));
	cell_text(&cells[13], job->causes);
}

static void write_slowest(const struct job *job)
{
	bool csv = job->options->csv, ranked = job->count > 0 && job->processes[0]->rank.rank >= 0;
	struct sheet sheet = {SHEET_OF(slow_columns),
			      .row = fill_slow,
			      .argument = job,
			      .rows = job->options->slowest < job->count ? job->options->slowest
									 : job->count,
			      .form = csv ? SHEET_CSV : SHEET_TEXT,
			      .parts = csv || !ranked ? UNRANKED : RANKED};

	if (!csv)
		fprintf(job->file,
			"Slowest processes, by GPU time without collectives, %zu of %zu:\n",
			sheet.rows, job->count);
	sheet_write(&sheet, job->file);
}

static int begin(struct job *job)
{
	job->processes = job_slowest_first(job->session, &job->count);
	return job->processes ? waits_find(&job->waits, job->session) : -ENOMEM;
}

static void end(struct job *job)
{
	waits_free(&job->waits);
	free(job->processes);
}

int job_lines_write(const struct session *session, const char *prefix, FILE *file)
{
	struct job job = {.session = session, .prefix = prefix, .file = file};
	int error = begin(&job);

	if (!error)
		error = write_lines(&job);
	end(&job);
	return error;
}

int job_write(const struct session *session, const struct options *options, FILE *file)
{
	char causes[CAUSES_SIZE];
	struct job job = {.session = session,
			  .options = options,
			  .prefix = PREFIX,
			  .file = file,
			  .causes = causes};
	locale_t before;
	int error;

	if (!session_header(session)->processes)
		return 0;
	before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	error = begin(&job);
	if (!error && !options->quiet)
		error = write_lines(&job);
	if (!error)
		error = write_rows(&job, false);
	if (!error)
		error = write_rows(&job, true);
	if (!error)
		write_slowest(&job);
	end(&job);
	uselocale(before);
	return error;
}
