/* SPDX-License-Identifier: MIT */
#include "preload/events/event_pool.h"

#include <math.h>

#include "cupti/cupti.h"
#include "preload/base/budget.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/events/calibration.h"
#include "preload/handles/operation.h"

/* Length of a sampling window, after which the thresholds are set anew. The first ones are shorter,
 * as all calls get a pair in the first window with calls. Chosen. */
#define WINDOW_NS	   20000000u
#define FIRST_WINDOW_NS	   1000000u
#define FIRST_WINDOWS	   10
/* Every operation gets a pair around each of its first calls. Chosen. */
#define FIRST_PAIRS	   8u
/* The minimum sampling rate: one event pair per this many nanoseconds, whatever the budget, to keep
 * the check of CUPTI alive. Chosen: 100 pairs a second cost 0.05 %. */
#define MINIMUM_RATE_NS	   10000000u
/*
 * The period over which call rates are averaged, in nanoseconds: AVERAGE_NS for rare operations. An
 * operation with enough calls in a window is followed quickly when its rate rises and slowly when
 * it falls. Otherwise work that comes in bursts, say one request every second or two, would look
 * rare at the start of each burst, and all calls there would get a pair. Chosen.
 */
#define AVERAGE_NS	   200000000.0
#define RISING_NS	   50000000.0
#define FALLING_NS	   2000000000.0
#define SIGNIFICANT_CALLS  8
/* Longer pauses in which nothing is launched, in nanoseconds, do not count as time: after them a
 * program is taken to go on as before, or its bursts would be slowed down by what the pauses have
 * saved. As for windows (recording.c). */
#define PAUSE_NS	   50000000u

/*
 * For this many nanoseconds a run timed by events alone is sampled more than the budget allows in
 * the long run, twice as much in all, falling with the root of the time. Else a run of a few
 * milliseconds would have pairs around its first calls and hardly any others, which say nothing of
 * how later calls differ. The chance of a pair falls with the root of the number of calls, as it
 * does when a pool gets empty (event_pool.h). Chosen.
 */
#define START_NS	   500000000.0
/*
 * A budget of the user's holds from the first call on. What event pairs may have cost grows with
 * the root of the time up to this many nanoseconds, and in proportion to the time from then on. An
 * operation gets a pair for certain around its very first call alone (else its row would have no
 * time), not around FIRST_PAIRS of them; what these first pairs cost beyond the budget, later calls
 * go without. Chosen: pairs of a run of 25 ms may cost 1.4 times BUDGET_OF_PAIRS.
 */
#define STRICT_START_NS	   50000000.0
#define STRICT_FIRST_PAIRS 1u
/* What making a pair takes, as a part of what using one does: 1.6 us (H200). */
#define MAKING_PAIR	   0.24

/*
 * What a count-only launch takes of the host, in nanoseconds: 109 instructions with the draw, and
 * within what two runs differ by (some 20 ns, H200). Without CUPTI pairs get no more than that
 * leaves of the budget, which is less than their part beyond 300,000 launches a second and
 * thread with a budget of 1 %.
 */
#define COUNTED_LAUNCH_NS  20.0

/* Of this run, for the collector. */
static struct {
	uint64_t window_start, launched; /* launched: the last end of a window with calls */
	unsigned windows;
	uint64_t active;     /* nanoseconds of windows */
	uint64_t cupti_seen; /* nanoseconds that CUPTI has added to the run */
	double cupti_rate;   /* what CUPTI adds, as a fraction of the wall time */
	double pairs_seen;
	double credit; /* pairs that a budget of the user's has paid for and that are not used */
} sampling;

static uint32_t threshold_of(double fraction)
{
	return fraction >= 1 ? SAMPLE_ALL : (uint32_t)(fraction * (double)UINT32_MAX);
}

/*
 * The limit on each operation's pairs per nanosecond with which all operations together have no
 * more than `allowed`: rare operations get a pair around every call, frequent ones share what is
 * left.
 */
static double rate_limit_of(double allowed, double most)
{
	double low = 0, high = most;

	/* 30 halvings: to a billionth of the range. */
	for (int i = 0; i < 30; i++) {
		double middle = (low + high) / 2, sum = 0;

		operations_for_each (operation)
			sum += operation->rate < middle ? operation->rate : middle;
		if (sum > allowed)
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* The part of the wall time that event pairs may take, where a thread launches `calls` times a
 * nanosecond; 0 or less if what else ktime does takes the budget. */
static double part_of_pairs(double calls)
{
	double part = budget_of(plan_is_cupti()	 ? BUDGET_OF_CHECKS
				: cupti_active() ? BUDGET_OF_PAIRS_BESIDE
						 : BUDGET_OF_PAIRS);
	double left = budget_of(BUDGET_WHOLE) - sampling.cupti_rate -
		      (cupti_active() ? 0 : calls * COUNTED_LAUNCH_NS);

	return part < left ? part : left;
}

static bool is_strict(void)
{
	return budget_is_given() && !plan_is_cupti();
}

/* The time, in nanoseconds, for which a budget of the user's has paid pairs after the run has
 * lasted `time` nanoseconds: see STRICT_START_NS. */
static double paid(double time)
{
	return time < STRICT_START_NS ? sqrt(STRICT_START_NS * time) : time;
}

/* How many pairs were used since the last call; making a new pair counts as MAKING_PAIR of a pair.
 */
static double pairs_used(void)
{
	double pairs = (double)run.header->counters[COUNTER_event_pairs] +
		       MAKING_PAIR * (double)run.header->counters[COUNTER_events_created] / 2;
	double used = pairs - sampling.pairs_seen;

	sampling.pairs_seen = pairs;
	return used;
}

/*
 * How many pairs a nanosecond there may be from now on, by how many there were, and how many their
 * share of the time pays for. What was not used is kept for half a window at most: bursts are paid
 * for by themselves.
 */
static double within_budget(double share, double used, uint64_t elapsed)
{
	double now = (double)sampling.active;

	sampling.credit += share * (paid(now) - paid(now - (double)elapsed)) - used;
	LOWER(sampling.credit, share * WINDOW_NS / 2);
	return (sampling.credit + share * (paid(now + WINDOW_NS) - paid(now))) / WINDOW_NS;
}

/* Sets the thresholds. Both in calls per nanosecond of all operations together: how many may have a
 * pair, and how many there are. */
static void set_thresholds(double allowed, double most)
{
	double limit = allowed < most ? rate_limit_of(allowed, most) : most;
	unsigned first = is_strict() ? STRICT_FIRST_PAIRS : FIRST_PAIRS;

	operations_for_each (operation) {
		double fraction = 1;

		if (operation->pairs >= first && operation->rate > limit)
			fraction = limit / operation->rate;
		store_relaxed(&operation->sample_below, threshold_of(fraction));
	}
}

static double weight_of(uint64_t elapsed, double period)
{
	double weight = (double)elapsed / period;

	/* In the first windows there is no history yet: a plain average. */
	RAISE(weight, 1.0 / sampling.windows);
	return weight > 1 ? 1 : weight;
}

static double averaged_over(double rate, double now, uint64_t elapsed)
{
	if ((rate > now ? rate : now) * (double)elapsed < SIGNIFICANT_CALLS)
		return AVERAGE_NS;
	return now > rate ? RISING_NS : FALLING_NS;
}

/* Updates the call rates with those of the window that ends now; returns their sum. */
static double follow_rates(uint64_t elapsed)
{
	double sum = 0;

	operations_for_each (operation) {
		double now = (double)operation->window_calls / (double)elapsed;
		double period = averaged_over(operation->rate, now, elapsed);

		operation->rate += weight_of(elapsed, period) * (now - operation->rate);
		operation->window_calls = 0;
		sum += operation->rate;
	}
	return sum;
}

void sampling_start(uint64_t now)
{
	sampling.window_start = sampling.launched = now;
	sampling.windows = 0;
	sampling.active = 0;
	sampling.cupti_seen = 0;
	sampling.cupti_rate = 0;
	sampling.pairs_seen = sampling.credit = 0;
	if (run.settings.events == EVENTS_FRACTION)
		operation_first_sampling(threshold_of(1.0 / run.settings.events_fraction));
}

void sampling_update(uint64_t now, unsigned threads)
{
	uint64_t elapsed = now - sampling.window_start;
	uint64_t calls = 0, cupti;
	double allowed, least, most, used;

	if (elapsed < (sampling.windows < FIRST_WINDOWS ? FIRST_WINDOW_NS : WINDOW_NS))
		return;
	sampling.window_start = now;
	operations_for_each (operation)
		calls += operation->window_calls;
	/* The short windows are for the first calls, not for CUDA's initialisation before them. */
	if (sampling.windows == 0 && calls == 0)
		return;
	if (calls > 0)
		sampling.launched = now;
	if (now - sampling.launched > PAUSE_NS) {
		LOWER(sampling.credit, 0);
		return;
	}
	sampling.windows++;
	sampling.active += elapsed;
	used = pairs_used();
	cupti = run.header->counters[COUNTER_cupti_added_ns];
	sampling.cupti_rate +=
		weight_of(elapsed, AVERAGE_NS) *
		((double)(cupti - sampling.cupti_seen) / (double)elapsed - sampling.cupti_rate);
	sampling.cupti_seen = cupti;
	most = follow_rates(elapsed);
	if (!launch_state.events || run.settings.events != EVENTS_AUTO)
		return;
	allowed = part_of_pairs(most / threads) /
		  (EVENT_PAIR_HOST_NS + EVENT_PAIR_GPU_NS + (threads - 1) * EVENT_PAIR_THREAD_NS);
	if (is_strict())
		allowed = within_budget(allowed > 0 ? allowed : 0, used, elapsed);
	else if (!plan_is_cupti() && (double)sampling.active < START_NS)
		allowed *= sqrt(START_NS / (double)sampling.active);
	least = 1.0 / MINIMUM_RATE_NS;
	set_thresholds(allowed > least ? allowed : least, most);
}
