/* SPDX-License-Identifier: MIT */
/*
 * Gives contexts their gates (see gate.h): a page of words that the device reads, and a test
 * whether a stream really waits for them, on a stream of the program's. ktime makes no stream for
 * it: once a process has launched into some more streams, graphs take longer for good (H100).
 */
#ifndef KTIME_PRELOAD_EVENTS_CONTEXT_GATES_H
#define KTIME_PRELOAD_EVENTS_CONTEXT_GATES_H

#include <stdbool.h>

#include "preload/handles/stream.h"
#include "report/session/session.h"

/* Calls may be gated in this run. `wake` wakes the collector. To be called before the first call.
 */
void context_gates_allow(void (*wake)(void));
bool context_gates_allowed(void);
/* To be called when the program works in a context: wakes the collector for one that has no page.
 */
void context_gates_expect(const struct context *context);
/*
 * Makes the pages of contexts that have none yet, unless a stream captures, on the spare thread.
 * Adds a warning to the profile for a context whose gates do not work or were turned off. For the
 * collector, as the two below are.
 */
void context_gates_update(struct session *session);
/* At the end of the run: waits up to `wait` ns for the spare thread, which should not be in the
 * driver when the process ends, and brings what the profile says of gates up to date. */
void context_gates_finish(struct session *session, uint64_t wait);
/* To be called when a context has ended, once its calls have been collected. */
void context_gates_end(struct session *session, struct context *context);

/*
 * Tries the gates of a context that has a page and was not tried yet, where its stream has nothing
 * to do: some 50 us, 0.3 ms at most. Within the program's call that passed the stream, into which
 * the thread's gate and an event of its own are put, with the context current. False if it was put
 * off: the stream is busy, or another thread tries the context.
 */
bool context_gates_try(const struct stream *stream, struct gate *gate, CUevent event);
/* Turns the gates of a context off, for the reason that the user is told. Any thread. */
void context_gates_turn_off(struct context *context, enum gates_off why) LAUNCH_COLD;
/* Notes that the device was late at a gate; it is turned off after some. Any thread. */
void context_gates_late(struct context *context) LAUNCH_COLD;

#endif
