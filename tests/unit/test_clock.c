/* SPDX-License-Identifier: MIT */
/* The processor's ticks in nanoseconds, also where the thread loses the processor while it reads
 * the clocks. */
#include <math.h>
#include <time.h>

/* The source itself, with the test's ticks. */
#define clock_ticks clock_ticks_of_processor
#include "preload/base/clock.h"
#undef clock_ticks
static uint64_t clock_ticks(void);
#include "preload/base/clock.c"
#include "tests/unit/test.h"

/* A processor of 3 GHz. */
#define NS_PER_TICK   (1 / 3.0)
#define SINCE_BOOT_NS 5000000000u
#define REALTIME_NS   1700000000000000000u
#define AWAY_NS	      5000000u

/* Since the test's beginning; which readings, counted from 0, the thread loses the processor after:
 * from the first to before the last. */
static uint64_t now;
static unsigned readings, first_away, end_away;

static uint64_t pass_reading(uint64_t nanoseconds)
{
	uint64_t read = now;

	now += nanoseconds;
	if (readings >= first_away && readings < end_away)
		now += AWAY_NS + 1000 * readings;
	readings++;
	return read;
}

static uint64_t clock_ticks(void)
{
	return 777 + 3 * pass_reading(10);
}

int clock_read(clockid_t clock, struct timespec *time)
{
	uint64_t read = pass_reading(20) + (clock == CLOCK_REALTIME ? REALTIME_NS : SINCE_BOOT_NS);

	time->tv_sec = (time_t)(read / 1000000000);
	time->tv_nsec = (long)(read % 1000000000);
	return 0;
}

static struct clock_scale start(unsigned first, unsigned end)
{
	struct clock_scale scale;

	now = readings = 0;
	first_away = first;
	end_away = end;
	clock_scale_start(&scale);
	return scale;
}

/* CLOCK_REALTIME at a moment 10 ms later is right to `most` nanoseconds. */
static void is_right(const struct clock_scale *scale, int64_t most)
{
	uint64_t then = now + 10000000;
	int64_t off = (int64_t)(clock_realtime_at(scale, 777 + 3 * then) - (REALTIME_NS + then));

	if (llabs(off) > most)
		fail_msg("%lld ns off, away after reading %u", (long long)off, first_away);
}

TEST(ticks_become_nanoseconds)
{
	struct clock_scale scale = start(0, 0);

	assert_true(fabs(scale.ns_per_tick / NS_PER_TICK - 1) < 1e-3);
	is_right(&scale, 10000);
	now += 1000000000;
	clock_scale_update(&scale);
	assert_true(fabs(scale.ns_per_tick / NS_PER_TICK - 1) < 1e-7);
	is_right(&scale, 50);
	assert_int_equal(clock_ticks_to_ns(&scale, 3000), 1000);
}

TEST(a_thread_that_loses_the_processor_reads_again)
{
	unsigned at_start;

	start(0, 0);
	at_start = readings;
	for (unsigned away = 0; away < at_start + 4; away++) {
		struct clock_scale scale = start(away, away + 1);

		is_right(&scale, 10000);
		now += 1000000;
		clock_scale_update(&scale);
		is_right(&scale, 1000);
	}
}

/* Then the least interrupted readings count. */
TEST(a_thread_that_loses_it_at_every_reading_goes_on)
{
	struct clock_scale scale = start(0, 0);
	unsigned before;

	now += 1000000000;
	before = readings;
	first_away = readings;
	end_away = UINT32_MAX;
	clock_scale_update(&scale);
	assert_int_equal(readings - before, 3 * 8);
	assert_true(fabs(scale.ns_per_tick / NS_PER_TICK - 1) < 0.01);
}

/* The two clocks are a constant apart, however often the thread loses the processor between them.
 */
TEST(the_clocks_difference_is_read_where_they_were_closest)
{
	const uint64_t apart = REALTIME_NS - SINCE_BOOT_NS;

	start(0, 0);
	assert_int_equal(clock_realtime_offset(), apart);
	for (unsigned away = 0; away < 3; away++) {
		start(0, 0);
		first_away = readings + away;
		end_away = first_away + 1;
		assert_int_equal(clock_realtime_offset(), apart);
	}
	/* Each time: the first reading of the least interrupted try. */
	start(0, 0);
	first_away = readings;
	end_away = UINT32_MAX;
	assert_in_range(clock_realtime_offset(), apart - AWAY_NS, apart + AWAY_NS);
}
