/* SPDX-License-Identifier: MIT */
/* A sheet as a table of HTML; numbers carry their value, by which a page sorts them. */
#include "report/sheet/sheet.h"

#define SPECIAL "<>&\"'`"

static void write_cell(const struct sheet *sheet, unsigned column, const struct cell *cell,
		       struct out *out)
{
	bool real = sheet->columns[column].kind > CELL_REALS;
	char buffer[NUMBER_SIZE];

	if (sheet->columns[column].kind <= CELL_WORD)
		out_text(out, "<td>");
	else
		out_format(out, "<td class=\"number\" data-value=\"%.12g\">",
			   real ? cell->real : (double)cell->count);
	out_bytes(out, &cell->mark, cell->mark != '\0');
	out_entities(out, sheet_shown(sheet, column, cell, buffer), SPECIAL);
	out_text(out, "</td>");
}

void sheet_html(struct sheet *sheet, struct out *out)
{

	sheet->form = SHEET_HTML;
	out_text(out, "<table>\n<caption>");
	out_entities(out, sheet->title ? sheet->title : "", SPECIAL);
	out_text(out, "</caption>\n<thead><tr>");
	for (unsigned i = 0; i < sheet->column_count; i++) {
		if (!column_shows(sheet, i))
			continue;
		out_text(out, "<th scope=\"col\">");
		out_entities(out, sheet->columns[i].heading, SPECIAL);
		out_text(out, "</th>");
	}
	out_text(out, "</tr></thead>\n<tbody>\n");
	for (size_t row = sheet->first; row < sheet->rows; row++) {
		const struct cell *cells = sheet_cells(sheet, row);

		out_text(out, "<tr>");
		for (unsigned i = 0; i < sheet->column_count; i++)
			if (column_shows(sheet, i))
				write_cell(sheet, i, &cells[i], out);
		out_text(out, "</tr>\n");
	}
	out_text(out, "</tbody>\n</table>\n");
	if (!sheet->note)
		return;
	out_text(out, "<p>");
	out_entities(out, sheet->note, SPECIAL);
	out_text(out, "</p>\n");
}
