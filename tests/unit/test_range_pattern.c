/* SPDX-License-Identifier: MIT */
/* Which open ranges an expression of --nvtx-include means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/options/range_pattern.h"

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

static void a_range_is_anywhere_on_the_stack_of_its_domain(void **state)
{
	(void)state;
	expect("main/", true);
	expect("step 1/", true);
	expect("step/", false);
	expect("outer/", false);
	expect("library@outer/", true);
	expect("library@main/", false);
	expect("other@main/", false);
}

static void brackets_are_the_ends_of_the_stack(void **state)
{
	(void)state;
	expect("[main/", true);
	expect("[step 1/", false);
	expect("step 1]", false);
	expect("library@inner]", true);
	expect("library@[outer/inner]", true);
	expect("library@outer]", false);
}

static void what_is_between_two_ranges_is_counted(void **state)
{
	(void)state;
	expect("main/step 1", true);
	expect("main/+/step 1", false);
	expect("main/*/step 1", true);
	expect("main/+/a\\/b\\[0\\]", true);
	expect("main/*/a\\/b\\[0\\]]", true);
	expect("main/*", true);
	expect("step 1/*/main", false);
}

static void a_backslash_takes_a_letters_meaning(void **state)
{
	static const struct open_range_name odd[] = {{"a@b", "c,d*"}, {"a@b", "*"}};

	(void)state;
	assert_true(matches("a\\@b@c\\,d\\*/", odd, 2));
	assert_true(matches("a\\@b@\\*]", odd, 2));
	assert_false(matches("a\\@b@[\\*/", odd, 2));
}

static void expressions_are_searched_for(void **state)
{
	(void)state;
	expect("regex:^step [0-9]$/", true);
	expect("regex:tep/", true);
	expect("regex:^tep/", false);
	expect("regex:^lib@(inn|out)er/", true);
	expect("regex:^lib@^outer$/+/^inner$", false);
	expect("library@regex:^o/regex:^i", true);
}

static void all_of_several_start_end_ranges_must_be_open(void **state)
{
	static const struct open_range_name open[] = {
		{"", "one"}, {"library", "other"}, {"", "two"}};

	(void)state;
	assert_true(matches("one", open, 3));
	assert_true(matches("two,one", open, 3));
	assert_false(matches("one,other", open, 3));
	assert_true(matches("library@other", open, 3));
	assert_false(matches("one", open, 0));
}

static void bad_expressions_are_refused(void **state)
{
	static const char *const bad[] = {"",	      "/",	    "a//b", "regex:(/",
					  "library@", "regex:[@a/", ","};
	struct range_pattern *pattern;
	char message[160];

	(void)state;
	for (size_t i = 0; i < LENGTH(bad); i++) {
		message[0] = '\0';
		if (range_pattern_parse(&pattern, bad[i], message, sizeof(message)) == 0)
			fail_msg("'%s' is taken", bad[i]);
		assert_null(pattern);
		assert_true(strlen(message) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_is_anywhere_on_the_stack_of_its_domain),
		cmocka_unit_test(brackets_are_the_ends_of_the_stack),
		cmocka_unit_test(what_is_between_two_ranges_is_counted),
		cmocka_unit_test(a_backslash_takes_a_letters_meaning),
		cmocka_unit_test(expressions_are_searched_for),
		cmocka_unit_test(all_of_several_start_end_ranges_must_be_open),
		cmocka_unit_test(bad_expressions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
