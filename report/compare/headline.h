/* SPDX-License-Identifier: MIT */
/* What a comparison says first: its verdict in one sentence, and in which rows the calls differ. */
#ifndef KTIME_REPORT_COMPARE_HEADLINE_H
#define KTIME_REPORT_COMPARE_HEADLINE_H

#include "report/compare/compare.h"

/*
 * "B is 1.38 times slower: 1 of 3 GPU rows takes longer; most in first (10.0 ms -> 15.0 ms)", on
 * one line without its end. Names are short and visible. The caller frees it; NULL if memory is
 * out.
 */
char *headline_text(const struct comparison *comparison);

/* "Calls differ in 2 of 17 rows: axpy 10 and 100, dot 5 and 50." and the end of the line; nothing
 * if no row's calls differ by more than the threshold. */
void headline_print_calls(const struct comparison *comparison, FILE *file);

#endif
