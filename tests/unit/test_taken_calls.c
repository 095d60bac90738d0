/* SPDX-License-Identifier: MIT */
/* From activity records of API calls, overheads and migrations to the rows. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "preload/base/run.h"
#include "preload/base/settings.h"
#include "preload/collector/records.h"
#include "preload/recording/rows.h"
#include "tests/unit/taken_records.h"

static void calls_and_overheads_have_rows(void **state)
{
	const struct row *row;

	(void)state;
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5, .result = 2});
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5});
	row = row_of(ROW_RUNTIME_API, "cudaOrCuCall", -1);
	assert_int_equal(row->calls, 2);
	assert_int_equal(row->failed, 1);
	assert_int_equal(row->cupti.total, 1200);
	assert_int_equal(around.in_ranges, 2);
	assert_int_equal(around.range_clock, CLOCK_NONE);
	around.trace = true;
	take(ACTIVITY_DRIVER_API, (struct activity){0});
	assert_int_equal(row_of(ROW_DRIVER_API, "cudaOrCuCall", -1)->calls, 1);
	assert_int_equal(around.traced_calls, 1);
	/* What ktime's wrappers count, what ktime calls itself, and what nobody asked for. */
	around.called = "cudaOrCuCall";
	take(ACTIVITY_DRIVER_API, (struct activity){0});
	around.called = NULL;
	take(ACTIVITY_DRIVER_API, (struct activity){.thread = (uint32_t)pthread_self()});
	settings.api_trace = API_TRACE_RUNTIME;
	take(ACTIVITY_DRIVER_API, (struct activity){0});
	around.included = false;
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5});
	around.included = true;
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5, .start = 999});
	assert_int_equal(row->calls, 2);
	assert_int_equal(row_of(ROW_DRIVER_API, "cudaOrCuCall", -1)->calls, 1);
	take(ACTIVITY_OVERHEAD, (struct activity){.overhead_kind = 1, .result = 9});
	take(ACTIVITY_OVERHEAD, (struct activity){.overhead_kind = 2});
	row = row_of(ROW_OVERHEAD, "Buffer Flush", -1);
	assert_int_equal(row->calls, 1);
	assert_int_equal(row->failed, 0);
	assert_int_equal(around.traced_calls, 1);
}

/* Each takes 600 ns; CUPTI stops recording the function after 2,000 of them. */
static void cheap_calls_are_recorded_2000_times(void **state)
{
	const struct row *row;

	(void)state;
	for (unsigned i = 1; i < 2000; i++)
		take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5});
	row = row_of(ROW_RUNTIME_API, "cudaOrCuCall", -1);
	assert_int_equal(around.skipped, 0);
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5});
	assert_int_equal(around.skipped, 1);
	assert_int_equal(row->more_calls, 1);
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5});
	assert_int_equal(around.skipped, 1);
	records_finish();
	assert_non_null(strstr(session_string(run.session, run.header->notes[0]),
			       "Only the first 2000 calls"));
}

/* A trace wants all. */
static void in_a_trace_all_are_recorded(void **state)
{
	(void)state;
	around.trace = true;
	for (unsigned i = 0; i < 2000; i++)
		take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5});
	assert_int_equal(around.skipped, 0);
}

static void migrations_are_the_devices(void **state)
{
	static const char name[] = "[CUDA unified memory HtoD]";

	(void)state;
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD, .device = 3});
	take(ACTIVITY_UNIFIED_MEMORY, (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD,
							.device = ACTIVITY_HOST,
							.source_device = 4,
							.destination_device = ACTIVITY_HOST});
	take(ACTIVITY_UNIFIED_MEMORY, (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD,
							.device = ACTIVITY_HOST,
							.source_device = ACTIVITY_HOST,
							.destination_device = 5});
	for (int device = 3; device <= 5; device++) {
		assert_int_equal(row_of(ROW_MOVEMENT, name, device)->cupti.total, 600);
		assert_int_equal(row_of(ROW_MOVEMENT, name, device)->bytes, 64);
	}
	/* Not asked for, of a kind without a row, and before the window. */
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD, .device = 2});
	assert_int_equal(row_of(ROW_MOVEMENT, name, 2)->cupti.count, 0);
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_THRASHING, .device = 3});
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_DTOD + 1, .device = 3});
	take(ACTIVITY_UNIFIED_MEMORY, (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD,
							.device = 3,
							.start = 999});
	around.chosen = true;
	take(ACTIVITY_UNIFIED_MEMORY,
	     (struct activity){.unified_memory_kind = UNIFIED_MEMORY_HTOD, .device = 3});
	assert_int_equal(row_of(ROW_MOVEMENT, name, 3)->cupti.count, 1);
	around.chosen = false;
	take(ACTIVITY_UNIFIED_MEMORY, (struct activity){.unified_memory_kind = UNIFIED_MEMORY_DTOD,
							.device = SESSION_DEVICES});
	assert_int_equal(row_of(ROW_MOVEMENT, "[CUDA unified memory DtoD]", 0)->cupti.count, 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, taken_start, taken_stop)
	const struct CMUnitTest tests[] = {
		TEST(calls_and_overheads_have_rows),
		TEST(in_a_trace_all_are_recorded),
		TEST(cheap_calls_are_recorded_2000_times),
		TEST(migrations_are_the_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
