/* SPDX-License-Identifier: MIT */
/* The values of a timeline's counters of what is held of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/export/timeline.h"

/* "DEVICE@TIME:BYTES" of what is to be written before a record, NULL for the end, a blank behind
 * each. */
static const char *values(struct held_memory *held, const struct trace_record *record)
{
	static char text[512];
	struct held_value value;

	*text = '\0';
	while (held_memory_next(held, record, &value))
		sprintf(text + strlen(text), "%d@%u:%u ", value.device, (unsigned)value.time,
			(unsigned)value.bytes);
	return text;
}

static struct trace_record held_record(int device, uint64_t start, uint64_t bytes)
{
	return (struct trace_record){
		.kind = TRACE_HELD, .device = device, .start = start, .end = start, .bytes = bytes};
}

static void each_record_is_a_value_at_its_time(void **state)
{
	struct trace_record first = held_record(0, 10, 100), second = held_record(63, 10, 7);
	struct held_memory held = {.from = 0};

	(void)state;
	assert_string_equal(values(&held, &first), "0@10:100 ");
	assert_string_equal(values(&held, &first), "");
	assert_string_equal(values(&held, &second), "63@10:7 ");
	assert_string_equal(values(&held, NULL), "");
}

static void a_timeline_begins_with_the_last_values_before_it(void **state)
{
	struct trace_record records[] = {held_record(0, 10, 100), held_record(5, 20, 50),
					 held_record(0, 30, 200), held_record(0, 40, 300)};
	struct trace_record operation = {.kind = ROW_KERNEL, .start = 25, .end = 90};
	struct held_memory held = {.from = 40};

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_string_equal(values(&held, &records[i]), "");
	/* It began before, and others may come that did. */
	assert_string_equal(values(&held, &operation), "");
	assert_string_equal(values(&held, &records[3]), "5@40:50 0@40:300 ");
	operation.start = 40;
	assert_string_equal(values(&held, &operation), "");
}

static void an_operation_of_the_timeline_or_its_end_brings_them_too(void **state)
{
	struct trace_record before = held_record(1, 10, 9);
	struct trace_record operation = {.kind = ROW_KERNEL, .start = 40, .device = 2};
	struct held_memory held = {.from = 40};

	(void)state;
	assert_string_equal(values(&held, &before), "");
	assert_string_equal(values(&held, &operation), "1@40:9 ");
	assert_string_equal(values(&held, &operation), "");
	assert_string_equal(values(&held, &before), "");
	assert_string_equal(values(&held, NULL), "1@40:9 ");
	assert_string_equal(values(&held, NULL), "");
}

static void devices_that_there_are_not_have_none(void **state)
{
	struct trace_record records[] = {held_record(-1, 10, 100), held_record(64, 10, 50)};
	struct held_memory held = {.from = 0};

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 2; i++)
			assert_string_equal(values(&held, &records[i]), "");
		assert_string_equal(values(&held, NULL), "");
		held.from = 11;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_record_is_a_value_at_its_time),
		cmocka_unit_test(a_timeline_begins_with_the_last_values_before_it),
		cmocka_unit_test(an_operation_of_the_timeline_or_its_end_brings_them_too),
		cmocka_unit_test(devices_that_there_are_not_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
