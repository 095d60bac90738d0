/* SPDX-License-Identifier: MIT */
#include "preload/collector/drain.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/mode.h"
#include "preload/base/futex.h"
#include "preload/base/rate_limit.h"
#include "preload/collector/records.h"
#include "preload/collector/rows.h"
#include "preload/collector/calls.h"
#include "preload/launch/thread.h"

/*
 * A flush costs the program some 0.1 ms (H200, CUPTI 13.0: kernels of 100 us took 0.2 % longer at
 * one in 50 ms, 0.03 % at one in 200). So it is seldom while work keeps coming, and not at its
 * beginning: full buffers come by themselves. Once no call comes any more, one takes what is left.
 */
#define FLUSH_NS     200000000u
#define QUIET_NS     50000000u
/* How long it waits for calls that are under way, when records came in: some time slices. */
#define CALL_WAIT_NS 10000000u

static struct rate_limit flushing;
/* When, in nanoseconds of CLOCK_MONOTONIC: the last flush, the first calls since, the last ones. */
static uint64_t flushed, first_calls, last_calls;

static uint32_t tail_of(const struct thread *thread)
{
	return atomic_load_explicit(&thread->ring_tail, memory_order_relaxed);
}

/* The threads that have call records now, linked by drain_next. */
static struct thread *threads_with_records(void)
{
	struct thread *first = NULL;

	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		/* Acquire: the records were written before the head moved. */
		thread->drain_end = atomic_load_explicit(&thread->ring.head, memory_order_acquire);
		if (tail_of(thread) == thread->drain_end)
			continue;
		thread->drain_next = first;
		first = thread;
	}
	return first;
}

/* The link to the thread whose next call began first; not of none. */
static struct thread **oldest_record(struct thread **first)
{
	struct thread **oldest = first;
	uint64_t started, oldest_started = UINT64_MAX;

	for (struct thread **link = first; *link; link = &(*link)->drain_next) {
		started = (*link)->ring.records[tail_of(*link) % RING_RECORDS].started;
		if (started < oldest_started) {
			oldest_started = started;
			oldest = link;
		}
	}
	return oldest;
}

/*
 * Takes the call records of all threads in the order in which their calls began, so that calls of
 * several threads into one stream are queued as the driver took them. Each head is read once: its
 * thread writes it at every launch, and would have to fetch it back each time.
 */
void drain_rings(void)
{
	struct thread *first = threads_with_records();

	if (first) {
		last_calls = clock_ns(CLOCK_MONOTONIC);
		if (first_calls <= flushed)
			first_calls = last_calls;
	}
	while (first) {
		struct thread **link = oldest_record(&first), *thread = *link;
		uint32_t tail = tail_of(thread);

		calls_take(thread, &thread->ring.records[tail % RING_RECORDS]);
		/* Release: the slot is read before the thread may write it again. */
		atomic_store_explicit(&thread->ring_tail, tail + 1, memory_order_release);
		if (tail + 1 == thread->drain_end)
			*link = thread->drain_next;
	}
}

void drain_counts(void)
{
	for (struct thread *thread = thread_first(); thread; thread = thread->next)
		calls_take_counts(thread);
}

bool drain_call_before(uint64_t ticks)
{
	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		uint64_t entered = atomic_load_explicit(&thread->in_call, memory_order_acquire);

		if (entered && entered <= ticks)
			return true;
	}
	return false;
}

/*
 * What the records are of has to be known before they are read; a short kernel's record can be
 * there before its launch has returned. The wait is bounded for calls that take long of themselves,
 * like a copy that waits. It is for all buffers at once: of 16 threads that launch, one is always
 * in a call, and some calls take milliseconds (H200, CUPTI 13.0: up to 24 ms).
 */
static void catch_up(bool first)
{
	uint64_t now = clock_ticks();
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + CALL_WAIT_NS;
	_Atomic uint32_t never = 0;

	while (first && drain_call_before(now) && clock_ns(CLOCK_MONOTONIC) < end) {
		futex_wait(&never, 0, 10000);
		drain_rings();
	}
	drain_rings();
}

/* What needs CUPTI's locks. Returns how many records it has dropped. */
static uint64_t ask_cupti(bool forced)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC), dropped;

	records_trust_clock(cupti_clock_is_realtime());
	cupti_flush(forced);
	dropped = cupti_dropped();
	flushed = clock_ns(CLOCK_MONOTONIC);
	rate_limit_note(&flushing, start, flushed, QUIET_NS);
	return dropped;
}

static bool flush_is_due(uint64_t now)
{
	uint64_t waiting = first_calls > flushed ? first_calls : flushed;

	return rate_limit_due(&flushing, now) &&
	       (now - waiting >= FLUSH_NS ||
		(last_calls > flushed && now - last_calls >= QUIET_NS));
}

/* The program ended CUPTI: events are the one clock from here on. */
static void note_end(void)
{
	session_header(rows_session)->cupti_active = 0;
	records_finish();
	session_note(rows_session,
		     "The program ended CUPTI (cuptiFinalize): operations after that %s%s. A row "
		     "shows the clock that timed most of it.",
		     mode_events ? "have their times from CUDA events alone" : "have no times",
		     mode_runtime_records || mode_driver_records
			     ? ", and API calls that CUPTI counted are counted no more"
			     : "");
}

void drain_records(enum flush flush)
{
	static bool end_noted;
	bool ended = cupti_ended();
	uint64_t dropped = 0, unread;

	if (ended ? end_noted : !mode_is_cupti())
		return;
	if (ended)
		dropped = cupti_dropped();
	else if (flush != FLUSH_IF_DUE || flush_is_due(clock_ns(CLOCK_MONOTONIC)))
		dropped = ask_cupti(flush == FLUSH_FORCED);
	cupti_drain(catch_up, records_take, NULL);
	records_settle();
	unread = cupti_unread();
	session_count(rows_session, COUNTER_cupti_dropped, dropped);
	session_count(rows_session, COUNTER_cupti_unread, unread);
	if (dropped || unread || ended)
		calls_lost_records();
	if (ended)
		note_end();
	end_noted = ended;
}
