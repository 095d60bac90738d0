/* SPDX-License-Identifier: MIT */
/*
 * Gives contexts their gates (see gate.h): a page of words that the device reads, and a test
 * whether a stream really waits for them, on a stream of the program's. ktime makes no stream for
 * it: once a process has launched into some more streams, graphs take longer for good (H100).
 */
#ifndef KTIME_PRELOAD_EVENTS_CONTEXT_GATES_H
#define KTIME_PRELOAD_EVENTS_CONTEXT_GATES_H

#include <stdbool.h>

#include "preload/base/gate.h"
#include "preload/driver/driver.h"
#include "preload/handles/stream.h"
#include "report/session/session.h"

/* The device's side of a gate (see gate.h): a stream waits at it. */

/*
 * Has the stream write that it has arrived at the gate, then wait until it is open. Both in one
 * call, which takes the host no longer than the wait alone (H200: 1.0 us). `words`: the device's
 * address of the context's words. Any thread, with the context current.
 */
static inline CUresult gate_wait(CUstream stream, CUdeviceptr words, const struct gate *gate,
				 uint32_t value)
{
	CUdeviceptr of = words + gate_offset(gate);
	CUstreamBatchMemOpParams operations[] = {
		{.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
				.address = of + offsetof(struct gate_word, arrived) +
					   value % GATE_ARRIVALS * sizeof(uint32_t),
				.value = value}},
		{.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
			       .address = of + offsetof(struct gate_word, word),
			       .value = value,
			       .flags = CU_STREAM_WAIT_VALUE_GEQ}},
	};

	return driver.cuStreamBatchMemOp_v2(stream, 2, operations, 0);
}

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
