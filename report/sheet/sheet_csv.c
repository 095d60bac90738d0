/* SPDX-License-Identifier: MIT */
/* A sheet as comma-separated values: text in quotes, which nsys leaves out where it can. */
#include <string.h>

#include "report/names/visible.h"
#include "report/sheet/sheet.h"

static void write_text(const struct sheet *sheet, const char *text, struct out *out)
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

static void write_row(struct sheet *sheet, size_t row, struct out *out)
{
	const struct cell *cells = sheet_cells(sheet, row);
	char buffer[NUMBER_SIZE];

	for (unsigned i = 0; i < sheet->ordered; i++) {
		unsigned column = sheet->order[i];
		const struct cell *cell = &cells[column];

		out_text(out, i ? "," : "");
		if (cell->known && cell->text && sheet->columns[column].kind != CELL_WORD)
			write_text(sheet, cell->text, out);
		else
			out_text(out, sheet_exact(sheet, column, cell, buffer));
	}
	out_text(out, "\n");
}

static void write_headings(const struct sheet *sheet, struct out *out)
{
	char buffer[NUMBER_SIZE];

	for (unsigned i = 0; i < sheet->ordered; i++) {
		out_text(out, i ? "," : "");
		write_text(sheet, sheet->columns[sheet->order[i]].csv, out);
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
		write_headings(sheet, out);
	for (size_t row = sheet->first; row < sheet->rows; row++)
		write_row(sheet, row, out);
}
