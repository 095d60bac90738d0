/* SPDX-License-Identifier: MIT */
#include "preload/launch/window.h"

#include <errno.h>
#include <pthread.h>

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/run.h"
#include "preload/base/settings.h"

/* How many changes are remembered, for records that come up to some seconds late. Chosen. */
#define CHANGES	   1024u
/* How long a window of --every is unless --duration says. */
#define DURATION_S 1.0

_Atomic bool window_open;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* When the window opened or closed, alternately: CLOCK_REALTIME in nanoseconds. */
static uint64_t changes[CHANGES];
static _Atomic unsigned change_count;
/* CLOCK_MONOTONIC in nanoseconds; 0: never. */
static uint64_t deadline, opens, closes;
static uint64_t duration, every; /* nanoseconds; 0: none */
static double seconds;
static bool ended;

/* Longer than that, 31 years, is never. */
#define SECONDS_MOST 1e9

static uint64_t nanoseconds(double given)
{
	return given > 0 ? (uint64_t)((given < SECONDS_MOST ? given : SECONDS_MOST) * 1e9) : 0;
}

/* What a launch may do without a call record, in count_only_blocks. */
static int blocks(bool on)
{
	if (on)
		return mode_counting ? 0 : 1;
	return mode_counting_outside ? COUNT_ONLY_OUTSIDE : 1;
}

void window_start(const struct window_plan *plan)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool on = plan->from_start && !(plan->delay > 0);

	seconds = plan->timeout;
	deadline = seconds > 0 ? now + nanoseconds(seconds) : 0;
	every = plan->from_start ? nanoseconds(plan->every) : 0;
	duration = nanoseconds(every && !(plan->duration > 0) ? DURATION_S : plan->duration);
	if (plan->from_start && !on)
		opens = now + nanoseconds(plan->delay);
	else
		opens = every ? now + every : 0;
	closes = on && duration ? now + duration : 0;
	atomic_store_explicit(&window_open, on, memory_order_relaxed);
	mode_begun = on || !settings_begin_later();
	count_only_block(blocks(on));
}

bool window_stays_open(void)
{
	return every && duration >= every;
}

static void change_locked(bool on)
{
	if (ended || window_is_open() == on)
		return;
	changes[change_count % CHANGES] = clock_ns(CLOCK_REALTIME);
	change_count++;
	mode_begun |= on;
	atomic_store_explicit(&window_open, on, memory_order_relaxed);
	count_only_block(blocks(on) - blocks(!on));
}

static void change(bool on)
{
	pthread_mutex_lock(&lock);
	change_locked(on);
	pthread_mutex_unlock(&lock);
}

void window_set(bool on)
{
	/* In a forked child the lock may be held for ever. */
	if (lifecycle_running())
		change(on);
}

int window_command(bool on, uint64_t open_ns)
{
	if (ended)
		return -EALREADY;
	opens = every = 0;
	closes = on && open_ns ? clock_ns(CLOCK_MONOTONIC) + open_ns : 0;
	change(on);
	return 0;
}

bool window_is_due(void)
{
	return opens && clock_ns(CLOCK_MONOTONIC) >= opens;
}

/* On the collector thread, which may be here before ktime runs: it would not come again. */
static void follow_plan(uint64_t now)
{
	if (opens && now >= opens) {
		change(true);
		closes = duration ? now + duration : 0;
		/* A process that was stopped does not make up for the windows of that time. */
		opens = every ? opens + every * ((now - opens) / every + 1) : 0;
	} else if (closes && now >= closes) {
		change(false);
		closes = 0;
	}
}

void window_update(void)
{
	follow_plan(clock_ns(CLOCK_MONOTONIC));
	if (!deadline || clock_ns(CLOCK_MONOTONIC) < deadline)
		return;
	/* Nothing is due any more: CUPTI would be started for it. */
	deadline = opens = closes = 0;
	pthread_mutex_lock(&lock);
	change_locked(false);
	ended = true;
	pthread_mutex_unlock(&lock);
	session_note(run.session,
		     "Profiling ended %g s after the driver's initialisation (--timeout).",
		     seconds);
}

bool window_was_open(uint64_t realtime)
{
	unsigned kept;
	bool on;

	pthread_mutex_lock(&lock);
	on = window_is_open();
	kept = change_count < CHANGES ? change_count : CHANGES;
	for (unsigned i = 1; i <= kept && realtime < changes[(change_count - i) % CHANGES]; i++)
		on = !on;
	pthread_mutex_unlock(&lock);
	return on;
}

bool window_changed_between(uint64_t start, uint64_t end)
{
	bool changed = false;
	unsigned kept;

	if (atomic_load_explicit(&change_count, memory_order_relaxed) == 0)
		return false;
	pthread_mutex_lock(&lock);
	kept = change_count < CHANGES ? change_count : CHANGES;
	for (unsigned i = 1; i <= kept && !changed; i++) {
		uint64_t change = changes[(change_count - i) % CHANGES];

		changed = change >= start && change <= end;
		if (change < start)
			break;
	}
	pthread_mutex_unlock(&lock);
	return changed;
}
