/* SPDX-License-Identifier: MIT */
/* Numbers keep all their digits, and what is no UTF-8 does not get into a document. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/export/json.h"

#define NONE "\xef\xbf\xbd"

static void is_written(cJSON *object, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(json_write(file, object), 0);
	fclose(file);
	assert_string_equal(text, expected);
	free(text);
}

static void numbers_are_whole(void **state)
{
	cJSON *object = cJSON_CreateObject();

	(void)state;
	assert_non_null(json_add_unsigned(object, "none", 0));
	assert_non_null(json_add_unsigned(object, "most", UINT64_MAX));
	is_written(object, "{\"none\":0,\"most\":18446744073709551615}");
}

static void what_is_no_utf_8_is_replaced(void **state)
{
	static const struct {
		const char *text, *valid;
	} cases[] = {
		{"", ""},
		{"a\x7f", "a\x7f"},
		/* The first and the last of each form, and what lies beside them. */
		{"\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf"},
		{"\xc1\xbf", NONE NONE},
		{"\xc2\x7f", NONE "\x7f"},
		{"\xc3\xc0", NONE NONE},
		{"\xe0\xa0\x80\xe0\xbf\xbf", "\xe0\xa0\x80\xe0\xbf\xbf"},
		{"\xe0\x9f\xbf", NONE NONE NONE},
		{"\xe1\x80\x80\xec\xbf\xbf", "\xe1\x80\x80\xec\xbf\xbf"},
		{"\xe1\x7f\x80", NONE "\x7f" NONE},
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

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cJSON *object = cJSON_CreateObject();
		cJSON *item = json_add_text(object, "text", cases[i].text);

		assert_non_null(item);
		assert_string_equal(item->valuestring, cases[i].valid);
		assert_ptr_equal(cJSON_GetObjectItem(object, "text"), item);
		cJSON_Delete(object);
	}
}

static void an_item_that_is_not_there_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(json_write(stderr, NULL), -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_whole),
		cmocka_unit_test(what_is_no_utf_8_is_replaced),
		cmocka_unit_test(an_item_that_is_not_there_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
