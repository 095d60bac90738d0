/* SPDX-License-Identifier: MIT */
#include "report/html/html.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/output.h"
#include "report/names/visible.h"
#include "report/session/text.h"

/* The files of this folder that are part of every page: see report/command/assets.S. */
extern const char page_css[], page_js[], timeline_css[], records_js[], drawing_js[], timeline_js[];
extern const size_t page_css_size, page_js_size, timeline_css_size, records_js_size,
	drawing_js_size, timeline_js_size;

#define TEXT_SPECIAL "<>&\"'`"

void html_text(struct html *html, const char *text)
{
	struct out out = OUT_TO_FILE(html->file);

	out_entities(&out, text, TEXT_SPECIAL);
	out_flush(&out);
}

void html_sentence(struct html *html, const char *text)
{
	const char *end;

	for (const char *tick; (tick = strchr(text, '`')) && (end = strchr(tick + 1, '`'));
	     text = end + 1) {
		struct out out = OUT_TO_FILE(html->file);
		const char *parts[] = {text, tick + 1}, *ends[] = {tick, end};

		for (unsigned i = 0; i < 2; i++) {
			char *part = strndup(parts[i], (size_t)(ends[i] - parts[i]));

			out_text(&out, i ? "<code>" : "");
			out_entities(&out, part ? part : "", TEXT_SPECIAL);
			out_text(&out, i ? "</code>" : "");
			free(part);
		}
		out_flush(&out);
	}
	html_text(html, text);
}

FILE *html_lines_begin(struct html_lines *lines)
{
	*lines = (struct html_lines){.text = NULL};
	lines->file = open_memstream(&lines->text, &lines->size);
	return lines->file;
}

int html_lines_end(struct html *html, struct html_lines *lines, const char *element)
{
	int error = text_close(lines->file, &lines->text);
	char *rest = lines->text, *line;

	if (!error && lines->size)
		fprintf(html->file, "<%s class=\"%s\">\n", element,
			*element == 'o' ? "findings" : "lines");
	while (!error && lines->size && (line = strsep(&rest, "\n")) && rest) {
		char *figure = strchr(line, '\t') ? strsep(&line, "\t") : NULL;

		fputs(figure ? "<li class=\"timed\"><b>" : "<li>", html->file);
		if (figure) {
			html_text(html, figure);
			fputs("</b> <span>", html->file);
		}
		html_sentence(html, line);
		fputs(figure ? "</span>" : "", html->file);
		fputs("</li>\n", html->file);
	}
	if (!error && lines->size)
		fprintf(html->file, "</%s>\n", element);
	free(lines->text);
	return error;
}

void html_fact(struct html *html, const char *what, const char *class, const char *value,
	       const char *note)
{
	fprintf(html->file, "<div><dt>%s</dt><dd class=\"%s\">", what, class);
	html_text(html, value);
	fputs("</dd><dd class=\"note\">", html->file);
	html_text(html, note);
	fputs("</dd></div>\n", html->file);
}

void html_json_text(struct html *html, const char *text)
{
	char shown[VISIBLE_SIZE];
	size_t length;

	fputc('"', html->file);
	while ((length = visible_next(&text, shown)) > 0) {
		/* "</script>" and "<!--" would end the element, or change how it is read. */
		bool special = strchr("<>&\"'\\", *shown) != NULL;

		if (special)
			fprintf(html->file, "\\u%04x", *shown);
		fwrite(shown + special, 1, length - special, html->file);
	}
	fputc('"', html->file);
}

void html_begin(struct html *html, const char *title)
{
	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
	      "base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"generator\" content=\"ktime " KTIME_VERSION "\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      html->file);
	html_text(html, title);
	fputs("</title>\n<style>\n", html->file);
	fwrite(page_css, 1, page_css_size, html->file);
	fwrite(timeline_css, 1, timeline_css_size, html->file);
	fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the "
	      "report</a>\n",
	      html->file);
}

void html_end(struct html *html)
{
	fputs("<footer>Made by ktime " KTIME_VERSION
	      ". Times are those of <code>ktime show</code>; "
	      "KB, MB and GB are 2<sup>10</sup>, 2<sup>20</sup> and 2<sup>30</sup> bytes, "
	      "GB/s 10<sup>9</sup> bytes a second.</footer>\n<script>\n",
	      html->file);
	fwrite(page_js, 1, page_js_size, html->file);
	fputs("</script>\n</body>\n</html>\n", html->file);
}

void html_timeline_script(struct html *html)
{
	fputs("<script>\n", html->file);
	fwrite(records_js, 1, records_js_size, html->file);
	fwrite(drawing_js, 1, drawing_js_size, html->file);
	fwrite(timeline_js, 1, timeline_js_size, html->file);
	fputs("</script>\n", html->file);
}

/* The titles of columns, as html_table_begin() has them. */
static void write_columns(struct html *html, const char *columns)
{
	fputs("<thead><tr>", html->file);
	while (*columns) {
		bool unsorted = *columns == '-', number = columns[unsorted] == '#';
		const char *title = columns + unsorted + number;
		size_t length = strcspn(title, "|");

		fputs("<th scope=\"col\"", html->file);
		if (unsorted || number)
			fprintf(html->file, " class=\"%s%s%s\"", unsorted ? "unsorted" : "",
				unsorted && number ? " " : "", number ? "number" : "");
		fprintf(html->file, ">%.*s</th>", (int)length, title);
		columns = title + length + (title[length] == '|');
	}
	fputs("</tr></thead>\n<tbody>\n", html->file);
}

static void write_labels(struct html *html, const char *id, const char *columns)
{
	struct out out = OUT_TO_FILE(html->file);
	char title[32];

	out_text(&out, "<style>@media (max-width: 40rem) {\n");
	for (unsigned i = 0; *columns; i++) {
		size_t length;

		columns += strspn(columns, "-#");
		length = strcspn(columns, "|");
		snprintf(title, sizeof(title), "%.*s", (int)length, columns);
		if (i > 0)
			sheet_narrow_label(&out, id, i, title);
		columns += length + (columns[length] == '|');
	}
	out_text(&out, "}</style>\n");
	out_flush(&out);
}

void html_navigation(struct html *html, const struct html_link *links, size_t count)
{
	fputs("<nav aria-label=\"Sections\">\n<ul>\n", html->file);
	for (size_t i = 0; i < count; i++)
		if (links[i].id)
			fprintf(html->file, "<li><a href=\"#%s\">%s</a></li>\n", links[i].id,
				links[i].title);
	fputs("</ul>\n</nav>\n", html->file);
}

void html_table_begin(struct html *html, const char *id, const char *class, const char *caption,
		      const char *columns)
{
	if (columns)
		write_labels(html, id, columns);
	fprintf(html->file,
		"<div class=\"scroll\" role=\"region\" aria-labelledby=\"%s-caption\" "
		"tabindex=\"0\">\n<table id=\"%s\" class=\"%s\">\n<caption id=\"%s-caption\">%s"
		"</caption>\n",
		id, id, class, id, caption);
	if (columns)
		write_columns(html, columns);
}

void html_table_end(struct html *html)
{
	fputs("</tbody>\n</table>\n</div>\n", html->file);
}

/* Rows that are seen of a table, as the style has it, and how many more it must have to be folded.
 * Chosen: what a reader asks next is near. */
#define ROWS_SEEN      10
#define DULL_ROWS_SEEN 2
#define LEAST_FOLDED   3

static void write_fold(struct html *html, size_t rows, size_t seen, const char *class,
		       const char *text)
{
	if (rows < seen + LEAST_FOLDED)
		return;
	fprintf(html->file,
		"<details class=\"%s\"><summary><span class=\"more\">and %zu more "
		"rows%s</span><span class=\"fewer\">only the first %zu rows</span></summary>"
		"</details>\n",
		class, rows - seen, text, seen);
}

void html_fold(struct html *html, size_t rows)
{
	write_fold(html, rows, ROWS_SEEN, "fold", "");
}

void html_fold_dull(struct html *html, size_t rows, const char *text)
{
	write_fold(html, rows, DULL_ROWS_SEEN, "fold dull", text);
}

void html_sheet(struct html *html, struct sheet *sheet, const char *id, const char *class,
		const char *caption)
{
	struct out out = OUT_TO_FILE(html->file);

	sheet->id = id;
	sheet->class = class;
	sheet->caption = caption;
	sheet_html(sheet, &out);
	out_flush(&out);
	sheet_clear(sheet);
	html_fold(html, sheet->shown);
	if (out.failed)
		html->error = -ENOMEM;
}

bool html_cell_begin(struct html_markup *markup)
{
	*markup = (struct html_markup){.text = NULL};
	markup->inside.file = open_memstream(&markup->text, &markup->size);
	return markup->inside.file;
}

void html_cell_end(struct html *html, struct html_markup *markup, struct cell *cell)
{
	if (text_close(markup->inside.file, &markup->text) || markup->inside.error)
		html->error = -ENOMEM;
	cell_markup(cell, markup->text);
}

void html_number(struct html *html, double value, const char *text)
{
	fprintf(html->file, "<td class=\"number\" data-value=\"%.12g\">", value);
	html_text(html, text);
	fputs("</td>", html->file);
}

int html_file(const char *path, bool overwrite, int (*write)(FILE *file, void *argument),
	      void *argument, char *message, size_t size)
{
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL), previous;
	struct output output;
	int error;

	if (!c_locale) {
		snprintf(message, size, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	previous = uselocale(c_locale);
	error = output_open(&output, path, overwrite, false, message, size);
	if (error)
		goto out;
	error = write(output.file, argument);
	if (error) {
		snprintf(message, size, "%s: %s", path, strerror(-error));
		output_abandon(&output);
	} else {
		error = output_finish(&output, message, size);
	}
out:
	uselocale(previous);
	freelocale(c_locale);
	return error;
}
