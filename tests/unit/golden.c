/* SPDX-License-Identifier: MIT */
#include "tests/unit/golden.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void is_golden(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "tests/golden/%s.txt", name);
	is_golden_file(path, text);
}

void is_golden_file(const char *path, const char *text)
{
	char *expected = NULL;
	const char *left, *right;
	size_t capacity = 0;
	unsigned line = 1;
	FILE *file;

	file = fopen(path, getenv("FIGURES") ? "w+e" : "re");
	assert_non_null(file);
	if (getenv("FIGURES")) {
		fputs(text, file);
		rewind(file);
	}
	assert_true(getdelim(&expected, &capacity, '\0', file) > 0);
	fclose(file);
	for (left = text, right = expected; *left || *right; line++) {
		size_t one = strcspn(left, "\n"), other = strcspn(right, "\n");

		if (one != other || memcmp(left, right, one) != 0)
			fail_msg("%s:%u: is\n%.*s\ninstead of\n%.*s\nIf that is wanted: "
				 "FIGURES=write build/tests/unit/%s",
				 path, line, (int)one, left, (int)other, right,
				 program_invocation_short_name);
		left += one + (left[one] == '\n');
		right += other + (right[other] == '\n');
	}
	free(expected);
}
