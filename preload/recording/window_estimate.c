/* SPDX-License-Identifier: MIT */
#include "preload/recording/sums.h"

#include <math.h>

/* With fewer windows there is no interval. */
#define WINDOWS_LEAST 3

/* Without windows, so few missing units that they may be taken as twice or as nothing. Chosen. */
#define FEW_MISSING   0.01

void window_units_add(struct window_units *units, double covers)
{
	double weight = covers * covers;
	bool is_difference = units->windows++ > 0 || units->certain > 0;

	units->covered += covers;
	units->squares += weight;
	if (!is_difference) {
		units->first_squared = weight;
		return;
	}
	units->weight_squares += weight * weight;
	units->weight_products += units->weight * weight;
	units->weight = weight;
}

void window_times_add(struct window_times *times, const struct window_units *units, double covers,
		      double mean)
{
	double before = units->windows > 1   ? times->last
			: units->certain > 0 ? times->certain / units->certain
					     : mean;
	double difference = mean - before;

	/* What rounding leaves of equal means is nothing. */
	if (fabs(difference) > 1e-9 * mean)
		times->differences += covers * covers * difference * difference / 2;
	times->total += covers * (before + mean) / 2;
	times->last = mean;
}

/*
 * A mean of n independent values has a variance from n - 1 degrees of freedom; that from the
 * differences of neighbours has about two thirds of them, since each value is in two differences,
 * and fewer yet if some cover much more than others (Satterthwaite; von Neumann 1941 for equal
 * weights).
 */
static double freedom(const struct window_units *units)
{
	double weights = units->squares - units->first_squared;

	return weights * weights / (units->weight_squares + units->weight_products / 2);
}

/* A cubic in the reciprocal through the quantiles for 1, 1.5, 2 and 3 degrees of freedom, within
 * half a percent between them. */
static double student(double degrees)
{
	double x = 1 / degrees;

	return degrees < 3 ? 1.243211 + x * (7.435633 + x * (13.321719 * x - 9.294358))
			   : estimate_student_95(degrees);
}

/* The error of units whose covers have this sum of squares. */
static double error_of(const struct window_units *units, const struct window_times *times,
		       double squares)
{
	double differing = units->squares - units->first_squared;

	if (units->windows < WINDOWS_LEAST || !(differing > 0))
		return NAN;
	return student(freedom(units)) * sqrt(times->differences * squares / differing);
}

struct estimated window_estimate(const struct window_units *units, const struct window_times *times,
				 double all)
{
	double missing = all - units->certain;
	double before = units->before < missing ? units->before : missing;
	double rest = missing - before - units->covered; /* after the last window */
	struct estimated estimated = {.total = times->certain};
	double mean, more;

	if (missing <= 0)
		return estimated;
	if (!units->windows) {
		mean = units->certain > 0 ? times->certain / units->certain : 0;
		estimated.total += missing * mean;
		estimated.error = missing <= FEW_MISSING * all ? missing * mean : NAN;
		return estimated;
	}
	/* Records may come before their calls are counted: windows may seem to cover more. */
	/* What no window stands for yet is like all of them, and as uncertain. */
	mean = times->total / units->covered;
	more = 1 + before / units->covered;
	estimated.total += rest < 0 ? mean * (missing - before) : times->total;
	rest = rest > 0 ? rest : 0;
	estimated.total += rest * times->last + before * mean;
	/* The first window may have no neighbour before it, and the rest has no window: taken to be
	 * like the others. */
	estimated.error = error_of(units, times, units->squares * more * more + rest * rest);
	return estimated;
}

void window_strata_add(struct window_strata *strata, const struct window_units *units,
		       const struct window_times *times, double all)
{
	struct estimated estimated = window_estimate(units, times, all);

	if (!(estimated.total > 0))
		return;
	strata->units += all;
	strata->total += estimated.total;
	if (isnan(estimated.error))
		strata->uncertain += all;
	else
		strata->variance += estimated.error * estimated.error;
}

struct estimated window_strata_estimate(const struct window_strata *strata,
					const struct window_units *units,
					const struct window_times *times, double all,
					const struct estimated *of_all)
{
	double rest = all - strata->units, uncertain = strata->uncertain + rest;
	struct estimated estimated = *of_all;
	double error = uncertain > 0 ? error_of(units, times, uncertain * uncertain) : 0;

	estimated.error = sqrt(strata->variance + error * error);
	/* More sorts than units: they were counted on several devices. */
	if (!(strata->units > 0) || rest < 0 || !(2 * estimated.error < of_all->error))
		return *of_all;
	estimated.total = strata->total + rest * of_all->total / all;
	return estimated;
}
