/* SPDX-License-Identifier: MIT */
/* What is made of several measurements of the same. */
#include "preload/events/calibration.h"
#include "tests/unit/test.h"

TEST(what_is_far_off_does_not_count)
{
	double values[] = {900, 104, 1, 102, 100, 106, 98, 3000};
	struct measured measured = measured_of(values, 8);

	/* In order 1, 98, 100, 102, 104, 106, 900, 3000. */
	assert_true(measured.least == 100);
	assert_true(measured.middle == 103);
	/* Of 800 between the quartiles. */
	assert_true(measured.error > 230 && measured.error < 231);
}

TEST(four_are_enough)
{
	double values[] = {3300, 3100, 3200, 9000};
	struct measured measured = measured_of(values, 4);

	assert_true(measured.least == 3200);
	assert_true(measured.middle == 3250);
}

TEST(equal_ones_have_no_error)
{
	double values[16];
	struct measured measured;

	for (unsigned i = 0; i < 16; i++)
		values[i] = 1280;
	measured = measured_of(values, 16);
	assert_true(measured.least == 1280 && measured.middle == 1280 && measured.error == 0);
}
