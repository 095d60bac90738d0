/* SPDX-License-Identifier: MIT */
/*
 * A page of HTML in one file: its frame, and text that came from a program written so that it stays
 * text. The page asks no network for anything, and its policy lets nothing in it do so.
 *
 * One thread at a time, in the "C" locale.
 */
#ifndef KTIME_REPORT_HTML_HTML_H
#define KTIME_REPORT_HTML_HTML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/options/options.h"
#include "report/session/session.h"
#include "report/sheet/sheet.h"

/* A part of a page, or all of it. */
struct html {
	FILE *file;
	int error; /* the first one, -errno: memory was out */
};

/* A text from a program: control characters and bytes that are no UTF-8 as \x1b, and what would be
 * markup, in an element or in an attribute's quotes, as references. */
void html_text(struct html *html, const char *text);
/* The same, and what stands between backticks as code. */
void html_sentence(struct html *html, const char *text);
/* Makes a list of the lines that the caller writes to a file between two calls: a list of lines,
 * "ul", or of findings, "ol". What stands before a tab in a line is its figure. The file is NULL if
 * memory is out; `error` is -ENOMEM then. */
struct html_lines {
	FILE *file;
	char *text;
	size_t size;
};
FILE *html_lines_begin(struct html_lines *lines);
int html_lines_end(struct html *html, struct html_lines *lines, const char *element);
/* A figure of those that a page begins with, a div of a dl.figures: what it is, its value, whose
 * class is "value" or "value name", and a note below. */
void html_fact(struct html *html, const char *what, const char *class, const char *value,
	       const char *note);
/* A text as a string of JSON inside a script element, with its quotes. */
void html_json_text(struct html *html, const char *text);

/* What a page begins with, up to the link that skips to the report. */
void html_begin(struct html *html, const char *title);
/* What a page ends with: its scripts, without which it can be read too. */
void html_end(struct html *html);
/* Writes the script of a timeline, after the timeline's data. */
void html_timeline_script(struct html *html);

/* The links to a page's sections, which stay in sight. Those whose id is NULL are left out. */
struct html_link {
	const char *id, *title;
};
void html_navigation(struct html *html, const struct html_link *links, size_t count);

/* A table's frame, which scrolls where it is wider than the page. `id` is the table's; the caption
 * is text of HTML. So are the columns' titles, with '|' between them; '#' stands before the title
 * of numbers, '-' before that of a column by which the page does not sort. NULL: the caller writes
 * them. */
void html_table_begin(struct html *html, const char *id, const char *class, const char *caption,
		      const char *columns);
void html_table_end(struct html *html);
/* What follows a table of `rows`, if these are many: the first ones are seen, and the others once
 * this is opened. */
void html_fold(struct html *html, size_t rows);
/* The same for rows of which none is worth a look, which the text says: ", none faster". */
void html_fold_dull(struct html *html, size_t rows, const char *text);
/* A sheet as a table, folded if it is long. */
void html_sheet(struct html *html, struct sheet *sheet, const char *id, const char *class,
		const char *caption);

/* Puts the HTML that the caller writes to `inside` between two calls into a cell. False if memory
 * is out, which `error` of the page says then. */
struct html_markup {
	struct html inside;
	char *text;
	size_t size;
};
bool html_cell_begin(struct html_markup *markup);
void html_cell_end(struct html *html, struct html_markup *markup, struct cell *cell);

/* A cell with a number: how it reads, and what the column is sorted by; -1: not known. */
void html_number(struct html *html, double value, const char *text);

/*
 * Writes a page to `path` ("-": standard output), which must not be there unless `overwrite`; it
 * comes into being whole or not at all. `write` is called in the "C" locale, and returns 0 or
 * -errno. 0, or -errno with a one-line message.
 */
int html_file(const char *path, bool overwrite, int (*write)(FILE *file, void *argument),
	      void *argument, char *message, size_t size);

/*
 * `ktime show --html`: writes the page of a profile, of one process or merged, to `path` ("-":
 * standard output), which must not be there unless the options say to overwrite it. 0, or -errno
 * with a one-line message.
 */
int profile_page_write(struct session *session, const struct options *options, const char *path,
		       char *message, size_t size);

#endif
