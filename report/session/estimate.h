/* SPDX-License-Identifier: MIT */
/*
 * The total of all calls of a row, estimated from those that the event clock has timed.
 *
 * Calls are timed by chance, and the chance changes during a run: all of the first calls, few of a
 * frequent kernel later. Weighted by the inverse of its chance, each call counts for what it stands
 * for (Hajek's ratio estimator). Some calls that were to be timed are not, many in a row, because
 * no event was free; so each stretch of the run has a mean of its own (post-stratification), and a
 * stretch without times widens the interval by the difference of those beside it.
 */
#ifndef KTIME_REPORT_SESSION_ESTIMATE_H
#define KTIME_REPORT_SESSION_ESTIMATE_H

#include "report/session/session.h"

/* Fewer timed calls say too little of how the others vary: there is no interval. */
#define ESTIMATE_LEAST_TIMED 8

/*
 * Adds a call that is to be timed and stands for `weight` calls, 1 or more; in the order of the
 * calls. Returns its place, to be given to estimate_timed() with its duration. If it is never
 * timed, the call is missing.
 */
uint64_t estimate_call(struct estimate *estimate, double weight);
/* The same for a call whose duration depends on its size. Every call of the row must be added,
 * also those that are not to be timed. */
uint64_t estimate_sized_call(struct estimate *estimate, uint64_t bytes);
/* Makes one stretch of each two: what a longer run comes to by itself. */
void estimate_halve(struct estimate *estimate);
void estimate_timed(struct estimate *estimate, uint64_t place, double weight, uint64_t nanoseconds);
/* Takes back what was timed; the calls stay, missing. */
void estimate_forget_timed(struct estimate *estimate);
/* How many whole calls a call of this weight adds to a histogram; what is left is kept for the
 * next one. */
uint32_t estimate_whole_calls(struct estimate *estimate, double weight);
/* Takes the event-pair overhead off all durations. */
void estimate_take_off(struct estimate *estimate, double nanoseconds);

struct estimated {
	double total;	/* ns, of all calls; 0 if none was timed */
	double squares; /* ns^2: sum of the squared durations of all calls */
	double error;	/* ns: half of the total's 95 % interval; NAN: too few timed calls */
};
struct estimated estimate_of(const struct estimate *estimate, uint64_t calls);

/* The quantile of Student's t for a 95 % interval, for three degrees of freedom or more. */
double estimate_student_95(double freedom);

/* The variance of a sample (n - 1) from its sums; 0 below two values. */
double sample_variance(uint64_t count, double total, double squares);

/*
 * The total of work that was recorded in windows: some milliseconds each, at random times. The
 * units are launches of a graph, or of a kernel by itself, and how many there were is known
 * exactly. Those between two windows are taken to be like the two, as programs go through phases;
 * how much two neighbours differ says how exact that is (collapsed strata).
 */

/* With fewer windows there is no interval. */
#define WINDOWS_LEAST 3

/* Of some kind of unit. */
struct window_units {
	/* Units recorded at times that were not chosen by chance: they stand for themselves. */
	double certain;
	double covered; /* units up to the last random window */
	/* Sum of their squares, window by window; the first one's if nothing came before it. */
	double squares, first_squared;
	uint64_t windows;
};

/* And of a part of each unit, as all launches of one kernel in a graph; nanoseconds. */
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

/* What windows say of all calls of a row; a total of 0 if it has none. */
struct estimated window_estimate_of(const struct row *row, uint64_t calls);

#endif
