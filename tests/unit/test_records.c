/* SPDX-License-Identifier: MIT */
/* Tables of records are read into rows and trace records, and bad lines are named. */
#include <errno.h>
#include <unistd.h>

#include "tests/unit/records.h"
#include "tests/unit/test.h"

static char path[32];
static char message[256];

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int read_table(struct session **session, const char *text)
{
	write_file(text);
	return records_read(session, path, NULL, message, sizeof(message));
}

static void refused(const char *text, const char *expected)
{
	struct session *session;
	char line[300];

	snprintf(line, sizeof(line), "%s: %s", path, expected);
	assert_int_equal(read_table(&session, text), -EINVAL);
	assert_null(session);
	assert_string_equal(message, line);
}

BEFORE_EACH
{
	strcpy(path, "/tmp/ktime-records-XXXXXX");
	assert_int_equal(close(mkstemp(path)), 0);
}

AFTER_EACH
{
	assert_int_equal(unlink(path), 0);
}

TEST(columns_may_come_in_any_order)
{
	const struct trace_record *record;
	struct session *session;
	struct row *row;

	assert_int_equal(read_table(&session, "type\tend_ns\tstart_ns\tname\tbytes\tdevice\textra\n"
					      "memcpy\t300\t100\tHtoD\t4096\t1\tx\n"
					      "\n"
					      "api\t90\t10\tcuLaunchKernel\n"),
			 0);
	row = session_next_row(session, NULL);
	assert_string_equal(session_string(session, row->name), "[CUDA memcpy HtoD]");
	assert_int_equal(row->kind, ROW_MEMCPY);
	assert_int_equal(row->device, 1);
	assert_int_equal(row->bytes, 4096);
	assert_int_equal(row->cupti.total, 200);
	row = session_next_row(session, row);
	assert_int_equal(row->kind, ROW_DRIVER_API);
	assert_int_equal(row->device, -1);
	assert_null(session_next_row(session, row));
	record = session_next_trace(session, NULL);
	assert_int_equal(record->start, 100);
	assert_int_equal(record->end, 300);
	assert_non_null(session_next_trace(session, record));
	assert_string_equal(session_header(session)->devices[1].name, "Tesla V100");
	session_close(session);
}

TEST(bad_lines_are_named)
{
	refused("type\tname\n", "no table of records (its first line names no columns)");
	refused("type\tname\tstart_ns\tend_ns\nkernel\tk\t1\t2\nkernel\tk\t1\tx\n",
		"line 3: bad end_ns");
	refused("type\tname\tstart_ns\tend_ns\nkernel\tk\t5\t2\n", "line 2: bad end_ns");
	refused("type\tname\tstart_ns\tend_ns\nkernels\tk\t1\t2\n", "line 2: bad type");
	refused("type\tname\tstart_ns\tend_ns\nkernel\t\t1\t2\n", "line 2: bad name");
	refused("type\tname\tstart_ns\tend_ns\tdevice\nkernel\tk\t1\t2\t64\n",
		"line 2: bad device");
	refused("type\tname\tstart_ns\tend_ns\tgrid\nkernel\tk\t1\t2\t1x1\n", "line 2: bad grid");
	refused("type\tname\tstart_ns\tend_ns\tsrc_kind\nmemcpy\tHtoD\t1\t2\tpaged\n",
		"line 2: bad src_kind");
}

TEST(other_files_are_refused)
{
	struct session *session;

	refused("", "no table of records (its first line names no columns)");
	for (size_t i = 0; i < 2; i++) {
		write_file(i ? "garbage" : "");
		assert_int_equal(session_load(&session, path, message, sizeof(message)), -EINVAL);
		assert_non_null(strstr(message, ": not a ktime profile"));
	}
	assert_int_equal(session_load(&session, "/tmp", message, sizeof(message)), -EISDIR);
	assert_string_equal(message, "/tmp: Is a directory");
	assert_int_equal(session_load(&session, "/nowhere", message, sizeof(message)), -ENOENT);
	assert_string_equal(message, "/nowhere: No such file or directory");
}
