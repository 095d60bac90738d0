/* SPDX-License-Identifier: MIT */
#include "report/live/live.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/export/json.h"
#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/sheet/sheet.h"

static void free_reading(struct reading *reading)
{
	session_close(reading->before);
	session_close(reading->now);
	free(reading->profile.path);
	free(reading->profile.command);
}

/* Reads a profile once more; false if the report was written, or the file is gone. */
static bool take(struct reading *reading)
{
	struct session *session;

	if (session_open(&session, reading->profile.path))
		return false;
	session_close(reading->before);
	reading->before = reading->now;
	reading->now = session;
	/* What the end changes, as estimates become final, is no work of the last second. */
	return !session_header(session)->finished;
}

/* Takes the reading of a profile over from `old`, or begins one; its strings are taken over. */
static void adopt(struct reading *reading, const struct readings *old, struct left_profile *profile)
{
	for (size_t i = 0; i < old->count; i++) {
		struct reading *known = &old->of[i];

		if (!known->profile.path || known->profile.pid != profile->pid ||
		    strcmp(known->profile.path, profile->path) != 0)
			continue;
		*reading = *known;
		*known = (struct reading){.now = NULL};
		return;
	}
	*reading = (struct reading){.profile = *profile};
	profile->path = profile->command = NULL;
}

int readings_take(struct readings *readings, char *message, size_t size)
{
	struct readings old = *readings;
	struct left_profiles profiles;
	int error = processes_find(&profiles, readings->programs, message, size);

	/* A process that was there and is gone has ended. */
	if (error && old.count == 0) {
		left_profiles_free(&profiles);
		return error;
	}
	error = 0;
	readings->of = calloc(profiles.count + 1, sizeof(*readings->of));
	readings->count = 0;
	if (!readings->of) {
		error = -ENOMEM;
		snprintf(message, size, "%s", strerror(ENOMEM));
	}
	for (size_t i = 0; i < profiles.count && !error; i++) {
		struct reading *reading = &readings->of[readings->count];

		adopt(reading, &old, &profiles.of[i]);
		if (take(reading))
			readings->count++;
		else
			free_reading(reading);
	}
	readings_free(&old);
	left_profiles_free(&profiles);
	return error;
}

void readings_free(struct readings *readings)
{
	for (size_t i = 0; i < readings->count; i++)
		free_reading(&readings->of[i]);
	free(readings->of);
	readings->of = NULL;
	readings->count = 0;
}

static uint64_t counter(const struct session *session, enum session_counter counter)
{
	return session ? session_header(session)->counters[counter] : 0;
}

double reading_run_seconds(const struct reading *reading)
{
	return (double)counter(reading->now, COUNTER_wall_ns) / 1e9;
}

double reading_seconds(const struct reading *reading)
{
	return (double)added_since(counter(reading->now, COUNTER_wall_ns),
				   counter(reading->before, COUNTER_wall_ns)) /
	       1e9;
}

static int compare_names(const void *left, const void *right)
{
	const struct table_row *a = left, *b = right;

	return IN_ORDER(a->kind, b->kind) ?: strcmp(a->name, b->name);
}

static int compare_rows(const void *left, const void *right, void *argument)
{
	const struct reading_row *a = left, *b = right;
	const struct options *options = argument;
	int order = 0;

	if (options->top_sort == TOP_NAME)
		order = strcmp(a->run->name, b->run->name);
	else if (options->top_sort == TOP_CALLS)
		order = IN_ORDER(b->calls, a->calls);
	else if (options->top_sort == TOP_RUN)
		order = IN_ORDER(b->run->total, a->run->total);
	return order ?: IN_ORDER(b->total, a->total)
		     ?: IN_ORDER(b->run->total, a->run->total)
		     ?: strcmp(a->run->name, b->run->name);
}

/* The rows of the run, less those of before. */
static void subtract(struct reading_rows *rows, struct table *before)
{
	if (before->collected > 0)
		qsort(before->rows, before->collected, sizeof(*before->rows), compare_names);
	for (; rows->count < rows->run.collected; rows->count++) {
		const struct table_row *run = &rows->run.rows[rows->count];
		const struct table_row *old =
			before->collected > 0 ? bsearch(run, before->rows, before->collected,
							sizeof(*before->rows), compare_names)
					      : NULL;
		struct reading_row *row = &rows->rows[rows->count];

		row->run = run;
		row->calls = added_since(run->calls, old ? old->calls : 0);
		row->total = added_since(run->total, old ? old->total : 0);
		rows->calls += row->calls;
		rows->run_calls += run->calls;
		rows->total += row->total;
		rows->run_total += run->total;
	}
}

void reading_rows_free(struct reading_rows *rows)
{
	free(rows->rows);
	table_free(&rows->run);
	*rows = (struct reading_rows){.rows = NULL};
}

static double share(double part, double whole)
{
	double result = whole > 0 ? part / whole : -1;

	return result > 1 ? 1 : result;
}

bool reading_use(const struct reading *reading, int device, struct reading_use *result)
{
	const struct device_use *use = session_use(reading->now, device);
	uint64_t before = reading->before ? session_header(reading->before)->uses[device].busy : 0;
	uint64_t now_idle[IDLE_CAUSE_COUNT], before_idle[IDLE_CAUSE_COUNT], largest = 0;
	double interval = reading_seconds(reading) * 1e9;

	*result = (struct reading_use){.busy = -1, .run_busy = -1};
	/* What estimates differ by is no time between them. */
	if (!use || use->error > 0)
		return false;
	result->busy = share((double)added_since(use->busy, before), interval);
	result->run_busy = share((double)use->busy, reading_run_seconds(reading) * 1e9);
	idle_totals(reading->now, device, now_idle);
	idle_totals(reading->before, device, before_idle);
	for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++) {
		uint64_t added = added_since(now_idle[cause], before_idle[cause]);

		if (added <= largest)
			continue;
		largest = added;
		result->cause = idle_cause_texts[cause];
		result->cause_share = share((double)added, interval);
	}
	return true;
}

static void add_use(struct reading_rows *rows, const struct reading *reading,
		    const struct options *options)
{
	struct reading_use use;
	unsigned devices = 0;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		if (!(options->devices >> device & 1) || !reading_use(reading, device, &use))
			continue;
		devices++;
		rows->busy += use.busy;
		rows->run_busy += use.run_busy;
	}
	rows->busy = devices ? rows->busy / devices : -1;
	rows->run_busy = devices ? rows->run_busy / devices : -1;
}

int reading_rows(const struct reading *reading, const struct options *options, bool api,
		 struct reading_rows *rows)
{
	enum table_section section = api ? TABLE_API : TABLE_GPU;
	struct table before = {.rows = NULL};
	struct options all = *options;
	int error;

	*rows = (struct reading_rows){.rows = NULL};
	add_use(rows, reading, options);
	all.top = 0;
	error = table_collect(&rows->run, reading->now, &all, section, TABLE_ALL_DEVICES, false);
	if (!error && reading->before)
		error = table_collect(&before, reading->before, &all, section, TABLE_ALL_DEVICES,
				      false);
	if (!error)
		rows->rows = calloc(rows->run.collected + 1, sizeof(*rows->rows));
	if (rows->rows) {
		subtract(rows, &before);
		qsort_r(rows->rows, rows->count, sizeof(*rows->rows), compare_rows,
			(void *)options);
		if (options->top > 0 && rows->count > options->top)
			rows->count = options->top;
	} else {
		error = error ? error : -ENOMEM;
		reading_rows_free(rows);
	}
	table_free(&before);
	return error;
}

const char *top_clock(char *text)
{
	time_t now = time(NULL);
	struct tm date;

	*text = '\0';
	if (localtime_r(&now, &date))
		strftime(text, 16, "%H:%M:%S", &date);
	return text;
}

const char *top_percent(char *text, double share)
{
	if (share < 0)
		snprintf(text, NUMBER_SIZE, "-");
	else
		snprintf(text, NUMBER_SIZE, "%.1f", 100 * share);
	return text;
}

enum {
	LINE_TIME,
	LINE_PID,
	LINE_SECONDS,
	LINE_BUSY,
	LINE_CALLS,
	LINE_GPU_TIME,
	LINE_SHARE,
	LINE_NAME
};

static const struct column line_columns[] = {
	[LINE_TIME] = {"Time", "time", .kind = CELL_TEXT, .width = 8},
	[LINE_PID] = {"PID", "pid", .kind = CELL_INTEGER, .width = 7},
	[LINE_SECONDS] = {"Seconds", "seconds", .kind = CELL_REAL, .width = 7, .decimals = 2},
	[LINE_BUSY] = {"Busy(%)", "busy", .kind = CELL_REAL, .width = 7, .decimals = 1},
	[LINE_CALLS] = {"Calls", "calls", .kind = CELL_TEXT, .width = 9},
	[LINE_GPU_TIME] = {"GPU Time", "gpu_time", .kind = CELL_TIME, .width = 8},
	[LINE_SHARE] = {"Time(%)", "share", .kind = CELL_REAL, .width = 7, .decimals = 2},
	[LINE_NAME] = {"Name", "name", .kind = CELL_TEXT, .name = true},
};

struct line {
	const struct reading *reading;
	const struct reading_rows *rows;
};

/* A reading: the first of its rows has a share and a name. */
static void fill_line(const struct sheet *sheet, size_t row, struct cell *cells)
{
	const struct line *line = sheet->argument;
	const struct reading_rows *rows = line->rows;
	char clock[16], calls[NUMBER_SIZE];

	(void)row;
	cell_print(&cells[LINE_TIME], "%s", top_clock(clock));
	cell_count(&cells[LINE_PID], (uint64_t)line->reading->profile.pid);
	cell_real(&cells[LINE_SECONDS], reading_seconds(line->reading));
	if (rows->busy >= 0)
		cell_real(&cells[LINE_BUSY], 100 * rows->busy);
	cell_print(&cells[LINE_CALLS], "%s", number_count(calls, rows->calls));
	cell_count(&cells[LINE_GPU_TIME], rows->total);
	if (rows->count == 0 || rows->total == 0)
		return;
	cell_real(&cells[LINE_SHARE], 100 * (double)rows->rows[0].total / (double)rows->total);
	cell_text(&cells[LINE_NAME], rows->rows[0].run->name);
}

/* NULL: the headings. */
static void write_text(const struct line *line)
{
	struct sheet sheet = {
		SHEET_OF(line_columns), .row = fill_line,  .argument = line,
		.rows = line ? 1 : 0,	.continued = line,
	};

	sheet_write(&sheet, stdout);
}

static void write_json(const struct reading *reading, const struct reading_rows *rows)
{
	struct json json = {.file = stdout};
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	json_object(&json, NULL);
	json_real(&json, "time", (double)now.tv_sec + (double)now.tv_nsec / 1e9);
	json_unsigned(&json, "pid", (uint64_t)reading->profile.pid);
	json_text(&json, "command", reading->profile.command);
	json_real(&json, "seconds", reading_seconds(reading));
	json_real(&json, "run_seconds", reading_run_seconds(reading));
	if (rows_include_overhead(reading->now))
		json_bool(&json, "includes_overhead", true);
	json_array(&json, "devices");
	for (unsigned device = 0; device < SESSION_DEVICES; device++) {
		struct reading_use use;

		if (!reading_use(reading, (int)device, &use))
			continue;
		json_object(&json, NULL);
		json_unsigned(&json, "device", device);
		json_real(&json, "busy", use.busy);
		json_real(&json, "run_busy", use.run_busy);
		if (use.cause) {
			json_text(&json, "idle_cause", use.cause);
			json_real(&json, "idle_share", use.cause_share);
		}
		json_end(&json);
	}
	json_end(&json);
	json_array(&json, "rows");
	for (size_t i = 0; i < rows->count; i++) {
		const struct reading_row *row = &rows->rows[i];

		json_object(&json, NULL);
		json_text(&json, "kind", json_kind_names[row->run->kind]);
		json_text(&json, "name", row->run->name);
		json_unsigned(&json, "calls", row->calls);
		json_unsigned(&json, "total", row->total);
		json_unsigned(&json, "run_calls", row->run->calls);
		json_unsigned(&json, "run_total", row->run->total);
		if (row->run->estimated)
			json_bool(&json, "estimated", true);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	putchar('\n');
}

static int write_lines(const struct readings *readings, const struct options *options)
{
	int error = 0;

	for (size_t i = 0; i < readings->count && !error; i++) {
		struct reading_rows rows;

		error = reading_rows(&readings->of[i], options, false, &rows);
		if (error)
			break;
		if (options->print_json)
			write_json(&readings->of[i], &rows);
		else
			write_text(&(struct line){&readings->of[i], &rows});
		reading_rows_free(&rows);
	}
	if (fflush(stdout) != 0 && !error)
		error = -errno;
	return error;
}

/* Until the programs have ended, or -n readings were made. */
static int run_batch(struct readings *readings, const struct options *options)
{
	bool included = false;
	char message[512];
	int error;

	for (size_t i = 0; i < readings->count && !options->print_json && !included; i++)
		included = rows_include_overhead(readings->of[i].now);
	if (included)
		fputs("ktime top: " OVERHEAD_INCLUDED "\n", stderr);
	if (!options->print_json)
		write_text(NULL);
	for (unsigned made = 1;; made++) {
		error = write_lines(readings, options);
		if (error)
			return visible_fail(EXIT_FAILURE, "ktime top: %s", strerror(-error));
		if (made == options->readings)
			return EXIT_SUCCESS;
		poll(NULL, 0, (int)(options->interval * 1000));
		if (readings_take(readings, message, sizeof(message)) || readings->count == 0)
			return EXIT_SUCCESS;
	}
}

int command_top(const struct options *given, const char *const *files, size_t count)
{
	struct options options = *given;
	const struct programs programs = {&options, files, count};
	struct readings readings = {.programs = &programs};
	int status = EXIT_FAILURE;
	char message[512];

	if (options.names == NAMES_AUTO)
		options.names = NAMES_SHORT;
	if (readings_take(&readings, message, sizeof(message)))
		visible_line(stderr, "ktime top: %s", message);
	else if (readings.count == 0 && (count > 0 || options.profile))
		fputs("ktime top: the program has ended (ktime show prints its profile, if it was "
		      "kept)\n",
		      stderr);
	else if (readings.count == 0)
		fputs("ktime top: no program runs under ktime here (--profile FILE: the profile of "
		      "one elsewhere)\n",
		      stderr);
	else if (options.batch || options.print_json || !isatty(STDOUT_FILENO))
		status = run_batch(&readings, &options);
	else
		status = screen_run(&readings, &options);
	readings_free(&readings);
	return status;
}
