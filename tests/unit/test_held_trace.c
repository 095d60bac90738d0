/* SPDX-License-Identifier: MIT */
/* Each change of what a device holds is in the trace once, and what was left out is made good. */
#include "preload/memory/holdings.h"
#include "tests/unit/held_sums.h"
#include "tests/unit/made_run.h"
#include "tests/unit/own_process.h"
#include "tests/unit/test.h"

/* Times of records are ticks, and later than 0. */
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

static void start(void)
{
	run.scale.ns_per_tick = 1;
	if (make_run(SESSION_TRACE))
		_exit(1);
	session_limit_trace(run.session, 128 << 10, UINT64_MAX);
}

/* The table is the process's: each test has one of its own. */
#define CHILD_TEST(name) TEST_IN_CHILD(name, start())

static void add(enum holding_space space, enum allocation_kind kind, int device, uint64_t key,
		uint64_t bytes)
{
	holdings_add(
		&(struct allocation){
			.key = key, .bytes = bytes, .space = space, .kind = kind, .device = device},
		1);
	version++;
}

static void take(enum holding_space space, uint64_t key)
{
	struct taken taken;

	holdings_take(space, key, &taken);
	assert_true(taken.any);
	version++;
}

/* The device holds so much: a block more, or without the only one. */
static void change(int device, uint64_t held)
{
	static uint64_t keys[SESSION_DEVICES];
	uint64_t key = 100000u * (unsigned)device + keys[device];
	uint64_t before = sum_of(device, ALLOCATION_TOTAL)->held;

	if (held < before)
		take(SPACE_POINTER, key);
	else
		add(SPACE_POINTER, ALLOCATION_DEVICE, device, key + 1, held - before);
	keys[device] += held >= before;
	assert_int_equal(sum_of(device, ALLOCATION_TOTAL)->held, held);
}

/* "DEVICE:BYTES" of the records so far, a blank behind each; they are in the order of their times.
 */
static const char *records(void)
{
	static char text[512];
	struct trace_part part = {.records = NULL};
	uint64_t last = 0;

	*text = '\0';
	while (session_next_trace_part(run.session, &part))
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

CHILD_TEST(without_a_trace_nothing_is_noted)
{
	const uint64_t before = locks;

	change(0, 5);
	held_trace_update(false);
	assert_string_equal(records(), "");
	assert_int_equal(locks, before);
}

CHILD_TEST(what_was_not_written_is_forgotten_unwanted)
{
	held_changes_want(true);
	change(3, 30);
	for (unsigned i = 0; i <= HELD_CHANGES_MOST; i++)
		change(5, 50);
	held_changes_want(true);
	change(4, 40);
	held_trace_update(true);
	assert_string_equal(records(), "4:40 ");
	assert_int_equal(run.header->counters[COUNTER_trace_lost], 0);
}

/* Of memory that is on a device for good, with the device's total after each. */
CHILD_TEST(changes_are_of_the_devices_total)
{
	held_changes_want(true);
	add(SPACE_POINTER, ALLOCATION_DEVICE, 0, 1, 1);
	add(SPACE_POINTER, ALLOCATION_POOL, 0, 2, 2);
	add(SPACE_HANDLE, ALLOCATION_VIRTUAL, 1, 3, 4);
	add(SPACE_POINTER, ALLOCATION_MANAGED, 0, 4, 8);
	add(SPACE_ARRAY, ALLOCATION_ARRAY, 0, 5, 16);
	add(SPACE_HOST, ALLOCATION_PINNED, -1, 6, 32);
	add(SPACE_HANDLE, ALLOCATION_VIRTUAL, -1, 7, 64);
	take(SPACE_POINTER, 4);
	take(SPACE_HOST, 6);
	take(SPACE_POINTER, 2);
	add(SPACE_POINTER, ALLOCATION_DEVICE, 0, 8, 1);
	held_trace_update(true);
	assert_string_equal(records(), "0:1 0:3 1:4 0:19 0:17 0:18 ");
}

CHILD_TEST(each_change_is_written_once_and_in_its_order)
{
	uint64_t before;

	held_changes_want(true);
	change(0, 10);
	change(3, 7);
	held_trace_update(true);
	assert_string_equal(records(), "0:10 3:7 ");
	before = locks;
	held_trace_update(true);
	assert_int_equal(locks, before);
	change(0, 0);
	change(0, 20);
	held_trace_update(true);
	assert_string_equal(records(), "0:10 3:7 0:0 0:20 ");
	assert_int_equal(run.header->counters[COUNTER_trace_records], 4);
	assert_int_equal(run.header->counters[COUNTER_trace_lost], 0);
}

CHILD_TEST(a_trace_that_begins_later_begins_with_what_is_held)
{
	change(1, 100);
	change(SESSION_DEVICES - 1, 0);
	held_trace_update(true);
	assert_string_equal(records(), "1:100 63:0 ");
	change(1, 110);
	held_trace_update(true);
	assert_string_equal(records(), "1:100 63:0 1:110 ");
	/* What comes after it is not of the next one. */
	held_trace_update(false);
	change(1, 120);
	held_trace_update(false);
	assert_string_equal(records(), "1:100 63:0 1:110 ");
	held_trace_update(true);
	assert_string_equal(records(), "1:100 63:0 1:110 1:120 63:0 ");
}

CHILD_TEST(what_is_held_is_told_again_when_older_records_gave_way)
{
	const struct trace_record record = {.kind = ROW_KERNEL};

	held_changes_want(true);
	change(2, 9);
	held_trace_update(true);
	/* Two segments of 545 records are full. */
	for (unsigned i = 1; i < 2 * 545; i++)
		session_trace(run.session, &record);
	held_trace_update(true);
	assert_string_equal(records(), "2:9 ");
	session_trace(run.session, &record);
	assert_string_equal(records(), "");
	assert_int_equal(session_trace_emptied(run.session), 1);
	held_trace_update(true);
	held_trace_update(true);
	assert_string_equal(records(), "2:9 ");
	session_restart_trace(run.session, 1);
	assert_string_equal(records(), "");
	held_trace_update(true);
	assert_string_equal(records(), "2:9 ");
}

CHILD_TEST(more_changes_than_fit_are_counted_and_end_with_what_is_held)
{
	char last[32];
	const char *text;

	session_limit_trace(run.session, UINT64_MAX, UINT64_MAX);
	held_changes_want(true);
	for (unsigned i = 1; i <= HELD_CHANGES_MOST; i++)
		change(0, 1);
	change(0, 77);
	change(0, 78);
	held_trace_update(true);
	assert_int_equal(run.header->counters[COUNTER_trace_records], HELD_CHANGES_MOST + 1);
	assert_int_equal(run.header->counters[COUNTER_trace_lost], 2);
	/* And again none. */
	change(0, 79);
	held_trace_update(true);
	assert_int_equal(run.header->counters[COUNTER_trace_records], HELD_CHANGES_MOST + 2);
	assert_int_equal(run.header->counters[COUNTER_trace_lost], 2);
	session_restart_trace(run.session, 1);
	change(0, 80);
	held_trace_update(true);
	text = records();
	snprintf(last, sizeof(last), "%s", text);
	assert_string_equal(last, "0:80 0:80 ");
}
