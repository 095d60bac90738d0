/* SPDX-License-Identifier: MIT */
/*
 * ktime's own thread. It alone reads the rings, asks about events, reads activity records and
 * writes the session; it runs with all signals blocked and in the relaxed capture mode, so that
 * its questions never end a capture of the program's.
 */
#ifndef KTIME_PRELOAD_COLLECTOR_COLLECTOR_H
#define KTIME_PRELOAD_COLLECTOR_COLLECTOR_H

#include <stdbool.h>

#include "preload/handles/stream.h"
#include "report/session/session.h"

/*
 * Starts the thread; 0 or -errno. On it run `finish` at the end, when all is collected, and
 * `main_ended` once the program's main thread has ended and others go on.
 */
int collector_start(struct session *session, void (*finish)(struct session *session),
		    void (*main_ended)(void));
/* Cuts the present sleep short. Any thread; a system call, so not on the launch path. */
void collector_wake(void);
/*
 * Right before the program ends a context: takes in what is finished, waits for what is not (the
 * driver's own call would wait for it just so), at most some seconds, and lets go of its events.
 */
void collector_end_context(struct context *context);
/*
 * Asks the collector to take in what is there, run `finish` and end its thread: once. `soon`: a
 * signal ends the process, so it hardly waits for work in flight. Any thread but the collector's
 * own, also in a signal's handler, and several at a time.
 */
void collector_ask_finish(bool soon);
/* Waits until that is done, at most until `end` (CLOCK_MONOTONIC, ns); false if that was not
 * enough. True if the thread was never started. */
bool collector_wait_finished(uint64_t end);
/* Both, for a program that ends in order; waits some seconds at most. */
bool collector_finish(void);

#endif
