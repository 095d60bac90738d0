/* SPDX-License-Identifier: MIT */
#include "report/merge/job.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/print/filter.h"
#include "report/sheet/number.h"
#include "report/print/report.h"
#include "report/session/estimate.h"

#define PREFIX	      "======== "
/* Of more than these a line says how many there are. Chosen. */
#define NAMED_MOST    8
/* Causes of idle time in a process's line. Chosen. */
#define CAUSES_NAMED  2
#define NODE_WIDTH    16
#define COMMAND_WIDTH 40

static const char *const cause_texts[] = {
#define CAUSE_TEXT(name, key, text) text,
	IDLE_CAUSES(CAUSE_TEXT)
#undef CAUSE_TEXT
};

struct job {
	const struct session *session;
	const struct options *options;
	const char *prefix;
	FILE *file;
	struct waits waits;
	const struct job_process **processes; /* the slowest first */
	size_t count;
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

static void write_row(const struct job *job, const struct job_row *row, const char *name)
{
	const struct job_process *slowest = session_process_at(job->session, row->slowest);
	const char *node = session_string(job->session, slowest->hostname);
	double mean = row->total / (double)row->processes;
	char text[3][NUMBER_SIZE], who[96];

	snprintf(who, sizeof(who), slowest->rank.rank >= 0 ? "rank %d on %.70s" : "%d on %.70s",
		 slowest->rank.rank >= 0 ? slowest->rank.rank : slowest->pid, node);
	visible_replace(who, strlen(who));
	/* Nobody is slower than the others. */
	if (row->minimum == row->maximum && row->processes > 1)
		strcpy(who, "-");
	if (job->options->csv) {
		fprintf(job->file, "%.4f,%llu,%.1f,%llu,%llu,\"%s\",", job_imbalance(row),
			(unsigned long long)row->minimum, mean, (unsigned long long)row->maximum,
			(unsigned long long)row->processes, who);
		csv_write_text(name, job->file);
		fputc('\n', job->file);
		return;
	}
	fprintf(job->file, "%9.2f  %8s  %8s  %8s  %9llu  %-24s  %s\n", job_imbalance(row),
		number_time(text[0], row->minimum), number_time(text[1], to_unsigned(mean + 0.5)),
		number_time(text[2], row->maximum), (unsigned long long)row->processes, who, name);
}

static void write_title(const struct job *job, bool of_ranges)
{
	if (job->options->csv)
		fprintf(job->file,
			"\"Imbalance\",\"Min(ns)\",\"Mean(ns)\",\"Max(ns)\",\"Processes\","
			"\"Slowest\",\"%s\"\n",
			of_ranges ? "Range" : "Name");
	else
		fprintf(job->file,
			"%s:\nImbalance       Min      Mean       Max  Processes  Slowest  "
			"                 %s\n",
			of_ranges ? "GPU time in NVTX ranges, by process" : "By process",
			of_ranges ? "Range" : "Name");
}

/* The GPU's rows that the tables show, the longest first. */
static int write_rows(const struct job *job)
{
	const struct job_row **rows;
	struct filter filter;
	size_t count, written = 0;
	int error = filter_init(&filter, job->session, job->options);

	if (error)
		return error;
	rows = job_longest_first(job->session, false, &count);
	if (!rows)
		error = -ENOMEM;
	write_title(job, false);
	for (size_t i = 0; i < count && !error; i++) {
		const char *name = filter_name(&filter, rows[i]->kind, rows[i]->name);

		if (job->options->top && written == job->options->top)
			break;
		if (!filter_shows(&filter, rows[i]->kind, rows[i]->name, -1))
			continue;
		written++;
		if (name)
			write_row(job, rows[i], name);
		else
			error = -ENOMEM;
	}
	free(rows);
	filter_free(&filter);
	return error;
}

/* The same of NVTX ranges, if there are any. */
static int write_ranges(const struct job *job)
{
	size_t count;
	const struct job_row **rows = job_longest_first(job->session, true, &count);

	if (!rows)
		return -ENOMEM;
	if (count > 0)
		write_title(job, true);
	for (size_t i = 0; i < count && (!job->options->top || i < job->options->top); i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s", session_string(job->session, rows[i]->name));
		visible_replace(path, strlen(path));
		write_row(job, rows[i], path);
	}
	free(rows);
	return 0;
}

/* The largest causes of a process's idle time: "program 80 %, launch latency 12 %". */
static void write_causes(const struct job *job, const struct job_process *process, uint64_t idle)
{
	uint64_t causes[IDLE_CAUSE_COUNT];

	memcpy(causes, process->causes, sizeof(causes));
	for (unsigned named = 0; named < CAUSES_NAMED && idle; named++) {
		unsigned largest = 0;

		for (unsigned i = 1; i < IDLE_CAUSE_COUNT; i++)
			largest = causes[i] > causes[largest] ? i : largest;
		if (!causes[largest])
			break;
		fprintf(job->file, "%s%.0f %% %s", named ? ", " : "",
			100.0 * (double)causes[largest] / (double)idle, cause_texts[largest]);
		causes[largest] = 0;
	}
}

static void write_slow(const struct job *job, const struct job_process *process)
{
	const struct process_wait *wait = waits_of(&job->waits, job->session, process);
	const char *node = session_string(job->session, process->hostname);
	uint64_t idle = job_idle(process);
	double waited = wait ? (wait->is_exact ? wait->exact : wait->least) : 0;
	const char *mark = wait && !wait->is_exact && process->collectives ? ">" : "";
	char text[6][NUMBER_SIZE], who[32], where[80], waiting[NUMBER_SIZE + 2];

	snprintf(who, sizeof(who), "%d",
		 process->rank.rank >= 0 ? process->rank.rank : process->pid);
	/* Processes without ranks are a tree's, on one node: what tells them apart is the command.
	 */
	if (process->rank.rank < 0)
		node = session_string(job->session, process->command);
	snprintf(where, sizeof(where), "%.79s", node);
	visible_replace(where, strlen(where));
	if (job->options->csv) {
		fprintf(job->file, "%s,", who);
		csv_write_text(where, job->file);
		fprintf(job->file, ",%llu,%llu,\"%s\",%.0f,%llu,%llu,%llu,%llu\n",
			(unsigned long long)process->gpu, (unsigned long long)process->collectives,
			mark, waited, (unsigned long long)process->busy, (unsigned long long)idle,
			(unsigned long long)process->memory_peak,
			(unsigned long long)process->memory_held);
		return;
	}
	snprintf(waiting, sizeof(waiting), "%s%s", mark, number_time(text[4], to_unsigned(waited)));
	fprintf(job->file, "%8s  %8s  %11s  %9s  %8s  %8s  %8s  %-*s  ", who,
		number_time(text[0], process->gpu), number_time(text[1], process->collectives),
		waiting, number_time(text[2], process->busy), number_time(text[3], idle),
		process->memory_peak ? number_bytes_about(text[5], process->memory_peak) : "-",
		process->rank.rank < 0 ? COMMAND_WIDTH : NODE_WIDTH, where);
	write_causes(job, process, idle);
	fputc('\n', job->file);
}

static void write_slowest(const struct job *job)
{
	size_t shown = job->options->slowest < job->count ? job->options->slowest : job->count;
	bool ranked = job->count > 0 && job->processes[0]->rank.rank >= 0;

	if (job->options->csv)
		fputs("\"Rank or process\",\"Node or "
		      "command\",\"GPU(ns)\",\"Collectives(ns)\",\"Bound\","
		      "\"Waiting(ns)\",\"Busy(ns)\",\"Idle(ns)\",\"Memory Peak\",\"Memory Held\"\n",
		      job->file);
	else
		fprintf(job->file,
			"Slowest processes, by GPU time without collectives, %zu of %zu:\n"
			"%8s  %8s  %11s  %9s  %8s  %8s  %8s  %-*s  %s\n",
			shown, job->count, ranked ? "Rank" : "Process", "GPU time", "Collectives",
			"Waiting", "Busy", "Idle", "Memory", ranked ? NODE_WIDTH : COMMAND_WIDTH,
			ranked ? "Node" : "Command", "Idle because of");
	for (size_t i = 0; i < shown; i++)
		write_slow(job, job->processes[i]);
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
	struct job job = {.session = session, .options = options, .prefix = PREFIX, .file = file};
	locale_t before;
	int error;

	if (!session_header(session)->processes)
		return 0;
	before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	error = begin(&job);
	if (!error && !options->quiet)
		error = write_lines(&job);
	if (!error)
		error = write_rows(&job);
	if (!error)
		error = write_ranges(&job);
	if (!error)
		write_slowest(&job);
	end(&job);
	uselocale(before);
	return error;
}
