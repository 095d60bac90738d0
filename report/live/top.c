/* SPDX-License-Identifier: MIT */
#include "report/live/top.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/export/export_json_row.h"
#include "report/export/json.h"
#include "report/live/processes.h"
#include "report/names/visible.h"
#include "report/print/number.h"

int top_line(struct top_line *line, const struct reading *reading, const struct options *options,
	     bool api)
{
	struct reading_use use;
	unsigned devices = 0;
	double busy = 0, run_busy = 0;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		if (!(options->devices >> device & 1) || !reading_use(reading, device, &use))
			continue;
		devices++;
		busy += use.busy;
		run_busy += use.run_busy;
	}
	line->busy = devices ? busy / devices : -1;
	line->run_busy = devices ? run_busy / devices : -1;
	return reading_rows(reading, options, api, &line->rows);
}

const char *top_percent(char *text, double share)
{
	if (share < 0)
		snprintf(text, NUMBER_SIZE, "-");
	else
		snprintf(text, NUMBER_SIZE, "%.1f", 100 * share);
	return text;
}

static void write_text(const struct reading *reading, const struct top_line *line, FILE *file)
{
	const struct reading_rows *rows = &line->rows;
	char busy[NUMBER_SIZE], calls[NUMBER_SIZE], time_text[NUMBER_SIZE], clock[16] = "";
	time_t now = time(NULL);
	struct tm date;

	if (localtime_r(&now, &date))
		strftime(clock, sizeof(clock), "%H:%M:%S", &date);
	fprintf(file, "%8s  %7d  %7.2f  %7s  %9s  %8s", clock, (int)reading->pid,
		reading_seconds(reading), top_percent(busy, line->busy),
		number_count(calls, rows->calls), number_time(time_text, rows->total));
	if (rows->count > 0 && rows->total > 0)
		fprintf(file, "  %7.2f  %s",
			100 * (double)rows->rows[0].total / (double)rows->total,
			rows->rows[0].name);
	fputc('\n', file);
}

static cJSON *device_object(const struct reading_use *use, int device)
{
	cJSON *object = cJSON_CreateObject();

	json_add_unsigned(object, "device", (uint64_t)device);
	cJSON_AddNumberToObject(object, "busy", use->busy);
	cJSON_AddNumberToObject(object, "run_busy", use->run_busy);
	if (use->cause) {
		json_add_text(object, "idle_cause", use->cause);
		cJSON_AddNumberToObject(object, "idle_share", use->cause_share);
	}
	return object;
}

static cJSON *row_object(const struct reading_row *row)
{
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "kind", json_kind_name(row->kind));
	json_add_text(object, "name", row->name);
	json_add_unsigned(object, "calls", row->calls);
	json_add_unsigned(object, "total", row->total);
	json_add_unsigned(object, "run_calls", row->run_calls);
	json_add_unsigned(object, "run_total", row->run_total);
	if (row->estimated)
		cJSON_AddBoolToObject(object, "estimated", true);
	return object;
}

static int write_json(const struct reading *reading, const struct top_line *line, FILE *file)
{
	cJSON *object = cJSON_CreateObject(), *devices, *rows;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	cJSON_AddNumberToObject(object, "time", (double)now.tv_sec + (double)now.tv_nsec / 1e9);
	json_add_unsigned(object, "pid", (uint64_t)reading->pid);
	json_add_text(object, "command", reading->command);
	cJSON_AddNumberToObject(object, "seconds", reading_seconds(reading));
	cJSON_AddNumberToObject(object, "run_seconds", reading_run_seconds(reading));
	devices = cJSON_AddArrayToObject(object, "devices");
	for (int device = 0; device < SESSION_DEVICES; device++) {
		struct reading_use use;

		if (reading_use(reading, device, &use))
			cJSON_AddItemToArray(devices, device_object(&use, device));
	}
	rows = cJSON_AddArrayToObject(object, "rows");
	for (size_t i = 0; i < line->rows.count; i++)
		cJSON_AddItemToArray(rows, row_object(&line->rows.rows[i]));
	if (json_write(file, object))
		return -ENOMEM;
	fputc('\n', file);
	return 0;
}

static int write_lines(const struct readings *readings, const struct options *options)
{
	int error = 0;

	for (size_t i = 0; i < readings->count && !error; i++) {
		struct top_line line;

		error = top_line(&line, &readings->of[i], options, false);
		if (error)
			break;
		if (options->print_json)
			error = write_json(&readings->of[i], &line, stdout);
		else
			write_text(&readings->of[i], &line, stdout);
		reading_rows_free(&line.rows);
	}
	if (fflush(stdout) != 0 && !error)
		error = -errno;
	return error;
}

/* Until the programs have ended, or -n readings were made. */
static int run_batch(struct readings *readings, const struct options *options,
		     const char *const *numbers, size_t number_count)
{
	unsigned made = 0;
	char message[512];
	int error;

	if (!options->print_json)
		puts("    Time      PID  Seconds  Busy(%)      Calls  GPU Time  Time(%)  Name");
	for (;;) {
		error = write_lines(readings, options);
		if (error) {
			visible_line(stderr, "ktime top: %s", strerror(-error));
			return EXIT_FAILURE;
		}
		if (++made == options->readings)
			return EXIT_SUCCESS;
		poll(NULL, 0, (int)(options->interval * 1000));
		if (readings_take(readings, options, numbers, number_count, message,
				  sizeof(message)) ||
		    readings->count == 0)
			return EXIT_SUCCESS;
	}
}

int command_top(const struct options *given, const char *const *files, size_t count)
{
	struct options options = *given;
	struct readings readings = {.of = NULL};
	char message[512];
	int status;

	if (options.names == NAMES_AUTO)
		options.names = NAMES_SHORT;
	/* A day; poll() takes no more than 24 of them. */
	if (!(options.interval >= 0.01 && options.interval <= 86400)) {
		fputs("ktime top: -d takes 0.01 to 86400 seconds\n", stderr);
		return 2;
	}
	if (readings_take(&readings, &options, files, count, message, sizeof(message))) {
		visible_line(stderr, "ktime top: %s", message);
		return EXIT_FAILURE;
	}
	if (readings.count == 0) {
		if (count > 0 || options.profile)
			fputs("ktime top: the program has ended (ktime show prints its profile, if "
			      "it was kept)\n",
			      stderr);
		else
			fputs("ktime top: no program runs under ktime here (--profile FILE: the "
			      "profile of one elsewhere)\n",
			      stderr);
		readings_free(&readings);
		return EXIT_FAILURE;
	}
	if (options.batch || options.print_json || !isatty(STDOUT_FILENO))
		status = run_batch(&readings, &options, files, count);
	else
		status = screen_run(&readings, &options, files, count);
	readings_free(&readings);
	return status;
}
