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
	const char *separator = "";

	for (unsigned i = 0; i < sheet->column_count; i++) {
		if (!column_shows(sheet, i))
			continue;
		out_text(out, separator);
		separator = ",";
		if (cells[i].known && cells[i].text && sheet->columns[i].kind != CELL_WORD)
			write_text(sheet, cells[i].text, out);
		else
			out_text(out, sheet_exact(sheet, i, &cells[i], buffer));
	}
	out_text(out, "\n");
}

static void write_headings(const struct sheet *sheet, struct out *out)
{
	const char *separator = "";
	char buffer[NUMBER_SIZE];

	for (unsigned i = 0; i < sheet->column_count; i++) {
		if (!column_shows(sheet, i))
			continue;
		out_text(out, separator);
		separator = ",";
		write_text(sheet, sheet->columns[i].csv, out);
	}
	separator = "\n";
	for (unsigned i = 0; i < sheet->column_count && sheet->has_units; i++) {
		if (!column_shows(sheet, i))
			continue;
		out_text(out, separator);
		separator = ",";
		out_text(out, sheet_unit(sheet, i, buffer));
	}
	out_text(out, "\n");
}

void sheet_csv(struct sheet *sheet, struct out *out)
{
	sheet->form = SHEET_CSV;
	if (!sheet->continued)
		write_headings(sheet, out);
	for (size_t row = sheet->first; row < sheet->rows; row++)
		write_row(sheet, row, out);
}
