/* SPDX-License-Identifier: MIT */
/*
 * Gates: a stream waits on a word that the host writes, so that the device finds an event, the
 * operation and a second event queued when it goes on, and the time between the events holds
 * nothing of the host's. The host's side are the words that are waited for at present, and the
 * watch over them; none of these functions calls the driver, allocates or takes a lock.
 *
 * Right before its wait the stream also writes that it has arrived, into the same cache line. So
 * the host can tell, when it opens the gate, whether the device was waiting there or was busy with
 * earlier work of the stream.
 *
 * A gate is open again when the wrapper of the gated call returns. If that takes long, as when the
 * launch itself waits for the device, the reporter opens the gate.
 */
#ifndef KTIME_PRELOAD_EVENTS_GATES_H
#define KTIME_PRELOAD_EVENTS_GATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/base/atomics.h"
#include "preload/base/launch_state.h"
#include "preload/driver/driver.h"
#include "preload/handles/stream.h"

/* How many threads can have a gate at the same time: one cache line each of a page of 4096 bytes.
 * Calls of further threads are not gated. */
#define GATE_THREADS  64u

/* How many gates a thread may use one after the other until two share an `arrived`: an earlier
 * stream may reach its gate after a later one has reached its own. */
#define GATE_ARRIVALS 8u

/* A thread's words in one context: the host writes the first one, the device the others. */
struct gate_word {
	_Atomic uint32_t word __attribute__((aligned(CACHE_LINE)));
	_Atomic uint32_t arrived[GATE_ARRIVALS];
};

/* The words of one context: a page of shared memory that the device reads and writes. */
struct gate_words {
	struct gate_word of[GATE_THREADS];
};

/* One thread's gate. */
struct gate {
	/* The word that a stream waits for, until it has `value`; NULL: the gate is open. */
	struct gate_word *_Atomic closed __attribute__((aligned(CACHE_LINE)));
	_Atomic uint32_t value;
	_Atomic uint32_t uses;
	_Atomic bool taken;
};

extern struct gate gates[GATE_THREADS];

/* To be called once, by the reporter; `wake` wakes it. Before that no thread gets a gate, as nobody
 * would open it if the thread did not. */
void gate_start_watch(void (*wake)(void));
/*
 * Opens the gates that have been closed for some 4 ms. To be called once a millisecond by the
 * reporter while this returns true; false: no gate was used in the last second, and the next use
 * wakes the reporter. `now` is CLOCK_MONOTONIC in nanoseconds.
 */
bool gate_watch(uint64_t now);
/* Opens all gates. For the reporter. */
void gate_open_all(void);
/* How many gates the reporter has opened. */
extern _Atomic uint64_t gates_forced;

/* Takes a gate for the calling thread, NULL if all are in use; and returns it, opened. */
struct gate *gate_take(void);
void gate_give(struct gate *gate);

void gate_wake_watch(void) LAUNCH_COLD;

/* Where the gate's words are in a context's, in bytes. */
static inline size_t gate_offset(const struct gate *gate)
{
	return (size_t)(gate - gates) * sizeof(((struct gate_words *)NULL)->of[0]);
}

/* Closes the gate; returns the value that the stream has to wait for. */
static inline uint32_t gate_close(struct gate *gate, struct gate_words *words)
{
	struct gate_word *of = &words->of[gate - gates];
	/* Only this thread changes its word, unless the reporter has to open the gate. */
	uint32_t value = load_relaxed(&of->word) + 1;

	store_relaxed(&gate->value, value);
	store_relaxed(&gate->uses, load_relaxed(&gate->uses) + 1);
	/* Sequentially consistent, as the reporter's stop is: it sees the gate or the thread sees
	 * that it has stopped. */
	atomic_store_explicit(&gate->closed, of, memory_order_seq_cst);
	if (__builtin_expect(
		    !atomic_load_explicit(&launch_state.gates_watched, memory_order_seq_cst), 0))
		gate_wake_watch();
	return value;
}

/* Whether the device has come to the gate that was closed with this value. */
static inline bool gate_was_reached(const struct gate_word *of, uint32_t value)
{
	return load_relaxed(&of->arrived[value % GATE_ARRIVALS]) == value;
}

/* Whether the device waits at the closed gate. */
static inline bool gate_has_arrived(const struct gate *gate)
{
	return gate_was_reached(load_relaxed(&gate->closed), load_relaxed(&gate->value));
}

/* Opens the gate; false if the reporter had to. */
static inline bool gate_open(struct gate *gate)
{
	struct gate_word *of = load_relaxed(&gate->closed);
	uint32_t value = load_relaxed(&gate->value);
	bool closed = load_relaxed(&of->word) != value;

	/* Release: after the calls that queued what the gate holds back. */
	store_release(&of->word, value);
	store_release(&gate->closed, NULL);
	return closed;
}

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

/*
 * Gives contexts their gates: a page of words that the device reads, and a test whether a stream
 * really waits for them, on a stream of the program's. ktime makes no stream for it: once a process
 * has launched into some more streams, graphs take longer for good (H100).
 */

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
void context_gates_update(void);
/* At the end of the run: waits up to `wait` ns for the spare thread, which should not be in the
 * driver when the process ends, and brings what the profile says of gates up to date. */
void context_gates_finish(uint64_t wait);
/* To be called when a context has ended, once its calls have been collected. */
void context_gates_end(struct context *context);

/*
 * Tests whether a stream of the context really waits at a closed gate, if the context has a page,
 * was not tested yet, and the stream is idle. To be called within the program's call that passed
 * the stream, with the context current: puts the thread's gate and `event` into the stream. Takes
 * 50 us as a rule, 0.3 ms at most. False if the test was put off, as the stream is busy or another
 * thread tests the context.
 */
bool context_gates_try(const struct stream *stream, struct gate *gate, CUevent event);
/* Turns the gates of a context off, for the reason that the user is told. Any thread. */
void context_gates_turn_off(struct context *context, enum gates_off why) LAUNCH_COLD;
/* Counts that the device was late at a gate; after GATES_LATE_MOST times the context's gates are
 * turned off. Any thread. */
void context_gates_late(struct context *context) LAUNCH_COLD;

#endif
