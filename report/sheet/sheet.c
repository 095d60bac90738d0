/* SPDX-License-Identifier: MIT */
#include "report/sheet/sheet.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/visible.h"
#include "report/session/estimate.h"

bool out_take_file(void *file, const char *bytes, size_t length)
{
	return fwrite(bytes, 1, length, file) == length;
}

void out_flush(struct out *out)
{
	if (!out->failed && out->length > 0)
		out->failed = !out->take(out->target, out->buffer, out->length);
	out->taken += out->length;
	out->length = 0;
}

void out_bytes(struct out *out, const char *bytes, size_t length)
{
	while (length > 0) {
		size_t part = out->size - out->length;

		LOWER(part, length);
		memcpy(out->buffer + out->length, bytes, part);
		out->length += part;
		bytes += part;
		length -= part;
		if (out->length == out->size)
			out_flush(out);
	}
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_entities(struct out *out, const char *text, const char *special)
{
	char shown[VISIBLE_SIZE];
	size_t length;

	while ((length = visible_next(&text, shown)) > 0) {
		bool is_special = strchr(special, *shown) != NULL;

		if (is_special)
			out_format(out, "&#%d;", *shown);
		out_bytes(out, shown + is_special, length - is_special);
	}
}

void out_visible(struct out *out, const char *text)
{
	out_entities(out, text, "");
}

void out_blanks(struct out *out, int count)
{
	while (count-- > 0)
		out_bytes(out, " ", 1);
}

void out_format(struct out *out, const char *format, ...)
{
	char text[500];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	out_text(out, text);
}

const char *sheet_mark(const struct cell *cell)
{
	switch (cell->mark) {
	case '~':
		return "~";
	case '>':
		return ">";
	case '<':
		return "≤";
	default:
		return "";
	}
}

void cell_count(struct cell *cell, uint64_t count)
{
	cell->known = true;
	cell->count = count;
}

void cell_real(struct cell *cell, double value)
{
	cell->known = !isnan(value);
	cell->real = value;
}

void cell_text(struct cell *cell, const char *text)
{
	cell->known = text != NULL;
	cell->text = text;
}

void cell_group(struct cell *cell, uint64_t group, const char *text)
{
	cell_text(cell, text);
	cell->group = group;
}

void cell_own(struct cell *cell, char *text)
{
	cell_text(cell, text);
	cell->owned = text;
}

void cell_markup(struct cell *cell, char *markup)
{
	cell_own(cell, markup);
	cell->markup = markup;
}

void cell_print(struct cell *cell, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(cell->small, sizeof(cell->small), format, arguments);
	va_end(arguments);
	if (length < (int)sizeof(cell->small)) {
		cell_text(cell, cell->small);
		return;
	}
	va_start(arguments, format);
	cell_own(cell, vasprintf(&text, format, arguments) < 0 ? NULL : text);
	va_end(arguments);
}

bool column_shows(const struct sheet *sheet, unsigned column)
{
	const struct column *of = &sheet->columns[column];
	bool page = sheet->form == SHEET_HTML && of->page;

	return (page			   ? *of->page != '\0'
		: sheet->form == SHEET_CSV ? of->csv != NULL
					   : of->heading != NULL) &&
	       (!of->parts || of->parts & sheet->parts);
}

void sheet_begin(struct sheet *sheet, enum sheet_form form)
{
	sheet->form = form;
	sheet->ordered = 0;
	/* In HTML what a row is of comes first. */
	for (int head = form == SHEET_HTML; head >= 0; head--)
		for (unsigned i = 0; i < sheet->column_count; i++)
			if (column_shows(sheet, i) &&
			    (form != SHEET_HTML || sheet->columns[i].head == head))
				sheet->order[sheet->ordered++] = (uint8_t)i;
}

void sheet_clear(struct sheet *sheet)
{
	for (unsigned i = 0; i < sheet->column_count; i++)
		free(sheet->cells[i].owned);
	memset(sheet->cells, 0, sheet->column_count * sizeof(*sheet->cells));
}

struct cell *sheet_cells(struct sheet *sheet, size_t row)
{
	sheet_clear(sheet);
	sheet->row(sheet, row, sheet->cells);
	return sheet->cells;
}

const char *sheet_shown(const struct sheet *sheet, unsigned column, const struct cell *cell,
			char buffer[NUMBER_SIZE])
{
	const struct column *of = &sheet->columns[column];
	bool own_unit = !sheet->units[column], page = sheet->form == SHEET_HTML;
	unsigned unit = sheet->units[column] - 1u;

	if (!cell->known || cell->text)
		return cell->known ? cell->text : sheet->nsys ? "" : "-";
	if (page && !cell->count && (of->kind == CELL_SIZE || of->kind == CELL_SIZE_ABOUT))
		return "-";
	switch ((enum cell_kind)of->kind) {
	case CELL_TIME:
	case CELL_NS:
		return own_unit ? (cell->about ? number_time_rounded : number_time)(buffer,
										    cell->count)
				: number_time_in(buffer, cell->count, unit);
	case CELL_TIME_ABOUT:
		return number_about(buffer, (double)cell->count, 3);
	case CELL_SIZE:
		return own_unit ? number_size(buffer, cell->count)
				: number_size_in(buffer, (double)cell->count, unit);
	case CELL_SIZE_ABOUT:
		return number_bytes_about(buffer, cell->count);
	case CELL_THROUGHPUT:
		return own_unit ? number_throughput(buffer, cell->real)
				: number_size_in(buffer, cell->real, unit);
	case CELL_PERCENT:
		snprintf(buffer, NUMBER_SIZE, sheet->has_units ? "%.2f" : "%.2f%%", cell->real);
		break;
	case CELL_SHARE:
		return number_percent(buffer, cell->real);
	case CELL_RATE:
		return number_rate(buffer, cell->real);
	case CELL_REAL:
	case CELL_MEAN:
		snprintf(buffer, NUMBER_SIZE, "%.*f", of->decimals, cell->real);
		break;
	case CELL_MEAN_NS:
		return number_time(buffer, to_unsigned(cell->real + 0.5));
	case CELL_RATIO:
		return number_ratio(buffer, cell->real);
	case CELL_COUNT:
		if (page)
			return number_count(buffer, cell->count);
		/* fall through */
	default:
		snprintf(buffer, NUMBER_SIZE, "%llu", (unsigned long long)cell->count);
		break;
	}
	return buffer;
}

const char *sheet_exact(const struct sheet *sheet, unsigned column, const struct cell *cell,
			char buffer[NUMBER_SIZE])
{
	const struct column *of = &sheet->columns[column];
	bool plain = !sheet->units[column];
	unsigned unit = sheet->units[column] - 1u;

	if (!cell->known || cell->text)
		return cell->known ? cell->text : "";
	if (of->kind == CELL_TIME && !plain)
		return number_time_csv(buffer, cell->count, unit);
	if (of->kind == CELL_SIZE && !plain)
		return number_size_csv(buffer, (double)cell->count, unit);
	if (of->kind == CELL_THROUGHPUT && !plain)
		return number_size_csv(buffer, cell->real, unit);
	if (of->kind < CELL_REALS)
		snprintf(buffer, NUMBER_SIZE, "%llu", (unsigned long long)cell->count);
	else if (of->kind == CELL_RATE || of->kind == CELL_SHARE)
		snprintf(buffer, cell->real > 0 ? NUMBER_SIZE : 1, "%.6g", cell->real);
	else if (of->kind == CELL_MEAN || of->kind == CELL_RATIO)
		snprintf(buffer, NUMBER_SIZE, "%.9g", cell->real);
	else
		snprintf(buffer, NUMBER_SIZE, "%.*f", of->kind >= CELL_REAL ? of->decimals : 6,
			 cell->real);
	return buffer;
}

const char *sheet_unit(const struct sheet *sheet, unsigned column, char buffer[NUMBER_SIZE])
{
	const struct column *of = &sheet->columns[column];
	unsigned unit = sheet->units[column] - 1u;

	if (of->kind == CELL_PERCENT)
		return "%";
	if (of->unit || !sheet->units[column])
		return of->unit ? of->unit : "";
	if (of->kind == CELL_TIME)
		return time_unit_names[unit];
	if (of->kind != CELL_SIZE && of->kind != CELL_THROUGHPUT)
		return "";
	snprintf(buffer, NUMBER_SIZE, "%s%s", size_unit_names[unit],
		 of->kind == CELL_THROUGHPUT ? "/s" : "");
	return buffer;
}

void sheet_choose_units(struct sheet *sheet, int unit, size_t first, size_t count)
{
	double largest[SHEET_COLUMNS] = {0};

	sheet->has_units = unit != UNIT_AUTO || sheet->form == SHEET_CSV;
	if (!sheet->has_units)
		return;
	for (size_t row = first; row < first + count; row++) {
		const struct cell *cells = sheet_cells(sheet, row);

		for (unsigned i = 0; i < sheet->column_count; i++) {
			bool real = sheet->columns[i].kind > CELL_REALS;
			double value = real ? cells[i].real : (double)cells[i].count;

			if (cells[i].known && value > largest[i])
				largest[i] = value;
		}
	}
	for (unsigned i = 0; i < sheet->column_count; i++) {
		uint8_t kind = sheet->columns[i].kind;

		if (kind == CELL_TIME)
			sheet->units[i] =
				1 + (unit > UNIT_NS ? (int)number_time_unit(to_unsigned(largest[i]))
						    : unit);
		else if (kind == CELL_SIZE || kind == CELL_THROUGHPUT)
			sheet->units[i] = 1 + number_size_unit(largest[i]);
	}
}

enum sheet_form sheet_form_of(const struct options *options)
{
	return options->csv ? SHEET_CSV : options->as_markdown ? SHEET_MARKDOWN : SHEET_TEXT;
}

void sheet_write(struct sheet *sheet, FILE *file)
{
	struct out out = OUT_TO_FILE(file);

	if (sheet->form == SHEET_MARKDOWN) {
		/* The lines around a table are paragraphs of their own. */
		out_text(&out, "\n");
		if (sheet->title) {
			out_visible(&out, sheet->title);
			out_text(&out, "\n\n");
		}
		sheet_markdown(sheet, &out);
		out_text(&out, sheet->note ? sheet->note : "");
		out_text(&out, "\n");
	} else {
		(sheet->form == SHEET_CSV ? sheet_csv : sheet_text)(sheet, &out);
	}
	out_flush(&out);
	sheet_clear(sheet);
}
