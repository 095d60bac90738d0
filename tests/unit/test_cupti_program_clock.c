/* SPDX-License-Identifier: MIT */
/* A program that gives CUPTI a clock of its own, as PyTorch's profiler does, beside ktime. */
#include <time.h>

#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/program.h"
#include "preload/base/clock.h"
#include "preload/hooks/cupti_symbols.h"
#include "tests/unit/cupti_in_child.h"
#include "tests/unit/test.h"

#define KERNEL CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
#define MARKER CUPTI_ACTIVITY_KIND_MARKER
/* When the program begins, on CUPTI's clock and its own. */
#define BEGIN  1800000000000000000u
#define TICKS  5000u

static const struct cupti_settings settings = {.graph_nodes = true};

static uint64_t realtime = BEGIN;
static CUpti_ActivityKernel10 kernel;
static CUpti_ActivityMarker2 marker;
static uint64_t kernel_start_of_ktime;

/* In the kernel's place: nothing of what is tested may hang on when it runs. */
int clock_read(clockid_t clock, struct timespec *now)
{
	(void)clock;
	now->tv_sec = (time_t)(realtime / 1000000000u);
	now->tv_nsec = (long)(realtime % 1000000000u);
	return 0;
}

/* Two and a half ticks a nanosecond. */
static uint64_t ticks(void)
{
	return TICKS + (realtime - BEGIN) * 5 / 2;
}

static uint64_t other_ticks(void)
{
	return realtime - BEGIN;
}

static void requested(uint8_t **buffer, size_t *size, size_t *most_records)
{
	static _Alignas(8) uint8_t memory[8][2048];
	static unsigned requests;

	*buffer = memory[requests++ % 8];
	*size = sizeof(memory[0]);
	*most_records = 0;
}

static void completed(CUcontext context, uint32_t stream_id, uint8_t *buffer, size_t size,
		      size_t valid)
{
	CUpti_Activity *record = NULL;

	(void)context;
	(void)stream_id;
	(void)size;
	while (!library_functions()->cuptiActivityGetNextRecord(buffer, valid, &record))
		if (record->kind == KERNEL)
			memcpy(&kernel, record, sizeof(kernel));
		else if (record->kind == MARKER)
			memcpy(&marker, record, sizeof(marker));
}

static void start_program(void)
{
	assert_int_equal(cuptiActivityRegisterCallbacks(requested, completed), CUPTI_SUCCESS);
	assert_int_equal(cuptiActivityEnable(KERNEL), CUPTI_SUCCESS);
	assert_int_equal(cuptiActivityEnable(MARKER), CUPTI_SUCCESS);
}

static int start_ktime(void)
{
	char reason[512];

	return cupti_start(&settings, reason, sizeof(reason));
}

static void take(const struct activity *activity, void *argument)
{
	(void)argument;
	if (activity->kind == ACTIVITY_KERNEL)
		kernel_start_of_ktime = activity->start;
}

/* A kernel from 1 to 3 us after the beginning, and a marker at 1 ms. */
static void record_and_flush(struct sim_cupti *cupti)
{
	CUpti_ActivityKernel10 ran = {.kind = KERNEL, .start = BEGIN + 1000, .end = BEGIN + 3000};
	CUpti_ActivityMarker2 marked = {.kind = MARKER, .timestamp = BEGIN + 1000000};

	cupti_now = BEGIN;
	cupti->record(&ran, sizeof(ran));
	cupti->record(&marked, sizeof(marked));
	realtime = BEGIN + 50000000;
	assert_int_equal(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
}

static void expect_ticks(void)
{
	assert_int_equal(kernel.start, TICKS + 2500);
	assert_int_equal(kernel.end, TICKS + 7500);
	assert_int_equal(kernel.completed, 0); /* unknown, and so it stays */
	assert_int_equal(marker.timestamp, TICKS + 2500000);
}

CHILD_TEST(ktimes_records_stay_in_nanoseconds_and_the_programs_are_in_its_ticks)
{
	struct sim_cupti *cupti = load_cupti();
	uint64_t now = 0;

	cupti_now = BEGIN;
	assert_int_equal(start_ktime(), 0);
	assert_int_equal(cuptiActivityRegisterTimestampCallback(ticks), CUPTI_SUCCESS);
	assert_null(cupti->clock);
	start_program();
	record_and_flush(cupti);
	expect_ticks();
	cupti_drain(NULL, take, NULL);
	assert_int_equal(kernel_start_of_ktime, BEGIN + 1000);
	assert_int_equal(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
	assert_int_equal(now, ticks());
}

CHILD_TEST(a_clock_that_was_there_first_makes_way_for_cuptis_own)
{
	struct sim_cupti *cupti = load_cupti();

	cupti_now = BEGIN;
	assert_int_equal(cuptiActivityRegisterTimestampCallback(ticks), CUPTI_SUCCESS);
	assert_ptr_equal(cupti->clock, ticks);
	assert_int_equal(start_ktime(), 0);
	assert_int_equal(cupti->clock(), realtime);
	start_program();
	record_and_flush(cupti);
	expect_ticks();
}

CHILD_TEST(a_collection_that_does_not_start_leaves_the_programs_clock)
{
	struct sim_cupti *cupti = load_cupti();
	uint64_t now = 0;

	cupti_now = BEGIN;
	assert_int_equal(cuptiActivityRegisterTimestampCallback(ticks), CUPTI_SUCCESS);
	cupti->refused_kind = KERNEL;
	assert_int_equal(start_ktime(), -EIO);
	assert_ptr_equal(cupti->clock, ticks);
	assert_int_equal(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
	assert_int_equal(now, BEGIN); /* the library's own answer */
}

CHILD_TEST(setting_the_same_clock_again_keeps_what_is_known_of_its_rate)
{
	struct sim_cupti *cupti = load_cupti();

	cupti_now = BEGIN;
	assert_int_equal(start_ktime(), 0);
	assert_int_equal(cuptiActivityRegisterTimestampCallback(ticks), CUPTI_SUCCESS);
	start_program();
	realtime = BEGIN + 50000000;
	assert_int_equal(cuptiActivityRegisterTimestampCallback(ticks), CUPTI_SUCCESS);
	record_and_flush(cupti);
	expect_ticks();
}

/* Threads read both clocks side by side: one that was slower comes with older readings. */
CHILD_TEST(a_reading_that_comes_too_late_is_left_out)
{
	struct sim_cupti *cupti = load_cupti();

	cupti_now = BEGIN;
	assert_int_equal(start_ktime(), 0);
	assert_int_equal(cuptiActivityRegisterTimestampCallback(ticks), CUPTI_SUCCESS);
	start_program();
	realtime = BEGIN + 50001000;
	program_clock_read();
	record_and_flush(cupti); /* 1 us before */
	expect_ticks();
}

CHILD_TEST(another_clock_takes_the_place_of_the_first)
{
	struct sim_cupti *cupti = load_cupti();

	cupti_now = BEGIN;
	assert_int_equal(start_ktime(), 0);
	assert_int_equal(cuptiActivityRegisterTimestampCallback(ticks), CUPTI_SUCCESS);
	assert_int_equal(cuptiActivityRegisterTimestampCallback(other_ticks), CUPTI_SUCCESS);
	start_program();
	record_and_flush(cupti);
	assert_int_equal(kernel.start, 1000);
	assert_int_equal(kernel.end, 3000);
}

CHILD_TEST(finalize_ends_the_programs_clock_too)
{
	load_cupti();
	cupti_now = BEGIN;
	assert_int_equal(start_ktime(), 0);
	assert_int_equal(cuptiActivityRegisterTimestampCallback(ticks), CUPTI_SUCCESS);
	assert_int_equal(cuptiFinalize(), CUPTI_SUCCESS);
	assert_null(program_clock());
}

TEST(a_time_is_converted_by_the_rate_between_two_readings)
{
	struct clock_reading earlier = {.cupti = BEGIN, .program = 100};
	struct clock_reading later = {.cupti = BEGIN + 1000, .program = 2200};
	struct clock_reading stepped_back = {.cupti = BEGIN - 5, .program = 90};

	assert_int_equal(program_clock_at(&earlier, &later, BEGIN), 100);
	assert_int_equal(program_clock_at(&earlier, &later, BEGIN + 500), 1150);
	assert_int_equal(program_clock_at(&earlier, &later, BEGIN + 2000), 4300);
	/* Nothing is known of the rate: a nanosecond each. */
	assert_int_equal(program_clock_at(&earlier, &earlier, BEGIN + 7), 107);
	assert_int_equal(program_clock_at(&earlier, &stepped_back, BEGIN + 2), 97);
}
