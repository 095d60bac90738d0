/* SPDX-License-Identifier: MIT */
/* Writing an Nsight Systems SQLite export table by table. Functions return 0 or -errno. */
#ifndef KTIME_REPORT_EXPORT_EXPORT_DATABASE_H
#define KTIME_REPORT_EXPORT_EXPORT_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/export/export_sqlite_schema.h"

struct database;

/* What a row of a table is given, column by column. */
struct sql_value {
	enum { VALUE_NULL, VALUE_NUMBER, VALUE_TEXT } type;
	int64_t number;
	const char *text;
};
#define NUMBER(value)	      ((struct sql_value){VALUE_NUMBER, (int64_t)(value), NULL})
#define NUMBER_OR_NULL(value) ((value) ? NUMBER(value) : (struct sql_value){VALUE_NULL, 0, NULL})
#define TEXT(value)	      ((struct sql_value){VALUE_TEXT, 0, value})

/* Opens an empty file and begins to write; NULL where memory is out. */
struct database *database_open(const char *path);
/* Makes what was written lasting. */
int database_commit(struct database *database);
/* Frees it. What was not committed is lost. NULL is fine. */
void database_close(struct database *database);
/* SQLite's words for the last error. */
const char *database_error(const struct database *database);

/* Creates a table, unless it is there. nsys takes an absent table for absent data. */
int database_add_table(struct database *database, enum nsys_sqlite_table table);
bool database_has_table(const struct database *database, enum nsys_sqlite_table table);
/* Inserts a row, the values in the order of the table's `filled` columns. */
int database_insert(struct database *database, enum nsys_sqlite_table table,
		    const struct sql_value *values, int count);
/* Runs other SQL. */
int database_run(struct database *database, const char *sql);

#define INSERT(database, table, ...)                                                               \
	database_insert(database, table, (const struct sql_value[]){__VA_ARGS__},                  \
			sizeof((const struct sql_value[]){__VA_ARGS__}) /                          \
				sizeof(struct sql_value))

/* The id of a text in StringIds; negative: -errno. */
int64_t database_string(struct database *database, const char *text);

#endif
