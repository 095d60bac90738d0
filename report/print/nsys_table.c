/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "report/print/nsys_table.h"
#include "report/sheet/number.h"
#include "report/print/report.h"

#define WIDTH_ROWS  100 /* rows that a column's width is taken from */
#define WIDTH_LIMIT 100 /* characters */
#define CELL_SIZE   64	/* bytes: a figure with its separators */

/* Characters in UTF-8 text, a byte that is none of it counting as one. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

/* The bytes that the first `width` characters take. */
static size_t text_bytes(const char *text, size_t width)
{
	const char *end = text;

	while (*end) {
		if ((*end & 0xc0) != 0x80 && width-- == 0)
			break;
		end++;
	}
	return end - text;
}

static void print_spaces(size_t count, FILE *file)
{
	fprintf(file, "%*s", (int)count, "");
}

/* The text of a cell; figures are written to the buffer, names are the row's own. */
static const char *cell_text(const struct nsys_table *table, size_t row, size_t column,
			     char buffer[CELL_SIZE])
{
	if (column == table->figures)
		return table->rows[row].name;
	return number_group_thousands(buffer, table->rows[row].figures[column]);
}

static size_t column_width(const struct nsys_table *table, size_t column)
{
	size_t width = text_width(table->headers[column]), row;
	char buffer[CELL_SIZE];

	for (row = 0; row < table->row_count && row < WIDTH_ROWS; row++) {
		size_t cell = text_width(cell_text(table, row, column, buffer));

		if (cell > width)
			width = cell;
	}
	return width < WIDTH_LIMIT ? width : WIDTH_LIMIT;
}

static void print_cell(const char *text, size_t width, size_t left, size_t right, FILE *file)
{
	if (text_width(text) > width) {
		fprintf(file, "%.*s…", (int)text_bytes(text, width - 1), text);
		return;
	}
	print_spaces(left, file);
	fputs(text, file);
	print_spaces(right, file);
}

int nsys_table_text(const struct nsys_table *table, FILE *file)
{
	size_t widths[NSYS_FIGURES + 1];
	char buffer[CELL_SIZE];

	for (size_t column = 0; column <= table->figures; column++) {
		size_t padding;

		widths[column] = column_width(table, column);
		padding = widths[column] - text_width(table->headers[column]);
		fputs(column ? "  " : " ", file);
		print_cell(table->headers[column], widths[column], padding / 2,
			   padding - padding / 2, file);
	}
	fputc('\n', file);
	for (size_t column = 0; column <= table->figures; column++) {
		fputs(column ? "  " : " ", file);
		for (size_t i = 0; i < widths[column]; i++)
			fputc('-', file);
	}
	fputc('\n', file);
	for (size_t row = 0; row < table->row_count; row++) {
		for (size_t column = 0; column <= table->figures; column++) {
			const char *text = cell_text(table, row, column, buffer);
			size_t width = text_width(text);
			size_t padding = width < widths[column] ? widths[column] - width : 0;
			bool figure = column < table->figures;

			fputs(column ? "  " : " ", file);
			print_cell(text, widths[column], figure ? padding : 0, figure ? 0 : padding,
				   file);
		}
		fputc('\n', file);
	}
	return ferror(file) ? -EIO : 0;
}

/* As Python's csv module quotes if it has to. */
static void print_csv_cell(const char *text, FILE *file)
{
	if (strpbrk(text, ",\"\r\n"))
		csv_write_text(text, file);
	else
		fputs(text, file);
}

int nsys_table_csv(const struct nsys_table *table, FILE *file)
{
	for (size_t column = 0; column <= table->figures; column++)
		fprintf(file, "%s%s", column ? "," : "", table->headers[column]);
	fputc('\n', file);
	for (size_t row = 0; row < table->row_count; row++) {
		for (size_t column = 0; column < table->figures; column++)
			fprintf(file, "%s,", table->rows[row].figures[column]);
		print_csv_cell(table->rows[row].name, file);
		fputc('\n', file);
	}
	return ferror(file) ? -EIO : 0;
}
