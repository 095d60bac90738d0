/* SPDX-License-Identifier: MIT */
#include "tests/unit/page_text.h"

#include <fcntl.h>
#include <unistd.h>

#include "report/html/html.h"
#include "tests/unit/test.h"

/* The text of a file, which is removed. */
static char *taken(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	off_t size;
	char *text;

	assert_true(file >= 0);
	size = lseek(file, 0, SEEK_END);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(pread(file, text, (size_t)size, 0), size);
	text[size] = '\0';
	close(file);
	unlink(path);
	return text;
}

char *page_text(struct session *session, const char *words)
{
	char path[] = "/tmp/ktime-page-XXXXXX", message[256];
	struct options options;

	close(mkstemp(path));
	options_defaults(&options);
	assert_int_equal(options_parse_string(&options, words, message, sizeof(message)), 0);
	options.force_overwrite = true;
	assert_int_equal(profile_page_write(session, &options, path, message, sizeof(message)), 0);
	options_free(&options);
	return taken(path);
}

char *comparison_page_text(const struct comparison *comparison)
{
	char path[] = "/tmp/ktime-page-XXXXXX", message[256];
	struct options options;

	close(mkstemp(path));
	options_defaults(&options);
	options.force_overwrite = true;
	options.html = path;
	assert_int_equal(comparison_page_write(comparison, &options, message, sizeof(message)), 0);
	return taken(path);
}
