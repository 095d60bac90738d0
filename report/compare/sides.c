/* SPDX-License-Identifier: MIT */
#include "report/compare/sides.h"

#include <string.h>

#include "report/names/visible.h"

static void print_side(const struct profile *side, char letter, const char *command, FILE *file)
{
	fprintf(file, "%c: ", letter);
	visible_write(side->files[0], file);
	if (side->file_count > 1) {
		fputs(side->file_count > 2 ? " … " : " ", file);
		visible_write(side->files[side->file_count - 1], file);
	}
	fprintf(file, " (%s", side->source);
	if (side->runs > 1)
		fprintf(file, ", %zu runs", side->runs);
	fputc(')', file);
	if (command) {
		fputs(": ", file);
		visible_write(command, file);
	}
	fputc('\n', file);
}

/* Where the words begin that differ, from the first one on. */
static size_t first_difference(const char *a, const char *b)
{
	size_t word = 0, i = 0;

	for (; a[i] && a[i] == b[i]; i++)
		if (a[i] == ' ')
			word = i + 1;
	if ((!a[i] && b[i] == ' ') || (!b[i] && a[i] == ' '))
		word = i;
	return word;
}

/* An option before its value is a part of what differs. */
static size_t with_option(const char *command, size_t at)
{
	size_t word = at;

	if (word < 2 || command[word - 1] != ' ')
		return at;
	for (word--; word > 0 && command[word - 1] != ' ';)
		word--;
	return command[word] == '-' ? word : at;
}

/* How many bytes at the end are the same words, from a word's begin on: not before `first`. */
static size_t same_end(const char *a, const char *b, size_t first)
{
	size_t length_a = strlen(a), length_b = strlen(b), count = 0, words = 0;

	while (length_a - count > first && length_b - count > first &&
	       a[length_a - count - 1] == b[length_b - count - 1]) {
		count++;
		if (a[length_a - count] == ' ')
			words = count;
	}
	return words;
}

static void print_words(const char *command, size_t first, size_t end, FILE *file)
{
	char words[256];
	size_t length = strlen(command) - end;

	while (first < length && command[first] == ' ')
		first++;
	snprintf(words, sizeof(words), "%.*s%s", (int)(length - first < 200 ? length - first : 200),
		 command + first, length - first > 200 ? "..." : "");
	visible_write(first < length ? words : "nothing", file);
}

/* Not of commands that have no word in common. */
static void print_difference(const char *a, const char *b, FILE *file)
{
	size_t first = first_difference(a, b), end = same_end(a, b, first);

	if (!first && !end)
		return;
	first = with_option(a, first);
	fputs("The commands differ in: ", file);
	print_words(a, first, end, file);
	fputs(" / ", file);
	print_words(b, first, end, file);
	fputc('\n', file);
}

void sides_print(const struct comparison *comparison, FILE *file)
{
	const char *a = comparison->a->command, *b = comparison->b->command;
	const bool same = a && b && !strcmp(a, b);

	print_side(comparison->a, 'A', a, file);
	print_side(comparison->b, 'B', same ? "the same command" : b, file);
	if (a && b && !same)
		print_difference(a, b, file);
}
