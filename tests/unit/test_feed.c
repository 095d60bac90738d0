/* SPDX-License-Identifier: MIT */
/* What the timeline and the findings get of each call and of each operation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "preload/base/mode.h"
#include "preload/launch/thread.h"
#include "preload/timeline/feed.h"
#include "preload/timeline/timeline.h"

#define MALLOC	   API_DRIVER(ENTRY_cuMemAlloc_v2)
#define WAIT	   API_DRIVER(ENTRY_cuStreamSynchronize)
#define COPY	   API_DRIVER(ENTRY_cuMemcpyHtoD_v2)
#define COPY_ASYNC API_DRIVER(ENTRY_cuMemcpyHtoDAsync_v2)
#define SET	   API_DRIVER(ENTRY_cuMemsetD8_v2)
#define SET_ASYNC  API_DRIVER(ENTRY_cuMemsetD8Async)
#define LAUNCH	   API_DRIVER(ENTRY_cuLaunchKernel)

_Atomic bool mode_cupti;

static struct session *session;
static const struct clock_scale scale = {.ticks = 1000, .realtime = 50000, .ns_per_tick = 2};
static struct operation kernel, fixed[FIXED_OPERATION_COUNT];
static struct thread thread;

struct operation *operation_fixed(enum fixed_operation which)
{
	return &fixed[which];
}

static struct timeline_operation added;
static struct host_call call;
static uint32_t calls, noted;

void timeline_start(struct session *session)
{
	assert_non_null(session);
}

void timeline_add(const struct timeline_operation *operation)
{
	added = *operation;
}

uint32_t host_calls_add(const struct host_call *given)
{
	call = *given;
	return ++calls;
}

const struct host_call *host_calls_get(uint32_t number)
{
	static const struct host_call known = {.begin = 100, .end = 350};

	return number == 9 ? &known : NULL;
}

void host_calls_note_wait(uint32_t number)
{
	noted = number;
}

static int start(void **state)
{
	(void)state;
	if (session_create(&session, NULL, 0))
		return -1;
	feed_start(session);
	atomic_store(&mode_cupti, true);
	thread = (struct thread){.kernel_id = 101};
	memset(&call, 0, sizeof(call));
	calls = noted = 0;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	session_close(session);
	return 0;
}

/* A call of this duration; what the timeline is told that it did. */
static uint8_t flags_of(unsigned api, const struct operation *operation, uint8_t flags,
			uint32_t nanoseconds)
{
	feed_call(&thread,
		  &(struct call_record){.started = 1100,
					.duration = nanoseconds / 2,
					.api = (uint16_t)api,
					.operation = (struct operation *)operation,
					.flags = flags},
		  &scale);
	return call.flags;
}

static void calls_are_told_with_their_times_and_what_they_did(void **state)
{
	(void)state;
	assert_int_equal(flags_of(LAUNCH, &kernel, 0, 400), HOST_CALL_WORK);
	assert_int_equal(call.begin, 50200);
	assert_int_equal(call.end, 50600);
	assert_int_equal(call.thread, 101);
	assert_int_equal(call.api, LAUNCH);
	assert_int_equal(call.previous, 0);
	assert_int_equal(thread.last_call, 1);
	assert_int_equal(flags_of(WAIT, NULL, 0, 400), HOST_CALL_WAITED);
	assert_int_equal(call.previous, 1);
	assert_int_equal(thread.last_call, 2);
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
	calls = 0;
	atomic_store(&mode_cupti, false);
	flags_of(LAUNCH, &kernel, 0, 400);
	assert_int_equal(calls, 0);
}

static void what_the_host_did_is_summed(void **state)
{
	const struct call_totals *totals = &session_header(session)->totals;

	(void)state;
	atomic_store(&mode_cupti, false);
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

static void operations_are_told_with_their_row_and_call(void **state)
{
	const struct row row = {.name = 44};
	const struct in_flight made = {.host_call = 9, .api = LAUNCH};
	struct activity activity = {.kind = ACTIVITY_KERNEL,
				    .start = 10,
				    .end = 30,
				    .device = 1,
				    .context = 2,
				    .correlation = 3};

	(void)state;
	feed_operation(&activity, &row, &made, true);
	assert_int_equal(added.start, 10);
	assert_int_equal(added.end, 30);
	assert_int_equal(added.device, 1);
	assert_int_equal(added.context, 2);
	assert_int_equal(added.graph_launch, 0);
	assert_int_equal(added.call, 9);
	assert_int_equal(added.name, 44);
	assert_false(added.copy);
	activity.graph_node = 5;
	activity.kind = ACTIVITY_MEMCPY;
	feed_operation(&activity, NULL, &made, false);
	assert_int_equal(added.graph_launch, 3);
	assert_int_equal(added.call, 0);
	assert_int_equal(added.name, 0);
	assert_true(added.copy);
	feed_operation(&activity, NULL, NULL, true);
	assert_int_equal(added.call, 0);
	activity.kind = ACTIVITY_GRAPH;
	feed_operation(&activity, NULL, NULL, true);
	assert_false(added.copy);
}

static uint64_t pageable(enum activity_kind kind, unsigned api, uint32_t source,
			 uint32_t destination)
{
	const struct in_flight made = {.api = (uint16_t)api};

	feed_operation(&(struct activity){.kind = kind,
					  .start = 10,
					  .end = 30,
					  .source_kind = (uint8_t)source,
					  .destination_kind = (uint8_t)destination},
		       NULL, api == API_NONE ? NULL : &made, true);
	return session_header(session)->totals.pageable_calls;
}

static void asynchronous_copies_of_pageable_memory_are_summed(void **state)
{
	(void)state;
	assert_int_equal(pageable(ACTIVITY_MEMCPY, COPY_ASYNC, MEMORY_PAGEABLE, MEMORY_DEVICE), 1);
	assert_int_equal(pageable(ACTIVITY_MEMCPY, COPY_ASYNC, MEMORY_DEVICE, MEMORY_PAGEABLE), 2);
	assert_int_equal(pageable(ACTIVITY_MEMCPY, COPY_ASYNC, MEMORY_PINNED, MEMORY_DEVICE), 2);
	assert_int_equal(pageable(ACTIVITY_MEMCPY, COPY, MEMORY_PAGEABLE, MEMORY_DEVICE), 2);
	assert_int_equal(pageable(ACTIVITY_MEMSET, COPY_ASYNC, MEMORY_PAGEABLE, 0), 2);
	assert_int_equal(pageable(ACTIVITY_MEMCPY, API_NONE, MEMORY_PAGEABLE, 0), 2);
	assert_int_equal(session_header(session)->totals.pageable_ns, 40);
}

static uint64_t waiting(enum activity_kind kind, unsigned api, uint32_t memory, uint64_t node,
			uint32_t number)
{
	const struct in_flight made = {.api = (uint16_t)api, .host_call = number};

	feed_operation(&(struct activity){.kind = kind,
					  .destination_kind = (uint8_t)memory,
					  .graph_node = node},
		       NULL, api == API_NONE ? NULL : &made, true);
	return session_header(session)->totals.synchronous_calls;
}

static void a_memset_of_memory_that_the_host_may_touch_waits(void **state)
{
	(void)state;
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_DEVICE, 0, 9), 0);
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_PINNED, 1, 9), 0);
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET_ASYNC, MEMORY_PINNED, 0, 9), 0);
	assert_int_equal(waiting(ACTIVITY_MEMCPY, SET, MEMORY_PINNED, 0, 9), 0);
	assert_int_equal(waiting(ACTIVITY_MEMSET, API_NONE, MEMORY_PINNED, 0, 9), 0);
	/* Its call is no longer known. */
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_PINNED, 0, 8), 0);
	assert_int_equal(noted, 0);
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_PINNED, 0, 9), 1);
	assert_int_equal(noted, 9);
	assert_int_equal(waiting(ACTIVITY_MEMSET, SET, MEMORY_MANAGED, 0, 9), 2);
	assert_int_equal(session_header(session)->totals.synchronous_ns, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(calls_are_told_with_their_times_and_what_they_did,
						start, stop),
		cmocka_unit_test_setup_teardown(what_the_host_did_is_summed, start, stop),
		cmocka_unit_test_setup_teardown(operations_are_told_with_their_row_and_call, start,
						stop),
		cmocka_unit_test_setup_teardown(asynchronous_copies_of_pageable_memory_are_summed,
						start, stop),
		cmocka_unit_test_setup_teardown(a_memset_of_memory_that_the_host_may_touch_waits,
						start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
