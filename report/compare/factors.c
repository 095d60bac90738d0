/* SPDX-License-Identifier: MIT */
#include "report/compare/factors.h"

#include <math.h>

double factors_time(const struct profile_row *row, size_t runs)
{
	return row ? row->total / (double)runs : 0;
}

static double blocks_of(const struct profile_row *row)
{
	return row->blocks / (double)row->launches;
}

/* The bytes of a timed call; NAN: not known of each run. */
static double bytes_of(const struct profile_row *row)
{
	double bytes = 0, calls = 0;

	for (const struct row_run *run = row->runs; run < row->runs + row->run_count; run++) {
		bytes += run->bytes > 0 ? run->bytes : NAN;
		calls += (double)run->calls;
	}
	return bytes / calls;
}

bool factors_of(struct factors *factors, const struct profile_row *a, size_t runs_a,
		const struct profile_row *b, size_t runs_b)
{
	double data, blocks, calls;

	if (!a || !b)
		return false;
	*factors = (struct factors){.time = log(factors_time(b, runs_b) / factors_time(a, runs_a))};
	calls = log((double)b->calls / (double)runs_b / ((double)a->calls / (double)runs_a));
	if (!isfinite(factors->time) || !isfinite(calls))
		return false;
	data = log(bytes_of(b) / bytes_of(a));
	blocks = log(blocks_of(b) / blocks_of(a));
	factors->of[FACTOR_CALLS] = calls;
	if (isfinite(data))
		factors->of[FACTOR_DATA] = data;
	else if (isfinite(blocks))
		factors->of[FACTOR_BLOCKS] = blocks;
	factors->of[FACTOR_SPEED] =
		factors->time - calls - factors->of[FACTOR_DATA] - factors->of[FACTOR_BLOCKS];
	return true;
}

enum factor factors_most(const struct factors *factors)
{
	const double sign = factors->time < 0 ? -1 : 1;
	enum factor most = 0;

	for (unsigned i = 1; i < FACTOR_COUNT; i++)
		if (sign * factors->of[i] > sign * factors->of[most])
			most = i;
	return most;
}
