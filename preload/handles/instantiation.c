/* SPDX-License-Identifier: MIT */
#include "preload/handles/instantiation.h"

#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/lifecycle_state.h"

/* The longest that a thread waits for the collector, which may be busy with a flush. Then the graph
 * is made with the kind on, which costs and breaks nothing. Chosen. */
#define WAIT_NS 20000000u

/* The states of the kernel kind. */
enum { KIND_ON, KIND_IN_WINDOW, KIND_STAYS_ON, KIND_OFF, KIND_STAYS_OFF };

/* What the collector tells of the kernel kind. */
static struct {
	void (*wake)(void);
	_Atomic bool watched;
	_Atomic uint32_t state;
} kind;
_Atomic bool instantiation_ever;
_Atomic unsigned instantiation_count;
static __thread bool is_making __attribute__((tls_model("initial-exec")));

static uint32_t kind_now(void)
{
	return load_acquire(&kind.state);
}

/* Waits while the kind is on and can be turned off, or else until it is on or another thread needs
 * it off. */
static void wait_while(bool on)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), end = now + WAIT_NS;

	for (; now < end && lifecycle_running(); now = clock_ns(CLOCK_MONOTONIC)) {
		uint32_t seen = kind_now();

		if (on ? seen > KIND_IN_WINDOW : seen != KIND_OFF || instantiation_count > 0)
			break;
		kind.wake();
		futex_wait(&kind.state, seen, end - now);
	}
}

void instantiation_update_begin(void)
{
	if (kind_now() != KIND_IN_WINDOW)
		instantiation_begin();
}

void instantiation_begin(void)
{
	if (!lifecycle_running())
		return;
	store_relaxed(&instantiation_ever, true);
	if (!load_acquire(&kind.watched))
		return;
	/* Still set if an earlier instantiation never returned (a longjmp). */
	if (is_making)
		return;
	is_making = true;
	/* Sequentially consistent, here and in instantiation_tell(): either the collector sees this
	 * thread's graph, or this thread sees that the kind is on, and wakes the collector. */
	atomic_fetch_add(&instantiation_count, 1);
	wait_while(true);
}

void instantiation_end(void)
{
	if (!is_making)
		return;
	is_making = false;
	atomic_fetch_sub(&instantiation_count, 1);
	wait_while(false);
}

void instantiation_watch(void (*the_wake)(void))
{
	kind.wake = the_wake;
	store_release(&kind.watched, true);
}

static void tell(uint32_t now)
{
	if (atomic_exchange(&kind.state, now) != now)
		futex_wake(&kind.state);
}

void instantiation_tell(bool off, bool windows)
{
	tell(windows ? (off ? KIND_STAYS_OFF : KIND_IN_WINDOW) : (off ? KIND_OFF : KIND_ON));
}

void instantiation_stays_on(void)
{
	tell(KIND_STAYS_ON);
}
