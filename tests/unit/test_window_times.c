/* SPDX-License-Identifier: MIT */
/* When recording windows open and close, by what the program launches. */
#include <math.h>

#include "preload/recording/recording.h"
#include "tests/unit/test.h"

#define MS     1000000ull
#define BEGIN  (1000 * MS)
/* 0.3 of 5 %: a window may cost 3 ms every 200 ms. */
#define SHARE  0.015
#define MAY_MS 3

static uint64_t now;
static double work;

BEFORE_EACH
{
	now = BEGIN;
	work = 0;
	window_times_start(now, SHARE, 7);
}

/* Goes on until the next window is due; every millisecond adds `launched` of work, ns. */
static uint64_t wait_for_window(double launched)
{
	uint64_t from = now;

	for (;;) {
		window_times_pass(now, work);
		if (window_times_are_due(now, work))
			break;
		now += MS;
		work += launched;
	}
	return now - from;
}

TEST(by_chance_after_a_gap_if_the_program_launches_steadily)
{
	uint64_t sum = 0, least = UINT64_MAX, most = 0;

	now += 100 * MS;
	work += 100 * 5e5;
	for (int i = 0; i < 200; i++) {
		uint64_t gap;

		window_times_plan(now, work, MAY_MS * MS);
		gap = wait_for_window(5e5);
		sum += gap;
		least = gap < least ? gap : least;
		most = gap > most ? gap : most;
	}
	assert_true(least >= 100 * MS && least < 110 * MS);
	assert_true(most <= 301 * MS && most > 290 * MS);
	assert_true(sum / 200 > 185 * MS && sum / 200 < 215 * MS);
}

TEST(an_expensive_window_has_a_longer_gap_after_it)
{
	uint64_t gap;

	now += 100 * MS;
	work += 100 * 5e5;
	window_times_plan(now, work, 4 * MAY_MS * MS);
	gap = wait_for_window(5e5);
	assert_true(gap >= 400 * MS && gap <= 1201 * MS);
	/* A cheap one has no shorter one. */
	window_times_plan(now, work, 0);
	gap = wait_for_window(5e5);
	assert_true(gap >= 100 * MS && gap <= 301 * MS);
}

TEST(a_program_that_stops_launching_has_windows_four_times_as_rarely)
{
	uint64_t gap;

	now += 100 * MS;
	work += 100 * 5e5;
	for (int i = 0; i < 20; i++) {
		window_times_plan(now, work, 0);
		gap = wait_for_window(0);
		assert_true(gap >= 400 * MS && gap <= 1201 * MS);
	}
	/* What one has cost is paid for by launches: 30 ms, all but 18, by 1.5 %. */
	window_times_plan(now, work, 10 * MAY_MS * MS);
	gap = wait_for_window(5e5);
	assert_true(gap >= 800 * MS);
}

/* A tenth of a second of launches in each 1.6; a window opens between them and meets the next. */
TEST(a_program_that_launches_in_bursts_pays_for_windows_by_its_bursts)
{
	unsigned windows = 0, bursts = 100;

	for (; now < BEGIN + bursts * 1600 * MS; now += MS) {
		bool bursting = now / MS % 1600 < 100;

		work += bursting ? 1e6 : 0;
		window_times_pass(now, work);
		if (!window_times_are_due(now, work) || !bursting)
			continue;
		windows++;
		window_times_plan(now, work, 4 * MAY_MS * MS);
	}
	/* A burst pays 1.5 % of 150 ms, a pause of 50 ms included: 2.25 ms. */
	assert_int_equal(windows * 4 * MAY_MS, 228);
}

TEST(what_windows_may_owe_is_six_times_what_one_may_cost)
{
	/* 21 ms are to be paid for, and 18 may be: after 200 ms of launches. */
	window_times_plan(now, work, 7 * MAY_MS * MS);
	for (int i = 0; i < 40; i++) {
		assert_false(window_times_are_due(now + 100000 * MS, work + 1e12));
		now += 5 * MS;
		window_times_pass(now, work += 1000);
	}
	assert_true(window_times_are_due(now + 100000 * MS, work + 1e12));
}

TEST(a_burst_has_windows_twice_as_often_at_most)
{
	uint64_t gap;

	for (int i = 0; i < 20; i++) {
		window_times_start(now, SHARE, 7 + (unsigned)i);
		now += 100 * MS;
		work = 100 * 5e5;
		window_times_plan(now, work, MAY_MS * MS);
		work += 1e9;
		gap = wait_for_window(0);
		assert_true(gap >= 50 * MS && gap <= 151 * MS);
	}
}

/* A second of much work and one of a quarter of that: four of five launches are made in the first.
 */
TEST(launches_of_all_phases_are_met_alike)
{
	unsigned met[2] = {0};

	now += 100 * MS;
	work += 62.5e6;
	window_times_plan(now, work, MAY_MS * MS);
	for (; now < 1000000 * MS; now += MS) {
		unsigned slow = now / MS / 1000 % 2;

		work += slow ? 0.25e6 : 1e6;
		window_times_pass(now, work);
		if (!window_times_are_due(now, work))
			continue;
		met[slow]++;
		window_times_plan(now, work, MAY_MS * MS);
	}
	assert_true(met[0] + met[1] > 4000);
	assert_true(fabs((double)met[0] / (met[0] + met[1]) - 0.8) < 0.02);
}

/* Its average follows what the program does now. */
TEST(a_program_that_works_more_than_before_has_windows_by_its_new_average)
{
	uint64_t sum = 0;

	for (int i = 0; i < 1000; i++) {
		window_times_plan(now, work, MAY_MS * MS);
		sum += wait_for_window(i < 500 ? 5e4 : 5e5) * (i >= 800);
	}
	assert_true(sum / 200 > 170 * MS && sum / 200 < 215 * MS);
}

TEST(a_window_closes_after_its_time_with_one_more_launch)
{
	/* The first one's is 4 ms. */
	assert_false(window_times_are_over(3 * MS, 10, 0));
	assert_false(window_times_are_over(4 * MS, 10, 0));
	assert_false(window_times_are_over(5 * MS, 10, 0));
	assert_true(window_times_are_over(6 * MS, 11, 0));
	window_times_plan(now, 11, 0);
	/* Or once it has taken a second more. */
	assert_false(window_times_are_over(1003 * MS, 20, 0));
	assert_true(window_times_are_over(1004 * MS, 20, 0));
	window_times_plan(now, 20, 0);
	/* Or cost four times what it may. */
	assert_false(window_times_are_over(MS, 20, 4 * MAY_MS * 1e6 - 1));
	assert_true(window_times_are_over(MS, 20, 4 * MAY_MS * 1e6));
}

static bool is_over_after(uint64_t open)
{
	bool over = window_times_are_over(open, 1, 0);

	assert_false(over);
	over = window_times_are_over(open, 2, 0);
	window_times_plan(now, 2, 0);
	return over;
}

TEST(a_window_is_as_long_as_its_part_of_the_budget_allows)
{
	/* 4 ms that cost four times what they may: halfway to a quarter. */
	window_times_adapt(4 * MAY_MS * 1e6);
	assert_false(is_over_after(2 * MS - 1000));
	assert_true(is_over_after(2 * MS));
	/* One without launches may be twice as long. */
	window_times_adapt(0);
	assert_false(is_over_after(4 * MS - 1000));
	assert_true(is_over_after(4 * MS));
	for (int i = 0; i < 10; i++)
		window_times_adapt(0);
	assert_false(is_over_after(50 * MS - 1000));
	assert_true(is_over_after(50 * MS));
	for (int i = 0; i < 10; i++)
		window_times_adapt(100 * MAY_MS * 1e6);
	assert_false(is_over_after(MS - 1000));
	assert_true(is_over_after(MS));
}

TEST(without_a_budget_the_next_window_is_far)
{
	uint64_t gap;

	window_times_start(now, 0, 7);
	now += 100 * MS;
	work += 100 * 5e5;
	window_times_plan(now, work, MAY_MS * MS);
	gap = wait_for_window(0);
	assert_true(gap == 5000 * MS);
}
