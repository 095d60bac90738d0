/* SPDX-License-Identifier: MIT */
/* A profile's file grows, whatever the program does to descriptors meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "report/session/session.h"
#include "tests/unit/one_folder.h"

#define ROWS	      20000u

/* More than a file has room for when it is made. */
#define TRACE_RECORDS 50000u

static struct session *session;
/* While the file grows: how often the program closes its descriptor, and whether it opens another
 * file under that number. */
static unsigned closes;
static bool opens;
static int reopened;

int posix_fallocate(int fd, off_t offset, off_t length)
{
	int result = ftruncate(fd, offset + length) < 0 ? errno : 0;

	if (closes > 0) {
		closes--;
		close(fd);
		result = EBADF;
	}
	if (opens) {
		opens = false;
		close(fd);
		reopened = open("/dev/null", O_RDONLY);
		assert_int_equal(reopened, fd);
		result = ENOSPC;
	}
	return result;
}

BEFORE_EACH
{
	assert_int_equal(session_create(&session, path, 0), 0);
}

AFTER_EACH
{
	session_close(session);
}

static void add_rows(void)
{
	char name[16];

	for (unsigned i = 0; i < ROWS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		assert_non_null(session_row(session, ROW_KERNEL, name, 0));
	}
}

static unsigned rows_in_file(void)
{
	struct session *opened;
	const struct row *row;
	unsigned count = 0;

	assert_int_equal(session_open(&opened, path), 0);
	session_for_each_row (opened, row)
		count++;
	session_close(opened);
	return count;
}

TEST(a_descriptor_that_the_program_closes_is_opened_again)
{
	closes = 1;
	add_rows();
	assert_int_equal(closes, 0);
	assert_int_equal(rows_in_file(), ROWS);
	assert_int_equal(session_header(session)->note_count, 0);
}

TEST(one_that_is_closed_each_time_leaves_the_rest_in_memory)
{
	closes = 2;
	add_rows();
	assert_int_equal(closes, 0);
	assert_true(rows_in_file() < ROWS);
	assert_int_equal(session_header(session)->note_count, 1);
}

TEST(a_file_that_the_program_opened_meanwhile_stays_open)
{
	opens = true;
	add_rows();
	assert_false(opens);
	assert_true(fcntl(reopened, F_GETFD) >= 0);
	close(reopened);
}

/* The descriptor of a file with a trace is kept. */
TEST(a_file_that_is_removed_goes_on)
{
	const struct trace_record record = {.start = 1, .end = 2, .kind = ROW_KERNEL};
	const struct trace_record *written;
	struct session *traced;
	char removed[64];
	unsigned count = 0;

	snprintf(removed, sizeof(removed), "%s/removed", folder);
	assert_int_equal(session_create(&traced, removed, SESSION_TRACE), 0);
	assert_int_equal(unlink(removed), 0);
	for (unsigned i = 0; i < TRACE_RECORDS; i++)
		assert_int_equal(session_trace(traced, &record), 0);
	session_for_each_trace (traced, written)
		count++;
	assert_int_equal(count, TRACE_RECORDS);
	session_close(traced);
}
