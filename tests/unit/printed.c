/* SPDX-License-Identifier: MIT */
#include "tests/unit/printed.h"

#include "report/print/report.h"
#include "tests/unit/test.h"

char *printed(struct session *session, const char *words)
{
	struct options options;
	char message[256], *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	options_defaults(&options);
	assert_int_equal(options_parse_string(&options, words, message, sizeof(message)), 0);
	assert_int_equal(report_write(session, &options, file), 0);
	fclose(file);
	options_free(&options);
	return text;
}
