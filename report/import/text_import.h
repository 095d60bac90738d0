/* SPDX-License-Identifier: MIT */
/* What the reading of a text's lines (text.c) and of its tables' rows (text_rows.c) share. */
#ifndef KTIME_REPORT_IMPORT_TEXT_IMPORT_H
#define KTIME_REPORT_IMPORT_TEXT_IMPORT_H

#include <string.h>

#include "report/import/profile.h"
#include "report/import/record.h"
#include "report/import/report.h"
#include "report/import/whole.h"

/* Parts that are listed, and reports that one can hold. */
#define PARTS_MOST    8
#define LABEL_SIZE    48
#define TABLES_MOST   64
/* Processes whose commands are remembered. */
#define COMMANDS_MOST 16
/* The separator of a table whose rows are objects in JSON. */
#define JSON_ROWS     '{'

/* What a row is. */
enum row_class { CLASS_GPU, CLASS_CALL, CLASS_OTHER, CLASS_COUNT };

#define BY_RANGE "rows by range, which the summary has too"

struct group;

/* A run or a process, of which a file may hold several. */
struct part {
	size_t line;
	char label[LABEL_SIZE];
};

/* The command of a process. */
struct command {
	char process[16], text[LABEL_SIZE];
};

/* A table of a part. */
struct seen {
	const struct report *report;
	enum row_class section;
	char device[LABEL_SIZE];
};

struct text_import {
	struct profile *profile;
	const char *path;
	unsigned wanted; /* 0: the file must have one part */
	char *message;	 /* why the file is refused */
	size_t size;
	struct lines lines;

	size_t line_begin; /* of the line, in the text */
	char *copy;	   /* of the line, to be split */
	size_t room;

	/* The table. */
	struct header header; /* report: NULL outside of one */
	struct rule rule;
	char separator;	    /* 0: a text table; or JSON_ROWS */
	bool units_follow;  /* the row of units may be next */
	bool entered;	    /* whether it was given to a part */
	unsigned table;	    /* its number */
	size_t header_line; /* from 1 */
	/* Of the rows, where a text table has it in the first alone; NULL: none that is known. */
	const struct group *group;
	struct shares shares[CLASS_COUNT];
	struct quantity last_start; /* of a trace */
	bool disordered;
	/* Lines since the last row that are none, and the first of them; they are the program's own
	 * if another row follows. */
	size_t strays, stray_line;

	/* What was said before the table. */
	const struct report *announced;
	enum row_class section; /* of nvprof's tables without a column of types */
	bool sectioned;
	const char *section_rows; /* what those of a section are that are passed over */
	char process[16], device[LABEL_SIZE], source[LABEL_SIZE];
	struct command commands[COMMANDS_MOST];
	size_t command_count;

	/* What the part has. */
	struct seen seen[TABLES_MOST];
	size_t seen_count;
	char part_process[16], part_source[LABEL_SIZE];
	struct part parts[PARTS_MOST];
	size_t part_count;
	bool seen_own; /* whether a row was read */

	/* Rows that were passed over and not said yet. */
	const char *passed_what;
	size_t passed, passed_line;
	const char *first_passed; /* what the first were, for a file that has no others */
	/* The first row that was bad. */
	char bad[64];
};

static inline bool text_begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The row's cell of that role; "" where there is none. */
const char *text_cell(const struct text_import *import, const struct cells *cells, enum role role);
/* Whether the cells are as many as a row's of the table, and have its name. */
bool rows_fits(const struct text_import *import, const struct cells *cells);
/* Takes a row of the table; 0 or -errno. */
int rows_take(struct text_import *import, struct cells *cells);
/* Passes over a row that is none of the profiler's any more, and notes that the file is damaged. */
void rows_pass_damaged(struct text_import *import, const char *why);
/* Says what was passed over so far. */
void rows_say_passed(struct text_import *import);
/* Ends the table, if the text is in one. */
void rows_end_table(struct text_import *import);

#endif
