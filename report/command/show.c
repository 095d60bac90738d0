/* SPDX-License-Identifier: MIT */
/* `ktime show`, and -i. */
#include "report/command/show.h"

#include <stdlib.h>
#include <string.h>

#include "report/command/commands.h"
#include "report/command/help.h"
#include "report/session/load.h"
#include "report/print/log_file.h"
#include "report/print/report.h"

#define BAD_USAGE 2

static int show_file(const char *path, const struct options *options, FILE *file)
{
	struct session *session;
	char message[512];
	int error = session_load(&session, path, message, sizeof(message));

	if (error) {
		fprintf(stderr, "ktime: %s\n", message);
		return EXIT_FAILURE;
	}
	error = report_write(session, options, file);
	if (error)
		fprintf(stderr, "ktime: the report of %s was not written: %s\n", path,
			strerror(-error));
	session_close(session);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

int show_files(const struct options *options, const char *const *paths, size_t count,
	       const char *log_file)
{
	char message[512];
	int status = EXIT_SUCCESS, error;
	struct log_file log;
	FILE *file;
	size_t i;

	error = log_file_resolve(&log, log_file, getpid(), message, sizeof(message));
	if (!error)
		error = log_file_open(&log, false, &file, message, sizeof(message));
	log_file_free(&log);
	if (error) {
		fprintf(stderr, "ktime: %s\n", message);
		return EXIT_FAILURE;
	}
	for (i = 0; i < options->notice_count; i++)
		fprintf(stderr, "======== Warning: %s\n", options->notices[i]);
	for (i = 0; i < count; i++)
		if (show_file(paths[i], options, file) != EXIT_SUCCESS)
			status = EXIT_FAILURE;
	error = log_file_close(file);
	if (error && status == EXIT_SUCCESS) {
		fprintf(stderr, "ktime: the report was not written: %s\n", strerror(-error));
		status = EXIT_FAILURE;
	}
	return status;
}

int command_show(int argc, char **argv)
{
	const char **paths = calloc((size_t)argc + 1, sizeof(*paths));
	struct options options;
	char message[512];
	size_t count = 0;
	int first, status = EXIT_FAILURE;

	options_defaults(&options);
	if (!paths)
		goto out;
	/* Options may stand between and behind the files. */
	while (argc > 1) {
		if (options_parse_arguments(&options, argc, argv, &first, message,
					    sizeof(message))) {
			fprintf(stderr, "ktime: %s\n", message);
			status = BAD_USAGE;
			goto out;
		}
		argc -= first;
		argv += first;
		if (argc > 0)
			paths[count++] = argv[0];
	}
	if (options.import_profile)
		paths[count++] = options.import_profile;
	if (options.help) {
		help_write(stdout);
		status = EXIT_SUCCESS;
		goto out;
	}
	if (count == 0) {
		fputs("usage: ktime show [options] FILE...\n", stderr);
		status = BAD_USAGE;
		goto out;
	}
	status = show_files(&options, paths, count, options.log_file ? options.log_file : "%1");
out:
	options_free(&options);
	free(paths);
	return status;
}
