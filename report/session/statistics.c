/* SPDX-License-Identifier: MIT */
#include "report/session/statistics.h"

#include <math.h>

/*
 * The continued fraction of the incomplete beta function, by Lentz's method. Source: Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 26.5.8.
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 / fmax(fabs(1 - (a + b) * x / (a + 1)), tiny), fraction = d;

	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double change;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		fraction *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		change = c * d;
		fraction *= change;
		if (fabs(change - 1) < 1e-15)
			break;
	}
	return fraction;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* Of |t| or more, both sides; Abramowitz and Stegun 26.7.1. */
static double student_probability(double t, double freedom)
{
	if (freedom > 1e6) /* as good as normal, and the fraction converges slowly there */
		return erfc(fabs(t) / M_SQRT2);
	return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double welch_probability(uint64_t count_a, double mean_a, double variance_a, uint64_t count_b,
			 double mean_b, double variance_b)
{
	double error_a = variance_a / (double)count_a, error_b = variance_b / (double)count_b;
	double error = error_a + error_b, freedom;

	if (mean_a == mean_b)
		return 1;
	if (error <= 0)
		return 0;
	freedom = error * error /
		  (error_a * error_a / (double)(count_a - 1) +
		   error_b * error_b / (double)(count_b - 1));
	return student_probability((mean_a - mean_b) / sqrt(error), freedom);
}

double rank_sum_probability(const struct histogram *a, const struct histogram *b)
{
	double count_a = (double)histogram_count(a), count_b = (double)histogram_count(b);
	double count = count_a + count_b, below = 0, rank_sum = 0, ties = 0;
	double mean, variance, distance;

	if (count_a == 0 || count_b == 0)
		return 1;
	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		double here = (double)a->buckets[bucket] + b->buckets[bucket];

		/* Ties share the middle of the ranks that they take. */
		rank_sum += a->buckets[bucket] * (below + (here + 1) / 2);
		ties += here * here * here - here;
		below += here;
	}
	mean = count_a * (count + 1) / 2;
	variance = count_a * count_b / 12 * (count + 1 - ties / (count * (count - 1)));
	if (variance <= 0)
		return 1;
	/* Half a rank less, as ranks are whole and the normal distribution is not. */
	distance = fmax(fabs(rank_sum - mean) - 0.5, 0);
	return erfc(distance / sqrt(variance) / M_SQRT2);
}
