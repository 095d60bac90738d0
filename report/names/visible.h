/* SPDX-License-Identifier: MIT */
/*
 * Text that came from a program, such as its command line or a kernel's name, as a terminal may be
 * sent it: control characters, which could move the cursor or change the terminal's title, are
 * written as \x1b, and so are bytes that are no UTF-8.
 */
#ifndef KTIME_REPORT_NAMES_VISIBLE_H
#define KTIME_REPORT_NAMES_VISIBLE_H

#include <stdio.h>

void visible_write(const char *text, FILE *file);
/* The same in a string that the caller frees; NULL where memory is out. */
char *visible_text(const char *text);
/* A message and the end of its line, formatted as by printf. */
void visible_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In a part of a string, without memory: each byte of such a character becomes a question mark. */
void visible_replace(char *text, size_t length);

#endif
