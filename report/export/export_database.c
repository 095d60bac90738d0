/* SPDX-License-Identifier: MIT */
#include "report/export/export_database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include <uthash.h>

#define COLUMNS_MOST 32

struct string_id {
	char *text;
	int64_t id;
	UT_hash_handle hh;
};

struct database {
	sqlite3 *sqlite;
	int opened; /* what opening it returned */
	sqlite3_stmt *inserts[NSYS_TABLE_COUNT];
	struct string_id *strings;
	int64_t string_count;
};

static int error_of(int code)
{
	switch (code) {
	case SQLITE_OK:
	case SQLITE_DONE:
		return 0;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	default:
		return -EIO;
	}
}

bool database_has_table(const struct database *database, enum nsys_sqlite_table table)
{
	return database->inserts[table];
}

int database_run(struct database *database, const char *sql)
{
	if (database->opened != SQLITE_OK)
		return error_of(database->opened);
	return error_of(sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL));
}

int database_add_table(struct database *database, enum nsys_sqlite_table table)
{
	const struct nsys_sqlite_schema *schema = &nsys_sqlite_schema[table];
	char marks[2 * COLUMNS_MOST] = "?", *create, *insert;
	const char *comma = schema->filled;
	int error = -ENOMEM;

	if (database->inserts[table])
		return 0;
	while ((comma = strchr(comma + 1, ',')))
		strcat(marks, ",?");
	create = sqlite3_mprintf("CREATE TABLE %s (%s)", schema->name, schema->columns);
	insert = sqlite3_mprintf("INSERT INTO %s (%s) VALUES (%s)", schema->name, schema->filled,
				 marks);
	if (!create || !insert)
		goto out;
	error = database_run(database, create);
	if (!error)
		error = error_of(sqlite3_prepare_v2(database->sqlite, insert, -1,
						    &database->inserts[table], NULL));
out:
	sqlite3_free(create);
	sqlite3_free(insert);
	return error;
}

int database_insert(struct database *database, enum nsys_sqlite_table table,
		    const struct sql_value *values, int count)
{
	int error = database_add_table(database, table);
	sqlite3_stmt *insert = database->inserts[table];

	if (error)
		return error;
	for (int i = 0; i < count; i++) {
		if (values[i].type == VALUE_TEXT)
			sqlite3_bind_text(insert, i + 1, values[i].text, -1, SQLITE_STATIC);
		else if (values[i].type == VALUE_NUMBER)
			sqlite3_bind_int64(insert, i + 1, values[i].number);
		else
			sqlite3_bind_null(insert, i + 1);
	}
	error = error_of(sqlite3_step(insert));
	sqlite3_reset(insert);
	return error;
}

int64_t database_string(struct database *database, const char *text)
{
	struct string_id *string;
	int error;

	HASH_FIND_STR(database->strings, text, string);
	if (string)
		return string->id;
	string = calloc(1, sizeof(*string));
	if (!string)
		return -ENOMEM;
	string->text = strdup(text);
	string->id = database->string_count++;
	if (string->text)
		HASH_ADD_KEYPTR(hh, database->strings, string->text, strlen(text), string);
	if (!string->hh.tbl) {
		free(string->text);
		free(string);
		return -ENOMEM;
	}
	error = INSERT(database, NSYS_TABLE_STRINGS, NUMBER(string->id), TEXT(text));
	return error ? error : string->id;
}

struct database *database_open(const char *path)
{
	/* The file is renamed into place once it is whole, so no journal need protect it. */
	static const char begin[] =
		"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN TRANSACTION";
	struct database *database = calloc(1, sizeof(*database));

	if (!database)
		return NULL;
	database->string_count = 1;
	database->opened = sqlite3_open(path, &database->sqlite);
	if (database->opened == SQLITE_OK)
		database->opened = sqlite3_exec(database->sqlite, begin, NULL, NULL, NULL);
	return database;
}

int database_commit(struct database *database)
{
	return database_run(database, "COMMIT");
}

const char *database_error(const struct database *database)
{
	return sqlite3_errmsg(database->sqlite);
}

void database_close(struct database *database)
{
	struct string_id *string, *next;

	if (!database)
		return;
	HASH_ITER (hh, database->strings, string, next) {
		HASH_DEL(database->strings, string);
		free(string->text);
		free(string);
	}
	for (int i = 0; i < NSYS_TABLE_COUNT; i++)
		sqlite3_finalize(database->inserts[i]);
	sqlite3_close(database->sqlite);
	free(database);
}
