/* SPDX-License-Identifier: MIT */
/* Words of commands that are printed to be copied. */
#ifndef KTIME_REPORT_NAMES_SHELL_WORD_H
#define KTIME_REPORT_NAMES_SHELL_WORD_H

#include <stdbool.h>
#include <stdio.h>

/* A word for a shell: as it is, or in quotes if it has to be; as visible_write() writes it. */
void shell_word_write(const char *word, FILE *file);
/* Whether a shell takes a word as it is. */
bool shell_is_plain(const char *word);
/* Whether a shell takes a command as the program's words: those of a profile are quoted where they
 * have to be, unless another tool or an older version wrote it, or it was too long. */
bool shell_reads(const char *command);
/* Words, each of which a NUL ends, as a command line for a shell: plain ones as they are, others in
 * quotes. `size`: more than a few bytes; what does not fit is cut and ends with "…". */
void shell_command_text(char *text, size_t size, const char *words, size_t length);

#endif
