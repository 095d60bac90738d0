/* SPDX-License-Identifier: MIT */
#include "preload/bias.h"

/* 4 ns wide: events resolve some 30 ns. What lies beyond 33 us is no bias and goes into the last.
 */
#define WIDTH_NS     4
#define BUCKETS	     8192
#define ENOUGH_CLEAN 8

struct differences {
	uint32_t buckets[BUCKETS];
	uint64_t count;
};

static struct differences clean[BIAS_KINDS], gapped[BIAS_KINDS];

/* Found on an H200 with driver 580 (CUDA 13.0), streams busy. */
static uint64_t biases[BIAS_KINDS] = {
	[BIAS_KERNEL] = 2900,	   [BIAS_MEMSET] = 2700, [BIAS_MEMCPY_PINNED] = 3200,
	[BIAS_MEMCPY_DTOD] = 5300, [BIAS_GRAPH] = 2900,
};

static uint64_t median(const struct differences *differences)
{
	uint64_t below = 0;
	unsigned i = 0;

	while (i < BUCKETS - 1 && below + differences->buckets[i] <= differences->count / 2)
		below += differences->buckets[i++];
	return (uint64_t)i * WIDTH_NS;
}

static void update(enum bias_kind kind)
{
	if (clean[kind].count >= ENOUGH_CLEAN || (clean[kind].count && !gapped[kind].count))
		biases[kind] = median(&clean[kind]);
	else if (gapped[kind].count)
		biases[kind] = median(&gapped[kind]);
}

void bias_add(enum bias_kind kind, bool starved, uint64_t nanoseconds)
{
	struct differences *differences = starved ? &gapped[kind] : &clean[kind];
	uint64_t bucket = nanoseconds / WIDTH_NS;

	differences->buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
	differences->count++;
	/* Looked up anew at every power of two: more often would change little. */
	if ((differences->count & (differences->count - 1)) == 0)
		update(kind);
}

uint64_t bias_of(enum bias_kind kind)
{
	return biases[kind];
}

void bias_store(struct session *session)
{
	for (int kind = 0; kind < BIAS_KINDS; kind++) {
		update((enum bias_kind)kind);
		session_header(session)->biases[kind].ns = biases[kind];
		session_header(session)->biases[kind].calls =
			clean[kind].count + gapped[kind].count;
	}
}

/*
 * The bias is best known at the end, and the same for all calls of a kind, so the rows hold what
 * the events said until then. A histogram's buckets are moved by it as a whole.
 */
static void correct(struct session *session, struct figures *figures, uint64_t bias)
{
	struct histogram *histogram = session_histogram(session, figures->histogram);
	struct histogram corrected = {{0}};
	double total = (double)figures->total;

	if (!figures->count)
		return;
	figures->squares += (double)bias * ((double)bias * (double)figures->count - 2 * total);
	figures->total -=
		bias * figures->count < figures->total ? bias * figures->count : figures->total;
	figures->minimum -= bias < figures->minimum ? bias : figures->minimum;
	figures->maximum -= bias < figures->maximum ? bias : figures->maximum;
	for (unsigned i = 0; histogram && i < HISTOGRAM_BUCKETS; i++) {
		uint64_t middle = (histogram_bucket_low(i) + histogram_bucket_high(i)) / 2;

		if (histogram->buckets[i])
			corrected.buckets[histogram_bucket(middle > bias ? middle - bias : 0)] +=
				histogram->buckets[i];
	}
	if (histogram)
		*histogram = corrected;
}

void bias_take_off(struct session *session, enum bias_kind kind, struct row *row)
{
	uint64_t bias = biases[kind];

	/* Pairs that hold the host's work have no bias that could be told apart. */
	if (row->host_included)
		return;
	if (row->checked == 0) {
		row->checked = row->checked_starved = row->starved;
		row->checked_cupti = row->starved_cupti;
		row->checked_raw = row->starved_raw;
	}
	correct(session, &row->events, bias);
	row->checked_events =
		row->checked_raw > bias * row->checked ? row->checked_raw - bias * row->checked : 0;
}
