/* SPDX-License-Identifier: MIT */
/* Each change of what a device holds is in the trace once, and what was left out is made good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "preload/memory/allocations.h"
#include "preload/memory/held_changes.h"

static struct session *session;
/* Times of records are ticks, and later than 0. */
static const struct clock_scale scale = {.ns_per_tick = 1};
static struct memory_sum sums[SESSION_DEVICES];
static uint64_t version, locks;
static bool locked;

void allocations_lock(void)
{
	assert_false(locked);
	locked = true;
	locks++;
}

void allocations_unlock(void)
{
	assert_true(locked);
	locked = false;
}

uint64_t allocations_version(void)
{
	return version;
}

const struct memory_sum *memory_sums_of(int device, enum allocation_kind kind)
{
	assert_true(locked);
	assert_int_equal(kind, ALLOCATION_TOTAL);
	return &sums[device];
}

static int start(void **state)
{
	(void)state;
	memset(sums, 0, sizeof(sums));
	if (session_create(&session, NULL, SESSION_TRACE))
		return -1;
	session_limit_trace(session, 128 << 10, UINT64_MAX);
	/* Without what was before. */
	held_changes_want(true);
	held_trace_update(session, &scale, false);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	session_close(session);
	return 0;
}

static void change(int device, uint64_t held)
{
	sums[device].allocations++;
	sums[device].held = held;
	held_changes_add(device, held);
	version++;
}

/* "DEVICE:BYTES" of the records so far, a blank behind each; they are in the order of their times.
 */
static const char *records(void)
{
	static char text[512];
	struct trace_part part = {.records = NULL};
	uint64_t last = 0;

	*text = '\0';
	while (session_next_trace_part(session, &part))
		for (size_t i = 0; i < part.count; i++) {
			const struct trace_record *record = &part.records[i];

			if (record->kind != TRACE_HELD)
				continue;
			assert_int_equal(record->start, record->end);
			assert_true(record->start >= last && record->start > 0);
			last = record->start;
			sprintf(text + strlen(text), "%d:%u ", record->device,
				(unsigned)record->bytes);
		}
	return text;
}

static void without_a_trace_nothing_is_noted(void **state)
{
	const uint64_t before = locks;
	uint64_t left_out;
	size_t count;

	(void)state;
	change(0, 5);
	held_trace_update(session, &scale, false);
	assert_string_equal(records(), "");
	assert_int_equal(locks, before);
	held_changes_take(&count, &left_out);
	assert_int_equal(count, 0);
}

static void what_was_noted_stays_while_more_comes_and_is_forgotten_unwanted(void **state)
{
	const struct held_change *changes;
	uint64_t left_out;
	size_t count;

	(void)state;
	held_changes_want(true);
	held_changes_add(3, 30);
	changes = held_changes_take(&count, &left_out);
	held_changes_add(4, 40);
	assert_int_equal(count, 1);
	assert_int_equal(changes[0].device, 3);
	assert_int_equal(changes[0].held, 30);
	changes = held_changes_take(&count, &left_out);
	assert_int_equal(count, 1);
	assert_int_equal(changes[0].held, 40);
	for (unsigned i = 0; i <= HELD_CHANGES_MOST; i++)
		held_changes_add(5, 50);
	held_changes_want(true);
	held_changes_take(&count, &left_out);
	assert_int_equal(count, 0);
	assert_int_equal(left_out, 0);
}

static void each_change_is_written_once_and_in_its_order(void **state)
{
	uint64_t before;

	(void)state;
	held_changes_want(true);
	assert_true(held_changes_wanted());
	change(0, 10);
	change(3, 7);
	held_trace_update(session, &scale, true);
	assert_string_equal(records(), "0:10 3:7 ");
	before = locks;
	held_trace_update(session, &scale, true);
	assert_int_equal(locks, before);
	change(0, 0);
	change(0, 20);
	held_trace_update(session, &scale, true);
	assert_string_equal(records(), "0:10 3:7 0:0 0:20 ");
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records], 4);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 0);
}

static void a_trace_that_begins_later_begins_with_what_is_held(void **state)
{
	(void)state;
	change(1, 100);
	change(SESSION_DEVICES - 1, 0);
	held_trace_update(session, &scale, true);
	assert_string_equal(records(), "1:100 63:0 ");
	change(1, 110);
	held_trace_update(session, &scale, true);
	assert_string_equal(records(), "1:100 63:0 1:110 ");
	/* What comes after it is not of the next one. */
	held_trace_update(session, &scale, false);
	assert_false(held_changes_wanted());
	change(1, 120);
	held_trace_update(session, &scale, false);
	assert_string_equal(records(), "1:100 63:0 1:110 ");
	held_trace_update(session, &scale, true);
	assert_string_equal(records(), "1:100 63:0 1:110 1:120 63:0 ");
}

static void what_is_held_is_told_again_when_older_records_gave_way(void **state)
{
	const struct trace_record record = {.kind = ROW_KERNEL};

	(void)state;
	held_changes_want(true);
	change(2, 9);
	held_trace_update(session, &scale, true);
	/* Two segments of 545 records are full. */
	for (unsigned i = 1; i < 2 * 545; i++)
		session_trace(session, &record);
	held_trace_update(session, &scale, true);
	assert_string_equal(records(), "2:9 ");
	session_trace(session, &record);
	assert_string_equal(records(), "");
	assert_int_equal(session_trace_emptied(session), 1);
	held_trace_update(session, &scale, true);
	held_trace_update(session, &scale, true);
	assert_string_equal(records(), "2:9 ");
	session_restart_trace(session, 1);
	assert_string_equal(records(), "");
	held_trace_update(session, &scale, true);
	assert_string_equal(records(), "2:9 ");
}

static void more_changes_than_fit_are_counted_and_end_with_what_is_held(void **state)
{
	char last[32];
	const char *text;

	(void)state;
	session_limit_trace(session, UINT64_MAX, UINT64_MAX);
	held_changes_want(true);
	for (unsigned i = 1; i <= HELD_CHANGES_MOST; i++)
		held_changes_add(0, 1);
	sums[0].allocations = 1;
	change(0, 77);
	change(0, 78);
	held_trace_update(session, &scale, true);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records],
			 HELD_CHANGES_MOST + 1);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 2);
	/* And again none. */
	change(0, 79);
	held_trace_update(session, &scale, true);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_records],
			 HELD_CHANGES_MOST + 2);
	assert_int_equal(session_header(session)->counters[COUNTER_trace_lost], 2);
	session_restart_trace(session, 1);
	change(0, 80);
	held_trace_update(session, &scale, true);
	text = records();
	snprintf(last, sizeof(last), "%s", text);
	assert_string_equal(last, "0:80 0:80 ");
}

#define HELD_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HELD_TEST(without_a_trace_nothing_is_noted),
		HELD_TEST(what_was_noted_stays_while_more_comes_and_is_forgotten_unwanted),
		HELD_TEST(each_change_is_written_once_and_in_its_order),
		HELD_TEST(a_trace_that_begins_later_begins_with_what_is_held),
		HELD_TEST(what_is_held_is_told_again_when_older_records_gave_way),
		HELD_TEST(more_changes_than_fit_are_counted_and_end_with_what_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
