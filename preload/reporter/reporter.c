/* SPDX-License-Identifier: MIT */
#include "preload/reporter/reporter.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/atomics.h"
#include "preload/base/background_thread.h"
#include "preload/base/clock.h"
#include "preload/base/default_action.h"
#include "preload/base/futex.h"
#include "preload/base/lifecycle_state.h"
#include "preload/collector/collector.h"
#include "preload/events/gates.h"

/* How long the collector has for its own report. Chosen: on an H200 programs were gone, teardown
 * included, 0.14 to 0.41 s after the signal, each with the collector's report. */
#define COLLECTOR_NS 300000000u
/* By how long after the signal printing must end: it goes to a pipe that perhaps nobody reads.
 * Chosen.
 */
#define PRINT_NS     1000000000u
/* How long the kernel has for the default action, each time. Chosen. */
#define TAKEN_NS     500000000u
/* Between two looks at the gates while they are in use. */
#define GATE_LOOK_NS 1000000u
/* The longest sleep, an hour: it has nothing to do. */
#define WAIT_NS	     UINT64_C(3600000000000)

/* The other threads' requests to the reporter, and the data that it needs for them. */
static struct {
	struct reporter_output output;
	char kept_line[512];
	size_t kept_length;
	_Atomic uint32_t wake_word; /* counts what the reporter is woken for */
	_Atomic int ending;	    /* the signal; 0: none */
	_Atomic uint32_t reported;
	_Atomic uint64_t asked; /* CLOCK_MONOTONIC, ns */
	_Atomic int thread;	/* that the signal came to */
	_Atomic bool claimed;
	pid_t process;
} reporter;

static void wake(void)
{
	/* Release: the reporter sees what it is woken for. */
	add_release(&reporter.wake_word, 1);
	futex_wake(&reporter.wake_word);
}

bool reporter_ask(int signal, unsigned *milliseconds)
{
	int none = 0;

	/* Release: with what the caller wrote before. */
	if (!atomic_compare_exchange_strong_explicit(&reporter.ending, &none, signal,
						     memory_order_acq_rel, memory_order_acquire)) {
		uint64_t first = load_relaxed(&reporter.asked);

		*milliseconds =
			first ? (unsigned)((clock_ns(CLOCK_MONOTONIC) - first) / 1000000) : 0;
		return false;
	}
	store_relaxed(&reporter.thread, (int)syscall(SYS_gettid));
	/* Release: whoever sees the time sees the thread. */
	store_release(&reporter.asked, clock_ns(CLOCK_MONOTONIC));
	wake();
	return true;
}

void reporter_wait(unsigned milliseconds)
{
	futex_wait_while(&reporter.reported, 0,
			 clock_ns(CLOCK_MONOTONIC) + milliseconds * UINT64_C(1000000));
}

bool reporter_claim(void)
{
	return !atomic_exchange_explicit(&reporter.claimed, true, memory_order_acq_rel);
}

/* One line, only if it can be written at once. */
static void say_what_is_kept(void)
{
	if (reporter.kept_length && reporter.output.kept[0] && log_file_is_stream(STDERR_FILENO) &&
	    log_file_has_room(STDERR_FILENO, 0) &&
	    write(STDERR_FILENO, reporter.kept_line, reporter.kept_length) < 0)
		return;
}

/* The report in the collector's place, unless the collector has begun to print it. */
static void print_by(uint64_t end)
{
	if (reporter_claim()) {
		last_report_write(&reporter.output, end);
		prometheus_file_end();
	} else if (collector_wait_finished(end)) {
		return;
	}
	if (!last_report_is_written())
		say_what_is_kept();
}

static void report(uint64_t since)
{
	collector_ask_finish(true);
	if (!collector_wait_finished(since + COLLECTOR_NS))
		print_by(since + PRINT_NS);
}

void reporter_print(void)
{
	print_by(clock_ns(CLOCK_MONOTONIC) + PRINT_NS);
}

/*
 * The thread may have blocked the signal meanwhile, or the program set an action: it is sent a
 * second time, to this thread. A tracer may still keep it from the process.
 */
static void end_process(int signal)
{
	sigset_t signals;

	default_action_take(reporter.process, load_relaxed(&reporter.thread), signal);
	futex_sleep(TAKEN_NS);
	sigemptyset(&signals);
	sigaddset(&signals, signal);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
	default_action_take(reporter.process, (pid_t)syscall(SYS_gettid), signal);
}

static void *run(void *unused)
{
	(void)unused;
	sanitizer_ignore_begin();
	for (;;) {
		uint32_t woken = load_acquire(&reporter.wake_word);

		if (load_acquire(&reporter.ending))
			break;
		futex_wait(&reporter.wake_word, woken,
			   gate_watch(clock_ns(CLOCK_MONOTONIC)) ? GATE_LOOK_NS : WAIT_NS);
	}
	gate_open_all();
	/* The handler writes the time right after the signal. */
	while (!load_acquire(&reporter.asked))
		sched_yield();
	report(load_acquire(&reporter.asked));
	sanitizer_ignore_end();
	store_release(&reporter.reported, 1);
	futex_wake(&reporter.reported);
	/* A fault ends the process by itself once its handler returns. */
	if (!default_action_is_fault(load_relaxed(&reporter.ending)))
		end_process(load_relaxed(&reporter.ending));
	futex_sleep(TAKEN_NS);
	lifecycle_survived();
	return NULL;
}

int reporter_start(const struct reporter_output *the_output)
{
	int length = 0, error;

	reporter.output = *the_output;
	reporter.process = getpid();
	if (reporter.output.kept && reporter.output.kept[0])
		length = snprintf(reporter.kept_line, sizeof(reporter.kept_line),
				  "==%d== ktime: no report could be printed; the profile is kept: "
				  "ktime show %s\n",
				  (int)reporter.process, reporter.output.kept);
	reporter.kept_length =
		length > 0 && (size_t)length < sizeof(reporter.kept_line) ? (size_t)length : 0;
	error = background_thread_start(run, "ktime reporter");
	if (!error)
		gate_start_watch(wake);
	return error;
}
