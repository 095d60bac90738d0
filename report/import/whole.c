/* SPDX-License-Identifier: MIT */
#include "report/import/whole.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* The least length that nsys shortens names to. */
#define SHORTENED_LENGTH 100

/* Whether a <= b within what is lost by rounding. */
static bool at_most(const struct quantity *a, const struct quantity *b)
{
	return !a->given || !b->given ||
	       a->value <= b->value + a->error + b->error + 1 + 1e-6 * b->value;
}

const char *row_flaw(const struct quantity figures[ROLE_COUNT], double calls)
{
	const struct quantity *total = &figures[ROLE_TOTAL], *average = &figures[ROLE_AVERAGE];
	const struct quantity *least = &figures[ROLE_MINIMUM], *most = &figures[ROLE_MAXIMUM];
	const struct quantity *deviation = &figures[ROLE_DEVIATION];
	double range = most->value - least->value, slack;

	slack = total->error + calls * average->error + 1e-6 * total->value;
	if (fabs(total->value - average->value * calls) > slack)
		return "total, calls and average do not fit together";
	if (!at_most(least, average) || !at_most(average, most) ||
	    !at_most(least, &figures[ROLE_MEDIAN]) || !at_most(&figures[ROLE_MEDIAN], most))
		return "least, average and most do not fit together";
	/* Calls that are no shorter than the least and no longer than the most make that total. */
	slack = 0.02 * total->value + calls * (least->error + most->error + 1);
	if (least->given && most->given &&
	    (most->value + (calls - 1) * least->value > total->value + slack ||
	     least->value + (calls - 1) * most->value < total->value - slack))
		return "least, most and total do not fit together";
	/* Two values that far apart alone make more than half of that deviation. */
	if (deviation->given && deviation->value > 0 && calls > 1 &&
	    deviation->value + deviation->error < range / sqrt(2 * (calls - 1)) / 2)
		return "range and deviation do not fit together";
	return figures[ROLE_SHARE].value > 100.1 ? "bad share" : NULL;
}

bool name_begins_call(const char *name)
{
	size_t prefix = strncmp(name, "cuda", 4) == 0 ? 4 : 2;

	return strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[prefix]);
}

bool name_is_call(const char *name)
{
	const char *at = name;

	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return name_begins_call(name) && !*at;
}

bool name_is_shortened(const char *name, bool text)
{
	size_t length = strlen(name);

	if (text && length >= SHORTENED_LENGTH)
		return true;
	/* It ends them with an ellipsis now, and cut them off until 2020. */
	return length >= 3 && strcmp(name + length - 3, "\xe2\x80\xa6") == 0;
}

bool name_is_whole(const char *name, bool text)
{
	static const char *const pairs[] = {"()", "[]", "{}"};
	size_t quotes = 0;

	/* Columns are that far apart; and no name of a kernel or call begins with a digit. */
	if (strstr(name, "  ") || isdigit((unsigned char)*name))
		return false;
	/* [CUDA memcpy HtoD] */
	if (*name == '[')
		return strcspn(name + 1, "[]") + 2 == strlen(name) && name[strlen(name) - 1] == ']';
	if (name_is_shortened(name, text))
		return true;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		long depth = 0;

		for (const char *at = name; *at && depth >= 0; at++)
			depth += (*at == pairs[i][0]) - (*at == pairs[i][1]);
		if (depth != 0)
			return false;
	}
	for (const char *at = name; *at; at++)
		quotes += *at == '"';
	return quotes % 2 == 0;
}

void shares_add(struct shares *shares, const struct quantity *share)
{
	if (!share->given)
		return;
	shares->sum += share->value;
	shares->count++;
	/* Many that are not zero differ by chance from what they are; those of zero are all more.
	 * hypot() is of a glibc that is younger than the portable command's. */
	shares->rounded =
		share->value > 0
			? sqrt(shares->rounded * shares->rounded + 9 * share->error * share->error)
			: shares->rounded + share->error;
}

bool shares_are_whole(const struct shares *shares)
{
	return !shares->count || fabs(shares->sum - 100) <= shares->rounded + 0.02;
}
