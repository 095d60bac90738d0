/* SPDX-License-Identifier: MIT */
/*
 * The total of all calls of a row, estimated from those that the event clock has timed.
 *
 * Calls are timed by chance, and the chance changes during a run: all of the first calls, few of a
 * frequent kernel later. Weighted by the inverse of its chance, each call counts for what it stands
 * for (Hajek's ratio estimator). All calls are counted, so each stretch of the run has a mean of
 * its own and a number of calls that is known (post-stratification): what changes slowly makes
 * nothing uncertain. Some calls that were to be timed are not, many in a row, because no event was
 * free; a stretch without times widens the interval by the difference of those beside it.
 */
#ifndef KTIME_REPORT_SESSION_ESTIMATE_H
#define KTIME_REPORT_SESSION_ESTIMATE_H

#include "report/session/session.h"

/* Fewer timed calls say too little of how the others vary: there is no interval. */
#define ESTIMATE_LEAST_TIMED 8

/*
 * Adds a call that was chosen to be timed. It stands for `weight` calls of its row, 1 or more;
 * `calls` is how many calls the row has so far, this one included. To be called in the order of the
 * calls. Returns the call's place, which estimate_timed() takes together with its duration; a call
 * for which estimate_timed() is never called counts as one whose duration is missing.
 */
uint64_t estimate_call_at(struct estimate *estimate, double calls, double weight);
/* The same where the row's calls are not counted one by one: their number is the sum of the weights
 * so far. */
uint64_t estimate_call(struct estimate *estimate, double weight);
/* The same for a call whose duration depends on its size. Every call of the row must be added,
 * also those that are not to be timed. */
uint64_t estimate_sized_call(struct estimate *estimate, uint64_t bytes);
/* The same for several calls at once, whose sizes are all of one class (below). */
void estimate_sized_calls(struct estimate *estimate, unsigned size_class, uint64_t calls);
/* The class of a size in bytes: the sizes of one class differ by less than a factor of two. */
static inline unsigned estimate_size_class(uint64_t bytes)
{
	unsigned size_class = bytes ? 63 - (unsigned)__builtin_clzll(bytes) : 0;

	return size_class < ESTIMATE_STRATA ? size_class : ESTIMATE_STRATA - 1;
}
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

/* What windows say of all calls of a row, which is nothing if the total is 0; the error may be NAN.
 */
void row_set_windows(struct row *row, double total, double error);
struct estimated window_estimate_of(const struct row *row, uint64_t calls);

/* The value without its fraction. A damaged file holds any: what is below 0 or no number is 0 then,
 * what is beyond 64 bits their maximum. */
static inline uint64_t to_unsigned(double value)
{
	if (value >= 0x1p64)
		return UINT64_MAX;
	return value > 0 ? (uint64_t)value : 0;
}

#endif
