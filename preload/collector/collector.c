/* SPDX-License-Identifier: MIT */
#include "preload/collector/collector.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "cupti/cupti.h"
#include "preload/events/sampling.h"
#include "preload/events/calibration.h"
#include "preload/base/clock.h"
#include "preload/launch/window.h"
#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/collector/cost.h"
#include "preload/collector/drain.h"
#include "preload/base/futex.h"
#include "preload/collector/end_marks.h"
#include "preload/events/event_pool.h"
#include "preload/collector/main_thread.h"
#include "preload/collector/memory.h"
#include "preload/base/rate_limit.h"
#include "preload/collector/records.h"
#include "preload/collector/reclaim.h"
#include "preload/collector/rows.h"
#include "preload/collector/calls.h"
#include "preload/launch/thread.h"
#include "preload/events/event_queue.h"

/*
 * A thread's ring holds 22 ms of the fastest launching, so this leaves room for a late wake-up; 200
 * of them a second take 0.2 % of one processor when there is nothing to do.
 */
#define PERIOD_NS      5000000u
/* While many event pairs are under way they are wanted back sooner. */
#define BUSY_PERIOD_NS 1000000u
#define BUSY_PAIRS     64u
/* The longest that one look at the events takes beside CUPTI. */
#define POLL_NS	       2000000u
/* Memory is looked at this often. */
#define MEASURE_NS     1000000000u
/* How long an ending waits for the GPU. */
#define END_WAIT_NS    2000000000u
/* The same for an ending by a signal: the process is to be gone within a second. */
#define SIGNAL_WAIT_NS 100000000u
/* How long it waits for records of work that is finished. */
#define RECORD_WAIT_NS 30000000u
/* How long the program's thread waits for the collector at its end, beyond END_WAIT_NS. */
#define FINISH_WAIT_NS 5000000000u

enum request { REQUEST_NONE, REQUEST_END_CONTEXT, REQUEST_FINISH };

static struct session *session;
static void (*finish)(struct session *);
static void (*main_ended)(void);
static struct clock_scale scale;
static pthread_t collector;
static _Atomic bool started;
static pthread_mutex_t request_lock = PTHREAD_MUTEX_INITIALIZER; /* one context ends at a time */
static _Atomic uint64_t end_wait_ns = END_WAIT_NS;
static _Atomic uint32_t wake_word, request_word, finished;
static struct context *_Atomic ending;
static uint64_t last_measure;

void collector_wake(void)
{
	atomic_fetch_add_explicit(&wake_word, 1, memory_order_release);
	futex_wake(&wake_word);
}

static void update_counters(void)
{
	struct session_header *header = session_header(session);
	struct timespec processor;
	unsigned threads = 0;
	uint64_t ticks = 0;

	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		uint64_t host = atomic_load_explicit(&thread->host_ticks, memory_order_relaxed);

		ticks += host - thread->host_ticks_seen;
		threads += host != thread->host_ticks_seen;
		thread->host_ticks_seen = host;
	}
	header->counters[COUNTER_host_ns] += clock_ticks_to_ns(&scale, ticks);
	cost_update(session, threads);
	header->counters[COUNTER_threads] = thread_count_entered();
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor) == 0)
		header->counters[COUNTER_collector_ns] =
			(uint64_t)processor.tv_sec * 1000000000u + (uint64_t)processor.tv_nsec;
	header->counters[COUNTER_wall_ns] = clock_ns(CLOCK_MONOTONIC) - scale.monotonic;
	header->counters[COUNTER_driver_errors] = driver_failures();
	header->counters[COUNTER_events_created] = 0;
	for (struct context *context = context_first(); context; context = context->next)
		header->counters[COUNTER_events_created] +=
			atomic_load_explicit(&context->events, memory_order_relaxed);
	if (header->counters[COUNTER_wall_ns] - last_measure >= MEASURE_NS) {
		last_measure = header->counters[COUNTER_wall_ns];
		memory_measure(session);
	}
	if (mode_is_cupti())
		header->counters[COUNTER_cupti_errors] += cupti_errors();
}

/* Whether many pairs are under way, so that the next look should come soon. */
static bool poll_events(void)
{
	static struct rate_limit polling;
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	size_t pending;

	if (!mode_is_cupti())
		return event_queue_poll(UINT64_MAX, calls_timed) >= BUSY_PAIRS;
	/* CUPTI's buffers must be emptied meanwhile. */
	if (settings.events == EVENTS_AUTO && !rate_limit_due(&polling, start))
		return false;
	pending = event_queue_poll(start + POLL_NS, calls_timed);
	rate_limit_note(&polling, start, clock_ns(CLOCK_MONOTONIC), 0);
	return pending >= BUSY_PAIRS;
}

/* The end of all may be asked for at any time, by a signal too, and then stays asked for. */
static bool finish_is_asked(void)
{
	return atomic_load_explicit(&request_word, memory_order_acquire) == REQUEST_FINISH;
}

/* A signal may shorten the wait while it lasts. */
static bool is_over(uint64_t start)
{
	return clock_ns(CLOCK_MONOTONIC) - start >=
	       atomic_load_explicit(&end_wait_ns, memory_order_relaxed);
}

/*
 * Until the GPU is done with what was launched in a context, or in all, as far as events tell. The
 * end of all does not wait for that of one context: it waits for all of them.
 */
static void wait_for_events(const struct context *context)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	_Atomic uint32_t never = 0;

	for (;;) {
		size_t pending = event_queue_poll(start + END_WAIT_NS, calls_timed);

		if ((context ? event_queue_pending(context) == 0 : pending == 0) ||
		    (context && finish_is_asked()) || is_over(start))
			break;
		futex_wait(&never, 0, 100000);
	}
}

static void answer_end_context(void)
{
	struct context *context = atomic_load_explicit(&ending, memory_order_relaxed);

	drain_rings();
	wait_for_events(context);
	/* Then the context stays until all is collected: see collector_end_context(). */
	if (finish_is_asked())
		return;
	drain_records(FLUSH_NOW);
	context_ending(context);
	event_pool_forget_spare(context);
	event_queue_give_up(context, EVENT_LOST, calls_timed);
	/* The context must not be current here when it goes. */
	context_use(NULL);
}

/* Takes the records of work that is finished, or will be within the bound. */
static void wait_for_records(uint64_t nanoseconds)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + nanoseconds;
	_Atomic uint32_t never = 0;

	drain_records(FLUSH_NOW);
	while (calls_expected() > 0 && mode_is_cupti() && clock_ns(CLOCK_MONOTONIC) < end) {
		futex_wait(&never, 0, 200000);
		drain_records(FLUSH_NOW);
	}
}

/* What CUPTI alone times, and is not finished yet: the same bound as for events. */
static void wait_for_device(void)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	_Atomic uint32_t never = 0;

	end_marks_set();
	while (!end_marks_reached() && !is_over(start))
		futex_wait(&never, 0, 200000);
}

static void finish_all(void)
{
	drain_rings();
	wait_for_events(NULL);
	calibration_update(); /* where the program was shorter than a period */
	wait_for_records(RECORD_WAIT_NS);
	if (calls_expected() > 0 && mode_is_cupti()) {
		wait_for_device();
		wait_for_records(RECORD_WAIT_NS);
	}
	/* Forced last: a record that is handed out unfinished never gets its times. */
	drain_records(FLUSH_FORCED);
	cupti_leave();
	drain_rings();
	drain_counts();
	event_queue_give_up(NULL, EVENT_LATE, calls_timed);
	/* CUPTI's kinds stay on: turning them off takes 2 s at exit (CUPTI 13.0), and the process
	 * ends here. */
	records_finish();
	calls_finish();
	clock_scale_update(&scale);
	update_counters();
	memory_measure(session);
	finish(session);
}

static void *run(void *unused)
{
	bool alone = false;

	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	enum request request = REQUEST_NONE;
	bool busy;

	(void)unused;
	pthread_setname_np(pthread_self(), "ktime");
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	while (request != REQUEST_FINISH) {
		uint32_t woken = atomic_load_explicit(&wake_word, memory_order_acquire);

		request = atomic_load_explicit(&request_word, memory_order_acquire);
		if (request == REQUEST_END_CONTEXT) {
			answer_end_context();
			/* Unless the end of all was asked for meanwhile. Release: the context's
			 * thread sees that it has ended. */
			atomic_compare_exchange_strong_explicit(&request_word, &(uint32_t){request},
								REQUEST_NONE, memory_order_release,
								memory_order_relaxed);
			futex_wake(&request_word);
		} else if (request == REQUEST_FINISH) {
			finish_all();
		} else {
			clock_scale_update(&scale);
			drain_rings();
			/* Else what found its ring full is all that is counted, and has time. */
			if (mode_counting)
				drain_counts();
			busy = poll_events();
			drain_records(FLUSH_IF_DUE);
			event_pools_grow();
			calibration_update();
			sampling_update(session, clock_ns(CLOCK_MONOTONIC));
			window_update(session);
			update_counters();
			thread_reap(calls_take_counts);
			reclaim_streams(clock_ns(CLOCK_MONOTONIC));
			event_pools_free_ended();
			alone = main_thread_was_last(clock_ns(CLOCK_MONOTONIC), main_ended);
			if (alone)
				collector_ask_finish(false);
			else
				futex_wait(&wake_word, woken, busy ? BUSY_PERIOD_NS : PERIOD_NS);
		}
	}
	/* Release: whoever asked goes on to end the process, or a context. */
	atomic_store_explicit(&finished, 1, memory_order_release);
	futex_wake(&finished);
	/* As the last thread of the program would have done: its handlers run. */
	if (alone)
		exit(0);
	return NULL;
}

int collector_start(struct session *the_session, void (*the_finish)(struct session *),
		    void (*the_main_ended)(void))
{
	sigset_t all, before;
	pthread_attr_t attributes;
	int error;

	session = the_session;
	finish = the_finish;
	main_ended = the_main_ended;
	clock_scale_start(&scale);
	rows_session = session;
	rows_scale = &scale;
	records_start();
	cost_start();
	sampling_start(scale.monotonic);
	error = calls_start();
	if (error)
		return error;
	/* A signal of the program's must never be handled on a thread that it does not know. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	error = -pthread_create(&collector, &attributes, run, NULL);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	atomic_store_explicit(&started, !error, memory_order_relaxed);
	return error;
}

/* False where the word still has the value at the end. */
static bool wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t end)
{
	uint64_t now;

	while (atomic_load_explicit(word, memory_order_acquire) == value) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= end)
			return false;
		futex_wait(word, value, end - now);
	}
	return true;
}

static void ask_end_context(struct context *context)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + END_WAIT_NS + FINISH_WAIT_NS;

	/* One that was no longer waited for may still be under way. */
	if (!wait_while(&request_word, REQUEST_END_CONTEXT, end))
		return;
	atomic_store_explicit(&ending, context, memory_order_relaxed);
	/* Never in the place of the end of all. Release: with the context to be ended. */
	if (atomic_compare_exchange_strong_explicit(&request_word, &(uint32_t){REQUEST_NONE},
						    REQUEST_END_CONTEXT, memory_order_release,
						    memory_order_relaxed)) {
		collector_wake();
		wait_while(&request_word, REQUEST_END_CONTEXT, end);
	}
	/* The collector asks about events of all contexts until it is finished. */
	if (finish_is_asked())
		wait_while(&finished, 0, end);
}

void collector_end_context(struct context *context)
{
	pthread_mutex_lock(&request_lock);
	if (!atomic_load_explicit(&context->ended, memory_order_acquire))
		ask_end_context(context);
	if (!atomic_load_explicit(&context->ended, memory_order_acquire))
		context_ending(context);
	pthread_mutex_unlock(&request_lock);
}

void collector_ask_finish(bool soon)
{
	if (soon)
		atomic_store_explicit(&end_wait_ns, SIGNAL_WAIT_NS, memory_order_relaxed);
	/* Release: with the shorter wait. */
	atomic_store_explicit(&request_word, REQUEST_FINISH, memory_order_release);
	futex_wake(&request_word);
	collector_wake();
}

bool collector_wait_finished(uint64_t end)
{
	return !atomic_load_explicit(&started, memory_order_relaxed) ||
	       wait_while(&finished, 0, end);
}

bool collector_finish(void)
{
	static _Atomic uint64_t until;
	uint64_t none = 0, end = clock_ns(CLOCK_MONOTONIC) + END_WAIT_NS + FINISH_WAIT_NS;

	/* The first to ask sets the end of the wait for all: exit asks several times. */
	if (!atomic_compare_exchange_strong_explicit(&until, &none, end, memory_order_relaxed,
						     memory_order_relaxed))
		end = none;
	collector_ask_finish(false);
	return collector_wait_finished(end);
}
