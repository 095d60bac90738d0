/* SPDX-License-Identifier: MIT */
/* Which share of an operation's calls gets a pair of events: on a clock of the test's own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cupti/cupti.h"
#include "preload/events/sampling.h"
#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/handles/operation.h"

#define MS	   1000000u
#define SECOND	   1000000000u
/* What a pair is reckoned at, and the part of the budget that is aimed at: see sampling.c. */
#define PAIR_NS	   6800.0
#define AIMED_AT   0.4
#define FLOOR_RATE 100.0

struct options settings;
bool mode_events = true;

static struct operation frequent, rare;
_Atomic bool mode_cupti;
static struct session *session;
static double cupti_part; /* of the time, that CUPTI takes */
static uint64_t now;
static unsigned threads;

bool cupti_active(void)
{
	return mode_cupti;
}

struct operation *operation_first(void)
{
	return &frequent;
}

void operation_first_sampling(uint32_t sample_below)
{
	frequent.sample_below = rare.sample_below = sample_below;
}

static int start(void **state)
{
	(void)state;
	frequent = (struct operation){.pairs = 100, .sample_below = SAMPLE_ALL, .next = &rare};
	rare = (struct operation){.pairs = 100, .sample_below = SAMPLE_ALL};
	settings = (struct options){.events = EVENTS_AUTO, .budget = 1};
	now = SECOND;
	cupti_part = 0;
	threads = 1;
	mode_cupti = false;
	sampling_start(now);
	return session_create(&session, NULL, false);
}

static int stop(void **state)
{
	(void)state;
	session_close(session);
	return 0;
}

/* Lets time pass with these calls a second, and tells the budget as the collector does. */
static void pass(unsigned milliseconds, unsigned frequent_calls, unsigned rare_calls)
{
	for (unsigned passed = 0; passed < milliseconds; passed += 5) {
		now += 5 * MS;
		frequent.window_calls += frequent_calls / 200;
		rare.window_calls += rare_calls / 200;
		session_count(session, COUNTER_cupti_added_ns, cupti_part * 5 * MS);
		sampling_update(session, now, threads);
	}
}

static double share(const struct operation *operation)
{
	return operation->sample_below == SAMPLE_ALL ? 1 : operation->sample_below / 4294967295.0;
}

static void pairs_a_second_are(double expected)
{
	assert_float_equal(share(&frequent) * 300000, expected, expected / 50);
}

static void frequent_calls_share_what_the_budget_allows(void **state)
{
	(void)state;
	pass(5000, 300000, 0);
	pairs_a_second_are(0.01 * AIMED_AT * SECOND / PAIR_NS);
	settings.budget = 10;
	pass(20, 300000, 0);
	pairs_a_second_are(0.1 * AIMED_AT * SECOND / PAIR_NS);
}

/* Half a second is sampled as the root of what is left of it: twice as much in all. */
static void a_start_by_events_alone_is_sampled_more(void **state)
{
	const double pairs = 0.01 * AIMED_AT * SECOND / PAIR_NS;

	(void)state;
	pass(20, 300000, 0);
	pairs_a_second_are(5 * pairs);
	pass(105, 300000, 0);
	/* As of the last window's end. */
	pairs_a_second_are(sqrt(500 / 110.0) * pairs);
	pass(400, 300000, 0);
	pairs_a_second_are(pairs);
}

/* All of them wait for a pair; but each counts only its own launches. */
static void a_pair_costs_more_where_many_threads_launch(void **state)
{
	(void)state;
	threads = 16;
	pass(5000, 400000, 0);
	assert_float_equal(share(&frequent) * 400000,
			   0.01 * AIMED_AT * SECOND / (PAIR_NS + 15 * 1150), 1);
}

/* What counting takes of the budget, pairs do not get. */
static void pairs_get_what_counting_leaves_of_the_budget(void **state)
{
	(void)state;
	pass(5000, 400000, 0);
	assert_float_equal(share(&frequent) * 400000, (0.01 - 0.008) * SECOND / PAIR_NS, 1);
	/* More launches than the budget counts: the least that is timed. */
	pass(5000, 600000, 0);
	assert_float_equal(share(&frequent) * 600000, FLOOR_RATE, 1);
	/* Under CUPTI nothing is only counted. */
	mode_cupti = true;
	settings.budget = 10;
	pass(5000, 600000, 0);
	assert_float_equal(share(&frequent) * 600000, 0.1 * 0.01 * SECOND / PAIR_NS, 1);
}

static void what_cupti_takes_is_left_to_it(void **state)
{
	(void)state;
	mode_cupti = true;
	settings.budget = 50;
	cupti_part = 0.498;
	pass(5000, 300000, 0);
	pairs_a_second_are(0.002 * SECOND / PAIR_NS);
}

static void rare_calls_all_get_a_pair(void **state)
{
	(void)state;
	pass(5000, 300000, 200);
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
	/* The frequent ones have what those leave. */
	pairs_a_second_are(0.01 * AIMED_AT * SECOND / PAIR_NS - 200);
}

static void few_calls_all_get_a_pair(void **state)
{
	(void)state;
	pass(5000, 300, 200);
	assert_int_equal(frequent.sample_below, SAMPLE_ALL);
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
}

static void first_calls_of_an_operation_all_get_a_pair(void **state)
{
	(void)state;
	rare.pairs = 7;
	pass(5000, 300000, 300000);
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
	rare.pairs = 8;
	pass(20, 300000, 300000);
	assert_true(share(&rare) < 0.01);
}

static void a_floor_remains_where_cupti_takes_the_budget(void **state)
{
	(void)state;
	mode_cupti = true;
	cupti_part = 0.02;
	pass(5000, 300000, 0);
	pairs_a_second_are(FLOOR_RATE);
}

/* As the program's cuptiFinalize does. */
static void pairs_are_more_once_cupti_has_ended(void **state)
{
	(void)state;
	mode_cupti = true;
	pass(5000, 300000, 0);
	pairs_a_second_are(FLOOR_RATE);
	mode_cupti = false;
	pass(20, 300000, 0);
	pairs_a_second_are(0.01 * AIMED_AT * SECOND / PAIR_NS);
}

/* Bursts of 100 ms, one in ten seconds: in them too no more than the part of the budget. */
static void bursts_are_not_slowed_down_by_what_the_pauses_have_saved(void **state)
{
	const double part = 0.01 * AIMED_AT * SECOND / PAIR_NS / 10;

	(void)state;
	pass(1000, 300000, 0);
	for (int burst = 0; burst < 5; burst++) {
		double pairs = 0;

		pass(9900, 0, 0);
		for (int i = 0; i < 20; i++) {
			pairs += share(&frequent) * 1500;
			pass(5, 300000, 0);
		}
		assert_float_equal(pairs, part, part / 10);
	}
}

/* Seldom called, but not evenly: the mean counts, not the windows that have a call. */
static void unevenly_called_work_is_not_taken_for_frequent(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		pass(5, 300000, 600);
		pass(95, 300000, 0);
	}
	/* 3 calls in every tenth of a second. */
	assert_int_equal(rare.sample_below, SAMPLE_ALL);
}

/* A burst once is forgotten: work that is rare from then on is timed call by call. */
static void work_that_becomes_rare_gets_all_pairs_again(void **state)
{
	(void)state;
	pass(1000, 300000, 0);
	pass(15000, 200, 0);
	assert_int_equal(frequent.sample_below, SAMPLE_ALL);
}

/* CUDA's initialisation is no history: the first window with calls counts whole. */
static void time_before_the_first_call_says_nothing(void **state)
{
	(void)state;
	pass(500, 0, 0);
	pass(5, 300000, 0);
	assert_true(frequent.rate * SECOND > 299000 && frequent.rate * SECOND < 301000);
}

static void a_fraction_holds_for_every_operation_from_its_first_call_on(void **state)
{
	(void)state;
	settings = (struct options){.events = EVENTS_FRACTION, .events_fraction = 4};
	sampling_start(now);
	assert_int_equal(frequent.sample_below, UINT32_MAX / 4);
	pass(1000, 300000, 600);
	assert_int_equal(frequent.sample_below, UINT32_MAX / 4);
	assert_int_equal(rare.sample_below, UINT32_MAX / 4);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_fraction_holds_for_every_operation_from_its_first_call_on),
		TEST(frequent_calls_share_what_the_budget_allows),
		TEST(a_start_by_events_alone_is_sampled_more),
		TEST(a_pair_costs_more_where_many_threads_launch),
		TEST(pairs_get_what_counting_leaves_of_the_budget),
		TEST(what_cupti_takes_is_left_to_it),
		TEST(rare_calls_all_get_a_pair),
		TEST(time_before_the_first_call_says_nothing),
		TEST(few_calls_all_get_a_pair),
		TEST(first_calls_of_an_operation_all_get_a_pair),
		TEST(a_floor_remains_where_cupti_takes_the_budget),
		TEST(pairs_are_more_once_cupti_has_ended),
		TEST(bursts_are_not_slowed_down_by_what_the_pauses_have_saved),
		TEST(unevenly_called_work_is_not_taken_for_frequent),
		TEST(work_that_becomes_rare_gets_all_pairs_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
