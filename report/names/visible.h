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
/* The text as visible_write() writes it, in a string that the caller frees; NULL if memory is out.
 */
char *visible_text(const char *text);
/* A message and the end of its line, formatted as by printf. */
void visible_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
void visible_vline(FILE *file, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
/* A message on stderr, and the end of its line; returns the status that the caller returns. */
int visible_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Overwrites each byte of a character that would be escaped with a question mark, in the first
 * `length` bytes of a string. Allocates nothing. */
void visible_replace(char *text, size_t length);

/* Writes the next character of a text, escaped if need be, to `shown` and moves `text` behind it.
 * Returns the number of bytes in `shown`; 0 at the text's end. */
#define VISIBLE_SIZE 8
size_t visible_next(const char **text, char shown[VISIBLE_SIZE]);

/* The first character of a text. Returns its number of bytes; 0 if they are not UTF-8. */
size_t visible_character(const char *text, uint32_t *character);
/* Whether visible_write() escapes this character. */
bool visible_is_hidden(uint32_t character);

#endif
