/* SPDX-License-Identifier: MIT */
#include "report/compare/factors.h"

#include <math.h>

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

bool factors_of(struct factors *factors, const struct comparison_row *row)
{
	double data, blocks, calls;

	if (!row->a || !row->b)
		return false;
	*factors = (struct factors){.time = log(row->times[1] / row->times[0])};
	calls = log(row->calls[1] / row->calls[0]);
	if (!isfinite(factors->time) || !isfinite(calls))
		return false;
	data = log(bytes_of(row->b) / bytes_of(row->a));
	blocks = log(blocks_of(row->b) / blocks_of(row->a));
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
