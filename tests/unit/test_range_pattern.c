/* SPDX-License-Identifier: MIT */
/* Which open ranges an expression of --nvtx-include means. */
#include "report/options/range_pattern.h"
#include "tests/unit/test.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const struct open_range_name stack[] = {
	{"", "main"}, {"library", "outer"}, {"", "step 1"}, {"library", "inner"}, {"", "a/b[0]"},
};

static bool matches(const char *text, const struct open_range_name *open, size_t count)
{
	struct range_pattern *pattern;
	char message[160];
	bool result;

	assert_int_equal(range_pattern_parse(&pattern, text, message, sizeof(message)), 0);
	result = range_pattern_matches(pattern, open, count);
	range_pattern_free(pattern);
	return result;
}

static void expect(const char *text, bool expected)
{
	if (matches(text, stack, LENGTH(stack)) != expected)
		fail_msg("%s: not %d", text, expected);
}

TEST(a_range_is_anywhere_on_the_stack_of_its_domain)
{
	expect("main/", true);
	expect("step 1/", true);
	expect("step/", false);
	expect("outer/", false);
	expect("library@outer/", true);
	expect("library@main/", false);
	expect("other@main/", false);
}

TEST(brackets_are_the_ends_of_the_stack)
{
	expect("[main/", true);
	expect("[step 1/", false);
	expect("step 1]", false);
	expect("library@inner]", true);
	expect("library@[outer/inner]", true);
	expect("library@outer]", false);
}

TEST(what_is_between_two_ranges_is_counted)
{
	expect("main/step 1", true);
	expect("main/+/step 1", false);
	expect("main/*/step 1", true);
	expect("main/+/a\\/b\\[0\\]", true);
	expect("main/*/a\\/b\\[0\\]]", true);
	expect("main/*", true);
	expect("step 1/*/main", false);
}

TEST(a_backslash_takes_a_letters_meaning)
{
	static const struct open_range_name odd[] = {{"a@b", "c,d*"}, {"a@b", "*"}};

	assert_true(matches("a\\@b@c\\,d\\*/", odd, 2));
	assert_true(matches("a\\@b@\\*]", odd, 2));
	assert_false(matches("a\\@b@[\\*/", odd, 2));
}

TEST(expressions_are_searched_for)
{
	expect("regex:^step [0-9]$/", true);
	expect("regex:tep/", true);
	expect("regex:^tep/", false);
	expect("regex:^lib@(inn|out)er/", true);
	expect("regex:^lib@^outer$/+/^inner$", false);
	expect("library@regex:^o/regex:^i", true);
}

TEST(all_of_several_start_end_ranges_must_be_open)
{
	static const struct open_range_name open[] = {
		{"", "one"}, {"library", "other"}, {"", "two"}};

	assert_true(matches("one", open, 3));
	assert_true(matches("two,one", open, 3));
	assert_false(matches("one,other", open, 3));
	assert_true(matches("library@other", open, 3));
	assert_false(matches("one", open, 0));
}

TEST(bad_expressions_are_refused)
{
	static const char *const bad[] = {"",	      "/",	    "a//b", "regex:(/",
					  "library@", "regex:[@a/", ","};
	struct range_pattern *pattern;
	char message[160];

	for (size_t i = 0; i < LENGTH(bad); i++) {
		message[0] = '\0';
		if (range_pattern_parse(&pattern, bad[i], message, sizeof(message)) == 0)
			fail_msg("'%s' is taken", bad[i]);
		assert_null(pattern);
		assert_true(strlen(message) > 0);
	}
}
