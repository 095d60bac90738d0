/* SPDX-License-Identifier: MIT */
/* What cJSON lacks: whole 64-bit numbers, and a large document written piece by piece. */
#ifndef KTIME_REPORT_EXPORT_JSON_H
#define KTIME_REPORT_EXPORT_JSON_H

#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "report/session/figure_tables.h"
#include "report/session/session.h"

/* Adds a number in all its digits; cJSON's own are doubles. NULL where memory is out. */
cJSON *json_add_unsigned(cJSON *object, const char *name, uint64_t value);
/*
 * Adds the figures of a structure that JSON has, in the table's order: those whose key is this
 * object's, which is "" or the key of the object with a point behind it.
 */
void json_add_figures(cJSON *object, const struct session *session, enum figure_scope scope,
		      const void *structure, const char *key);
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
