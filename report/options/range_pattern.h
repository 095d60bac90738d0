/* SPDX-License-Identifier: MIT */
/*
 * Which NVTX ranges an expression means, in Nsight Compute's syntax for --nvtx-include:
 *
 *     [DOMAIN@]RANGE,RANGE…    start/end ranges, which must all be open
 *     [DOMAIN@]RANGE/          a push/pop range on the calling thread's stack of the domain
 *     A/B  A/+/B  A/(*)/B    B in A: directly, with one range between, with any number; * alone
 *     [A/   A]                 A is at the bottom, at the top of the stack
 *     regex:…                  the domain and the ranges are POSIX extended expressions
 *
 * Without a domain the default one is meant. A backslash takes the meaning from @ , / [ ] * + and
 * itself. In expressions, brackets, stars and pluses are the expressions' own, but for * and + as a
 * whole range.
 */
#ifndef KTIME_REPORT_OPTIONS_RANGE_PATTERN_H
#define KTIME_REPORT_OPTIONS_RANGE_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct range_pattern;

/* A range that is open; the default domain's name is "". */
struct open_range_name {
	const char *domain, *name;
};

/* 0, -ENOMEM, or -EINVAL with a message. To be freed by range_pattern_free(). */
int range_pattern_parse(struct range_pattern **pattern, const char *text, char *message,
			size_t size);
void range_pattern_free(struct range_pattern *pattern);

/* Whether push/pop ranges are meant, else start/end ranges. */
bool range_pattern_is_push_pop(const struct range_pattern *pattern);
/* Whether the ranges that are open match: those on a thread's stack from the bottom up, or the
 * start/end ranges in any order. */
bool range_pattern_matches(const struct range_pattern *pattern, const struct open_range_name *open,
			   size_t count);

/* Compiles a POSIX extended expression, whatever the program's locale is; or checks it alone. 0, or
 * -EINVAL with a reason. */
int expression_compile(regex_t *regex, const char *text, char *reason, size_t size);
int expression_check(const char *text, char *reason, size_t size);

#endif
