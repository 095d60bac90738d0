/* SPDX-License-Identifier: MIT */
/* An array of flat objects in JSON, as rows of cells. */
#ifndef KTIME_REPORT_IMPORT_JSON_ROWS_H
#define KTIME_REPORT_IMPORT_JSON_ROWS_H

#include "report/import/record.h"

/* The length of the array that a text begins with; where it has no end *cut is set, and it is that
 * of the objects that are whole. */
size_t json_array_length(const char *text, size_t length, bool *cut);

/*
 * Calls `take` for each object of the array, with the names of its members and their values, until
 * it returns other than 0, which is returned. 0; -EINVAL: it is no such array, or -ENOMEM.
 */
int json_rows_read(const char *array, size_t length,
		   int (*take)(void *with, struct cells *titles, struct cells *values), void *with);

#endif
