/* SPDX-License-Identifier: MIT */
#include "report/options/range_pattern.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranges in one expression. Chosen. */
#define ELEMENTS_MOST 32

struct element {
	enum { ELEMENT_NAME, ELEMENT_REGEX, ELEMENT_ONE, ELEMENT_ANY } kind;
	const char *text;
	regex_t regex;
};

struct range_pattern {
	char *text;	       /* which the elements' texts are parts of */
	struct element domain; /* its name is "" if none was given */
	struct element elements[ELEMENTS_MOST];
	size_t count;
	bool push_pop, bottom, top;
};

static const char regex_prefix[] = "regex:";

int expression_compile(regex_t *regex, const char *text, char *reason, size_t size)
{
	locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", NULL));
	int error = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);

	if (error)
		regerror(error, regex, reason, size);
	uselocale(before);
	return error ? -EINVAL : 0;
}

int expression_check(const char *text, char *reason, size_t size)
{
	regex_t regex;
	int error = expression_compile(&regex, text, reason, size);

	if (!error)
		regfree(&regex);
	return error;
}

static void free_element(struct element *element)
{
	if (element->kind == ELEMENT_REGEX)
		regfree(&element->regex);
}

void range_pattern_free(struct range_pattern *pattern)
{
	if (!pattern)
		return;
	free_element(&pattern->domain);
	for (size_t i = 0; i < pattern->count; i++)
		free_element(&pattern->elements[i]);
	free(pattern->text);
	free(pattern);
}

/* Makes an element of a part of the pattern's text, whose end it then has a 0 at, without the
 * backslashes that keep a letter from having a meaning. 0 or -EINVAL with a message. */
static int make_element(struct element *element, char *text, const char *end, bool regex,
			char *message, size_t size)
{
	size_t prefix = strlen(regex_prefix);
	char reason[96], *out;

	if (end - text == 1 && (*text == '*' || *text == '+')) {
		element->kind = *text == '*' ? ELEMENT_ANY : ELEMENT_ONE;
		return 0;
	}
	if (strncmp(text, regex_prefix, prefix) == 0 && text + prefix < end) {
		text += prefix;
		regex = true;
	}
	element->text = out = text;
	for (; text < end; text++) {
		/* In an expression only the separators are not its own. */
		if (*text == '\\' && text + 1 < end && strchr(regex ? "@,/" : "@,/[]*+\\", text[1]))
			text++;
		*out++ = *text;
	}
	*out = '\0';
	if (!regex)
		return 0;
	if (expression_compile(&element->regex, element->text, reason, sizeof(reason))) {
		snprintf(message, size, "bad expression '%s': %s", element->text, reason);
		return -EINVAL;
	}
	element->kind = ELEMENT_REGEX;
	return 0;
}

/* The next of these letters that no backslash stands before, or the end. */
static char *find(char *text, const char *letters)
{
	while (*text && !strchr(letters, *text))
		text += text[0] == '\\' && text[1] ? 2 : 1;
	return text;
}

static int add_elements(struct range_pattern *pattern, char *text, bool regex, char *message,
			size_t size)
{
	const char *separator = pattern->push_pop ? "/" : ",";
	int error = 0;

	while (*text && !error) {
		char *end = find(text, separator), *next = *end ? end + 1 : end;

		if (end == text || pattern->count == ELEMENTS_MOST) {
			snprintf(message, size,
				 end == text ? "a range has no name" : "more than 32 ranges");
			return -EINVAL;
		}
		error = make_element(&pattern->elements[pattern->count++], text, end, regex,
				     message, size);
		text = next;
	}
	if (!error && pattern->count == 0) {
		snprintf(message, size, "no range is given");
		error = -EINVAL;
	}
	return error;
}

/* Reads what stands around the ranges: the domain, the brackets. */
static int parse(struct range_pattern *pattern, char *message, size_t size)
{
	bool regex = strncmp(pattern->text, regex_prefix, strlen(regex_prefix)) == 0;
	char *text = pattern->text + (regex ? strlen(regex_prefix) : 0), *at = find(text, "@");
	size_t length;
	int error = 0;

	pattern->domain.text = "";
	if (*at) {
		error = make_element(&pattern->domain, text, at, regex, message, size);
		text = at + 1;
	}
	if (error)
		return error;
	pattern->push_pop = *find(text, "/") != '\0';
	length = strlen(text);
	if (!regex && length > 0 && *text == '[') {
		pattern->bottom = pattern->push_pop = true;
		text++;
		length--;
	}
	if (!regex && length > 1 && text[length - 1] == ']' && text[length - 2] != '\\') {
		pattern->top = pattern->push_pop = true;
		text[length - 1] = '\0';
	}
	return add_elements(pattern, text, regex, message, size);
}

int range_pattern_parse(struct range_pattern **result, const char *text, char *message, size_t size)
{
	struct range_pattern *pattern = calloc(1, sizeof(*pattern));
	int error = -ENOMEM;

	snprintf(message, size, "%s", strerror(ENOMEM));
	if (pattern)
		pattern->text = strdup(text);
	if (pattern && pattern->text)
		error = parse(pattern, message, size);
	if (error)
		range_pattern_free(pattern);
	*result = error ? NULL : pattern;
	return error;
}

bool range_pattern_is_push_pop(const struct range_pattern *pattern)
{
	return pattern->push_pop;
}

static bool matches_name(const struct element *element, const char *name)
{
	if (element->kind == ELEMENT_REGEX)
		return regexec(&element->regex, name, 0, NULL, 0) == 0;
	return element->kind != ELEMENT_NAME || strcmp(element->text, name) == 0;
}

/* Whether the elements from one on match the open ranges of the domain from one on. */
static bool matches_from(const struct range_pattern *pattern, size_t element,
			 const struct open_range_name *open, size_t count)
{
	if (element == pattern->count)
		return !pattern->top || count == 0;
	if (pattern->elements[element].kind == ELEMENT_ANY) {
		for (size_t skipped = 0; skipped <= count; skipped++)
			if (matches_from(pattern, element + 1, open + skipped, count - skipped))
				return true;
		return false;
	}
	return count > 0 && matches_name(&pattern->elements[element], open->name) &&
	       matches_from(pattern, element + 1, open + 1, count - 1);
}

static bool matches_stack(const struct range_pattern *pattern, const struct open_range_name *open,
			  size_t count)
{
	for (size_t start = 0; start < count; start++)
		if ((start == 0 || !pattern->bottom) &&
		    matches_from(pattern, 0, open + start, count - start))
			return true;
	return false;
}

static bool matches_all(const struct range_pattern *pattern, const struct open_range_name *open,
			size_t count)
{
	for (size_t i = 0; i < pattern->count; i++) {
		size_t j = 0;

		while (j < count && !matches_name(&pattern->elements[i], open[j].name))
			j++;
		if (j == count)
			return false;
	}
	return true;
}

bool range_pattern_matches(const struct range_pattern *pattern, const struct open_range_name *open,
			   size_t count)
{
	struct open_range_name *of_domain = malloc((count + 1) * sizeof(*of_domain));
	bool matches = false;

	/* The stacks of several domains that an expression matches are several. */
	for (size_t first = 0; first < count && of_domain && !matches; first++) {
		size_t there = 0, before = 0;

		while (before < first && strcmp(open[before].domain, open[first].domain) != 0)
			before++;
		if (before < first || !matches_name(&pattern->domain, open[first].domain))
			continue;
		for (size_t i = first; i < count; i++)
			if (strcmp(open[i].domain, open[first].domain) == 0)
				of_domain[there++] = open[i];
		matches = pattern->push_pop ? matches_stack(pattern, of_domain, there)
					    : matches_all(pattern, of_domain, there);
	}
	free(of_domain);
	return matches;
}
