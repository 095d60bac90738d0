/* SPDX-License-Identifier: MIT */
/* Durations find their bucket, and come back from it within 2 %. */
#include "report/session/histogram.h"
#include "tests/unit/test.h"

TEST(buckets_tile_the_whole_range)
{
	unsigned i;

	assert_int_equal(histogram_bucket_low(0), 0);
	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_bucket_low(i), high = histogram_bucket_high(i);

		assert_true(low < high);
		assert_int_equal(histogram_bucket(low), i);
		assert_int_equal(histogram_bucket(high - 1), i);
		if (i + 1 < HISTOGRAM_BUCKETS)
			assert_int_equal(histogram_bucket(high), i + 1);
	}
	assert_int_equal(histogram_bucket_high(HISTOGRAM_BUCKETS - 1), 1ULL << HISTOGRAM_TOP_BIT);
}

TEST(longest_values_share_the_last_bucket)
{
	assert_int_equal(histogram_bucket(1ULL << HISTOGRAM_TOP_BIT), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

TEST(a_percentile_is_within_two_percent)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));
	static const double fractions[] = {0.01, 0.25, 0.5, 0.95, 0.99, 1};
	uint64_t value;
	size_t i;

	assert_non_null(histogram);
	for (value = 1; value <= 100000; value++)
		histogram_add(histogram, value * 10);
	assert_int_equal(histogram_count(histogram), 100000);
	for (i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++) {
		double expected = fractions[i] * 1e6;
		double got = (double)histogram_percentile(histogram, fractions[i]);

		assert_true(got > expected * 0.984 && got < expected * 1.016);
	}
	free(histogram);
}

TEST(few_samples_give_the_nearest_rank)
{
	struct histogram histogram = {.used = {0}};

	assert_int_equal(histogram_percentile(&histogram, 0.5), 0);
	histogram_add(&histogram, 7);
	assert_int_equal(histogram_percentile(&histogram, 0), 7);
	assert_int_equal(histogram_percentile(&histogram, 0.5), 7);
	histogram_add(&histogram, 9);
	assert_int_equal(histogram_percentile(&histogram, 0.5), 7);
	assert_int_equal(histogram_percentile(&histogram, 0.51), 9);
	assert_int_equal(histogram_percentile(&histogram, 1), 9);
}

static uint64_t percentile_of(const struct histogram *histogram, double fraction, uint64_t total,
			      uint64_t minimum, uint64_t maximum, bool is_exact)
{
	const struct samples known = {histogram_count(histogram), total, minimum, maximum};
	bool exact;
	uint64_t value = histogram_percentile_of(histogram, fraction, &known, &exact);

	assert_int_equal(exact, is_exact);
	return value;
}

/* Durations of copies to the host on a real device. */
TEST(percentiles_are_exact_where_least_most_and_sum_tell_them)
{
	struct histogram histogram = {.used = {0}};

	histogram_add(&histogram, 2110000);
	assert_int_equal(percentile_of(&histogram, 0.5, 2110000, 2110000, 2110000, true), 2110000);
	histogram_add(&histogram, 2302800);
	assert_int_equal(percentile_of(&histogram, 0.5, 4412800, 2110000, 2302800, true), 2206400);
	assert_int_equal(percentile_of(&histogram, 0.95, 4412800, 2110000, 2302800, true), 2302800);
	histogram_add(&histogram, 2227200);
	assert_int_equal(percentile_of(&histogram, 0.5, 6640000, 2110000, 2302800, true), 2227200);
	assert_int_equal(percentile_of(&histogram, 0.99, 6640000, 2110000, 2302800, true), 2302800);
	histogram_add(&histogram, 2300000);
	assert_in_range(percentile_of(&histogram, 0.5, 8940000, 2110000, 2302800, false), 2190000,
			2260000);
	assert_int_equal(percentile_of(&histogram, 0.99, 8940000, 2110000, 2302800, true), 2302800);
	/* Without the total, as with that of an estimate, the middle one is not known. */
	histogram.buckets[histogram_bucket(2300000)]--;
	assert_in_range(percentile_of(&histogram, 0.5, 0, 2110000, 2302800, false), 2190000,
			2260000);
}

TEST(samples_of_one_bucket_have_their_mean_as_the_median)
{
	struct histogram histogram = {.used = {0}};

	histogram_add_calls(&histogram, 1001, 4);
	assert_int_equal(percentile_of(&histogram, 0.5, 4004, 1000, 1002, false), 1001);
}

TEST(a_full_bucket_stays_full)
{
	struct histogram histogram = {.used = {0}};

	histogram_add_calls(&histogram, 5, UINT32_MAX);
	histogram_add(&histogram, 5);
	assert_int_equal(histogram.buckets[5], UINT32_MAX);
}

TEST(each_bucket_is_merged_and_none_wraps)
{
	static struct histogram sum, added;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		memset(&added, 0, sizeof(added));
		histogram_add_calls(&added, histogram_bucket_low(i), i + 1);
		histogram_merge(&sum, &added);
		assert_int_equal(histogram_count(&sum), (uint64_t)(i + 1) * (i + 2) / 2);
		assert_int_equal(sum.buckets[i], i + 1);
	}
	added.buckets[HISTOGRAM_BUCKETS - 1] = UINT32_MAX - HISTOGRAM_BUCKETS;
	histogram_merge(&sum, &added);
	assert_int_equal(sum.buckets[HISTOGRAM_BUCKETS - 1], UINT32_MAX);
	added.buckets[HISTOGRAM_BUCKETS - 1] = 1;
	histogram_merge(&sum, &added);
	assert_int_equal(sum.buckets[HISTOGRAM_BUCKETS - 1], UINT32_MAX);
	histogram_merge(&sum, NULL);
	assert_int_equal(sum.buckets[0], 1);
}

TEST(groups_that_are_used_are_marked_and_no_other_is_read)
{
	static struct histogram sum, added;

	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		const unsigned group = i / 16;

		memset(&added, 0, sizeof(added));
		memset(&sum, 0, sizeof(sum));
		histogram_add(&added, histogram_bucket_low(i));
		assert_int_equal(added.used[0], group < 64 ? 1ULL << group : 0);
		assert_int_equal(added.used[1], group < 64 ? 0 : 1ULL << (group - 64));
		/* What no writer leaves: counts of groups that are not marked. */
		added.buckets[(i + 16) % HISTOGRAM_BUCKETS] = 7;
		histogram_merge(&sum, &added);
		assert_int_equal(histogram_count(&sum), 1);
		assert_memory_equal(sum.used, added.used, sizeof(sum.used));
	}
	/* A damaged file marks groups that there are not. */
	memset(&sum, 0, sizeof(sum));
	added.used[0] = added.used[1] = UINT64_MAX;
	histogram_merge(&sum, &added);
	assert_int_equal(histogram_count(&sum), 8);
	assert_int_equal(sum.used[0], UINT64_MAX);
	assert_int_equal(sum.used[1], (1ULL << (HISTOGRAM_GROUPS - 64)) - 1);
}
