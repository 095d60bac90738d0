/* SPDX-License-Identifier: MIT */
/* An Nsight Systems SQLite export, read call by call. */
#include "report/import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "report/names/nsys_names.h"
#include "report/names/visible.h"

/* Of SQLite's virtual machine; a record takes some ten bytes of the file and some fifty steps. */
#define STEPS_AT_ONCE 10000
#define STEPS_ALWAYS  10000000
#define STEPS_A_BYTE  100
/* A longer name is refused. */
#define TEXT_MOST     (1 << 20)

/* Name (or copy kind) and duration of each record of a table that a file may lack. */
static const struct activity {
	const char *table;
	bool api;
	const char *query;
} activities[] = {
	{"CUPTI_ACTIVITY_KIND_KERNEL", false,
	 "SELECT s.value, k.\"end\" - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k "
	 "JOIN StringIds s ON s.id = k.demangledName"},
	{"CUPTI_ACTIVITY_KIND_MEMCPY", false,
	 "SELECT copyKind, \"end\" - start FROM CUPTI_ACTIVITY_KIND_MEMCPY"},
	{"CUPTI_ACTIVITY_KIND_MEMSET", false,
	 "SELECT '[CUDA memset]', \"end\" - start FROM CUPTI_ACTIVITY_KIND_MEMSET"},
	{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", false,
	 "SELECT '[CUDA graph ' || graphId || ']', \"end\" - start "
	 "FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE"},
	{"CUPTI_ACTIVITY_KIND_RUNTIME", true,
	 /* "cudaMalloc_v3020" is nsys's name for cudaMalloc. */
	 "SELECT CASE WHEN s.value GLOB '*_v[0-9][0-9][0-9][0-9]' "
	 "THEN substr(s.value, 1, length(s.value) - 6) "
	 "WHEN s.value GLOB '*_v[0-9][0-9][0-9][0-9][0-9]' "
	 "THEN substr(s.value, 1, length(s.value) - 7) ELSE s.value END, r.\"end\" - r.start "
	 "FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId"},
};

/* 1: there; 0: not; -errno. A view, which may compute for ever, is no table. */
static int has_table(sqlite3 *database, const char *table)
{
	int code = sqlite3_table_column_metadata(database, NULL, table, NULL, NULL, NULL, NULL,
						 NULL, NULL);

	return code == SQLITE_OK ? 1 : code == SQLITE_ERROR ? 0 : -EINVAL;
}

static int import_record(struct profile *profile, const struct activity *activity,
			 sqlite3_stmt *statement)
{
	bool copy = sqlite3_column_type(statement, 0) == SQLITE_INTEGER;
	const char *name = copy ? nsys_copy_row_name(sqlite3_column_int(statement, 0))
				: (const char *)sqlite3_column_text(statement, 0);
	sqlite3_int64 duration = sqlite3_column_int64(statement, 1);
	struct profile_row *row;

	if (!name)
		return -EINVAL;
	row = profile_row(profile, activity->api, name, name);
	if (!row)
		return -ENOMEM;
	profile_add_sample(row, duration > 0 ? (uint64_t)duration : 0);
	return 0;
}

static int import_activity(struct profile *profile, sqlite3 *database,
			   const struct activity *activity)
{
	sqlite3_stmt *statement;
	int code, error = 0;

	code = sqlite3_prepare_v2(database, activity->query, -1, &statement, NULL);
	if (code != SQLITE_OK)
		return -EINVAL;
	while (!error && (code = sqlite3_step(statement)) == SQLITE_ROW)
		error = import_record(profile, activity, statement);
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

int import_sqlite(struct profile *profile, const char *path, char *message, size_t size)
{
	int64_t steps;
	sqlite3 *database = open_guarded(path, &steps);
	int error = sqlite3_errcode(database) == SQLITE_OK ? 0 : -EINVAL;
	bool any = false;
	char *reason;

	profile->source = "nsys SQLite export";
	for (size_t i = 0; i < sizeof(activities) / sizeof(*activities) && !error; i++) {
		int there = has_table(database, activities[i].table);

		if (there < 0)
			error = there;
		else if (there)
			error = import_activity(profile, database, &activities[i]);
		any = any || there > 0;
	}
	if (error == -ENOMEM) {
		snprintf(message, size, "%s: out of memory", path);
	} else if (error && steps <= 0) {
		snprintf(message, size,
			 "%s: no nsys export: reading it takes more work than its size explains",
			 path);
	} else if (error) {
		/* It may name what is in the file. */
		reason = visible_text(sqlite3_errmsg(database));
		snprintf(message, size, "%s: no nsys export: %s", path, reason ? reason : "");
		free(reason);
	} else if (!any) {
		error = -EINVAL;
		snprintf(message, size, "%s: a database without any CUDA activity of nsys's", path);
	}
	sqlite3_close(database);
	return error;
}
