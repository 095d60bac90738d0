/* SPDX-License-Identifier: MIT */
/* For test_drain.c alone: threads, CUPTI, a clock, and who takes what was drained. */
#ifndef KTIME_TESTS_UNIT_DRAIN_NEIGHBOURS_H
#define KTIME_TESTS_UNIT_DRAIN_NEIGHBOURS_H

/* clang-format off: before all that reads the clock. */
#include "tests/sim/clock/virtual_clock.h"
/* clang-format on */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "preload/base/settings.h"
#include "preload/collector/calls.h"
#include "preload/collector/drain.h"
#include "preload/collector/match.h"
#include "preload/collector/records.h"
#include "preload/recording/rows.h"
#include "preload/events/event_pool.h"
#include "preload/launch/thread.h"
#include "preload/metrics/metrics.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"
#include "preload/timeline/timeline.h"
#include "tests/unit/made_run.h"

#define MS	1000000ull
#define BUFFERS 3 /* with records, at each drain that finds some */

bool mode_events, mode_runtime_records, mode_driver_records;

static struct thread threads[3];
static struct event_pool pool;
static struct event_pair pair = {.pool = &pool};
static uint64_t ticks, now, each_reading;
static bool ticks_follow; /* they are the nanoseconds */

uint64_t clock_ticks(void)
{
	return ticks;
}

/* In place of the kernel's. */
int clock_read(clockid_t clock, struct timespec *time);
int clock_read(clockid_t clock, struct timespec *time)
{
	(void)clock;
	now += each_reading;
	if (ticks_follow)
		ticks = now;
	time->tv_sec = (time_t)(now / 1000000000);
	time->tv_nsec = (long)(now % 1000000000);
	return 0;
}

struct thread *thread_first(void)
{
	return &threads[0];
}

/* What was taken, in order: letters of the threads; of other calls, of what they are. */
static char taken[100];
static struct call_record last;

static void note(char letter)
{
	size_t length = strlen(taken);

	if (length + 1 < sizeof(taken))
		taken[length] = letter;
}

static bool is(const char *calls_expected)
{
	bool same = strcmp(taken, calls_expected) == 0;

	if (!same)
		printf("%s, not %s\n", taken, calls_expected);
	memset(taken, 0, sizeof(taken));
	return same;
}

void calls_take(const struct thread *thread, const struct call_record *record)
{
	last = *record;
	note((char)('a' + (thread - threads)));
}

void calls_take_counts(struct thread *thread)
{
	note((char)('A' + (thread - threads)));
}

static unsigned ranges_drained, fed, lost_records, settled_records;

void ranges_drain(void)
{
	ranges_drained++;
}

void timeline_call(struct thread *thread, const struct call_record *record)
{
	assert_non_null(thread);
	assert_non_null(record);
	fed++;
}

enum host_call_kind api_host_call(unsigned api)
{
	return api == 7 ? HOST_CALL_WAIT : HOST_CALL_NONE;
}

static enum metrics_part part;

enum metrics_part metrics_part_of(const struct thread *thread, const struct call_record *record)
{
	assert_non_null(thread);
	assert_non_null(record);
	return part;
}

static unsigned row_of_calls;

void rows_add_calls(unsigned api, uint64_t calls)
{
	assert_int_equal(calls, 1);
	row_of_calls = api;
}

/* CUPTI. */
static bool active, ended, due, realtime, matches;
static uint64_t dropped, unread;
size_t calls_expected;
static size_t arrived;
static unsigned flushes, forced_flushes;

bool cupti_active(void)
{
	return active;
}

bool cupti_ended(void)
{
	return ended;
}

bool kinds_withdrawn(void)
{
	return false;
}

bool cupti_clock_is_realtime(void)
{
	return realtime;
}

uint64_t cupti_dropped(void)
{
	note('d');
	return dropped;
}

static size_t bytes_queued;

size_t buffers_queued(void)
{
	return bytes_queued;
}

uint64_t cupti_unread(void)
{
	return unread;
}

int cupti_flush(bool forced)
{
	flushes++;
	forced_flushes += forced;
	return 0;
}

/* The second thread's call ends after this number of readings of the clock. */
static unsigned call_lasts;

size_t cupti_drain(void (*before)(bool first),
		   void (*consume)(const struct activity *activity, void *argument), void *argument)
{
	assert_ptr_equal(consume, records_take);
	assert_null(argument);
	for (unsigned i = 0; arrived && i < BUFFERS; i++)
		before(i == 0);
	return arrived;
}

void records_take(const struct activity *activity, void *unused)
{
	(void)activity;
	(void)unused;
}

bool records_calls_are_late;

void records_settle(void)
{
	settled_records++;
}

void records_finish(void)
{
	note('f');
}

bool recording_matches(void)
{
	return matches;
}

bool recording_wants_flush(uint64_t time)
{
	assert_int_equal(time, ticks);
	return due;
}

size_t matcher_expire(uint64_t before)
{
	assert_true(before == UINT64_MAX);
	lost_records++;
	return 0;
}

bool matcher_trusts_clock;
static uint64_t oldest_call, oldest_graph, settled;

uint64_t matcher_oldest(void)
{
	return oldest_call;
}

uint64_t graph_launches_open_since(uint64_t time)
{
	return oldest_graph < time ? oldest_graph : time;
}

void timeline_settle(uint64_t until)
{
	settled = until;
}

static int start(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		memset(&threads[i], 0, offsetof(struct thread, operation_calls));
		threads[i].ring.records = threads[i].records;
		threads[i].ring.tail = &threads[i].ring_tail;
		atomic_store(&threads[i].ring_tail, 0);
		threads[i].next = i < 2 ? &threads[i + 1] : NULL;
	}
	run.scale = (struct clock_scale){.ns_per_tick = 1};
	if (make_run(0))
		return -1;
	run.header->cupti_active = 1;
	memset(taken, 0, sizeof(taken));
	memset(&pool, 0, sizeof(pool));
	ranges_drained = fed = lost_records = settled_records = flushes = forced_flushes = 0;
	part = METRICS_NONE;
	row_of_calls = 0;
	active = matches = realtime = true;
	ended = due = matcher_trusts_clock = false;
	mode_events = mode_runtime_records = mode_driver_records = false;
	dropped = unread = 0;
	calls_expected = arrived = 0;
	call_lasts = 0;
	each_reading = 0;
	bytes_queued = 0;
	ticks_follow = false;
	oldest_call = oldest_graph = UINT64_MAX;
	settled = 0;
	/* Long after whatever the test before did. */
	now += 100000 * MS;
	ticks = now;
	return 0;
}

static int stop(void **state)
{
	(void)state;
	session_close(run.session);
	return 0;
}

static void call_at(unsigned thread, uint64_t started)
{
	struct call_record *slot = ring_slot(&threads[thread].ring);

	assert_non_null(slot);
	*slot = (struct call_record){.started = started, .api = 3, .pair = &pair};
	ring_publish(&threads[thread].ring);
}

#endif
