/* SPDX-License-Identifier: MIT */
#include "report/names/shell_word.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"

/* What a shell takes as it is. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%"

bool shell_is_plain(const char *word)
{
	return *word && word[strspn(word, PLAIN)] == '\0';
}

void shell_word_write(const char *word, FILE *file)
{
	bool quoted = !shell_is_plain(word);
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

bool shell_reads(const char *command)
{
	char *text = visible_text(command);
	bool reads = text && !strcmp(text, command), quoted = false;

	free(text);
	for (; *command && reads; command++)
		if (*command == '\'')
			quoted = !quoted;
		else if (!quoted && command[0] == '\\' && command[1] == '\'')
			command++;
		else
			reads = quoted || strchr(PLAIN " ", *command);
	/* One that is open was cut off. */
	return reads && !quoted;
}

/* Where a text of at most `size` bytes is written, and goes on. */
struct line {
	char *at, *end;
};

static bool put(struct line *line, const char *text, size_t length)
{
	bool fits = length <= (size_t)(line->end - line->at);

	if (!fits)
		length = (size_t)(line->end - line->at);
	/* Between characters. */
	while (!fits && length > 0 && (text[length] & 0xc0) == 0x80)
		length--;
	line->at = mempcpy(line->at, text, length);
	return fits;
}

/* Whether it fits. */
static bool put_word(struct line *line, const char *word)
{
	bool fits;

	if (shell_is_plain(word))
		return put(line, word, strlen(word));
	fits = put(line, "'", 1);
	while (*word && fits) {
		size_t length = strcspn(word, "'");

		fits = put(line, word, length);
		word += length;
		if (*word && fits)
			fits = put(line, "'\\''", 4);
		word += *word != '\0';
	}
	return fits && put(line, "'", 1);
}

void shell_command_text(char *text, size_t size, const char *words, size_t length)
{
	/* What a cut text ends with: no shell's word, so nobody takes it for the whole command. */
	static const char more[] = "…";
	struct line line = {text, text + size - sizeof(more)};
	const char *end = words + length, *word = words;
	bool fits = true;

	for (; word < end && fits; word += strlen(word) + 1)
		fits = (word == words || put(&line, " ", 1)) && put_word(&line, word);
	strcpy(line.at, fits ? "" : more);
}
