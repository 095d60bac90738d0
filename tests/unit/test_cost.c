/* SPDX-License-Identifier: MIT */
/* By how much ktime makes a run longer: what the program waits for counts, what is hidden not. */
#include <unistd.h>

#include "preload/collector/cost.h"
#include "preload/events/calibration.h"
#include "preload/recording/rows.h"
#include "tests/unit/made_run.h"
#include "tests/unit/own_process.h"
#include "tests/unit/test.h"

#define CALL_NS	  5000
/* See cost.c. */
#define IN_CALL	  1000 /* a fifth of the call */
#define KERNEL	  280
#define NODE	  380
#define COPY	  1300
#define ELSEWHERE 200

static uint64_t now; /* when the last operation ended */

static void start(void)
{
	if (make_run(0))
		_exit(1);
}

/* What is known of devices is the process's. */
#define CHILD_TEST(name) TEST_IN_CHILD(name, start())

/* An operation of 1 us that begins so long after the last one has ended. */
static void record(struct activity activity, uint64_t gap, uint64_t call_ns)
{
	struct in_flight call = {.started = 1000, .ended = 1000 + call_ns};
	struct seen seen = {.activity = &activity, .call = call_ns ? &call : NULL};

	activity.start = now + gap;
	activity.end = now = activity.start + 1000;
	seen.before = concurrency_add(&activity);
	cost_take(&seen);
}

static void kernels(unsigned count, uint64_t gap)
{
	while (count--)
		record((struct activity){.kind = ACTIVITY_KERNEL, .stream = 1}, gap, CALL_NS);
}

static void counters_are(uint64_t host, uint64_t gpu, uint64_t added)
{
	const uint64_t *counters = run.header->counters;

	cost_update(0);
	assert_int_equal(counters[COUNTER_cupti_ns], host);
	assert_int_equal(counters[COUNTER_gpu_ns], gpu);
	assert_int_equal(counters[COUNTER_added_ns], added);
}

CHILD_TEST(calls_that_the_device_waits_for_cost_their_part)
{
	kernels(10, 3000);
	counters_are(10 * IN_CALL, 0, 10 * IN_CALL);
}

CHILD_TEST(queued_work_costs_the_device)
{
	kernels(1, 3000);
	kernels(10, 1000);
	counters_are(11 * IN_CALL, 10 * KERNEL, IN_CALL + 10 * KERNEL);
}

CHILD_TEST(queued_copies_cost_more)
{
	kernels(1, 3000);
	record((struct activity){.kind = ACTIVITY_MEMCPY, .stream = 1}, 1000, CALL_NS);
	counters_are(2 * IN_CALL, COPY, IN_CALL + COPY);
	/* In a graph one costs no more than a kernel there. */
	record((struct activity){.kind = ACTIVITY_MEMCPY, .stream = 1, .graph_node = 1}, 1000,
	       CALL_NS);
	counters_are(2 * IN_CALL, COPY + NODE, IN_CALL + COPY + NODE);
}

CHILD_TEST(work_of_other_streams_hides_some_of_it)
{
	kernels(1, 3000);
	record((struct activity){.kind = ACTIVITY_KERNEL, .stream = 2}, 1000, CALL_NS);
	counters_are(2 * IN_CALL, ELSEWHERE, IN_CALL + ELSEWHERE);
}

CHILD_TEST(the_device_is_not_idle_while_another_stream_works)
{
	kernels(1, 3000);
	record((struct activity){.kind = ACTIVITY_KERNEL, .stream = 2}, 3000, CALL_NS);
	/* 5 us after its own stream's last one. */
	record((struct activity){.kind = ACTIVITY_KERNEL, .stream = 1}, 1000, CALL_NS);
	counters_are(3 * IN_CALL, ELSEWHERE, 2 * IN_CALL + ELSEWHERE);
}

CHILD_TEST(nodes_of_a_graph_have_no_call)
{
	kernels(1, 3000);
	for (uint64_t node = 1; node <= 100; node++)
		record((struct activity){.kind = ACTIVITY_KERNEL, .stream = 1, .graph_node = node},
		       300, 0);
	counters_are(IN_CALL, 100 * NODE, IN_CALL + 100 * NODE);
}

CHILD_TEST(a_call_that_waits_for_something_else_costs_no_more)
{
	record((struct activity){.kind = ACTIVITY_KERNEL}, 3000, 50000000);
	counters_are(2000, 0, 2000);
}

CHILD_TEST(a_call_that_is_not_known_costs_what_most_do)
{
	record((struct activity){.kind = ACTIVITY_KERNEL}, 3000, 0);
	counters_are(800, 0, 800);
}

CHILD_TEST(hooks_cost_where_the_device_waits)
{
	session_count(run.session, COUNTER_host_ns, 4000);
	kernels(1, 3000);
	kernels(3, 1000);
	counters_are(4 * IN_CALL, 3 * KERNEL, IN_CALL + 3 * KERNEL + 1000);
}

CHILD_TEST(nodes_have_no_part_in_what_hooks_cost)
{
	session_count(run.session, COUNTER_host_ns, 4000);
	kernels(1, 3000);
	kernels(1, 1000);
	for (uint64_t node = 1; node <= 10; node++)
		record((struct activity){.kind = ACTIVITY_KERNEL, .stream = 1, .graph_node = node},
		       node % 2 ? 300 : 3000, 0);
	counters_are(2 * IN_CALL, KERNEL + 10 * NODE, IN_CALL + KERNEL + 10 * NODE + 2000);
}

CHILD_TEST(threads_share_what_they_wait_for)
{
	session_count(run.session, COUNTER_host_ns, 4000);
	cost_update(4);
	kernels(8, 3000);
	counters_are(8 * IN_CALL, 0, 8 * IN_CALL / 4 + 1000);
	/* Of a time without any calls it is not known. */
	session_count(run.session, COUNTER_host_ns, 4000);
	counters_are(8 * IN_CALL, 0, 8 * IN_CALL / 4 + 2000);
}

CHILD_TEST(without_records_the_slower_of_host_and_device_counts)
{
	session_count(run.session, COUNTER_host_ns, 4000);
	cost_of_pair();
	counters_are(0, EVENT_PAIR_GPU_NS, 4000);
	cost_of_pair();
	counters_are(0, 2 * EVENT_PAIR_GPU_NS, 2 * EVENT_PAIR_GPU_NS);
}

CHILD_TEST(all_threads_wait_for_a_pair)
{
	assert_int_equal(cost_threads, 1);
	cost_update(16);
	assert_int_equal(cost_threads, 16);
	cost_of_pair();
	counters_are(0, EVENT_PAIR_GPU_NS, EVENT_PAIR_GPU_NS + 15 * EVENT_PAIR_THREAD_NS);
}
