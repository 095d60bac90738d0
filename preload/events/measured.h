/* SPDX-License-Identifier: MIT */
/* What several measurements of the same say, few of which may be far off. */
#ifndef KTIME_PRELOAD_EVENTS_MEASURED_H
#define KTIME_PRELOAD_EVENTS_MEASURED_H

/* In the unit of the values. */
struct measured {
	double least;  /* the lower quartile */
	double middle; /* the mean of the middle half */
	double error;  /* its standard error, from the quartiles */
};

/* Of four values or more, which it sorts. */
struct measured measured_of(double *values, unsigned count);

#endif
