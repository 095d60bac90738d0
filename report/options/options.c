/* SPDX-License-Identifier: MIT */
#include "report/options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/options/nearest.h"
#include "report/options/options_value.h"

struct option_text {
	struct option_text *next;
	char text[];
};

static bool is_known(const struct options *options, const struct option_entry *entry)
{
	return entry->commands & options->command;
}

static int refuse_unknown(const struct options *options, const struct message *message,
			  const char *word, const char *name, size_t length)
{
	struct nearest nearest = {NULL, 0};

	for (size_t i = 0; i < option_table_size; i++)
		if (option_table[i].section != SECTION_HIDDEN &&
		    is_known(options, &option_table[i]))
			nearest_consider(&nearest, name, length, option_table[i].name);
	if (!nearest.name)
		return options_refuse(message, "unknown option %s (%s lists the options)", word,
				      options->command == OPTION_RUN ? "ktime --help all"
								     : "--help");
	return options_refuse(message, "unknown option %s: did you mean --%s?", word, nearest.name);
}

static bool takes_value(const struct option_entry *entry)
{
	return *entry->argument;
}

static const struct option_entry *find_name(const struct options *options, const char *name,
					    size_t length)
{
	for (size_t i = 0; i < option_table_size; i++)
		if (is_known(options, &option_table[i]) &&
		    strncmp(option_table[i].name, name, length) == 0 &&
		    option_table[i].name[length] == '\0')
			return &option_table[i];
	return NULL;
}

static const struct option_entry *find_letter(const struct options *options, char letter)
{
	/* nvprof's short form of --events, which took hardware counters only. */
	static const struct option_entry counters = {.name = "events",
						     .letter = 'e',
						     .kind = OPTION_UNSERVED,
						     .argument = "EVENTS",
						     .section = SECTION_UNSERVED,
						     .commands = OPTION_RUN | OPTION_SHOW,
						     .help = "--metrics reads hardware counters"};

	if (letter == counters.letter && is_known(options, &counters))
		return &counters;
	for (size_t i = 0; i < option_table_size; i++)
		if (option_table[i].letter == letter && is_known(options, &option_table[i]))
			return &option_table[i];
	return NULL;
}

/* The words that are left of a line. */
struct words {
	char *const *next, *const *end;
};

/* `value`: what stands behind "=" or the letter in the same word; NULL if nothing does. */
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
	const struct option_entry *entry = find_name(options, name, length);

	if (!entry)
		return refuse_unknown(options, message, word, name, length);
	return take_option(options, entry, name[length] ? name + length + 1 : NULL, words, message);
}

/* As getopt reads them: flags may stand together, a value in the word or behind it. */
static int parse_letters(struct options *options, const char *word, struct words *words,
			 const struct message *message)
{
	const char *letter = word + 1;
	size_t length = strcspn(letter, "=");
	int error = 0;

	/* Read as letters, -format would keep the profile in the file "rmat". */
	if (length > 1 && find_name(options, letter, length))
		return refuse_unknown(options, message, word, letter, length);
	while (!error && *letter) {
		const struct option_entry *entry = find_letter(options, *letter);
		const char *value = NULL;

		if (!entry && letter == word + 1)
			return refuse_unknown(options, message, word, letter, length);
		if (!entry)
			return options_refuse(
				message,
				"unknown option -%c in %s (ktime --help all lists the options)",
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

/* Parses one option and its value, if it takes one. */
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
			error = options_refuse(&errors, "'%s' is not an option", word);
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
	declared_free(&options->declared);
}

bool options_want_trace(const struct options *options)
{
	return options->print_gpu_trace || options->print_api_trace || options->keep_trace.bytes;
}

bool options_want_rates(const struct options *options)
{
	return options->bandwidth || options->declared;
}
