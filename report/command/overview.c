/* SPDX-License-Identifier: MIT */
/* `ktime show --summary`: what ran, where the GPU's time went, why it was idle and what would help,
 * on one screen. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/command/commands.h"
#include "report/merge/job.h"
#include "report/names/cut_name.h"
#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/text.h"

/* What a screen has room for. Chosen. */
#define ROWS_SHOWN     6
#define DEVICES_SHOWN  4
#define CAUSES_SHOWN   3
#define FINDINGS_SHOWN 4
#define LINE_WIDTH     100
/* Of the name of a row, which stands in column 55. */
#define NAME_MOST      56
/* Of the names of the parts, with what separates them from their lines. */
#define PART_WIDTH     12
/* What a device's line begins with, "GPU 0: ", after that. */
#define SHARE_INDENT   (PART_WIDTH + 7)
/* A cause of idle time below this share of the device's time is not named, percent. */
#define LEAST_PERCENT  0.5
/* Of the mean: what the longest rank may take to be called no slower than the others. Chosen. */
#define EVEN	       1.02

/* The part that a line belongs to stands before its first line alone. */
static void begin(const char *part, bool first, FILE *file)
{
	fprintf(file, "%-*s", PART_WIDTH, first ? part : "");
}

static void write_what(const struct session *session, const char *path, FILE *file)
{
	const struct session_header *header = session_header(session);
	const char *command = session_string(session, header->command);
	const char *node = session_string(session, header->hostname);
	const struct job_process *process = NULL;
	time_t seconds = (time_t)(header->start_realtime / 1000000000u);
	char date[32] = "", wall[JOB_WALL_SIZE], gpus[JOB_GPUS_SIZE];
	unsigned shown = 0;
	struct tm local;

	begin("What", true, file);
	/* Of a job's processes the first that is there. */
	session_for_each_process (session, process) {
		command = session_string(session, process->command);
		break;
	}
	/* An import knows no command, and no time of the run. */
	visible_write(*command ? command : path, file);
	fputc('\n', file);
	if (header->start_realtime && localtime_r(&seconds, &local)) {
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &local);
		begin("", false, file);
		fprintf(file, "%s, %s%s%s", date,
			header->finished == RUN_BETWEEN ? "a window, " : "",
			header->processes
				? job_wall_text(session, wall)
				: number_about(wall, (double)header->counters[COUNTER_wall_ns], 3),
			header->processes ? "" : " long");
		if (header->processes)
			fprintf(file, ", %u processes on %zu node%s%s", (unsigned)header->processes,
				job_nodes(session), job_nodes(session) == 1 ? "" : "s",
				job_gpus_text(session, gpus));
		else
			fprintf(file, ", process %d", (int)header->pid);
		if (*node && !header->processes) {
			fputs(" on ", file);
			visible_write(node, file);
		}
		fputc('\n', file);
	}
	for (int device = 0; device < SESSION_DEVICES && shown < DEVICES_SHOWN; device++) {
		if (!header->devices[device].used)
			continue;
		begin("", false, file);
		fprintf(file, "GPU %d: ", device);
		visible_write(header->devices[device].name, file);
		fputc('\n', file);
		shown++;
	}
}

/* Each row's name, short enough for a line, and what tells it from the others in it. 0 or -ENOMEM;
 * the caller frees them whatever it returns. */
static int cut_names(const struct table *table, char ***names)
{
	char **whole = calloc(table->collected + 1, sizeof(*whole));
	int error = 0;

	*names = calloc(table->collected + 1, sizeof(**names));
	if (!whole || !*names)
		error = -ENOMEM;
	for (size_t i = 0; i < table->collected && !error; i++)
		whole[i] = table->rows[i].name;
	for (size_t i = 0; i < table->collected && !error; i++) {
		/* The rows that are not shown are told apart nowhere. */
		(*names)[i] = cut_name(whole[i], whole, table->count, NAME_MOST);
		error = (*names)[i] ? 0 : -ENOMEM;
	}
	free(whole);
	return error;
}

static void write_row(const struct table *table, const struct table_row *row, const char *name,
		      FILE *file)
{
	char time[NUMBER_SIZE], calls[NUMBER_SIZE], average[NUMBER_SIZE];

	number_count(calls, row->calls);
	begin("", false, file);
	if (row->timed == 0)
		fprintf(file, "     -           -  %9s call%s not timed    ", calls,
			row->calls == 1 ? " " : "s");
	else
		fprintf(file, " %5.1f %%  %*s%s%s  %9s call%s of %-8s  ", table_percent(table, row),
			(int)(7 - strlen(number_about(time, (double)row->total, 3))), "",
			row->bound	 ? "≤"
			: row->estimated ? "~"
					 : " ",
			time, calls, row->calls == 1 ? " " : "s",
			number_about(average, (double)table_time(row, TABLE_AVERAGE), 3));
	visible_write(name, file);
	fputc('\n', file);
}

/* Where a copy or a memset is above it, or another one's calls take longer. */
static void write_slowest_kernel(const struct table *table, char *const *names, FILE *file)
{
	const struct table_row *most = NULL, *longest = NULL;
	char time[NUMBER_SIZE];

	for (size_t i = 0; i < table->collected; i++) {
		const struct table_row *row = &table->rows[i];

		if (row->kind != ROW_KERNEL || !row->timed)
			continue;
		if (!most)
			most = row;
		if (!longest || table_time(row, TABLE_AVERAGE) > table_time(longest, TABLE_AVERAGE))
			longest = row;
	}
	if (!most)
		return;
	begin("", false, file);
	fputs("kernel with most time: ", file);
	visible_write(names[most - table->rows], file);
	if (longest != most) {
		fprintf(file, "; with the longest calls (%s): ",
			number_about(time, (double)table_time(longest, TABLE_AVERAGE), 3));
		visible_write(names[longest - table->rows], file);
	}
	fputc('\n', file);
}

static void write_where(const struct session *session, const struct options *options,
			const struct table *table, char *const *names, FILE *file)
{
	char time[NUMBER_SIZE], calls[NUMBER_SIZE];
	uint64_t all = 0, untimed = 0;
	bool bounds = false;

	for (size_t i = 0; i < table->collected; i++) {
		all += table->rows[i].calls;
		untimed += table->rows[i].timed == 0 ? table->rows[i].calls : 0;
	}
	begin("Where", true, file);
	if (all == 0)
		fputs("no kernel, copy or memset ran on a GPU\n", file);
	else if (untimed == all)
		fprintf(file, "%s operation%s, counted only:\n", number_count(calls, all),
			all == 1 ? "" : "s");
	else
		fprintf(file, "%s of GPU time in %s operation%s",
			number_about(time, (double)table->total, 3), number_count(calls, all),
			all == 1 ? "" : "s");
	if (untimed > 0 && untimed < all)
		fprintf(file, ", %s of them not timed", number_count(calls, untimed));
	if (untimed < all)
		fputs(":\n", file);
	for (size_t i = 0; i < table->count; i++) {
		write_row(table, &table->rows[i], names[i], file);
		bounds |= table->rows[i].bound;
	}
	if (table->collected > table->count) {
		begin("", false, file);
		fprintf(file, "and %zu more rows\n", table->collected - table->count);
	}
	if (options->sort == SORT_TIME)
		write_slowest_kernel(table, names, file);
	if (bounds) {
		begin("", false, file);
		fprintf(file, "≤: at most, as the time may include waits; exact times: %s\n",
			exact_times_by(session));
	}
}

static void write_causes(const struct session *session, int device, uint64_t whole, FILE *file)
{
	static struct idle_sum sums[IDLE_SUMS]; /* too large for a small stack */
	unsigned count = idle_sums(session, device, 0, sums);

	if (!count && idle_time(&session_header(session)->uses[device], &whole)) {
		begin("", false, file);
		fputs("       why it was idle is not known yet: ktime works that out some "
		      "operations later\n",
		      file);
	}
	for (unsigned i = 0; i < count && i < CAUSES_SHOWN; i++) {
		if (time_percent(sums[i].total, whole) < LEAST_PERCENT)
			break;
		begin("", false, file);
		fprintf(file, sums[i].error > 0 ? " ~%4.1f %% idle: " : "%6.1f %% idle: ",
			time_percent(sums[i].total, whole));
		visible_write(sums[i].text, file);
		fputc('\n', file);
	}
}

/* The process of a job that the others wait for. 0 or -ENOMEM. */
static int write_slowest(const struct session *session, FILE *file)
{
	size_t count;
	const struct job_process **processes = job_slowest_first(session, &count);
	char own[NUMBER_SIZE], mean[NUMBER_SIZE];
	double sum = 0;

	if (!processes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sum += (double)process_own_work(processes[i]);
	if (count > 1 && (double)process_own_work(processes[0]) * (double)count <= sum * EVEN) {
		begin("", false, file);
		fprintf(file, "no rank is slower than the others: %s of GPU time each%s\n",
			number_about(mean, sum / (double)count, 3),
			job_without_collectives(session));
	} else if (count > 1) {
		begin("", false, file);
		if (processes[0]->rank.rank >= 0)
			fprintf(file, "slowest: rank %d on ", processes[0]->rank.rank);
		else
			fprintf(file, "slowest: process %d on ", (int)processes[0]->pid);
		visible_write(session_string(session, processes[0]->hostname), file);
		fprintf(file, ", %s of GPU time%s, where the mean is %s\n",
			number_about(own, (double)process_own_work(processes[0]), 3),
			job_without_collectives(session),
			number_about(mean, sum / (double)count, 3));
	}
	free(processes);
	return 0;
}

/* Below the device's line, as a part of it. */
static void write_share(const char *share, FILE *file)
{
	char line[USE_SHARE_SIZE + SHARE_INDENT + 2];

	if (!*share)
		return;
	snprintf(line, sizeof(line), "%-*s%s\n", SHARE_INDENT, "", share);
	report_wrap(line, SHARE_INDENT, LINE_WIDTH, file);
}

static void write_why(const struct session *session, const struct options *options, FILE *file)
{
	const char *unknown = idle_unknown(session);
	const struct device_use *use;
	unsigned shown = 0;

	session_for_each_use (session, unknown ? 0 : options->devices, device, use) {
		char time[NUMBER_SIZE], share[USE_SHARE_SIZE], busy[BUSY_SHARE_SIZE];
		uint64_t whole;

		if (shown == DEVICES_SHOWN)
			break;
		idle_time(use, &whole);
		use_share_text(session, options, device, share);
		begin("Why", shown++ == 0, file);
		fprintf(file, "GPU %d: busy %s of %s%s from its first operation to its last\n",
			device, busy_share(busy, session_header(session), use),
			number_about(time, (double)whole, 3),
			session_header(session)->processes ? ", all processes together," : "");
		write_share(share, file);
		write_causes(session, device, whole, file);
	}
	if (shown)
		return;
	begin("Why", true, file);
	fprintf(file, "how busy the GPU was is not known%s%s\n", unknown ? ", as " : "",
		unknown ? unknown : "");
}

/* Lines of a part, each broken where it is too long. `begun`: the part has its name. */
static int write_lines(const char *part, const char *lines, bool *begun, FILE *file)
{
	while (*lines) {
		size_t length = strcspn(lines, "\n");
		char *line;

		if (asprintf(&line, "%-*s%.*s\n", PART_WIDTH, *begun ? "" : part, (int)length,
			     lines) < 0)
			return -ENOMEM;
		report_wrap(line, PART_WIDTH, LINE_WIDTH, file);
		free(line);
		*begun = true;
		lines += length + (lines[length] == '\n');
	}
	return 0;
}

/* The findings, or where to begin without one. */
static int write_findings(struct next *next, bool *begun, FILE *file)
{
	const struct session *session = next->session;
	struct finding findings[FINDING_COUNT];
	unsigned count = findings_of(session, next->options->devices, findings);
	char *text = NULL;
	size_t size;
	FILE *lines = open_memstream(&text, &size);
	int error;

	if (!lines)
		return -errno;
	for (unsigned i = 0; i < count && i < FINDINGS_SHOWN; i++) {
		finding_write(session, &findings[i], lines);
		fputc('\n', lines);
	}
	if (savings_write(session, findings, count, lines))
		fputc('\n', lines);
	if (findings_are_outside(findings, count))
		next_without_finding(session, next->options, next->table, count, lines);
	next->host_work = findings_have_host_work(findings, count);
	error = text_close(lines, &text) ?: write_lines("What next", text, begun, file);
	free(text);
	return error;
}

/* Commands stand on lines of their own, to be copied. */
static int write_next(const struct session *session, const struct options *options,
		      const struct table *table, FILE *file)
{
	struct next next = {session, options, table, next_kernel(session, table), false};
	char *what, *command;
	bool begun = false;
	int error = write_findings(&next, &begun, file);

	for (unsigned step = 0; step < NEXT_STEPS && !error; step++) {
		if (step == NEXT_RANK)
			continue;
		error = next_step_text(&next, step, &what, &command);
		if (!command)
			continue;
		begin("What next", !begun, file);
		begun = true;
		fprintf(file, "%s: %s\n", what, command);
		free(what);
		free(command);
	}
	return error;
}

int overview_write(const struct session *session, const char *path, const struct options *asked,
		   FILE *file)
{
	struct options options = *asked;
	struct table table = {.rows = NULL};
	char **names = NULL;
	int error;

	options.top = options.top ? options.top : ROWS_SHOWN;
	if (options.names == NAMES_AUTO)
		options.names = NAMES_DISTINCT;
	write_what(session, path, file);
	error = table_collect(&table, session, &options, TABLE_GPU, TABLE_ALL_DEVICES, false);
	if (!error)
		error = cut_names(&table, &names);
	if (error)
		goto out;
	write_where(session, &options, &table, names, file);
	write_why(session, &options, file);
	if (session_header(session)->processes)
		error = write_slowest(session, file);
	if (!error)
		error = write_next(session, &options, &table, file);
	if (!error && fflush(file) != 0)
		error = -errno;
	if (!error && ferror(file))
		error = -EIO;
out:
	for (size_t i = 0; names && i < table.collected; i++)
		free(names[i]);
	free(names);
	table_free(&table);
	return error;
}
