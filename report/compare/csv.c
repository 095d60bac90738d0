/* SPDX-License-Identifier: MIT */
#include "report/compare/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Above what the longest names take; a file of other kinds may have an odd quote anywhere. */
#define RECORD_MOST (1UL << 20)

static int put(struct csv_reader *reader, char letter)
{
	if (reader->length == RECORD_MOST)
		return -E2BIG;
	if (reader->length == reader->text_capacity) {
		size_t capacity = reader->text_capacity * 2 + 256;
		char *text = realloc(reader->text, capacity);

		if (!text)
			return -ENOMEM;
		reader->text = text;
		reader->text_capacity = capacity;
	}
	reader->text[reader->length++] = letter;
	return 0;
}

/* Points the fields into the text, which has a NUL after each. */
static int find_fields(struct csv_reader *reader)
{
	size_t count = 0;

	for (size_t i = 0; i < reader->length; i++)
		count += reader->text[i] == '\0';
	if (count > reader->field_capacity) {
		char **fields = realloc(reader->fields, count * sizeof(*fields));

		if (!fields)
			return -ENOMEM;
		reader->fields = fields;
		reader->field_capacity = count;
	}
	reader->field_count = 0;
	for (size_t i = 0; i < reader->length; i++)
		if (i == 0 || reader->text[i - 1] == '\0')
			reader->fields[reader->field_count++] = reader->text + i;
	return 1;
}

int csv_read(struct csv_reader *reader)
{
	bool quoted = false, any = false;
	int letter, error = 0;

	reader->length = 0;
	reader->line = reader->next_line + 1;
	while (!error && (letter = getc(reader->file)) != EOF) {
		any = true;
		if (letter == '\n')
			reader->next_line++;
		if (letter == '"') {
			int next = quoted ? getc(reader->file) : EOF;

			if (quoted && next == '"') {
				error = put(reader, '"');
				continue;
			}
			if (quoted && next != EOF)
				ungetc(next, reader->file);
			quoted = !quoted;
		} else if (letter == '\n' && !quoted) {
			break;
		} else if (letter == '\0' || (letter == '\r' && !quoted)) {
			continue;
		} else {
			error = put(reader, letter == ',' && !quoted ? '\0' : (char)letter);
		}
	}
	if (error)
		return error;
	if (ferror(reader->file))
		return -EIO;
	if (!any)
		return 0;
	error = put(reader, '\0');
	return error ? error : find_fields(reader);
}

void csv_free(struct csv_reader *reader)
{
	free(reader->fields);
	free(reader->text);
}
