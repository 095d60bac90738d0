/* SPDX-License-Identifier: MIT */
/* An Nsight Systems SQLite export, read call by call, so that its histograms are known too. */
#include "report/compare/import.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include <sqlite3.h>

#include "report/names/nsys_names.h"

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

/* 1: there; 0: not; -errno. */
static int has_table(sqlite3 *database, const char *table)
{
	sqlite3_stmt *statement;
	int code;

	code = sqlite3_prepare_v2(database,
				  "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
				  -1, &statement, NULL);
	if (code != SQLITE_OK)
		return -EINVAL;
	sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
	code = sqlite3_step(statement);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : -EINVAL;
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
	return profile_add_sample(row, duration > 0 ? (uint64_t)duration : 0);
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

int import_sqlite(struct profile *profile, const char *path, char *message, size_t size)
{
	sqlite3 *database = NULL;
	bool any = false;
	int error = 0;

	profile->source = "nsys SQLite export";
	if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		error = -EINVAL;
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
	} else if (error) {
		snprintf(message, size, "%s: no nsys export: %s", path, sqlite3_errmsg(database));
	} else if (!any) {
		error = -EINVAL;
		snprintf(message, size, "%s: a database without any CUDA activity of nsys's", path);
	}
	sqlite3_close(database);
	return error;
}
