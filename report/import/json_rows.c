/* SPDX-License-Identifier: MIT */
/* By SQLite, which the command has for other files, and whose functions read JSON. */
#include "report/import/json_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

size_t json_array_length(const char *text, size_t length, bool *cut)
{
	size_t depth = 0, whole = 1;
	bool quoted = false;

	*cut = false;
	for (size_t i = 0; i < length; i++) {
		if (quoted) {
			i += text[i] == '\\';
			quoted = text[i] != '"';
			continue;
		}
		quoted = text[i] == '"';
		depth += text[i] == '[' || text[i] == '{';
		if (text[i] != ']' && text[i] != '}')
			continue;
		if (--depth == 0)
			return i + 1;
		whole = depth == 1 ? i + 1 : whole;
	}
	*cut = true;
	return whole;
}

/* One object's members, until it is taken. */
struct object {
	sqlite3_int64 number;
	struct cells titles, values;
};

static void object_free(struct object *object)
{
	for (size_t i = 0; i < object->titles.count; i++) {
		free(object->titles.text[i]);
		free(object->values.text[i]);
	}
	object->titles.count = object->values.count = 0;
}

static int add_member(struct object *object, sqlite3_stmt *statement)
{
	size_t place = object->titles.count;
	const char *title = (const char *)sqlite3_column_text(statement, 1);
	const char *value = (const char *)sqlite3_column_text(statement, 2);

	if (place > COLUMNS_MOST)
		return 0;
	object->titles.text[place] = strdup(title ? title : "");
	object->values.text[place] = strdup(value ? value : "");
	object->titles.count = object->values.count = place + 1;
	return object->titles.text[place] && object->values.text[place] ? 0 : -ENOMEM;
}

int json_rows_read(const char *array, size_t length,
		   int (*take)(void *with, struct cells *titles, struct cells *values), void *with)
{
	static const char query[] = "SELECT a.key, o.key, o.value FROM json_each(?1) a, "
				    "json_each(a.value) o WHERE a.type = 'object'";
	sqlite3 *database = NULL;
	sqlite3_stmt *statement = NULL;
	struct object object = {0};
	int code = sqlite3_open(":memory:", &database), error = 0;

	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(database, query, -1, &statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_bind_text64(statement, 1, array, length, SQLITE_STATIC, SQLITE_UTF8);
	while (code == SQLITE_OK || code == SQLITE_ROW) {
		code = sqlite3_step(statement);
		if (object.titles.count &&
		    (code != SQLITE_ROW || sqlite3_column_int64(statement, 0) != object.number)) {
			error = take(with, &object.titles, &object.values);
			object_free(&object);
		}
		if (error || code != SQLITE_ROW)
			break;
		object.number = sqlite3_column_int64(statement, 0);
		error = add_member(&object, statement);
		if (error)
			break;
	}
	object_free(&object);
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return error ? error : code == SQLITE_DONE ? 0 : code == SQLITE_NOMEM ? -ENOMEM : -EINVAL;
}
