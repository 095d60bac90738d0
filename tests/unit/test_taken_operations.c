/* SPDX-License-Identifier: MIT */
/* From activity records of kernels, copies and memsets to the rows: whose each record is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/base/run.h"
#include "preload/collector/records.h"
#include "preload/recording/rows.h"
#include "tests/unit/taken_records.h"

static void a_record_has_the_row_of_its_call(void **state)
{
	(void)state;
	around.call = &call;
	around.before.overlapped = true;
	around.trace = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev", .device = 1});
	/* The call knows its kernel better than the record. */
	assert_int_equal(row_of(ROW_KERNEL, "_Z5otherv", 1)->cupti.total, 600);
	assert_int_equal(count(COUNTER_cupti_records), 1);
	assert_int_equal(count(COUNTER_unmatched_records), 0);
	assert_int_equal(around.matched, 1);
	assert_int_equal(around.correlation, 31);
	assert_int_equal(around.recorded, 1);
	assert_true(around.timed && around.overlapped && around.idle && !around.kernel_by_order);
	assert_int_equal(around.nanoseconds, 600);
	assert_int_equal(around.in_ranges, 1);
	assert_int_equal(around.range_ns, 600);
	assert_int_equal(around.range_clock, CLOCK_CUPTI);
	assert_int_equal(around.costs, 1);
	assert_int_equal(around.fed, 1);
	assert_int_equal(around.traced, 1);
	assert_int_equal(around.by_recording, 1);
	/* The stream had work until the call began. */
	around.before.stream_end = 900;
	around.complete = false;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev", .device = 1});
	assert_false(around.idle);
	assert_int_equal(around.fed, 1);
	/* One without a name counts by the order. */
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev"});
	take(ACTIVITY_MEMSET, (struct activity){0});
	assert_false(around.kernel_by_order);
	take(ACTIVITY_KERNEL, (struct activity){0});
	assert_true(around.kernel_by_order);
	/* What is not reported gives its call the time all the same. */
	call.reported = false;
	around.recorded = 0;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev"});
	assert_int_equal(around.recorded, 1);
	assert_false(around.timed);
	assert_int_equal(count(COUNTER_cupti_records), 5);
}

static void a_record_without_a_call_counts_by_its_own_start(void **state)
{
	(void)state;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 1);
	assert_int_equal(count(COUNTER_unmatched_records), 1);
	assert_int_equal(around.recorded + around.matched + around.in_ranges, 0);
	/* On the host's clock, before the window, on a device that nobody asked for, or while
	 * ranges are chosen. */
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av", .start = 999});
	cupti_clock_behind = 1;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av", .start = 999});
	assert_int_equal(count(COUNTER_unmatched_records), 2);
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av", .device = 2});
	around.chosen = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	around.chosen = false;
	assert_int_equal(count(COUNTER_unmatched_records), 2);
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 2);
	/* ktime's own. */
	around.own = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	around.own = false;
	/* In windows, only those whose kernel is known. */
	around.matches = around.knows_kernels = false;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 2);
	take(ACTIVITY_MEMSET, (struct activity){0});
	assert_int_equal(row_of(ROW_MEMSET, "[CUDA memset]", 0)->cupti.count, 1);
	around.knows_kernels = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 3);
	assert_int_equal(count(COUNTER_unmatched_records), 2);
}

static void no_row_has_more_records_than_calls_once_the_window_changed(void **state)
{
	(void)state;
	session_row(run.session, ROW_KERNEL, "_Z1av", 0)->calls = 2;
	for (unsigned i = 1; i <= 4; i++)
		take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 4);
	around.window_changes = true;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 4);
	assert_int_equal(count(COUNTER_unmatched_records), 5);
	/* What was called outside the window alone. */
	session_row(run.session, ROW_KERNEL, "_Z1cv", 0)->calls_outside = 1;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1cv"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1cv", 0)->cupti.count, 0);
	/* A call whose place another's record has got. */
	call.operation = operation_named(ROW_KERNEL, "_Z1av");
	around.call = &call;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 4);
	assert_int_equal(around.recorded, 1);
	assert_false(around.timed);
	around.call = NULL;
	/* Those of nodes of graphs have no calls. */
	session_row(run.session, ROW_KERNEL, "_Z1av", 0)->graph_records = 3;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 5);
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 5);
	/* One that was called, and one that no hook saw. */
	session_row(run.session, ROW_KERNEL, "_Z1av", 0)->calls = 3;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1av"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1av", 0)->cupti.count, 6);
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z1bv"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z1bv", 0)->cupti.count, 1);
}

static void each_copy_has_the_row_of_its_direction(void **state)
{
	static const struct {
		uint8_t kind;
		const char *name;
	} copies[] = {
		{COPY_HTOD, "[CUDA memcpy HtoD]"}, {COPY_DTOH, "[CUDA memcpy DtoH]"},
		{COPY_HTOA, "[CUDA memcpy HtoA]"}, {COPY_ATOH, "[CUDA memcpy AtoH]"},
		{COPY_ATOA, "[CUDA memcpy AtoA]"}, {COPY_ATOD, "[CUDA memcpy AtoD]"},
		{COPY_DTOA, "[CUDA memcpy DtoA]"}, {COPY_DTOD, "[CUDA memcpy DtoD]"},
		{COPY_HTOH, "[CUDA memcpy HtoH]"}, {COPY_PTOP, "[CUDA memcpy PtoP]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		take(ACTIVITY_MEMCPY, (struct activity){.copy_kind = copies[i].kind});
		assert_int_equal(row_of(ROW_MEMCPY, copies[i].name, 0)->cupti.count, 1);
		assert_int_equal(row_of(ROW_MEMCPY, copies[i].name, 0)->cupti.size, 64);
	}
	take(ACTIVITY_MEMCPY, (struct activity){.copy_kind = COPY_KINDS});
	assert_int_equal(row_of(ROW_MEMCPY, "[CUDA memcpy HtoH]", 0)->cupti.count, 2);
	take(ACTIVITY_MEMCPY_PEER, (struct activity){0});
	assert_int_equal(row_of(ROW_MEMCPY, "[CUDA memcpy PtoP]", 0)->cupti.count, 2);
	take(ACTIVITY_KERNEL, (struct activity){0});
	assert_int_equal(row_of(ROW_KERNEL, "[CUDA kernel]", 0)->cupti.count, 1);
}

static void a_name_is_looked_up_once_for_its_address(void **state)
{
	char name[8] = "_Z1bv";

	(void)state;
	take(ACTIVITY_KERNEL, (struct activity){.name = name});
	take(ACTIVITY_KERNEL, (struct activity){.name = name});
	assert_int_equal(names_looked_up(), 1);
	assert_int_equal(row_of(ROW_KERNEL, "_Z1bv", 0)->cupti.count, 2);
}

static void what_cannot_be_read_is_counted(void **state)
{
	struct activity activity = {.kind = ACTIVITY_UNKNOWN, .valid = true};

	(void)state;
	records_take(&activity, NULL);
	assert_int_equal(count(COUNTER_cupti_unknown), 1);
	activity = (struct activity){.kind = ACTIVITY_KERNEL};
	records_take(&activity, NULL);
	assert_int_equal(count(COUNTER_cupti_invalid), 1);
	around.matches = false;
	records_take(&activity, NULL);
	assert_int_equal(count(COUNTER_cupti_invalid), 1);
	assert_int_equal(count(COUNTER_cupti_records), 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, taken_start, taken_stop)
	const struct CMUnitTest tests[] = {
		TEST(a_record_has_the_row_of_its_call),
		TEST(a_record_without_a_call_counts_by_its_own_start),
		TEST(no_row_has_more_records_than_calls_once_the_window_changed),
		TEST(each_copy_has_the_row_of_its_direction),
		TEST(a_name_is_looked_up_once_for_its_address),
		TEST(what_cannot_be_read_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
