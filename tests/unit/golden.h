/* SPDX-License-Identifier: MIT */
/* A text as a file of tests/golden has it. */
#ifndef KTIME_TESTS_UNIT_GOLDEN_H
#define KTIME_TESTS_UNIT_GOLDEN_H

#include <stdio.h>

/* What a text is written to. */
FILE *golden_begin(void);
/* Adds JSON to it, an object a line. */
void golden_add_json(const char *json);
/*
 * Compares it with tests/golden/NAME.txt, line by line, and fails the test where they differ.
 * Where a change of the output is wanted, the test is run with FIGURES=write, which writes its
 * files anew; the difference is then to be read.
 *
 * Of lines that stood in an earlier part of the text, which begins with "$ " or "# ", the file has
 * the first alone: `[as under "TITLE OF THE PART" for 21 lines] FIRST LINE`.
 */
void golden_end(const char *name);
/* The text of that file, with all its lines; the caller frees it. */
char *golden_text(const char *name);
/* The same for a text and a file of another name, which has all lines. */
void is_golden_file(const char *path, const char *text);

#endif
