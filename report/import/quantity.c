/* SPDX-License-Identifier: MIT */
#include "report/import/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer numbers are none. */
#define NUMBER_MOST 48

double time_unit(const char *word, size_t length)
{
	/* Micro is written as u, as the sign and as the Greek letter. */
	static const struct {
		const char *word;
		double ns;
	} units[] = {
		{"ns", 1},
		{"us", 1e3},
		{"\xce\xbcs", 1e3},
		{"\xc2\xb5s", 1e3},
		{"ms", 1e6},
		{"s", 1e9},
		{"nsec", 1},
		{"usec", 1e3},
		{"\xce\xbcsec", 1e3},
		{"\xc2\xb5sec", 1e3},
		{"msec", 1e6},
		{"sec", 1e9},
		{"nanoseconds", 1},
		{"microseconds", 1e3},
		{"milliseconds", 1e6},
		{"seconds", 1e9},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].word) == length && strncmp(units[i].word, word, length) == 0)
			return units[i].ns;
	return 0;
}

/* Spaces that do not break lines, and apostrophes: they group thousands too. The length, or 0. */
static size_t group_space(const char *at)
{
	static const char *const spaces[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99", "'"};

	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
		if (strncmp(at, spaces[i], strlen(spaces[i])) == 0)
			return strlen(spaces[i]);
	return 0;
}

/* Without what ktime has before numbers that are estimates or bounds. */
static const char *skip_marks(const char *cell)
{
	static const char *const marks[] = {" ", "~", "<", ">", "\xe2\x89\xa4", "\xe2\x89\xa5"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strncmp(cell, marks[i], strlen(marks[i])) == 0)
			return skip_marks(cell + strlen(marks[i]));
	return cell;
}

/* What a cell says of the decimal mark; 0: nothing. */
static char mark_in(const char *cell)
{
	const char *last = NULL;
	bool points = false, commas = false;
	size_t marks = 0, digits;

	for (cell = skip_marks(cell); isdigit((unsigned char)*cell) || *cell == '.' || *cell == ',';
	     cell++) {
		if (isdigit((unsigned char)*cell))
			continue;
		last = cell;
		points |= *cell == '.';
		commas |= *cell == ',';
		marks++;
	}
	if (!last)
		return 0;
	if (points && commas)
		return *last;
	digits = (size_t)(cell - last - 1);
	if (marks > 1)
		return *last == '.' ? ',' : '.';
	return digits == 3 ? 0 : *last;
}

char decimal_mark(char *const *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char mark = mark_in(cells[i]);

		if (mark)
			return mark;
	}
	return '.';
}

/* Whether the digits between marks are grouped as somewhere in the world: by three, in China by
 * four, in India by two before the last three. The sizes of the first group, of those
 * between and of the last; 0: there is none. */
static bool is_grouped(size_t first, size_t between, size_t last)
{
	return last == 0 || ((last == 3 || last == 4) && first > 0 && first <= last &&
			     (between == 0 || between == last || (between == 2 && last == 3)));
}

/* The digits without what groups them; NULL where there are too many, or groups of no such size.
 * Sets how many decimals there are. */
static const char *plain_number(const char *cell, char mark, char number[NUMBER_MOST],
				int *decimals)
{
	size_t length = 0, group = 0, first = 0, between = 0, space;
	bool grouped = false, fraction = false;
	char separator = 0;

	for (*decimals = 0; length + 1 < NUMBER_MOST; cell++) {
		if (isdigit((unsigned char)*cell)) {
			number[length++] = *cell;
			group += !fraction;
			*decimals += fraction;
			continue;
		}
		space = group_space(cell);
		if (fraction || (*cell != mark && *cell != '.' && *cell != ',' && !space))
			break;
		if (*cell == mark) {
			fraction = true;
			number[length++] = '.';
			continue;
		}
		/* One mark makes all groups. */
		if ((separator && separator != *cell) || (between && between != group))
			return NULL;
		separator = *cell;
		if (grouped)
			between = group;
		else
			first = group;
		grouped = true;
		group = 0;
		cell += space ? space - 1 : 0;
	}
	if (!is_grouped(first, between, grouped ? group : 0) || (grouped && group == 0) ||
	    length == 0 || length + 1 == NUMBER_MOST)
		return NULL;
	number[length] = '\0';
	return cell;
}

bool read_quantity(const char *cell, char mark, double unit, struct quantity *quantity)
{
	char number[NUMBER_MOST + 8], *end;
	const char *rest;
	size_t length;
	int decimals, exponent = 0;
	double own;

	*quantity = (struct quantity){0};
	cell = skip_marks(cell);
	length = strlen(cell);
	while (length && cell[length - 1] == ' ')
		length--;
	if (length == 0 || (length == 1 && *cell == '-'))
		return true;
	rest = plain_number(cell, mark, number, &decimals);
	if (!rest)
		return false;
	if ((*rest == 'e' || *rest == 'E') &&
	    (isdigit((unsigned char)rest[1]) || rest[1] == '+' || rest[1] == '-')) {
		long parsed = strtol(rest + 1, &end, 10);

		if (end == rest + 1 || labs(parsed) > 30)
			return false;
		exponent = (int)parsed;
		rest = end;
	}
	while (*rest == ' ')
		rest++;
	length -= (size_t)(rest - cell) < length ? (size_t)(rest - cell) : length;
	if (length == 0 || (unit == 0 && length == 1 && *rest == '%'))
		own = unit == 0 ? 1 : unit;
	else
		own = unit == 0 ? 0 : time_unit(rest, length);
	if (own <= 0)
		return false;
	quantity->value = strtod(number, NULL) * pow(10, exponent) * own;
	quantity->error = 0.5 * pow(10, exponent - decimals) * own;
	quantity->given = true;
	return quantity->value >= 0 && quantity->value <= 1e18;
}
