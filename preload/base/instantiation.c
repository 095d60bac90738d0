/* SPDX-License-Identifier: MIT */
#include "preload/base/instantiation.h"

#include <stdatomic.h>
#include <stdint.h>

#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/lifecycle_state.h"

/* The longest that a thread waits for the collector, which may be busy with a flush. Then the graph
 * is made with the kind on, which costs and breaks nothing. Chosen. */
#define WAIT_NS 20000000u

/* Threads wait for one of the last three. */
enum { KIND_ON, KIND_IN_WINDOW, KIND_STAYS_ON, KIND_OFF, KIND_STAYS_OFF };

static void (*wake)(void);
static _Atomic bool watched;
static _Atomic unsigned ever, count;
static _Atomic uint32_t state;
static __thread bool counted __attribute__((tls_model("initial-exec")));

static uint32_t state_now(void)
{
	return atomic_load_explicit(&state, memory_order_acquire);
}

/* Waits while the kind is on and can be turned off, or else until it is on or another thread needs
 * it off. */
static void wait_while(bool on)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), end = now + WAIT_NS;

	for (; now < end && lifecycle_running(); now = clock_ns(CLOCK_MONOTONIC)) {
		uint32_t seen = state_now();

		if (on ? seen > KIND_IN_WINDOW : seen != KIND_OFF || instantiation_count() > 0)
			break;
		wake();
		futex_wait(&state, seen, end - now);
	}
}

void instantiation_update_begin(void)
{
	if (state_now() != KIND_IN_WINDOW)
		instantiation_begin();
}

void instantiation_begin(void)
{
	if (!lifecycle_running())
		return;
	atomic_store_explicit(&ever, 1, memory_order_relaxed);
	if (!atomic_load_explicit(&watched, memory_order_acquire))
		return;
	/* Counted still if an instantiation before never returned. */
	if (counted)
		return;
	counted = true;
	/* Sequentially consistent, here and in instantiation_tell(): either the collector sees this
	 * thread's graph, or this thread sees that the kind is on, and wakes the collector. */
	atomic_fetch_add(&count, 1);
	wait_while(true);
}

void instantiation_end(void)
{
	if (!counted)
		return;
	counted = false;
	atomic_fetch_sub(&count, 1);
	wait_while(false);
}

void instantiation_watch(void (*the_wake)(void))
{
	wake = the_wake;
	atomic_store_explicit(&watched, true, memory_order_release);
}

bool instantiation_ever(void)
{
	return atomic_load_explicit(&ever, memory_order_relaxed);
}

unsigned instantiation_count(void)
{
	return atomic_load(&count);
}

static void tell(uint32_t now)
{
	if (atomic_exchange(&state, now) != now)
		futex_wake(&state);
}

void instantiation_tell(bool off, bool windows)
{
	tell(windows ? (off ? KIND_STAYS_OFF : KIND_IN_WINDOW) : (off ? KIND_OFF : KIND_ON));
}

void instantiation_stays_on(void)
{
	tell(KIND_STAYS_ON);
}
