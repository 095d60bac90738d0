/* SPDX-License-Identifier: MIT */
/*
 * The total of all calls of a row, estimated from those that the event clock has timed.
 *
 * Calls are timed by chance, and the chance follows the program: all of the first ones, few of what
 * is frequent later. Weighted by the inverse of its chance, each part of the run counts for what it
 * is (Hajek's ratio estimator, with Horvitz and Thompson's variance for independent draws). A bias
 * that may be off is so for all calls alike, and adds to the error as it is.
 */
#ifndef KTIME_REPORT_SESSION_ESTIMATE_H
#define KTIME_REPORT_SESSION_ESTIMATE_H

#include "report/session/session.h"

/* The total of so many calls, ns; *error is half of its 95 % interval. Of no timed calls: 0. */
double estimate_total(const struct estimate *estimate, uint64_t timed, uint64_t calls,
		      double *error);

/* The variance of a sample (n - 1) from its sums; 0 below two values. */
double sample_variance(uint64_t count, double total, double squares);

#endif
