/* SPDX-License-Identifier: MIT */
/* Start/end ranges: which were open when, and how many are told apart. */
#include "preload/base/clock.h"
#include "preload/nvtx/ranges.h"
#include "tests/unit/test.h"

#define PAST 1024u /* see ranges.c */

static const struct range_owner owner = {.kernel_id = 7, .pthread_id = 70};

/* The ranges are those of the process: each test ends what it begins. The paths stay, with the
 * bits that they got. */
static void begin(uint16_t path, uint16_t place, uint64_t time)
{
	assert_true(started_begin(owner, path, place, time));
}

static void end(uint16_t path, uint16_t place, uint64_t begun, uint64_t time)
{
	uint32_t thread = 0;

	assert_true(started_end(path, place, begun, time, &thread));
	assert_int_equal(thread, 7);
}

TEST(a_range_is_open_from_its_begin_to_its_end)
{
	uint16_t place = 0;
	uint64_t time = 0;

	assert_int_equal(started_open(&place, &time), 0);
	assert_int_equal(started_at(1000), 0);
	begin(11, 1, 1000);
	begin(12, 2, 2000);
	assert_int_equal(started_at(999), 0);
	assert_int_equal(started_at(1000), 1);
	assert_int_equal(started_at(2000), 3);
	assert_int_equal(started_path(0), 11);
	assert_int_equal(started_path(1), 12);
	assert_int_equal(started_thread(12), 70);
	assert_int_equal(started_open(&place, &time), 11);
	assert_int_equal(place, 1);
	assert_int_equal(time, 1000);
	end(11, 1, 1000, 3000);
	assert_int_equal(started_at(2999), 3);
	assert_int_equal(started_at(3000), 2);
	assert_int_equal(started_at(1999), 1);
	end(12, 2, 2000, 4000);
	assert_int_equal(started_open(&place, &time), 0);
}

TEST(a_place_whose_end_was_lost_is_used_again)
{
	begin(11, 5, 10000);
	begin(12, 5, 11000);
	assert_int_equal(started_at(12000), 2);
	end(12, 5, 11000, 12000);
	assert_int_equal(started_open(&(uint16_t){0}, &(uint64_t){0}), 0);
}

/* Another thread's ring may be read before that of the thread that began the range. */
TEST(a_range_whose_end_is_noted_before_its_begin_is_as_long)
{
	uint32_t thread = 3;

	begin(12, 6, 19000);
	assert_true(started_end(11, 6, 20000, 22000, &thread));
	assert_int_equal(thread, 3);
	begin(11, 6, 20000);
	assert_int_equal(started_at(21000), 1);
	assert_int_equal(started_at(22000), 0);
	/* Nor is the one that was in the place before, whose end is noted last. */
	assert_int_equal(started_open(&(uint16_t){0}, &(uint64_t){0}), 0);
	assert_true(started_end(12, 6, 19000, 19500, &thread));
	assert_int_equal(started_at(19200), 2);
	assert_int_equal(started_at(19600), 0);
}

/* Two threads' ends may stand in the other order; further back nothing is searched. */
TEST(the_last_ranges_that_ended_are_kept)
{
	const uint64_t slack = clock_some_ticks(10000), first = 1000000 + slack;

	begin(11, 1, first);
	begin(12, 2, first);
	end(11, 1, first, first + 2000);
	end(12, 2, first, first + 1000);
	assert_int_equal(started_at(first + 1500), 1);
	assert_int_equal(started_at(first + 500), 3);
	/* PAST later ones, and those are forgotten. */
	for (uint64_t i = 0; i < PAST; i++) {
		assert_int_equal(started_at(first + 500) & 1, i < PAST - 1);
		begin(12, (uint16_t)i, first + 1000);
		end(12, (uint16_t)i, first + 1000, first + 2000);
	}
	assert_int_equal(started_at(first + 500), 0);
	assert_int_equal(started_at(first + 1500), 2);
}

TEST(so_many_paths_are_told_apart)
{
	const uint64_t time = 1ull << 40;

	/* Two are taken by the tests before. */
	for (uint16_t i = 2; i < STARTED_PATHS; i++) {
		begin(100 + i, i, time);
		assert_int_equal(started_path(i), 100 + i);
	}
	assert_false(started_begin(owner, 99, 99, time));
	assert_false(started_end(99, 99, time, time, &(uint32_t){0}));
	assert_int_equal(started_thread(99), 0);
	assert_int_equal(started_thread(100 + STARTED_PATHS - 1), 70);
	assert_true(started_at(time) == ((uint32_t)((1ull << STARTED_PATHS) - 1) & ~3u));
	for (uint16_t i = 2; i < STARTED_PATHS; i++)
		end(100 + i, i, time, time + 1);
}
