/* SPDX-License-Identifier: MIT */
/* Gives contexts their gates (see gate.h): a page of words that the device reads, and a test
 * whether a stream really waits for them. For the collector thread only. */
#ifndef KTIME_PRELOAD_EVENTS_CONTEXT_GATES_H
#define KTIME_PRELOAD_EVENTS_CONTEXT_GATES_H

#include <stdbool.h>

#include "preload/handles/stream.h"
#include "report/session/session.h"

/* Whether calls may be gated at all in this run; no unless this says so. To be called before the
 * first call. */
void context_gates_allow(bool allowed);
bool context_gates_allowed(void);
/*
 * Makes the gates of contexts that have none yet, unless a stream captures: some 0.3 ms for each
 * context, in which the driver's lock is taken several times, on the spare thread. Waits for
 * that 10 ms at most; else a later call takes the outcome. Adds a warning to the profile for a
 * context whose gates do not work or were turned off.
 */
void context_gates_update(struct session *session);
/* At the end of the run: waits up to `wait` ns for a test in progress, which should not be in
 * the driver when the process ends, and brings what the profile says of gates up to date. Asks the
 * driver nothing. */
void context_gates_finish(struct session *session, uint64_t wait);
/* To be called when a context has ended, once its calls have been collected. Waits for its test. */
void context_gates_end(struct session *session, struct context *context);

#endif
