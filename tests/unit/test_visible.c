/* SPDX-License-Identifier: MIT */
/* Nothing that a program named itself changes the terminal that a report is read on. */
#include "report/names/visible.h"

#include "report/names/shell_word.h"
#include "report/session/session.h"
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

/* Words of a program, each with its NUL, and the command that a shell takes as them. */
static const struct {
	const char *words;
	size_t size;
	const char *command;
} programs[] = {
#define WORDS(words) words, sizeof(words)
	{WORDS("./train\0--epochs\0003\0a/b=c:d,e@f+g%h"), "./train --epochs 3 a/b=c:d,e@f+g%h"},
	{WORDS("./train\0--data\0my data\0"), "./train --data 'my data' ''"},
	{WORDS("my dir/run\0it's\0$HOME\0*"), "'my dir/run' 'it'\\''s' '$HOME' '*'"},
	{WORDS("python\0-c\0print(1); print(2)"), "python -c 'print(1); print(2)'"},
	{WORDS("a\0'"), "a ''\\'''"},
	{WORDS("a\0\\\0\""), "a '\\' '\"'"},
	{WORDS("./gr\xc3\xbc\xc3\x9f"), "'./gr\xc3\xbc\xc3\x9f'"},
};

TEST(a_shell_reads_a_command_as_the_words_that_it_is_made_of)
{
	char text[64], *again = NULL, part[64];
	size_t size;
	FILE *shell;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		shell_command_text(text, sizeof(text), programs[i].words, programs[i].size);
		assert_string_equal(text, programs[i].command);
		assert_true(shell_reads(text));
		assert_true(asprintf(&again, "printf '%%s\\0' %s", text) > 0);
		shell = popen(again, "r");
		assert_non_null(shell);
		size = fread(part, 1, sizeof(part), shell);
		pclose(shell);
		free(again);
		assert_int_equal(size, programs[i].size);
		assert_memory_equal(part, programs[i].words, size);
	}
}

TEST(a_command_that_is_no_whole_one_is_not_copied)
{
	static const char *const others[] = {"sh -c a; b",  "a 'b",   "a \\",
					     "a \\b",	    "a $b",   "a 'b\xe2\x80\xae'",
					     "red\x1b[31m", "a 'b\n'"};
	char text[16];

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(shell_reads(others[i]));
	/* Cut: between words, in one, in quotes, and between characters. */
	shell_command_text(text, sizeof(text), WORDS("./train\0--epochs\0003"));
	assert_string_equal(text, "./train --ep…");
	assert_false(shell_reads(text));
	shell_command_text(text, sizeof(text), WORDS("./train 1 \0--epochs"));
	assert_string_equal(text, "'./train 1 '…");
	assert_false(shell_reads(text));
	shell_command_text(text, sizeof(text), WORDS("./train 123456789"));
	assert_string_equal(text, "'./train 123…");
	assert_false(shell_reads(text));
	shell_command_text(text, sizeof(text), WORDS("012345678\xc3\xbc"));
	assert_string_equal(text, "'012345678\xc3\xbc…");
	shell_command_text(text, sizeof(text), WORDS("01234567890\xc3\xbc"));
	assert_string_equal(text, "'01234567890…");
	assert_false(shell_reads(text));
}

static void program_is(const char *command, const char *expected)
{
	char name[16];

	program_name(command, name, sizeof(name));
	assert_string_equal(name, expected);
}

TEST(a_program_has_its_name_without_quotes)
{
	program_is("/usr/bin/python3 train.py", "python3");
	program_is("'/my dir/my train' --data '/my data'", "my train");
	program_is("'/my dir/a-name-longer-than-its-room'", "a-name-longer-t");
	program_is("'/it'\\''s mine' a", "it's mine");
	program_is("", "");
}
