/* SPDX-License-Identifier: MIT */
/* A comparison in each of the forms that it is printed in, and the runs of one side. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_PRINT_H
#define KTIME_REPORT_COMPARE_COMPARE_PRINT_H

#include <stdio.h>

#include "report/compare/compare.h"
#include "report/print/number.h"

/* The columns of text and Markdown, with their widths in text; the last two stand on the left. */
#define COMPARISON_COLUMNS(X)                                                                      \
	X("Type", 16)                                                                              \
	X("Calls A", 8)                                                                            \
	X("Calls B", 8)                                                                            \
	X("Time A", 8)                                                                             \
	X("Time B", 8)                                                                             \
	X("Avg A", 8)                                                                              \
	X("Avg B", 8)                                                                              \
	X("Ratio", 6)                                                                              \
	X("95 %", 13)                                                                              \
	X("Verdict", -11)                                                                          \
	X("Name", 0)
#define COMPARISON_COLUMN_ONE(title, width) +1
enum { COMPARISON_COLUMN_COUNT = COMPARISON_COLUMNS(COMPARISON_COLUMN_ONE) };
extern const char *const comparison_titles[];

/* A side's runs, and the files that they were read from. */
struct comparison_side {
	const struct profile *profile;
	const char *const *files;
	size_t count;
};
/* "A: run.ktime (ktime)", and B in a second line. */
void comparison_print_sides(const struct comparison_side sides[2], FILE *file);

typedef char comparison_cell[NUMBER_SIZE];
/* Fills all columns but the first and the last. */
void comparison_cells(comparison_cell *cells, const struct comparison *comparison,
		      const struct comparison_row *row);
/* What a row's verdict is of: of a call's time, or of that of all calls. */
const struct change *comparison_change(const struct comparison_row *row);
/* The lines that sum it up. */
void comparison_print_lines(const struct comparison *comparison, FILE *file);

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
