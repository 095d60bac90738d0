/* SPDX-License-Identifier: MIT */
/*
 * The collector: ktime's background thread. It alone reads the rings, event pairs and activity
 * records, and writes the profile. It blocks all signals and is in the relaxed capture mode, in
 * which its calls to the driver cannot invalidate a stream capture.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_COLLECTOR_H
#define KTIME_PRELOAD_COLLECTOR_COLLECTOR_H

#include <stdbool.h>

#include "cupti/cupti.h"
#include "preload/handles/stream.h"

/*
 * Starts the thread; 0 or -errno. It calls `finish` at the end of the run, when all is collected.
 */
int collector_start(void (*finish)(void));
/* Has the collector thread begin its work. After collector_start() the thread waits for this, so
 * that what it needs is set up only if the thread could be started. `late`: the settings with which
 * it is to start CUPTI later; NULL: CUPTI is started already, or not used. */
void collector_begin(const struct cupti_settings *late);
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

#endif
