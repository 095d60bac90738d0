/* SPDX-License-Identifier: MIT */
/* Cells that the tables of devices have, in the page of a profile and in that of a comparison. */
#ifndef KTIME_REPORT_HTML_ENVIRONMENT_H
#define KTIME_REPORT_HTML_ENVIRONMENT_H

#include "report/html/html.h"
#include "report/session/device_info.h"

/* A clock on average, and from the least to the most; "-" if it was never read. */
void html_clock(struct html *html, const struct clock_range *clock);

#endif
