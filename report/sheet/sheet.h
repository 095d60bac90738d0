/* SPDX-License-Identifier: MIT */
/*
 * A sheet: one table of a report, described once and written as text, CSV, HTML or Markdown.
 * Its columns say where they show and what their values are; a function fills the cells of a row
 * when the row is written, so that a sheet takes no memory for its rows.
 */
#ifndef KTIME_REPORT_SHEET_SHEET_H
#define KTIME_REPORT_SHEET_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/options/options.h"
#include "report/sheet/number.h"

/*
 * Where a table is written: a buffer that hands on what it holds when it is full. It needs no
 * memory and no stream of stdio's, so that it serves the report after a signal too.
 */
struct out {
	char *buffer;
	size_t size, length;
	size_t taken; /* bytes that were handed on */
	/* Takes the bytes; false: nothing more is to be written. */
	bool (*take)(void *target, const char *bytes, size_t length);
	void *target;
	bool failed;
};

/* One that writes to a stream. */
#define OUT_TO_FILE(file)                                                                          \
	{                                                                                          \
		.buffer = (char[1024]){0}, .size = 1024, .take = out_take_file, .target = file     \
	}
bool out_take_file(void *file, const char *bytes, size_t length);

void out_bytes(struct out *out, const char *bytes, size_t length);
void out_text(struct out *out, const char *text);
/* Text from outside: see visible.h. */
void out_visible(struct out *out, const char *text);
/* As out_visible(), but the characters of `special` are written as HTML's entities. */
void out_entities(struct out *out, const char *text, const char *special);
void out_blanks(struct out *out, int count);
/* Writes a formatted text of at most 500 bytes. */
void out_format(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Hands on what the buffer holds. To be called last. */
void out_flush(struct out *out);

#define SHEET_COLUMNS 32

enum sheet_form { SHEET_TEXT, SHEET_CSV, SHEET_HTML, SHEET_JSON, SHEET_MARKDOWN };

/* What a column's values are, and how they are written: for reading, and in CSV. */
enum cell_kind {
	CELL_TEXT,
	CELL_WORD,    /* a text without quotes in CSV */
	CELL_PICTURE, /* in HTML: markup of the section's own, by which no page sorts */
	CELL_INTEGER, /* of something that has a number, such as a device: in HTML not grouped */
	CELL_COUNT,
	CELL_TIME,	 /* ns: in the column's unit, or each in one of its own */
	CELL_NS,	 /* ns: the same; as they are */
	CELL_TIME_ABOUT, /* ns: "20.1 ms"; as they are */
	CELL_SIZE,	 /* bytes: as CELL_TIME */
	CELL_SIZE_ABOUT, /* bytes: "1.4 MB"; as they are */
	CELL_REALS,	 /* those below are real numbers */
	CELL_THROUGHPUT, /* bytes per second: as CELL_TIME */
	CELL_PERCENT,	 /* in HTML with a bar */
	CELL_SHARE,	 /* of a peak, percent: one decimal, "-" for 0; as CELL_RATE */
	CELL_RATE,	 /* four digits, "-" for 0; six digits, nothing for 0 */
	CELL_REAL,	 /* with the column's decimals */
	CELL_MEAN,	 /* of counts: without decimals; nine digits */
	CELL_MEAN_NS,	 /* of ns: as CELL_NS; with the column's decimals */
	CELL_RATIO	 /* of about 1: three decimals; nine digits */
};

struct column {
	const char *heading; /* NULL: not in text, HTML and Markdown */
	const char *csv;     /* NULL: not in CSV */
	const char *page;    /* the heading in HTML, if it is another one; "": not in HTML */
	uint8_t kind;	     /* enum cell_kind */
	int8_t width;	     /* the least, in text; negative: aligned to the left */
	uint8_t most;	     /* the width is that of the longest cell, up to this one; 0: fixed */
	uint8_t before;	     /* blanks before it; 0: two, in which a '~' finds room */
	uint8_t decimals;
	/* It shows if it is of one of the sheet's parts; 0: always. */
	uint16_t parts;
	const char *unit; /* of kinds whose values are in one unit */
	bool name;	  /* of something outside; in Markdown as code */
	bool head;	  /* what the row is of: comes first in HTML */
	/* Its cells begin a group of rows where their group changes: in text they are left out in
	 * the rows after, or stand on a line of their own, after `line` and before `line_end`. */
	bool once;
	const char *line, *line_end;
};

struct cell {
	bool known;
	char mark; /* '~': estimated, '>': at least, '<': at most, written "≤"; 0: none */
	union {
		uint64_t count;
		double real;
	};
	bool about;   /* a time of which three digits are known */
	double error; /* half the interval of an estimate; 0: none */
	/* In place of a number too. As it is; the writers make it visible. */
	const char *text;
	char small[48], *owned; /* texts that were made for it */
	const char *markup;	/* HTML in place of the text, and as it is */
	const char *class;	/* of HTML: of the bar of a share, which has its colour */
	uint64_t group;
	unsigned depth; /* of a row in a tree: in how many others it is */
};

struct sheet {
	const struct column *columns;
	unsigned column_count;
	/* Fills the cells of a row, which are unknown before. */
	void (*row)(const struct sheet *sheet, size_t row, struct cell *cells);
	const void *argument; /* the function's */
	size_t rows;
	size_t first;	      /* row that is written */
	bool continued;	      /* the headings stand there already */
	enum sheet_form form; /* that is being written */
	/* The columns that it has in this form, in their order. */
	uint8_t order[SHEET_COLUMNS], ordered;
	unsigned parts;
	const char *title; /* NULL: none */
	const char *note;  /* what is to be said below it; NULL: nothing */
	bool has_units;	   /* they stand below the headings */
	/* 1 + enum time_unit or enum size_unit; 0: each value has its own. */
	uint8_t units[SHEET_COLUMNS];
	bool bold; /* the headings, on a terminal */
	bool nsys; /* laid out as nsys does it */
	bool tree; /* the cells of what the rows are of have a depth */
	/* Of HTML: the table's id and class, and its caption, which is HTML. */
	const char *id, *class, *caption;
	size_t room, shown; /* bytes that its rows may take, 0: all of them; rows that it has */
	uint8_t indent;	    /* blanks before each line */
	struct cell cells[SHEET_COLUMNS]; /* of the row that is being written */
};

/* A cell's mark as it is written; "": none. */
const char *sheet_mark(const struct cell *cell);

/* The columns of an array. */
#define SHEET_OF(array) .columns = (array), .column_count = sizeof(array) / sizeof(*(array))

/* The form that the options ask for. */
enum sheet_form sheet_form_of(const struct options *options);
/* Writes the sheet in its form: text, CSV or Markdown. */
void sheet_write(struct sheet *sheet, FILE *file);
void sheet_text(struct sheet *sheet, struct out *out);
void sheet_csv(struct sheet *sheet, struct out *out);
void sheet_html(struct sheet *sheet, struct out *out);
/* Style of HTML: on a narrow window, where each row of a page's table is a block, the cells of a
 * column, from 0, have its heading before them. */
void sheet_narrow_label(struct out *out, const char *id, unsigned column, const char *heading);
void sheet_markdown(struct sheet *sheet, struct out *out);
/* For out_entities(): a bar would end a cell, and other characters of C++ names would be markup. */
#define MARKDOWN_SPECIAL "|<>&`*_~[]\\"

/*
 * Chooses the units that --unit asks for: a time's own, a given one, or that of the column's
 * largest value in some of the rows.
 */
void sheet_choose_units(struct sheet *sheet, int unit, size_t first, size_t count);

void cell_count(struct cell *cell, uint64_t count);
void cell_real(struct cell *cell, double value);
void cell_text(struct cell *cell, const char *text);
/* Sets the number of the group of rows that a cell of a `once` column belongs to, and its text. */
void cell_group(struct cell *cell, uint64_t group, const char *text);
/* A text from malloc, which the cell frees; NULL: memory is out. */
void cell_own(struct cell *cell, char *text);
/* HTML from malloc, which the cell frees; NULL: memory is out. */
void cell_markup(struct cell *cell, char *markup);
/* Sets a formatted text. Up to 47 bytes need no malloc. */
void cell_print(struct cell *cell, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The functions below are for the writers of the forms. This one begins a form. */
void sheet_begin(struct sheet *sheet, enum sheet_form form);
bool column_shows(const struct sheet *sheet, unsigned column);
/* The cells of a row. */
struct cell *sheet_cells(struct sheet *sheet, size_t row);
/* Frees what the cells of the row held. */
void sheet_clear(struct sheet *sheet);
/* A cell as it is written for reading, or in CSV: in the buffer, but for its text. */
const char *sheet_shown(const struct sheet *sheet, unsigned column, const struct cell *cell,
			char buffer[NUMBER_SIZE]);
const char *sheet_exact(const struct sheet *sheet, unsigned column, const struct cell *cell,
			char buffer[NUMBER_SIZE]);
/* The unit below a column's heading; "" for none. */
const char *sheet_unit(const struct sheet *sheet, unsigned column, char buffer[NUMBER_SIZE]);

#endif
