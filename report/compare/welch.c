/* SPDX-License-Identifier: MIT */
#include "report/compare/welch.h"

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

/* The standard error of the difference of two means, and its degrees of freedom. */
struct welch {
	double error, freedom;
};

static struct welch welch(uint64_t count_a, double variance_a, uint64_t count_b, double variance_b)
{
	double square_a = variance_a / (double)count_a, square_b = variance_b / (double)count_b;
	double square = square_a + square_b;

	return (struct welch){.error = sqrt(square),
			      .freedom = square * square /
					 (square_a * square_a / (double)(count_a - 1) +
					  square_b * square_b / (double)(count_b - 1))};
}

double welch_probability(uint64_t count_a, double mean_a, double variance_a, uint64_t count_b,
			 double mean_b, double variance_b)
{
	struct welch test = welch(count_a, variance_a, count_b, variance_b);

	if (mean_a == mean_b)
		return 1;
	if (test.error <= 0)
		return 0;
	return student_probability((mean_a - mean_b) / test.error, test.freedom);
}

double welch_margin(uint64_t count_a, double variance_a, uint64_t count_b, double variance_b)
{
	struct welch test = welch(count_a, variance_a, count_b, variance_b);
	double low = 0, high = 13; /* t is 12.7 with one degree of freedom, and less with more */

	if (test.error <= 0)
		return 0;
	while (high - low > 1e-9) {
		double middle = (low + high) / 2;

		if (student_probability(middle, test.freedom) > 0.05)
			low = middle;
		else
			high = middle;
	}
	return high * test.error;
}
