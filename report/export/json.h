/* SPDX-License-Identifier: MIT */
/* What cJSON lacks: whole 64-bit numbers, and a large document written piece by piece. */
#ifndef KTIME_REPORT_EXPORT_JSON_H
#define KTIME_REPORT_EXPORT_JSON_H

#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

/* Adds a number in all its digits; cJSON's own are doubles. NULL where memory is out. */
cJSON *json_add_unsigned(cJSON *object, const char *name, uint64_t value);
/* Adds nanoseconds as microseconds with three decimals. */
cJSON *json_add_microseconds(cJSON *object, const char *name, uint64_t nanoseconds);
/* Adds a text; bytes that are no UTF-8 become U+FFFD. */
cJSON *json_add_text(cJSON *object, const char *name, const char *text);
/* Writes an item on one line and deletes it. 0 or -errno; -ENOMEM where the item is NULL. */
int json_write(FILE *file, cJSON *item);

#endif
