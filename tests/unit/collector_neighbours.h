/* SPDX-License-Identifier: MIT */
/* For test_collector.c alone: all that the background thread calls, which notes that it was called.
 */
#ifndef KTIME_TESTS_UNIT_COLLECTOR_NEIGHBOURS_H
#define KTIME_TESTS_UNIT_COLLECTOR_NEIGHBOURS_H

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/base/clock.h"
#include "cupti/cupti.h"
#include "cupti/buffers.h"
#include "preload/base/background_thread.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/settings.h"
#include "preload/collector/calls.h"
#include "preload/collector/collector.h"
#include "preload/collector/cost.h"
#include "preload/collector/drain.h"
#include "preload/collector/stream_ends.h"
#include "preload/collector/main_thread.h"
#include "preload/collector/records.h"
#include "preload/recording/rows.h"
#include "preload/events/calibration.h"
#include "preload/events/gates.h"
#include "preload/events/event_pool.h"
#include "preload/events/event_queue.h"
#include "preload/events/sampling.h"
#include "preload/launch/thread.h"
#include "preload/launch/window.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/commands.h"
#include "preload/recording/recording.h"
#include "preload/timeline/timeline.h"
#include "tests/unit/made_run.h"
#include "tests/unit/own_process.h"

#define MS 1000000ull

struct driver driver;
struct options settings;
_Atomic int lifecycle_state = LIFECYCLE_RUNNING;
_Atomic bool mode_cupti;
bool mode_counting, mode_counting_outside;

/* What was done, in order; one word each. */
static char done[4000];
static _Atomic uint64_t now = 1000 * MS; /* two threads read the clock */
static uint64_t each_reading;
static struct context the_context;

static void note(const char *word)
{
	if (strlen(done) + strlen(word) + 2 < sizeof(done)) {
		strcat(done, *done ? " " : "");
		strcat(done, word);
	}
}

static void is(const char *calls_expected)
{
	assert_string_equal(done, calls_expected);
	done[0] = '\0';
}

/* In place of the kernel's. */
int clock_read(clockid_t clock, struct timespec *time)
{
	uint64_t read = atomic_fetch_add(&now, each_reading) + each_reading;

	(void)clock;
	time->tv_sec = (time_t)(read / 1000000000);
	time->tv_nsec = (long)(read % 1000000000);
	return 0;
}

#define NOTES(name, parameters, ...)                                                               \
	void name parameters                                                                       \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
		note(#name);                                                                       \
	}

unsigned cost_threads = 3;

void clock_scale_start(struct clock_scale *scale)
{
	*scale = (struct clock_scale){.monotonic = now, .ns_per_tick = 1};
}

void clock_scale_update(struct clock_scale *scale)
{
	assert_ptr_equal(scale, &run.scale);
	note("scale");
}

int trace_window_close(void)
{
	note("trace_window_close");
	return 0;
}

NOTES(calibration_finish, (const struct context *ending, bool were_queued),
      assert_true(were_queued || !ending), assert_true(!ending || ending == &the_context))

bool rows_were_queued = true;

NOTES(calibration_settle, (void))
NOTES(calls_finish, (void))
NOTES(commands_update, (void))
NOTES(context_gates_end, (struct context * context), assert_ptr_equal(context, &the_context))
NOTES(context_gates_finish, (uint64_t wait), assert_true(wait <= 2000 * MS))
NOTES(context_gates_update, (void))
NOTES(merge_leave, (void))
NOTES(drain_counts, (void))
NOTES(drain_rings, (void))
NOTES(end_marks_set, (void))
NOTES(event_pool_forget_spare, (struct context * context), assert_ptr_equal(context, &the_context))
NOTES(event_pools_free_ended, (void))
NOTES(event_pools_grow, (void))
NOTES(memory_measure, (void))
NOTES(ranges_finish, (void))
NOTES(ranges_reclaim, (uint64_t time), assert_true(time <= now))
NOTES(reclaim_streams, (uint64_t time), assert_true(time <= now))
NOTES(recording_finish, (void))
NOTES(records_finish, (void))
NOTES(sampling_start, (uint64_t time), assert_int_equal(time, run.scale.monotonic))
NOTES(sampling_update, (uint64_t time, unsigned threads), assert_true(time <= now),
      assert_int_equal(threads, 3))
NOTES(timeline_settle, (uint64_t until), assert_true(until == UINT64_MAX))
NOTES(counters_update, (void))

void context_ending(struct context *context)
{
	assert_ptr_equal(context, &the_context);
	atomic_store(&context->ended, true);
	note("context_ending");
}

bool context_use(struct context *context)
{
	assert_null(context);
	note("context_use");
	return true;
}

void event_queue_give_up(const struct context *context, enum event_end end,
			 void (*take)(struct in_flight *operation, enum event_end end))
{
	assert_ptr_equal(take, calls_timed);
	assert_int_equal(end, context ? EVENT_LOST : EVENT_LATE);
	note("give_up");
}

static size_t pending, pending_there;
size_t calls_expected;
static unsigned polls;
static uint64_t poll_until;
/* The number of polls after which nothing is pending. */
static unsigned ends_after;

size_t event_queue_poll(uint64_t until,
			void (*take)(struct in_flight *operation, enum event_end end))
{
	assert_ptr_equal(take, calls_timed);
	poll_until = until;
	if (++polls == ends_after)
		pending = pending_there = 0;
	note("poll");
	return pending;
}

size_t event_queue_pending(const struct context *context)
{
	return context ? pending_there : pending;
}

void calls_timed(struct in_flight *operation, enum event_end end)
{
	(void)operation;
	(void)end;
}

void calls_take_counts(struct thread *thread)
{
	(void)thread;
}

void thread_reap(void (*last)(struct thread *thread))
{
	assert_ptr_equal(last, calls_take_counts);
	note("reap");
}

static bool active, matches = true, marks_reached;
/* The number of drains after which nothing is calls_expected. */
static unsigned drains, drained_after;

bool cupti_active(void)
{
	return active;
}

bool recording_matches(void)
{
	return matches;
}

bool end_marks_reached(void)
{
	note("marks");
	return marks_reached;
}

void drain_records(enum flush flush)
{
	if (++drains == drained_after)
		calls_expected = 0;
	note(flush == FLUSH_NOW ? "drain" : flush == FLUSH_FORCED ? "force" : "drain_if_due");
}

static bool writing;

void commands_writing(bool is_writing)
{
	writing = is_writing;
	note(is_writing ? "[" : "]");
}

static void (*collect)(void);

void commands_start(void (*the_collect)(void))
{
	collect = the_collect;
	note("commands_start");
}

static int thread_error;

static void *(*thread_of_collector)(void *);

int background_thread_start(void *(*function)(void *), const char *name)
{
	assert_true(strncmp(name, "ktime", 5) == 0);
	thread_of_collector = function;
	note("thread");
	return thread_error;
}

void ranges_start(bool (*counts)(uint64_t))
{
	assert_ptr_equal(counts, window_was_open);
	note("ranges_start");
}

bool window_was_open(uint64_t time)
{
	return time;
}

struct row *rows_of(struct operation *operation, int device)
{
	(void)operation;
	(void)device;
	return NULL;
}

int main_thread_start_cupti_later(const struct cupti_settings *cupti, char *reason, size_t size)
{
	(void)cupti;
	(void)reason;
	return (int)size;
}

static const struct cupti_settings late;

void recording_start(void (*wake)(void), const struct cupti_settings *given, cupti_starter starter)
{
	assert_ptr_equal(wake, collector_wake);
	assert_ptr_equal(given, &late);
	assert_ptr_equal(starter, main_thread_start_cupti_later);
	note("recording_start");
}

static unsigned periods, last_period;
static void (*at_period)(unsigned number);
static uint64_t period_asked;

/* The test goes on here, once a period; the last one asks for the end. */
uint64_t recording_update(uint64_t time, uint64_t period)
{
	assert_true(time <= now);
	assert_true(writing);
	period_asked = period;
	note("recording_update");
	if (at_period)
		at_period(++periods);
	if (periods >= last_period)
		collector_ask_finish(false);
	return 0;
}

static bool was_last;

bool main_thread_was_last(uint64_t time)
{
	assert_true(time <= now);
	return was_last;
}

static CUresult exchange_mode(CUstreamCaptureMode *mode)
{
	assert_int_equal(*mode, CU_STREAM_CAPTURE_MODE_RELAXED);
	note("relaxed");
	return CUDA_SUCCESS;
}

static void finish(void)
{
	note("report");
}

/* Each test has a process of its own, in which the thread's function is simply called. */
static void prepare(void)
{
	driver.cuThreadExchangeStreamCaptureMode = exchange_mode;
	assert_int_equal(collector_start(finish), 0);
	is("commands_start ranges_start sampling_start thread");
	collector_begin(&late);
	is("recording_start");
}

#define TEST(name) TEST_IN_CHILD(name, prepare())

#endif
