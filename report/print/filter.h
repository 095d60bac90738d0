/* SPDX-License-Identifier: MIT */
/*
 * Which rows are printed, and under which names: what --devices, --kernels, --exclude-kernels,
 * --demangling and --names say.
 */
#ifndef KTIME_REPORT_PRINT_FILTER_H
#define KTIME_REPORT_PRINT_FILTER_H

#include <regex.h>
#include <stdbool.h>

#include "report/options/options.h"
#include "report/session/session.h"

struct entry;

struct filter {
	const struct session *session;
	const struct options *options;
	regex_t kernels, exclude_kernels;
	struct entry *names; /* as they are printed */
};
/* 0, -ENOMEM, or -EINVAL for a bad expression. Free it with filter_free. */
int filter_init(struct filter *filter, const struct session *session,
		const struct options *options);
void filter_free(struct filter *filter);

/* The name of a row or trace record as it is printed; NULL if memory is out. */
const char *filter_name(struct filter *filter, enum row_kind kind, uint64_t name);
/* Whether the rows of a name on a device (-1: on none) are printed. */
bool filter_shows(struct filter *filter, enum row_kind kind, uint64_t name, int device);
bool filter_shows_device(const struct filter *filter, int device);
/* Whether a kernel passes --kernels and --exclude-kernels by its readable name. */
bool filter_matches(const struct filter *filter, enum row_kind kind, const char *full_name);
/* A kernel's name that stands among others in a row's name; the caller frees it. */
char *filter_kernel_text(const struct filter *filter, const char *mangled);

#endif
