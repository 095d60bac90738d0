/* SPDX-License-Identifier: MIT */
/* A sheet as a table of a page, where numbers carry the value that they are sorted by. */
#include "report/sheet/sheet.h"

/* What would be markup on a page. */
#define PAGE_SPECIAL "<>&\"'`"

static void write_headings(const struct sheet *sheet, struct out *out)
{
	out_format(out,
		   "<div class=\"scroll\" role=\"region\" aria-labelledby=\"%s-caption\" "
		   "tabindex=\"0\">\n<table id=\"%s\" class=\"%s\">\n<caption id=\"%s-caption\">",
		   sheet->id, sheet->id, sheet->class, sheet->id);
	out_text(out, sheet->caption);
	out_text(out, "</caption>\n<thead><tr>");
	for (unsigned i = 0; i < sheet->ordered; i++) {
		const struct column *column = &sheet->columns[sheet->order[i]];

		/* A column of pictures is in no order. */
		out_format(out, "<th scope=\"col\"%s>",
			   column->kind == CELL_PICTURE	 ? " class=\"unsorted\""
			   : column->kind > CELL_PICTURE ? " class=\"number\""
							 : "");
		out_entities(out, column->page ? column->page : column->heading, PAGE_SPECIAL);
		out_text(out, "</th>");
	}
	out_text(out, "</tr></thead>\n<tbody>\n");
}

void sheet_narrow_label(struct out *out, const char *id, unsigned column, const char *heading)
{
	if (*heading)
		out_format(out, "#%s tbody tr>:nth-child(%u)::before{content:\"%s \"}\n", id,
			   column + 1, heading);
}

static void write_labels(const struct sheet *sheet, struct out *out)
{
	out_text(out, "<style>@media (max-width: 40rem) {\n");
	for (unsigned i = 0; i < sheet->ordered; i++) {
		const struct column *column = &sheet->columns[sheet->order[i]];

		/* A name needs none. */
		if (!column->head || !column->name)
			sheet_narrow_label(out, sheet->id, i,
					   column->page ? column->page : column->heading);
	}
	out_text(out, "}</style>\n");
}

/* What a number is sorted by: what is not known comes last. */
static void write_value(const struct column *column, const struct cell *cell, bool share,
			struct out *out)
{
	out_format(out, " class=\"number%s\" data-value=\"", share ? " share" : "");
	if (!cell->known || (column->kind == CELL_SHARE && !share))
		out_text(out, "-1");
	else if (share)
		out_format(out, "%.6f", cell->real);
	else if (column->kind == CELL_TIME || column->kind == CELL_NS)
		out_format(out, "%llu", (unsigned long long)cell->count);
	else if (column->kind == CELL_INTEGER)
		out_format(out, "%lld", (long long)cell->count);
	else
		out_format(out, "%.12g",
			   column->kind > CELL_REALS ? cell->real : (double)cell->count);
	out_text(out, "\"");
}

static void write_cell(const struct sheet *sheet, unsigned number, const struct cell *cell,
		       struct out *out)
{
	const struct column *column = &sheet->columns[number];
	const char *element = column->head ? "th" : "td";
	bool share = column->kind == CELL_PERCENT ||
		     (column->kind == CELL_SHARE && cell->real > 0 && !cell->text);
	char buffer[NUMBER_SIZE];

	/* Only a name that there was no memory for. */
	out->failed |= column->head && !cell->known;
	out_format(out, column->head ? "<%s scope=\"row\"" : "<%s", element);
	if (column->kind > CELL_PICTURE)
		write_value(column, cell, share, out);
	else if (column->name)
		out_text(out, " class=\"name\"");
	if (column->head && sheet->tree)
		out_format(out, " style=\"--depth:%u\"", cell->depth);
	out_text(out, ">");
	out_entities(out, sheet_mark(cell), PAGE_SPECIAL);
	if (share && cell->known)
		out_format(out,
			   "<svg class=\"bar\" aria-hidden=\"true\"><rect%s%s%s "
			   "width=\"%.2f%%\" height=\"100%%\"/></svg> %.2f%%",
			   cell->class ? " class=\"" : "", cell->class ? cell->class : "",
			   cell->class ? "\"" : "", cell->real, cell->real);
	else if (cell->markup)
		out_text(out, cell->markup);
	else
		out_entities(out, sheet_shown(sheet, number, cell, buffer), PAGE_SPECIAL);
	out_format(out, "</%s>", element);
}

void sheet_html(struct sheet *sheet, struct out *out)
{
	size_t begin = out->taken + out->length, row = sheet->first;

	sheet_begin(sheet, SHEET_HTML);
	write_headings(sheet, out);
	for (; row < sheet->rows; row++) {
		const struct cell *cells;

		if (sheet->room && out->taken + out->length - begin >= sheet->room)
			break;
		cells = sheet_cells(sheet, row);
		if (sheet->tree)
			out_format(out, "<tr data-depth=\"%u\">", cells[sheet->order[0]].depth);
		else
			out_text(out, "<tr>");
		for (unsigned i = 0; i < sheet->ordered; i++)
			write_cell(sheet, sheet->order[i], &cells[sheet->order[i]], out);
		out_text(out, "</tr>\n");
	}
	out_text(out, "</tbody>\n</table>\n");
	write_labels(sheet, out);
	out_text(out, "</div>\n");
	sheet->shown = row - sheet->first;
}
