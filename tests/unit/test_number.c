/* SPDX-License-Identifier: MIT */
/* Numbers at the edges that tests/golden does not reach. */
#include "report/sheet/number.h"
#include "tests/unit/test.h"

static char text[NUMBER_SIZE];

TEST(times_keep_the_unit_of_the_raw_value)
{
	assert_string_equal(number_time(text, 0), "0ns");
	assert_string_equal(number_time(text, 999999), "1000.0us");
	assert_string_equal(number_time(text, 999999999), "1000.0ms");
	assert_string_equal(number_time(text, 999999600000), "1000.00s");
	assert_string_equal(number_time(text, 1234567890123), "1.2e+03s");
	assert_string_equal(number_time(text, UINT64_MAX), "1.8e+10s");
}

TEST(times_in_a_given_unit_fill_eight_characters)
{
	assert_string_equal(number_time_in(text, 900000, UNIT_MS), "0.900000");
	assert_string_equal(number_time_in(text, 9000, UNIT_MS), "9.00e-03");
	assert_string_equal(number_time_in(text, 1300000, UNIT_US), "1.30e+03");
	assert_string_equal(number_time_in(text, 650000, UNIT_US), "650.0000");
	assert_string_equal(number_time_in(text, 999, UNIT_NS), "999");
	assert_string_equal(number_time_in(text, 0, UNIT_NS), "0");
}

TEST(csv_has_six_decimals)
{
	assert_string_equal(number_time_csv(text, 4000, UNIT_NS), "4000.000000");
	assert_string_equal(number_time_csv(text, 999, UNIT_NS), "999");
	assert_string_equal(number_time_csv(text, 1, UNIT_S), "0.000000");
	assert_string_equal(number_time_csv(text, 1500, UNIT_US), "1.500000");
}

TEST(sizes_change_their_unit_at_a_thousand)
{
	assert_string_equal(number_size(text, 0), "0B");
	assert_string_equal(number_size(text, 999), "999B");
	assert_string_equal(number_size(text, 1000), "0.9766KB");
	assert_string_equal(number_size(text, 1023999), "1000.0KB");
	assert_string_equal(number_size(text, 1024000), "0.9766MB");
	assert_string_equal(number_size(text, 1099511627776), "1e+03GB");
	assert_string_equal(number_throughput(text, 3725.3 * 1024 * 1024 * 1024), "3725.3GB/s");
	assert_string_equal(number_throughput(text, 9999.5 * 1024 * 1024 * 1024), "9999.5GB/s");
	assert_string_equal(number_throughput(text, 10000.0 * 1024 * 1024 * 1024), "1e+04GB/s");
	assert_string_equal(number_throughput(text, 999), "999.000B/s");
}

TEST(sizes_in_a_given_unit_fill_eight_characters)
{
	assert_string_equal(number_size_in(text, 999, SIZE_B), "999");
	assert_string_equal(number_size_in(text, 1000, SIZE_B), "1.00e+03");
	assert_string_equal(number_size_in(text, 0, SIZE_B), "0");
	assert_string_equal(number_size_in(text, 0, SIZE_KB), "0.00e+00");
	assert_string_equal(number_size_in(text, 10, SIZE_KB), "9.77e-03");
	assert_string_equal(number_size_in(text, 0.01 * 1024 * 1024, SIZE_MB), "0.010000");
	assert_string_equal(number_size_in(text, 512, SIZE_KB), "0.500000");
	assert_string_equal(number_size_in(text, 1536, SIZE_KB), "1.500000");
	assert_string_equal(number_size_in(text, 1000 * 1024, SIZE_KB), "1.00e+03");
	assert_string_equal(number_size_csv(text, 1536, SIZE_B), "1536");
	assert_string_equal(number_size_csv(text, 1536, SIZE_KB), "1.500000");
}

TEST(counts_are_grouped)
{
	assert_string_equal(number_count(text, 0), "0");
	assert_string_equal(number_count(text, 999), "999");
	assert_string_equal(number_count(text, 1000), "1,000");
	assert_string_equal(number_count(text, 1234567), "1,234,567");
	assert_string_equal(number_count(text, UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(sentences_have_two_or_three_digits)
{
	assert_string_equal(number_about(text, 0, 2), "0 ns");
	assert_string_equal(number_about(text, 999, 2), "999 ns");
	assert_string_equal(number_about(text, 999999, 3), "1.00 ms");
	assert_string_equal(number_about(text, 99960, 3), "100 us");
	assert_string_equal(number_about(text, 9940, 2), "9.9 us");
	assert_string_equal(number_about(text, 228900000, 3), "229 ms");
	assert_string_equal(number_about(text, 9950, 2), "10 us");
	assert_string_equal(number_about(text, 9990, 3), "9.99 us");
	assert_string_equal(number_about(text, 9995, 3), "10.0 us");
	assert_string_equal(number_about(text, 9996, 3), "10.0 us");
	assert_string_equal(number_about(text, 99400, 2), "99 us");
	assert_string_equal(number_about(text, 99600, 2), "100 us");
	assert_string_equal(number_about(text, 99900, 3), "99.9 us");
	assert_string_equal(number_about(text, 99950, 3), "100 us");
	assert_string_equal(number_about(text, 100000, 3), "100 us");
	assert_string_equal(number_about(text, 1.5e12, 3), "1500 s");
	assert_string_equal(number_range(text, 20100000, 3900000), "20.1 ± 3.9 ms");
	assert_string_equal(number_range(text, 2900, 196), "2.90 ± 0.20 us");
	assert_string_equal(number_range(text, 500, 20000), "500 ± 20000 ns");
	assert_string_equal(number_bytes_about(text, 0), "0 B");
	assert_string_equal(number_bytes_about(text, 1468006), "1.4 MB");
	assert_string_equal(number_bytes_about(text, 212 << 10), "212 KB");
}
