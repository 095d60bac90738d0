/* SPDX-License-Identifier: MIT */
#include "report/compare/canonical.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
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

/* Whether the brackets of template arguments are pairs: others are signs of an expression. */
static bool is_balanced(const char *name)
{
	int depth = 0;

	for (; *name && depth >= 0; name++)
		depth += (*name == '<') - (*name == '>');
	return depth == 0;
}

/* Types of numbers, without spaces in them, as CUDA, PyTorch and CUTLASS call them; and truth. */
static const char number_types[] =
	" true false bool char signedchar unsignedchar short unsignedshort int unsigned"
	" unsignedint long unsignedlong longlong unsignedlonglong int8_t uint8_t"
	" int16_t uint16_t int32_t uint32_t int64_t uint64_t size_t float double"
	" __half half __nv_bfloat16 nv_bfloat16 __nv_fp8_e4m3 __nv_fp8_e5m2 float2"
	" float4 double2 __half2 __nv_bfloat162 Half BFloat16 Float8_e4m3fn"
	" Float8_e5m2 half_t bfloat16_t tfloat32_t float_e4m3_t float_e5m2_t ";

static bool is_number(const char *word, size_t length)
{
	char listed[32];

	if (isdigit((unsigned char)*word))
		return true;
	return snprintf(listed, sizeof(listed), " %.*s ", (int)length, word) <
		       (int)sizeof(listed) &&
	       strstr(number_types, listed);
}

/* Takes the scopes that end a text off it: "at::" of "k<at::". */
static char *without_scopes(char *start, char *end)
{
	while (end - start >= 2 && end[-1] == ':' && end[-2] == ':') {
		end -= 2;
		while (end > start && (isalnum((unsigned char)end[-1]) || end[-1] == '_'))
			end--;
	}
	return end;
}

/* Writes '#' for each number and type of numbers in template arguments. */
static void mark_numbers(char *name)
{
	char *end = name;
	int depth = 0;

	for (const char *text = name; *text;) {
		size_t length = word_length(text);

		if (!length) {
			depth += (*text == '<') - (*text == '>');
			*end++ = *text++;
			continue;
		}
		if (depth > 0 && is_number(text, length)) {
			end = without_scopes(name, end);
			*end++ = '#';
		} else {
			end = (char *)memmove(end, text, length) + length;
		}
		text += length;
	}
	*end = '\0';
}

static void remove_arguments(char *name)
{
	char *end = name;
	int depth = 0;

	for (const char *text = name; *text; text++) {
		depth += *text == '<';
		if (depth == 0)
			*end++ = *text;
		depth -= *text == '>';
	}
	*end = '\0';
}

char *canonical_name(const char *name, enum canonical form)
{
	const bool base = form != CANONICAL_WHOLE;
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
	if (form == CANONICAL_NUMBERS && is_balanced(result))
		mark_numbers(result);
	else if (form == CANONICAL_FUNCTION && is_balanced(result))
		remove_arguments(result);
	return result;
}
