/* SPDX-License-Identifier: MIT */
/* How the times of a row's calls are spread. */
#ifndef KTIME_REPORT_HTML_DISTRIBUTION_H
#define KTIME_REPORT_HTML_DISTRIBUTION_H

#include "report/html/html.h"
#include "report/print/table.h"

/* A histogram and percentiles, and what an estimated total is made of; nothing if no call was
 * timed. */
void distribution_write(struct html *html, const struct table_row *row);

#endif
