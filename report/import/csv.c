/* SPDX-License-Identifier: MIT */
/*
 * Summaries as CSV. Those of nsys and of nvprof differ in their headers and in where the units
 * stand: nsys has them in the header ("Avg (ns)"), nvprof in a row below it. What else a file
 * holds, such as other reports and what the profilers say around their tables, is passed over.
 */
#include "report/import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/names/nsys_names.h"

/* Above what the longest names take; a file of other kinds may have an odd quote anywhere. */
#define RECORD_MOST (1UL << 20)
/* Fields behind them are passed over. Above what the profilers' tables have. */
#define FIELDS_MOST 256

/* Comma-separated values (RFC 4180), one record at a time; zeros, but for the file and the text,
 * before the first. */
struct csv_reader {
	FILE *file;
	size_t line;	  /* where the record began, from 1 */
	size_t next_line; /* lines read so far */
	char *text;	  /* RECORD_MOST bytes */
	size_t length;
	char *fields[FIELDS_MOST]; /* without their quotes; into `text` */
	size_t field_count;	   /* 1 for an empty line */
};

static void begin_field(struct csv_reader *reader)
{
	if (reader->field_count < FIELDS_MOST)
		reader->fields[reader->field_count++] = reader->text + reader->length;
}

/* 1: the next record was read; 0: there is none; -errno; -E2BIG: longer than any record can be. */
static int csv_read(struct csv_reader *reader)
{
	bool quoted = false, any = false;
	int letter;

	reader->length = reader->field_count = 0;
	reader->line = reader->next_line + 1;
	begin_field(reader);
	while (reader->length < RECORD_MOST && (letter = getc(reader->file)) != EOF) {
		any = true;
		reader->next_line += letter == '\n';
		if (letter == '\n' && !quoted)
			break;
		if (letter == '\0' || (letter == '\r' && !quoted))
			continue;
		if (letter == '"') {
			int next = quoted ? getc(reader->file) : EOF;

			if (next != '"') {
				ungetc(next, reader->file);
				quoted = !quoted;
				continue;
			}
		}
		reader->text[reader->length++] = letter == ',' && !quoted ? '\0' : (char)letter;
		if (letter == ',' && !quoted)
			begin_field(reader);
	}
	if (reader->length == RECORD_MOST)
		return -E2BIG;
	reader->text[reader->length] = '\0';
	return ferror(reader->file) ? -EIO : any;
}

/*
 * The columns, by how their headers begin: nsys's, then nvprof's and those of older releases.
 * The order matters where one beginning is another's.
 */
#define COLUMNS(X)                                                                                 \
	X(PERCENT, "Time (%", "Time(%")                                                            \
	X(TOTAL, "Total Time", "Time")                                                             \
	X(CALLS, "Instances", "Calls")                                                             \
	X(NUM_CALLS, "Num Calls", NULL)                                                            \
	X(COUNT, "Count", NULL)                                                                    \
	X(AVERAGE, "Avg", "Average")                                                               \
	X(MINIMUM, "Min", "Minimum")                                                               \
	X(MAXIMUM, "Max", "Maximum")                                                               \
	X(DEVIATION, "StdDev", "StdDev")                                                           \
	X(TYPE, "Category", "Type")                                                                \
	X(NAME, "Name", "Operation")

#define COLUMN_ENUM(name, one, other) COLUMN_##name,
enum csv_column { COLUMNS(COLUMN_ENUM) COLUMNS_COUNT };
#undef COLUMN_ENUM

static const char *const headers[COLUMNS_COUNT][2] = {
#define COLUMN_HEADERS(name, one, other) {one, other},
	COLUMNS(COLUMN_HEADERS)
#undef COLUMN_HEADERS
};

struct csv_import {
	struct profile *profile;
	struct csv_reader reader;
	int places[COLUMNS_COUNT];   /* of a column in a record; -1: not there */
	double units[COLUMNS_COUNT]; /* nanoseconds */
	size_t width;		     /* fields in the table's header; 0: in no table */
	unsigned part;		     /* the table's number */
	bool nvprof;		     /* the table is nvprof's */
	bool units_follow;	     /* the row of units is next */
	bool api;		     /* for tables that do not say it themselves */
	const char *bad;
};

static bool begins(const char *text, const char *start)
{
	return start && !strncmp(text, start, strlen(start));
}

/* Nanoseconds in a unit; 0 where it is none of time. nsys writes micro as a letter of its own. */
static double unit_of(const char *text, size_t length)
{
	static const struct {
		const char *name;
		double nanoseconds;
	} units[] = {
		{"ns", 1},	    {"us", 1e3}, {"\xce\xbcs", 1e3},
		{"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i].name) == length && !strncmp(units[i].name, text, length))
			return units[i].nanoseconds;
	return 0;
}

/* The unit in "Avg (ns)"; nanoseconds where there is none. */
static double header_unit(const char *header)
{
	const char *open = strchr(header, '(');
	double unit = open ? unit_of(open + 1, strcspn(open + 1, ")")) : 0;

	return unit > 0 ? unit : 1;
}

/* COLUMNS_COUNT: none of these. */
static enum csv_column column_of(const char *header)
{
	unsigned column = 0;

	while (column < COLUMNS_COUNT && !begins(header, headers[column][0]) &&
	       !begins(header, headers[column][1]))
		column++;
	return column;
}

static void find_columns(struct csv_import *import)
{
	for (unsigned column = 0; column < COLUMNS_COUNT; column++) {
		import->places[column] = -1;
		import->units[column] = 1;
	}
	for (size_t place = 0; place < import->reader.field_count; place++) {
		const char *header = import->reader.fields[place];
		enum csv_column column = column_of(header);

		if (column == COLUMNS_COUNT || import->places[column] >= 0)
			continue;
		import->places[column] = (int)place;
		import->units[column] = header_unit(header);
	}
}

static bool has(const struct csv_import *import, enum csv_column column)
{
	return import->places[column] >= 0;
}

/* Whether the record is a summary's header: whether it has a column of percentages. */
static bool is_header(const struct csv_import *import)
{
	for (size_t place = 0; place < import->reader.field_count; place++)
		if (column_of(import->reader.fields[place]) == COLUMN_PERCENT)
			return true;
	return false;
}

static void begin_table(struct csv_import *import)
{
	import->width = 0;
	find_columns(import);
	/* nsys has summaries of other things than CUDA, whose names stand in other columns. */
	if (!has(import, COLUMN_TOTAL) || !has(import, COLUMN_AVERAGE) || !has(import, COLUMN_NAME))
		return;
	import->nvprof = !begins(import->reader.fields[import->places[COLUMN_TOTAL]], "Total");
	import->units_follow = import->nvprof;
	import->width = import->reader.field_count;
	import->part++;
}

static const char *field(const struct csv_import *import, enum csv_column column)
{
	return has(import, column) ? import->reader.fields[import->places[column]] : "";
}

static double number(struct csv_import *import, enum csv_column column)
{
	const char *text = field(import, column);
	char *end;
	double value = strtod(text, &end);

	/* nsys leaves a deviation empty where there is none. */
	if (*end || (end == text && column != COLUMN_DEVIATION) || !(value >= 0) || value > 1e18)
		import->bad = headers[column][0];
	return value * import->units[column];
}

static void read_units(struct csv_import *import)
{
	import->units_follow = false;
	for (int column = 0; column < COLUMNS_COUNT; column++) {
		const char *unit = field(import, column);

		import->units[column] = *unit ? unit_of(unit, strlen(unit)) : 1;
		if (column != COLUMN_PERCENT && import->units[column] == 0)
			import->bad = "unit";
	}
}

/* Whether the row is an API call's. */
static bool row_is_call(const struct csv_import *import)
{
	const char *type = field(import, COLUMN_TYPE);

	if (*type)
		return begins(type, "API") || begins(type, "CUDA_API");
	return has(import, COLUMN_NUM_CALLS) || import->api;
}

/* Whether the row has calls and no time: ktime leaves the fields empty of what it did not time. */
static bool row_is_untimed(const struct csv_import *import)
{
	return !*field(import, COLUMN_TOTAL) && !*field(import, COLUMN_AVERAGE) &&
	       !*field(import, COLUMN_MINIMUM) && !*field(import, COLUMN_MAXIMUM);
}

static int read_row(struct csv_import *import)
{
	enum csv_column calls_column = has(import, COLUMN_NUM_CALLS) ? COLUMN_NUM_CALLS
				       : has(import, COLUMN_COUNT)   ? COLUMN_COUNT
								     : COLUMN_CALLS;
	bool api = row_is_call(import), timed = !row_is_untimed(import);
	double calls = number(import, calls_column), total = 0, average = 0;
	double minimum = 0, maximum = 0, variance = 0;
	const char *name = field(import, COLUMN_NAME);
	struct profile_row *row;

	if (timed) {
		total = number(import, COLUMN_TOTAL);
		average = number(import, COLUMN_AVERAGE);
		minimum = number(import, COLUMN_MINIMUM);
		maximum = number(import, COLUMN_MAXIMUM);
	}
	if (import->bad)
		return -EINVAL;
	/* nsys's summary of the C library's calls looks like that of CUDA's. */
	if (api && !begins(name, "cu"))
		return 0;
	if (has(import, COLUMN_DEVIATION)) {
		variance = number(import, COLUMN_DEVIATION);
		variance *= variance;
	} else {
		variance = profile_variance_bound(average, minimum, maximum, (uint64_t)calls);
	}
	if (import->bad)
		return -EINVAL;
	name = nsys_row_name(name);
	row = profile_row(import->profile, api, name, name);
	if (!row)
		return -ENOMEM;
	/* A row of two nsys reports is one row; nvprof has a table for each device. */
	if (row->part && row->part != import->part && !import->nvprof)
		return 0;
	row->part = import->part;
	profile_add_group(row, (uint64_t)calls, timed ? (uint64_t)calls : 0, total, average,
			  variance, minimum, maximum);
	return 0;
}

static int read_record(struct csv_import *import)
{
	const char *first = import->reader.fields[0];

	if (begins(first, "==")) {
		/* Before CUDA 9 nvprof had a table of calls of its own. */
		if (strstr(first, "== API calls:"))
			import->api = true;
		else if (strstr(first, "== Profiling result:"))
			import->api = false;
		import->width = 0;
		return 0;
	}
	if (is_header(import)) {
		begin_table(import);
		return 0;
	}
	if (import->reader.field_count != import->width) {
		import->width = 0;
		return 0;
	}
	if (import->units_follow) {
		read_units(import);
		return import->bad ? -EINVAL : 0;
	}
	return read_row(import);
}

int import_csv(struct profile *profile, FILE *file, const char *path, char *message, size_t size)
{
	struct csv_import import = {.profile = profile,
				    .reader = {.file = file, .text = malloc(RECORD_MOST)}};
	int error = import.reader.text ? 1 : -ENOMEM;

	while (error > 0) {
		error = csv_read(&import.reader);
		if (error > 0)
			error = read_record(&import) ?: 1;
	}
	if (import.bad)
		snprintf(message, size, "%s: line %zu: bad %s", path, import.reader.line,
			 import.bad);
	else if (!import.part && (!error || error == -E2BIG)) {
		error = -EINVAL;
		snprintf(message, size, "%s: no profile, nsys SQLite export, or summary as CSV",
			 path);
	} else if (error)
		snprintf(message, size, "%s: %s", path, strerror(-error));
	profile->source = import.nvprof ? "nvprof CSV" : "nsys CSV";
	free(import.reader.text);
	return error;
}
