/* SPDX-License-Identifier: MIT */
#include "report/options/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/options_value.h"

/* The longest name that is looked at when the nearest one is sought. */
#define NAME_LENGTH 64

struct option_text {
	struct option_text *next;
	char text[];
};

/* How many letters are changed, left out, put in or swapped between two names. */
static unsigned name_distance(const char *left, size_t left_length, const char *right)
{
	size_t right_length = strlen(right), i, j;
	unsigned rows[3][NAME_LENGTH + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];

	if (left_length > NAME_LENGTH || right_length > NAME_LENGTH)
		return UINT_MAX;
	for (j = 0; j <= right_length; j++)
		above[j] = (unsigned)j;
	for (i = 1; i <= left_length; i++) {
		unsigned *recycled = before;

		row[0] = (unsigned)i;
		for (j = 1; j <= right_length; j++) {
			unsigned best = above[j - 1] + (left[i - 1] != right[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && left[i - 1] == right[j - 2] &&
			    left[i - 2] == right[j - 1] && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
		before = above;
		above = row;
		row = recycled;
	}
	return above[right_length];
}

static int refuse_unknown(const struct message *message, const char *word, const char *name,
			  size_t length)
{
	unsigned best = UINT_MAX;
	const char *nearest = NULL;
	size_t i;

	for (i = 0; i < option_table_size; i++) {
		unsigned distance = name_distance(name, length, option_table[i].name);

		if (option_table[i].section != SECTION_HIDDEN && distance < best) {
			best = distance;
			nearest = option_table[i].name;
		}
	}
	/* Beyond a third of the letters it is another word. */
	if (!nearest || length < 2 || best > length / 3 + 1)
		return options_refuse(message, "unknown option %s (ktime --help lists them all)",
				      word);
	return options_refuse(message, "unknown option %s: did you mean --%s?", word, nearest);
}

static bool takes_value(const struct option_entry *entry)
{
	return *entry->argument;
}

static const struct option_entry *find_name(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < option_table_size; i++)
		if (strncmp(option_table[i].name, name, length) == 0 &&
		    option_table[i].name[length] == '\0')
			return &option_table[i];
	return NULL;
}

static const struct option_entry *find_letter(char letter)
{
	/* nvprof's short form of --events, which took counters alone. */
	static const struct option_entry counters = {
		"events",
		'e',
		OPTION_UNSERVED_VALUE,
		0,
		"EVENTS",
		SECTION_UNSERVED,
		"ktime times, it does not count: use `ncu --metrics`"};
	size_t i;

	if (letter == counters.letter)
		return &counters;
	for (i = 0; i < option_table_size; i++)
		if (option_table[i].letter && option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

/* The words that are left of a line. */
struct words {
	char *const *next, *const *end;
};

/* `value` is what stands in the option's own word; NULL where nothing does. */
static int take_option(struct options *options, const struct option_entry *entry, const char *value,
		       struct words *words, const struct message *message)
{
	if (!takes_value(entry) && value)
		return options_refuse(message, "option --%s takes no value", entry->name);
	if (takes_value(entry) && !value) {
		if (words->next == words->end)
			return options_refuse(message, "option --%s needs a value: %s", entry->name,
					      entry->argument);
		value = *words->next++;
	}
	return options_apply(options, entry, value, message);
}

static int parse_name(struct options *options, const char *word, struct words *words,
		      const struct message *message)
{
	const char *name = word + 2;
	size_t length = strcspn(name, "=");
	const struct option_entry *entry = find_name(name, length);

	if (!entry)
		return refuse_unknown(message, word, name, length);
	return take_option(options, entry, name[length] ? name + length + 1 : NULL, words, message);
}

/* As getopt reads them: flags may stand together, a value in the word or behind it. */
static int parse_letters(struct options *options, const char *word, struct words *words,
			 const struct message *message)
{
	const char *letter = word + 1;
	size_t length = strcspn(letter, "=");
	int error = 0;

	/* Read as letters, -format would keep the session in the file "rmat". */
	if (length > 1 && find_name(letter, length))
		return refuse_unknown(message, word, letter, length);
	while (!error && *letter) {
		const struct option_entry *entry = find_letter(*letter);
		const char *value = NULL;

		if (!entry && letter == word + 1)
			return refuse_unknown(message, word, letter, length);
		if (!entry)
			return options_refuse(
				message, "unknown option -%c in %s (ktime --help lists them all)",
				*letter, word);
		letter++;
		if (*letter == '=' || (*letter && takes_value(entry))) {
			value = letter + (*letter == '=');
			letter += strlen(letter);
		}
		error = take_option(options, entry, value, words, message);
	}
	return error;
}

/* Parses one option and, where it takes one, its value. */
static int parse_option(struct options *options, struct words *words, const struct message *message)
{
	const char *word = *words->next++;

	return word[1] == '-' ? parse_name(options, word, words, message)
			      : parse_letters(options, word, words, message);
}

int options_parse_arguments(struct options *options, int argc, char *const *argv, int *first,
			    char *message, size_t size)
{
	const struct message errors = {message, size};
	struct words words = {argv + (argc > 0), argv + argc};
	int error = 0;

	while (!error && words.next < words.end && words.next[0][0] == '-' && words.next[0][1]) {
		if (strcmp(*words.next, "--") == 0) {
			words.next++;
			break;
		}
		error = parse_option(options, &words, &errors);
	}
	*first = (int)(words.next - argv);
	return error;
}

/* Splits a line in place; returns the number of words, or -EINVAL for an open quote. */
static int split_words(char *text, char **words)
{
	char *read = text, *write = text;
	int count = 0;

	for (;;) {
		char quote = 0;

		read += strspn(read, " \t\n\r");
		if (!*read)
			return count;
		words[count++] = write;
		for (; *read && (quote || !strchr(" \t\n\r", *read)); read++) {
			if (quote ? *read == quote : (*read == '\'' || *read == '"')) {
				quote = quote ? 0 : *read;
			} else if (*read == '\\' && read[1] &&
				   (!quote || (quote == '"' && strchr("\"\\$`", read[1])))) {
				*write++ = *++read;
			} else {
				*write++ = *read;
			}
		}
		if (quote)
			return -EINVAL;
		if (*read)
			read++;
		*write++ = '\0';
	}
}

int options_parse_string(struct options *options, const char *text, char *message, size_t size)
{
	const struct message errors = {message, size};
	size_t length = strlen(text);
	struct option_text *copy = malloc(sizeof(*copy) + length + 1);
	/* No word is shorter than a letter and a space. */
	char **list = malloc((length / 2 + 2) * sizeof(*list));
	struct words words;
	int count, error = 0;

	if (!copy || !list) {
		options_refuse(&errors, "out of memory");
		free(copy);
		error = -ENOMEM;
		goto out;
	}
	memcpy(copy->text, text, length + 1);
	copy->next = options->texts;
	options->texts = copy;
	count = split_words(copy->text, list);
	if (count < 0)
		error = options_refuse(&errors, "a quote is not closed in: %s", text);
	words = (struct words){list, list + count};
	while (!error && words.next < words.end) {
		const char *word = *words.next;

		if (word[0] != '-' || !word[1])
			error = options_refuse(&errors, "'%s' is no option", word);
		else
			error = parse_option(options, &words, &errors);
	}
out:
	free(list);
	return error;
}

void options_free(struct options *options)
{
	while (options->texts) {
		struct option_text *next = options->texts->next;

		free(options->texts);
		options->texts = next;
	}
}

bool options_want_trace(const struct options *options)
{
	return options->print_gpu_trace || options->print_api_trace;
}
