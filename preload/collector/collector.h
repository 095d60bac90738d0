/* SPDX-License-Identifier: MIT */
/*
 * The collector: ktime's background thread. It alone reads the rings, event pairs and activity
 * records, and writes the profile. It blocks all signals and is in the relaxed capture mode, in
 * which its calls to the driver cannot invalidate a stream capture.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_COLLECTOR_H
#define KTIME_PRELOAD_COLLECTOR_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti/cupti.h"
#include "preload/handles/stream.h"

/*
 * Starts the thread; 0 or -errno. It calls `finish` at the end of the run, when all is collected.
 */
int collector_start(void (*finish)(void));
/* Has the collector thread begin its work. After collector_start() the thread waits for this, so
 * that what it needs is set up only if the thread could be started. `later`: the settings with
 * which it is to start CUPTI later; NULL: CUPTI is started already, or not used. */
void collector_begin(const struct cupti_settings *later);
/* Wakes the collector from its sleep. Any thread; a system call, so not for the launch path. */
void collector_wake(void);
/*
 * To be called right before the program ends a context: collects what is finished, waits up to some
 * seconds for what is not, as the driver's call would, and gives up the context's events. Any
 * thread but the collector; takes a lock.
 */
void collector_end_context(struct context *context);
/*
 * Asks the collector to collect all that is left, call `finish` and end its thread, once. `soon`: a
 * signal ends the process, so it hardly waits for work in flight. Any thread but the collector,
 * several at a time, also in a signal handler.
 */
void collector_ask_finish(bool soon);
/* Waits for the collector to finish, until `end` (CLOCK_MONOTONIC in nanoseconds) at most; false if
 * it has not by then. True if the thread was never started. */
bool collector_wait_finished(uint64_t end);
/* What the thread that ends the program is inside of. */
enum end_caller {
	END_OUTSIDE, /* no CUDA call */
	END_IN_CALL, /* a CUDA call (exit in a signal handler): may hold the driver's locks */
	END_IN_HOST_FUNCTION, /* a host function: work queued behind it cannot finish */
};
/*
 * For a program that ends by itself: asks the collector to finish and waits for it, for some
 * seconds at most. With END_IN_CALL it waits only while the driver still answers the collector's
 * calls, with END_IN_HOST_FUNCTION 300 ms at most.
 */
bool collector_finish(enum end_caller caller);

/*
 * Watches for the end of the main thread. If it ends with pthread_exit(), the process goes on until
 * its other threads end: ktime's threads must not keep it alive.
 */

/* Adds to the number of ktime's own threads, which begins with the collector and the reporter. To
 * be called before collector_begin(). */
void main_thread_add_own(unsigned threads);
/*
 * Start CUPTI, as cupti_start(), and count the threads that it starts as ktime's. The first
 * function is for the thread that starts ktime. The second is for the collector, while the program
 * may start and end threads: it counts the new threads that have the spare thread's name, as a
 * thread inherits its creator's name. If there is none, because CUPTI names its threads, all new
 * threads are counted: if too few are, a process whose main thread has ended would never end.
 */
int main_thread_start_cupti(const struct cupti_settings *settings, char *reason, size_t size);
int main_thread_start_cupti_later(const struct cupti_settings *settings, char *reason, size_t size);

/*
 * Whether the main thread has ended and only ktime's threads are left. Once it has ended that is
 * checked once a second, by reading a file of /proc. `now` is CLOCK_MONOTONIC in nanoseconds. For
 * the collector thread only.
 */
bool main_thread_was_last(uint64_t now);

#endif
