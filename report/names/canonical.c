/* SPDX-License-Identifier: MIT */
#include "report/names/canonical.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What is written in more than one way, and what it becomes. */
static const char *const spellings[][2] = {
	{"(anonymous namespace)", "{}"}, {"<unnamed>", "{}"},	       {"_GLOBAL__N_1", "{}"},
	{"operator ()", "operator{}"},	 {"operator()", "operator{}"},
};

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_' || text[length] == '$')
		length++;
	return length;
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !strncmp(text, word, length);
}

/* The length of "(int)" in "(int)4" and of "int=" in "int=4"; 0 where a text begins otherwise. */
static size_t value_type_length(const char *text)
{
	bool cast = *text == '(';
	size_t length = strcspn(text, cast ? ")<>,=" : "()<>,=");
	const char *value;

	if (text[length] != (cast ? ')' : '='))
		return 0;
	value = text + ++length;
	value += *value == '-';
	return isdigit((unsigned char)*value) ? length : 0;
}

/* Takes one token off the text and writes what stands for it; returns the end of what it wrote. */
static char *take_token(const char **text, char *end, bool first_of_list)
{
	size_t length;

	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
		if (strncmp(*text, spellings[i][0], strlen(spellings[i][0])))
			continue;
		*text += strlen(spellings[i][0]);
		return stpcpy(end, spellings[i][1]);
	}
	length = first_of_list ? value_type_length(*text) : 0;
	if (length) {
		*text += length;
		return end;
	}
	length = word_length(*text);
	if (!length) {
		if (**text != ' ')
			*end++ = **text;
		++*text;
		return end;
	}
	if (!is_word(*text, length, "const") && !is_word(*text, length, "void"))
		end = mempcpy(end, *text, length);
	*text += length;
	return end;
}

char *canonical_name(const char *name, bool base)
{
	/* No spelling becomes longer. */
	char *result = malloc(strlen(name) + 1), *end = result;
	int templates = 0;

	if (!result)
		return NULL;
	while (*name && !(base && templates == 0 && *name == '(' && end > result)) {
		char before = end > result ? end[-1] : '\0';
		char *token = end;

		end = take_token(&name, end, before == '<' || before == ',');
		if (end == token + 1)
			templates += (*token == '<') - (*token == '>');
	}
	*end = '\0';
	return result;
}
