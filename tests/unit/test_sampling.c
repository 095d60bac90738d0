/* SPDX-License-Identifier: MIT */
/* Which share of an operation's calls gets a pair of events: on a clock of the test's own. */
#include <math.h>

#include "cupti/cupti.h"
#include "preload/events/event_pool.h"
#include "preload/handles/operation.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

#define MS	   1000000u
#define SECOND	   1000000000u
/* What a pair is reckoned at, and the part of the budget that is aimed at: see sampling.c. */
#define PAIR_NS	   6800.0
#define AIMED_AT   0.4
#define FLOOR_RATE 100.0
/* Where all calls are to get a pair no more get one than a pool has. */
#define FIRST_POOL 16

struct launch_state launch_state = {.events = true};

static struct operation frequent, rare;

static double cupti_part; /* of the time, that CUPTI takes */
static double pairs;	  /* that calls got */
static uint64_t now;
static unsigned threads;

bool cupti_active(void)
{
	return launch_state.cupti;
}

struct operation *operation_first(void)
{
	return &frequent;
}

void operation_first_sampling(uint32_t sample_below)
{
	frequent.sample_below = rare.sample_below = sample_below;
}

BEFORE_EACH
{
	frequent = (struct operation){.pairs = 100, .sample_below = SAMPLE_ALL, .next = &rare};
	rare = (struct operation){.pairs = 100, .sample_below = SAMPLE_ALL};
	run.settings = (struct options){.events = EVENTS_AUTO, .budget = 1};
	now = SECOND;
	cupti_part = pairs = 0;
	threads = 1;
	launch_state.cupti = false;
	sampling_start(now);
	assert_int_equal(make_run(0), 0);
}

AFTER_EACH
{
	session_close(run.session);
}

static double share(const struct operation *operation)
{
	return operation->sample_below == SAMPLE_ALL ? 1 : operation->sample_below / 4294967295.0;
}

static void call(struct operation *operation, unsigned calls)
{
	double before = pairs;

	operation->window_calls += calls;
	pairs += operation->sample_below == SAMPLE_ALL && calls > FIRST_POOL
			 ? FIRST_POOL
			 : calls * share(operation);
	session_count(run.session, COUNTER_event_pairs, (uint64_t)pairs - (uint64_t)before);
}

/* Lets time pass with these calls a second, and tells the budget as the collector does. */
static void pass(unsigned milliseconds, unsigned frequent_calls, unsigned rare_calls)
{
	for (unsigned passed = 0; passed < milliseconds; passed += 5) {
		now += 5 * MS;
		call(&frequent, frequent_calls / 200);
		call(&rare, rare_calls / 200);
		session_count(run.session, COUNTER_cupti_added_ns, cupti_part * 5 * MS);
		sampling_update(now, threads);
	}
}

static double pairs_in_a_second(unsigned frequent_calls, unsigned rare_calls)
{
	double before = pairs;

	pass(1000, frequent_calls, rare_calls);
	return pairs - before;
}

static void pairs_a_second_are(double expected)
{
	assert_float_equal(pairs_in_a_second(300000, 0), expected, expected / 50);
}

/* By the present threshold. */
static void pairs_a_second_are_now(double expected)
{
	assert_float_equal(share(&frequent) * 300000, expected, expected / 50);
}

TEST(frequent_calls_share_what_the_budget_allows)
{
	pass(5000, 300000, 0);
	pairs_a_second_are(0.01 * AIMED_AT * SECOND / PAIR_NS);
	run.settings.budget = 10;
	pass(20, 300000, 0);
	pairs_a_second_are(0.1 * AIMED_AT * SECOND / PAIR_NS);
}

/* Without a budget of the user's, half a second is sampled as the root of what is left of it: twice
 * as much in all. */
TEST(a_start_by_events_alone_is_sampled_more)
{
	const double later = 0.05 * AIMED_AT * SECOND / PAIR_NS;

	run.settings.budget = NAN;
	pass(20, 300000, 0);
	pairs_a_second_are_now(5 * later);
	pass(105, 300000, 0);
	/* As of the last window's end. */
	pairs_a_second_are_now(sqrt(500 / 110.0) * later);
	pass(400, 300000, 0);
	pairs_a_second_are_now(later);
}

/* What the pool has at first is all that calls get before the collector sees the first of them. */
TEST(a_budget_of_the_users_holds_from_the_first_call)
{
	const double part = 0.01 * AIMED_AT / PAIR_NS;

	frequent.pairs = 1;
	session_count(run.session, COUNTER_events_created, 60);
	pass(5, 300000, 0);
	/* More than was paid for by then: only the least that is timed. */
	pairs_a_second_are_now(FLOOR_RATE);
	pass(20, 300000, 0);
	assert_true(pairs < part * sqrt(50e6 * 25e6) + 1);
	pass(75, 300000, 0);
	assert_float_equal(pairs + 0.24 * 30, part * 100e6, 3);
	pass(900, 300000, 0);
	assert_float_equal(pairs + 0.24 * 30, part * SECOND, 10);
}

/* Each second there are calls of new rows. */
TEST(first_pairs_beyond_a_budget_of_the_users_are_paid_back)
{
	const double part = 0.01 * AIMED_AT / PAIR_NS;

	pass(1000, 300000, 0);
	for (int second = 2; second < 6; second++) {
		session_count(run.session, COUNTER_event_pairs, 300);
		pass(1000, 300000, 0);
		assert_float_equal(pairs + 300 * (second - 1), part * second * SECOND, 40);
	}
}

/* All of them wait for a pair; but each counts only its own launches. */
TEST(a_pair_costs_more_where_many_threads_launch)
{
	threads = 16;
	pass(5000, 400000, 0);
	assert_float_equal(pairs_in_a_second(400000, 0),
			   0.01 * AIMED_AT * SECOND / (PAIR_NS + 15 * 1150), 3);
}

/* What counting takes of the budget, pairs do not get. */
TEST(pairs_get_what_counting_leaves_of_the_budget)
{
	pass(5000, 400000, 0);
	assert_float_equal(pairs_in_a_second(400000, 0), (0.01 - 0.008) * SECOND / PAIR_NS, 5);
	/* More launches than the budget counts: the least that is timed. */
	pass(5000, 600000, 0);
	assert_float_equal(share(&frequent) * 600000, FLOOR_RATE, 1);
	/* Under CUPTI nothing is only counted. */
	launch_state.cupti = true;
	run.settings.budget = 10;
	pass(5000, 600000, 0);
	assert_float_equal(share(&frequent) * 600000, 0.1 * 0.01 * SECOND / PAIR_NS, 1);
}

TEST(what_cupti_takes_is_left_to_it)
{
	launch_state.cupti = true;
	run.settings.budget = 50;
	cupti_part = 0.498;
	pass(5000, 300000, 0);
	pairs_a_second_are(0.002 * SECOND / PAIR_NS);
}

TEST(rare_calls_all_get_a_pair)
{
	pass(5000, 300000, 200);
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
	/* The frequent ones have what those leave. */
	assert_float_equal(pairs_in_a_second(300000, 200), 0.01 * AIMED_AT * SECOND / PAIR_NS, 10);
}

TEST(few_calls_all_get_a_pair)
{
	pass(5000, 300, 200);
	assert_int_equal(frequent.sample_below, SAMPLE_ALL);
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
}

TEST(first_calls_of_an_operation_all_get_a_pair)
{
	run.settings.budget = NAN;
	rare.pairs = 7;
	pass(5000, 300000, 300000);
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
	rare.pairs = 8;
	pass(20, 300000, 300000);
	assert_true(share(&rare) < 0.05);
	/* With a budget of the user's only the first. */
	run.settings.budget = 1;
	rare.pairs = 0;
	pass(20, 300000, 300000);
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
	rare.pairs = 1;
	pass(20, 300000, 300000);
	assert_true(share(&rare) < 0.01);
}

TEST(a_floor_remains_where_cupti_takes_the_budget)
{
	launch_state.cupti = true;
	cupti_part = 0.02;
	pass(5000, 300000, 0);
	pairs_a_second_are(FLOOR_RATE);
}

/* As the program's cuptiFinalize does. */
TEST(pairs_are_more_once_cupti_has_ended)
{
	launch_state.cupti = true;
	pass(5000, 300000, 0);
	pairs_a_second_are(FLOOR_RATE);
	launch_state.cupti = false;
	pass(20, 300000, 0);
	pairs_a_second_are(0.01 * AIMED_AT * SECOND / PAIR_NS);
}

/* Bursts of 100 ms, one in ten seconds: in them too no more than the part of the budget, in which
 * the first 50 ms of each pause are time as well. */
TEST(bursts_are_not_slowed_down_by_what_the_pauses_have_saved)
{
	const double part = 0.01 * AIMED_AT * SECOND / PAIR_NS / 10;

	pass(1000, 300000, 0);
	for (int burst = 0; burst < 5; burst++) {
		double before = pairs;

		pass(9900, 0, 0);
		pass(100, 300000, 0);
		assert_true(pairs - before > 0.9 * part && pairs - before < 1.2 * part);
	}
}

/* Seldom called, but not evenly: the mean counts, not the windows that have a call. */
TEST(unevenly_called_work_is_not_taken_for_frequent)
{
	for (int i = 0; i < 50; i++) {
		pass(5, 300000, 600);
		pass(95, 300000, 0);
	}
	/* 3 calls in every tenth of a second. */
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
}

/* A burst once is forgotten: work that is rare from then on is timed call by call. */
TEST(work_that_becomes_rare_gets_all_pairs_again)
{
	pass(1000, 300000, 0);
	pass(15000, 200, 0);
	assert_int_equal(frequent.sample_below, SAMPLE_ALL);
}

/* CUDA's initialisation is no history: the first window with calls counts whole. */
TEST(time_before_the_first_call_says_nothing)
{
	pass(500, 0, 0);
	pass(5, 300000, 0);
	assert_true(frequent.rate * SECOND > 299000 && frequent.rate * SECOND < 301000);
}

TEST(a_fraction_holds_for_every_operation_from_its_first_call_on)
{
	run.settings = (struct options){.events = EVENTS_FRACTION, .events_fraction = 4};
	sampling_start(now);
	assert_int_equal(frequent.sample_below, UINT32_MAX / 4);
	pass(1000, 300000, 600);
	assert_int_equal(frequent.sample_below, UINT32_MAX / 4);
	assert_int_equal(rare.sample_below, UINT32_MAX / 4);
}
