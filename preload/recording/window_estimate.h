/* SPDX-License-Identifier: MIT */
/*
 * The total of work that was recorded in windows: some milliseconds each, by chance. The
 * units are launches of a graph, or of a kernel by itself, and how many there were is known
 * exactly. Those between two windows are taken to be like the two, as programs go through phases;
 * how much two neighbours differ says how exact that is (collapsed strata). For the collector
 * thread only.
 */
#ifndef KTIME_PRELOAD_RECORDING_WINDOW_ESTIMATE_H
#define KTIME_PRELOAD_RECORDING_WINDOW_ESTIMATE_H

#include <stdint.h>

#include "report/session/estimate.h"

/* What the windows have recorded of one kind of unit, such as the launches of one kernel. */
struct window_units {
	/* Units recorded at times that were not chosen by chance: they stand for themselves. */
	double certain;
	double covered; /* units up to the last random window */
	double before;	/* units before the recording began that no window stands for yet */
	/* Sum of their squares, window by window; the first one's if nothing came before it. */
	double squares, first_squared;
	uint64_t windows;
	/* For the degrees of freedom: each difference of neighbours weighs as the square of what
	 * it covers. Sum of the squared weights, and of the products of neighbours. */
	double weight, weight_squares, weight_products;
};

/* The time of one part of each unit, such as one kernel in each launch of a graph; in nanoseconds.
 */
struct window_times {
	double certain;
	double total;	    /* of the units covered */
	double last;	    /* a unit's mean in the last window */
	double differences; /* sum of the squared standard errors of `total` */
};

/* Adds a random window, `covers` units after the one before it: first for its units, and then for
 * the times of every part, each with a unit's mean. */
void window_units_add(struct window_units *units, double covers);
void window_times_add(struct window_times *times, const struct window_units *units, double covers,
		      double mean);

/* The total of `all` units. error is 0 if every unit was recorded, and NAN if there are too few
 * windows; total is 0 if nothing was recorded. `squares` is not set. */
struct estimated window_estimate(const struct window_units *units, const struct window_times *times,
				 double all);
/*
 * The same if the units are of several sorts: how many there are of each is known, so what differs
 * between sorts makes nothing uncertain (stratification).
 */
struct window_strata {
	double units;		/* of the sorts that were added */
	double total, variance; /* ns; ns^2: the square of half of the interval's width */
	double uncertain;	/* number of units of sorts that have too few windows */
};

/* Adds a sort of units, by the windows in which only that sort was launched. A sort without records
 * is left out. */
void window_strata_add(struct window_strata *strata, const struct window_units *units,
		       const struct window_times *times, double all);
/*
 * The total of `all` units. Units of sorts with too few windows are taken to be as uncertain as one
 * window of all units, and units of sorts that were not added to be like the average of all.
 * Returns `of_all`, the estimate without sorts, unless this one is much more certain: the sorts may
 * not differ.
 */
struct estimated window_strata_estimate(const struct window_strata *strata,
					const struct window_units *units,
					const struct window_times *times, double all,
					const struct estimated *of_all);

#endif
