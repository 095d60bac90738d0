/* SPDX-License-Identifier: MIT */
#include "report/export/arguments.h"

#include <stddef.h>
#include <stdio.h>

#define ARGUMENT_TEXT(name, text, ...) text,
const char *const argument_names[ARGUMENT_COUNT] = {ARGUMENTS(ARGUMENT_TEXT)};

const char *argument_word(unsigned word)
{
	return word < MEMORY_KINDS ? memory_kind_name(word) : "events";
}

enum argument_form {
	FORM_NUMBER,
	FORM_BYTES,
	FORM_ABOVE_0,
	FORM_EXTENT,
	FORM_MEMORY,
	FORM_CLOCK,
	FORM_OTHER,
	FORM_RANGE
};

/* The value of an argument; false: the record has none. */
static bool find_argument(enum argument_form form, bool has_other, const void *member,
			  struct argument *argument)
{
	const uint32_t *extent = member;

	argument->type = ARGUMENT_NUMBER;
	switch (form) {
	case FORM_BYTES:
		argument->number = *(const uint64_t *)member;
		return true;
	case FORM_NUMBER:
	case FORM_ABOVE_0:
		argument->number = *(const uint32_t *)member;
		return form == FORM_NUMBER || argument->number;
	case FORM_EXTENT:
		argument->type = ARGUMENT_TEXT;
		snprintf(argument->text, sizeof(argument->text), "%ux%ux%u", extent[0], extent[1],
			 extent[2]);
		return true;
	case FORM_MEMORY:
		argument->type = ARGUMENT_WORD;
		argument->number = *(const uint8_t *)member;
		if (argument->number >= MEMORY_KINDS)
			argument->number = MEMORY_UNKNOWN;
		return true;
	case FORM_CLOCK:
		argument->type = ARGUMENT_WORD;
		argument->number = WORD_EVENTS;
		return *(const uint8_t *)member == CLOCK_EVENTS;
	case FORM_RANGE:
		argument->type = ARGUMENT_IN_RANGE;
		return *(const uint64_t *)member != 0;
	default:
		argument->type = ARGUMENT_OTHER;
		return has_other;
	}
}

unsigned record_arguments(const struct trace_record *record, bool has_other,
			  struct argument arguments[ARGUMENT_COUNT])
{
	static const struct {
		uint16_t kinds, offset;
		enum argument_form form;
	} lines[] = {
#define ARGUMENT_LINE(name, text, kinds, form, member)                                             \
	{kinds, offsetof(struct trace_record, member), FORM_##form},
		ARGUMENTS(ARGUMENT_LINE)
#undef ARGUMENT_LINE
	};
	unsigned count = 0;

	for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
		arguments[count] = (struct argument){.name = i};
		if (lines[i].kinds >> record->kind & 1)
			count += find_argument(lines[i].form, has_other,
					       (const char *)record + lines[i].offset,
					       &arguments[count]);
	}
	return count;
}
