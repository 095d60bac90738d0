/* SPDX-License-Identifier: MIT */
#include "report/live/live.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/control/control.h"
#include "report/export/output.h"
#include "report/names/visible.h"

/* How often a profile is read again that was written to meanwhile: the collector rests after each
 * time that it was asked. Chosen. */
#define READS_MOST 100

/* A program that is steered. */
struct steered {
	struct left_profile *profiles;
	size_t count;
	struct control *control;
	char message[512];
};

static int open_program(struct steered *steered, const char *speaker, const struct options *options,
			const char *const *numbers, size_t count)
{
	int error;

	memset(steered, 0, sizeof(*steered));
	if (count + (options->profile != NULL) != 1) {
		snprintf(steered->message, sizeof(steered->message),
			 "one process, or --profile FILE, has to be given");
		return -EINVAL;
	}
	error = processes_find(&steered->profiles, &steered->count, options, numbers, count,
			       steered->message, sizeof(steered->message));
	/* Among those of one process: the first. */
	if (!error)
		error = control_open(&steered->control, speaker, steered->profiles[0].path,
				     steered->message, sizeof(steered->message));
	return error;
}

static int ask(struct steered *steered, enum control_command command, double seconds)
{
	return control_ask(steered->control, command, (uint64_t)(seconds * 1e9), steered->message,
			   sizeof(steered->message));
}

/* The profile as it is between two periods of the collector, with all that has finished. */
static int read_profile(struct steered *steered, struct session **session)
{
	const char *path = steered->profiles[0].path;
	int error = 0;

	*session = NULL;
	for (unsigned i = 0; i < READS_MOST && !error; i++) {
		uint32_t before;

		error = ask(steered, CONTROL_COLLECT, 0);
		before = control_updates(steered->control);
		if (error || before % 2)
			continue;
		error = session_load(session, path, steered->message, sizeof(steered->message));
		if (error || control_updates(steered->control) == before)
			return error;
		session_close(*session);
		*session = NULL;
	}
	if (!error) {
		snprintf(steered->message, sizeof(steered->message),
			 "the profile was written to whenever it was read: try again");
		error = -EAGAIN;
	}
	return error;
}

static int close_program(struct steered *steered, const char *speaker, int error)
{
	if (error)
		visible_line(stderr, "%s: %s", speaker, steered->message);
	control_close(steered->control);
	left_profiles_free(steered->profiles, steered->count);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int switch_program(const char *speaker, enum control_command command,
			  const struct options *options, const char *const *numbers, size_t count)
{
	struct steered steered;
	int error = open_program(&steered, speaker, options, numbers, count);

	if (!error)
		error = ask(&steered, command, 0);
	return close_program(&steered, speaker, error);
}

int command_on(const struct options *options, const char *const *files, size_t count)
{
	return switch_program("ktime on", CONTROL_ON, options, files, count);
}

int command_off(const struct options *options, const char *const *files, size_t count)
{
	return switch_program("ktime off", CONTROL_OFF, options, files, count);
}

/* Writes a profile of what came after an earlier one, which becomes a file with end_file(). */
static int save(struct steered *steered, struct session *session, const struct session *earlier,
		const struct options *options, struct output *output)
{
	int error;

	if (earlier && interval_subtract(session, earlier)) {
		snprintf(steered->message, sizeof(steered->message),
			 "%s is no earlier profile of this process",
			 options->since ? options->since : "the profile");
		return -EINVAL;
	}
	error = output_open(output, options->export_profile, options->force_overwrite, true,
			    steered->message, sizeof(steered->message));
	if (error)
		return error;
	error = interval_write(session, output->file);
	if (error)
		snprintf(steered->message, sizeof(steered->message), "%s: %s",
			 options->export_profile, strerror(-error));
	return error;
}

static int end_file(struct steered *steered, struct output *output, int error)
{
	if (!error)
		return output_finish(output, steered->message, sizeof(steered->message));
	output_abandon(output);
	return error;
}

int command_snapshot(const struct options *options, const char *const *files, size_t count)
{
	struct session *session = NULL, *earlier = NULL;
	struct output output = {.file = NULL};
	struct steered steered;
	int error;

	if (!options->export_profile) {
		fputs("ktime snapshot: -o FILE has to be given\n", stderr);
		return EXIT_BAD_USAGE;
	}
	error = open_program(&steered, "ktime snapshot", options, files, count);
	if (!error && options->since)
		error = session_load(&earlier, options->since, steered.message,
				     sizeof(steered.message));
	if (!error)
		error = read_profile(&steered, &session);
	if (!error)
		error = save(&steered, session, earlier, options, &output);
	error = end_file(&steered, &output, error);
	session_close(session);
	session_close(earlier);
	return close_program(&steered, "ktime snapshot", error);
}

/* "2s", "500ms" or "2"; NAN if it is none. */
static double parse_seconds(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text)
		return NAN;
	if (strcmp(end, "ms") == 0)
		seconds /= 1000;
	else if (*end && strcmp(end, "s") != 0)
		return NAN;
	return seconds > 0 && seconds <= 86400 ? seconds : NAN;
}

/* The one of a window begins with it. */
static void begin_trace_at(struct session *session, const struct session *before)
{
	const struct session_header *header = session_header(before);

	session_header(session)->trace_start =
		header->start_realtime + header->counters[COUNTER_wall_ns];
}

static int collect_window(struct steered *steered, double seconds, const struct options *options,
			  struct output *output)
{
	struct session *before = NULL, *after = NULL;
	bool was_open = control_is_open(steered->control);
	int error = read_profile(steered, &before);
	static const enum control_command traces[] = {
		[TRACE_GPU] = CONTROL_TRACE_GPU,
		[TRACE_API] = CONTROL_TRACE_API,
		[TRACE_GPU | TRACE_API] = CONTROL_TRACE_BOTH,
	};
	bool traced = options->window_trace && !error;

	if (traced)
		error = ask(steered, traces[options->window_trace], seconds);
	if (!error && !was_open)
		error = ask(steered, CONTROL_ON, seconds);
	if (!error)
		poll(NULL, 0, (int)(seconds * 1000));
	/* It closes by itself too, should this process be killed. */
	if (!error && !was_open)
		error = ask(steered, CONTROL_OFF, 0);
	if (!error)
		error = read_profile(steered, &after);
	if (!error && traced) {
		session_correct_trace(after);
		begin_trace_at(after, before);
	}
	if (!error)
		error = save(steered, after, before, options, output);
	/* An error: it was ended while its records were copied. */
	if (!error && traced)
		error = ask(steered, CONTROL_TRACE_END, 0);
	session_close(before);
	session_close(after);
	return error;
}

int command_window(const struct options *options, const char *const *files, size_t count)
{
	double seconds = count > 0 ? parse_seconds(files[count - 1]) : NAN;
	struct output output = {.file = NULL};
	struct steered steered;
	int error;

	if (!options->export_profile || isnan(seconds)) {
		fputs("ktime window: a process, a time (2s, 500ms) and -o FILE have to be given\n",
		      stderr);
		return EXIT_BAD_USAGE;
	}
	error = open_program(&steered, "ktime window", options, files, count - 1);
	/* Before the time is spent. */
	if (!error)
		error = output_check(options->export_profile, options->force_overwrite, true,
				     steered.message, sizeof(steered.message));
	if (!error)
		error = collect_window(&steered, seconds, options, &output);
	error = end_file(&steered, &output, error);
	return close_program(&steered, "ktime window", error);
}
