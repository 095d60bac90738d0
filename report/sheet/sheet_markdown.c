/* SPDX-License-Identifier: MIT */
/* A sheet as a table of GitHub's Markdown. */
#include "report/sheet/sheet.h"

/* A bar would end the cell, and other characters of C++ names would be markup. */
#define SPECIAL "|<>&`*_~[]\\"

void sheet_markdown(struct sheet *sheet, struct out *out)
{
	char buffer[NUMBER_SIZE];

	sheet->form = SHEET_MARKDOWN;
	out_text(out, "|");
	for (unsigned i = 0; i < sheet->column_count; i++)
		if (column_shows(sheet, i))
			out_format(out, " %s |", sheet->columns[i].heading);
	out_text(out, "\n|");
	for (unsigned i = 0; i < sheet->column_count; i++)
		if (column_shows(sheet, i))
			out_text(out, sheet->columns[i].width > 0 && !sheet->columns[i].once
					      ? "---:|"
					      : "---|");
	out_text(out, "\n");
	for (size_t row = sheet->first; row < sheet->rows; row++) {
		const struct cell *cells = sheet_cells(sheet, row);

		out_text(out, "|");
		for (unsigned i = 0; i < sheet->column_count; i++) {
			bool name = sheet->columns[i].name;

			if (!column_shows(sheet, i))
				continue;
			out_text(out, name ? " <code>" : " ");
			out_bytes(out, &cells[i].mark, cells[i].mark != '\0');
			out_entities(out, sheet_shown(sheet, i, &cells[i], buffer),
				     name ? SPECIAL : "|");
			out_text(out, name ? "</code> |" : " |");
		}
		out_text(out, "\n");
	}
}
