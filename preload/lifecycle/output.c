/* SPDX-License-Identifier: MIT */
#include "preload/lifecycle/lifecycle.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/base/run.h"
#include "preload/reporter/reporter.h"
#include "report/options/filename.h"
#include "report/options/log_file.h"
#include "report/print/report.h"
#include "report/session/folder.h"
#include "report/session/files.h"

/* How many file names with the process's number are tried. Chosen. */
#define PROGRAMS_MOST 1000u

/* Written by the thread that starts ktime, and by the one that makes its report. */
static struct {
	struct log_file log;
	char profile[PATH_MAX]; /* "": in memory alone */
	char entry[PATH_MAX];	/* by which others find a profile that lies elsewhere; "": none */
	bool log_begun;		/* the report's first lines are in its file */
	/* Not on the stack of the program's thread, which may be small. One thread at a time is
	 * here. */
	char message[PATH_MAX + 128];
	struct process_rank rank;
	bool silent; /* of a rank that only counts nothing is printed */
	char own_pattern[PATH_MAX];
} output = {
	.log = {.descriptor = STDERR_FILENO},
};

static struct name_codes own_codes(void)
{
	return (struct name_codes){getpid(), output.rank.rank, -1};
}

/* Whether a file was there before the processes that share its name: not one of theirs. */
static bool is_to_be_replaced(const char *path)
{
	char text[FILE_IDENTITY_SIZE];

	return run.settings.replaces && file_identity(path, text) &&
	       strcmp(text, run.settings.replaces) == 0;
}

/* The file of -o, which goes to profile_path. `of_rank`: its name is made of the rank. */
static int create_named(bool of_rank, pid_t *holder)
{
	const struct name_codes codes = own_codes();
	char *path = filename_expand_path(run.settings.export_profile, &codes, output.message,
					  sizeof(output.message));
	bool trace = options_want_trace(&run.settings);
	/* Of those that the program starts each has a file. */
	bool shared = of_rank || run.settings.profile_children;
	int error;

	*holder = 0;
	if (!path)
		return -EINVAL;
	snprintf(output.profile, sizeof(output.profile), "%s", path);
	/* Without the lock of folder_create_kept: the folder may be shared between nodes. */
	if (of_rank && run.settings.force_overwrite && !folder_holder(path))
		error = session_create(&run.session, path,
				       SESSION_KEPT | SESSION_REPLACES |
					       (trace ? SESSION_TRACE : 0));
	else
		error = folder_create_kept(&run.session, path, trace,
					   run.settings.force_overwrite &&
						   (!shared || is_to_be_replaced(path)),
					   holder);
	if (error)
		snprintf(output.message, sizeof(output.message), "%s: %s%s", path, strerror(-error),
			 error == -EEXIST ? " (-f replaces it)" : "");
	free(path);
	return error;
}

/*
 * Creates the file of -o. Each rank of a job has a file of its own, though all have the same
 * options. If another process writes to the file, this process's number is added to the name. With
 * --profile-child-processes, or for a rank, that is also done if the file merely exists: processes
 * that a rank starts have its rank too. Several numbers are tried, as a process that runs another
 * program by exec may have left such a file.
 */
static int create_kept(void)
{
	const char *asked = run.settings.export_profile;
	bool of_rank = rank_file_pattern(output.own_pattern, sizeof(output.own_pattern), asked,
					 &output.rank);
	bool shared = of_rank || run.settings.profile_children;
	pid_t holder;
	int error;

	run.settings.export_profile = output.own_pattern;
	error = create_named(of_rank, &holder);
	if (error != -EBUSY && !(shared && error == -EEXIST))
		return error;
	if (!shared)
		log_file_say(getpid(), "process %d writes to %s: this one writes to %s.%d",
			     (int)holder, output.profile, output.profile, (int)getpid());
	for (unsigned ordinal = 1; ordinal <= (shared ? PROGRAMS_MOST : 1); ordinal++) {
		if (!rank_file_pattern_of_process(output.own_pattern, sizeof(output.own_pattern),
						  asked, &output.rank, ordinal))
			break;
		run.settings.export_profile = output.own_pattern;
		error = create_named(of_rank, &holder);
		if (error != -EEXIST && error != -EBUSY)
			break;
	}
	return error;
}

/*
 * Creates a profile in memory that outlasts the process if it is killed; not on disk, where writing
 * could block. A profile with a trace is on disk, as a trace may become longer than memory.
 */
static int create_recoverable(void)
{
	bool trace = options_want_trace(&run.settings);
	int error = folder_create(&run.session, trace, output.profile, sizeof(output.profile));

	if (!error)
		return 0;
	error = session_create(&run.session, NULL, trace ? SESSION_TRACE : 0);
	if (!error)
		session_note(run.session,
			     "No file for the profile could be made (%s): if the program "
			     "is killed, nothing is left.",
			     output.profile);
	output.profile[0] = '\0';
	return error;
}

/* The file of --tree: a process that becomes another program by exec has several. */
static int create_in_tree(void)
{
	int error = -EEXIST;
	pid_t holder;

	for (unsigned i = 1; error == -EEXIST || error == -EBUSY; i++) {
		snprintf(output.profile, sizeof(output.profile), TREE_FILE, run.settings.tree,
			 (int)getpid(), i);
		error = folder_create_kept(&run.session, output.profile,
					   options_want_trace(&run.settings), false, &holder);
	}
	return error;
}

int output_create(const struct process_rank *own_rank, bool prints)
{
	int error;

	output.rank = *own_rank;
	output.silent = !prints;
	if (run.settings.export_profile) {
		error = create_kept();
		if (error) {
			log_file_say(getpid(), "%s; the profile is not kept", output.message);
			run.settings.export_profile = NULL;
		}
	} else {
		error = run.settings.tree ? create_in_tree() : -ENOENT;
	}
	/* Others do without where there can be no entry. */
	if (!error)
		folder_enter(output.profile, output.entry, sizeof(output.entry));
	else
		error = create_recoverable();
	if (error)
		return error;
	run.header = session_header(run.session);
	run.header->rank = output.rank;
	return 0;
}

static void remove_entry(void)
{
	if (output.entry[0])
		unlink(output.entry);
	output.entry[0] = '\0';
}

void output_abandon(void)
{
	remove_entry();
	if (output.profile[0])
		unlink(output.profile);
}

void output_finish(void)
{
	int error = 0;

	session_check(run.session);
	run.header->finished = RUN_WHOLE;
	remove_entry();
	/* A rank that is to say nothing says what its profile could not keep. */
	if (!output.silent || (run.header->kept && session_kept(run.session)))
		error = report_deliver(run.session, &run.settings, &output.log, output.log_begun,
				       output.message, sizeof(output.message));
	run.header->reported = !error;
	if (error && output.profile[0])
		log_file_say(getpid(), "%s; ktime show %s prints it", output.message,
			     output.profile);
	else if (error)
		log_file_say(getpid(), "%s, and no profile keeps it", output.message);
	else if (!run.header->kept && output.profile[0])
		unlink(output.profile);
}

void output_start(void)
{
	const struct name_codes codes = own_codes();
	FILE *file;
	int error;

	if (output.silent)
		return;
	error = log_file_resolve(&output.log, run.settings.log_file, &codes, output.message,
				 sizeof(output.message));
	if (!error)
		error = log_file_open(&output.log, log_file_is_continued(&output.log, getpid()),
				      &file, output.message, sizeof(output.message));
	/* Who reads the pipe may come until the end, and gets all then. */
	if (error == -ENXIO)
		return;
	if (error) {
		log_file_say(getpid(), "%s; the report goes to stderr", output.message);
		log_file_free(&output.log);
		if (log_file_open(&output.log, false, &file, output.message,
				  sizeof(output.message)))
			return;
	}
	report_write_start(&run.settings, getpid(),
			   session_string(run.session, run.header->command), file);
	output.log_begun = log_file_close(file) == 0;
}

int output_start_reporter(void)
{
	static const struct log_file nowhere = {.path = "/dev/null"};

	return reporter_start(&(struct reporter_output){
		.log = output.silent ? &nowhere : &output.log,
		.kept = output.profile,
		.entry = output.entry,
		.remove_kept = !run.header->kept,
	});
}

void output_start_metrics(void)
{
	if (prometheus_file_start(output.profile[0] ? output.profile : NULL, output.message,
				  sizeof(output.message)))
		session_note(run.session, "%s; no metrics are written.", output.message);
}

void output_say_late(void)
{
	FILE *file;

	if (output.silent || run.settings.quiet ||
	    log_file_open(&output.log, true, &file, output.message, sizeof(output.message)))
		return;
	fprintf(file,
		"==%d== The program goes on after its report: what it has the GPU do from here on "
		"is not counted.\n",
		(int)getpid());
	log_file_close(file);
}

void output_prepare_for_sandbox(void)
{
	session_leave_file(run.session);
	if (!output.silent)
		log_file_keep_open(&output.log);
	remove_entry();
	if (run.header->kept || !output.profile[0])
		return;
	unlink(output.profile);
	output.profile[0] = '\0';
}
