/* SPDX-License-Identifier: MIT */
/* The files and folders of several runs, added up. */
#include "report/import/import.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int load_file(struct profile *sum, const char *path, const struct import_options *how,
		     char *message, size_t size)
{
	struct profile run;
	int error = import_profile(&run, path, how, message, size);

	if (!error) {
		error = profile_add_run(sum, &run);
		if (error)
			snprintf(message, size, "%s: %s", path, strerror(-error));
	}
	profile_free(&run);
	return error;
}

static int is_profile(const struct dirent *entry)
{
	return fnmatch("?*" RUNS_SUFFIX, entry->d_name, 0) == 0;
}

static int load_folder(struct profile *sum, const char *path, const struct import_options *how,
		       char *message, size_t size)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_profile, alphasort), error = 0;
	char *file;

	if (count <= 0) {
		error = count < 0 ? -errno : -ENOENT;
		snprintf(message, size, "%s: %s", path,
			 count < 0 ? strerror(-error)
				   : "a folder without profiles (*" RUNS_SUFFIX ")");
	}
	for (int i = 0; i < count; i++) {
		if (!error && asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0) {
			error = -ENOMEM;
			snprintf(message, size, "%s: %s", path, strerror(-error));
		} else if (!error) {
			error = load_file(sum, file, how, message, size);
			free(file);
		}
		free(entries[i]);
	}
	free(entries);
	return error;
}

int runs_load(struct profile *sum, const char *const *paths, size_t count,
	      const struct import_options *how, char *message, size_t size)
{
	int error = 0;

	*sum = (struct profile){.files = paths, .file_count = count};
	for (size_t i = 0; i < count && !error; i++) {
		struct stat status;
		bool folder = stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode);

		error = folder ? load_folder(sum, paths[i], how, message, size)
			       : load_file(sum, paths[i], how, message, size);
	}
	return error;
}
