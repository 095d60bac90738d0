/* SPDX-License-Identifier: MIT */
/* When an ended stream is freed, and the marks by which the end of the run waits for streams. */
/* clang-format off: before all that reads the clock. */
#include "tests/sim/clock/virtual_clock.h"
/* clang-format on */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "preload/collector/drain.h"
#include "preload/collector/stream_ends.h"
#include "preload/collector/match.h"
#include "preload/events/event_queue.h"
#include "preload/handles/capture.h"
#include "preload/handles/stream.h"

#define MS 1000000ull

struct driver driver;
_Atomic int live_captures;
static struct context context;

static struct stream *list;
static bool in_call, queued, pending, forgets_pending;
static uint64_t ticks, asked_before;
static unsigned forgotten_streams;

uint64_t clock_ticks(void)
{
	return ticks;
}

struct stream *stream_take_ended(void)
{
	struct stream *taken = list;

	list = NULL;
	return taken;
}

bool drain_call_before(uint64_t time)
{
	asked_before = time;
	return in_call;
}

bool event_queue_forget(struct stream *stream)
{
	assert_non_null(stream);
	return !queued;
}

bool match_forget(struct match_stream *stream, bool pending_too)
{
	assert_ptr_equal(stream, (struct match_stream *)&list);
	forgets_pending = pending_too;
	forgotten_streams += !pending || pending_too;
	return !pending || pending_too;
}

static void an_ended_stream_is_freed_once_nothing_refers_to_it(void **state)
{
	static uint64_t now = 1000 * MS;
	struct stream *stream = calloc(1, sizeof(*stream));

	(void)state;
	stream->records = (struct match_stream *)&list;
	list = stream;
	ticks = 77;
	reclaim_streams(now);
	assert_null(list);
	assert_int_equal(stream->ended, 77);
	ticks = 88;
	/* Every 10 ms. */
	in_call = true;
	reclaim_streams(now + 10 * MS - 1);
	assert_int_equal(stream->checks, 0);
	reclaim_streams(now += 10 * MS);
	assert_int_equal(stream->checks, 1);
	assert_int_equal(asked_before, 77);
	assert_false(stream->unused);
	in_call = false;
	reclaim_streams(now += 10 * MS);
	assert_true(stream->unused);
	queued = true;
	reclaim_streams(now += 10 * MS);
	queued = false;
	pending = true;
	/* Records that have not come in a minute are no longer waited for. */
	while (stream->checks < 6000) {
		reclaim_streams(now += 10 * MS);
		assert_false(forgets_pending);
	}
	assert_int_equal(forgotten_streams, 0);
	list = calloc(2, sizeof(*list));
	list->next = calloc(1, sizeof(*list));
	reclaim_streams(now += 10 * MS);
	assert_true(forgets_pending);
	assert_int_equal(forgotten_streams, 1);
	/* The others have no records. */
	for (unsigned i = 0; i < 3; i++)
		reclaim_streams(now += 10 * MS);
}

/* Streams that the end of the run waits for. */
static struct stream running[300];
static unsigned running_count, events, recorded, destroyed;
static CUresult create_result, record_result, query_result;
static bool usable = true;

void stream_visit(void (*visit)(struct stream *stream))
{
	for (unsigned i = 0; i < running_count; i++)
		visit(&running[i]);
}

bool match_pending(const struct match_stream *stream)
{
	assert_ptr_equal(stream, (struct match_stream *)&list);
	return pending;
}

bool context_use(struct context *which)
{
	assert_ptr_equal(which, &context);
	return usable;
}

static CUresult create_event(CUevent *event, unsigned flags)
{
	assert_int_equal(flags, CU_EVENT_DISABLE_TIMING);
	*event = (CUevent)(uintptr_t)(++events);
	return create_result;
}

static CUresult record(CUevent event, CUstream stream)
{
	assert_non_null(event);
	assert_ptr_equal(stream, (CUstream)0x70);
	recorded++;
	return record_result;
}

static CUresult query(CUevent event)
{
	assert_non_null(event);
	return query_result;
}

static CUresult destroy(CUevent event)
{
	assert_non_null(event);
	destroyed++;
	return CUDA_SUCCESS;
}

static void streams_with_work_that_is_not_recorded_get_a_mark(void **state)
{
	(void)state;
	driver.cuEventCreate = create_event;
	driver.cuEventRecord = record;
	driver.cuEventQuery = query;
	driver.cuEventDestroy_v2 = destroy;
	for (unsigned i = 0; i < 300; i++)
		running[i] = (struct stream){.handle = (CUstream)0x70,
					     .context = &context,
					     .records = (struct match_stream *)&list};
	running_count = 1;
	assert_true(end_marks_reached());
	pending = false;
	end_marks_set();
	pending = true;
	running[0].records = NULL;
	end_marks_set();
	running[0].records = running[1].records;
	usable = false;
	end_marks_set();
	usable = true;
	atomic_store(&live_captures, 1);
	end_marks_set();
	atomic_store(&live_captures, 0);
	assert_int_equal(events, 0);
	create_result = CUDA_ERROR_UNKNOWN;
	end_marks_set();
	assert_int_equal(recorded, 0);
	create_result = CUDA_SUCCESS;
	record_result = CUDA_ERROR_UNKNOWN;
	end_marks_set();
	assert_int_equal(destroyed, 1);
	assert_true(end_marks_reached());
	record_result = CUDA_SUCCESS;
	end_marks_set();
	query_result = CUDA_ERROR_NOT_READY;
	assert_false(end_marks_reached());
	/* An error means that the context has ended. */
	query_result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	assert_true(end_marks_reached());
	assert_int_equal(destroyed, 2);
	running_count = 300;
	recorded = 0;
	end_marks_set();
	assert_int_equal(recorded, 256);
	query_result = CUDA_SUCCESS;
	assert_true(end_marks_reached());
	assert_int_equal(destroyed, 2 + 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ended_stream_is_freed_once_nothing_refers_to_it),
		cmocka_unit_test(streams_with_work_that_is_not_recorded_get_a_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
