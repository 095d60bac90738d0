/* SPDX-License-Identifier: MIT */
#include "report/live/live.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "report/control/control.h"
#include "report/export/output.h"
#include "report/names/visible.h"

/* How often a profile is read again that was written to meanwhile: the collector rests after each
 * time that it was asked. Chosen. */
#define READS_MOST  100
/* How long a window may be, ns: a day. */
#define WINDOW_MOST UINT64_C(86400000000000)

/* A program that is steered. */
struct steered {
	const struct options *options;
	struct left_profiles profiles;
	struct control *control;
	uint64_t window;      /* how long it is, ns */
	struct output output; /* the profile that is kept, if one is */
	uint64_t kept;	      /* of the program's run, ns */
	char message[512];
};

static int open_program(struct steered *steered, const char *speaker,
			const struct programs *programs)
{
	int error = processes_find(&steered->profiles, programs, steered->message,
				   sizeof(steered->message));
	/* Several profiles are those of one process, of which the first is meant, or of processes
	 * that the given one started. */
	for (size_t i = 1; !error && i < steered->profiles.count; i++) {
		if (steered->profiles.of[i].pid == steered->profiles.of[0].pid)
			continue;
		snprintf(steered->message, sizeof(steered->message),
			 "process %s has started several that are profiled (%d, %d): name one of "
			 "them",
			 programs->numbers[0], (int)steered->profiles.of[0].pid,
			 (int)steered->profiles.of[i].pid);
		error = -EINVAL;
	}
	if (!error)
		error = control_open(&steered->control, speaker, steered->profiles.of[0].path,
				     steered->message, sizeof(steered->message));
	return error;
}

/* Opens the program, has the work done, and puts the profile that it wrote in its place. */
static int steer(const char *speaker, const struct options *options, const char *const *numbers,
		 size_t count, uint64_t window, int (*work)(struct steered *steered))
{
	const struct programs programs = {options, numbers, count};
	struct steered steered = {.options = options, .window = window};
	char time[NUMBER_SIZE];
	int error;

	if (count + (options->profile != NULL) != 1)
		return visible_fail(EXIT_BAD_USAGE,
				    "%s: one process, or --profile FILE, has to be given", speaker);
	error = open_program(&steered, speaker, &programs);
	if (!error)
		error = work(&steered);
	if (!error && steered.output.file)
		error = output_finish(&steered.output, steered.message, sizeof(steered.message));
	output_abandon(&steered.output);
	if (error)
		visible_line(stderr, "%s: %s", speaker, steered.message);
	else if (options->export_profile)
		visible_line(stderr, "%s: kept %s of process %d in %s: ktime show %s", speaker,
			     number_about(time, (double)steered.kept, 3),
			     (int)steered.profiles.of[0].pid, options->export_profile,
			     options->export_profile);
	control_close(steered.control);
	left_profiles_free(&steered.profiles);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int ask(struct steered *steered, enum control_command command, uint64_t nanoseconds)
{
	return control_ask(steered->control, command, nanoseconds, steered->message,
			   sizeof(steered->message));
}

static int switch_on(struct steered *steered)
{
	return ask(steered, CONTROL_ON, 0);
}

int command_on(const struct options *options, const char *const *files, size_t count)
{
	return steer("ktime on", options, files, count, 0, switch_on);
}

static int switch_off(struct steered *steered)
{
	return ask(steered, CONTROL_OFF, 0);
}

int command_off(const struct options *options, const char *const *files, size_t count)
{
	return steer("ktime off", options, files, count, 0, switch_off);
}

/* The profile as it is between two periods of the collector, with all that has finished. */
static int read_profile(struct steered *steered, struct session **session)
{
	const char *path = steered->profiles.of[0].path;
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
			 "the profile kept changing while it was read: try again");
		error = -EAGAIN;
	}
	return error;
}

/* Writes a profile of what came after an earlier one. */
static int save(struct steered *steered, struct session *session, const struct session *earlier)
{
	const struct options *options = steered->options;
	int error;

	if (earlier && interval_subtract(session, earlier)) {
		snprintf(steered->message, sizeof(steered->message),
			 "%s is no earlier profile of this process",
			 options->since ? options->since : "the profile");
		return -EINVAL;
	}
	error = output_open(&steered->output, options->export_profile, options->force_overwrite,
			    true, steered->message, sizeof(steered->message));
	if (error)
		return error;
	error = interval_write(session, earlier ? RUN_BETWEEN : RUN_UNTIL, steered->output.file);
	steered->kept = session_header(session)->counters[COUNTER_wall_ns];
	if (error)
		snprintf(steered->message, sizeof(steered->message), "%s: %s",
			 options->export_profile, strerror(-error));
	return error;
}

static int take_snapshot(struct steered *steered)
{
	struct session *session = NULL, *earlier = NULL;
	int error = 0;

	if (steered->options->since)
		error = session_load(&earlier, steered->options->since, steered->message,
				     sizeof(steered->message));
	if (!error)
		error = read_profile(steered, &session);
	if (!error)
		error = save(steered, session, earlier);
	session_close(session);
	session_close(earlier);
	return error;
}

int command_snapshot(const struct options *options, const char *const *files, size_t count)
{
	if (options->export_profile)
		return steer("ktime snapshot", options, files, count, 0, take_snapshot);
	return visible_fail(EXIT_BAD_USAGE, "ktime snapshot: -o FILE has to be given");
}

/* The one of a window begins with it. */
static void begin_trace_at(struct session *session, const struct session *before)
{
	const struct session_header *header = session_header(before);

	session_header(session)->trace_start =
		header->start_realtime + header->counters[COUNTER_wall_ns];
}

static int collect_window(struct steered *steered)
{
	static const enum control_command traces[] = {
		[TRACE_GPU] = CONTROL_TRACE_GPU,
		[TRACE_API] = CONTROL_TRACE_API,
		[TRACE_GPU | TRACE_API] = CONTROL_TRACE_BOTH,
	};
	const struct options *options = steered->options;
	struct session *before = NULL, *after = NULL;
	bool was_open = control_is_open(steered->control), traced;
	int error;

	/* Before the time is spent. */
	error = output_check(options->export_profile, options->force_overwrite, true,
			     steered->message, sizeof(steered->message));
	if (!error)
		error = read_profile(steered, &before);
	traced = options->window_trace && !error;
	if (traced)
		error = ask(steered, traces[options->window_trace], steered->window);
	if (!error && !was_open)
		error = ask(steered, CONTROL_ON, steered->window);
	if (!error)
		poll(NULL, 0, (int)(steered->window / 1000000));
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
		error = save(steered, after, before);
	/* An error: it was ended while its records were copied. */
	if (!error && traced)
		error = ask(steered, CONTROL_TRACE_END, 0);
	session_close(before);
	session_close(after);
	return error;
}

int command_window(const struct options *options, const char *const *files, size_t count)
{
	uint64_t window = 0;

	if (count > 0 && options->export_profile && options_time(files[count - 1], &window) &&
	    window > 0 && window <= WINDOW_MOST)
		return steer("ktime window", options, files, count - 1, window, collect_window);
	if (window > WINDOW_MOST)
		return visible_fail(EXIT_BAD_USAGE,
				    "ktime window: '%s' is out of range: 86400 s at most",
				    files[count - 1]);
	return visible_fail(EXIT_BAD_USAGE,
			    "ktime window needs a process, a duration (2s, 500ms) and -o FILE");
}
