/* SPDX-License-Identifier: MIT */
/* A trace comes in the order of time, whatever order it was recorded in. */
#include <unistd.h>

#include "report/export/timeline.h"
#include "tests/unit/one_session.h"

#define MANY 6000

BEFORE_EACH
{
	/* Segments of 64 KiB. */
	session_limit_trace(session, 64 << 20, UINT64_MAX);
}

static void add(struct session *to, enum row_kind kind, uint64_t start, uint64_t end,
		uint32_t number)
{
	const struct trace_record record = {
		.kind = kind, .start = start, .end = end, .correlation = number};

	assert_int_equal(session_trace(to, &record), 0);
}

/* The numbers of the records that come, with a blank behind each. */
static char *numbers(uint64_t from, uint64_t to)
{
	static char text[256];
	const struct trace_record *record;
	struct trace_order order;
	uint64_t count = 0;

	*text = '\0';
	assert_int_equal(trace_order_open(&order, session, from, to), 0);
	assert_int_equal(order.done, 0);
	while (!trace_order_next(&order, &record) && record) {
		sprintf(text + strlen(text), "%u ", record->correlation);
		assert_int_equal(order.done, ++count);
	}
	assert_null(record);
	assert_int_equal(order.count, count);
	assert_int_equal(trace_order_next(&order, &record), 0);
	assert_null(record);
	trace_order_close(&order);
	return text;
}

TEST(no_trace_has_no_record)
{
	assert_string_equal(numbers(0, UINT64_MAX), "");
}

TEST(of_two_that_start_together_the_longer_is_first_and_a_call_before_what_it_starts)
{
	add(session, ROW_KERNEL, 50, 60, 1);
	add(session, ROW_RUNTIME_API, 50, 60, 2);
	add(session, ROW_RUNTIME_API, 50, 55, 3);
	add(session, ROW_RANGE, 50, 90, 4);
	add(session, ROW_KERNEL, 20, 30, 5);
	add(session, ROW_KERNEL, 50, 60, 6);
	assert_string_equal(numbers(0, UINT64_MAX), "5 4 2 1 6 3 ");
}

TEST(a_part_is_what_is_not_wholly_outside)
{
	add(session, ROW_KERNEL, 40, 50, 4);
	add(session, ROW_KERNEL, 10, 20, 1);
	add(session, ROW_KERNEL, 20, 30, 2);
	add(session, ROW_KERNEL, 30, 40, 3);
	add(session, ROW_KERNEL, 35, 5, 9); /* damaged: it ends before it starts */
	assert_string_equal(numbers(0, UINT64_MAX), "1 2 3 9 4 ");
	assert_string_equal(numbers(20, 40), "1 2 3 9 4 ");
	assert_string_equal(numbers(21, 39), "2 3 9 ");
	assert_string_equal(numbers(31, 34), "3 ");
	assert_string_equal(numbers(35, 35), "3 9 ");
	assert_string_equal(numbers(51, 60), "");
	assert_string_equal(numbers(0, 9), "");
}

TEST(kinds_of_another_version_are_left_out)
{
	add(session, ROW_KINDS, 1, 2, 1);
	add(session, ROW_RANGE, 3, 4, 2);
	add(session, UINT32_MAX, 5, 6, 3);
	assert_string_equal(numbers(0, UINT64_MAX), "2 ");
}

TEST(what_is_held_of_memory_counts_from_before_the_part)
{
	add(session, TRACE_HELD, 10, 10, 1);
	add(session, ROW_KERNEL, 10, 20, 2);
	add(session, TRACE_HELD, 30, 30, 3);
	add(session, ROW_KERNEL, 30, 40, 4);
	add(session, TRACE_HELD, 41, 41, 5);
	assert_string_equal(numbers(0, UINT64_MAX), "2 1 4 3 5 ");
	assert_string_equal(numbers(25, 40), "1 4 3 ");
	assert_string_equal(numbers(50, 60), "1 3 5 ");
	assert_string_equal(numbers(0, 9), "");
}

/* Records of several segments, some nearly in order and some far out of it. */
static void fill(struct session *to, bool by_process)
{
	uint64_t state = 12345;

	for (uint32_t i = 0; i < MANY; i++) {
		uint64_t start;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		start = (uint64_t)i * 10 + (state >> 33) % 50;
		if (i % 100 == 99)
			start = (state >> 33) % (MANY * 10);
		if (by_process && i % 2000 == 0) {
			struct job_process process = {.pid = (int32_t)i + 1};

			session_trace_of(to,
					 (uint64_t)((char *)session_add_item(to, SEGMENT_PROCESSES,
									     &process) -
						    (char *)session_header(to)),
					 2000);
		}
		add(to, i % 3 ? ROW_KERNEL : ROW_RUNTIME_API, start, start + (state >> 50) % 80, i);
	}
}

static int compare_starts(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each record once, and in order. */
static void is_sorted(const struct session *of)
{
	bool *seen = calloc(MANY, sizeof(*seen));
	uint64_t *starts = calloc(MANY, sizeof(*starts));
	const struct trace_record *record;
	struct trace_order order;
	size_t count = 0;

	session_for_each_trace (of, record)
		starts[count++] = record->start;
	assert_int_equal(count, MANY);
	qsort(starts, count, sizeof(*starts), compare_starts);
	assert_int_equal(trace_order_open(&order, of, 0, UINT64_MAX), 0);
	assert_int_equal(order.count, MANY);
	for (count = 0; !trace_order_next(&order, &record) && record; count++) {
		assert_int_equal(record->start, starts[count]);
		assert_false(seen[record->correlation]);
		seen[record->correlation] = true;
	}
	assert_int_equal(count, MANY);
	trace_order_close(&order);
	free(starts);
	free(seen);
}

TEST(many_segments_are_one_order)
{
	fill(session, false);
	is_sorted(session);
}

TEST(a_file_is_in_the_same_order_and_may_be_read_again)
{
	char path[] = "/tmp/ktime-order-XXXXXX";
	struct session *writer, *reader;

	close(mkstemp(path));
	unlink(path);
	assert_int_equal(session_create(&writer, path, SESSION_TRACE), 0);
	fill(writer, false);
	session_close(writer);
	assert_int_equal(session_open(&reader, path), 0);
	is_sorted(reader);
	is_sorted(reader);
	session_close(reader);
	unlink(path);
}

TEST(processes_come_one_after_the_other)
{
	const struct trace_record *record;
	struct trace_order order;
	uint64_t before = 0;
	uint32_t process = 0, count = 0;

	fill(session, true);
	assert_int_equal(trace_order_open(&order, session, 0, UINT64_MAX), 0);
	while (!trace_order_next(&order, &record) && record) {
		assert_int_equal(order.process, count / 2000 + 1);
		assert_int_equal(order.owner->pid, record->correlation / 2000 * 2000 + 1);
		assert_int_equal(record->correlation / 2000, count / 2000);
		if (order.process == process)
			assert_true(record->start >= before);
		process = order.process;
		before = record->start;
		count++;
	}
	assert_int_equal(count, MANY);
	trace_order_close(&order);
}
