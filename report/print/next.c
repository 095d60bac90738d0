/* SPDX-License-Identifier: MIT */
/* What to do next, where a report is read: where to begin if no rule found anything, and the
 * commands that tell more. */
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings/advice.h"
#include "report/findings/outside.h"
#include "report/names/cut_name.h"
#include "report/names/demangle.h"
#include "report/names/shell_word.h"
#include "report/names/visible.h"
#include "report/options/filename.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/text.h"

/* The least part of a device's time, in percent, for which its idle time is worth a look. Chosen.
 */
#define WORTH_PERCENT	  5

/* The same of the run's time, where idle time is not known and may be as long. Chosen. */
#define IDLE_PERCENT	  10

/* From which part of the run on, in percent, the GPU's own time is what a run takes. Chosen. */
#define MOSTLY_GPU	  80
/* The most rows that are named as where to begin, and the part of the GPU's time with which they
 * are enough, in percent. Chosen. */
#define BEGIN_ROWS	  3
#define BEGIN_PERCENT	  50

/* A launch takes a few microseconds. Where launches take this long on average, and this part of the
 * run in percent, they wait. Chosen. */
#define LAUNCH_WAITS_NS	  20000u
#define LAUNCHES_PERCENT  10

/* The bytes of files in a command. Chosen: what fits into a line or two. */
#define FILES_LENGTH_MOST 200
/* A start of the program is left out of a profile of the processor from this time on. Chosen. */
#define LEAST_START_NS	  100000000u
/* Of a kernel's name in a line. Chosen. */
#define NAME_MOST	  56

/* How many calls of a kernel ncu is to measure where the longest takes this many times as long as
 * the shortest, so that one says little. Chosen. */
#define CALLS_DIFFER	  2
#define NCU_CALLS	  5
/* The most calls before them that ncu is to leave out, as first calls load code and fill caches.
 * Chosen: of few calls it is half. */
#define NCU_SKIPPED	  100

const struct table_row *next_row(const struct table *table)
{
	const struct table_row *longest = NULL;

	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].timed && (!longest || table->rows[i].total > longest->total))
			longest = &table->rows[i];
	return longest;
}

struct idle_share idle_largest(const struct session *session, const struct options *options)
{
	static struct idle_sum sums[IDLE_SUMS]; /* too large for a small stack */
	struct idle_share largest = {.whole = 0};
	const struct device_use *use;
	uint64_t whole;

	session_for_each_use (session, options->devices, device, use) {
		if (!idle_sums(session, device, 0, sums) || sums[0].total <= largest.sum.total)
			continue;
		idle_time(use, &whole);
		largest = (struct idle_share){sums[0], whole};
	}
	return largest;
}

/* The GPU's time as a part of the run's, in percent; 0: that says nothing, as there are several
 * devices, or only windows. */
static double share_of_run(const struct session *session, const struct table *table)
{
	const struct session_header *header = session_header(session);

	if (devices_used(session) > 1 || header->processes || header->counters[COUNTER_windows] ||
	    header->counters[COUNTER_operations_outside])
		return 0;
	return time_percent(table->total, header->counters[COUNTER_wall_ns]);
}

/* Launches that take long wait for the GPU, and are no cause of anything. */
static void write_launches(const struct session *session, FILE *file)
{
	uint64_t wall = session_header(session)->counters[COUNTER_wall_ns];
	const struct row *row, *longest = NULL;
	char time[NUMBER_SIZE];

	session_for_each_row (session, row)
		if (row_is_api(row->kind) && row->cupti.count &&
		    strstr(session_string(session, row->name), "Launch") &&
		    (!longest || row->cupti.total > longest->cupti.total))
			longest = row;
	if (!longest || time_percent(longest->cupti.total, wall) < LAUNCHES_PERCENT ||
	    longest->cupti.total / longest->cupti.count < LAUNCH_WAITS_NS)
		return;
	fputs("The host spent ", file);
	fprintf(file, "%s in ", number_about(time, (double)longest->cupti.total, 3));
	visible_write(session_string(session, longest->name), file);
	fputs(": a launch waits while the GPU is behind and its queue is full, which needs no "
	      "mending.\n",
	      file);
}

/* What a faster kernel is worth: a run gets no shorter by more than the kernel does. */
static void write_halved(const struct session *session, const struct table_row *row, FILE *file)
{
	uint64_t half = row->total / 2, run = session_header(session)->counters[COUNTER_wall_ns];
	char time[NUMBER_SIZE];

	fputs(" Halving ", file);
	visible_write(row->name, file);
	fprintf(file, " saves at most %s%s, %.0f %% of the %s.", row->estimated ? "~" : "",
		number_about(time, (double)half, 3), time_percent(half, run), run_word(session));
}

/* How far a table's total may be off, ns; 0: it is exact, or that is not known. The event-pair
 * overhead, which is taken off all rows, is known no better for many than for one: their errors may
 * all be on one side. */
static double error_of(const struct table *table)
{
	double error = 0;

	for (size_t i = 0; i < table->collected; i++)
		error += table->rows[i].estimated ? table->rows[i].error : 0;
	return isnan(error) ? 0 : error;
}

/* ": unless operations overlap, …" */
static void write_mostly_busy(const struct session *session, const struct table *table, FILE *file)
{
	const struct session_header *header = session_header(session);
	double idle = (double)(header->counters[COUNTER_wall_ns] - table->total);
	double error = error_of(table);
	char text[NUMBER_SIZE];

	fprintf(file,
		": unless operations overlap, the GPU is at work nearly all the time (idle for "
		"%s%s, with the time before its first operation and after its last): only faster "
		"operations make the run shorter",
		error > 0 ? "" : "about ",
		error > 0 ? number_range(text, idle, error) : number_about(text, idle, 2));
}

/* The rows with most time, where nobody knows when the GPU was idle. */
static void write_rows(const struct session *session, const struct table *table, FILE *file)
{
	const struct table_row *longest = next_row(table);
	double share = share_of_run(session, table), sum = 0;
	size_t count = 0;

	if (!longest || !table->total)
		return;
	/* The rows can be in another order. */
	while (table->rows == longest && count < table->count && count < BEGIN_ROWS &&
	       sum < BEGIN_PERCENT)
		sum += table_percent(table, &table->rows[count++]);
	fputs("Most of the GPU's time is in ", file);
	if (!count) {
		visible_write(longest->name, file);
		fprintf(file, ": %.1f %%.", table_percent(table, longest));
	}
	for (size_t i = 0; i < count; i++) {
		fputs(i ? i + 1 < count ? ", " : " and " : "", file);
		visible_write(table->rows[i].name, file);
	}
	if (count)
		fprintf(file, ": %.1f %%.", sum);
	if (share >= 1 && share <= 100) {
		fprintf(file, " GPU time is about %.0f %% of the %s", share, run_word(session));
		if (share >= MOSTLY_GPU)
			write_mostly_busy(session, table, file);
		fputc('.', file);
		write_halved(session, longest, file);
	}
	fputc('\n', file);
	if (share >= MOSTLY_GPU)
		write_launches(session, file);
}

void next_without_finding(const struct session *session, const struct options *options,
			  const struct table *table, unsigned found, FILE *file)
{
	const struct table_row *row = next_row(table);
	bool unknown = idle_unknown(session);
	const struct idle_share largest = idle_largest(session, options);
	double share = time_percent(largest.sum.total, largest.whole);

	if (unknown) {
		write_rows(session, table, file);
		return;
	}
	if (!row)
		return;
	fputs(found ? "While the GPU had work nothing reaches the threshold of a rule. Begin there "
		      "with "
		    : "No findings: nothing reaches the threshold of a rule. Begin with ",
	      file);
	visible_write(row->name, file);
	fprintf(file, ", %.1f %% of the GPU time", table_percent(table, row));
	if (share >= WORTH_PERCENT) {
		fputs(", or with what the GPU waited for: ", file);
		visible_write(largest.sum.text, file);
		fprintf(file, ", %.1f %% of its time", share);
	}
	fputs(".\n", file);
	write_launches(session, file);
}

/* How long the equal beginning of all profiles' names is, and their equal end behind that. */
static void find_equal(const struct options *options, size_t *start, size_t *end)
{
	const char *first = options->profiles[0];
	size_t equal;

	*start = *end = strlen(first);
	for (size_t i = 1; i < options->profile_count; i++) {
		equal = equal_at_start(first, options->profiles[i]);
		LOWER(*start, equal);
	}
	for (size_t i = 1; i < options->profile_count; i++) {
		equal = equal_at_end(first, options->profiles[i], *start);
		LOWER(*end, equal);
	}
}

/* As run.*.ktime, if a shell finds these profiles by that, and no others. */
static bool write_pattern(const struct options *options, FILE *file)
{
	char pattern[FILES_LENGTH_MOST];
	const char *first = options->profiles[0];
	glob_t found = {.gl_pathc = 0};
	size_t start, end;
	int length;
	bool same;

	find_equal(options, &start, &end);
	length = snprintf(pattern, sizeof(pattern), "%.*s*%s", (int)start, first,
			  first + strlen(first) - end);
	if (length >= (int)sizeof(pattern) || !shell_is_plain(first))
		return false;
	same = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == options->profile_count;
	globfree(&found);
	if (same)
		fprintf(file, " %s", pattern);
	return same;
}

/* The profiles, or FILE where they are not known or too many for a line. */
static void write_files(const struct options *options, FILE *file)
{
	size_t length = 0;

	if (options->profile_count > 2 && write_pattern(options, file))
		return;

	for (size_t i = 0; i < options->profile_count; i++)
		length += strlen(options->profiles[i]) + 1;
	if (!length || length > FILES_LENGTH_MOST) {
		fputs(" FILE", file);
		return;
	}
	for (size_t i = 0; i < options->profile_count; i++) {
		fputc(' ', file);
		shell_word_write(options->profiles[i], file);
	}
}

/* Of run.ktime, and of each path before it, run.html. */
static void write_page_name(const char *path, FILE *file)
{
	static const char ending[] = ".ktime";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t length = strlen(name), cut = sizeof(ending) - 1;
	char page[NAME_MAX + 6];

	if (length > cut && !strcmp(name + length - cut, ending))
		length -= cut;
	snprintf(page, sizeof(page), "%.*s.html", (int)(length < NAME_MAX ? length : NAME_MAX),
		 name);
	shell_word_write(page, file);
}

/* The process of a job whose own work takes longest, for which the others wait; NULL: no job. */
static const struct job_process *slowest(const struct session *session)
{
	const struct job_process *process, *found = NULL;

	session_for_each_process (session, process)
		if (!found || process_own_work(process) > process_own_work(found))
			found = process;
	return found;
}

/* The file of a job's process. NULL: a file holds several of them, or some were left out. */
static const char *profile_of(const struct next *next, const struct job_process *of)
{
	const struct job_process *process;
	const char *const *path = next->options->profiles;

	if (next->options->profile_count < 2 ||
	    next->options->profile_count != session_header(next->session)->processes)
		return NULL;
	/* They come in the order of their files. */
	session_for_each_process (next->session, process) {
		if (process == of)
			return *path;
		path++;
	}
	return NULL;
}

/* "ktime show --html run.1.html run.1.ktime", of the slowest process. */
static void write_slowest(const struct next *next, FILE *file)
{
	const struct job_process *process = slowest(next->session);
	const char *path = profile_of(next, process);
	char name[32];

	snprintf(name, sizeof(name), process->rank.rank >= 0 ? "rank%d" : "process%d",
		 process->rank.rank >= 0 ? process->rank.rank : process->pid);
	fputs("ktime show --html ", file);
	write_page_name(path ?: name, file);
	fputc(' ', file);
	shell_word_write(path ?: "FILE", file);
}

/* Whether all of a job's processes ran on one; false also if that is not known. */
static bool on_one_node(const struct session *session)
{
	const struct job_process *process, *first = NULL;
	bool same = true;

	session_for_each_process (session, process) {
		first = first ? first : process;
		same &= process->hostname == first->hostname;
	}
	return first && same;
}

/* The command that started a rank's job, up to the program; false: not known, or no rank. `file`:
 * NULL only to ask. */
static bool write_launcher(const struct session *session, FILE *file)
{
	const struct session_header *header = session_header(session);
	int32_t size = header->rank.world_size;

	if (size <= 0)
		size = (int32_t)header->processes;
	return size > 0 &&
	       launcher_write(header->rank.launcher, (unsigned)size, on_one_node(session), file);
}

/* Whether that is known. Then each rank of a trace has a file of its own. */
static bool has_launcher(const struct session *session)
{
	return write_launcher(session, NULL);
}

/* A tool in front of the program: the command line as the profile has it, of a job that of its
 * processes if it is one, by the job's launcher; ./app where a shell would not read it as the
 * program's words. */
static void write_run(const struct session *session, const char *tool, FILE *file)
{
	const char *command = session_string(session, session_header(session)->command);

	write_launcher(session, file);
	fprintf(file, "%s %s", tool, *command && shell_reads(command) ? command : "./app");
}

/* For how long, in ms, a profiler of the processor can leave the program out, as until the GPU's
 * first operation it is in calls of CUDA; 0: not at all, as py-spy cannot. */
static uint64_t host_delay(const struct session *session)
{
	struct outside before, after;
	const bool known = !runs_python(session) &&
			   session_header(session)->finished != RUN_BETWEEN &&
			   outside_find(session, UINT64_MAX, &before, &after);

	return known && before.time >= LEAST_START_NS && 2 * before.no_call < before.time
		       ? before.time / 1000000
		       : 0;
}

static void write_host_run(const struct session *session, FILE *file)
{
	const uint64_t delay = host_delay(session);
	char tool[64] = "perf record -g";

	if (delay)
		snprintf(tool, sizeof(tool), "perf record -g --delay %" PRIu64, delay);
	write_run(session, runs_python(session) ? "py-spy record -o profile.svg --" : tool, file);
}

/* What ncu compares with -k. NULL: memory is out. */
static char *function_name(const char *mangled)
{
	char *readable = demangle(mangled), *base = readable ? short_name(readable, true) : NULL;
	char *visible = visible_text(base ?: mangled);

	free(base);
	free(readable);
	return visible;
}

/* The name by which ncu finds a kernel, and no other one of the program: the function's, or, where
 * others have it too, such as instances of a template, the whole name as the linker knows it. */
static int write_ncu(const struct next *next, FILE *file)
{
	const char *name = session_string(next->session, next->kernel->first->name);
	const uint64_t half = next->kernel->calls / 2;
	const uint64_t skipped = half < NCU_SKIPPED ? half : NCU_SKIPPED;
	char *base = function_name(name), *other, *command = NULL;
	const struct row *row;
	bool alone = true;
	size_t size;
	FILE *tool;

	session_for_each_row (next->session, row) {
		if (row->kind != ROW_KERNEL || row->name == next->kernel->first->name)
			continue;
		other = function_name(session_string(next->session, row->name));
		alone &= base && other && strcmp(base, other) != 0;
		free(other);
	}
	tool = base ? open_memstream(&command, &size) : NULL;
	if (tool) {
		fputs(alone ? "ncu -k " : "ncu --kernel-name-base mangled -k ", tool);
		shell_word_write(alone ? base : name, tool);
		if (skipped)
			fprintf(tool, " -s %" PRIu64, skipped);
		fprintf(tool, " -c %d",
			next->kernel->maximum > CALLS_DIFFER * next->kernel->minimum ? NCU_CALLS
										     : 1);
	}
	free(base);
	if (text_close(tool, &command))
		return -ENOMEM;
	write_run(next->session, command, file);
	free(command);
	return 0;
}

/* The file of the trace that write_command() asks for, without its end; of a job's slowest rank. */
static void write_trace_name(const struct session *session, FILE *file)
{
	const struct job_process *process = slowest(session);
	int rank = process ? process->rank.rank : session_header(session)->rank.rank;

	fputs("trace", file);
	if (has_launcher(session))
		fprintf(file, ".%d", rank < 0 ? 0 : rank);
}

static int write_command(const struct next *next, enum next_step step, FILE *file)
{
	const struct session_header *header = session_header(next->session);
	const struct options *options = next->options;
	char tool[96];

	switch (step) {
	case NEXT_ALL:
	case NEXT_IDLE:
		fprintf(file, "ktime show%s", step == NEXT_IDLE ? " --idle" : "");
		write_files(options, file);
		break;
	case NEXT_PAGE:
		fputs("ktime show --html ", file);
		if (options->profile_count > 1)
			fputs("job.html", file);
		else
			write_page_name(options->profile_count ? options->profiles[0] : "rank0",
					file);
		write_files(options, file);
		break;
	case NEXT_RANK:
		write_slowest(next, file);
		break;
	case NEXT_TRACE:
		snprintf(tool, sizeof(tool), "ktime%s --keep-trace all -o trace%s.ktime",
			 header->timer == TIMER_EVENTS ? " --timer cupti" : "",
			 has_launcher(next->session) ? ".%r" : "");
		write_run(next->session, tool, file);
		break;
	case NEXT_TRACE_PAGE:
		fputs("ktime show --html ", file);
		write_trace_name(next->session, file);
		fputs(".html ", file);
		write_trace_name(next->session, file);
		fputs(".ktime", file);
		break;
	case NEXT_KERNEL:
		return write_ncu(next, file);
	case NEXT_HOST:
		write_host_run(next->session, file);
		break;
	case NEXT_EXACT:
		write_run(next->session, "ktime --timer cupti", file);
		break;
	case NEXT_WINDOW:
		fputs("ktime window ", file);
		if (header->finished == RUN_WHOLE)
			fputs("PID", file);
		else
			fprintf(file, "%d", (int)header->pid);
		fputs(" 5s --trace gpu,api -o window.ktime", file);
		break;
	case NEXT_WHOLE:
		write_run(next->session, "ktime -o whole.ktime", file);
		break;
	case NEXT_COUNTERS:
		write_run(next->session,
			  "ktime --metrics "
			  "sm_efficiency,achieved_occupancy,dram_read_throughput,ipc",
			  file);
		break;
	case NEXT_STEPS:
		break;
	}
	return 0;
}

static bool is_idle(const struct session *session)
{
	uint64_t whole, idle;
	bool worth = false;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		idle = idle_time(&session_header(session)->uses[device], &whole);
		worth |= time_percent(idle, whole) >= WORTH_PERCENT;
	}
	return worth;
}

/* Of a device whose idle time is not known, whether it can be worth a question. */
static bool may_be_idle(const struct next *next)
{
	double run = (double)session_header(next->session)->counters[COUNTER_wall_ns];
	double busy = (double)next->table->total - error_of(next->table);

	return !share_of_run(next->session, next->table) ||
	       100 * (run - busy) >= IDLE_PERCENT * run;
}

static bool applies(const struct next *next, enum next_step step)
{
	const struct session_header *header = session_header(next->session);
	bool job = header->processes;

	switch (step) {
	case NEXT_IDLE:
		return !idle_unknown(next->session) && is_idle(next->session);
	case NEXT_HOST:
		/* Ranks would all write one file. */
		return next->host_work && !job && !has_launcher(next->session);
	case NEXT_EXACT:
		return idle_unknown(next->session) && !job && may_be_idle(next);
	case NEXT_WINDOW:
		/* Only a CUPTI that records can be asked for all of some seconds. */
		return idle_unknown(next->session) && !job && may_be_idle(next) &&
		       header->cupti_active && header->timer != TIMER_EVENTS;
	case NEXT_WHOLE:
		return header->counters[COUNTER_operations_outside] &&
		       header->finished == RUN_WHOLE && !job;
	case NEXT_KERNEL:
	case NEXT_COUNTERS:
		return next->kernel && !job;
	case NEXT_TRACE:
	case NEXT_TRACE_PAGE:
		return !session_next_trace(next->session, NULL);
	case NEXT_RANK:
		return slowest(next->session) != NULL;
	default:
		return true;
	}
}

static const char *const step_texts[NEXT_STEPS] = {
	[NEXT_HOST] = "what the program itself does",
	[NEXT_EXACT] = "why the GPU was idle",
	[NEXT_WINDOW] = "why it is idle, of a program that runs",
	[NEXT_WHOLE] = "the rest of the run",
	[NEXT_KERNEL] = "what limits ",
	[NEXT_COUNTERS] = "its counters",
	[NEXT_TRACE] = "when: needs a trace",
	[NEXT_TRACE_PAGE] = "then, to look at ",
	[NEXT_ALL] = "all of it",
	[NEXT_IDLE] = "why it was idle",
	[NEXT_RANK] = "the slowest alone",
	[NEXT_PAGE] = "to look at",
};

static int write_what(const struct next *next, enum next_step step, FILE *file)
{
	const struct session_header *header = session_header(next->session);
	const struct job_process *process;
	char *name = NULL;

	fputs(step_texts[step], file);
	switch (step) {
	case NEXT_HOST:
		fputs(host_delay(next->session) ? " after its start" : "", file);
		break;
	case NEXT_KERNEL:
		name = cut_name(next->kernel->name, NULL, 0, NAME_MOST);
		if (!name)
			return -ENOMEM;
		visible_write(name, file);
		free(name);
		break;
	case NEXT_TRACE:
		if (header->timer == TIMER_EVENTS)
			fputs(" by CUPTI, which --timer events left out", file);
		if (has_launcher(next->session))
			fputs(" of each rank", file);
		else if (header->processes)
			fputs(", by the job's launcher", file);
		break;
	case NEXT_TRACE_PAGE:
		fputs(header->processes && has_launcher(next->session) ? "the slowest rank's"
								       : "it",
		      file);
		break;
	case NEXT_RANK:
		process = slowest(next->session);
		if (process->rank.rank >= 0)
			fprintf(file, ", rank %d", process->rank.rank);
		break;
	default:
		break;
	}
	return 0;
}

/* What `write` writes of a step, which the caller frees. 0 or -ENOMEM. */
static int text_of(const struct next *next, enum next_step step, char **text,
		   int (*write)(const struct next *next, enum next_step step, FILE *file))
{
	size_t size;
	FILE *file = open_memstream(text, &size);
	int error = file ? write(next, step, file) : 0;

	return text_close(file, text) ?: error;
}

int next_step_text(const struct next *next, enum next_step step, char **what, char **command)
{
	int error;

	*what = *command = NULL;
	if (!applies(next, step))
		return 0;
	error = text_of(next, step, what, write_what);
	if (!error)
		error = text_of(next, step, command, write_command);
	if (error) {
		free(*what);
		free(*command);
		*what = *command = NULL;
	}
	return error;
}

const struct table_row *next_kernel(const struct session *session, const struct table *table)
{
	const struct table_row *row = next_row(table);
	const char *unknown = idle_unknown(session);
	const struct device_use *use;
	double share = unknown ? share_of_run(session, table) : 0;

	if (!row || row->kind != ROW_KERNEL)
		return NULL;
	session_for_each_use (session, unknown ? 0 : UINT64_MAX, device, use)
		RAISE(share, time_percent(use->busy, use_time(use)));
	return share >= MOSTLY_GPU ? row : NULL;
}
