/* SPDX-License-Identifier: MIT */
/*
 * The budget (--budget): by how much ktime may lengthen the run, in percent, and which part of that
 * event pairs and CUPTI may use.
 *
 * If the user gave a budget, it holds from the first call on: the run begins with few event pairs,
 * and CUPTI is started once its cost fits. The default budget only bounds costs that last: CUPTI is
 * started with the program and records everything until graphs make that exceed the budget. Without
 * CUPTI, event pairs have their part less the cost of counting launches (events/sampling.c).
 */
#ifndef KTIME_PRELOAD_BASE_BUDGET_H
#define KTIME_PRELOAD_BASE_BUDGET_H

#include <math.h>
#include <stdbool.h>

#include "preload/base/run.h"

/* Event pairs, as the only clock: the cost of a pair is known only as a median on one machine; 40 %
 * keeps other machines within the budget too. Chosen. */
#define BUDGET_OF_PAIRS	       0.4
/* Event pairs once CUPTI was started amid the run, within a budget of the user's: it then records
 * kernels in windows, or none yet. Chosen. */
#define BUDGET_OF_PAIRS_BESIDE 0.2
/* Event pairs as a check of a CUPTI that was there from the first call, or from the first profiling
 * window on; also while it records kernels in windows. Chosen: enough for that. */
#define BUDGET_OF_CHECKS       0.01
/* CUPTI while it records only copies and memsets. Chosen: as much as event pairs have without
 * CUPTI.
 */
#define BUDGET_OF_STANDING     0.4
/* Starting CUPTI while the program runs: a part of the budget of the time until then. Chosen. */
#define BUDGET_OF_STARTING     0.5
/* CUPTI's recording of kernels in windows. The rest is for its cost while it does not record, which
 * ktime cannot lower: 2.3 % of a graph of 100 empty kernels (H200, CUPTI 13.0). */
#define BUDGET_OF_WINDOWS      0.3
/* All of these together, and CUPTI recording each node of graphs until that is too much. */
#define BUDGET_WHOLE	       1.0

/* CUPTI's recording may save up what it has not used of its part, for this many nanoseconds of the
 * run at most. Chosen. */
#define BUDGET_SAVED_NS	       200000000.0

static inline bool budget_is_given(void)
{
	return !isnan(run.settings.budget);
}

static inline double budget_percent(void)
{
	return options_budget(&run.settings);
}

/* The part of the run's time that one of the above may take. */
static inline double budget_of(double part)
{
	return part * (budget_percent() / 100);
}

#endif
