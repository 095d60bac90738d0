/* SPDX-License-Identifier: MIT */
/* Names of a comparison's rows where there is no room for whole ones. */
#ifndef KTIME_REPORT_COMPARE_LABELS_H
#define KTIME_REPORT_COMPARE_LABELS_H

#include "report/compare/comparison.h"

/* A longer name is shown short. Chosen: two lines of a page. */
#define LABEL_MOST 90

/* A label for each row: its name for a reader, or what is short and tells it from the others. The
 * caller frees them by labels_free(); NULL if memory is out. */
char **labels_make(const struct comparison *comparison);
void labels_free(char **labels, const struct comparison *comparison);

#endif
