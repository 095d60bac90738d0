/* SPDX-License-Identifier: MIT */
/* Event pairs of a stream that several threads launch into: the driver may take their calls in
 * another order than that in which they began. */
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"
#include "preload/events/in_flight.h"
#include "tests/unit/test.h"

struct driver driver;

static const struct context *unusable;

static bool reached[2];
static unsigned failures, count;
static uint64_t read_first, read_second;

static CUresult query(CUevent event)
{
	return reached[(uintptr_t)event - 1] ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult elapsed(float *milliseconds, CUevent start, CUevent end)
{
	(void)start;
	*milliseconds = (float)(uintptr_t)end / 1000;
	return query(end);
}

void driver_failed(void)
{
	failures++;
}

bool context_use(struct context *context)
{
	return context != unusable;
}

static void done(struct in_flight *operation, enum event_end end)
{
	assert_int_equal(end, EVENT_READ);
	*(count++ ? &read_second : &read_first) = operation->by_events;
}

TEST(a_pair_that_is_not_reached_is_read_later)
{
	static struct event_pool pool;
	static struct context context;
	static struct stream stream = {.context = &context};
	static struct operation operation;
	struct event_pair pairs[] = {{.end = (CUevent)1, .pool = &pool},
				     {.end = (CUevent)2, .pool = &pool}};
	struct in_flight operations[] = {
		{.operation = &operation, .stream = &stream, .pair = &pairs[0]},
		{.operation = &operation, .stream = &stream, .pair = &pairs[1]}};

	driver.cuEventQuery = query;
	driver.cuEventElapsedTime = elapsed;
	assert_true(event_queue_add(&operations[0]));
	assert_true(event_queue_add(&operations[1]));
	/* The second call came to the device first. */
	reached[1] = true;
	assert_int_equal(event_queue_poll(UINT64_MAX, done), 2);
	assert_int_equal(count, 0);
	reached[0] = true;
	assert_int_equal(event_queue_poll(UINT64_MAX, done), 0);
	assert_int_equal(count, 2);
	assert_int_equal(read_first, 1000);
	assert_int_equal(read_second, 2000);
	assert_int_equal(failures, 0);
	assert_true(event_queue_forget(&stream));
}

/* A stream with pairs in flight, whose events have the numbers from 100 on: the device reaches
 * them in this order. */
#define PAIRS 100

static struct event_pool pool;
static struct context contexts[2];
static struct stream streams[2] = {{.context = &contexts[0]}, {.context = &contexts[1]}};
static struct operation operations[2];
static struct event_pair pairs[2][PAIRS];
static struct in_flight calls[2][PAIRS];
static uintptr_t reached_to, queries;
static CUresult query_result, elapsed_result;
static enum event_end last_end;
static uintptr_t expected_next; /* 0: any */

static CUresult query_number(CUevent event)
{
	queries++;
	if (query_result)
		return query_result;
	return (uintptr_t)event % 1000 < reached_to ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult elapsed_number(float *milliseconds, CUevent start, CUevent end)
{
	assert_int_equal((uintptr_t)start + 2000, (uintptr_t)end);
	*milliseconds = 0.004f;
	return elapsed_result ? elapsed_result : query_number(end);
}

static void note(struct in_flight *operation, enum event_end end)
{
	assert_null(operation->pair);
	assert_false(operation->awaits_events);
	if (expected_next)
		assert_ptr_equal(operation, &calls[0][expected_next++ - 100]);
	last_end = end;
	count++;
}

BEFORE_EACH
{
	driver.cuEventQuery = query_number;
	driver.cuEventElapsedTime = elapsed_number;
	query_result = elapsed_result = CUDA_SUCCESS;
	reached_to = queries = failures = count = 0;
	expected_next = 0;
	unusable = NULL;
	pool.put = 0;
	for (unsigned i = 0; i < 2; i++) {
		operations[i] = (struct operation){0};
		for (uintptr_t j = 0; j < PAIRS; j++) {
			pairs[i][j] = (struct event_pair){.start = (CUevent)(1000 * i + 100 + j),
							  .end = (CUevent)(1000 * i + 2100 + j),
							  .pool = &pool};
			calls[i][j] = (struct in_flight){.operation = &operations[i],
							 .stream = &streams[i],
							 .pair = &pairs[i][j]};
		}
	}
}

AFTER_EACH
{
	event_queue_give_up(NULL, EVENT_LATE, note);
	assert_int_equal(
		event_queue_forget(&streams[0]) && event_queue_forget(&streams[1]) ? 0 : -1, 0);
}

static void add(unsigned stream, unsigned number)
{
	for (unsigned i = 0; i < number; i++) {
		assert_true(event_queue_add(&calls[stream][i]));
		assert_true(calls[stream][i].awaits_events);
	}
}

TEST(finished_pairs_are_read_in_order_with_few_queries)
{
	add(0, PAIRS);
	expected_next = 100;
	for (uintptr_t to = 100; to <= 200; to += to < 103 ? 1 : 97) {
		unsigned before = count;

		reached_to = to;
		queries = 0;
		assert_int_equal(event_queue_poll(UINT64_MAX, note), 200 - to);
		assert_int_equal(count, to - 100);
		/* One that asks for the last, seven that halve a hundred, and one at each reading.
		 */
		assert_true(queries <= 8 + count - before);
	}
	assert_int_equal(last_end, EVENT_READ);
	assert_int_equal(pool.put, PAIRS);
	assert_ptr_equal(pool.free[7], &pairs[0][7]);
	assert_int_equal(event_queue_pending(NULL), 0);
	assert_int_equal(failures, 0);
}

TEST(a_stream_is_busy_as_long_as_its_pairs_take_at_least)
{
	add(0, 10);
	reached_to = 104;
	assert_int_equal(event_queue_poll(UINT64_MAX, note), 6);
	assert_int_equal(operations[0].timed, 4);
	assert_int_equal(operations[0].shortest, 4000);
	assert_true(streams[0].busy_until > 0);
	assert_int_equal(calls[0][0].by_events, 4000);
	assert_true(calls[0][0].has_events);
	assert_false(calls[0][9].has_events);
	/* The oldest may be about to end. */
	reached_to = 109;
	assert_int_equal(event_queue_poll(UINT64_MAX, note), 1);
	assert_int_equal(streams[0].busy_until, 0);
	reached_to = 110;
	assert_int_equal(event_queue_poll(UINT64_MAX, note), 0);
	assert_int_equal(streams[0].busy_until, 0);
	assert_int_equal(operations[0].timed, 10);
}

TEST(what_the_driver_refuses_is_lost)
{
	add(0, 3);
	query_result = elapsed_result = CUDA_ERROR_INVALID_HANDLE;
	assert_int_equal(event_queue_poll(UINT64_MAX, note), 0);
	assert_int_equal(count, 3);
	assert_int_equal(last_end, EVENT_LOST);
	assert_false(calls[0][2].has_events);
	/* The query, and each of the readings. */
	assert_int_equal(failures, 4);
	assert_int_equal(pool.put, 3);
}

TEST(contexts_are_apart)
{
	add(0, 3);
	add(1, 5);
	assert_int_equal(event_queue_pending(NULL), 8);
	assert_int_equal(event_queue_pending(&contexts[0]), 3);
	assert_int_equal(event_queue_pending(&contexts[1]), 5);
	assert_false(event_queue_forget(&streams[1]));
	/* What cannot be made current is left alone. */
	unusable = &contexts[0];
	reached_to = 200;
	assert_int_equal(event_queue_poll(UINT64_MAX, note), 3);
	assert_int_equal(count, 5);
	/* One poll asks each stream once, from where the last one ended. */
	unusable = NULL;
	reached_to = 0;
	queries = 0;
	assert_int_equal(event_queue_poll(0, note), 3);
	assert_int_equal(queries, 0);
	event_queue_give_up(&contexts[1], EVENT_LATE, note);
	assert_int_equal(count, 5);
	event_queue_give_up(&contexts[0], EVENT_LATE, note);
	assert_int_equal(count, 8);
	assert_int_equal(last_end, EVENT_LATE);
	assert_true(event_queue_forget(&streams[0]));
	assert_null(streams[0].events);
	assert_true(event_queue_forget(&streams[0]));
	reached_to = 200;
	calls[1][0].pair = &pairs[1][0];
	add(1, 1);
	assert_int_equal(event_queue_poll(UINT64_MAX, note), 0);
	assert_int_equal(count, 9);
}
