/* SPDX-License-Identifier: MIT */
/* A comparison in each of the forms that it is printed in, and the runs of one side. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_PRINT_H
#define KTIME_REPORT_COMPARE_COMPARE_PRINT_H

#include <stdio.h>

#include "report/compare/compare.h"

/* A table like nvprof's, with both sides' times of a run and a verdict for each row. */
void comparison_print_text(const struct comparison *comparison, FILE *file);
/* The same as a table of Markdown, the lines that sum it up above. */
void comparison_print_markdown(const struct comparison *comparison, FILE *file);
/* One record a row; times in nanoseconds, empty where there is none. */
void comparison_print_csv(const struct comparison *comparison, FILE *file);
/* One object; times in nanoseconds, null where there is none. 0 or -ENOMEM. */
int comparison_print_json(const struct comparison *comparison, FILE *file);

/* The mean times of several runs of one program, and the standard deviation between runs. */
void runs_print_text(const struct profile *runs, FILE *file);

#endif
