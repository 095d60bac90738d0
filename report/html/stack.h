/* SPDX-License-Identifier: MIT */
/* Bars made of parts: busy time, and idle time by cause. The page's style has a colour for each. */
#ifndef KTIME_REPORT_HTML_STACK_H
#define KTIME_REPORT_HTML_STACK_H

#include "report/html/html.h"
#include "report/session/idle.h"

/* "idle-latency" */
const char *stack_cause_class(unsigned cause);
/* A square of a part's colour, before its name. */
void stack_swatch(struct html *html, const char *class);
/* A part of a bar: where it begins and how long it is, in percent of the bar. */
void stack_part(struct html *html, const char *class, const char *text, double at, double length);

#endif
