/* SPDX-License-Identifier: MIT */
#include "preload/events/sampling.h"

#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/events/event_overhead.h"
#include "preload/handles/operation.h"

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
 * followed soon when it rises and late when it falls: of work that comes in bursts, a request in a
 * second or two, all calls of each burst's first windows would have a pair, as if it were rare.
 */
#define RATE_NS		   200000000.0
#define RISING_NS	   50000000.0
#define FALLING_NS	   2000000000.0
#define TELLING_CALLS	   8

/*
 * What a pair costs is known by medians of one machine's: aiming below the budget keeps others
 * within it. Beside CUPTI, which times every call, events are a check, and a hundredth is enough
 * for that.
 */
#define SHARE_OF_BUDGET	   0.4
#define SHARE_BESIDE_CUPTI 0.01

static uint64_t window_start;
static unsigned windows;
static uint64_t cupti_seen; /* of what CUPTI has added to the run, ns */
static double cupti_rate;   /* of what it adds, as a part of the wall time */

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
		sum += operation->rate;
	}
	return sum;
}

void sampling_start(uint64_t now)
{
	window_start = now;
	windows = 0;
	cupti_seen = 0;
	cupti_rate = 0;
	if (settings.events == EVENTS_FRACTION)
		operation_first_sampling(threshold_of(1.0 / settings.events_fraction));
}

void sampling_update(struct session *session, uint64_t now)
{
	const struct session_header *header = session_header(session);
	uint64_t elapsed = now - window_start;
	uint64_t calls = 0, cupti;
	double allowed, least, most;

	if (elapsed < (windows < FIRST_WINDOWS ? FIRST_WINDOW_NS : WINDOW_NS))
		return;
	window_start = now;
	for (const struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		calls += operation->window_calls;
	/* The short windows are for when the work begins, not for the start of CUDA before it. */
	if (windows == 0 && calls == 0)
		return;
	windows++;
	cupti = header->counters[COUNTER_cupti_added_ns];
	cupti_rate += weight_of(elapsed, RATE_NS) *
		      ((double)(cupti - cupti_seen) / (double)elapsed - cupti_rate);
	cupti_seen = cupti;
	most = follow_rates(elapsed);
	if (!mode_events || settings.events != EVENTS_AUTO)
		return;
	/* From here on in parts of the wall time, and so per nanosecond. */
	allowed = settings.budget / 100 * (mode_is_cupti() ? SHARE_BESIDE_CUPTI : SHARE_OF_BUDGET);
	if (cupti_rate + allowed > settings.budget / 100)
		allowed = 0;
	allowed /= EVENT_PAIR_HOST_NS + EVENT_PAIR_GPU_NS;
	least = 1.0 / FLOOR_NS;
	set_thresholds(allowed > least ? allowed : least, most);
}
