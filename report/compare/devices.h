/* SPDX-License-Identifier: MIT */
/* Memory, energy and clocks of the devices, on both sides of a comparison. */
#ifndef KTIME_REPORT_COMPARE_DEVICES_H
#define KTIME_REPORT_COMPARE_DEVICES_H

#include "report/compare/comparison.h"

/* Prints a line for each device whose peak of memory, clocks, clock reasons or energy differ. */
void devices_print(const struct comparison *comparison, FILE *file);
/* The members "memory" and "energy" of a comparison's object. */
void devices_add_json(const struct comparison *comparison, struct json *json);
/* A page's section, with what both sides know, and whether there is one. */
void devices_write_section(const struct comparison *comparison, struct html *html);
bool devices_are_known(const struct comparison *comparison);

#endif
