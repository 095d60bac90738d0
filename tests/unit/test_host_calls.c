/* SPDX-License-Identifier: MIT */
/* What the timeline and the findings get of each call and of each operation. */
#include "preload/launch/thread.h"
#include "preload/launch/window.h"
#include "preload/events/in_flight.h"
#include "preload/timeline/timeline.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

#define MALLOC	   API_DRIVER(ENTRY_cuMemAlloc_v2)
#define WAIT	   API_DRIVER(ENTRY_cuStreamSynchronize)
#define COPY	   API_DRIVER(ENTRY_cuMemcpyHtoD_v2)
#define COPY_ASYNC API_DRIVER(ENTRY_cuMemcpyHtoDAsync_v2)
#define SET	   API_DRIVER(ENTRY_cuMemsetD8_v2)
#define SET_ASYNC  API_DRIVER(ENTRY_cuMemsetD8Async)
#define LAUNCH	   API_DRIVER(ENTRY_cuLaunchKernel)

struct launch_state launch_state;
static bool clock_trusted = true;

static struct operation kernel;
static struct operation fixed[FIXED_OPERATION_COUNT] = {
	[0 ... FIXED_OPERATION_COUNT - 1] = {.kind = ROW_MEMCPY},
};
static struct thread thread;

struct operation *operation_fixed(enum fixed_operation which)
{
	return &fixed[which];
}

/* The window is open all the time. */
bool window_changed_between(uint64_t start, uint64_t end)
{
	(void)start;
	(void)end;
	return false;
}

BEFORE_EACH
{
	run.scale = (struct clock_scale){.ticks = 1000, .realtime = 50000, .ns_per_tick = 2};
	assert_int_equal(make_run(0), 0);
	atomic_store(&launch_state.cupti, true);
	thread = (struct thread){.kernel_id = 101};
}

AFTER_EACH
{
	session_close(run.session);
}

static struct host_call call; /* the last one */

/* A call of this duration; what the timeline is told that it did. */
static uint8_t flags_of(unsigned api, const struct operation *operation, uint8_t flags,
			uint32_t nanoseconds)
{
	timeline_call(&thread, &(struct call_record){.started = 1100,
						     .duration = nanoseconds / 2,
						     .api = (uint16_t)api,
						     .operation = (struct operation *)operation,
						     .flags = flags});
	if (host_calls_get(thread.last_call))
		call = *host_calls_get(thread.last_call);
	return call.flags;
}

TEST(calls_are_told_with_their_times_and_what_they_did)
{
	uint32_t first;

	assert_int_equal(flags_of(LAUNCH, &kernel, 0, 400), HOST_CALL_WORK);
	assert_int_equal(call.begin, 50200);
	assert_int_equal(call.end, 50600);
	assert_int_equal(call.thread, 101);
	assert_int_equal(call.api, LAUNCH);
	assert_int_equal(call.previous, 0);
	first = thread.last_call;
	assert_true(first > 0);
	assert_int_equal(flags_of(WAIT, NULL, 0, 400), HOST_CALL_WAITED);
	assert_int_equal(call.previous, first);
	assert_int_equal(thread.last_call, first + 1);
	assert_int_equal(flags_of(LAUNCH, NULL, 0, 400), 0);
	assert_int_equal(flags_of(LAUNCH, &kernel, CALL_FAILED, 400), 0);
	assert_int_equal(flags_of(LAUNCH, &kernel, CALL_API_ONLY, 400), 0);
	assert_int_equal(flags_of(LAUNCH, &kernel, CALL_CAPTURED, 400), 0);
	/* One that loads its module takes 50 us and more. */
	assert_int_equal(flags_of(LAUNCH, &kernel, CALL_FIRST, 50000),
			 HOST_CALL_WORK | HOST_CALL_FIRST);
	assert_int_equal(flags_of(LAUNCH, &kernel, CALL_FIRST, 49998), HOST_CALL_WORK);
	assert_int_equal(flags_of(LAUNCH, &kernel, 0, 50000), HOST_CALL_WORK);
	/* Copies to and from the host. */
	assert_int_equal(flags_of(COPY, &fixed[OPERATION_COPY_HTOD], 0, 400),
			 HOST_CALL_WORK | HOST_CALL_WAITED);
	assert_int_equal(flags_of(COPY, &fixed[OPERATION_COPY_DTOH], 0, 400),
			 HOST_CALL_WORK | HOST_CALL_WAITED);
	assert_int_equal(flags_of(COPY, &fixed[OPERATION_COPY_HTOA], 0, 400),
			 HOST_CALL_WORK | HOST_CALL_WAITED);
	assert_int_equal(flags_of(COPY, &fixed[OPERATION_COPY_ATOH], 0, 400),
			 HOST_CALL_WORK | HOST_CALL_WAITED);
	assert_int_equal(flags_of(COPY, &fixed[OPERATION_COPY_DTOD], 0, 400), HOST_CALL_WORK);
	assert_int_equal(flags_of(COPY_ASYNC, &fixed[OPERATION_COPY_HTOD], 0, 400), HOST_CALL_WORK);
	/* Without records there is no timeline. */
	first = thread.last_call;
	atomic_store(&launch_state.cupti, false);
	flags_of(LAUNCH, &kernel, 0, 400);
	assert_int_equal(thread.last_call, first);
}

TEST(what_the_host_did_is_summed)
{
	const struct call_totals *totals = &run.header->totals;

	atomic_store(&launch_state.cupti, false);
	flags_of(WAIT, NULL, 0, 10);
	flags_of(WAIT, NULL, 0, 30);
	flags_of(WAIT, NULL, CALL_FAILED, 1000);
	flags_of(WAIT, NULL, CALL_OUTSIDE_WINDOW, 1000);
	assert_int_equal(totals->waiting_calls, 2);
	assert_int_equal(totals->waiting_ns, 40);
	flags_of(MALLOC, NULL, 0, 6);
	assert_int_equal(totals->memory_calls, 1);
	assert_int_equal(totals->memory_ns, 6);
	flags_of(COPY, &fixed[OPERATION_COPY_HTOD], 0, 8);
	flags_of(COPY_ASYNC, &fixed[OPERATION_COPY_HTOD], 0, 1000);
	flags_of(LAUNCH, &kernel, 0, 1000);
	assert_int_equal(totals->synchronous_calls, 1);
	assert_int_equal(totals->synchronous_ns, 8);
	assert_int_equal(totals->waiting_calls + totals->memory_calls, 3);
}

/* The idle time of device 1 before operations of the thread, by cause. */
static uint64_t idle(enum idle_cause cause, const char *after)
{
	const struct idle_row *row;
	uint64_t total = 0;

	timeline_settle(UINT64_MAX);
	session_for_each_idle (run.session, row)
		if (row->device == 1 && row->cause == cause &&
		    !strcmp(session_string(run.session, row->longest_after), after))
			total += row->total;
	return total;
}

static void take(const struct activity *activity, struct row *row, struct in_flight *call)
{
	timeline_take(&(struct seen){.activity = activity,
				     .row = row,
				     .call = call,
				     .host_call = call && clock_trusted ? call->host_call : 0,
				     .nanoseconds = activity->end - activity->start});
}

TEST(operations_are_told_with_their_row_and_call)
{
	const struct device_use *use = &run.header->uses[1];
	struct row row = {.name = session_intern(run.session, "kernel")};
	struct in_flight made = {.api = LAUNCH};
	struct activity activity = {
		.kind = ACTIVITY_KERNEL, .start = 10000, .end = 30000, .device = 1, .context = 2};

	take(&activity, NULL, NULL);
	assert_int_equal(use->first, 10000);
	assert_int_equal(use->last, 30000);
	assert_int_equal(use->kernels, 20000);
	assert_int_equal(use->contexts, 1);
	/* 50,200 ns is when its call begins. */
	flags_of(LAUNCH, &kernel, 0, 1000);
	made.host_call = thread.last_call;
	activity.start = 60000;
	activity.end = 70000;
	take(&activity, &row, &made);
	assert_int_equal(idle(IDLE_PROGRAM, "kernel"), 20200);
	assert_int_equal(idle(IDLE_LATENCY, "kernel"), 9800);
	/* By another clock than the calls', and without a call, nobody knows why. */
	activity.kind = ACTIVITY_MEMCPY;
	activity.start = 80000;
	activity.end = 90000;
	clock_trusted = false;
	take(&activity, &row, &made);
	clock_trusted = true;
	activity.kind = ACTIVITY_GRAPH;
	activity.start = 100000;
	activity.end = 110000;
	take(&activity, &row, NULL);
	assert_int_equal(idle(IDLE_UNRESOLVED, "kernel"), 20000);
	assert_int_equal(use->kernels, 40000);
	assert_int_equal(use->copies, 10000);
}

static uint64_t pageable(enum activity_kind kind, unsigned api, uint32_t source,
			 uint32_t destination)
{
	struct in_flight made = {.api = (uint16_t)api};

	take(&(struct activity){.kind = kind,
				.start = 10,
				.end = 30,
				.source_kind = (uint8_t)source,
				.destination_kind = (uint8_t)destination},
	     NULL, api == API_NONE ? NULL : &made);
	return run.header->totals.pageable_calls;
}

TEST(asynchronous_copies_of_pageable_memory_are_summed)
{
	assert_int_equal(pageable(ACTIVITY_MEMCPY, COPY_ASYNC, MEMORY_PAGEABLE, MEMORY_DEVICE), 1);
	assert_int_equal(pageable(ACTIVITY_MEMCPY, COPY_ASYNC, MEMORY_DEVICE, MEMORY_PAGEABLE), 2);
	assert_int_equal(pageable(ACTIVITY_MEMCPY, COPY_ASYNC, MEMORY_PINNED, MEMORY_DEVICE), 2);
	assert_int_equal(pageable(ACTIVITY_MEMCPY, COPY, MEMORY_PAGEABLE, MEMORY_DEVICE), 2);
	assert_int_equal(pageable(ACTIVITY_MEMSET, COPY_ASYNC, MEMORY_PAGEABLE, 0), 2);
	assert_int_equal(pageable(ACTIVITY_MEMCPY, API_NONE, MEMORY_PAGEABLE, 0), 2);
	assert_int_equal(run.header->totals.pageable_ns, 40);
}

static uint64_t waiting(enum activity_kind kind, unsigned api, uint32_t memory, uint64_t node,
			uint32_t number)
{
	struct in_flight made = {.api = (uint16_t)api, .host_call = number};

	take(&(struct activity){.kind = kind,
				.destination_kind = (uint8_t)memory,
				.graph_node = node},
	     NULL, api == API_NONE ? NULL : &made);
	return run.header->totals.synchronous_calls;
}

TEST(a_memset_of_memory_that_the_host_may_touch_waits)
{
	uint32_t number;

	flags_of(SET, &fixed[OPERATION_MEMSET], 0, 250);
	number = thread.last_call;
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_DEVICE, 0, number), 0);
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_PINNED, 1, number), 0);
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET_ASYNC, MEMORY_PINNED, 0, number), 0);
	assert_int_equal(waiting(ACTIVITY_MEMCPY, SET, MEMORY_PINNED, 0, number), 0);
	assert_int_equal(waiting(ACTIVITY_MEMSET, API_NONE, MEMORY_PINNED, 0, number), 0);
	/* Its call is no longer known. */
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_PINNED, 0, number + 1), 0);
	assert_int_equal(host_calls_get(number)->flags, HOST_CALL_WORK);
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_PINNED, 0, number), 1);
	assert_int_equal(host_calls_get(number)->flags, HOST_CALL_WORK | HOST_CALL_WAITED);
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_MANAGED, 0, number), 2);
	assert_int_equal(run.header->totals.synchronous_ns, 500);
}
