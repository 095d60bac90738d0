/* SPDX-License-Identifier: MIT */
/* `ktime diff --html`: a comparison as a page. */
#ifndef KTIME_REPORT_COMPARE_COMPARE_HTML_H
#define KTIME_REPORT_COMPARE_COMPARE_HTML_H

#include <stddef.h>

#include "report/compare/compare_print.h"
#include "report/options/options.h"

/* Writes it to the file of --html. 0, or -errno with a one-line message. */
int comparison_page_write(const struct comparison *comparison,
			  const struct comparison_side sides[2], const struct options *options,
			  char *message, size_t size);

#endif
