/* SPDX-License-Identifier: MIT */
#include "report/command/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/merge/merge.h"
#include "report/session/folder.h"

#define BAD_USAGE 2

static bool is_among(const char *output, const char *const *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(files[i], output) == 0)
			return true;
	return false;
}

int command_merge(const struct options *options, const char *const *files, size_t count)
{
	const char *output = options->export_profile;
	struct merge *merge;

	if (!output || is_among(output, files, count)) {
		fputs(output ? "ktime merge: the output is one of the files\n"
			     : "ktime merge: no output given (-o FILE)\n",
		      stderr);
		return BAD_USAGE;
	}
	if (options->force_overwrite && !folder_holder(output) && unlink(output) < 0 &&
	    errno != ENOENT) {
		fprintf(stderr, "ktime: %s: %s\n", output, strerror(errno));
		return EXIT_FAILURE;
	}
	if (merge_files(&merge, output, true, files, count))
		return EXIT_FAILURE;
	merge_free(merge);
	return EXIT_SUCCESS;
}
