/* SPDX-License-Identifier: MIT */
/* A database of Nsight Systems (`nsys export --type sqlite`) or of nvprof, read call by call. */
#include "report/import/import.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "report/names/call_names.h"
#include "report/names/demangle.h"
#include "report/names/nsys_names.h"
#include "report/names/visible.h"

/* Of SQLite's virtual machine; a record takes some ten bytes of the file and some fifty steps. */
#define STEPS_AT_ONCE 10000
#define STEPS_ALWAYS  10000000
#define STEPS_A_BYTE  100
/* A longer name is refused. */
#define TEXT_MOST     (1 << 20)

/* What the first column of a query is. */
enum naming {
	NAMING_TEXT,
	NAMING_MANGLED,
	NAMING_COPY,
	NAMING_CALL,
	NAMING_RUNTIME,
	NAMING_DRIVER
};

/* A table `t` that a file may lack: what the name of each of its records is made of, and the table
 * of strings that this needs. */
struct activity {
	const char *table;
	enum naming naming;
	const char *name, *strings;
};
#define NSYS_STRINGS   "LEFT JOIN StringIds s ON s.id = t."
#define NVPROF_STRINGS "LEFT JOIN StringTable s ON s._id_ = t."

static const struct activity nsys_activities[] = {
	{"CUPTI_ACTIVITY_KIND_KERNEL", NAMING_TEXT, "s.value", NSYS_STRINGS "demangledName"},
	{"CUPTI_ACTIVITY_KIND_MEMCPY", NAMING_COPY, "copyKind", ""},
	{"CUPTI_ACTIVITY_KIND_MEMSET", NAMING_TEXT, "'[CUDA memset]'", ""},
	{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NAMING_TEXT, "'[CUDA graph ' || graphId || ']'", ""},
	{"CUPTI_ACTIVITY_KIND_RUNTIME", NAMING_CALL, "s.value", NSYS_STRINGS "nameId"},
	{.table = NULL},
};

/* nvprof has calls by CUPTI's numbers. It writes one of the first two tables. */
static const struct activity nvprof_activities[] = {
	{"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", NAMING_MANGLED, "s.value", NVPROF_STRINGS "name"},
	{"CUPTI_ACTIVITY_KIND_KERNEL", NAMING_MANGLED, "s.value", NVPROF_STRINGS "name"},
	{"CUPTI_ACTIVITY_KIND_MEMCPY", NAMING_COPY, "copyKind", ""},
	{"CUPTI_ACTIVITY_KIND_MEMCPY2", NAMING_COPY, "copyKind", ""},
	{"CUPTI_ACTIVITY_KIND_MEMSET", NAMING_TEXT, "'[CUDA memset]'", ""},
	{"CUPTI_ACTIVITY_KIND_RUNTIME", NAMING_RUNTIME, "cbid", ""},
	{"CUPTI_ACTIVITY_KIND_DRIVER", NAMING_DRIVER, "cbid", ""},
	{.table = NULL},
};

/* Told by the table that the strings are in: those of activities have the same names. */
static const struct writer {
	const char *source, *strings;
	const struct activity *activities;
} writers[] = {
	{"nvprof database", "StringTable", nvprof_activities},
	{"nsys SQLite export", NULL, nsys_activities},
};

/* 1: there; 0: not; -errno. A view, which may compute for ever, is no table. */
static int has_table(sqlite3 *database, const char *table)
{
	int code = sqlite3_table_column_metadata(database, NULL, table, NULL, NULL, NULL, NULL,
						 NULL, NULL);

	return code == SQLITE_OK ? 1 : code == SQLITE_ERROR ? 0 : -EINVAL;
}

#define CALL_NAME_SIZE 128

/* The row of a record, whose name was read. NULL: memory is out. */
static struct profile_row *row_of(struct profile *profile, enum naming naming, const char *name,
				  int number)
{
	const bool driver = naming == NAMING_DRIVER;
	struct profile_row *row = NULL;
	char call[CALL_NAME_SIZE], *key, *readable;
	const char *known;

	switch (naming) {
	case NAMING_COPY:
		name = nsys_copy_row_name((unsigned)number);
		break;
	case NAMING_MANGLED:
		key = nsys_demangle(name);
		readable = demangle(name);
		if (key)
			row = profile_row(profile, false, key, readable ? readable : name);
		free(key);
		free(readable);
		return row;
	case NAMING_RUNTIME:
	case NAMING_DRIVER:
		known = call_name_of(driver, (unsigned)number);
		snprintf(call, sizeof(call), "%s call %d", driver ? "driver" : "runtime", number);
		if (known)
			snprintf(call, sizeof(call), "%.*s", (int)call_symbol_length(known), known);
		return profile_row(profile, true, call, call);
	case NAMING_CALL:
		key = strndup(name, call_symbol_length(name));
		if (key)
			row = profile_row(profile, true, key, key);
		free(key);
		return row;
	default:
		break;
	}
	return profile_row(profile, false, name, name);
}

static int import_record(struct profile *profile, enum naming naming, sqlite3_stmt *statement)
{
	const char *name = (const char *)sqlite3_column_text(statement, 0);
	sqlite3_int64 duration = sqlite3_column_int64(statement, 1);
	struct profile_row *row;

	if (!name)
		return -ENODATA;
	row = row_of(profile, naming, name, sqlite3_column_int(statement, 0));
	if (!row)
		return -ENOMEM;
	profile_add_sample(row, duration > 0 ? (uint64_t)duration : 0);
	/* Of a table or record without them they are not known. */
	row->bytes += sqlite3_column_type(statement, 2) == SQLITE_INTEGER
			      ? sqlite3_column_double(statement, 2)
			      : NAN;
	return 0;
}

static bool has_column(sqlite3 *database, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(database, NULL, table, column, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

/* Name, duration and, if the table has them, the size of each record. */
static int prepare(sqlite3 *database, const struct activity *activity, sqlite3_stmt **statement)
{
	const bool sizes = has_column(database, activity->table, "bytes");
	char *query;
	int code;

	if (asprintf(&query, "SELECT %s, t.\"end\" - t.start%s FROM %s t %s", activity->name,
		     sizes ? ", t.bytes" : "", activity->table, activity->strings) < 0)
		return -ENOMEM;
	code = sqlite3_prepare_v2(database, query, -1, statement, NULL);
	free(query);
	return code == SQLITE_OK ? 0 : -EINVAL;
}

static int import_activity(struct profile *profile, sqlite3 *database,
			   const struct activity *activity)
{
	sqlite3_stmt *statement;
	int code, error = prepare(database, activity, &statement);

	if (error)
		return error;
	while (!error && (code = sqlite3_step(statement)) == SQLITE_ROW)
		error = import_record(profile, activity->naming, statement);
	if (!error && code != SQLITE_DONE)
		error = -EINVAL;
	sqlite3_finalize(statement);
	return error;
}

/* Ends a query whose work is out of all proportion to the file; `left` are its steps. */
static int count_steps(void *left)
{
	int64_t *steps = left;

	*steps -= STEPS_AT_ONCE;
	return *steps <= 0;
}

/*
 * Whoever made the file may have put anything into it: views and triggers are not run, functions
 * not called by the schema, and a query does only so much work for each byte of the file.
 */
static sqlite3 *open_guarded(const char *path, int64_t *steps)
{
	sqlite3 *database = NULL;
	struct stat status;

	*steps = STEPS_ALWAYS;
	if (stat(path, &status) == 0)
		*steps += status.st_size * STEPS_A_BYTE;
	if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		return database;
	sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_limit(database, SQLITE_LIMIT_LENGTH, TEXT_MOST);
	sqlite3_progress_handler(database, STEPS_AT_ONCE, count_steps, steps);
	return database;
}

static const struct writer *writer_of(sqlite3 *database)
{
	const struct writer *writer = writers;

	while (writer->strings && has_table(database, writer->strings) != 1)
		writer++;
	return writer;
}

/* Reads the tables that are there; -ENODATA where a record has no name, -ENOENT without any. */
static int import_activities(struct profile *profile, sqlite3 *database,
			     const struct activity *activity)
{
	bool any = false;
	int error = 0, there;

	for (; activity->table && !error; activity++) {
		there = has_table(database, activity->table);
		if (there > 0)
			error = import_activity(profile, database, activity);
		else
			error = there;
		any = any || there > 0;
	}
	return error || any ? error : -ENOENT;
}

/* Of nvprof's what no row is made of. */
static void say_passed(struct profile *profile, sqlite3 *database, const char *path)
{
	sqlite3_stmt *statement;
	sqlite3_int64 count = 0;

	if (sqlite3_prepare_v2(database,
			       "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER",
			       -1, &statement, NULL) != SQLITE_OK)
		return;
	if (sqlite3_step(statement) == SQLITE_ROW)
		count = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	if (count)
		profile_say(profile, "%s: %lld record%s passed over: unified memory", path,
			    (long long)count, count == 1 ? "" : "s");
}

#define CUT_OFF "a damaged database: it was cut off, or not written to its end"

/* Why a database was not read; `steps` are those left. */
static void refuse(const char *path, sqlite3 *database, int error, int64_t steps, char *message,
		   size_t size)
{
	/* It may name what is in the file. */
	char *reason = visible_text(sqlite3_errmsg(database));

	if (error == -ENOMEM)
		snprintf(message, size, "%s: out of memory", path);
	else if (error == -ENOENT)
		snprintf(message, size,
			 "%s: a database without any CUDA activity of nsys's or nvprof's", path);
	else if (error == -ENODATA)
		snprintf(message, size, "%s: no export of nsys's or nvprof's: a record has no name",
			 path);
	else if (steps <= 0)
		snprintf(message, size,
			 "%s: no export of nsys's or nvprof's: reading it takes more work than its "
			 "size explains",
			 path);
	else if (sqlite3_errcode(database) == SQLITE_CORRUPT)
		snprintf(message, size, "%s: " CUT_OFF, path);
	else
		snprintf(message, size, "%s: no export of nsys's or nvprof's: %s", path,
			 reason ? reason : "");
	free(reason);
}

/*
 * Whether a database ends before its last page does: SQLite takes what is missing of a page for
 * zeros. Source: "Database File Format", the file's first 100 bytes.
 */
static bool is_cut_off(const char *path)
{
	unsigned char header[100];
	FILE *file = fopen(path, "re");
	uint64_t page, pages;
	struct stat status;
	bool whole = file && fread(header, 1, sizeof(header), file) == sizeof(header) &&
		     !memcmp(header, "SQLite format 3", 16) && fstat(fileno(file), &status) == 0;

	if (file)
		fclose(file);
	if (!whole)
		return false; /* nor is it a database */
	page = (uint64_t)header[16] << 8 | header[17];
	page = page == 1 ? 65536 : page;
	pages = (uint64_t)header[28] << 24 | (uint64_t)header[29] << 16 |
		(uint64_t)header[30] << 8 | header[31];
	/* The number of pages holds if it was written with the last change. */
	if (memcmp(header + 24, header + 92, 4))
		pages = 0;
	return page && ((uint64_t)status.st_size % page || (uint64_t)status.st_size < pages * page);
}

int import_sqlite(struct profile *profile, const char *path, char *message, size_t size)
{
	int64_t steps;
	sqlite3 *database = open_guarded(path, &steps);
	int error = sqlite3_errcode(database) == SQLITE_OK ? 0 : -EINVAL;
	const struct writer *writer;

	if (!error && is_cut_off(path)) {
		snprintf(message, size, "%s: " CUT_OFF, path);
		sqlite3_close(database);
		return -EINVAL;
	}
	if (!error) {
		writer = writer_of(database);
		profile->source = writer->source;
		error = import_activities(profile, database, writer->activities);
	}
	if (!error)
		say_passed(profile, database, path);
	if (error)
		refuse(path, database, error, steps, message, size);
	sqlite3_close(database);
	return error == -ENOMEM || !error ? error : -EINVAL;
}
