/* SPDX-License-Identifier: MIT */
#include "tests/unit/page_text.h"

#include <fcntl.h>
#include <unistd.h>

#include "report/html/html.h"
#include "tests/unit/test.h"

char *page_text(struct session *session, const char *words)
{
	char path[] = "/tmp/ktime-page-XXXXXX", message[256];
	int file = mkstemp(path);
	struct options options;
	char *text;
	off_t size;

	assert_true(file >= 0);
	options_defaults(&options);
	assert_int_equal(options_parse_string(&options, words, message, sizeof(message)), 0);
	options.force_overwrite = true;
	assert_int_equal(profile_page_write(session, &options, path, message, sizeof(message)), 0);
	close(file);
	file = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(file >= 0);
	size = lseek(file, 0, SEEK_END);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(pread(file, text, (size_t)size, 0), size);
	text[size] = '\0';
	close(file);
	unlink(path);
	options_free(&options);
	return text;
}
