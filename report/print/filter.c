/* SPDX-License-Identifier: MIT */
#include "report/print/filter.h"

#include <errno.h>
#include <stddef.h>

int filter_init(struct filter *filter, const struct options *options)
{
	filter->options = options;
	if (options->kernels &&
	    regcomp(&filter->kernels, options->kernels, REG_EXTENDED | REG_NOSUB))
		return -EINVAL;
	if (options->exclude_kernels &&
	    regcomp(&filter->exclude_kernels, options->exclude_kernels, REG_EXTENDED | REG_NOSUB)) {
		if (options->kernels)
			regfree(&filter->kernels);
		return -EINVAL;
	}
	return 0;
}

void filter_free(struct filter *filter)
{
	if (filter->options->kernels)
		regfree(&filter->kernels);
	if (filter->options->exclude_kernels)
		regfree(&filter->exclude_kernels);
}

bool filter_passes(const struct filter *filter, enum row_kind kind, const char *name, int device)
{
	const struct options *options = filter->options;

	if (device >= 0 && device < SESSION_DEVICES && !(options->devices >> device & 1))
		return false;
	if (kind != ROW_KERNEL)
		return true;
	if (options->kernels && regexec(&filter->kernels, name, 0, NULL, 0) != 0)
		return false;
	return !options->exclude_kernels ||
	       regexec(&filter->exclude_kernels, name, 0, NULL, 0) != 0;
}
