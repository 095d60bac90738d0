/* SPDX-License-Identifier: MIT */
/* Whether the names of kernels in activity records are trusted, once modules were unloaded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/base/run.h"
#include "preload/collector/calls.h"
#include "preload/collector/records.h"
#include "preload/recording/rows.h"
#include "tests/unit/own_process.h"
#include "tests/unit/taken_records.h"

static struct in_flight next_call;

static void start(void)
{
	void *state = NULL;

	assert_int_equal(taken_start(&state), 0);
	operation_names_reused = true;
	/* In the order of the launches the record is `other_kernel`'s. */
	next_call.operation = &other_kernel;
	around.next = &next_call;
}

#define TEST(name) TEST_IN_CHILD(name, start())

static bool takes_by_order(void)
{
	around.kernel_by_order = false;
	around.call = &call;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev"});
	return around.kernel_by_order;
}

/* So many launches of the record's kernel were counted. */
static void launched(uint64_t times)
{
	operation_named(ROW_KERNEL, "_Z4namev")->calls = times;
	rows_of(operation_named(ROW_KERNEL, "_Z4namev"), 0)->calls = times;
}

static uint32_t notes(void)
{
	return run.header->note_count;
}

TEST(names_are_trusted_until_a_module_was_unloaded)
{
	operation_names_reused = false;
	assert_false(takes_by_order());
	operation_names_reused = true;
	next_call.operation = operation_named(ROW_KERNEL, "_Z4namev");
	assert_false(takes_by_order());
	around.next = NULL;
	assert_false(takes_by_order());
	around.matches = false;
	around.next = &next_call;
	next_call.operation = &other_kernel;
	assert_false(takes_by_order());
	assert_int_equal(notes(), 0);
}

TEST(a_name_that_the_next_launch_has_not_is_wrong_if_nothing_was_lost)
{
	assert_true(takes_by_order());
	assert_int_equal(row_of(ROW_KERNEL, "_Z5otherv", 0)->cupti.count, 1);
	assert_int_equal(notes(), 1);
	/* From then on none is trusted. */
	next_call.operation = operation_named(ROW_KERNEL, "_Z4namev");
	assert_true(takes_by_order());
	assert_int_equal(notes(), 1);
}

TEST(a_name_may_be_right_where_its_launch_is_not_queued_yet)
{
	records_calls_are_late = true;
	assert_false(takes_by_order());
	records_calls_are_late = false;
	assert_true(takes_by_order());
}

TEST(a_name_may_be_right_where_calls_were_given_up)
{
	launched(5);
	calls_given_up = true;
	assert_false(takes_by_order());
}

TEST(a_name_may_be_right_where_records_were_lost)
{
	launched(5);
	session_count(run.session, COUNTER_cupti_dropped, 1);
	assert_false(takes_by_order());
}

TEST(a_name_may_be_right_where_calls_were_lost)
{
	launched(5);
	atomic_store(&operation_lost_calls, 1);
	assert_false(takes_by_order());
}

TEST(a_name_may_be_right_after_a_record_without_a_call)
{
	launched(5);
	around.next = around.call = NULL;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev"});
	around.next = &next_call;
	assert_false(takes_by_order());
}

TEST(a_name_may_be_right_after_a_record_of_either_of_two_calls)
{
	launched(5);
	around.next = NULL;
	call.ambiguous = true;
	assert_false(takes_by_order());
	around.next = &next_call;
	assert_false(takes_by_order());
}

TEST(a_name_that_has_more_records_than_launches_is_wrong)
{
	calls_given_up = true;
	launched(2);
	call.operation = operation_named(ROW_KERNEL, "_Z4namev");
	assert_false(takes_by_order());
	assert_false(takes_by_order());
	records_calls_are_late = true;
	assert_false(takes_by_order());
	records_calls_are_late = false;
	call.operation = &other_kernel;
	assert_true(takes_by_order());
	/* What fits no call is not counted beyond them. */
	around.next = around.call = NULL;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4namev"});
	assert_int_equal(row_of(ROW_KERNEL, "_Z4namev", 0)->cupti.count, 3);
	assert_int_equal(count(COUNTER_unmatched_records), 1);
}

TEST(a_name_that_was_launched_on_another_device_may_be_right)
{
	calls_given_up = true;
	operation_named(ROW_KERNEL, "_Z4namev")->calls = 1;
	assert_false(takes_by_order());
}

TEST(a_name_that_was_never_launched_is_wrong)
{
	calls_given_up = true;
	assert_true(takes_by_order());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_trusted_until_a_module_was_unloaded),
		cmocka_unit_test(a_name_that_the_next_launch_has_not_is_wrong_if_nothing_was_lost),
		cmocka_unit_test(a_name_may_be_right_where_its_launch_is_not_queued_yet),
		cmocka_unit_test(a_name_may_be_right_where_calls_were_given_up),
		cmocka_unit_test(a_name_may_be_right_where_records_were_lost),
		cmocka_unit_test(a_name_may_be_right_where_calls_were_lost),
		cmocka_unit_test(a_name_may_be_right_after_a_record_without_a_call),
		cmocka_unit_test(a_name_may_be_right_after_a_record_of_either_of_two_calls),
		cmocka_unit_test(a_name_that_has_more_records_than_launches_is_wrong),
		cmocka_unit_test(a_name_that_was_launched_on_another_device_may_be_right),
		cmocka_unit_test(a_name_that_was_never_launched_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
