/* SPDX-License-Identifier: MIT */
#include "preload/budget.h"

#include "preload/control.h"
#include "preload/operation.h"

/* The thresholds follow the program this often; at the start sooner, when all calls get a pair. */
#define WINDOW_NS	20000000u
#define FIRST_WINDOW_NS 1000000u
#define FIRST_WINDOWS	10
/* Every operation keeps full coverage up to so many pairs: the rows of rare kernels stay whole. */
#define FIRST_PAIRS	64u
/* Beyond the budget one pair in so many nanoseconds keeps the check of a row alive. */
#define FLOOR_NS	10000000u

/*
 * What a pair is known to add (H200, driver 580, CUDA 13.0): 1.6 us of the host's time in two
 * records, and, between kernels that follow each other at once, the device waits 2 us at each.
 */
#define PAIR_HOST_NS	1600u
#define PAIR_GPU_NS	3500u
/* What CUPTI adds to a launch there. */
#define CUPTI_HOST_NS	440u

/* The figures above are medians of one machine's: aiming below the budget keeps others within it.
 */
#define SHARE_OF_BUDGET 0.5

static uint64_t window_start;
static unsigned windows;

static uint32_t threshold_of(double fraction)
{
	return fraction >= 1 ? SAMPLE_ALL : (uint32_t)(fraction * (double)UINT32_MAX);
}

static double floor_fraction(const struct operation *operation, uint64_t elapsed)
{
	double per_floor = (double)operation->window_calls * FLOOR_NS / (double)elapsed;

	return per_floor > 1 ? 1 / per_floor : 1;
}

/* Sets all thresholds to `fraction`, but never below a row's floor or its first pairs. */
static void set_thresholds(double fraction, uint64_t elapsed)
{
	for (struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		double own = fraction;

		if (operation->window_calls > 0) {
			double least = floor_fraction(operation, elapsed);

			own = own < least ? least : own;
		}
		if (operation->pairs < FIRST_PAIRS)
			own = 1;
		atomic_store_explicit(&operation->sample_below, threshold_of(own),
				      memory_order_relaxed);
		operation->window_calls = 0;
		operation->window_pairs = 0;
	}
}

void budget_start(void)
{
	if (control_options.events == EVENTS_FRACTION)
		operation_first_sampling(threshold_of(1.0 / control_options.events_fraction));
}

void budget_update(struct session *session, const struct clock_scale *scale)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t elapsed = now - (window_start ? window_start : scale->monotonic);
	uint64_t calls = 0, pairs = 0;
	double allowed, spent;

	if (elapsed < (windows < FIRST_WINDOWS ? FIRST_WINDOW_NS : WINDOW_NS))
		return;
	window_start = now;
	windows++;
	for (const struct operation *operation = operation_first(); operation;
	     operation = operation->next) {
		calls += operation->window_calls;
		pairs += operation->window_pairs;
	}
	session_count(session, COUNTER_gpu_ns, pairs * PAIR_GPU_NS);
	if (session_header(session)->cupti_active)
		session_count(session, COUNTER_cupti_ns, calls * CUPTI_HOST_NS);
	if (!control_events || control_options.events != EVENTS_AUTO || calls == 0)
		return;
	allowed = (double)elapsed * control_options.budget / 100 * SHARE_OF_BUDGET;
	spent = session_header(session)->cupti_active ? (double)calls * CUPTI_HOST_NS : 0;
	allowed = allowed > spent ? allowed - spent : 0;
	set_thresholds(allowed / ((double)calls * (PAIR_HOST_NS + PAIR_GPU_NS)), elapsed);
}
