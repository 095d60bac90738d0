/* SPDX-License-Identifier: MIT */
/* `ktime show`, and -i. */
#include "report/command/show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/command/list.h"
#include "report/compare/profile.h"
#include "report/html/profile_page.h"
#include "report/merge/job.h"
#include "report/merge/merge.h"
#include "report/names/visible.h"
#include "report/options/log_file.h"
#include "report/print/report.h"
#include "report/session/new_file.h"
#include "report/session/session.h"

#define BAD_USAGE 2

static int write_session(struct session *session, const char *path, const struct options *options,
			 FILE *file)
{
	char message[512];
	int error;

	if (options->html) {
		error = profile_page_write(session, options, options->html, message,
					   sizeof(message));
		if (error)
			visible_line(stderr, "ktime: %s", message);
		return error ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	error = report_write(session, options, file);
	if (!error && !options->print_gpu_trace && !options->print_api_trace)
		error = job_write(session, options, file);
	if (error)
		visible_line(stderr, "ktime: the report of %s was not written: %s", path,
			     strerror(-error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Opens the log only now that there is something to be written to it. */
static int write_to_log(struct session *session, const char *path, const struct options *options,
			const char *log_file)
{
	const struct name_codes codes = {getpid(), -1, -1};
	struct log_file log;
	char message[512];
	int status, error;
	FILE *file;

	error = log_file_resolve(&log, log_file, &codes, message, sizeof(message));
	if (!error)
		error = log_file_open(&log, false, &file, message, sizeof(message));
	log_file_free(&log);
	if (error) {
		visible_line(stderr, "ktime: %s", message);
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < options->notice_count; i++)
		visible_line(stderr, "======== Warning: %s", options->notices[i]);
	status = write_session(session, path, options, file);
	error = log_file_close(file);
	if (error && status == EXIT_SUCCESS) {
		visible_line(stderr, "ktime: the report was not written: %s", strerror(-error));
		status = EXIT_FAILURE;
	}
	return status;
}

static int show_file(const char *path, const struct options *options, const char *log_file)
{
	struct session *session;
	char message[512];
	int status;

	if (session_load(&session, path, message, sizeof(message))) {
		visible_line(stderr, "ktime: %s", message);
		return EXIT_FAILURE;
	}
	status = write_to_log(session, path, options, log_file);
	session_close(session);
	return status;
}

/* Several files: one report of all their processes. */
static int show_merged(const char *const *paths, size_t count, const struct options *options,
		       const char *log_file)
{
	struct merge *merge;
	int status;

	if (merge_files(&merge, NULL, false,
			options->print_gpu_trace || options->print_api_trace || options->html,
			paths, count))
		return EXIT_FAILURE;
	status = write_to_log(merge_session(merge), "all", options, log_file);
	merge_free(merge);
	return status;
}

int show_files(const struct options *options, const char *const *paths, size_t count,
	       const char *log_file)
{
	return count == 1 ? show_file(paths[0], options, log_file)
			  : show_merged(paths, count, options, log_file);
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
	fputs("ktime show: no file given; usage: ktime show [options] FILE...\n", stderr);
	return BAD_USAGE;
}

/* The page of "show --html run.ktime": run.html beside it. The caller frees it; NULL: no memory. */
static char *page_beside(const char *profile)
{
	size_t length = strlen(profile), ending = strlen(RUNS_SUFFIX);
	char *page;

	if (length > ending && strcmp(profile + length - ending, RUNS_SUFFIX) == 0)
		length -= ending;
	return asprintf(&page, "%.*s.html", (int)length, profile) < 0 ? NULL : page;
}

/* --html, where the name of the page should follow, was given a profile. */
static int show_beside(const struct options *asked, size_t count, const char *log_file)
{
	struct options options = *asked;
	char *page;
	int status;

	if (count > 0) {
		fputs("ktime show: ", stderr);
		visible_write(asked->html, stderr);
		fputs(" is a ktime profile: --html takes the name of the page (--html PAGE "
		      "FILE...)\n",
		      stderr);
		return BAD_USAGE;
	}
	page = page_beside(asked->html);
	if (!page) {
		visible_line(stderr, "ktime: %s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	options.html = page;
	status = show_files(&options, &asked->html, 1, log_file);
	free(page);
	return status;
}

int command_show(const struct options *options, const char *const *files, size_t count)
{
	const char *log_file = options->log_file ? options->log_file : "%1";

	if (options->html && is_profile_file(options->html))
		return show_beside(options, count, log_file);
	if (count == 0)
		return show_left();
	return show_files(options, files, count, log_file);
}
