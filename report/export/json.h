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
/* A copy whose bytes that are no UTF-8 are U+FFFD, and the same as a string of JSON. The caller
 * frees them; NULL where memory is out. */
char *json_valid_text(const char *text);
char *json_quoted(const char *text);
/* Write numbers without an item, for documents of millions: all digits; ns as microseconds with
 * three decimals. */
void json_put_unsigned(FILE *file, uint64_t value);
void json_put_microseconds(FILE *file, uint64_t nanoseconds);
/* Write a further member of an object; the texts need no escapes. */
void json_put_member(FILE *file, const char *name, uint64_t value);
void json_put_word(FILE *file, const char *name, const char *word);
/* Writes an item on one line and deletes it. 0 or -errno; -ENOMEM where the item is NULL. */
int json_write(FILE *file, cJSON *item);

#endif
