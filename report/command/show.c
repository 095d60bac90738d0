/* SPDX-License-Identifier: MIT */
/* `ktime show`, -i, and `ktime merge`. */
#include "report/command/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/compare/compare.h"
#include "report/html/html.h"
#include "report/live/live.h"
#include "report/merge/job.h"
#include "report/merge/merge.h"
#include "report/names/visible.h"
#include "report/options/log_file.h"
#include "report/print/report.h"
#include "report/session/files.h"
#include "report/session/session.h"

int show_session(struct session *session, const char *path, const struct options *options,
		 bool append, char *message, size_t size)
{
	const struct name_codes codes = {getpid(), -1, -1};
	struct log_file log;
	int closed, error;
	FILE *file;

	error = log_file_resolve(&log, options->log_file, &codes, message, size);
	if (!error)
		error = log_file_open(&log, append, &file, message, size);
	log_file_free(&log);
	if (error)
		return error;
	error = options->overview ? overview_write(session, path, options, file)
				  : report_write(session, options, file);
	if (!error && !options->overview && !options->print_gpu_trace && !options->print_api_trace)
		error = job_write(session, options, file);
	closed = log_file_close(file);
	error = error ? error : closed;
	if (error)
		snprintf(message, size, "the report of %s was not written: %s", path,
			 strerror(-error));
	return error;
}

/* Several files: one report of all their processes. */
int show_files(const struct options *asked, const char *const *paths, size_t count)
{
	struct options shown = *asked, *options = &shown;
	struct session *loaded = NULL, *session;
	struct merge *merge = NULL;
	char message[512];
	int error;

	options->profiles = paths;
	options->profile_count = count;
	if (count > 1 &&
	    merge_files(&merge, NULL, false,
			options->print_gpu_trace || options->print_api_trace || options->html,
			paths, count))
		return EXIT_FAILURE;
	error = count > 1 ? 0 : session_load(&loaded, paths[0], message, sizeof(message));
	session = count > 1 ? merge_session(merge) : loaded;
	for (size_t i = 0; !error && i < options->notice_count; i++)
		visible_line(stderr, "======== Warning: %s", options->notices[i]);
	if (!error && options->html)
		error = profile_page_write(session, options, options->html, message,
					   sizeof(message));
	else if (!error)
		error = show_session(session, count > 1 ? "all" : paths[0], options, false, message,
				     sizeof(message));
	/* A report is written with the signal held back: it ends as all other output does. */
	if (error == -EPIPE)
		raise(SIGPIPE);
	else if (error)
		visible_line(stderr, "ktime: %s", message);
	merge_free(merge);
	session_close(loaded);
	return error == -EPIPE ? 128 + SIGPIPE : error ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Without a file: what there is to be shown. */
static int show_left(void)
{
	int count = list_write(true, stdout);

	if (count > 0) {
		puts("These programs ended without a report: ktime show FILE prints it, ktime "
		     "clean removes them.");
		return EXIT_SUCCESS;
	}
	return visible_fail(EXIT_BAD_USAGE,
			    "ktime show: no file given; usage: ktime show [options] FILE...");
}

/* --html, where the name of the page should follow, was given a profile: of run.ktime the page is
 * run.html beside it. */
static int show_beside(const struct options *asked, size_t count)
{
	size_t length = strlen(asked->html), ending = strlen(RUNS_SUFFIX);
	struct options options = *asked;
	char *page;
	int status;

	if (count > 0)
		return visible_fail(EXIT_BAD_USAGE,
				    "ktime show: %s is a ktime profile: --html takes the name of "
				    "the page (--html PAGE FILE...)",
				    asked->html);
	if (length > ending && strcmp(asked->html + length - ending, RUNS_SUFFIX) == 0)
		length -= ending;
	if (asprintf(&page, "%.*s.html", (int)length, asked->html) < 0)
		return visible_fail(EXIT_FAILURE, "ktime: %s", strerror(ENOMEM));
	options.html = page;
	status = show_files(&options, &asked->html, 1);
	free(page);
	return status;
}

/* Whether the operand is the number of a process, not a file. */
static bool is_process(const char *operand)
{
	return operand[strspn(operand, "0123456789")] == '\0' && access(operand, F_OK) < 0;
}

/* The profile of a running process, as it is now. */
static int show_process(const struct options *options, const char *number)
{
	const struct programs programs = {options, &number, 1};
	struct left_profiles profiles;
	const char *path;
	char message[512];
	int status = EXIT_FAILURE;

	if (processes_find(&profiles, &programs, message, sizeof(message))) {
		visible_line(stderr, "ktime show: %s", message);
	} else {
		path = profiles.of[0].path;
		status = show_files(options, &path, 1);
	}
	left_profiles_free(&profiles);
	return status;
}

int command_show(const struct options *asked, const char *const *files, size_t count)
{
	struct options shown = *asked, *options = &shown;

	if (!options->log_file)
		options->log_file = "%1";
	if (options->as_markdown && (options->csv || options->format == FORMAT_NSYS))
		return visible_fail(EXIT_BAD_USAGE,
				    "ktime show: --markdown, --csv and --format nsys are forms of "
				    "one table: give one of them");
	if (options->html && is_profile_file(options->html))
		return show_beside(options, count);
	if (count == 0)
		return show_left();
	if (count == 1 && is_process(files[0]))
		return show_process(options, files[0]);
	return show_files(options, files, count);
}

int command_merge(const struct options *options, const char *const *files, size_t count)
{
	const char *output = options->export_profile;
	struct merge *merge;

	if (!output)
		return visible_fail(EXIT_BAD_USAGE, "ktime merge: no output given (-o FILE)");
	if (merge_files(&merge, output, options->force_overwrite, true, files, count))
		return EXIT_FAILURE;
	merge_free(merge);
	return EXIT_SUCCESS;
}
