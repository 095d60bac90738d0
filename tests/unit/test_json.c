/* SPDX-License-Identifier: MIT */
/* Numbers keep all their digits, and what is no UTF-8 does not get into a document. */
#include <math.h>

#include "report/export/json.h"
#include "tests/unit/test.h"

#define NONE "\xef\xbf\xbd"

static struct json json;
static char *text;
static size_t size;

static void set_up(void)
{
	json = (struct json){.file = open_memstream(&text, &size)};
	assert_non_null(json.file);
}

BEFORE_EACH
{
	set_up();
}

AFTER_EACH
{
	free(text);
}

static void is_written(const char *expected)
{
	fclose(json.file);
	assert_string_equal(text, expected);
}

TEST(numbers_are_whole)
{
	json_array(&json, NULL);
	json_unsigned(&json, NULL, 0);
	json_unsigned(&json, NULL, UINT64_MAX);
	json_microseconds(&json, NULL, 1002003);
	json_microseconds(&json, NULL, 40);
	json_end(&json);
	is_written("[0,18446744073709551615,1002.003,0.040]");
}

TEST(real_numbers_have_the_digits_that_they_need)
{
	json_array(&json, NULL);
	json_real(&json, NULL, -3);
	json_real(&json, NULL, 0.1);
	json_real(&json, NULL, 0.1 + 0.2);
	json_real(&json, NULL, 1.0 / 3);
	json_real(&json, NULL, 123456789.123456789);
	json_real(&json, NULL, 1e300);
	json_real(&json, NULL, NAN);
	json_real(&json, NULL, INFINITY);
	json_end(&json);
	is_written("[-3,0.1,0.3,0.33333333333333331,123456789.12345679,1e+300,null,null]");
}

TEST(what_holds_nothing_may_be_left_out)
{
	json_object(&json, NULL);
	json_object_if_any(&json, "none");
	json_end(&json);
	json_object(&json, "empty");
	json_end(&json);
	json_object_if_any(&json, "some");
	json_array(&json, "of");
	json_bool(&json, NULL, true);
	json_line(&json);
	json_bool(&json, NULL, false);
	json_null(&json, NULL);
	json_line(&json);
	json_end(&json);
	json_end(&json);
	json_text(&json, "text", "text");
	json_end(&json);
	is_written("{\"empty\":{},\"some\":{\"of\":[true,\nfalse,null\n]},\"text\":\"text\"}");
}

TEST(what_would_not_just_be_shown_is_escaped)
{
	static const char written[] = "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u007f\\u202e"
				      "\\udb40\\udc01\xc3\xa4/\"";
	static const char hidden[] = "\"\\\b\f\n\r\t\x01\x7f\u202e\U000e0001\xc3\xa4/";

	json_text(&json, NULL, hidden);
	is_written(written);
}

TEST(what_is_no_utf_8_is_replaced)
{
	static const struct {
		const char *text, *valid;
	} cases[] = {
		{"", ""},
		{"a\x7f", "a\\u007f"},
		/* The first and the last of each form, and what lies beside them. */
		{"\xc2\x80\xdf\xbf", "\\u0080\xdf\xbf"},
		{"\xc1\xbf", NONE NONE},
		{"\xc2\x7f", NONE "\\u007f"},
		{"\xc3\xc0", NONE NONE},
		{"\xe0\xa0\x80\xe0\xbf\xbf", "\xe0\xa0\x80\xe0\xbf\xbf"},
		{"\xe0\x9f\xbf", NONE NONE NONE},
		{"\xe1\x80\x80\xec\xbf\xbf", "\xe1\x80\x80\xec\xbf\xbf"},
		{"\xe1\x7f\x80", NONE "\\u007f" NONE},
		{"\xed\x80\x80\xed\x9f\xbf", "\xed\x80\x80\xed\x9f\xbf"},
		/* Halves of UTF-16's pairs. */
		{"\xed\xa0\x80", NONE NONE NONE},
		{"\xee\x80\x80\xef\xbf\xbf", "\xee\x80\x80\xef\xbf\xbf"},
		{"\xf0\x90\x80\x80\xf0\xbf\xbf\xbf", "\xf0\x90\x80\x80\xf0\xbf\xbf\xbf"},
		{"\xf0\x8f\xbf\xbf", NONE NONE NONE NONE},
		{"\xf1\x80\x80\x80\xf3\xbf\xbf\xbf", "\xf1\x80\x80\x80\xf3\xbf\xbf\xbf"},
		{"\xf4\x80\x80\x80\xf4\x8f\xbf\xbf", "\xf4\x80\x80\x80\xf4\x8f\xbf\xbf"},
		{"\xf4\x90\x80\x80", NONE NONE NONE NONE},
		{"\xf5\x80\x80\x80", NONE NONE NONE NONE},
		/* Cut short, or broken in each place. */
		{"\xc3", NONE},
		{"\xc3(", NONE "("},
		{"\xe1\x80", NONE NONE},
		{"\xe1(\x80", NONE "(" NONE},
		{"\xe1\x80(", NONE NONE "("},
		{"\xf1\x80\x80", NONE NONE NONE},
		{"\xf1\x80(\x80", NONE NONE "(" NONE},
		{"\xf1\x80\x80(", NONE NONE NONE "("},
		{"\x80\xff", NONE NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char expected[64];

		snprintf(expected, sizeof(expected), "\"%s\"", cases[i].valid);
		json_text(&json, NULL, cases[i].text);
		is_written(expected);
		free(text);
		set_up();
	}
	is_written("");
}
