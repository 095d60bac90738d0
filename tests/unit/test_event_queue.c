/* SPDX-License-Identifier: MIT */
/* Event pairs of a stream that several threads launch into: the driver may take their calls in
 * another order than that in which they began. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/driver/driver.h"
#include "preload/events/event_overhead.h"
#include "preload/events/event_pool.h"
#include "preload/events/event_queue.h"

struct driver driver;

uint64_t event_overhead_of(enum overhead_kind kind)
{
	(void)kind;
	return 0;
}

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
	(void)context;
	return true;
}

static void done(struct in_flight *operation, enum event_end end)
{
	assert_int_equal(end, EVENT_READ);
	*(count++ ? &read_second : &read_first) = operation->by_events;
}

static void a_pair_that_is_not_reached_is_read_later(void **state)
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

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_that_is_not_reached_is_read_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
