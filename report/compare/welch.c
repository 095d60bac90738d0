/* SPDX-License-Identifier: MIT */
#include "report/compare/welch.h"

#include <math.h>

void sample_add(struct sample *sample, double value)
{
	double distance = value - sample->mean;

	sample->least = sample->count ? fmin(sample->least, value) : value;
	sample->most = sample->count ? fmax(sample->most, value) : value;
	sample->count++;
	sample->mean += distance / (double)sample->count;
	sample->squares += distance * (value - sample->mean);
}

double sample_deviation(const struct sample *sample)
{
	return sample->count > 1 ? sqrt(sample->squares / (double)(sample->count - 1)) : NAN;
}

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

static double square_error(const struct sample *sample)
{
	return sample->squares / (double)(sample->count - 1) / (double)sample->count;
}

static struct welch welch(const struct sample *a, const struct sample *b)
{
	double square_a = square_error(a), square_b = square_error(b);
	double square = square_a + square_b;

	return (struct welch){.error = sqrt(square),
			      .freedom = square * square /
					 (square_a * square_a / (double)(a->count - 1) +
					  square_b * square_b / (double)(b->count - 1))};
}

double welch_probability(const struct sample *a, const struct sample *b)
{
	struct welch test = welch(a, b);

	if (a->mean == b->mean)
		return 1;
	if (test.error <= 0)
		return 0;
	return student_probability((a->mean - b->mean) / test.error, test.freedom);
}

double welch_margin(const struct sample *a, const struct sample *b)
{
	struct welch test = welch(a, b);
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
