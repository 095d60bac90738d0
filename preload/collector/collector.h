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

/* Starts the thread. 0 or -errno. `finish` runs on it at the end, when all is collected. */
int collector_start(struct session *session, void (*finish)(struct session *session));
/* Cuts the present sleep short. Any thread; a system call, so not on the launch path. */
void collector_wake(void);
/*
 * Right before the program ends a context: takes in what is finished, waits for what is not (the
 * driver's own call would wait for it just so), at most some seconds, and lets go of its events.
 */
void collector_end_context(struct context *context);
/*
 * Collects what is there, runs `finish`, ends the thread: once, and nothing where the thread was
 * never started. Waits at most some seconds; false where that was not enough. Any thread but the
 * collector's own, also in a signal handler, and several at a time.
 */
bool collector_finish(void);

#endif
