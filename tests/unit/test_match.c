/* SPDX-License-Identifier: MIT */
#include "cupti/activity.h"
#include "preload/collector/records.h"
#include "tests/unit/own_process.h"
#include "tests/unit/test.h"

static unsigned given_up;

void calls_unmatched(struct in_flight *call)
{
	(void)call;
	given_up++;
}

static struct operation kernel = {.kind = ROW_KERNEL}, other_kernel = {.kind = ROW_KERNEL};

/* Calls live until the process ends: the matcher holds them by pointer. */
static struct in_flight *call_at(uint64_t started)
{
	static struct in_flight calls[64 * 20000 + 4 * 60000 + 12 * 8000 + 4096];
	static size_t used;
	struct in_flight *call = &calls[used++];

	call->started = started;
	call->ended = started + 5;
	call->operation = &kernel;
	return call;
}

static struct in_flight *take(struct match_stream *stream, uint32_t thread, uint64_t start,
			      const struct operation *operation, uint64_t bytes)
{
	return match_record(stream, &(struct match_key){.thread = thread,
							.start = start,
							.operation = operation,
							.bytes = bytes});
}

static struct in_flight *take_kernel(struct match_stream *stream, uint32_t thread, uint64_t start)
{
	return match_record(stream,
			    &(struct match_key){.thread = thread, .start = start, .kernel = true});
}

static const struct in_flight *next_kernel(const struct match_stream *stream, uint32_t thread,
					   uint64_t start)
{
	return match_next(stream,
			  &(struct match_key){.thread = thread, .start = start, .kernel = true});
}

static struct match_stream *find(uint32_t context, uint32_t stream, uint32_t thread, uint64_t start,
				 const struct operation *operation, uint64_t bytes)
{
	return matcher_find(
		context, stream,
		&(struct match_key){
			.thread = thread, .start = start, .operation = operation, .bytes = bytes});
}

#define CHILD_TEST(name) TEST_IN_CHILD(name, given_up = 0)

CHILD_TEST(a_stream_is_kept_while_calls_await_their_records)
{
	struct match_stream *stream = matcher_stream(1, 7);
	struct in_flight *call = call_at(1000), *found;

	match_expect(stream, call);
	assert_false(match_forget(stream, false));
	found = take(stream, 0, 1001, &kernel, 0);
	assert_non_null(found);
	assert_int_equal(found->started, 1000);
	assert_true(match_forget(stream, false));
	assert_null(find(1, 7, 0, 2000, &kernel, 0));
	assert_int_equal(given_up, 0);
}

CHILD_TEST(calls_without_records_are_given_up_with_their_stream)
{
	struct match_stream *stream = matcher_stream(1, 7);
	struct in_flight *call = call_at(1000);

	match_expect(stream, call);
	assert_true(match_forget(stream, true));
	assert_int_equal(given_up, 1);
}

static struct in_flight *call_of(uint32_t thread, uint64_t started)
{
	struct in_flight *call = call_at(started);

	call->thread = thread;
	return call;
}

/* Two threads that take turns: their calls began at 1000, 2000 … */
static struct match_stream *two_threads(void)
{
	struct match_stream *stream = matcher_stream(1, 7);

	for (uint64_t n = 1; n <= 6; n++) {
		struct in_flight *call = call_of(n % 2 ? 11 : 22, 1000 * n);

		match_expect(stream, call);
	}
	return stream;
}

CHILD_TEST(records_by_thread_find_that_threads_calls)
{
	static const uint64_t order[] = {2, 4, 6, 1, 3, 5};
	struct match_stream *stream = two_threads();
	struct in_flight *found;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		found = take(stream, order[i] % 2 ? 11 : 22, 10000, &kernel, 0);
		assert_non_null(found);
		assert_int_equal(found->started, 1000 * order[i]);
		assert_false(found->ambiguous);
	}
	assert_false(match_pending(stream));
	assert_int_equal(given_up, 0);
}

CHILD_TEST(records_in_the_order_of_all_find_the_next_call)
{
	struct match_stream *stream = two_threads();
	struct in_flight *found;

	for (uint64_t n = 1; n <= 6; n++) {
		found = take(stream, 0, 10000, &kernel, 0);
		assert_non_null(found);
		assert_int_equal(found->started, 1000 * n);
	}
	assert_int_equal(given_up, 0);
}

CHILD_TEST(in_the_order_of_all_what_is_passed_over_has_no_record)
{
	struct match_stream *stream = two_threads();
	struct in_flight *call = call_of(11, 7000), *found;

	call->operation = &other_kernel;
	match_expect(stream, call);
	found = take(stream, 0, 10000, &other_kernel, 0);
	assert_non_null(found);
	assert_int_equal(found->started, 7000);
	assert_int_equal(given_up, 6);
	assert_false(match_pending(stream));
}

CHILD_TEST(calls_at_the_same_time_are_ambiguous_where_threads_are_not_known)
{
	struct match_stream *stream = matcher_stream(1, 7);
	struct in_flight *one = call_of(11, 1000), *other = call_of(22, 1003), *found;

	match_expect(stream, one);
	match_expect(stream, other);
	assert_null(take_kernel(stream, 0, 2000));
	found = take_kernel(stream, 22, 2000);
	assert_non_null(found);
	assert_int_equal(found->thread, 22);
	match_expect(stream, other);
	found = take(stream, 0, 2000, &kernel, 0);
	assert_non_null(found);
	assert_true(found->ambiguous);
	found = take(stream, 0, 2000, &kernel, 0);
	assert_non_null(found);
	assert_true(found->ambiguous);
}

CHILD_TEST(a_record_by_a_thread_without_calls_finds_what_fits)
{
	struct match_stream *stream = two_threads();
	struct in_flight *found;

	found = take(stream, 33, 10000, &kernel, 0);
	assert_non_null(found);
	assert_int_equal(found->started, 1000);
	assert_int_equal(given_up, 0);
}

CHILD_TEST(another_threads_call_may_not_be_the_records)
{
	struct match_stream *stream = two_threads();

	assert_true(take(stream, 33, 10000, &kernel, 0)->ambiguous);
	assert_false(take(stream, 11, 10000, &kernel, 0)->ambiguous);
	/* It is not known whose the record is. */
	assert_false(take(stream, ACTIVITY_UNKNOWN_THREAD, 10000, &kernel, 0)->ambiguous);
}

CHILD_TEST(the_next_kernel_is_the_threads_own_and_stays)
{
	struct match_stream *stream = two_threads();

	assert_int_equal(next_kernel(stream, 22, 10000)->started, 2000);
	assert_int_equal(next_kernel(stream, 22, 10000)->started, 2000);
	assert_int_equal(next_kernel(stream, 0, 10000)->started, 1000);
	assert_null(next_kernel(stream, 33, 10000));
	assert_null(next_kernel(stream, ACTIVITY_UNKNOWN_THREAD, 10000));
	/* Calls of two threads at once. */
	take(stream, 11, 10000, &kernel, 0)->ended = 0;
	match_expect(stream, call_of(44, 2001));
	assert_null(next_kernel(stream, 0, 10000));
	assert_int_equal(next_kernel(stream, 44, 10000)->started, 2001);
}

/* A number may be given out again before all that is of the first stream has gone. */
CHILD_TEST(a_list_that_two_streams_use_goes_with_the_second)
{
	struct match_stream *stream = matcher_stream(1, 7);
	struct in_flight *call = call_at(1000), *found;

	assert_ptr_equal(matcher_stream(1, 7), stream);
	assert_true(match_forget(stream, false));
	match_expect(stream, call);
	found = take(find(1, 7, 0, 1001, &kernel, 0), 0, 1001, &kernel, 0);
	assert_non_null(found);
	assert_true(match_forget(stream, false));
	assert_null(find(1, 7, 0, 2000, &kernel, 0));
}

CHILD_TEST(a_stream_whose_number_never_came_goes_too)
{
	struct match_stream *first = matcher_unnumbered(1);
	struct match_stream *second = matcher_unnumbered(1);
	struct in_flight *call = call_at(1000);

	assert_true(match_forget(second, false));
	match_expect(first, call);
	assert_ptr_equal(find(1, 9, 0, 1001, &kernel, 0), first);
	assert_true(match_forget(first, true));
	assert_null(find(1, 9, 0, 2000, &kernel, 0));
}

/* Per-thread default streams have no number that can be asked for. */
CHILD_TEST(threads_that_do_the_same_at_once_are_told_apart_by_whose_record_it_is)
{
	struct match_stream *first = matcher_unnumbered(1);
	struct match_stream *second = matcher_unnumbered(1);
	struct in_flight *one = call_at(1000), *other = call_at(1000);

	one->thread = 11;
	other->thread = 12;
	match_expect(first, one);
	match_expect(second, other);
	assert_null(find(1, 21, 0, 1001, &kernel, 0));
	/* The first of the two leaves the other as the only one. */
	assert_ptr_equal(find(1, 22, 12, 1001, &kernel, 0), second);
	assert_ptr_equal(find(1, 21, 11, 1001, &kernel, 0), first);
}

CHILD_TEST(a_record_of_a_thread_without_calls_finds_the_only_list_that_it_fits)
{
	struct match_stream *only = matcher_unnumbered(1);
	struct in_flight *call = call_at(1000);

	call->thread = 11;
	match_expect(only, call);
	assert_ptr_equal(find(1, 21, 99, 1001, &kernel, 0), only);
}

CHILD_TEST(memory_is_given_back_and_bounded_for_all_streams_together)
{
	enum { STREAMS = 64, CALLS = 20000 };
	size_t before = matcher_memory();
	struct match_stream *streams[STREAMS];

	for (uint32_t i = 0; i < STREAMS; i++) {
		streams[i] = matcher_stream(1, i + 1);
		for (uint64_t n = 0; n < CALLS; n++) {
			struct in_flight *call = call_at(1000 + 10 * n);

			match_expect(streams[i], call);
		}
	}
	assert_in_range(matcher_memory(), 1 << 20, 8 << 20);
	/* What found no room are the oldest calls. */
	assert_in_range(STREAMS * CALLS - given_up, 200000, 400000);
	for (uint32_t i = 0; i < STREAMS; i++)
		assert_true(match_forget(streams[i], true));
	assert_int_equal(given_up, STREAMS * CALLS);
	assert_int_equal(matcher_memory(), before);
}

/* As where the first of many threads launch long before the others begin. */
CHILD_TEST(a_queue_that_was_long_once_leaves_others_their_room)
{
	enum { FIRST = 4, ALL = 16, MANY = 60000, BUFFER = 8000 };
	struct match_stream *streams[ALL];
	size_t before;

	for (uint32_t i = 0; i < ALL; i++)
		streams[i] = matcher_stream(1, i + 1);
	before = matcher_memory();
	for (uint32_t i = 0; i < FIRST; i++)
		for (uint64_t n = 0; n < MANY; n++)
			match_expect(streams[i], call_of(i + 1, 1000 + 10 * n));
	/* One of each goes on waiting. */
	for (uint32_t i = 0; i < FIRST; i++)
		for (uint64_t n = 0; n + 1 < MANY; n++)
			assert_non_null(take(streams[i], i + 1, 1001 + 10 * n, &kernel, 0));
	for (uint32_t i = FIRST; i < ALL; i++)
		for (uint64_t n = 0; n < BUFFER; n++)
			match_expect(streams[i], call_of(i + 1, 1000 + 10 * n));
	for (uint32_t i = FIRST; i < ALL; i++)
		for (uint64_t n = 0; n < BUFFER; n++)
			assert_non_null(take(streams[i], i + 1, 1001 + 10 * n, &kernel, 0));
	assert_int_equal(given_up, 0);
	for (uint32_t i = 0; i < FIRST; i++)
		assert_non_null(take(streams[i], i + 1, 10 * MANY + 1000, &kernel, 0));
	/* What is left are the small lists of queues that are empty. */
	assert_in_range(matcher_memory(), before, before + ALL * 1024 * sizeof(void *));
}

/* Calls of many threads arrive in an order that is neither theirs nor their records'. */
CHILD_TEST(the_next_call_of_all_threads_is_found_among_many)
{
	enum { THREADS = 1009, CALLS = 2 * THREADS };
	struct match_stream *stream = matcher_stream(1, 7);
	struct in_flight *calls[CALLS];
	unsigned i;

	for (i = 0; i < CALLS; i++) {
		calls[i] = call_at(1000 + 10 * (uint64_t)i);
		calls[i]->thread = 1 + i % THREADS;
	}
	for (i = 0; i < CALLS; i++)
		match_expect(stream,
			     calls[i < THREADS ? i * 7 % THREADS : THREADS + i * 7 % THREADS]);
	assert_int_equal(matcher_oldest(), 1000);
	/* Every third record tells its thread, and comes first. */
	for (i = 0; i < THREADS; i += 3)
		assert_ptr_equal(take(stream, 1 + i, 1001 + 10 * i, &kernel, 0), calls[i]);
	for (i = 0; i < CALLS - 3; i++)
		if (i >= THREADS || i % 3)
			assert_ptr_equal(take(stream, 0, 1001 + 10 * i, &kernel, 0), calls[i]);
	assert_int_equal(given_up, 0);
	assert_int_equal(matcher_oldest(), calls[CALLS - 3]->started);
	assert_true(match_pending(stream));
	assert_false(match_forget(stream, false));
	for (i = CALLS - 3; i < CALLS; i++)
		assert_ptr_equal(take(stream, 0, UINT64_MAX / 2, &kernel, 0), calls[i]);
	assert_false(match_pending(stream));
}

CHILD_TEST(copies_are_told_apart_by_their_bytes)
{
	static struct operation copy = {.kind = ROW_MEMCPY};
	struct match_stream *stream = matcher_stream(1, 7);
	struct in_flight *calls[3];

	for (unsigned i = 0; i < 3; i++) {
		calls[i] = call_at(1000 * (i + 1));
		calls[i]->operation = &copy;
		calls[i]->bytes = 64 << i;
		match_expect(stream, calls[i]);
	}
	assert_null(take(stream, 0, 5000, &copy, 63));
	assert_null(take(stream, 0, 5000, &kernel, 64));
	assert_ptr_equal(take(stream, 0, 5000, &copy, 128), calls[1]);
	/* The first was passed over. */
	assert_int_equal(given_up, 1);
	assert_ptr_equal(take(stream, 0, 5000, &copy, 256), calls[2]);
}

CHILD_TEST(times_count_only_by_a_clock_that_is_trusted)
{
	struct match_stream *stream = matcher_stream(1, 7);
	struct in_flight *call = call_at(1000000);

	match_expect(stream, call);
	/* CUPTI's clock is fitted to the host's: by 100 us. */
	assert_null(take(stream, 0, 1000000 - 100001, &kernel, 0));
	matcher_trusts_clock = false;
	assert_ptr_equal(take(stream, 0, 1000000 - 100001, &kernel, 0), call);
	matcher_trusts_clock = true;
	match_expect(stream, call);
	assert_ptr_equal(take(stream, 0, 1000000 - 99999, &kernel, 0), call);
}

CHILD_TEST(calls_of_all_streams_are_given_up)
{
	struct match_stream *stream = matcher_stream(1, 7);
	struct match_stream *unnumbered = matcher_unnumbered(1);

	assert_true(matcher_oldest() == UINT64_MAX);
	match_expect(unnumbered, call_at(2500));
	assert_int_equal(matcher_oldest(), 2500);
	for (uint64_t i = 1; i <= 4; i++)
		match_expect(stream, call_of(11 + i % 2, 1000 * i));
	assert_int_equal(matcher_oldest(), 1000);
	assert_int_equal(match_waiting, 5);
	matcher_give_up();
	assert_int_equal(given_up, 5);
	assert_int_equal(match_waiting, 0);
	assert_true(matcher_oldest() == UINT64_MAX);
	assert_false(match_pending(unnumbered));
	assert_false(match_pending(stream));
}

CHILD_TEST(a_stream_keeps_the_number_that_it_got)
{
	struct match_stream *stream = matcher_unnumbered(3), *other;

	match_expect(stream, call_at(1000));
	/* Another context's. */
	assert_null(find(4, 9, 0, 1001, &kernel, 0));
	assert_null(find(3, 9, 0, 1001, &other_kernel, 0));
	assert_ptr_equal(find(3, 9, 0, 1001, &kernel, 0), stream);
	/* Whether it fits or not, and whether it was the last one found or not. */
	other = matcher_stream(3, 8);
	assert_ptr_equal(find(3, 8, 0, 1, NULL, 0), other);
	assert_ptr_equal(find(3, 9, 0, 1, NULL, 0), stream);
	assert_null(find(3, 10, 0, 1001, &kernel, 0));
	assert_ptr_equal(matcher_stream(3, 9), stream);
}

CHILD_TEST(each_of_several_lists_without_a_number_is_released_alone)
{
	struct match_stream *lists[3];

	for (unsigned i = 0; i < 3; i++) {
		lists[i] = matcher_unnumbered(1);
		match_expect(lists[i], call_at(1000 * (i + 1)));
	}
	assert_true(match_forget(lists[1], true));
	assert_int_equal(given_up, 1);
	assert_int_equal(matcher_oldest(), 1000);
	assert_true(match_forget(lists[0], true));
	assert_int_equal(matcher_oldest(), 3000);
	assert_true(match_forget(lists[2], true));
	assert_true(matcher_oldest() == UINT64_MAX);
}
