/* SPDX-License-Identifier: MIT */
#include "report/import/record.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lines that a quoted cell may have. Names of kernels have one. */
#define QUOTED_LINES 8

/* Takes the bytes up to `end` as the line; behind it is its newline or the end of the text. */
static int take(struct lines *lines, size_t begin, size_t end)
{
	size_t length = end - begin;

	if (length + 1 > lines->room) {
		char *line = realloc(lines->line, length + 1);

		if (!line)
			return -ENOMEM;
		lines->line = line;
		lines->room = length + 1;
	}
	memcpy(lines->line, lines->text + begin, length);
	if (length && lines->line[length - 1] == '\r')
		length--;
	lines->line[length] = '\0';
	lines->ended = end < lines->length;
	lines->next = end + lines->ended;
	return 1;
}

static size_t line_end(const struct lines *lines, size_t begin)
{
	const char *end = memchr(lines->text + begin, '\n', lines->length - begin);

	return end ? (size_t)(end - lines->text) : lines->length;
}

int lines_read(struct lines *lines)
{
	if (lines->next >= lines->length)
		return 0;
	lines->number = ++lines->last;
	return take(lines, lines->next, line_end(lines, lines->next));
}

bool lines_read_quoted(struct lines *lines)
{
	size_t begin = lines->next - lines->ended, end, quotes = 0;

	while (begin > 0 && lines->text[begin - 1] != '\n')
		begin--;
	end = line_end(lines, begin);
	for (size_t i = begin; i < end; i++)
		quotes += lines->text[i] == '"';
	for (size_t more = 1; more <= QUOTED_LINES && end < lines->length; more++) {
		size_t from = end + 1;

		end = line_end(lines, from);
		for (size_t i = from; i < end; i++)
			quotes += lines->text[i] == '"';
		if (quotes % 2)
			continue;
		if (take(lines, begin, end) < 0)
			return false;
		lines->last += more;
		return true;
	}
	return false;
}

void split_values(struct cells *cells, char *line, char separator)
{
	char *out = line;

	*cells = (struct cells){0};
	for (;; line++) {
		bool quoted = *line == '"';

		if (cells->count <= COLUMNS_MOST)
			cells->text[cells->count++] = out;
		line += quoted;
		while (*line && (quoted || *line != separator)) {
			if (quoted && *line == '"' && line[1] != '"') {
				quoted = false;
				line++;
				continue;
			}
			line += quoted && *line == '"';
			*out++ = *line++;
		}
		cells->open = quoted;
		if (!*line)
			break;
		*out++ = '\0';
	}
	cells->last_quoted = !cells->open && line[-1] == '"';
	*out = '\0';
}

bool rule_read(struct rule *rule, const char *line)
{
	struct rule read = {0};

	for (size_t i = 0; line[i];) {
		size_t length = strspn(line + i, "-");

		if (line[i] == ' ') {
			i++;
			continue;
		}
		if (length == 0 || read.count == COLUMNS_MOST)
			return false;
		read.begins[read.count] = i;
		read.ends[read.count++] = i + length;
		i += length;
	}
	if (read.count < 2)
		return false;
	*rule = read;
	return true;
}

static void cut_end(char *text)
{
	size_t length = strlen(text);

	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		text[--length] = '\0';
}

/* Where the cell ends that begins at `at`: before `gap` spaces. */
static char *cell_end(char *at, size_t gap)
{
	while (*at && (*at != ' ' || strspn(at, " ") < gap) && *at != '\t')
		at++;
	return at;
}

/* The number of cells between as many spaces, of which the last has all that is left. */
static size_t count_cells(char *line, size_t most, size_t gap)
{
	size_t count = 0;

	while (count < most) {
		line += strspn(line, " \t");
		if (!*line)
			break;
		count++;
		line = cell_end(line, gap);
	}
	return count;
}

static void split_at_spaces(struct cells *cells, char *line, size_t count, size_t gap)
{
	while (count--) {
		char *end;

		line += strspn(line, " \t");
		cells->text[cells->count++] = line;
		end = count ? cell_end(line, gap) : line;
		line = *end && count ? end + 1 : end;
		if (count)
			*end = '\0';
	}
}

static bool split_by_rule(struct cells *cells, char *line, const struct header *header,
			  const struct rule *rule)
{
	size_t length = strlen(line);

	if (rule->count != header->count || rule->begins[rule->count - 1] >= length)
		return false;
	for (size_t i = 0; i + 1 < rule->count; i++)
		for (size_t at = rule->ends[i]; at < rule->begins[i + 1]; at++)
			if (line[at] != ' ')
				return false;
	for (size_t i = 0; i < rule->count; i++) {
		char *begin = line + rule->begins[i];

		if (i + 1 < rule->count)
			line[rule->ends[i]] = '\0';
		cells->text[cells->count++] = begin + strspn(begin, " ");
		cut_end(begin);
	}
	return true;
}

/* Where the numbers begin: behind the name of a group. NULL: there are none. */
static char *find_number(char *line)
{
	for (char *at = line; *at; at += strcspn(at, " \t")) {
		at += strspn(at, " \t");
		/* Or the dashes of what was not timed. */
		if (isdigit((unsigned char)*at) || strncmp(at, "- ", 2) == 0)
			return at;
	}
	return NULL;
}

/* Puts an empty cell where the interval is missing. */
static void insert_interval(struct cells *cells, const struct header *header)
{
	size_t place = (size_t)header->places[ROLE_INTERVAL];
	char *before = cells->text[place - 1];

	memmove(&cells->text[place + 1], &cells->text[place],
		(cells->count - place) * sizeof(*cells->text));
	cells->text[place] = before + strlen(before);
	cells->count++;
}

/* Whether the row's cell of that number ends with a percent sign, or there is no such column. */
static bool has_interval(const struct header *header, const char *line)
{
	int place = header->places[ROLE_INTERVAL];

	for (int i = header->places[ROLE_GROUP] == 0; i < place; i++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	return place < 1 || line[strcspn(line, " ") - (*line != '\0')] == '%';
}

bool split_text(struct cells *cells, char *line, const struct header *header,
		const struct rule *rule)
{
	size_t columns = header->count;
	bool interval;
	char *rest = line;

	*cells = (struct cells){0};
	cut_end(line);
	if (header->places[ROLE_GROUP] == 0) {
		rest = find_number(line);
		if (!rest)
			return false;
		cells->text[cells->count++] = line + strspn(line, " \t");
		columns--;
	}
	interval = has_interval(header, rest);
	columns -= !interval;
	if (count_cells(rest, columns, 2) == columns) {
		if (rest > line)
			rest[-1] = '\0';
		split_at_spaces(cells, rest, columns, 2);
	} else if (rest == line && split_by_rule(cells, line, header, rule)) {
		return true;
	} else if (header->report->kind != REPORT_TRACE &&
		   count_cells(rest, columns, 1) == columns) {
		if (rest > line)
			rest[-1] = '\0';
		split_at_spaces(cells, rest, columns, 1);
	} else {
		return false;
	}
	if (!interval)
		insert_interval(cells, header);
	if (cells->count == header->count && header->places[ROLE_GROUP] == 0) {
		if (cells->text[0] == rest)
			cells->text[0] = rest + strlen(rest);
		cut_end(cells->text[0]);
	}
	for (size_t i = 0; i < cells->count; i++)
		cut_end(cells->text[i]);
	return true;
}
