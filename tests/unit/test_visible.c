/* SPDX-License-Identifier: MIT */
/* Nothing that a program named itself changes the terminal that a report is read on. */
#include "report/names/visible.h"
#include "tests/unit/test.h"

static const struct {
	const char *text, *visible;
} cases[] = {
	{"", ""},
	{"void k<int>(float*)", "void k<int>(float*)"},
	{"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
	 "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
	{"a\x1b[2Jb", "a\\x1b[2Jb"},
	{"one\ntwo\ttabs\r", "one\\x0atwo\\x09tabs\\x0d"},
	{"\x7f", "\\x7f"},
	/* The control characters beyond ASCII, in UTF-8 and as bytes. */
	{"\xc2\x9b"
	 "31m\xc2\xa0",
	 "\\xc2\\x9b"
	 "31m\xc2\xa0"},
	{"\x9b"
	 "31m",
	 "\\x9b"
	 "31m"},
	/* What is cut short or too long for what it says. */
	{"\xe2\x82", "\\xe2\\x82"},
	{"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
	{"\xc0\x9b", "\\xc0\\x9b"},
	{"\xff", "\\xff"},
	{"\xe2\x1b[2J", "\\xe2\\x1b[2J"},
	{"\xc3(", "\\xc3("},
	{"\xe2(\x82", "\\xe2(\\x82"},
	{"\xe2\x82(", "\\xe2\\x82("},
	{"\xf0(\x98\x80", "\\xf0(\\x98\\x80"},
	{"\xf0\x9f(\x80", "\\xf0\\x9f(\\x80"},
	{"\xf0\x9f\x98(", "\\xf0\\x9f\\x98("},
	/* The first and the last of each length. */
	{" ~\xc2\xa0\xdf\xbf", " ~\xc2\xa0\xdf\xbf"},
	{"\xe0\xa0\x80\xef\xbf\xbf", "\xe0\xa0\x80\xef\xbf\xbf"},
	{"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
	{"\x1f\xc2\x9f", "\\x1f\\xc2\\x9f"},
	{"\xc1\xbf", "\\xc1\\xbf"},
	{"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
	{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
	{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
	/* A surrogate, which is no character. */
	{"\xed\xa0\x80\xed\x9f\xbf", "\\xed\\xa0\\x80\xed\x9f\xbf"},
	/* What turns text around, and what shows nothing: U+202E, U+2066, U+061C, U+200B, U+00AD,
	 * U+2028, U+FEFF, U+E0041. */
	{"a\xe2\x80\xae"
	 "b\xe2\x81\xa6",
	 "a\\xe2\\x80\\xae"
	 "b\\xe2\\x81\\xa6"},
	{"\xd8\x9c\xe2\x80\x8b\xc2\xad", "\\xd8\\x9c\\xe2\\x80\\x8b\\xc2\\xad"},
	{"\xe2\x80\xa8\xef\xbb\xbf", "\\xe2\\x80\\xa8\\xef\\xbb\\xbf"},
	{"\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"},
};

TEST(control_characters_are_escaped)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *visible = visible_text(cases[i].text);

		assert_non_null(visible);
		assert_string_equal(visible, cases[i].visible);
		free(visible);
	}
}

TEST(without_memory_they_are_replaced)
{
	char text[] = "gr\xc3\xbc\xc3\x9f\x1b[2J\x7f\xc2\x9b\x9b\xe2\x82\n";

	visible_replace(text, strlen(text) - 1);
	assert_string_equal(text, "gr\xc3\xbc\xc3\x9f?[2J??????\n");
}

TEST(a_message_is_one_line)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	visible_line(file, "no file %s, %d", "\x1b]0;x\n\xe2\x80\xae", 7);
	fclose(file);
	assert_string_equal(text, "no file \\x1b]0;x\\x0a\\xe2\\x80\\xae, 7\n");
	free(text);
}
