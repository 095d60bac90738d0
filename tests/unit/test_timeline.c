/* SPDX-License-Identifier: MIT */
/* The time of devices, from operations and calls to the profile. */
#include "preload/base/pauses.h"
#include "preload/launch/window.h"
#include "preload/timeline/timeline.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

#define US 1000ull

struct launch_state launch_state = {.cupti = true};

static uint32_t last; /* number of the thread's last call */

/* The window's part: when it changes, in microseconds; 0: it is open all the time. */
static uint64_t changes;

bool window_changed_between(uint64_t start, uint64_t end)
{
	return changes && start <= changes * US && changes * US < end;
}

BEFORE_EACH
{
	last = 0;
	changes = 0;
	assert_int_equal(make_run(0), 0);
}

AFTER_EACH
{
	session_close(run.session);
}

/* Times in microseconds. The timeline lives as long as its process: each test has a device. */
static void take(enum activity_kind kind, uint32_t device, uint64_t begin, uint64_t end,
		 uint32_t context, uint32_t launch, uint32_t call)
{
	timeline_take(&(struct seen){.activity = &(struct activity){.kind = kind,
								    .start = begin * US,
								    .end = end * US,
								    .device = device,
								    .context = context,
								    .graph_node = launch > 0,
								    .correlation = launch},
				     .host_call = call});
}

static void operation(uint32_t device, uint64_t begin, uint64_t end, uint32_t launch, uint32_t call)
{
	take(ACTIVITY_KERNEL, device, begin, end, 1, launch, call);
}

static uint32_t call(uint64_t begin, uint64_t end)
{
	last = host_calls_add(&(struct host_call){.begin = begin * US,
						  .end = end * US,
						  .previous = last,
						  .thread = 7,
						  .flags = HOST_CALL_WORK});
	return last;
}

static uint64_t idle(int device, enum idle_cause cause)
{
	const struct idle_row *row;
	uint64_t total = 0;

	session_for_each_idle (run.session, row)
		if (row->device == device && row->cause == cause)
			total += row->total;
	return total / US;
}

TEST(gaps_of_a_record_that_never_comes_are_resolved)
{
	const uint64_t count = 3 * HOST_CALLS_KEPT;

	/* 100 operations follow each other without a gap, and the oldest call keeps its record. */
	for (uint64_t i = 0; i < count; i++) {
		operation(0, 10 * i + 5 * (i % 100 == 0), 10 * i + 10, 0, call(10 * i, 10 * i + 1));
		timeline_settle(0);
	}
	timeline_settle(UINT64_MAX);
	assert_int_equal(idle(0, IDLE_UNRESOLVED), 0);
	assert_int_equal(idle(0, IDLE_LATENCY), (count - 1) / 100 * 5);
	assert_int_equal(run.header->uses[0].late, 0);
}

/* Only its first node tells a graph launch's call. */
TEST(gaps_inside_a_graph_launch_are_apart_from_those_before_it)
{
	uint32_t number;

	operation(1, 0, 10, 0, call(0, 2));
	number = call(50, 60);
	operation(1, 70, 80, 33, number);
	operation(1, 90, 95, 33, 0);
	operation(1, 96, 99, 33, 0);
	timeline_settle(UINT64_MAX);
	assert_int_equal(idle(1, IDLE_PROGRAM), 40);
	assert_int_equal(idle(1, IDLE_LATENCY), 20);
	assert_int_equal(idle(1, IDLE_GRAPH), 11);
	assert_int_equal(run.header->uses[1].busy, 28 * US);
}

TEST(a_node_behind_other_work_has_the_call_of_its_launch)
{
	uint32_t number;

	number = call(0, 5);
	operation(2, 10, 20, 34, number);
	operation(2, 25, 30, 0, call(6, 8));
	operation(2, 50, 60, 34, number);
	timeline_settle(UINT64_MAX);
	assert_int_equal(idle(2, IDLE_UNRESOLVED), 0);
	assert_int_equal(idle(2, IDLE_DEPENDENCY), 25);
}

static void add(uint32_t device, uint64_t begin, uint64_t end, uint32_t context, bool copy)
{
	take(copy ? ACTIVITY_MEMCPY : ACTIVITY_KERNEL, device, begin, end, context, 0, 0);
}

TEST(each_part_of_a_devices_time_is_counted_once)
{
	const struct device_use *use = &run.header->uses[3];

	add(3, 100, 110, 5, false);
	assert_int_equal(use->contexts, 1);
	add(3, 105, 125, 5, true);
	add(3, 120, 140, 5, false);
	add(3, 150, 153, 5, true);
	assert_int_equal(use->first, 100 * US);
	assert_int_equal(use->last, 153 * US);
	assert_int_equal(use->busy, 43 * US);
	assert_int_equal(use->kernels, 30 * US);
	assert_int_equal(use->copies, 23 * US);
	assert_int_equal(use->late, 0);
	assert_int_equal(use->contexts, 1);
	/* Records may come in another order. */
	add(3, 90, 95, 6, false);
	assert_int_equal(use->first, 90 * US);
	assert_int_equal(use->last, 153 * US);
	assert_int_equal(use->contexts, 2);
	add(3, 160, 161, 5, false);
	assert_int_equal(use->contexts, 2);
	/* What is settled does not change any more. */
	timeline_settle(UINT64_MAX);
	add(3, 20, 27, 5, false);
	assert_int_equal(use->busy, 49 * US);
	assert_int_equal(use->late, 7 * US);
	assert_true(timeline_memory() > sizeof(struct host_call) * HOST_CALLS_KEPT);
}

TEST(a_gap_in_which_the_window_changes_is_no_idle_time)
{
	changes = 40;
	operation(4, 0, 10, 0, call(0, 2));
	operation(4, 60, 70, 0, call(50, 55));
	operation(4, 90, 95, 0, call(80, 85));
	timeline_settle(UINT64_MAX);
	assert_int_equal(run.header->uses[4].excluded, 50 * US);
	assert_int_equal(idle(4, IDLE_PROGRAM), 10);
	assert_int_equal(idle(4, IDLE_LATENCY), 10);
}

TEST(gaps_are_split_only_up_to_what_is_settled)
{
	operation(5, 0, 10, 0, call(0, 2));
	operation(5, 60, 70, 0, call(15, 20));
	operation(5, 90, 95, 0, call(25, 30));
	timeline_settle(70 * US);
	assert_int_equal(idle(5, IDLE_LATENCY), 45);
	timeline_settle(90 * US);
	assert_int_equal(idle(5, IDLE_LATENCY), 45);
}

/* An operation whose call is not matched, but found by its time. */
static void unmatched(uint32_t device, uint64_t begin, uint64_t end, uint32_t launch)
{
	operation(device, begin, end, launch, CALL_BY_TIME);
}

TEST(without_a_match_the_call_that_ended_a_gap_is_found_by_its_time)
{
	call(2000000, 2000002);
	unmatched(7, 2000004, 2000010, 51);
	/* Its code, and the first of two calls in the gap. */
	call(2000040, 2000042);
	call(2000043, 2000045);
	unmatched(7, 2000044, 2000050, 52);
	unmatched(7, 2000053, 2000060, 52);
	unmatched(7, 2000060, 2000070, 53);
	/* A call that is not work ends no gap. */
	last = host_calls_add(&(struct host_call){
		.begin = 2000075 * US, .end = 2000085 * US, .previous = last, .thread = 7});
	call(2000090, 2000092);
	unmatched(7, 2000094, 2000100, 54);
	/* Queued long before. */
	call(2000095, 2000097);
	unmatched(7, 2000120, 2000130, 55);
	timeline_settle(UINT64_MAX);
	assert_int_equal(idle(7, IDLE_UNRESOLVED), 0);
	assert_int_equal(idle(7, IDLE_PROGRAM), 30 + 5 + 5);
	assert_int_equal(idle(7, IDLE_CALL), 10);
	assert_int_equal(idle(7, IDLE_LATENCY), 4 + 4);
	assert_int_equal(idle(7, IDLE_GRAPH), 3);
	assert_int_equal(idle(7, IDLE_DEPENDENCY), 20);
}

TEST(no_call_is_found_by_time_for_a_gap_in_which_the_recording_was_off)
{
	call(3000000, 3000002);
	unmatched(8, 3000004, 3000010, 0);
	pauses_note(true, 3000050 * US);
	call(3000060, 3000062);
	pauses_note(false, 3000080 * US);
	call(3000090, 3000092);
	unmatched(8, 3000094, 3000100, 0);
	call(3000120, 3000122);
	unmatched(8, 3000124, 3000130, 0);
	pauses_note(true, 3000150 * US);
	/* A copy: these are recorded all the time. */
	call(3000160, 3000162);
	unmatched(8, 3000164, 3000170, 0);
	timeline_settle(UINT64_MAX);
	pauses_note(false, 3000180 * US);
	assert_int_equal(idle(8, IDLE_UNRESOLVED), 84 + 34);
	assert_int_equal(idle(8, IDLE_PROGRAM), 20);
	assert_int_equal(idle(8, IDLE_LATENCY), 4);
}

TEST(no_call_is_found_by_time_before_the_pauses_that_are_remembered)
{
	unmatched(9, 4000000, 4000010, 0);
	call(4000020, 4000022);
	unmatched(9, 4000024, 4000030, 0);
	for (unsigned i = 0; i < 300; i++) {
		pauses_note(true, (4000100 + 10 * i) * US);
		pauses_note(false, (4000105 + 10 * i) * US);
	}
	timeline_settle(UINT64_MAX);
	assert_int_equal(idle(9, IDLE_UNRESOLVED), 14);
}

TEST(a_gap_is_resolved_before_the_calls_of_its_time_are_forgotten)
{
	unmatched(12, 5000000, 5000010, 0);
	call(5000020, 5000022);
	unmatched(12, 5000024, 5000030, 0);
	timeline_settle(0);
	assert_int_equal(idle(12, IDLE_PROGRAM), 0);
	for (uint64_t i = 0; i < 20000; i++)
		call(5000030 + i, 5000031 + i);
	timeline_settle(0);
	assert_int_equal(idle(12, IDLE_PROGRAM), 10);
	assert_int_equal(idle(12, IDLE_LATENCY), 4);
}

TEST(no_call_is_found_by_time_where_several_devices_work)
{
	unmatched(10, 9000000, 9000010, 0);
	unmatched(11, 9000000, 9000010, 0);
	call(9000020, 9000022);
	unmatched(10, 9000024, 9000030, 0);
	timeline_settle(UINT64_MAX);
	assert_int_equal(idle(10, IDLE_UNRESOLVED), 14);
}

/* Each with a gap behind it, and nothing is final before it has to be. */
static void work_with_gaps(uint32_t device, uint64_t from, uint64_t until)
{
	for (uint64_t i = from; i < until; i++)
		take(i % 2 ? ACTIVITY_MEMCPY : ACTIVITY_KERNEL, device, 10 * i, 10 * i + 5, 1, 0,
		     call(10 * i, 10 * i + 1));
}

TEST(memory_does_not_grow_with_operations)
{
	uint64_t before = timeline_memory(), after;

	work_with_gaps(6, 0, 100000);
	after = timeline_memory();
	assert_true(after <= before + (4u << 20));
	work_with_gaps(6, 100000, 1000000);
	assert_int_equal(timeline_memory(), after);
	timeline_settle(UINT64_MAX);
	assert_int_equal(run.header->uses[6].busy, 1000000 * 5 * US);
}
