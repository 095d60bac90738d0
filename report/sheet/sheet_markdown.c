/* SPDX-License-Identifier: MIT */
/* A sheet as a table of Markdown. */
#include "report/sheet/sheet.h"

/* As GitHub has it. */
void sheet_markdown(struct sheet *sheet, struct out *out)
{
	char buffer[NUMBER_SIZE];

	sheet_begin(sheet, SHEET_MARKDOWN);
	out_text(out, "|");
	for (unsigned i = 0; i < sheet->ordered; i++)
		out_format(out, " %s |", sheet->columns[sheet->order[i]].heading);
	out_text(out, "\n|");
	for (unsigned i = 0; i < sheet->ordered; i++) {
		const struct column *column = &sheet->columns[sheet->order[i]];

		out_text(out, column->width > 0 && !column->once ? "---:|" : "---|");
	}
	out_text(out, "\n");
	for (size_t row = sheet->first; row < sheet->rows; row++) {
		const struct cell *cells = sheet_cells(sheet, row);

		out_text(out, "|");
		for (unsigned i = 0; i < sheet->ordered; i++) {
			unsigned column = sheet->order[i];
			bool name = sheet->columns[column].name;
			bool number = sheet->columns[column].kind > CELL_PICTURE;

			out_text(out, name ? " <code>" : " ");
			out_text(out, sheet_mark(&cells[column]));
			out_entities(out, sheet_shown(sheet, column, &cells[column], buffer),
				     number ? "|" : MARKDOWN_SPECIAL);
			out_text(out, name ? "</code> |" : " |");
		}
		out_text(out, "\n");
	}
}
