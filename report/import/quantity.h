/* SPDX-License-Identifier: MIT */
/* Numbers as profilers and spreadsheets print them, and their units of time. */
#ifndef KTIME_REPORT_IMPORT_QUANTITY_H
#define KTIME_REPORT_IMPORT_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

struct quantity {
	double value;
	double error; /* half of the last digit that is printed */
	bool given;   /* false: the cell is empty or has a dash */
};

/* Nanoseconds in a unit of time, 0 where the word is none. */
double time_unit(const char *word, size_t length);

/*
 * Which of '.' and ',' begins the decimals of the numbers in a row of cells; the other groups
 * thousands. A mark that no three digits follow tells, and so does the later one of both; '.' where
 * nothing tells.
 */
char decimal_mark(char *const *cells, size_t count);

/*
 * Reads a cell: a time in nanoseconds, whose unit is `unit` where none stands behind the number;
 * or, with a unit of 0, a number that a percent sign may follow. False: it is no such thing.
 */
bool read_quantity(const char *cell, char mark, double unit, struct quantity *quantity);

#endif
