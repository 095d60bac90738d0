/* SPDX-License-Identifier: MIT */
#include "report/command/tree.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/merge/job.h"
#include "report/merge/merge.h"
#include "report/options/log_file.h"
#include "report/print/report.h"

/* On disk: there may be many, and they are not needed for long. */
char *tree_create(const struct options *options)
{
	const char *folder = getenv("TMPDIR");
	char *path;

	/* With -o the processes' profiles are kept where the user wants them. */
	if (!options->profile_children || options->export_profile)
		return NULL;
	if (asprintf(&path, "%s/ktime-tree.XXXXXX", folder && *folder == '/' ? folder : "/tmp") < 0)
		return NULL;
	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

static int is_profile(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

/* The files in the order of their names; their number, or less than 0. */
static int list_files(const char *folder, char ***files)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_profile, versionsort);

	*files = count > 0 ? calloc((size_t)count, sizeof(**files)) : NULL;
	for (int i = 0; i < count; i++) {
		if (*files && asprintf(&(*files)[i], "%s/%s", folder, entries[i]->d_name) < 0)
			(*files)[i] = NULL;
		free(entries[i]);
	}
	free(entries);
	return *files ? count : -1;
}

static void write_summary(struct session *session, const struct options *asked)
{
	const struct name_codes codes = {getpid(), -1, -1};
	struct options options = *asked;
	struct log_file log;
	char message[512];
	FILE *file;
	int error;

	error = log_file_resolve(&log, options.log_file, &codes, message, sizeof(message));
	if (!error)
		error = log_file_open(&log, true, &file, message, sizeof(message));
	log_file_free(&log);
	if (error) {
		log_file_say(getpid(), "%s; there is no summary over the processes", message);
		return;
	}
	/* Every process has a line of its own. */
	options.slowest = session_header(session)->processes;
	options.print_gpu_trace = options.print_api_trace = false;
	error = report_write(session, &options, file);
	if (!error)
		error = job_write(session, &options, file);
	if (log_file_close(file) || error)
		log_file_say(getpid(), "the summary over the processes could not be written");
}

void tree_report(const struct options *options, const char *folder)
{
	struct merge *merge = NULL;
	char **files;
	int count;

	if (!folder)
		return;
	count = list_files(folder, &files);
	if (count > 1 &&
	    !merge_files(&merge, NULL, false, false, (const char *const *)files, (size_t)count))
		write_summary(merge_session(merge), options);
	merge_free(merge);
	for (int i = 0; i < count; i++) {
		if (files[i])
			unlink(files[i]);
		free(files[i]);
	}
	free(files);
	rmdir(folder);
}
