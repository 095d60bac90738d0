/* SPDX-License-Identifier: MIT */
/* The work that the user declares for kernels: --bytes, --flops and --work. */
#ifndef KTIME_REPORT_OPTIONS_DECLARED_H
#define KTIME_REPORT_OPTIONS_DECLARED_H

#include <stdbool.h>
#include <stddef.h>

enum declared_kind { DECLARED_BYTES, DECLARED_FLOPS, DECLARED_WORK };

/* "REGEX=NUMBER/thread UNIT", taken apart. */
struct declared_work {
	enum declared_kind kind;
	const char *file;    /* that it stands in, the option's own text; NULL: in none */
	const char *text;    /* as it was given */
	const char *pattern; /* POSIX extended, over the full names of kernels */
	const char *unit;    /* DECLARED_WORK: what is counted, else "" */
	double amount;	     /* of a thread or of a launch */
	bool per_thread;
	int precision; /* DECLARED_FLOPS: enum precision, by its place in "fp32|fp64|fp16" */
	struct declared_work *next;
};

/*
 * Adds what an option's value declares to the end of a list: one declaration, or with "@FILE" those
 * of a file's lines, without empty ones and those that begin with #. 0, -ENOMEM, or -EINVAL; both
 * with a one-line message that names the option.
 */
int declared_add(struct declared_work **list, enum declared_kind kind, const char *value,
		 char *message, size_t size);
void declared_free(struct declared_work **list);
/* "bytes", "flops", "work": the option's name. */
const char *declared_option(enum declared_kind kind);

#endif
