/* SPDX-License-Identifier: MIT */
/* Which records of a trace stay where it has a limit, by size or by time, or is begun anew. */
#include <unistd.h>

#include "report/session/session.h"
#include "tests/unit/one_folder.h"

/* Two to four segments of 64 KiB: the last one is part-filled. */
TEST(a_limited_trace_keeps_the_newest)
{
	static const uint64_t limits[] = {1, 256 << 10};
	struct trace_record record = {.kind = ROW_KERNEL};
	const struct trace_record *read;
	struct session *session;

	for (size_t i = 0; i < 2; i++) {
		uint64_t most = i ? 4 : 2, segment = (65536 - 64) / sizeof(record), count = 0,
			 sum = 0;
		uint64_t kept = 20000 % segment + (most - 1) * segment;

		assert_int_equal(session_create(&session, path, true), 0);
		session_limit_trace(session, limits[i], UINT64_MAX);
		for (record.start = 0; record.start < 20000; record.start++)
			assert_int_equal(session_trace(session, &record), 0);
		session_close(session);
		assert_int_equal(session_open(&session, path), 0);
		session_for_each_trace (session, read) {
			assert_true(read->start >= 20000 - kept && read->start < 20000);
			sum += read->start;
			count++;
		}
		assert_int_equal(count, kept);
		assert_int_equal(sum, kept * (20000 - kept + 19999) / 2);
		assert_int_equal(session_header(session)->counters[COUNTER_trace_records], kept);
		assert_int_equal(session_header(session)->counters[COUNTER_trace_lost],
				 20000 - kept);
		assert_int_equal(session_header(session)->file_size, 65536 * (most + 1));
		session_close(session);
		assert_int_equal(unlink(path), 0);
	}
}

/* Two segments of 64 KiB: begun anew, the empty one is filled before the oldest gives way. */
TEST(a_trace_begun_anew_keeps_its_room_and_its_limit)
{
	const uint64_t segment = (65536 - 64) / sizeof(struct trace_record);
	struct trace_record record = {.kind = ROW_KERNEL};
	const struct trace_record *read;
	struct session *session, *reader;
	uint64_t count = 0, size;

	assert_int_equal(session_create(&session, path, true), 0);
	session_restart_trace(session, 1);
	for (record.start = 0; record.start < 5 * segment; record.start++)
		assert_int_equal(session_trace(session, &record), 0);
	size = session_header(session)->file_size;
	/* The limit is that of the first time. */
	session_restart_trace(session, 1 << 30);
	assert_int_equal(session_open(&reader, path), 0);
	assert_null(session_next_trace(reader, NULL));
	session_close(reader);
	for (record.start = 100000; record.start < 100000 + 2 * segment; record.start++)
		assert_int_equal(session_trace(session, &record), 0);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], 2 * segment);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 0);
	assert_int_equal(session_open(&reader, path), 0);
	session_for_each_trace (reader, read)
		assert_int_equal(read->start, 100000 + count++);
	assert_int_equal(count, 2 * segment);
	session_close(reader);
	assert_int_equal(session_trace(session, &record), 0);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], segment);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], segment + 1);
	assert_int_equal(session_header(session)->file_size, size);
	session_close(session);
	assert_int_equal(unlink(path), 0);
}

/* A burst, which fills ten segments in a moment, and then records that come slowly. */
TEST(a_trace_limited_by_time_drops_what_is_older)
{
	const uint64_t segment = ((1 << 20) - 64) / sizeof(struct trace_record);
	struct trace_record record = {.kind = ROW_KERNEL};
	const struct trace_record *read;
	struct session *session;
	uint64_t count = 0, size;

	assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
	session_limit_trace(session, UINT64_MAX, 1000);
	for (uint64_t i = 0; i < 10 * segment; i++) {
		record.end = 5000;
		assert_int_equal(session_trace(session, &record), 0);
	}
	size = session_header(session)->file_size;
	/* Nothing is too old yet: the eleventh segment begins 1000 ns after the others. */
	record.end = 6000;
	for (uint64_t i = 0; i < segment; i++)
		assert_int_equal(session_trace(session, &record), 0);
	record.end = 6001;
	assert_int_equal(session_trace(session, &record), 0);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 0);
	assert_int_equal(session_header(session)->file_size, size + (2 << 20));
	size = session_header(session)->file_size;
	for (uint64_t i = 1; i < 5 * segment; i++) {
		record.end = 6001 + i / 10;
		assert_int_equal(session_trace(session, &record), 0);
	}
	/* The twelfth segment was full: the first ten are empty, and used again. */
	assert_int_equal(session_header(session)->file_size, size);
	session_close(session);
	assert_int_equal(session_open(&session, path), 0);
	session_for_each_trace (session, read) {
		assert_true(read->end >= 6001 + 2 * segment / 10);
		count++;
	}
	/* When the last but one became full, the one before had ended 873 ns earlier. */
	assert_int_equal(count, 3 * segment);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], count);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost],
			 16 * segment - count);
	session_close(session);
}

/* Of four segments of 64 KiB three are filled. What lies between two beginnings may be of any age.
 */
TEST(a_trace_begun_anew_keeps_its_time)
{
	const uint64_t segment = (65536 - 64) / sizeof(struct trace_record);
	struct trace_record record = {.kind = ROW_KERNEL};
	struct session *session;
	uint64_t size;

	assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
	session_limit_trace(session, 256 << 10, 1000);
	for (uint64_t i = 0; i < 3 * segment; i++) {
		record.end = 100000 + i;
		assert_int_equal(session_trace(session, &record), 0);
	}
	size = session_header(session)->file_size;
	session_restart_trace(session, 1);
	/* Times before those of the first trace: none of its segments is the newest any more. */
	for (uint64_t i = 0; i < 3 * segment; i++) {
		record.end = 5000 + i / segment * 1000;
		assert_int_equal(session_trace(session, &record), 0);
	}
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], 3 * segment);
	/* The first two are 2000 and 1000 ns older than the third. */
	assert_int_equal(session_trace(session, &record), 0);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], 2 * segment + 1);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], segment);
	assert_int_equal(session_header(session)->file_size, size);
	session_close(session);
}

TEST(a_trace_without_a_limit_is_begun_anew_in_its_room)
{
	const uint64_t segment = ((1 << 20) - 64) / sizeof(struct trace_record);
	const struct trace_record record = {.kind = ROW_KERNEL};
	struct session *session;
	uint64_t size;

	assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
	for (uint64_t i = 0; i < 3 * segment; i++)
		assert_int_equal(session_trace(session, &record), 0);
	size = session_header(session)->file_size;
	session_restart_trace(session, 1);
	for (uint64_t i = 0; i < 3 * segment; i++)
		assert_int_equal(session_trace(session, &record), 0);
	assert_int_equal(session_header(session)->file_size, size);
	assert_int_equal(session_trace(session, &record), 0);
	assert_int_equal(session_header(session)->file_size, size + (1 << 20));
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], 3 * segment + 1);
	session_close(session);
}

/* Streams' records come by and by: one segment's may all have ended before the last one's. */
TEST(a_segment_of_later_records_is_not_too_old)
{
	const uint64_t segment = ((1 << 20) - 64) / sizeof(struct trace_record);
	static const uint64_t ends[] = {9000, 5000, 9999, 10000, 10001};
	struct trace_record record = {.kind = ROW_KERNEL};
	struct session *session;

	assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
	session_limit_trace(session, UINT64_MAX, 1000);
	for (uint64_t i = 0; i < 2 * segment + 1; i++) {
		/* The newest need not be the last of its segment. */
		record.end = i % segment == 1 ? ends[i / segment] : 1;
		assert_int_equal(session_trace(session, &record), 0);
	}
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 0);
	for (uint64_t i = 2 * segment + 1; i <= 3 * segment; i++) {
		record.end = i % segment == 1 ? ends[i / segment] : 1;
		assert_int_equal(session_trace(session, &record), 0);
	}
	/* The third ended 999 ns after the first, 4999 after the second. */
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], segment);
	for (uint64_t i = 3 * segment + 1; i <= 5 * segment; i++) {
		assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], segment);
		record.end = i % segment == 1 ? ends[i / segment] : 1;
		assert_int_equal(session_trace(session, &record), 0);
	}
	/* The fifth 1001 ns after the first. */
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 2 * segment);
	session_close(session);
}
