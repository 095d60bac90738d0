/* SPDX-License-Identifier: MIT */
/* A sheet as text: columns of a width, each two blanks from the next; and as comma-separated
 * values. */
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/sheet/sheet.h"

/* The rows from which nsys takes a column's width. */
#define NSYS_ROWS 100

struct layout {
	struct sheet *sheet;
	struct out *out;
	int widths[SHEET_COLUMNS]; /* negative: aligned to the left */
	/* Those that show in the lines. */
	unsigned columns[SHEET_COLUMNS], count;
	uint64_t groups[SHEET_COLUMNS];
};

/* Of UTF-8, a byte that is none of it counting as one. */
static int characters(const char *text)
{
	char shown[VISIBLE_SIZE];
	int count = 0;
	size_t length;

	while ((length = visible_next(&text, shown)) > 0)
		count += *shown == '\\' ? (int)length : 1;
	return count;
}

/* As it is shown; nsys groups the digits of figures. */
static const char *shown(const struct layout *layout, unsigned column, const struct cell *cell,
			 char buffer[NUMBER_SIZE])
{
	const char *text = sheet_shown(layout->sheet, column, cell, buffer);
	char number[NUMBER_SIZE];

	/* A damaged profile may have more digits than there is room for with commas. */
	if (!layout->sheet->nsys || text != buffer || strlen(buffer) >= NUMBER_SIZE * 3 / 4)
		return text;
	strcpy(number, buffer);
	return number_group_thousands(buffer, number);
}

static void measure(struct layout *layout)
{
	struct sheet *sheet = layout->sheet;
	size_t rows = sheet->nsys && sheet->rows > NSYS_ROWS ? NSYS_ROWS : sheet->rows;
	char buffer[NUMBER_SIZE];
	bool fixed = true;

	for (unsigned i = 0; i < sheet->ordered; i++) {
		unsigned number = sheet->order[i];
		const struct column *column = &sheet->columns[number];

		if (column->line)
			continue;
		layout->columns[layout->count++] = number;
		layout->widths[number] = column->width;
		fixed &= column->most == 0;
		if (column->most && characters(column->heading) > abs(column->width))
			layout->widths[number] =
				characters(column->heading) * (column->width < 0 ? -1 : 1);
	}
	for (size_t row = 0; row < rows && !fixed; row++) {
		const struct cell *cells = sheet_cells(sheet, row);

		for (unsigned i = 0; i < layout->count; i++) {
			unsigned number = layout->columns[i];
			int most = sheet->columns[number].most, *width = &layout->widths[number];
			int length = characters(shown(layout, number, &cells[number], buffer));

			LOWER(length, most);
			if (most && length > abs(*width))
				*width = *width < 0 ? -length : length;
		}
	}
}

/* The text, with an ellipsis where it is longer than its column can be. */
static void write_cut(const struct layout *layout, unsigned column, const char *text)
{
	int most = layout->sheet->columns[column].most;
	char character[VISIBLE_SIZE];
	size_t length;

	if (!most || characters(text) <= abs(layout->widths[column])) {
		out_visible(layout->out, text);
		return;
	}
	for (int i = 1; i < abs(layout->widths[column]); i++) {
		length = visible_next(&text, character);
		out_bytes(layout->out, character, length);
	}
	out_text(layout->out, "…");
}

/* A cell of a line, at a place: what separates it from the one before, and its text within its
 * width. */
static void write_cell(struct layout *layout, unsigned place, const char *mark, const char *text,
		       int before)
{
	unsigned column = layout->columns[place];
	const struct column *of = &layout->sheet->columns[column];
	int width = layout->widths[column];
	int blanks = width ? abs(width) - characters(text) - (*mark == '>') : 0;
	int gap = !place ? layout->sheet->indent : of->before ? of->before : 2;
	bool ends = place == layout->count - 1 && !layout->sheet->nsys;
	bool in_gap = *mark && *mark != '>';

	out_blanks(layout->out, gap - in_gap);
	if (in_gap)
		out_text(layout->out, mark);
	if (before < 0)
		before = width < 0 ? 0 : blanks;
	out_blanks(layout->out, before);
	if (*mark == '>')
		out_text(layout->out, mark);
	write_cut(layout, column, text);
	if (!(ends && width <= 0))
		out_blanks(layout->out, blanks - before);
}

static void write_heading(struct layout *layout)
{
	const struct sheet *sheet = layout->sheet;

	out_text(layout->out, sheet->bold ? "\033[1m" : "");
	for (unsigned i = 0; i < layout->count; i++) {
		const char *heading = sheet->columns[layout->columns[i]].heading;
		int width = abs(layout->widths[layout->columns[i]]);

		if (*heading || i < layout->count - 1)
			write_cell(layout, i, "", heading,
				   sheet->nsys ? (width - characters(heading)) / 2 : -1);
	}
	out_text(layout->out, sheet->bold ? "\033[0m\n" : "\n");
}

/* The units, as far as there are any. */
static void write_units(struct layout *layout)
{
	char buffer[NUMBER_SIZE];
	unsigned last = 0;

	for (unsigned i = 0; i < layout->count; i++)
		if (*sheet_unit(layout->sheet, layout->columns[i], buffer))
			last = i;
	for (unsigned i = 0; i <= last; i++)
		write_cell(layout, i, "", sheet_unit(layout->sheet, layout->columns[i], buffer),
			   -1);
	out_text(layout->out, "\n");
}

static void write_rule(struct layout *layout)
{
	for (unsigned i = 0; i < layout->count; i++) {
		out_blanks(layout->out, i ? 2 : layout->sheet->indent);
		for (int j = 0; j < abs(layout->widths[layout->columns[i]]); j++)
			out_text(layout->out, "-");
	}
	out_text(layout->out, "\n");
}

static void write_headings(struct layout *layout)
{
	write_heading(layout);
	if (layout->sheet->has_units)
		write_units(layout);
	if (layout->sheet->nsys)
		write_rule(layout);
}

/* Whether a cell begins a group. */
static bool begins(struct layout *layout, unsigned column, const struct cell *cell, size_t row)
{
	bool begun = row == layout->sheet->first || layout->groups[column] != cell->group;

	layout->groups[column] = cell->group;
	return begun && cell->known;
}

static void write_row(struct layout *layout, size_t row)
{
	struct sheet *sheet = layout->sheet;
	const struct cell *cells = sheet_cells(sheet, row);
	char buffer[NUMBER_SIZE];

	for (unsigned i = 0; i < sheet->ordered; i++) {
		unsigned number = sheet->order[i];
		const struct column *column = &sheet->columns[number];

		if (!column->line || !begins(layout, number, &cells[number], row))
			continue;
		out_text(layout->out, column->line);
		out_visible(layout->out, shown(layout, number, &cells[number], buffer));
		out_text(layout->out, column->line_end ? column->line_end : "");
		out_text(layout->out, "\n");
	}
	for (unsigned i = 0; i < layout->count; i++) {
		const struct column *column = &sheet->columns[layout->columns[i]];
		const struct cell *cell = &cells[layout->columns[i]];
		const char *mark = sheet_mark(cell);
		bool repeated = column->once && !begins(layout, layout->columns[i], cell, row);

		write_cell(layout, i, mark,
			   repeated ? "" : shown(layout, layout->columns[i], cell, buffer),
			   sheet->tree && column->head ? 2 * (int)cell->depth : -1);
	}
	out_text(layout->out, "\n");
}

void sheet_text(struct sheet *sheet, struct out *out)
{
	struct layout layout = {.sheet = sheet, .out = out};

	sheet_begin(sheet, SHEET_TEXT);
	measure(&layout);
	if (sheet->title) {
		out_text(out, "\n");
		out_visible(out, sheet->title);
		out_text(out, "\n");
	}
	if (!sheet->continued)
		write_headings(&layout);
	for (size_t row = sheet->first; row < sheet->rows; row++)
		write_row(&layout, row);
	if (sheet->note)
		out_text(out, sheet->note);
}

/* In quotes, which nsys leaves out where it can. */
static void write_quoted(const struct sheet *sheet, const char *text, struct out *out)
{
	bool quoted = !sheet->nsys || strpbrk(text, ",\"\r\n");
	char shown[VISIBLE_SIZE];
	size_t length;

	if (quoted)
		out_text(out, "\"");
	while ((length = visible_next(&text, shown)) > 0) {
		if (*shown == '"')
			out_text(out, "\"");
		out_bytes(out, shown, length);
	}
	if (quoted)
		out_text(out, "\"");
}

static void write_csv_row(struct sheet *sheet, size_t row, struct out *out)
{
	const struct cell *cells = sheet_cells(sheet, row);
	char buffer[NUMBER_SIZE];

	for (unsigned i = 0; i < sheet->ordered; i++) {
		unsigned column = sheet->order[i];
		const struct cell *cell = &cells[column];

		out_text(out, i ? "," : "");
		if (cell->known && cell->text && sheet->columns[column].kind != CELL_WORD)
			write_quoted(sheet, cell->text, out);
		else
			out_text(out, sheet_exact(sheet, column, cell, buffer));
	}
	out_text(out, "\n");
}

static void write_csv_headings(const struct sheet *sheet, struct out *out)
{
	char buffer[NUMBER_SIZE];

	for (unsigned i = 0; i < sheet->ordered; i++) {
		out_text(out, i ? "," : "");
		write_quoted(sheet, sheet->columns[sheet->order[i]].csv, out);
	}
	for (unsigned i = 0; i < sheet->ordered && sheet->has_units; i++) {
		out_text(out, i ? "," : "\n");
		out_text(out, sheet_unit(sheet, sheet->order[i], buffer));
	}
	out_text(out, "\n");
}

void sheet_csv(struct sheet *sheet, struct out *out)
{
	sheet_begin(sheet, SHEET_CSV);
	if (!sheet->continued)
		write_csv_headings(sheet, out);
	for (size_t row = sheet->first; row < sheet->rows; row++)
		write_csv_row(sheet, row, out);
}
