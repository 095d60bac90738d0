/* SPDX-License-Identifier: MIT */
/* Words of commands that are printed to be copied. */
#ifndef KTIME_REPORT_NAMES_SHELL_WORD_H
#define KTIME_REPORT_NAMES_SHELL_WORD_H

#include <stdbool.h>
#include <stdio.h>

/* A word for a shell: as it is, or in quotes if it has to be; as visible_write() writes it. */
void shell_word_write(const char *word, FILE *file);
/* Whether a shell splits a command into the program's words: profiles have blanks between them, and
 * no quotes. */
bool shell_is_plain(const char *command);

#endif
