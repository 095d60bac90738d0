/* SPDX-License-Identifier: MIT */
#include "preload/budget.h"

#include "preload/control.h"
#include "preload/operation.h"

/* The thresholds follow the program this often; at the start sooner, when all calls get a pair. */
#define WINDOW_NS	   20000000u
#define FIRST_WINDOW_NS	   1000000u
#define FIRST_WINDOWS	   10
/* Every operation keeps full coverage up to so many pairs. */
#define FIRST_PAIRS	   8u
/* Beyond the budget one pair in so many nanoseconds keeps the check alive. */
#define FLOOR_NS	   10000000u
/*
 * How far back the rates of calls reach. One that is called often enough for a window to tell is
 * followed soon when it rises and late when it falls: of work that comes in bursts, a request a
 * second, all calls of each burst's first windows would have a pair, as if it were rare.
 */
#define RATE_NS		   200000000.0
#define RISING_NS	   50000000.0
#define FALLING_NS	   1000000000.0
#define TELLING_CALLS	   8

/*
 * What a pair is known to add (H200, driver 580, CUDA 13.0): 1.6 us of the host's time in two
 * records, and, between kernels that follow each other at once, the device waits 2 us at each.
 */
#define PAIR_HOST_NS	   1600u
#define PAIR_GPU_NS	   3500u
/* What CUPTI adds to a launch there: 0.5 to 1.1 us in twelve runs of the benchmark, 0.8 in most. */
#define CUPTI_HOST_NS	   800u

/*
 * The figures above are medians of one machine's: aiming below the budget keeps others within it.
 * Beside CUPTI, which times every call, events are a check, and a hundredth is enough for that.
 */
#define SHARE_OF_BUDGET	   0.4
#define SHARE_BESIDE_CUPTI 0.01

static uint64_t window_start;
static unsigned windows;
static double calls_rate; /* of all operations, a nanosecond */

static uint32_t threshold_of(double fraction)
{
	return fraction >= 1 ? SAMPLE_ALL : (uint32_t)(fraction * (double)UINT32_MAX);
}

/*
 * The most pairs in a nanosecond that each operation may have so that all together have no more
 * than `allowed`: rare kernels keep every call, frequent ones share what is left.
 */
static double level_of(double allowed, double most)
{
	double low = 0, high = most;

	for (int i = 0; i < 30; i++) {
		double middle = (low + high) / 2, sum = 0;

		for (const struct operation *operation = operation_first(); operation;
		     operation = operation->next)
			sum += operation->rate < middle ? operation->rate : middle;
		if (sum > allowed)
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* `allowed` and `most` in calls a nanosecond: of pairs, and of all operations together. */
static void set_thresholds(double allowed, double most)
{
	double level = allowed < most ? level_of(allowed, most) : most;

	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		double own = 1;

		if (operation->pairs >= FIRST_PAIRS && operation->rate > level)
			own = level / operation->rate;
		atomic_store_explicit(&operation->sample_below, threshold_of(own),
				      memory_order_relaxed);
	}
}

static double weight_of(uint64_t elapsed, double reach)
{
	double weight = (double)elapsed / reach;

	/* At the start there is nothing to remember. */
	if (weight < 1.0 / windows)
		weight = 1.0 / windows;
	return weight > 1 ? 1 : weight;
}

static double reach_of(double rate, double now, uint64_t elapsed)
{
	if ((rate > now ? rate : now) * (double)elapsed < TELLING_CALLS)
		return RATE_NS;
	return now > rate ? RISING_NS : FALLING_NS;
}

/* Follows how often each operation is called; returns the rates' sum. */
static double follow_rates(uint64_t elapsed)
{
	double sum = 0;

	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		double now = (double)operation->window_calls / (double)elapsed;
		double reach = reach_of(operation->rate, now, elapsed);

		operation->rate += weight_of(elapsed, reach) * (now - operation->rate);
		operation->window_calls = 0;
		operation->window_pairs = 0;
		sum += operation->rate;
	}
	return sum;
}

void budget_start(uint64_t now)
{
	window_start = now;
	windows = 0;
	calls_rate = 0;
	if (control_options.events == EVENTS_FRACTION)
		operation_first_sampling(threshold_of(1.0 / control_options.events_fraction));
}

void budget_update(struct session *session, uint64_t now)
{
	uint64_t elapsed = now - window_start;
	uint64_t calls = 0, pairs = 0;
	double allowed, spent, least, most;

	if (elapsed < (windows < FIRST_WINDOWS ? FIRST_WINDOW_NS : WINDOW_NS))
		return;
	window_start = now;
	for (const struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		calls += operation->window_calls;
		pairs += operation->window_pairs;
	}
	/* The short windows are for when the work begins, not for the start of CUDA before it. */
	if (windows == 0 && calls == 0)
		return;
	windows++;
	session_count(session, COUNTER_gpu_ns, pairs * PAIR_GPU_NS);
	if (session_header(session)->cupti_active)
		session_count(session, COUNTER_cupti_ns, calls * CUPTI_HOST_NS);
	calls_rate += weight_of(elapsed, RATE_NS) * ((double)calls / (double)elapsed - calls_rate);
	most = follow_rates(elapsed);
	if (!control_events || control_options.events != EVENTS_AUTO)
		return;
	/* From here on in parts of the wall time, and so per nanosecond. */
	spent = session_header(session)->cupti_active ? calls_rate * CUPTI_HOST_NS : 0;
	allowed = control_options.budget / 100 * (spent > 0 ? SHARE_BESIDE_CUPTI : SHARE_OF_BUDGET);
	if (spent + allowed > control_options.budget / 100)
		allowed = 0;
	allowed /= PAIR_HOST_NS + PAIR_GPU_NS;
	least = 1.0 / FLOOR_NS;
	set_thresholds(allowed > least ? allowed : least, most);
}
