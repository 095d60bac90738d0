/* SPDX-License-Identifier: MIT */
/* Names of log files: nvprof's codes, and a clear line where one cannot be used. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/filename.h"

static char message[256];

static void expands(const char *pattern, int64_t id, const char *expected)
{
	char *text = filename_expand(pattern, 4711, id, message, sizeof(message));

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void refused(const char *pattern, const char *expected)
{
	assert_null(filename_expand(pattern, 4711, -1, message, sizeof(message)));
	assert_string_equal(message, expected);
}

static void codes_are_replaced(void **state)
{
	char host[256], expected[300];

	(void)state;
	setenv("KTIME_TEST_NAME", "value", 1);
	expands("out.%p.csv", -1, "out.4711.csv");
	expands("%q{KTIME_TEST_NAME}-100%%", -1, "value-100%");
	expands("stream %i", 7, "stream 7");
	expands("", -1, "");
	gethostname(host, sizeof(host));
	expected[0] = '\0';
	strcat(strcat(expected, host), ".log");
	expands("%h.log", -1, expected);
}

static void bad_codes_are_refused(void **state)
{
	(void)state;
	unsetenv("KTIME_TEST_NAME");
	refused("%q{KTIME_TEST_NAME}",
		"the environment variable KTIME_TEST_NAME of %q{KTIME_TEST_NAME} is not set");
	refused("%q", "%q needs the name of a variable: %q{NAME}");
	refused("%q{open", "%q needs the name of a variable: %q{NAME}");
	refused("a%z", "%z means nothing in a name (%p, %h, %q{ENV}, %%)");
	refused("a%i", "%i means nothing in a name (%p, %h, %q{ENV}, %%)");
	refused("a%", "a name ends in a lone % (write %%)");
}

static void a_log_file_is_overwritten(void **state)
{
	char path[] = "/tmp/ktime-log-XXXXXX", content[16];
	int fd = mkstemp(path);
	FILE *file;

	(void)state;
	assert_int_equal(write(fd, "what was there", 14), 14);
	assert_int_equal(filename_open_log(path, 1, &file, message, sizeof(message)), 0);
	fputs("new", file);
	assert_int_equal(filename_close_log(file), 0);
	assert_int_equal(pread(fd, content, sizeof(content), 0), 3);
	close(fd);
	unlink(path);
}

static void a_log_file_that_cannot_be_had_is_told(void **state)
{
	FILE *file;

	(void)state;
	assert_int_equal(filename_open_log("/tmp", 1, &file, message, sizeof(message)), -EISDIR);
	assert_null(file);
	assert_string_equal(message, "the log file /tmp cannot be written: Is a directory");
	assert_int_equal(filename_open_log("/nowhere/x", 1, &file, message, sizeof(message)),
			 -ENOENT);
	assert_int_equal(filename_open_log("%z", 1, &file, message, sizeof(message)), -EINVAL);
}

static void a_full_disk_is_told_at_the_end(void **state)
{
	FILE *file;

	(void)state;
	assert_int_equal(filename_open_log("/dev/full", 1, &file, message, sizeof(message)), 0);
	fputs("lost", file);
	assert_int_equal(filename_close_log(file), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_are_replaced),
		cmocka_unit_test(bad_codes_are_refused),
		cmocka_unit_test(a_log_file_is_overwritten),
		cmocka_unit_test(a_log_file_that_cannot_be_had_is_told),
		cmocka_unit_test(a_full_disk_is_told_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
