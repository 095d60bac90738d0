/* SPDX-License-Identifier: MIT */
/*
 * Text from outside, such as a program's command line, a kernel's name, a file's name or an
 * option's value, as a terminal or a report may be sent it: control characters, which could move
 * the cursor or change the terminal's title, characters that hide or turn others around, and bytes
 * that are no UTF-8 are written as \x1b. Nothing else may bring such text there.
 */
#ifndef KTIME_REPORT_NAMES_VISIBLE_H
#define KTIME_REPORT_NAMES_VISIBLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void visible_write(const char *text, FILE *file);
/* The same in a string that the caller frees; NULL where memory is out. */
char *visible_text(const char *text);
/* A message and the end of its line, formatted as by printf. */
void visible_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void visible_vline(FILE *file, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
/* A message on stderr, and the end of its line; returns the status that the caller returns. */
int visible_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In a part of a string, without memory: each byte of such a character becomes a question mark. */
void visible_replace(char *text, size_t length);

/* The next character of a text as it is shown, and how many bytes that takes; 0: the text's end. */
#define VISIBLE_SIZE 8
size_t visible_next(const char **text, char shown[VISIBLE_SIZE]);

/* The character that a text begins with: its bytes, or 0 where they are no UTF-8. */
size_t visible_character(const char *text, uint32_t *character);
/* Whether such a character is escaped. */
bool visible_is_hidden(uint32_t character);

#endif
