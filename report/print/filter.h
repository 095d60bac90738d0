/* SPDX-License-Identifier: MIT */
/* Which rows are printed: what --devices, --kernels and --exclude-kernels let through. */
#ifndef KTIME_REPORT_PRINT_FILTER_H
#define KTIME_REPORT_PRINT_FILTER_H

#include <regex.h>
#include <stdbool.h>

#include "report/options/options.h"
#include "report/session/session.h"

struct filter {
	const struct options *options;
	regex_t kernels, exclude_kernels;
};
/* 0, or -EINVAL for a bad expression. Free it with filter_free. */
int filter_init(struct filter *filter, const struct options *options);
void filter_free(struct filter *filter);
/* The name is the one that is printed. */
bool filter_passes(const struct filter *filter, enum row_kind kind, const char *name, int device);

#endif
