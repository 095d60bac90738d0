/* SPDX-License-Identifier: MIT */
/* A comparison as text and as CSV. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_PRINT_H
#define KTIME_REPORT_COMPARE_COMPARE_PRINT_H

#include <stdio.h>

#include "report/compare/compare.h"

/* A table like nvprof's, with both runs' figures side by side and a verdict for each row. */
void comparison_print_text(const struct comparison *comparison, FILE *file);
/* One record a row; times in nanoseconds, empty where there is none. */
void comparison_print_csv(const struct comparison *comparison, FILE *file);

#endif
