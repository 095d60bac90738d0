/* SPDX-License-Identifier: MIT */
/* From activity records of graphs and of their nodes to the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/collector/records.h"
#include "preload/recording/rows.h"
#include "tests/unit/taken_records.h"

static void nodes_count_with_their_launch(void **state)
{
	const struct row *row;

	(void)state;
	around.call = &call;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4nodev", .graph_node = 7});
	row = row_of(ROW_KERNEL, "_Z4nodev", 0);
	assert_int_equal(row->cupti.count, 1);
	assert_int_equal(row->graph_records, 1);
	assert_int_equal(count(COUNTER_graph_nodes), 1);
	assert_int_equal(around.in_ranges, 1);
	assert_int_equal(around.matched, 1);
	assert_int_equal(around.fed, 1);
	/* The launch is over. */
	call.operation = operation_fixed(OPERATION_UNKNOWN_GRAPH);
	assert_int_equal(around.recorded, 0);
	records_finish();
	assert_int_equal(around.recorded, 1);
	assert_int_equal(around.nanoseconds, 600);
	assert_int_equal(row_of(ROW_GRAPH, "[CUDA graph]", 0)->cupti.total, 600);
	assert_true(call.holds_more && around.timed && !around.overlapped && !around.idle);
	/* One that is not reported, and its nodes, which are not then. */
	call.reported = false;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4nodev", .graph_node = 7});
	assert_int_equal(row->cupti.count, 1);
	records_finish();
	assert_int_equal(row_of(ROW_GRAPH, "[CUDA graph]", 0)->cupti.count, 1);
	assert_false(around.timed);
	/* If calls are not matched, recording.c counts the nodes of a complete launch. */
	call.reported = true;
	around.call = NULL;
	around.matches = false;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4nodev", .graph_node = 7});
	assert_int_equal(row->cupti.count, 1);
	assert_int_equal(around.by_recording, 1);
	assert_int_equal(around.fed, 2);
	around.complete = false;
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4nodev", .graph_node = 7});
	assert_int_equal(around.by_recording, 2);
	assert_int_equal(around.fed, 2);
}

static void graphs_count_once(void **state)
{
	const struct row *row;

	(void)state;
	around.trace = true;
	/* Nobody saw a launch: all there is are the records. */
	take(ACTIVITY_GRAPH, (struct activity){.device = 1});
	row = row_of(ROW_GRAPH, "[CUDA graph]", 1);
	assert_int_equal(row->cupti.total, 600);
	assert_int_equal(count(COUNTER_unmatched_records), 1);
	assert_int_equal(around.traced, 1);
	assert_int_equal(around.in_ranges, 0);
	around.call = &call;
	call.operation = operation_named(ROW_GRAPH, "[CUDA graph 4]");
	call.operation->calls = 1;
	take(ACTIVITY_GRAPH, (struct activity){.device = 1});
	assert_int_equal(row_of(ROW_GRAPH, "[CUDA graph 4]", 1)->cupti.total, 600);
	assert_int_equal(count(COUNTER_unmatched_records), 1);
	assert_int_equal(count(COUNTER_cupti_records), 2);
	assert_int_equal(around.in_ranges, 1);
	assert_int_equal(around.recorded, 1);
	assert_true(around.timed);
	assert_int_equal(around.fed, 2);
	/* Now a record without a call is of a launch that was counted. */
	around.call = NULL;
	take(ACTIVITY_GRAPH, (struct activity){.device = 1});
	assert_int_equal(row->cupti.count, 1);
	assert_int_equal(count(COUNTER_unmatched_records), 2);
}

static void launches_are_settled_up_to_the_newest_record(void **state)
{
	const uint64_t long_time = 30000000000;

	(void)state;
	around.call = &call;
	call.operation = operation_fixed(OPERATION_UNKNOWN_GRAPH);
	take(ACTIVITY_KERNEL, (struct activity){.name = "_Z4nodev", .graph_node = 7});
	around.call = NULL;
	records_settle();
	take(ACTIVITY_MEMSET, (struct activity){.start = 5600 + long_time});
	records_settle();
	/* A call is none of the work. */
	take(ACTIVITY_RUNTIME_API, (struct activity){.callback = 5, .start = 5601 + long_time});
	records_settle();
	assert_int_equal(around.recorded, 0);
	around.call = &call;
	take(ACTIVITY_MEMSET, (struct activity){.start = 5601 + long_time});
	around.recorded = 0;
	records_settle();
	assert_int_equal(around.recorded, 1);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, taken_start, taken_stop)
	const struct CMUnitTest tests[] = {
		TEST(nodes_count_with_their_launch),
		TEST(graphs_count_once),
		TEST(launches_are_settled_up_to_the_newest_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
