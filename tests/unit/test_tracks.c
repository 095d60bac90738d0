/* SPDX-License-Identifier: MIT */
/* On one track slices follow or contain each other, of streams and of threads; and an operation
 * finds its call, a copy's bytes are counted while it runs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/session/items.h"
#include "report/export/timeline.h"

static struct tracks tracks;

static int tear_down(void **state)
{
	(void)state;
	tracks_free(&tracks);
	tracks = (struct tracks){.first = NULL};
	return 0;
}

/* Places a slice and opens it; the lane. */
static uint32_t lane(const struct trace_record *record, uint32_t process)
{
	struct track *track;
	uint64_t end, before = 0;
	bool added;

	assert_int_equal(tracks_place(&tracks, record, process, &track, &added), 0);
	while (track_close(track, record->start, &end)) {
		assert_true(end <= record->start && end >= before);
		before = end;
	}
	assert_int_equal(track_open(track, record_end(record)), 0);
	return track->lane;
}

static uint32_t kernel(uint64_t start, uint64_t end)
{
	return lane(&(struct trace_record){.kind = ROW_KERNEL, .start = start, .end = end}, 0);
}

static uint32_t call(uint64_t start, uint64_t end)
{
	return lane(&(struct trace_record){.kind = ROW_RUNTIME_API, .start = start, .end = end}, 0);
}

static void operations_of_a_stream_do_not_contain_each_other(void **state)
{
	(void)state;
	assert_int_equal(kernel(10, 20), 0);
	assert_int_equal(kernel(20, 40), 0);
	assert_int_equal(kernel(39, 40), 1);
	assert_int_equal(kernel(39, 50), 2);
	assert_int_equal(kernel(40, 41), 0);
	assert_int_equal(kernel(41, 41), 0);
	assert_int_equal(kernel(41, 42), 0);
	assert_int_equal(kernel(41, 42), 1);
	assert_int_equal(tracks.counts[TRACK_STREAM], 3);
	assert_int_equal(tracks.counts[TRACK_THREAD], 0);
}

static void calls_of_a_thread_do(void **state)
{
	(void)state;
	assert_int_equal(call(10, 100), 0);
	assert_int_equal(call(10, 50), 0);
	assert_int_equal(call(20, 50), 0);
	assert_int_equal(call(49, 51), 1);
	assert_int_equal(call(50, 100), 0);
	assert_int_equal(call(99, 101), 1);
	assert_int_equal(call(100, 200), 0);
	assert_int_equal(tracks.counts[TRACK_THREAD], 2);
}

static void an_end_before_the_start_is_the_start(void **state)
{
	(void)state;
	assert_int_equal(kernel(10, 5), 0);
	assert_int_equal(kernel(10, 20), 0);
	assert_int_equal(call(10, 5), 0);
	assert_int_equal(call(10, 20), 0);
}

static void ends_come_from_the_inside_and_each_once(void **state)
{
	struct track *track;
	uint64_t end = 0;
	bool added;

	(void)state;
	call(10, 90);
	call(20, 80);
	call(30, 70);
	assert_int_equal(tracks_place(&tracks, &(struct trace_record){.kind = ROW_DRIVER_API}, 0,
				      &track, &added),
			 0);
	/* A record before the others' starts cannot be; it goes where it does no harm. */
	assert_false(added);
	assert_int_equal(track->depth, 3);
	assert_false(track_close(track, 69, &end));
	assert_true(track_close(track, 70, &end));
	assert_int_equal(end, 70);
	assert_false(track_close(track, 70, &end));
	assert_true(track_close(track, UINT64_MAX, &end));
	assert_int_equal(end, 80);
	assert_true(track_close(track, UINT64_MAX, &end));
	assert_int_equal(end, 90);
	assert_false(track_close(track, UINT64_MAX, &end));
}

static void each_stream_thread_and_process_has_its_own(void **state)
{
	const struct trace_record records[] = {
		{.kind = ROW_KERNEL},
		{.kind = ROW_MEMCPY, .device = 1},
		{.kind = ROW_MEMSET, .context = 1},
		{.kind = ROW_GRAPH, .stream = 1},
		{.kind = ROW_RUNTIME_API},
		{.kind = ROW_DRIVER_API, .thread = 1},
		{.kind = ROW_RANGE, .thread = 2, .result = RANGE_PUSH_POP},
		{.kind = ROW_OVERHEAD, .thread = 3},
		{.kind = ROW_RANGE, .thread = 2, .result = RANGE_START_END},
	};
	const size_t count = sizeof(records) / sizeof(*records);
	uint32_t seen = 0;

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < 2 * count; i++) {
			struct track *track;
			bool added;

			assert_int_equal(
				tracks_place(&tracks, &records[i / 2], i % 2, &track, &added), 0);
			assert_int_equal(added, round == 0);
			assert_int_equal(track->lane, 0);
			assert_int_equal(track->key.process, i % 2);
		}
	}
	assert_int_equal(tracks.counts[TRACK_STREAM], 8);
	assert_int_equal(tracks.counts[TRACK_THREAD], 8);
	assert_int_equal(tracks.counts[TRACK_STARTED], 2);
	tracks_for_each (&tracks, track) {
		assert_in_range(track->number, 1, tracks.counts[track->key.kind]);
		seen++;
	}
	assert_int_equal(seen, 2 * count);
}

static void calls_and_ranges_of_one_thread_share_a_track(void **state)
{
	(void)state;
	assert_int_equal(lane(&(struct trace_record){.kind = ROW_RANGE, .start = 1, .end = 9}, 0),
			 0);
	assert_int_equal(call(2, 3), 0);
	assert_int_equal(lane(&(struct trace_record){.kind = ROW_RANGE,
						     .result = RANGE_START_END,
						     .start = 4,
						     .end = 12},
			      0),
			 0);
	assert_int_equal(lane(&(struct trace_record){.kind = ROW_RANGE,
						     .result = RANGE_START_END,
						     .start = 5,
						     .end = 6},
			      0),
			 1);
	assert_int_equal(tracks.counts[TRACK_THREAD], 1);
	assert_int_equal(tracks.counts[TRACK_STARTED], 2);
}

static void there_are_only_so_many_at_once(void **state)
{
	const struct trace_record record = {.kind = ROW_KERNEL, .start = 1, .end = 10};
	struct track *track;
	uint32_t seen = 0;
	bool added;

	(void)state;
	for (uint32_t i = 0; i < TRACK_LANES; i++)
		assert_int_equal(lane(&record, 0), i);
	assert_int_equal(tracks_place(&tracks, &record, 0, &track, &added), -E2BIG);
	assert_int_equal(kernel(10, 11), 0);
	tracks_for_each (&tracks, each)
		seen += each->depth;
	assert_int_equal(seen, TRACK_LANES);
}

static void an_operation_finds_the_call_of_its_id_that_began_before(void **state)
{
	struct launches launches = {.calls = NULL};
	struct trace_record call = {.start = 100, .correlation = 7, .thread = 5};
	struct trace_record operation = {.start = 100, .correlation = 7};
	struct launch *launch;

	(void)state;
	assert_null(launches_find(&launches, &operation, 0));
	assert_int_equal(launches_note(&launches, &(struct trace_record){.start = 1}, 0), 0);
	assert_null(launches.calls);
	assert_int_equal(launches_note(&launches, &call, 1), 0);
	launch = launches_find(&launches, &operation, 1);
	assert_non_null(launch);
	assert_int_equal(launch->start, 100);
	assert_int_equal(launch->thread, 5);
	assert_false(launch->used);
	assert_null(launches_find(&launches, &operation, 0));
	operation.start = 99;
	assert_null(launches_find(&launches, &operation, 1));
	operation.start = 101;
	operation.correlation = 8;
	assert_null(launches_find(&launches, &operation, 1));
	operation.correlation = 7 + LAUNCHES_KNOWN;
	assert_null(launches_find(&launches, &operation, 1));
	operation.correlation = 0;
	assert_null(launches_find(&launches, &operation, 0));
	/* So many calls later nobody waits for it any more. */
	launch->used = true;
	call.correlation += LAUNCHES_KNOWN - 1;
	assert_int_equal(launches_note(&launches, &call, 1), 0);
	operation.correlation = 7;
	assert_non_null(launches_find(&launches, &operation, 1));
	call.correlation++;
	assert_int_equal(launches_note(&launches, &call, 1), 0);
	assert_null(launches_find(&launches, &operation, 1));
	operation.correlation = call.correlation;
	launch = launches_find(&launches, &operation, 1);
	assert_non_null(launch);
	assert_false(launch->used);
	launches_free(&launches);
	assert_null(launches_find(&launches, &operation, 1));
}

static void bytes_are_in_flight_until_their_copy_ends(void **state)
{
	static const uint64_t ends[] = {50, 20, 90, 20, 70, 60, 10, 80, 40, 30, 100};
	struct running_copies running = {.bytes = 0};
	uint64_t end = 0, before = 0, left = 0;

	(void)state;
	assert_false(running_copies_end(&running, UINT64_MAX, &end));
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		assert_int_equal(running_copies_begin(&running, ends[i], ends[i] * 1000), 0);
		left += ends[i] * 1000;
		assert_int_equal(running.bytes, left);
	}
	assert_false(running_copies_end(&running, 9, &end));
	assert_int_equal(running.bytes, left);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		assert_true(running_copies_end(&running, i ? UINT64_MAX : 10, &end));
		assert_true(end >= before && end % 10 == 0);
		left -= end * 1000;
		assert_int_equal(running.bytes, left);
		before = end;
		if (!i)
			assert_false(running_copies_end(&running, 19, &end));
	}
	assert_int_equal(before, 100);
	assert_int_equal(running.bytes, 0);
	assert_false(running_copies_end(&running, UINT64_MAX, &end));
	running_copies_free(&running);
}

int main(void)
{
#define TRACK_TEST(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
		TRACK_TEST(operations_of_a_stream_do_not_contain_each_other),
		TRACK_TEST(calls_of_a_thread_do),
		TRACK_TEST(an_end_before_the_start_is_the_start),
		TRACK_TEST(ends_come_from_the_inside_and_each_once),
		TRACK_TEST(each_stream_thread_and_process_has_its_own),
		TRACK_TEST(calls_and_ranges_of_one_thread_share_a_track),
		TRACK_TEST(there_are_only_so_many_at_once),
		TRACK_TEST(an_operation_finds_the_call_of_its_id_that_began_before),
		TRACK_TEST(bytes_are_in_flight_until_their_copy_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
