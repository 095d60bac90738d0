/* SPDX-License-Identifier: MIT */
/* nvprof's codes in names, and a clear line where one means nothing. */
#include <unistd.h>

#include "report/options/filename.h"
#include "tests/unit/test.h"

static char message[256];

static void expands(const char *pattern, int64_t id, const char *expected)
{
	const struct name_codes codes = {4711, 12, id};
	char *text = filename_expand(pattern, &codes, message, sizeof(message));

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void refused(const char *pattern, const char *expected)
{
	const struct name_codes codes = {4711, -1, -1};

	assert_null(filename_expand(pattern, &codes, message, sizeof(message)));
	assert_string_equal(message, expected);
}

TEST(codes_are_replaced)
{
	char host[256], expected[300];

	setenv("KTIME_TEST_NAME", "value", 1);
	expands("out.%p.csv", -1, "out.4711.csv");
	expands("%q{KTIME_TEST_NAME}-100%%", -1, "value-100%");
	expands("stream %i", 7, "stream 7");
	expands("rank%r", -1, "rank12");
	expands("%r-%p-%i-%%-%q{KTIME_TEST_NAME}-x", 7, "12-4711-7-%-value-x");
	expands("", -1, "");
	gethostname(host, sizeof(host));
	expected[0] = '\0';
	strcat(strcat(expected, host), ".log");
	expands("%h.log", -1, expected);
}

TEST(bad_codes_are_refused)
{
	unsetenv("KTIME_TEST_NAME");
	refused("%q{KTIME_TEST_NAME}",
		"the environment variable KTIME_TEST_NAME of %q{KTIME_TEST_NAME} is not set");
	refused("%q", "%q needs the name of a variable: %q{NAME}");
	refused("%q{open", "%q needs the name of a variable: %q{NAME}");
	refused("a%z", "%z means nothing in a name (%p, %r, %h, %q{ENV}, %%)");
	refused("a%i", "%i means nothing in a name (%p, %r, %h, %q{ENV}, %%)");
	refused("rank%r", "the rank of %r is not known: no launcher tells it (--rank-variable NAME "
			  "names what does)");
	refused("a%", "a name ends in a lone % (write %%)");
}
