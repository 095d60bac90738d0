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
/* The sides that `ktime show` has findings of, and those that have no trace and whose command is
 * known: "A", "B" or "each side"; NULL: none. */
const char *next_with_findings(const struct comparison *comparison);
const char *next_without_trace(const struct comparison *comparison);
/* The commands for these sides: that show a side's page, make its trace, and show that. */
void next_write_pages(const struct comparison *comparison, FILE *file);
void next_write_traces(const struct comparison *comparison, FILE *file);
void next_write_trace_pages(const struct comparison *comparison, FILE *file);

#endif
