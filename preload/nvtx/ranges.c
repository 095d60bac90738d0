/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/ranges.h"

#include <stddef.h>
#include <stdlib.h>
#include <uthash.h>

#include "preload/base/lifecycle_state.h"
#include "preload/base/mode.h"
#include "preload/nvtx/history.h"
#include "preload/nvtx/include.h"
#include "preload/nvtx/paths.h"
#include "preload/nvtx/range_rows.h"
#include "preload/nvtx/range_thread.h"
#include "preload/nvtx/started.h"

/* How long the changes of a thread that has ended are kept, for the records of its calls, ns. */
#define KEEP_NS 2000000000u

/* In which ranges a thread was: what is kept of it when it has ended. */
struct past {
	uint32_t kernel_id, pthread_id; /* as in struct range_thread */
	uint16_t at_start;
	bool replaced; /* its kernel_id is another thread's now */
	struct range_history *history;
	uint64_t ended_at; /* CLOCK_MONOTONIC in ns */
	struct past *next; /* that of the thread that ended next */
	UT_hash_handle link;
};

static struct past *pasts; /* by kernel_id */
/* Of threads that have ended, in that order. */
static struct past *ended, **ended_end = &ended;

static struct session *session;
static const struct clock_scale *scale;
static bool (*counts)(uint64_t);
/* A range has ended, which began at `begin`; ticks. */
static void take_end(struct nvtx_range *range, uint16_t path, uint32_t thread, uint64_t begin,
		     uint64_t end, uint32_t id)
{
	struct range_time time = {
		.start = clock_realtime_at(scale, begin),
		.end = clock_realtime_at(scale, end),
		.duration = clock_ticks_to_ns(scale, end - begin),
		.thread = thread,
		.id = id,
	};

	if (range && counts(time.end))
		range_rows_end(range, path, &time);
}

static void take_start(struct range_owner owner, uint16_t path, uint16_t place, uint64_t begin)
{
	session_count(session, COUNTER_ranges_lost, !started_begin(owner, path, place, begin));
}

static void take_started_end(uint16_t place, uint64_t begin, uint64_t end)
{
	uint32_t thread;
	uint16_t number = started_end(place, begin, end, &thread);

	if (number)
		take_end(range_rows_find(0, number), number, thread, begin, end, place + 1u);
}

static void take_change(struct range_thread *thread, const struct change *change)
{
	if (change->lost_since)
		history_add(thread->past->history, change->lost_since, PATHS_UNKNOWN);
	if (change->kind == CHANGE_START)
		take_start((struct range_owner){thread->kernel_id, thread->pthread_id},
			   change->path, change->place, change->time);
	else if (change->kind == CHANGE_END)
		take_started_end(change->place, change->started, change->time);
	else
		history_add(thread->past->history, change->time, change->now);
	if (change->kind == CHANGE_PATH && change->started)
		take_end(range_rows_on(thread->pthread_id, change->path), change->path,
			 thread->kernel_id, change->started, change->time, 0);
}

/* NULL if memory is out. */
static struct past *past_create(const struct range_thread *thread)
{
	struct past *past = calloc(1, sizeof(*past)), *before = NULL;

	if (!past)
		return NULL;
	past->kernel_id = thread->kernel_id;
	past->pthread_id = thread->pthread_id;
	past->history = history_create();
	HASH_FIND(link, pasts, &past->kernel_id, sizeof(past->kernel_id), before);
	if (past->history)
		HASH_ADD(link, pasts, kernel_id, sizeof(past->kernel_id), past);
	if (!past->history || !past->link.tbl) {
		history_free(past->history);
		free(past);
		return NULL;
	}
	if (before) {
		HASH_DELETE(link, pasts, before);
		before->replaced = true;
	}
	return past;
}

static void forget_oldest(void)
{
	struct past *past = ended;

	ended = past->next;
	if (!ended)
		ended_end = &ended;
	if (!past->replaced)
		HASH_DELETE(link, pasts, past);
	history_free(past->history);
	free(past);
}

static void drain_thread(struct range_thread *thread)
{
	uint32_t tail = atomic_load_explicit(&thread->tail, memory_order_relaxed), head;
	uint64_t lost_since;

	if (!thread->past)
		thread->past = past_create(thread);
	if (!thread->past)
		return;
	thread->past->at_start = atomic_load_explicit(&thread->at_start, memory_order_relaxed);
	/* Acquire: the changes were written before the head moved. */
	head = atomic_load_explicit(&thread->head, memory_order_acquire);
	for (; tail != head; tail++)
		take_change(thread, &thread->changes[tail % CHANGE_RECORDS]);
	/* Release: the slots are read before the thread may overwrite them. */
	atomic_store_explicit(&thread->tail, tail, memory_order_release);
	/* A thread that has lost its last changes may make no more for long. */
	lost_since = atomic_load_explicit(&thread->lost_since, memory_order_acquire);
	if (lost_since && head == atomic_load_explicit(&thread->head, memory_order_acquire)) {
		uint16_t now = atomic_load_explicit(&thread->now, memory_order_relaxed);

		history_add(thread->past->history, lost_since, PATHS_UNKNOWN);
		history_add(thread->past->history, clock_ticks(), now);
	}
}

void ranges_start(struct session *the_session, const struct clock_scale *the_scale,
		  bool (*the_counts)(uint64_t))
{
	session = the_session;
	range_rows_start(session);
	scale = the_scale;
	counts = the_counts;
	range_each_started(take_start);
	include_start();
	/* A count-only call leaves no record of where it was made. */
	if (include_is_on())
		count_only_block(1);
}

bool ranges_are_chosen(void)
{
	return include_is_on();
}

void ranges_drain(void)
{
	static bool running;

	/* From now on the threads tell of the ranges that they start. Most that were started before
	 * are known already. */
	if (!running && lifecycle_running()) {
		range_each_started(take_start);
		running = true;
	}
	for (struct range_thread *thread = range_threads(); thread; thread = thread->next)
		drain_thread(thread);
}

/* The ranges that a thread has open. One that opens and closes more at the same time may have read
 * a time that is another range's: so at the end of a run whose threads go on. */
static void end_open(struct range_thread *thread, uint64_t now)
{
	uint32_t count = atomic_load_explicit(&thread->open_count, memory_order_acquire);

	for (uint32_t i = count; i > 0; i--) {
		struct open_range *open = &thread->open[i - 1];
		uint16_t path = atomic_load_explicit(&open->path, memory_order_relaxed);
		uint64_t begin = atomic_load_explicit(&open->started, memory_order_relaxed);
		struct nvtx_range *range = range_rows_on(thread->pthread_id, path);

		if (!range || begin > now)
			continue;
		take_end(range, path, thread->kernel_id, begin, now, 0);
		range->open++;
	}
}

static uint64_t reclaim_time;

static void count_lost(const struct range_thread *thread)
{
	session_count(session, COUNTER_ranges_lost,
		      atomic_load_explicit(&thread->lost, memory_order_relaxed));
}

/* Takes all that a thread did which has ended. */
static bool is_done(struct range_thread *thread)
{
	if (!atomic_load_explicit(&thread->ended, memory_order_acquire))
		return false;
	drain_thread(thread);
	end_open(thread, clock_ticks());
	count_lost(thread);
	if (thread->past) {
		thread->past->ended_at = reclaim_time;
		*ended_end = thread->past;
		ended_end = &thread->past->next;
	}
	return true;
}

void ranges_reclaim(uint64_t now)
{
	reclaim_time = now;
	range_threads_reap(is_done);
	while (ended && now - ended->ended_at >= KEEP_NS)
		forget_oldest();
}

struct range_place ranges_at(uint32_t kernel_id, uint64_t ticks)
{
	struct range_place place = {.started = started_at(ticks)};
	struct past *past = NULL;
	uint16_t path;

	HASH_FIND(link, pasts, &kernel_id, sizeof(kernel_id), past);
	if (!past) {
		place.included = include_call(PATHS_OUTSIDE, place.started);
		return place;
	}
	path = history_at(past->history, ticks, past->at_start);
	place.range = range_rows_number(range_rows_on(past->pthread_id, path));
	place.included = include_call(path, place.started);
	session_count(session, COUNTER_ranges_lost, path == PATHS_UNKNOWN);
	return place;
}

void ranges_add(const struct range_place *place, const struct row *row, uint64_t nanoseconds,
		double weight, enum clock_source clock)
{
	if (place->range)
		range_rows_add(range_rows_numbered(place->range), row, nanoseconds, weight, clock);
	for (uint32_t bits = place->started; bits; bits &= bits - 1)
		range_rows_add(range_rows_find(0, started_path((unsigned)__builtin_ctz(bits))), row,
			       nanoseconds, weight, clock);
}

/* CUPTI's clock and the host's differ by some microseconds: by its middle a call is least likely to
 * be taken for another range's. */
void ranges_add_untimed(const struct range_place *place, const struct row *row)
{
	if (place->range)
		range_rows_add_untimed(range_rows_numbered(place->range), row);
	for (uint32_t bits = place->started; bits; bits &= bits - 1)
		range_rows_add_untimed(
			range_rows_find(0, started_path((unsigned)__builtin_ctz(bits))), row);
}

struct range_place ranges_of_record(uint32_t thread, uint64_t start, uint64_t end)
{
	double since = (double)(int64_t)(start + (end - start) / 2 - scale->realtime);

	return ranges_at(thread, scale->ticks + (uint64_t)(int64_t)(since / scale->ns_per_tick));
}

static void warn(void)
{
	const uint64_t *counters = session_header(session)->counters;

	if (counters[COUNTER_ranges_lost])
		session_note(
			session,
			"NVTX ranges: %llu did not fit (too many at a time, too deep, too many "
			"names): what was done in them counts in the range around them, or in "
			"none.",
			(unsigned long long)counters[COUNTER_ranges_lost]);
	if (counters[COUNTER_ranges_unbalanced])
		session_note(session, "NVTX ranges ended that had not begun: %llu.",
			     (unsigned long long)counters[COUNTER_ranges_unbalanced]);
}

void ranges_finish(void)
{
	uint64_t now = clock_ticks();
	struct range_counts wrong = range_counts();
	uint64_t begin;
	uint16_t path, place;

	if (!session)
		return;
	ranges_drain();
	for (struct range_thread *thread = range_threads(); thread; thread = thread->next) {
		end_open(thread, now);
		count_lost(thread);
	}
	while ((path = started_open(&place, &begin)) != 0) {
		struct nvtx_range *range = range_rows_find(0, path);

		take_started_end(place, begin, now);
		if (range)
			range->open++;
	}
	session_count(session, COUNTER_ranges_lost,
		      paths_lost() + wrong.too_deep + wrong.unstarted);
	session_count(session, COUNTER_ranges_unbalanced, wrong.unbalanced);
	warn();
}
