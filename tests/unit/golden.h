/* SPDX-License-Identifier: MIT */
/* A text as a file of tests/golden has it. */
#ifndef KTIME_TESTS_UNIT_GOLDEN_H
#define KTIME_TESTS_UNIT_GOLDEN_H

/*
 * Compares a text with tests/golden/NAME.txt, line by line, and fails the test where they differ.
 * Where a change of the output is wanted, the test is run with FIGURES=write, which writes its
 * files anew; the difference is then to be read.
 */
void is_golden(const char *name, const char *text);
/* The same for a file of another name. */
void is_golden_file(const char *path, const char *text);

#endif
