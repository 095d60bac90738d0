/* SPDX-License-Identifier: MIT */
/* What a comparison leaves open, and the commands that answer it. */
#ifndef KTIME_REPORT_COMPARE_NEXT_H
#define KTIME_REPORT_COMPARE_NEXT_H

#include "report/compare/compare.h"

/* Why rows are "cannot tell", in a clause; NULL if none is. */
const char *next_why_unsure(const struct comparison *comparison);
/* The command that makes more runs. */
void next_write_more_runs(const struct comparison *comparison, FILE *file);
/* Whether what changed is the program's own work, and both commands are known, which
 * next_write_host() has looked into. */
bool next_needs_host(const struct comparison *comparison);
void next_write_host(const struct comparison *comparison, FILE *file);
/* The first of B's files that `ktime show` has the findings of; false: there is none. */
bool next_write_profile(const struct comparison *comparison, FILE *file);
/* Whether B has no trace and its command is known, which next_write_trace() has one made of. */
bool next_needs_trace(const struct comparison *comparison);
void next_write_trace(const struct comparison *comparison, FILE *file);

#endif
