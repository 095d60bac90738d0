/* SPDX-License-Identifier: MIT */
/*
 * A device's time in parts, of which only some stretches are known in detail (window_use.h), from
 * what is known all the time: how long ago the device got work last, and whether a call has waited
 * for it since. Time of one such sort is taken to be like what was seen of that sort, so the parts
 * of all add up to the whole (post-stratification, ratio estimator).
 */
#ifndef KTIME_PRELOAD_TIMELINE_USE_ESTIMATE_H
#define KTIME_PRELOAD_TIMELINE_USE_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/estimate.h"

/* Ages up to 4 us, each class four times as old as the one before it, the last without an end; and
 * the same since a call waited. Chosen: 4 us is a launch, 0.3 s longer than windows mostly are. */
#define USE_AGES	  10
#define USE_STRATA	  (2 * USE_AGES)
/* Groups that windows are put into in turn; by them the jackknife tells the interval. Chosen: more
 * would make it little narrower. */
#define USE_GROUPS	  16
/* With fewer windows nothing is told. */
#define USE_LEAST_WINDOWS 4

/* The time from a call that gave the device work to the next one. */
struct use_period {
	uint64_t begin, end;
	uint64_t waited; /* when a call had waited for the device, made after `begin`; UINT64_MAX */
	uint64_t done;	 /* the same, for all that it had got, if one stream was used */
	uint32_t call;	 /* the number of the first call */
};

/* Adds the time from `from` to `until`, of which that within the period counts, to its sorts. */
void use_add_time(double sums[USE_STRATA], const struct use_period *period, uint64_t from,
		  uint64_t until);

struct use_whole {
	double whole[USE_STRATA];	     /* how much time of each sort there is */
	double seen[USE_GROUPS][USE_STRATA]; /* how much of it windows have seen */
	unsigned windows;
};

/* What windows have seen of one part of the time, such as busy time. */
struct use_part {
	double seen[USE_GROUPS][USE_STRATA];
};

/* How much of the whole is a part, and half of its 95 % interval; NAN: there are too few windows.
 * `busy`: the part that the device was busy. */
struct estimated use_estimate(const struct use_whole *whole, const struct use_part *part,
			      const struct use_part *busy);

#endif
