/* SPDX-License-Identifier: MIT */
/* A sheet as JSON: an object for each row, with times in nanoseconds and sizes in bytes. */
#include <ctype.h>
#include <math.h>

#include "report/names/visible.h"
#include "report/sheet/sheet.h"

static void write_string(const char *text, struct out *out)
{
	char shown[VISIBLE_SIZE];
	size_t length;

	out_text(out, "\"");
	while ((length = visible_next(&text, shown)) > 0) {
		if (*shown == '"' || *shown == '\\')
			out_text(out, "\\");
		out_bytes(out, shown, length);
	}
	out_text(out, "\"");
}

/* "Time(%)" becomes "time_percent". */
static void write_key(const struct column *column, struct out *out)
{
	const char *name = column->csv ? column->csv : column->heading;
	bool begun = false, parted = false;

	for (; *name; name++) {
		char letter = (char)tolower((unsigned char)*name);

		parted |= !isalnum((unsigned char)letter);
		if (letter != '%' && !isalnum((unsigned char)letter))
			continue;
		out_text(out, parted && begun ? "_" : "");
		if (letter == '%')
			out_text(out, "percent");
		else
			out_bytes(out, &letter, 1);
		begun = true;
		parted = false;
	}
}

static void write_cell(const struct sheet *sheet, unsigned column, const struct cell *cell,
		       struct out *out)
{
	bool real = sheet->columns[column].kind > CELL_REALS;
	char buffer[NUMBER_SIZE];
	const char *text = sheet_exact(sheet, column, cell, buffer);

	out_text(out, "\"");
	write_key(&sheet->columns[column], out);
	out_text(out, "\":");
	if (cell->known && cell->text)
		write_string(text, out);
	else
		out_text(out, *text && !(real && !isfinite(cell->real)) ? text : "null");
	if (!(cell->error > 0) || !isfinite(cell->error))
		return;
	out_text(out, ",\"");
	write_key(&sheet->columns[column], out);
	out_format(out, "_error\":%.6g", cell->error);
}

void sheet_json(struct sheet *sheet, struct out *out)
{
	sheet_begin(sheet, SHEET_JSON);
	out_text(out, "{\"title\":");
	write_string(sheet->title ? sheet->title : "", out);
	out_text(out, ",\"rows\":[");
	for (size_t row = sheet->first; row < sheet->rows; row++) {
		const struct cell *cells = sheet_cells(sheet, row);

		out_text(out, row > sheet->first ? ",\n{" : "\n{");
		for (unsigned i = 0; i < sheet->ordered; i++) {
			out_text(out, i ? "," : "");
			write_cell(sheet, sheet->order[i], &cells[sheet->order[i]], out);
		}
		out_text(out, "}");
	}
	out_text(out, "\n],\"note\":");
	write_string(sheet->note ? sheet->note : "", out);
	out_text(out, "}\n");
}
