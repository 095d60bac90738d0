/* SPDX-License-Identifier: MIT */
#include "preload/launch/window.h"

#include <errno.h>
#include <pthread.h>

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"

/* How many changes are remembered, for records that come up to some seconds late. Chosen. */
#define CHANGES	   1024u
/* How long a window of --every is unless --duration says. */
#define DURATION_S 1.0

/* Changed under the lock. */
static struct {
	pthread_mutex_t lock;
	/* When the window opened or closed, alternately: CLOCK_REALTIME in nanoseconds. */
	uint64_t changes[CHANGES];
	_Atomic unsigned change_count;
	/* CLOCK_MONOTONIC in nanoseconds; 0: never. */
	uint64_t deadline, opens, closes;
	uint64_t duration, every; /* nanoseconds; 0: none */
	double seconds;
	bool ended;
} window = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* Longer than that, 31 years, is never. */
#define SECONDS_MOST 1e9

static uint64_t nanoseconds(double given)
{
	return given > 0 ? (uint64_t)((given < SECONDS_MOST ? given : SECONDS_MOST) * 1e9) : 0;
}

void window_start(const struct window_plan *times)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool on = times->from_start && !(times->delay > 0);

	window.seconds = times->timeout;
	window.deadline = window.seconds > 0 ? now + nanoseconds(window.seconds) : 0;
	window.every = times->from_start ? nanoseconds(times->every) : 0;
	window.duration =
		nanoseconds(window.every && !(times->duration > 0) ? DURATION_S : times->duration);
	if (times->from_start && !on)
		window.opens = now + nanoseconds(times->delay);
	else
		window.opens = window.every ? now + window.every : 0;
	window.closes = on && window.duration ? now + window.duration : 0;
	store_relaxed(&launch_state.window_open, on);
	plan_window(on);
}

bool window_stays_open(void)
{
	return window.every && window.duration >= window.every;
}

static void change_locked(bool on)
{
	if (window.ended || window_is_open() == on)
		return;
	window.changes[window.change_count % CHANGES] = clock_ns(CLOCK_REALTIME);
	window.change_count++;
	store_relaxed(&launch_state.window_open, on);
	plan_window(on);
}

static void change(bool on)
{
	pthread_mutex_lock(&window.lock);
	change_locked(on);
	pthread_mutex_unlock(&window.lock);
}

void window_set(bool on)
{
	/* In a forked child the lock may be held for ever. */
	if (lifecycle_running())
		change(on);
}

int window_command(bool on, uint64_t open_ns)
{
	if (window.ended)
		return -EALREADY;
	window.opens = window.every = 0;
	window.closes = on && open_ns ? clock_ns(CLOCK_MONOTONIC) + open_ns : 0;
	change(on);
	return 0;
}

void window_lacks_cupti(void)
{
	pthread_mutex_lock(&window.lock);
	plan_cupti_refused(window_is_open());
	pthread_mutex_unlock(&window.lock);
}

bool window_is_due(void)
{
	return window.opens && clock_ns(CLOCK_MONOTONIC) >= window.opens;
}

/* Opens or closes the window as the plan says. On the collector thread, which may be here before
 * the state is LIFECYCLE_RUNNING: a change must not be skipped for that, as it would not come
 * again. */
static void follow_plan(uint64_t now)
{
	if (window.opens && now >= window.opens) {
		change(true);
		window.closes = window.duration ? now + window.duration : 0;
		/* A process that was stopped does not make up for the windows of that time. */
		window.opens =
			window.every
				? window.opens +
					  window.every * ((now - window.opens) / window.every + 1)
				: 0;
	} else if (window.closes && now >= window.closes) {
		change(false);
		window.closes = 0;
	}
}

void window_update(void)
{
	follow_plan(clock_ns(CLOCK_MONOTONIC));
	if (!window.deadline || clock_ns(CLOCK_MONOTONIC) < window.deadline)
		return;
	/* No window opens any more: CUPTI would be started for it. */
	window.deadline = window.opens = window.closes = 0;
	pthread_mutex_lock(&window.lock);
	change_locked(false);
	window.ended = true;
	pthread_mutex_unlock(&window.lock);
	session_note(run.session,
		     "Profiling ended %g s after the driver's initialisation (--timeout).",
		     window.seconds);
}

bool window_was_open(uint64_t realtime)
{
	unsigned kept;
	bool on;

	pthread_mutex_lock(&window.lock);
	on = window_is_open();
	kept = window.change_count < CHANGES ? window.change_count : CHANGES;
	for (unsigned i = 1;
	     i <= kept && realtime < window.changes[(window.change_count - i) % CHANGES]; i++)
		on = !on;
	pthread_mutex_unlock(&window.lock);
	return on;
}

bool window_changed_between(uint64_t start, uint64_t end)
{
	bool changed = false;
	unsigned kept;

	if (load_relaxed(&window.change_count) == 0)
		return false;
	pthread_mutex_lock(&window.lock);
	kept = window.change_count < CHANGES ? window.change_count : CHANGES;
	for (unsigned i = 1; i <= kept && !changed; i++) {
		uint64_t change = window.changes[(window.change_count - i) % CHANGES];

		changed = change >= start && change <= end;
		if (change < start)
			break;
	}
	pthread_mutex_unlock(&window.lock);
	return changed;
}
