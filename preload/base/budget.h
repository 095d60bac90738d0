/* SPDX-License-Identifier: MIT */
/*
 * What ktime may add to the run's time, --budget, and who may take which part of it.
 *
 * Without CUPTI event pairs have their part, less what counting takes (events/sampling.c). A budget
 * of the user's holds from the first call on: events begin alone, with few pairs, and CUPTI is
 * started once that fits. Without one the budget bounds what goes on for long, and CUPTI, which is
 * there from the start, records all until graphs make that exceed it.
 */
#ifndef KTIME_PRELOAD_BASE_BUDGET_H
#define KTIME_PRELOAD_BASE_BUDGET_H

#include <math.h>
#include <stdbool.h>

#include "preload/base/run.h"

/* Event pairs, as the only clock: the cost of a pair is known only as a median on one machine; 40 %
 * keeps other machines within the budget too. Chosen. */
#define BUDGET_OF_PAIRS	       0.4
/* Event pairs beside CUPTI, which times some calls only. Chosen. */
#define BUDGET_OF_PAIRS_BESIDE 0.2
/* Event pairs as a check of CUPTI, which times every call. Chosen: enough for that. */
#define BUDGET_OF_CHECKS       0.01
/* CUPTI where it records copies and memsets alone. Chosen: as much as event pairs have without it.
 */
#define BUDGET_OF_STANDING     0.4
/* Starting CUPTI amid the run: of the budget until then. Chosen. */
#define BUDGET_OF_STARTING     0.5
/* CUPTI recording kernels, where all that it costs is within the budget. The rest is for what it
 * costs while it does not record, which nothing takes off: 2.3 % of a graph of 100 empty kernels
 * (H200, CUPTI 13.0). */
#define BUDGET_OF_WINDOWS      0.3
/* All of these together, and CUPTI recording each node of graphs until that is too much. */
#define BUDGET_WHOLE	       1.0

/* What CUPTI's recording has not used of its part in so long, in nanoseconds, it may use later.
 * Chosen. */
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
