/* SPDX-License-Identifier: MIT */
#include "report/names/shell_word.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"

/* What a shell takes as it is. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%"

void shell_word_write(const char *word, FILE *file)
{
	bool quoted = word[strspn(word, PLAIN)] || !*word;
	char *text = visible_text(word);

	fputs(quoted ? "'" : "", file);
	for (const char *c = text ? text : word; *c; c++)
		if (*c == '\'')
			fputs("'\\''", file);
		else
			fputc(*c, file);
	fputs(quoted ? "'" : "", file);
	free(text);
}

bool shell_is_plain(const char *command)
{
	return command[strspn(command, PLAIN " ")] == '\0';
}
