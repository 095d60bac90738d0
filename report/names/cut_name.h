/* SPDX-License-Identifier: MIT */
/* Long names for a line of limited width. */
#ifndef KTIME_REPORT_NAMES_CUT_NAME_H
#define KTIME_REPORT_NAMES_CUT_NAME_H

#include <stddef.h>

/*
 * The name in at most `most` (16 or more) bytes, with "..." for what is left out: first what it
 * shares at its beginning and end with the others that begin as it does, such as the precision and
 * the toolkit of a library's kernels, so that what tells it from them stays. The caller frees it;
 * NULL if memory is out.
 */
char *cut_name(const char *name, char *const *others, size_t count, size_t most);
/* How many bytes two names have in common at their beginning; at their end, behind the first
 * `start` bytes. */
size_t equal_at_start(const char *one, const char *other);
size_t equal_at_end(const char *one, const char *other, size_t start);
/* Cuts a name in its middle if it is longer than `most`, 8 or more. */
void cut_middle(char *text, size_t most);

#endif
