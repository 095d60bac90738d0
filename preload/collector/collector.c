/* SPDX-License-Identifier: MIT */
#include "preload/collector/collector.h"

#include <pthread.h>
#include <stdlib.h>

#include "cupti/buffers.h"
#include "preload/base/atomics.h"
#include "preload/base/background_thread.h"
#include "preload/base/clock.h"
#include "preload/base/futex.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/plan.h"
#include "preload/base/rate_limit.h"
#include "preload/base/run.h"
#include "preload/collector/cost.h"
#include "preload/collector/records.h"
#include "preload/events/calibration.h"
#include "preload/events/event_pool.h"
#include "preload/events/gates.h"
#include "preload/events/in_flight.h"
#include "preload/handles/stream.h"
#include "preload/launch/thread.h"
#include "preload/launch/window.h"
#include "preload/nvtx/ranges.h"
#include "preload/recording/recording.h"
#include "preload/recording/rows.h"
#include "preload/timeline/timeline.h"
#include "preload/timeline/window_use.h"

/* The collector's period. A thread's ring holds 22 ms of the fastest launching, which leaves room
 * for a late wake-up; 200 periods a second take 0.2 % of a processor while nothing is to be done.
 */
#define PERIOD_NS      5000000u
/* The period while at least this many event pairs are in flight, to return them to their pools in
 * time. Chosen. */
#define BUSY_PERIOD_NS 1000000u
#define BUSY_PAIRS     64u
/* The longest that one poll of the events takes if CUPTI is on, whose buffers must be emptied.
 * Chosen. */
#define POLL_NS	       2000000u
/* The longest wait for the GPU at the end of a context or of the program. Chosen. */
#define END_WAIT_NS    2000000000u
/* The longest wait if a signal ends the program, which is to be gone within a second. Chosen. */
#define SIGNAL_WAIT_NS 100000000u
/* The longest wait for CUPTI's records of finished work. Chosen. */
#define RECORD_WAIT_NS 30000000u
/* How much longer than END_WAIT_NS the program's thread waits for the collector. Chosen. */
#define FINISH_WAIT_NS 5000000000u
/* How long an end that holds up the driver waits for the collector. Chosen, as for a signal. */
#define HELD_UP_NS     300000000u
/* The time between two polls at the end of a context or of the run: of events, and of calls that
 * take CUPTI's locks. Chosen. */
#define EVENT_POLL_NS  100000u
#define CUPTI_POLL_NS  200000u

enum request { REQUEST_NONE, REQUEST_END_CONTEXT, REQUEST_FINISH };

static struct {
	void (*finish)(void);
	_Atomic bool started;
	_Atomic uint32_t begun, wake_word, request_word, finished;
	struct context *_Atomic ending;
	pthread_mutex_t request_lock; /* for one context at a time */
	_Atomic uint64_t end_wait_ns;
	_Atomic uint32_t polls; /* at an end: the driver has answered */
	/* When waiting for the end of the run is over, CLOCK_MONOTONIC; 0: the run does not end
	 * yet. */
	_Atomic uint64_t until;
} collector = {.request_lock = PTHREAD_MUTEX_INITIALIZER, .end_wait_ns = END_WAIT_NS};

void collector_wake(void)
{
	add_release(&collector.wake_word, 1);
	futex_wake(&collector.wake_word);
}

/* Reads finished event pairs. Returns whether many are in flight, so that the next poll should come
 * soon. */
static bool poll_events(void)
{
	static struct rate_limit polling;
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	size_t pending;

	if (!plan_is_cupti())
		return event_queue_poll(UINT64_MAX, calls_timed) >= BUSY_PAIRS;
	/* CUPTI's buffers must be emptied in between. */
	if (run.settings.events == EVENTS_AUTO && !rate_limit_due(&polling, start))
		return false;
	pending = event_queue_poll(start + POLL_NS, calls_timed);
	rate_limit_note(&polling, start, clock_ns(CLOCK_MONOTONIC), 0);
	return pending >= BUSY_PAIRS;
}

/* Whether the end of the run was requested, which can happen at any time, also in a signal
 * handler. */
static bool finish_requested(void)
{
	return load_acquire(&collector.request_word) == REQUEST_FINISH;
}

/* Nanoseconds left of a wait for the GPU that began at `start`; a signal may shorten the wait. */
static uint64_t wait_left(uint64_t start)
{
	uint64_t waited = clock_ns(CLOCK_MONOTONIC) - start;
	uint64_t most = load_relaxed(&collector.end_wait_ns);

	return waited < most ? most - waited : 0;
}

static void pause_between_polls(uint64_t nanoseconds)
{
	add_relaxed(&collector.polls, 1);
	futex_sleep(nanoseconds);
}

/* Waits until the GPU has reached all event pairs of a context, or of all contexts (NULL). The wait
 * for one context stops if the end of the run is requested, which waits for all contexts. */
static void wait_for_events(const struct context *context, uint64_t start)
{
	for (;;) {
		size_t pending = event_queue_poll(start + END_WAIT_NS, calls_timed);

		if ((context ? event_queue_pending(context) == 0 : pending == 0) ||
		    (context && finish_requested()) || !wait_left(start))
			break;
		pause_between_polls(EVENT_POLL_NS);
	}
}

static void end_context(void)
{
	struct context *context = load_relaxed(&collector.ending);

	drain_rings();
	wait_for_events(context, clock_ns(CLOCK_MONOTONIC));
	/* Kept until all is collected if the run ends: see request_end_context(). */
	if (finish_requested())
		return;
	calibration_finish(context, rows_were_queued);
	drain_records(FLUSH_NOW);
	calibration_settle();
	context_ending(context);
	event_pool_forget_spare(context);
	context_gates_end(context);
	event_queue_give_up(context, EVENT_LOST, calls_timed);
	/* The context must not be current in this thread when the driver destroys it. */
	context_use(NULL);
}

/* Takes the records of work that is finished, or finishes within this time. */
static void wait_for_records(uint64_t nanoseconds)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + nanoseconds;

	drain_records(FLUSH_NOW);
	while (match_waiting > 0 && cupti_active() && clock_ns(CLOCK_MONOTONIC) < end) {
		pause_between_polls(CUPTI_POLL_NS);
		drain_records(FLUSH_NOW);
	}
}

/*
 * For work that is in flight when the program ends and has no event pair an event is recorded
 * behind it, in every stream that waits for activity records. How many streams are waited for; more
 * are not. Chosen.
 */
#define MARKS 256

static struct {
	CUevent events[MARKS];
	unsigned count;
} marks;

static void mark_stream(struct stream *stream)
{
	CUevent event;

	if (marks.count == MARKS || !stream->records || !match_pending(stream->records) ||
	    !context_use(stream->context) ||
	    driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
		return;
	if (driver.cuEventRecord(event, stream->handle) == CUDA_SUCCESS)
		marks.events[marks.count++] = event;
	else
		driver.cuEventDestroy_v2(event);
}

/* Does nothing while a stream captures. */
static void set_marks(void)
{
	if (!capture_is_live())
		stream_visit(mark_stream);
}

/* Frees the marks that the device has reached; whether it has reached all. */
static bool marks_are_reached(void)
{
	/* An error means that the context has ended, and its work with it. */
	while (marks.count > 0 &&
	       driver.cuEventQuery(marks.events[marks.count - 1]) != CUDA_ERROR_NOT_READY)
		driver.cuEventDestroy_v2(marks.events[--marks.count]);
	return marks.count == 0;
}

/* Waits for work that only CUPTI times, in the time that the wait for events has left. */
static void wait_for_device(uint64_t start)
{
	set_marks();
	while (!marks_are_reached() && wait_left(start))
		pause_between_polls(CUPTI_POLL_NS);
}

static void finish_all(void)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);

	drain_rings();
	wait_for_events(NULL, start);
	wait_for_records(RECORD_WAIT_NS);
	if ((match_waiting > 0 || !plan_matches()) && cupti_active()) {
		wait_for_device(start);
		wait_for_records(RECORD_WAIT_NS);
	}
	calibration_finish(NULL, rows_were_queued);
	/* A forced flush comes last: a record handed out before its work has finished never gets
	 * its times. */
	drain_records(FLUSH_FORCED);
	calibration_settle();
	merge_leave();
	drain_rings();
	drain_counts();
	event_queue_give_up(NULL, EVENT_LATE, calls_timed);
	/* The activity kinds stay enabled: disabling them takes 2 s at exit (CUPTI 13.0), and the
	 * process ends here. */
	records_finish();
	ranges_finish();
	calls_finish();
	recording_finish();
	records_say_of_ranges();
	window_use_finish(recording_window());
	timeline_settle(UINT64_MAX);
	trace_window_close();
	clock_scale_update(&run.scale);
	context_gates_finish(wait_left(start));
	counters_update();
	memory_measure();
	collector.finish();
}

/* Takes what has finished into the rows. */
static void collect_now(void)
{
	drain_rings();
	drain_counts();
	event_queue_poll(clock_ns(CLOCK_MONOTONIC) + POLL_NS, calls_timed);
	wait_for_records(RECORD_WAIT_NS);
	counters_update();
}

/* How often ended streams are checked. Much longer than a store takes to reach other processors;
 * the rings are drained in between. Chosen. */
#define STREAM_CHECK_NS	   10000000u
/* After this many checks, a minute or more, records that have not come are no longer waited for.
 * Chosen. */
#define MOST_STREAM_CHECKS 6000u

/*
 * Whether a stream can be freed. A call that began before the stream ended may still leave a call
 * record that refers to it. Once no such call is in progress all such records are in the rings, and
 * have been read by the next check.
 */
static bool is_unused(struct stream *stream)
{
	stream->checks++;
	if (!stream->unused) {
		stream->unused = !drain_call_before(stream->ended);
		return false;
	}
	return event_queue_forget(stream) &&
	       (!stream->records ||
		match_forget(stream->records, stream->checks > MOST_STREAM_CHECKS));
}

/* Frees ended streams when nothing refers to them any more. To be called once per period, after the
 * rings were drained. */
static void reclaim_streams(uint64_t now)
{
	static struct stream *waiting;
	static uint64_t next_check;
	struct stream **link = &waiting, *stream;

	if (now < next_check)
		return;
	next_check = now + STREAM_CHECK_NS;
	while ((stream = *link)) {
		if (is_unused(stream)) {
			*link = stream->next;
			free(stream);
		} else {
			link = &stream->next;
		}
	}
	/* Calls that begin from now on cannot find these streams. They are checked from the next
	 * time on. */
	*link = stream_take_ended();
	for (stream = *link; stream; stream = stream->next)
		stream->ended = clock_ticks();
}

static void *collect(void *unused)
{
	bool alone = false;
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	enum request request = REQUEST_NONE;
	bool busy;
	uint64_t sleep;

	(void)unused;
	sanitizer_ignore_begin();
	while (!load_acquire(&collector.begun))
		futex_wait(&collector.begun, 0, PERIOD_NS);
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	while (request != REQUEST_FINISH) {
		uint32_t woken = load_acquire(&collector.wake_word);

		commands_writing(true);
		request = load_acquire(&collector.request_word);
		if (request == REQUEST_END_CONTEXT) {
			end_context();
			/* Unless the end of the run has been requested meanwhile. Release: the
			 * thread that ends the context sees context->ended. */
			atomic_compare_exchange_strong_explicit(
				&collector.request_word, &(uint32_t){request}, REQUEST_NONE,
				memory_order_release, memory_order_relaxed);
			futex_wake(&collector.request_word);
		} else if (request == REQUEST_FINISH) {
			finish_all();
		} else {
			clock_scale_update(&run.scale);
			drain_rings();
			/* Else they hold only calls that found their ring full, which can wait. */
			if (plan.counting_outside)
				drain_counts();
			busy = poll_events();
			drain_records(FLUSH_IF_DUE);
			sleep = recording_update(clock_ns(CLOCK_REALTIME),
						 busy ? BUSY_PERIOD_NS : PERIOD_NS);
			window_use_update(recording_window());
			event_pools_grow();
			context_gates_update();
			sampling_update(clock_ns(CLOCK_MONOTONIC), cost_threads);
			counters_update();
			commands_update();
			/* The reporter may be reading their rings. */
			if (!lifecycle_ending())
				thread_reap(calls_take_counts);
			reclaim_streams(clock_ns(CLOCK_MONOTONIC));
			event_pools_free_ended();
			ranges_reclaim(clock_ns(CLOCK_MONOTONIC));
			alone = main_thread_was_last(clock_ns(CLOCK_MONOTONIC));
			if (alone)
				collector_ask_finish(false);
			commands_writing(false);
			if (!alone)
				futex_wait(&collector.wake_word, woken, sleep);
		}
	}
	sanitizer_ignore_end();
	/* Release: the waiting threads see the finished report. */
	store_release(&collector.finished, 1);
	futex_wake(&collector.finished);
	/* As the last thread of the program would have done: its handlers run. */
	if (alone)
		exit(0);
	return NULL;
}

int collector_start(void (*finish)(void))
{
	int error;

	collector.finish = finish;
	clock_scale_start(&run.scale);
	commands_start(collect_now);
	ranges_start(window_was_open);
	sampling_start(run.scale.monotonic);
	error = background_thread_start(collect, "ktime");
	store_relaxed(&collector.started, !error);
	return error;
}

void collector_begin(const struct cupti_settings *later)
{
	/* Before the program can make a graph. */
	recording_start(collector_wake, later, main_thread_start_cupti_later);
	/* Release: the thread sees what was decided meanwhile, as the mode. */
	store_release(&collector.begun, 1);
	futex_wake(&collector.begun);
}

/* `end`, or the end of the run's wait if that comes earlier. Relaxed: it says nothing about other
 * data. */
static uint64_t until_at_most(uint64_t end)
{
	uint64_t limit = load_relaxed(&collector.until);

	return limit && limit < end ? limit : end;
}

static void request_end_context(struct context *context)
{
	/* The runtime ends its contexts in exit, after the wait for the report. */
	uint64_t end = until_at_most(clock_ns(CLOCK_MONOTONIC) + END_WAIT_NS + FINISH_WAIT_NS);

	/* An earlier request may still be in progress, although its thread no longer waits
	 * for it. */
	if (!futex_wait_while(&collector.request_word, REQUEST_END_CONTEXT, end))
		return;
	store_relaxed(&collector.ending, context);
	/* Must not replace a request to end the run. Release: the collector sees `ending`. */
	if (atomic_compare_exchange_strong_explicit(&collector.request_word,
						    &(uint32_t){REQUEST_NONE}, REQUEST_END_CONTEXT,
						    memory_order_release, memory_order_relaxed)) {
		collector_wake();
		futex_wait_while(&collector.request_word, REQUEST_END_CONTEXT, end);
	}
	/* Until the collector has finished it asks the driver about the events of all contexts. */
	if (finish_requested())
		futex_wait_while(&collector.finished, 0, end);
}

void collector_end_context(struct context *context)
{
	pthread_mutex_lock(&collector.request_lock);
	if (!load_acquire(&context->ended))
		request_end_context(context);
	if (!load_acquire(&context->ended))
		context_ending(context);
	pthread_mutex_unlock(&collector.request_lock);
}

void collector_ask_finish(bool soon)
{
	if (soon)
		store_relaxed(&collector.end_wait_ns, SIGNAL_WAIT_NS);
	/* Release: the collector sees the shorter wait. */
	store_release(&collector.request_word, REQUEST_FINISH);
	futex_wake(&collector.request_word);
	collector_wake();
}

bool collector_wait_finished(uint64_t end)
{
	return !load_relaxed(&collector.started) || futex_wait_while(&collector.finished, 0, end);
}

/* Waits for the collector to finish, as long as the driver answers it. */
static bool wait_while_answered(uint64_t end)
{
	uint32_t before;
	uint64_t limit;

	do {
		before = load_relaxed(&collector.polls);
		limit = clock_ns(CLOCK_MONOTONIC) + HELD_UP_NS;
		if (collector_wait_finished(limit < end ? limit : end))
			return true;
	} while (limit < end && load_relaxed(&collector.polls) != before);
	return false;
}

bool collector_finish(enum end_caller caller)
{
	bool soon = caller == END_IN_HOST_FUNCTION;
	uint64_t earlier = 0, end = clock_ns(CLOCK_MONOTONIC) +
				    (soon ? HELD_UP_NS : END_WAIT_NS + FINISH_WAIT_NS);

	/* The first caller sets the deadline for all, as this is called several times at exit. */
	atomic_compare_exchange_strong_explicit(&collector.until, &earlier, end,
						memory_order_relaxed, memory_order_relaxed);
	end = until_at_most(end);
	collector_ask_finish(soon);
	return caller == END_IN_CALL ? wait_while_answered(end) : collector_wait_finished(end);
}
