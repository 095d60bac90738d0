/* SPDX-License-Identifier: MIT */

#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "cupti/library.h"
#include "preload/base/atomics.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/plan.h"
#include "preload/base/rate_limit.h"
#include "preload/base/run.h"
#include "preload/collector/records.h"
#include "preload/events/event_pool.h"
#include "preload/launch/thread.h"
#include "preload/metrics/metrics.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"
#include "preload/recording/rows.h"
#include "preload/timeline/timeline.h"

/*
 * How often CUPTI is flushed. A flush costs the program some 0.1 ms (H200, CUPTI 13.0: kernels of
 * 100 us took 0.2 % longer with a flush every 50 ms, 0.03 % with one every 200 ms). So flushes are
 * rare while calls keep coming, and full buffers come without one. QUIET_NS after the last call one
 * flush takes what is left.
 */
#define FLUSH_NS	200000000u
#define QUIET_NS	50000000u
/* The longest wait for calls in progress when records have arrived: some scheduling time slices.
 * Chosen. */
#define CALL_WAIT_NS	10000000u
/* The longest that a call is waited for, from its begin, that took ktime's cold path: its work may
 * be done, and its record there, before the events of its context are made. Chosen: that takes
 * milliseconds, and up to 2 s under ThreadSanitizer on a busy machine. */
#define COLD_WAIT_NS	2000000000u
/* The most bytes of full buffers that may wait during COLD_WAIT_NS. First launches of 16 threads
 * wait up to seconds for the driver's lock; waiting for those with the buffers full lost two of
 * three records (H200). Chosen: a twelfth of all buffers, so that there is time to read them. */
#define COLD_WAIT_BYTES (4u << 20)
/* The sleep between two checks for them: some launches long. Chosen. */
#define CALL_POLL_NS	10000u

/* The longest wait for records of calls made before calls were matched no more. Chosen. */
#define LAST_MATCH_NS	2000000000u

static struct {
	struct rate_limit flushing;
	/* CLOCK_MONOTONIC in nanoseconds: the last flush, the first calls after it, and the last
	 * calls. */
	uint64_t flushed, first_calls, last_calls;
	/* CLOCK_REALTIME in nanoseconds: when the last flush and the one before it began. */
	uint64_t last_began, before_began;
} flushes;

static uint32_t tail_of(const struct thread *thread)
{
	return load_relaxed(&thread->ring_tail);
}

/*
 * The threads that have call records, as a pairing heap: the one whose next call began first is its
 * root. A batch may hold a record of each of thousands of threads, so no record may be searched for
 * among all of them.
 */
static struct thread *heap_merge(struct thread *one, struct thread *other)
{
	struct thread *first, *second;

	if (!one || !other)
		return one ? one : other;
	first = other->drain_started < one->drain_started ? other : one;
	second = first == one ? other : one;
	second->drain_sibling = first->drain_child;
	first->drain_child = second;
	return first;
}

/* The heap without its root: the root's children are merged in pairs, then the pairs. */
static struct thread *heap_without_root(struct thread *root)
{
	struct thread *child = root->drain_child, *pairs = NULL, *merged = NULL;

	while (child) {
		struct thread *second = child->drain_sibling;
		struct thread *next = second ? second->drain_sibling : NULL;

		child->drain_sibling = NULL;
		child = heap_merge(child, second);
		child->drain_sibling = pairs;
		pairs = child;
		child = next;
	}
	while (pairs) {
		struct thread *next = pairs->drain_sibling;

		pairs->drain_sibling = NULL;
		merged = heap_merge(merged, pairs);
		pairs = next;
	}
	return merged;
}

static struct thread *heap_add(struct thread *heap, struct thread *thread)
{
	thread->drain_started = thread->ring.records[tail_of(thread) % RING_RECORDS].started;
	thread->drain_child = thread->drain_sibling = NULL;
	return heap_merge(heap, thread);
}

/* The threads that have call records now. */
static struct thread *threads_with_records(void)
{
	struct thread *heap = NULL;

	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		/* Acquire: the records were written before the head moved. */
		thread->drain_end = load_acquire(&thread->ring.head);
		if (tail_of(thread) != thread->drain_end)
			heap = heap_add(heap, thread);
	}
	return heap;
}

/* Takes a launch whose hardware counters were read, or failed to be: it is counted but not timed,
 * as its call includes the reading. */
static void take_measured(const struct thread *thread, const struct call_record *taken, bool read)
{
	struct call_record record = *taken;

	if (!(record.flags & CALL_FAILED)) {
		rows_add_calls(record.api, 1);
		record.api = API_NONE;
	}
	if (record.pair)
		event_pool_put(record.pair->pool, record.pair);
	record.pair = NULL;
	record.untimed = UNTIMED_METRICS;
	if (read)
		record.flags |= CALL_NO_ACTIVITY;
	calls_take(thread, &record);
}

/*
 * Takes the call records of all threads in the order in which the calls began, so that calls of
 * several threads into one stream are queued in the driver's order. Each ring's head is read only
 * once, as every read takes the cache line from the thread, which writes it at each launch.
 */
void drain_rings(void)
{
	struct thread *heap = threads_with_records();

	/* After the calls' records were seen: the ranges that they were made in are known then. */
	ranges_drain();
	if (heap) {
		flushes.last_calls = clock_ns(CLOCK_MONOTONIC);
		if (flushes.first_calls <= flushes.flushed)
			flushes.first_calls = flushes.last_calls;
	}
	while (heap) {
		struct thread *thread = heap;
		uint32_t tail = tail_of(thread);
		const struct call_record *record = &thread->ring.records[tail % RING_RECORDS];
		enum metrics_part part;

		timeline_call(thread, record);
		part = run.settings.metrics ? metrics_part_of(thread, record) : METRICS_NONE;
		if (part != METRICS_NONE)
			take_measured(thread, record, part == METRICS_READ);
		else if (!api_host_call(record->api))
			calls_take(thread, record);
		thread->has_launched |= !api_host_call(record->api);
		/* Release: the slot is read before the thread may overwrite it. */
		store_release(&thread->ring_tail, tail + 1);
		heap = heap_without_root(thread);
		if (tail + 1 != thread->drain_end)
			heap = heap_add(heap, thread);
	}
}

void drain_counts(void)
{
	for (struct thread *thread = thread_first(); thread; thread = thread->next)
		calls_take_counts(thread);
}

static bool is_on_cold_path(struct thread *thread, uint64_t entered)
{
	return load_relaxed(&thread->took_cold_path) &&
	       clock_ticks_to_ns(&run.scale, clock_ticks() - entered) < COLD_WAIT_NS;
}

/* Whether a call that began before `ticks` is still in progress; `cold`: on the cold path. */
static bool call_before(uint64_t ticks, bool cold)
{
	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		uint64_t entered = load_acquire(&thread->in_call);

		if (entered && entered <= ticks && (!cold || is_on_cold_path(thread, entered)))
			return true;
	}
	return false;
}

bool drain_call_before(uint64_t ticks)
{
	return call_before(ticks, false);
}

/* Whether the records should wait on for calls that began before. */
static bool should_wait(uint64_t ticks, uint64_t end)
{
	bool late = clock_ns(CLOCK_MONOTONIC) >= end;

	return call_before(ticks, late) && !(late && buffers_queued() > COLD_WAIT_BYTES);
}

/*
 * All calls that produced these records must be queued before the records are read, and the record
 * of a short kernel can arrive before its launch has returned. So this waits for calls in progress,
 * for a bounded time, as some block, like a synchronous copy. It waits once for all buffers: of 16
 * launching threads one is always in a call, and some calls take milliseconds (H200, CUPTI 13.0: up
 * to 24 ms).
 */
static void drain_before_records(bool first)
{
	uint64_t now = clock_ticks();
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + CALL_WAIT_NS;

	/* Full buffers may come before the first flush. */
	if (first && !flushes.flushed)
		matcher_trusts_clock = cupti_clock_is_realtime();
	while (first && should_wait(now, end)) {
		futex_sleep(CALL_POLL_NS);
		drain_rings();
	}
	if (first)
		records_calls_are_late = call_before(now, false);
	drain_rings();
}

/* Flushes CUPTI, for which CUPTI's locks are needed. Returns how many records it has dropped. */
static uint64_t flush_cupti(bool forced)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC), dropped;

	matcher_trusts_clock = cupti_clock_is_realtime();
	flushes.before_began = flushes.last_began;
	flushes.last_began = clock_ns(CLOCK_REALTIME);
	cupti_flush(forced);
	dropped = cupti_dropped();
	flushes.flushed = clock_ns(CLOCK_MONOTONIC);
	rate_limit_note(&flushes.flushing, start, flushes.flushed, QUIET_NS);
	return dropped;
}

static bool flush_is_due(uint64_t now)
{
	uint64_t waiting =
		flushes.first_calls > flushes.flushed ? flushes.first_calls : flushes.flushed;

	return rate_limit_due(&flushes.flushing, now) &&
	       (now - waiting >= FLUSH_NS ||
		(flushes.last_calls > flushes.flushed && now - flushes.last_calls >= QUIET_NS));
}

/* Whether the plan no longer matches calls with records and LAST_MATCH_NS has passed since, so that
 * calls that still wait for a record are given up. */
static bool is_matching_over(void)
{
	static uint64_t end;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (plan_matches() || match_waiting == 0)
		return false;
	end = end ? end : now + LAST_MATCH_NS;
	return now >= end;
}

/* CUPTI has ended, or is the program's: events are the only clock from now on. */
static void report_end_of_cupti(void)
{
	bool excluded = kinds_withdrawn() && library_version()->excludes_v2;

	records_finish();
	session_note(
		run.session,
		"The program %s: later operations are %s%s. Each row shows the clock that timed "
		"most of its calls.%s",
		kinds_withdrawn() ? "wants CUPTI for itself (cuptiSubscribe_v2)"
				  : "ended CUPTI (cuptiFinalize)",
		launch_state.events ? "timed by CUDA events only" : "not timed",
		plan.runtime_records || plan.driver_records
			? ", and API calls that CUPTI recorded are no longer counted"
			: "",
		excluded ? " This CUPTI gives the program no records, as ktime has recorded "
			   "before: run it with --timer events."
			 : "");
}

/* CUPTI's clock is fitted to the host's: a record may start so much before its call (records.h). */
#define CLOCK_FIT_NS 100000u

static uint64_t earlier(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/*
 * The records of operations that started before a certain time have all arrived: every call that
 * began earlier has its record, and the nodes of every graph launch. A call in progress may have
 * started its operation already. Where calls are not matched with records, those have come that
 * ended before the last flush: taken to be of all that started before the flush before it.
 */
static void settle_timeline(void)
{
	uint64_t began = clock_ticks(), oldest;

	if (!matcher_trusts_clock)
		return;
	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		uint64_t entered = load_acquire(&thread->in_call);

		if (entered && entered < began)
			began = entered;
	}
	/* What has ended meanwhile is in the rings. */
	drain_rings();
	began = clock_realtime_at(&run.scale, began);
	oldest = earlier(earlier(began, matcher_oldest()), graph_launches_open_since(began));
	if (!plan_matches())
		oldest = earlier(oldest, flushes.before_began);
	timeline_settle(oldest > CLOCK_FIT_NS ? oldest - CLOCK_FIT_NS : 0);
}

void drain_records(enum flush flush)
{
	static bool end_reported;
	bool ended = cupti_ended();
	uint64_t dropped = 0, unread;

	if (ended ? end_reported : !cupti_active())
		return;
	if (ended)
		dropped = cupti_dropped();
	else if (flush != FLUSH_IF_DUE || flush_is_due(clock_ns(CLOCK_MONOTONIC)) ||
		 recording_wants_flush(clock_ns(CLOCK_REALTIME)))
		dropped = flush_cupti(flush == FLUSH_FORCED);
	else if (buffers_queued() > 0)
		dropped = cupti_dropped();
	unread = cupti_unread();
	/* Before the records that follow those are taken. */
	run_count(COUNTER_cupti_dropped, dropped);
	run_count(COUNTER_cupti_unread, unread);
	if (cupti_drain(drain_before_records, records_take, NULL) > 0)
		settle_timeline();
	records_settle();
	/* It is not known which calls lost records belong to. */
	if (dropped || unread || ended || is_matching_over())
		matcher_give_up();
	if (ended)
		report_end_of_cupti();
	end_reported = ended;
}
