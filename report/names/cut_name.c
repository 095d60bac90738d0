/* SPDX-License-Identifier: MIT */
#include "report/names/cut_name.h"

#include <stdint.h>
#include <string.h>

#define DOTS	    "..."
#define DOTS_LENGTH (sizeof(DOTS) - 1)
/* Names that begin with as many equal characters are of one family. Chosen. */
#define FAMILY	    8

size_t equal_at_start(const char *one, const char *other)
{
	size_t length = 0;

	while (one[length] && one[length] == other[length])
		length++;
	return length;
}

size_t equal_at_end(const char *one, const char *other, size_t start)
{
	size_t left = strlen(one), right = strlen(other), length = 0;

	while (length < left - start && length < right - start &&
	       one[left - length - 1] == other[right - length - 1])
		length++;
	return length;
}

/* The most of these first bytes that are whole characters of UTF-8. */
static size_t whole_start(const char *text, size_t length)
{
	while (length > 0 && (text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* The same of the last bytes. */
static size_t whole_end(const char *text, size_t length)
{
	const char *end = text + strlen(text);

	while (length > 0 && (end[-(ptrdiff_t)length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* What tells a name from its family is between these. */
struct shared {
	size_t start, end;
};

static struct shared shared_with(const char *name, char *const *others, size_t count)
{
	struct shared shared = {SIZE_MAX, SIZE_MAX};

	for (size_t i = 0; i < count; i++) {
		size_t start = equal_at_start(name, others[i]), end;

		if (start < FAMILY || !strcmp(name, others[i]))
			continue;
		end = whole_end(name, equal_at_end(name, others[i], start));
		start = whole_start(name, start);
		shared.start = start < shared.start ? start : shared.start;
		shared.end = end < shared.end ? end : shared.end;
	}
	return shared;
}

/* The beginning says more than the end. */
void cut_middle(char *text, size_t most)
{
	size_t length = strlen(text), head, tail;

	if (length <= most)
		return;
	head = whole_start(text, most - most / 4 - DOTS_LENGTH);
	tail = whole_end(text, most / 4);
	memcpy(text + head, DOTS, DOTS_LENGTH);
	memmove(text + head + DOTS_LENGTH, text + length - tail, tail + 1);
}

char *cut_name(const char *name, char *const *others, size_t count, size_t most)
{
	size_t length = strlen(name), middle, room, head, tail;
	struct shared shared = shared_with(name, others, count);
	char *text = strdup(name);

	if (!text || length <= most)
		return text;
	middle = shared.start == SIZE_MAX ? most : length - shared.start - shared.end;
	if (middle + 2 * DOTS_LENGTH >= most) {
		cut_middle(text, most);
		return text;
	}
	/* What is left for the shared beginning and end, in halves unless one needs less. */
	room = most - middle - 2 * DOTS_LENGTH;
	head = shared.start < room / 2 ? shared.start : room / 2;
	tail = shared.end < room - head ? shared.end : room - head;
	head = shared.start < room - tail ? shared.start : room - tail;
	if (head < shared.start)
		head = whole_start(name, head);
	tail = whole_end(name, tail);
	length =
		(size_t)(stpcpy(stpncpy(text, name, head), head < shared.start ? DOTS : "") - text);
	memcpy(text + length, name + shared.start, middle);
	length += middle;
	strcpy(stpcpy(text + length, tail < shared.end ? DOTS : ""), name + strlen(name) - tail);
	return text;
}
