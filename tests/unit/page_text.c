/* SPDX-License-Identifier: MIT */
#include "tests/unit/page_text.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/html/html.h"

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

/* As the page has it. */
static char *escaped(const char *name)
{
	char *text = NULL;
	size_t size;
	struct html html = {.file = open_memstream(&text, &size)};

	html_text(&html, name);
	fclose(html.file);
	return text;
}

/* The text of the cells from here to the row's end; ">" is the one reference that figures have. */
static char *cells_text(const char *cells)
{
	const char *end = strstr(cells, "</tr>");
	char *text = calloc(1, (size_t)(end - cells) + 1), *to = text;

	while ((cells = strstr(cells, "<td")) && cells < end) {
		bool inside = false;

		for (; strncmp(cells, "</td>", 5) != 0; cells++) {
			if (strncmp(cells, "&#62;", 5) == 0) {
				*to++ = '>';
				cells += 4;
				continue;
			}
			inside |= *cells == '<';
			if (!inside && *cells != ',')
				*to++ = *cells;
			inside &= *cells != '>';
		}
		*to++ = ' ';
	}
	return text;
}

char *page_cells(const char *page, const char *name)
{
	static const char *const frames[] = {"<p class=\"full-name\">%s</p>",
					     "<summary>%s</summary>"};
	const char *start = strstr(page, "id=\"gpu-table\"");
	char *shown = escaped(name), *result = NULL;

	for (unsigned i = 0; i < 2 && start && !result; i++) {
		char *text;
		const char *row;

		assert_true(asprintf(&text, frames[i], shown) > 0);
		row = strstr(start, text);
		if (row)
			result = cells_text(row);
		free(text);
	}
	free(shown);
	return result;
}
