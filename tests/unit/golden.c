/* SPDX-License-Identifier: MIT */
#include "tests/unit/golden.h"

#include <ctype.h>
#include <errno.h>

#include "tests/unit/test.h"

/* So many lines that stood before are said to, and not written again. */
#define FEWEST_ALIKE 4
#define FOLDED	     "[as under \""

/* With its newline. */
static size_t line_length(const char *line)
{
	size_t length = strcspn(line, "\n");

	return length + (line[length] == '\n');
}

static const char *next_line(const char *line)
{
	return line + line_length(line);
}

static bool same_line(const char *one, const char *other)
{
	size_t length = line_length(one);

	return length == line_length(other) && memcmp(one, other, length) == 0;
}

/* What a part of a text begins with: a command, or the name of a screen. */
static bool is_title(const char *line)
{
	return strncmp(line, "$ ", 2) == 0 || strncmp(line, "# ", 2) == 0;
}

/* How many lines from here are as those from an earlier one. */
static unsigned lines_alike(const char *earlier, const char *here)
{
	const char *end = here;
	unsigned lines = 0;

	for (; *here && earlier < end && !is_title(here) && same_line(earlier, here); lines++) {
		earlier = next_line(earlier);
		here = next_line(here);
	}
	return lines;
}

/* Where most lines from here stood before: the part's title. */
static unsigned stood_before(const char *text, const char *here, const char **under)
{
	const char *title = text;
	bool found = false;
	unsigned most = 0;

	for (const char *earlier = text; earlier < here; earlier = next_line(earlier)) {
		if (is_title(earlier)) {
			title = earlier;
			found = false;
		}
		/* In a part the first such line is meant. */
		if (!found && same_line(earlier, here)) {
			unsigned lines = lines_alike(earlier, here);

			found = true;
			if (lines > most) {
				most = lines;
				*under = title;
			}
		}
	}
	return most;
}

static void write_folded(const char *text, FILE *file)
{
	const char *here = text, *under;

	while (*here) {
		unsigned lines = stood_before(text, here, &under);

		if (lines >= FEWEST_ALIKE)
			fprintf(file, FOLDED "%.*s\" for %u lines] ", (int)strcspn(under, "\n"),
				under, lines);
		else
			lines = 1;
		fprintf(file, "%.*s", (int)line_length(here), here);
		for (; lines > 0; lines--)
			here = next_line(here);
	}
}

/* The line from `text` on that is this one, of `length` characters. */
static const char *find_line(const char *text, const char *line, size_t length)
{
	while (strncmp(text, line, length) != 0 || text[length] != '\n') {
		assert_true(*text);
		text = next_line(text);
	}
	return text;
}

/* The lines that a folded one stands for, of the text before it; the caller frees them. */
static char *unfolded(const char *line, const char *text)
{
	static const char title_ends[] = "\" for ", count_ends[] = " lines] ";
	const char *title = line + strlen(FOLDED), *title_end = strstr(line, title_ends);
	const char *from, *end;
	char *first;
	unsigned long lines;

	assert_non_null(title_end);
	lines = strtoul(title_end + strlen(title_ends), &first, 10);
	assert_int_equal(strncmp(first, count_ends, strlen(count_ends)), 0);
	first += strlen(count_ends);
	from = find_line(text, title, (size_t)(title_end - title));
	from = find_line(from, first, strcspn(first, "\n"));
	for (end = from; lines > 0; lines--)
		end = next_line(end);
	return strndup(from, (size_t)(end - from));
}

static char *read_file(const char *path)
{
	char *text = NULL;
	size_t capacity = 0;
	FILE *file = fopen(path, "re");

	assert_non_null(file);
	assert_true(getdelim(&text, &capacity, '\0', file) > 0);
	fclose(file);
	return text;
}

/* Fails the test where the texts differ. */
static void are_equal(const char *path, const char *left, const char *right)
{
	for (unsigned line = 1; *left || *right; line++) {
		size_t one = strcspn(left, "\n"), other = strcspn(right, "\n");

		if (one != other || memcmp(left, right, one) != 0)
			fail_msg("%s, line %u of the output: is\n%.*s\ninstead of\n%.*s\n"
				 "If that is wanted: FIGURES=write build/tests/unit/%s",
				 path, line, (int)one, left, (int)other, right,
				 program_invocation_short_name);
		left += one + (left[one] == '\n');
		right += other + (right[other] == '\n');
	}
}

/* The text of a file, in which lines can be folded. */
static char *read_unfolded(const char *path)
{
	char *folded = read_file(path), *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	for (const char *line = folded; *line; line = next_line(line)) {
		if (strncmp(line, FOLDED, strlen(FOLDED)) == 0) {
			char *lines;

			fflush(file);
			lines = unfolded(line, text);
			fputs(lines, file);
			free(lines);
		} else {
			fprintf(file, "%.*s", (int)line_length(line), line);
		}
	}
	fclose(file);
	free(folded);
	return text;
}

static void write_file(const char *path, const char *text, bool folded)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	if (folded)
		write_folded(text, file);
	else
		fputs(text, file);
	fclose(file);
}

static char *path_of(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "tests/golden/%s.txt", name) > 0);
	return path;
}

char *golden_text(const char *name)
{
	char *path = path_of(name), *text = read_unfolded(path);

	free(path);
	return text;
}

static char *written;
static size_t written_size;
static FILE *writing;

FILE *golden_begin(void)
{
	writing = open_memstream(&written, &written_size);
	assert_non_null(writing);
	return writing;
}

void golden_add_json(const char *json)
{
	unsigned digits = 0;

	for (; *json; json++) {
		digits = *json == '.' ? 1 : isdigit(*json) && digits ? digits + 1 : 0;
		/* Of a fraction the digits that every machine gets. */
		if (digits <= 9)
			fputc(*json, writing);
		if (*json == ',' && (json[-1] == '}' || json[-1] == ']'))
			fputc('\n', writing);
	}
}

void golden_end(const char *name)
{
	char *path = path_of(name), *expected;

	fclose(writing);
	if (getenv("FIGURES"))
		write_file(path, written, true);
	expected = read_unfolded(path);
	are_equal(path, written, expected);
	free(expected);
	free(written);
	free(path);
}

void is_golden_file(const char *path, const char *text)
{
	char *expected;

	if (getenv("FIGURES"))
		write_file(path, text, false);
	expected = read_file(path);
	are_equal(path, text, expected);
	free(expected);
}
