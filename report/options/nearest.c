/* SPDX-License-Identifier: MIT */
#include "report/options/nearest.h"

#include <limits.h>
#include <string.h>

/* Longer names are not compared. */
#define NAME_LENGTH 64

/* How many letters are changed, left out, put in or swapped between two names. */
static unsigned name_distance(const char *left, size_t left_length, const char *right)
{
	size_t right_length = strlen(right);
	unsigned rows[3][NAME_LENGTH + 1];
	unsigned *before = rows[0], *above = rows[1], *row = rows[2];

	if (left_length > NAME_LENGTH || right_length > NAME_LENGTH)
		return UINT_MAX;
	for (size_t j = 0; j <= right_length; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= left_length; i++) {
		unsigned *recycled = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= right_length; j++) {
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

void nearest_consider(struct nearest *nearest, const char *word, size_t length, const char *name)
{
	unsigned distance = name_distance(word, length, name);

	/* Beyond a third of the letters it is another word. */
	if (length < 2 || distance > length / 3 + 1 ||
	    (nearest->name && distance >= nearest->distance))
		return;
	*nearest = (struct nearest){name, distance};
}
