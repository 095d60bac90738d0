/* SPDX-License-Identifier: MIT */
/* What the sides of a comparison are: their files, and the commands that made them. */
#ifndef KTIME_REPORT_COMPARE_SIDES_H
#define KTIME_REPORT_COMPARE_SIDES_H

#include "report/compare/comparison.h"

/*
 * Prints a line for each side, and one that says in what their commands differ:
 *
 *	A: old.ktime (ktime profile): ./copy --type double
 *	B: new.ktime (ktime profile): ./copy --type float
 *	The commands differ in: --type double / --type float
 */
void sides_print(const struct comparison *comparison, FILE *file);

#endif
