/* SPDX-License-Identifier: MIT */
/*
 * Tables as `nsys stats` prints them: some columns of figures and, last, one of names. As text
 * (its "column" format) figures are grouped by thousands, and a column is as wide as its header
 * and its first hundred rows ask for, 100 characters at most, beyond which a cell ends in "…".
 * Source: the Nsight Systems user guide, "nsys stats", and its output.
 */
#ifndef KTIME_REPORT_PRINT_NSYS_TABLE_H
#define KTIME_REPORT_PRINT_NSYS_TABLE_H

#include <stddef.h>
#include <stdio.h>

#define NSYS_FIGURES	 8  /* columns of figures that a row can hold */
#define NSYS_FIGURE_SIZE 32 /* bytes */

struct nsys_row {
	char figures[NSYS_FIGURES][NSYS_FIGURE_SIZE]; /* as in the CSV, not grouped */
	const char *name;
};

struct nsys_table {
	const char *headers[NSYS_FIGURES + 1]; /* the last in use is that of the names */
	size_t figures;			       /* columns before the names */
	const struct nsys_row *rows;
	size_t row_count;
};

/* 0 or -errno */
int nsys_table_text(const struct nsys_table *table, FILE *file);
int nsys_table_csv(const struct nsys_table *table, FILE *file);

#endif
