/* SPDX-License-Identifier: MIT */
/*
 * Estimates of rows of many kinds, which a fixed sequence of numbers makes up, to six digits:
 * tests/golden/estimates.txt has them; see golden.h where a change of it is wanted. That they are
 * right is what test_estimate and test_window_estimate show.
 */
#include <math.h>

#include "preload/recording/sums.h"
#include "tests/unit/golden.h"
#include "tests/unit/test.h"

#define ROWS 120

static uint32_t state_of_chance;

static unsigned below(unsigned limit)
{
	state_of_chance = state_of_chance * 1664525 + 1013904223;
	return (state_of_chance >> 16) % limit;
}

static void add_stretch(struct estimate *estimate, uint64_t *calls)
{
	static const double weights[] = {1, 1, 2, 2.5, 10, 64};
	unsigned count = 1 + below(40), kind = below(4);
	double weight = weights[below(6)];
	uint64_t duration = 1000 + 100 * below(50), jitter = below(3) ? 1 + below(400) : 1;

	for (unsigned i = 0; i < count; i++) {
		uint64_t place = estimate_call(estimate, weight);

		*calls += (uint64_t)weight;
		/* One in four stretches has no times, one only a few. */
		if (kind > 1 || (kind == 1 && i % 9 == 0))
			estimate_timed(estimate, place, weight, duration + below((unsigned)jitter));
	}
}

static void add_sizes(struct estimate *estimate, uint64_t *calls)
{
	unsigned classes = 1 + below(5), skipped = below(8);

	for (unsigned i = 0; i < classes; i++) {
		uint64_t bytes = 1ull << below(34);
		unsigned count = 1 + below(30), every = 1 + below(4);

		for (unsigned j = 0; j < count; j++) {
			uint64_t place = estimate_sized_call(estimate, bytes);

			++*calls;
			if (j % every == 0 && i != skipped)
				estimate_timed(estimate, place, every, 500 + bytes / 97 + j);
		}
	}
}

static void write_estimate(unsigned row, FILE *file)
{
	struct estimate estimate = {.shift = 0};
	uint64_t calls = 0;
	struct estimated estimated;

	state_of_chance = row;
	if (below(5) == 0)
		add_sizes(&estimate, &calls);
	else
		for (unsigned count = 1 + below(6); count > 0; count--)
			add_stretch(&estimate, &calls);
	if (below(3) == 0)
		estimate_take_off(&estimate, 10 * below(60));
	if (below(3) == 0)
		estimate.standard_error = below(20);
	if (below(3) == 0)
		calls += below(50);
	estimated = estimate_of(&estimate, calls);
	fprintf(file, "%u: %llu calls, %.6g ± %.6g, %.6g\n", row, (unsigned long long)calls,
		estimated.total, estimated.error, estimated.squares);
	estimate_forget_timed(&estimate);
	estimate.fraction = 0.5;
	estimated = estimate_of(&estimate, calls);
	assert_true(estimated.total == 0 && isnan(estimated.error));
}

static void write_windows(unsigned row, FILE *file)
{
	struct window_units units = {.windows = 0};
	struct window_times times = {.total = 0};
	struct estimated estimated;
	double all = 0;

	state_of_chance = 1000 + row;
	if (below(2)) {
		units.certain = below(40);
		times.certain = units.certain * (double)(900 + below(200));
		all += units.certain;
	}
	for (unsigned count = below(9); count > 0; count--) {
		double covers = 1 + below(90), mean = below(3) ? 1000 + below(200) : 1000;

		window_units_add(&units, covers);
		window_times_add(&times, &units, covers, mean);
		all += covers;
	}
	all += below(4) ? below(30) : 0;
	all -= below(5) ? 0 : below(20);
	estimated = window_estimate(&units, &times, all);
	fprintf(file, "%u: %.0f in %llu windows, %.6g ± %.6g\n", row, all,
		(unsigned long long)units.windows, estimated.total, estimated.error);
}

TEST(estimates_are_as_they_were)
{
	FILE *file = golden_begin();

	for (unsigned row = 0; row < ROWS; row++) {
		write_estimate(row, file);
		write_windows(row, file);
	}
	golden_end("estimates");
}

TEST(forgetting_times_forgets_the_part_of_a_call)
{
	struct estimate estimate = {.shift = 0};

	assert_int_equal(estimate_whole_calls(&estimate, 2.75), 2);
	estimate_forget_timed(&estimate);
	assert_int_equal(estimate_whole_calls(&estimate, 0.5), 0);
	assert_int_equal(estimate_whole_calls(&estimate, 0.5), 1);
}
