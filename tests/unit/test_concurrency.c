/* SPDX-License-Identifier: MIT */
/* What ran beside an operation and before it, by the order of the activity records. */
#include "preload/collector/cost.h"
#include "preload/events/in_flight.h"
#include "report/session/session.h"
#include "tests/unit/test.h"

/* Each test has a device of its own, as nothing is ever forgotten of one. */
static uint32_t device;

BEFORE_EACH
{
	device++;
}

static void adds(uint32_t context, uint32_t stream, uint64_t start, uint64_t end,
		 struct concurrency expected)
{
	const struct activity activity = {
		.device = device, .context = context, .stream = stream, .start = start, .end = end};
	struct concurrency before = concurrency_add(&activity);

	assert_int_equal(before.overlapped, expected.overlapped);
	assert_int_equal(before.same_stream, expected.same_stream);
	assert_int_equal(before.stream_end, expected.stream_end);
	assert_int_equal(before.device_end, expected.device_end);
}

TEST(one_stream_never_overlaps)
{
	adds(1, 7, 100, 200, (struct concurrency){false, false, 0, 0});
	adds(1, 7, 210, 300, (struct concurrency){false, true, 200, 200});
	/* A dependent launch begins before the end of the one before it. */
	adds(1, 7, 290, 400, (struct concurrency){false, true, 300, 300});
}

TEST(two_streams_overlap_where_both_run)
{
	adds(1, 7, 100, 200, (struct concurrency){false, false, 0, 0});
	adds(1, 8, 200, 300, (struct concurrency){false, false, 0, 200});
	adds(1, 7, 299, 350, (struct concurrency){true, false, 200, 300});
	adds(1, 8, 349, 500, (struct concurrency){true, false, 300, 350});
	/* Within another, which ends last on the device. */
	adds(1, 7, 400, 450, (struct concurrency){true, false, 350, 500});
	adds(1, 8, 500, 600, (struct concurrency){false, true, 500, 500});
	adds(1, 7, 600, 700, (struct concurrency){false, false, 450, 600});
	adds(1, 7, 700, 800, (struct concurrency){false, true, 700, 700});
}

TEST(streams_of_one_number_in_two_contexts_are_two)
{
	adds(1, 7, 100, 200, (struct concurrency){false, false, 0, 0});
	adds(2, 7, 150, 250, (struct concurrency){true, false, 0, 200});
	adds(1, 7, 260, 300, (struct concurrency){false, false, 200, 250});
}

TEST(a_late_record_overlaps_what_ran_beside_it_alone)
{
	adds(1, 7, 1000, 1100, (struct concurrency){false, false, 0, 0});
	/* It came later and ran before. */
	adds(1, 8, 500, 1000, (struct concurrency){false, false, 0, 1100});
	adds(1, 9, 600, 900, (struct concurrency){false, false, 0, 1100});
	/* Beside the second to last. */
	adds(1, 7, 950, 960, (struct concurrency){true, true, 1100, 1100});
}

TEST(the_stream_that_ended_first_gives_way)
{
	for (uint32_t i = 0; i < 32; i++)
		adds(1, 10 + i, 100 + 10 * i, 105 + 10 * i,
		     (struct concurrency){false, false, 0, i ? 95 + 10 * i : 0});
	/* Each of them is known still. */
	adds(1, 41, 1000, 1005, (struct concurrency){false, true, 415, 415});
	adds(1, 10, 1010, 1015, (struct concurrency){false, false, 105, 1005});
	/* A new one takes the place of the second, and of no other. */
	adds(1, 99, 1020, 1025, (struct concurrency){false, false, 0, 1015});
	adds(1, 12, 1030, 1035, (struct concurrency){false, false, 125, 1025});
	adds(1, 10, 1040, 1045, (struct concurrency){false, false, 1015, 1035});
	adds(1, 11, 1050, 1055, (struct concurrency){false, false, 0, 1045});
}

TEST(each_device_is_on_its_own)
{
	adds(1, 7, 100, 200, (struct concurrency){false, false, 0, 0});
	device++;
	adds(1, 7, 150, 250, (struct concurrency){false, false, 0, 0});
	device = SESSION_DEVICES - 1;
	adds(1, 7, 150, 260, (struct concurrency){false, false, 0, 0});
	/* One beyond the last is taken for the first. */
	device = SESSION_DEVICES;
	adds(1, 7, 150, 270, (struct concurrency){false, false, 0, 0});
	device = 0;
	adds(1, 7, 300, 310, (struct concurrency){false, true, 270, 270});
}
