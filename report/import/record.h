/* SPDX-License-Identifier: MIT */
/* A text line by line, and lines split into cells. */
#ifndef KTIME_REPORT_IMPORT_RECORD_H
#define KTIME_REPORT_IMPORT_RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "report/import/report.h"

struct lines {
	const char *text;    /* ends with a zero */
	size_t length, next; /* bytes; where the next line begins */
	size_t number;	     /* of the line that was read, from 1 */
	size_t last;	     /* the same of its last line: a quoted cell may have several */
	bool ended;	     /* whether it has its newline; else the text ends in it */
	char *line;	     /* without its end; the caller may write into it */
	size_t room;
};

/* 1: the next line was read; 0: there is none; -ENOMEM. The caller frees `line` at the end. */
int lines_read(struct lines *lines);
/* Reads the line once more, with those behind it up to the end of its open quote. False, and
 * nothing is done, where no end comes soon. */
bool lines_read_quoted(struct lines *lines);

struct cells {
	char *text[COLUMNS_MOST + 1];
	size_t count;	  /* more than COLUMNS_MOST: too many */
	bool open;	  /* a quote has no end */
	bool last_quoted; /* the last cell is in quotes */
};

/* Splits comma-separated values (RFC 4180), or those between other separators, in place. */
void split_values(struct cells *cells, char *line, char separator);

/* Where the columns of a text table are: from the line of dashes below its header. */
struct rule {
	size_t begins[COLUMNS_MOST], ends[COLUMNS_MOST];
	size_t count;
};

/* Whether the line is one of dashes; reads it. */
bool rule_read(struct rule *rule, const char *line);

/*
 * Splits a line of a text table, in place: between two spaces; where that is not what its header
 * says, by the rule; then between single spaces, as in what was pasted, which needs cells without
 * spaces before the name. A column of groups, which comes first, may be empty or missing. False: it
 * is no row of this table.
 */
bool split_text(struct cells *cells, char *line, const struct header *header,
		const struct rule *rule);

#endif
