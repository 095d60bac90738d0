/* SPDX-License-Identifier: MIT */
#include "report/names/shell_word.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"

void shell_word_write(const char *word, FILE *file)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
	bool quoted = word[strspn(word, plain)] || !*word;
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
