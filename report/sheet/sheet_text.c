/* SPDX-License-Identifier: MIT */
/* A sheet as text: columns of a width, each two blanks from the next. */
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/sheet/sheet.h"

/* nsys takes a column's width from so many rows. */
#define NSYS_ROWS 100

struct layout {
	struct sheet *sheet;
	struct out *out;
	int widths[SHEET_COLUMNS]; /* negative: aligned to the left */
	unsigned last;		   /* column that shows in the lines */
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

	if (!layout->sheet->nsys || text != buffer)
		return text;
	strcpy(number, buffer);
	return number_group_thousands(buffer, number);
}

static bool in_lines(const struct layout *layout, unsigned column)
{
	return column_shows(layout->sheet, column) && !layout->sheet->columns[column].line;
}

static void measure(struct layout *layout)
{
	struct sheet *sheet = layout->sheet;
	size_t rows = sheet->nsys && sheet->rows > NSYS_ROWS ? NSYS_ROWS : sheet->rows;
	char buffer[NUMBER_SIZE];
	bool fixed = true;

	for (unsigned i = 0; i < sheet->column_count; i++) {
		const struct column *column = &sheet->columns[i];

		layout->widths[i] = column->width;
		if (in_lines(layout, i))
			layout->last = i;
		fixed &= column->most == 0;
		if (column->most && characters(column->heading) > abs(column->width))
			layout->widths[i] =
				characters(column->heading) * (column->width < 0 ? -1 : 1);
	}
	for (size_t row = 0; row < rows && !fixed; row++) {
		const struct cell *cells = sheet_cells(sheet, row);

		for (unsigned i = 0; i < sheet->column_count; i++) {
			int most = sheet->columns[i].most, width;

			if (!most || !in_lines(layout, i))
				continue;
			width = characters(shown(layout, i, &cells[i], buffer));
			width = width < most ? width : most;
			if (width > abs(layout->widths[i]))
				layout->widths[i] = layout->widths[i] < 0 ? -width : width;
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

/* A cell of a line: what separates it from the one before, and its text within its width. */
static void write_cell(struct layout *layout, unsigned column, bool first, const char *mark,
		       const char *text, int before)
{
	const struct column *of = &layout->sheet->columns[column];
	int width = layout->widths[column];
	int blanks = width ? abs(width) - characters(text) - (*mark == '>') : 0;
	int gap = first ? layout->sheet->indent : of->before ? of->before : 2;
	bool ends = column == layout->last && !layout->sheet->nsys;

	out_blanks(layout->out, gap - (*mark == '~'));
	if (*mark == '~')
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
	bool first = true;

	if (sheet->bold)
		out_text(layout->out, "\033[1m");
	for (unsigned i = 0; i < sheet->column_count; i++) {
		const char *heading = sheet->columns[i].heading;

		if (!in_lines(layout, i) || (i == layout->last && !*heading))
			continue;
		write_cell(layout, i, first, "", heading,
			   sheet->nsys ? (abs(layout->widths[i]) - characters(heading)) / 2 : -1);
		first = false;
	}
	out_text(layout->out, sheet->bold ? "\033[0m\n" : "\n");
}

/* The units, as far as there are any. */
static void write_units(struct layout *layout)
{
	const struct sheet *sheet = layout->sheet;
	unsigned last = 0;
	char buffer[NUMBER_SIZE];
	bool first = true;

	for (unsigned i = 0; i < sheet->column_count; i++)
		if (in_lines(layout, i) && *sheet_unit(sheet, i, buffer))
			last = i;
	for (unsigned i = 0; i <= last; i++) {
		if (!in_lines(layout, i))
			continue;
		write_cell(layout, i, first, "", sheet_unit(sheet, i, buffer), -1);
		first = false;
	}
	out_text(layout->out, "\n");
}

static void write_rule(struct layout *layout)
{
	bool first = true;

	for (unsigned i = 0; i < layout->sheet->column_count; i++) {
		if (!in_lines(layout, i))
			continue;
		out_blanks(layout->out, first ? layout->sheet->indent : 2);
		for (int j = 0; j < abs(layout->widths[i]); j++)
			out_text(layout->out, "-");
		first = false;
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
	bool first = true;

	for (unsigned i = 0; i < sheet->column_count; i++) {
		const struct column *column = &sheet->columns[i];

		if (!column->line || !column_shows(sheet, i) || !begins(layout, i, &cells[i], row))
			continue;
		out_text(layout->out, column->line);
		out_visible(layout->out, shown(layout, i, &cells[i], buffer));
		out_text(layout->out, column->line_end ? column->line_end : "");
		out_text(layout->out, "\n");
	}
	for (unsigned i = 0; i < sheet->column_count; i++) {
		const char mark[2] = {cells[i].mark};
		bool repeated;

		if (!in_lines(layout, i))
			continue;
		repeated = sheet->columns[i].once && !begins(layout, i, &cells[i], row);
		write_cell(layout, i, first, mark,
			   repeated ? "" : shown(layout, i, &cells[i], buffer),
			   sheet->tree && sheet->columns[i].head ? 2 * (int)cells[i].depth : -1);
		first = false;
	}
	out_text(layout->out, "\n");
}

void sheet_text(struct sheet *sheet, struct out *out)
{
	struct layout layout = {.sheet = sheet, .out = out};

	sheet->form = SHEET_TEXT;
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
