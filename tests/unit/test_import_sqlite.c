/* SPDX-License-Identifier: MIT */
/* Databases of nsys and of nvprof are read call by call; what is none is refused with a reason. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "report/import/import.h"
#include "tests/unit/one_folder.h"

static char message[512];
static struct profile profile;

BEFORE_EACH
{
	*message = '\0';
	profile = (struct profile){0};
}

AFTER_EACH
{
	profile_free(&profile);
}

/* Runs statements on the file. */
static void make(const char *statements)
{
	sqlite3 *database;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, statements, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(database);
}

static int import(void)
{
	profile_free(&profile);
	profile = (struct profile){0};
	return import_sqlite(&profile, path, message, sizeof(message));
}

static void refused(const char *reason)
{
	char expected[512];

	assert_int_equal(import(), -EINVAL);
	snprintf(expected, sizeof(expected), "%s: %s", path, reason);
	assert_string_equal(message, expected);
}

/* "name calls total minimum maximum" of each row, in the file's order. */
static void has_rows(bool api, const char *expected)
{
	char text[2048] = "";
	size_t length = 0;

	entries_for_each (struct profile_row, profile.rows[api], row)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s %llu %.10g %.10g %.10g\n", row->name,
					   (unsigned long long)row->calls, row->total, row->minimum,
					   row->maximum);
	assert_string_equal(text, expected);
}

#define KERNELS                                                                                    \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, demangledName "      \
	"INTEGER);"
#define STRINGS "CREATE TABLE StringIds (id INTEGER, value TEXT);"

TEST(each_table_is_read)
{
	make(STRINGS KERNELS
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind "
	     "INTEGER);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, graphId "
	     "INTEGER);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, nameId "
	     "INTEGER);"
	     "INSERT INTO StringIds VALUES (1, 'first(int)'), (2, 'second(int)'), (3, "
	     "'cudaMalloc_v3020'), (4, 'cudaMemcpyAsync_v11000'), (5, 'cuInit'), (6, "
	     "'cudaFoo_v302');"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 1), (200, 270, 1), (300, "
	     "310, 2), (400, 390, 2);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 11, 1), (20, 50, 2), (60, 65, 1);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (500, 503);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (600, 700, 7);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 3, 3), (5, 9, 3), (10, 11, 4), "
	     "(12, 13, 5), (14, 16, 6);");
	assert_int_equal(import(), 0);
	assert_string_equal(message, "");
	assert_string_equal(profile.source, "nsys SQLite export");
	/* A call that ended before it began took no time. */
	has_rows(false, "first(int) 2 120 50 70\nsecond(int) 2 10 0 10\n"
			"[CUDA memcpy HtoD] 2 15 5 10\n[CUDA memcpy DtoH] 1 30 30 30\n"
			"[CUDA memset] 1 3 3 3\n[CUDA graph 7] 1 100 100 100\n");
	has_rows(true, "cudaMalloc 2 6 2 4\ncudaMemcpyAsync 1 1 1 1\ncuInit 1 1 1 1\n"
		       "cudaFoo_v302 1 2 2 2\n");
}

/* Tables without sizes are read too: the tests above. */
TEST(sizes_of_copies_and_memsets_are_read)
{
	const struct profile_row *row;

	make(STRINGS KERNELS
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, copyKind "
	     "INTEGER, bytes INTEGER);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, bytes INTEGER);"
	     "INSERT INTO StringIds VALUES (1, 'first(int)');"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 1);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 11, 1, 100), (20, 50, 1, 28), "
	     "(60, 65, 2, 7), (70, 75, 2, NULL);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (500, 503, 4);");
	assert_int_equal(import(), 0);
	has_rows(false, "first(int) 1 50 50 50\n[CUDA memcpy HtoD] 2 40 10 30\n"
			"[CUDA memcpy DtoH] 2 10 5 5\n[CUDA memset] 1 3 3 3\n");
	row = text_entry_of(&profile.rows[0], "[CUDA memcpy HtoD]", 0);
	assert_true(row->bytes == 128);
	row = text_entry_of(&profile.rows[0], "[CUDA memset]", 0);
	assert_true(row->bytes == 4);
	row = text_entry_of(&profile.rows[0], "[CUDA memcpy DtoH]", 0);
	assert_false(row->bytes > 0);
	row = text_entry_of(&profile.rows[0], "first(int)", 0);
	assert_false(row->bytes > 0);
}

TEST(a_database_is_told_from_other_files)
{
	make("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (500, 503);");
	assert_int_equal(import_profile(&profile, path, NULL, message, sizeof(message)), 0);
	assert_string_equal(profile.source, "nsys SQLite export");
	has_rows(false, "[CUDA memset] 1 3 3 3\n");
}

TEST(one_table_is_enough)
{
	make("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (500, 503);");
	assert_int_equal(import(), 0);
	has_rows(false, "[CUDA memset] 1 3 3 3\n");
	has_rows(true, "");
}

TEST(what_is_no_export_is_refused)
{
	FILE *file;

	make("CREATE TABLE other (value INTEGER);");
	refused("a database without any CUDA activity of nsys's or nvprof's");
	make("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (begin INTEGER);");
	assert_int_equal(import(), -EINVAL);
	assert_non_null(strstr(message, ": no export of nsys's or nvprof's: no such column: "));
	unlink(path);
	refused("no export of nsys's or nvprof's: unable to open database file");
	file = fopen(path, "we");
	assert_non_null(file);
	for (int i = 0; i < 200; i++)
		fputs("this is no database\n", file);
	fclose(file);
	refused("no export of nsys's or nvprof's: file is not a database");
}

/* nvprof has kernels by their mangled names, and calls by CUPTI's numbers. */
TEST(a_database_of_nvprof_is_read)
{
	char expected[256];

	make("CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start INT, end INT, name INT);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, name INT);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (copyKind INT, start INT, end INT);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY2 (copyKind INT, start INT, end INT);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (cbid INT, start INT, end INT);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (cbid INT, start INT, end INT);"
	     "CREATE TABLE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER (start INT, end INT);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER VALUES (1, 2), (3, 4);"
	     "INSERT INTO StringTable VALUES (1, '_Z4axpyfPfS_'), (2, 'scale');"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES (100, 150, 1), (200, 270, "
	     "1), (300, 310, 2);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 1, 11);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY2 VALUES (10, 1, 4);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (500, 503);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (211, 1, 3), (211, 5, 9), (99999, 1, "
	     "2);"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER VALUES (277, 1, 3), (307, 4, 5);");
	assert_int_equal(import(), 0);
	assert_string_equal(profile.source, "nvprof database");
	snprintf(expected, sizeof(expected), "%s: 2 records passed over: unified memory", path);
	assert_int_equal(profile.said_count, 1);
	assert_string_equal(profile.said[0], expected);
	has_rows(false, "axpy(float, float*, float*) 2 120 50 70\nscale 1 10 10 10\n"
			"[CUDA memcpy HtoD] 1 10 10 10\n[CUDA memcpy PtoP] 1 3 3 3\n"
			"[CUDA memset] 1 3 3 3\n");
	has_rows(true, "cudaLaunchKernel 2 6 2 4\nruntime call 99999 1 1 1 1\n"
		       "cuMemcpyHtoDAsync_v2 1 2 2 2\ncuLaunchKernel 1 1 1 1\n");
}

TEST(a_database_that_was_cut_off_is_told)
{
	static const off_t lost[] = {1, 700, 4096, 8192};
	struct stat status;

	make(STRINGS KERNELS
	     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
	     "INSERT INTO StringIds SELECT i, 'kernel ' || i FROM n;"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1, 2, id FROM StringIds;");
	assert_int_equal(stat(path, &status), 0);
	/* Amid a page, whose rest would be zeros to SQLite, between pages, and amid the header. */
	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++) {
		assert_int_equal(truncate(path, status.st_size - lost[i]), 0);
		refused("a damaged database: it was cut off, or not written to its end");
	}
	assert_int_equal(truncate(path, 200), 0);
	refused("a damaged database: it was cut off, or not written to its end");
}

/* A name that is none is an error, and not a row without a name. */
TEST(a_record_without_a_name_is_refused)
{
	make(STRINGS KERNELS "INSERT INTO StringIds VALUES (1, NULL);"
			     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 150, 1);");
	refused("no export of nsys's or nvprof's: a record has no name");
	make("DELETE FROM StringIds;");
	refused("no export of nsys's or nvprof's: a record has no name");
}

TEST(a_view_is_no_table)
{
	make("CREATE TABLE other (start INTEGER, end INTEGER);"
	     "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET AS SELECT * FROM other;");
	refused("a database without any CUDA activity of nsys's or nvprof's");
	unlink(path);
	/* One that a table's query meets is not run. */
	make(KERNELS "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 1);"
		     "CREATE VIEW StringIds AS SELECT 1 AS id, 'x' AS value;");
	assert_int_equal(import(), -EINVAL);
	assert_non_null(strstr(message, ": no export of nsys's or nvprof's: "));
}

/* Each record is joined with each string: more work than such a file is worth. */
TEST(work_without_end_is_ended)
{
	char expected[256];

	make(STRINGS KERNELS
	     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
	     "9000) INSERT INTO StringIds SELECT 1, 'k' FROM n;"
	     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1, 2, 1 FROM StringIds;");
	assert_int_equal(import(), -EINVAL);
	snprintf(expected, sizeof(expected),
		 "%s: no export of nsys's or nvprof's: reading it takes more work than its size "
		 "explains",
		 path);
	assert_string_equal(message, expected);
}

TEST(a_name_of_a_megabyte_is_refused)
{
	make(STRINGS KERNELS "INSERT INTO StringIds VALUES (1, printf('%.*c', 1000000, 'n'));"
			     "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 1);");
	assert_int_equal(import(), 0);
	make("UPDATE StringIds SET value = printf('%.*c', 1100000, 'n');");
	refused("no export of nsys's or nvprof's: string or blob too big");
}
