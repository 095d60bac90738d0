/* SPDX-License-Identifier: MIT */
#include "report/names/short_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_identifier(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_' || letter == '$' ||
	       (unsigned char)letter >= 0x80;
}

/* The length of "operator<<" and its like, whose signs are no brackets; 0 for anything else. */
static size_t operator_length(const char *name, const char *text)
{
	static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "<<", ">>",
					    "<=", ">=", "->*", "->",  "<",   ">"};

	if (strncmp(text, "operator", 8) != 0 || (text > name && is_identifier(text[-1])))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strncmp(text + 8, signs[i], strlen(signs[i])) == 0)
			return 8 + strlen(signs[i]);
	return 0;
}

/* The bytes up to the next of the given letters outside of all brackets, or to the end. */
static size_t outside_length(const char *text, const char *letters)
{
	const char *start = text;
	int depth = 0;

	for (; *text; text++) {
		size_t sign = operator_length(start, text);

		if (sign) {
			text += sign - 1;
			continue;
		}
		if (depth == 0 && strchr(letters, *text))
			break;
		if (strchr("<({[", *text))
			depth++;
		else if (strchr(">)}]", *text))
			depth--;
		if (depth < 0)
			break;
	}
	return (size_t)(text - start);
}

/* Appends `length` bytes of a name without template arguments and, unless asked for, scopes. */
static char *append_plain(char *out, const char *name, size_t length, bool scopes)
{
	const char *end = name + length, *text = name;
	char *component = out;

	while (text < end) {
		size_t sign = operator_length(name, text);

		if (sign) {
			out = mempcpy(out, text, sign);
			text += sign;
		} else if (*text == '<') {
			text++;
			for (size_t inside; text < end && *text != '>'; text += inside)
				inside = outside_length(text, "") ?: 1;
			text += text < end;
		} else if (strncmp(text, "::", 2) == 0) {
			text += 2;
			/* A bare operator() would tell nothing. */
			if (scopes || operator_length(name, text))
				out = mempcpy(out, "::", 2);
			else
				out = component;
		} else {
			if (!is_identifier(*text) && !strchr("{}#", *text))
				component = out + 1;
			*out++ = *text++;
		}
	}
	return out;
}

/* Where the function's name begins: behind its return type. */
static const char *skip_return_type(const char *name, size_t length)
{
	const char *start = name;

	for (;;) {
		size_t word = outside_length(start, " ");

		if (word >= length - (size_t)(start - name))
			return start;
		start += word + 1;
	}
}

char *short_name(const char *name, bool base)
{
	size_t length = outside_length(name, "(");
	const char *start = skip_return_type(name, length), *end = name + length, *list = start;
	/* Nothing is added but a bracket and what separates arguments. */
	char *result = malloc(2 * strlen(name) + 3), *out = result;

	if (!result)
		return NULL;
	/* The template arguments of the function itself are at the end. */
	for (const char *next = start; next < end;) {
		next += outside_length(next, "<");
		list = next;
		if (next < end) {
			next += 1 + outside_length(next + 1, "");
			next += next < end;
		}
	}
	if (base || list >= end || outside_length(list + 1, "") + list + 2 != end) {
		out = append_plain(out, start, (size_t)(end - start), !base);
		*out = '\0';
		/* A name that is read wrongly stays as it is. */
		return *result ? result : strcpy(result, name);
	}
	out = append_plain(out, start, (size_t)(list - start), true);
	*out++ = '<';
	for (list++; list < end - 1;) {
		size_t argument = outside_length(list, ",");

		out = append_plain(out, list, argument, false);
		list += argument;
		if (*list == ',') {
			out = mempcpy(out, ", ", 2);
			list += 1 + (list[1] == ' ');
		}
	}
	*out++ = '>';
	*out = '\0';
	return result;
}
