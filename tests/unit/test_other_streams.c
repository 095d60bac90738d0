/* SPDX-License-Identifier: MIT */
/* Which event pairs other streams had calls beside. */
#include "preload/events/in_flight.h"
#include "report/session/session.h"
#include "tests/unit/test.h"

#define SLOT_NS 8000u
#define SLOTS	16384u

/* Each test has a device of its own, as nothing is ever forgotten of one. */
static struct context context = {.device = -1}, other_context;
static struct stream first, second, elsewhere;
/* The begin of a slot. */
static const uint64_t now = 1000000ull * SLOT_NS;

BEFORE_EACH
{
	context.device++;
	other_context.device = context.device + SESSION_DEVICES / 2;
	first = (struct stream){.context = &context, .id = 1};
	second = (struct stream){.context = &context, .id = 2};
	elsewhere = (struct stream){.context = &other_context, .id = 3};
}

/* A call that returned after 5 us. */
static bool beside(struct stream *stream, uint64_t started, uint64_t by_events)
{
	return other_streams_beside(&(struct in_flight){.stream = stream,
							.started = started,
							.ended = started + 5000,
							.by_events = by_events});
}

TEST(one_stream_has_none_beside)
{
	for (unsigned i = 0; i < 100; i++)
		other_streams_call(&first, now + i * 1000, 1);
	assert_false(beside(&first, now, 90000));
}

TEST(a_call_counts_from_the_begin_of_a_pairs_call_to_the_end_of_the_operation)
{
	/* As long as the first one is alone its calls are not remembered. */
	other_streams_call(&first, now, 1);
	other_streams_call(&second, now + 4 * SLOT_NS, 1);
	assert_false(beside(&second, now, 5 * SLOT_NS));
	other_streams_call(&first, now + 20 * SLOT_NS, 1);
	/* 5 us of the call itself, and what the pair says. */
	assert_false(beside(&first, now, 4 * SLOT_NS - 5001));
	assert_true(beside(&first, now, 4 * SLOT_NS - 5000));
	assert_true(beside(&first, now + 5 * SLOT_NS - 1, 0));
	assert_false(beside(&first, now + 5 * SLOT_NS, 10 * SLOT_NS));
	/* For the other stream it is its own. */
	assert_false(beside(&second, now + SLOT_NS, 18 * SLOT_NS));
	assert_true(beside(&second, now + SLOT_NS, 19 * SLOT_NS));
}

TEST(two_streams_in_one_slot_are_beside_each_other)
{
	other_streams_call(&first, now + SLOT_NS, 1);
	other_streams_call(&second, now, 1);
	assert_false(beside(&second, now, 0));
	other_streams_call(&first, now + 100, 1);
	other_streams_call(&first, now + 200, 1);
	assert_true(beside(&first, now + 300, 0));
	assert_true(beside(&second, now + 300, 0));
}

TEST(calls_on_another_device_do_not_count)
{
	other_streams_call(&first, now, 1);
	other_streams_call(&second, now + 30 * SLOT_NS, 1);
	other_streams_call(&elsewhere, now + SLOT_NS, 1);
	assert_false(beside(&first, now, 3 * SLOT_NS));
	/* Of a device without a number nothing is known. */
	context.device += SESSION_DEVICES;
	other_streams_call(&second, now + 2 * SLOT_NS, 1);
	assert_false(beside(&first, now, 3 * SLOT_NS));
	context.device -= SESSION_DEVICES;
	assert_false(beside(&first, now, 3 * SLOT_NS));
}

TEST(a_time_long_ago_is_forgotten)
{
	other_streams_call(&first, now, 1);
	other_streams_call(&second, now + SLOT_NS, 1);
	assert_true(beside(&first, now, 2 * SLOT_NS));
	/* The same place, another round. */
	assert_false(beside(&first, now + (uint64_t)SLOTS * SLOT_NS, 2 * SLOT_NS));
	other_streams_call(&first, now + (SLOTS + 1ull) * SLOT_NS, 1);
	assert_false(beside(&first, now, 2 * SLOT_NS));
	/* A kernel of hours is looked at once around. */
	assert_false(beside(&first, now + 2 * SLOT_NS, 1ull << 50));
}

TEST(calls_that_one_stands_for_are_taken_to_be_everywhere)
{
	const uint64_t most = 32 * 50000;

	other_streams_call(&first, now, 1);
	other_streams_call(&second, now, 32);
	assert_false(beside(&first, now + 2 * SLOT_NS, 3 * SLOT_NS));
	other_streams_call(&second, now + most, 32);
	assert_true(beside(&first, now + 2 * SLOT_NS, 3 * SLOT_NS));
	assert_true(beside(&first, now + most - 2 * SLOT_NS, 0));
	/* Farther apart they are few. */
	other_streams_call(&second, now + 2 * most + 1, 32);
	assert_false(beside(&first, now + most + SLOT_NS, 3 * SLOT_NS));
	/* Those that are recorded each stand for themselves. */
	other_streams_call(&second, now + 2 * most + 10 * SLOT_NS, 1);
	assert_false(beside(&first, now + 2 * most + 3 * SLOT_NS, 3 * SLOT_NS));
	other_streams_call(&second, now + 2 * most + 20 * SLOT_NS, 32);
	assert_true(beside(&first, now + 2 * most + 3 * SLOT_NS, 3 * SLOT_NS));
	/* Two threads' calls come in any order. */
	other_streams_call(&second, now + 2 * most, 32);
	assert_false(beside(&first, now + 2 * most - 3 * SLOT_NS, 0));
}

TEST(what_a_lone_stream_stands_for_is_known_once_another_comes)
{
	other_streams_call(&first, now, 32);
	other_streams_call(&second, now + SLOT_NS, 1);
	other_streams_call(&first, now + 10 * SLOT_NS, 32);
	assert_true(beside(&second, now + 5 * SLOT_NS, 0));
}
