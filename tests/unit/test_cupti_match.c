/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cupti/match.h"

static unsigned given_up;

static void count_given_up(const struct expected *expected)
{
	(void)expected;
	given_up++;
}

static const int key;

static struct expected call_at(uint64_t started)
{
	return (struct expected){.started = started, .ended = started + 5, .key = &key};
}

static int make(void **state)
{
	given_up = 0;
	*state = matcher_create(count_given_up);
	return *state ? 0 : -1;
}

static int destroy(void **state)
{
	matcher_destroy(*state);
	return 0;
}

static void a_stream_is_kept_while_calls_await_their_records(void **state)
{
	struct matcher *matcher = *state;
	struct match_stream *stream = matcher_stream(matcher, 1, 7);
	struct expected call = call_at(1000), found;

	match_expect(stream, &call);
	assert_false(match_forget(stream, false));
	assert_true(match_record(stream, 1001, &key, 0, &found));
	assert_int_equal(found.started, 1000);
	assert_true(match_forget(stream, false));
	assert_null(matcher_find(matcher, 1, 7, 2000, &key, 0));
	assert_int_equal(given_up, 0);
}

static void calls_without_records_are_given_up_with_their_stream(void **state)
{
	struct match_stream *stream = matcher_stream(*state, 1, 7);
	struct expected call = call_at(1000);

	match_expect(stream, &call);
	assert_true(match_forget(stream, true));
	assert_int_equal(given_up, 1);
}

/* A number may be given out again before all that is of the first stream has gone. */
static void a_list_that_two_streams_use_goes_with_the_second(void **state)
{
	struct match_stream *stream = matcher_stream(*state, 1, 7);
	struct expected call = call_at(1000), found;

	assert_ptr_equal(matcher_stream(*state, 1, 7), stream);
	assert_true(match_forget(stream, false));
	match_expect(stream, &call);
	assert_true(match_record(matcher_find(*state, 1, 7, 1001, &key, 0), 1001, &key, 0, &found));
	assert_true(match_forget(stream, false));
	assert_null(matcher_find(*state, 1, 7, 2000, &key, 0));
}

static void a_stream_whose_number_never_came_goes_too(void **state)
{
	struct match_stream *first = matcher_unnumbered(*state, 1);
	struct match_stream *second = matcher_unnumbered(*state, 1);
	struct expected call = call_at(1000);

	assert_true(match_forget(second, false));
	match_expect(first, &call);
	assert_ptr_equal(matcher_find(*state, 1, 9, 1001, &key, 0), first);
	assert_true(match_forget(first, true));
	assert_null(matcher_find(*state, 1, 9, 2000, &key, 0));
}

static void memory_is_given_back_and_bounded_for_all_streams_together(void **state)
{
	enum { STREAMS = 64, CALLS = 20000 };
	struct matcher *matcher = *state;
	size_t before = matcher_memory(matcher);
	struct match_stream *streams[STREAMS];

	for (uint32_t i = 0; i < STREAMS; i++) {
		streams[i] = matcher_stream(matcher, 1, i + 1);
		for (uint64_t n = 0; n < CALLS; n++) {
			struct expected call = call_at(1000 + 10 * n);

			match_expect(streams[i], &call);
		}
	}
	assert_in_range(matcher_memory(matcher), 10 << 20, 24 << 20);
	/* What found no room are the oldest calls. */
	assert_true(given_up > 0);
	for (uint32_t i = 0; i < STREAMS; i++)
		assert_true(match_forget(streams[i], true));
	assert_int_equal(given_up, STREAMS * CALLS);
	assert_int_equal(matcher_memory(matcher), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_stream_is_kept_while_calls_await_their_records,
						make, destroy),
		cmocka_unit_test_setup_teardown(
			calls_without_records_are_given_up_with_their_stream, make, destroy),
		cmocka_unit_test_setup_teardown(a_list_that_two_streams_use_goes_with_the_second,
						make, destroy),
		cmocka_unit_test_setup_teardown(a_stream_whose_number_never_came_goes_too, make,
						destroy),
		cmocka_unit_test_setup_teardown(
			memory_is_given_back_and_bounded_for_all_streams_together, make, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
