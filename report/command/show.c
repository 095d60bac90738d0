/* SPDX-License-Identifier: MIT */
/* `ktime show`, and -i. */
#include "report/command/show.h"

#include <stdlib.h>
#include <string.h>

#include "report/command/list.h"
#include "report/html/profile_page.h"
#include "report/merge/job_print.h"
#include "report/merge/merge.h"
#include "report/options/log_file.h"
#include "report/print/report.h"
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
			fprintf(stderr, "ktime: %s\n", message);
		return error ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	error = report_write(session, options, file);
	if (!error && !options->print_gpu_trace && !options->print_api_trace)
		error = job_write(session, options, file);
	if (error)
		fprintf(stderr, "ktime: the report of %s was not written: %s\n", path,
			strerror(-error));
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int show_file(const char *path, const struct options *options, FILE *file)
{
	struct session *session;
	char message[512];
	int status = EXIT_FAILURE;

	if (session_load(&session, path, message, sizeof(message))) {
		fprintf(stderr, "ktime: %s\n", message);
		return EXIT_FAILURE;
	}
	status = write_session(session, path, options, file);
	session_close(session);
	return status;
}

/* Several files: one report of all their processes. */
static int show_merged(const char *const *paths, size_t count, const struct options *options,
		       FILE *file)
{
	struct merge *merge;
	int status;

	if (merge_files(&merge, NULL,
			options->print_gpu_trace || options->print_api_trace || options->html,
			paths, count))
		return EXIT_FAILURE;
	status = write_session(merge_session(merge), "all", options, file);
	merge_free(merge);
	return status;
}

int show_files(const struct options *options, const char *const *paths, size_t count,
	       const char *log_file)
{
	char message[512];
	int status, error;
	const struct name_codes codes = {getpid(), -1, -1};
	struct log_file log;
	FILE *file;

	error = log_file_resolve(&log, log_file, &codes, message, sizeof(message));
	if (!error)
		error = log_file_open(&log, false, &file, message, sizeof(message));
	log_file_free(&log);
	if (error) {
		fprintf(stderr, "ktime: %s\n", message);
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < options->notice_count; i++)
		fprintf(stderr, "======== Warning: %s\n", options->notices[i]);
	status = count == 1 ? show_file(paths[0], options, file)
			    : show_merged(paths, count, options, file);
	error = log_file_close(file);
	if (error && status == EXIT_SUCCESS) {
		fprintf(stderr, "ktime: the report was not written: %s\n", strerror(-error));
		status = EXIT_FAILURE;
	}
	return status;
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

int command_show(const struct options *options, const char *const *files, size_t count)
{
	if (count == 0)
		return show_left();
	return show_files(options, files, count, options->log_file ? options->log_file : "%1");
}
