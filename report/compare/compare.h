/* SPDX-License-Identifier: MIT */
/* The runs of two programs side by side, row by row, and which differences are more than noise. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_H
#define KTIME_REPORT_COMPARE_COMPARE_H

#include "report/compare/comparison.h"
#include "report/export/json.h"
#include "report/options/options.h"
#include "report/sheet/sheet.h"

/* The thresholds if the user gives none: with several runs a side, and with one. */
#define THRESHOLD_RUNS 0.02
#define THRESHOLD_RUN  0.10

/*
 * Compares the runs that profile_add_run added up to A and B, whose rows are paired as pair.h says.
 *
 * Faster and slower mean a difference of more than `threshold` (NAN: the one above) that chance
 * alone makes in any row of at most two comparisons in a hundred: Welch's t-test of the logarithms
 * of the runs' times, with Bonferroni's correction, weighted by the rows' shares of the time.
 *
 * Where the number of calls varies, a run's total is tested beside a call's average, and decides:
 * the verdict is about what the ratio of the totals shows.
 *
 * With one run a side the noise between runs is unknown; then the calls are tested, which is less,
 * and nothing is the same but equal figures: what surely differs by less is under the threshold, as
 * is a total of all GPU activities that does. How many calls there are is a fact, without noise. So
 * the total varies as the average of its calls does; and where both the calls and the total change
 * by more than the threshold, to the same side, the row takes more or less time, however far its
 * calls are apart.
 *
 * The profiles must outlive the result. 0 or -ENOMEM.
 */
int compare_profiles(struct comparison *comparison, const struct profile *a,
		     const struct profile *b, double threshold);
void comparison_free(struct comparison *comparison);

/* How the times of runs changed, of which a side has some. */
struct change change_between(const double *a, size_t count_a, const double *b, size_t count_b);
/* Whether what a row moved differs by more than the threshold in bytes, or in GB/s of a row that
 * changed; then the text says how: "bytes 192 MB -> 96 MB (0.500), 28.9 -> 25.8 GB/s". */
#define MOVED_SIZE 160
bool comparison_moved_text(const struct comparison *comparison, const struct comparison_row *row,
			   char text[MOVED_SIZE]);

/* Prints the lines that sum the rows up, and what they are judged by; `between` stands behind a
 * line, which Markdown has as paragraphs. */
void comparison_print_lines(const struct comparison *comparison, const char *between, FILE *file);

/* The comparison's table, with a row for each comparison_row: like nvprof's, with both sides' times
 * of a run and a verdict. CSV has times in nanoseconds, and nothing where there is none. */
struct sheet comparison_sheet(const struct comparison *comparison, enum sheet_form form);
/* The verdict, the files, the table and the lines that sum it up, which Markdown has above; of CSV
 * the table alone; of JSON one object, with times in nanoseconds and null where there is none. */
void comparison_print(const struct comparison *comparison, enum sheet_form form, FILE *file);

/* The object that comparison_print() writes, as the member of another. */
void comparison_add_json(const struct comparison *comparison, const char *name, struct json *json);

/* `ktime diff --html`: writes the comparison as a page to that file. 0, or -errno with a one-line
 * message. */
int comparison_page_write(const struct comparison *comparison, const struct options *options,
			  char *message, size_t size);

#endif
