/* SPDX-License-Identifier: MIT */
#include "report/command/merge.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/merge/merge.h"

#define BAD_USAGE 2

int command_merge(const struct options *options, const char *const *files, size_t count)
{
	const char *output = options->export_profile;
	struct merge *merge;

	if (!output) {
		fputs("ktime merge: no output given (-o FILE)\n", stderr);
		return BAD_USAGE;
	}
	if (merge_files(&merge, output, options->force_overwrite, true, files, count))
		return EXIT_FAILURE;
	merge_free(merge);
	return EXIT_SUCCESS;
}
