/* SPDX-License-Identifier: MIT */
/* What options of a text mean, and what is said of one that is refused. */
#ifndef KTIME_TESTS_UNIT_PARSED_OPTIONS_H
#define KTIME_TESTS_UNIT_PARSED_OPTIONS_H

#include "report/options/options.h"
#include "tests/unit/test.h"

static struct options options;
static char message[256];

AFTER_EACH
{
	options_free(&options);
}

static inline int parse(const char *text)
{
	options_free(&options);
	options_defaults(&options);
	strcpy(message, "");
	return options_parse_string(&options, text, message, sizeof(message));
}

static inline void refused(const char *text, const char *expected)
{
	assert_int_equal(parse(text), -22);
	assert_string_equal(message, expected);
	assert_null(options.declared);
}

#endif
