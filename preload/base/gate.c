/* SPDX-License-Identifier: MIT */
#include "preload/base/gate.h"

/* How many polls, a millisecond apart, a gate may be closed. A launch takes 5 to 10 us; one that
 * takes this long waits for the device. Chosen. */
#define MOST_POLLS 5u
/* How long the reporter goes on polling after the last use. Chosen. */
#define USED_NS	   1000000000u

_Static_assert(sizeof(struct gate_words) == 4096, "a page");

struct gate gates[GATE_THREADS];
_Atomic bool gates_watched;

static void (*_Atomic wake_reporter)(void);
static _Atomic uint64_t forced;

/* For the reporter: what it saw at the last poll. */
static struct {
	const struct gate_word *closed;
	uint32_t value, uses;
	unsigned polls;
} seen[GATE_THREADS];
static uint64_t last_use;

void gate_start_watch(void (*wake)(void))
{
	/* Release: a thread that sees the function may call it. */
	atomic_store_explicit(&wake_reporter, wake, memory_order_release);
}

void gate_wake_watch(void)
{
	void (*wake)(void) = atomic_load_explicit(&wake_reporter, memory_order_acquire);

	if (wake && !atomic_exchange_explicit(&gates_watched, true, memory_order_seq_cst))
		wake();
}

/* The value before is compared: the thread may have opened the gate, and closed it again, since it
 * was read. */
static void force_open(struct gate_word *of, uint32_t value)
{
	uint32_t before = value - 1;

	if (atomic_compare_exchange_strong_explicit(&of->word, &before, value, memory_order_release,
						    memory_order_relaxed))
		atomic_fetch_add_explicit(&forced, 1, memory_order_relaxed);
}

/* Returns whether the gate was used since the last poll. */
static bool poll_gate(unsigned index)
{
	struct gate_word *closed = atomic_load_explicit(&gates[index].closed, memory_order_seq_cst);
	uint32_t value = atomic_load_explicit(&gates[index].value, memory_order_relaxed);
	uint32_t uses = atomic_load_explicit(&gates[index].uses, memory_order_relaxed);
	bool used = uses != seen[index].uses;

	if (!closed || closed != seen[index].closed || value != seen[index].value)
		seen[index].polls = 0;
	else if (++seen[index].polls >= MOST_POLLS)
		force_open(closed, value);
	seen[index].closed = closed;
	seen[index].value = value;
	seen[index].uses = uses;
	return used || closed;
}

static bool poll_all(void)
{
	bool used = false;

	for (unsigned i = 0; i < GATE_THREADS; i++)
		used |= poll_gate(i);
	return used;
}

bool gate_watch(uint64_t now)
{
	if (!atomic_load_explicit(&gates_watched, memory_order_seq_cst))
		return false;
	if (poll_all())
		last_use = now;
	if (now - last_use < USED_NS)
		return true;
	atomic_store_explicit(&gates_watched, false, memory_order_seq_cst);
	/* A gate may have been closed before its thread could see that the watch ends. */
	if (!poll_all())
		return false;
	last_use = now;
	atomic_store_explicit(&gates_watched, true, memory_order_seq_cst);
	return true;
}

void gate_open_all(void)
{
	for (unsigned i = 0; i < GATE_THREADS; i++) {
		struct gate_word *closed =
			atomic_load_explicit(&gates[i].closed, memory_order_seq_cst);

		if (closed)
			force_open(closed,
				   atomic_load_explicit(&gates[i].value, memory_order_relaxed));
	}
}

uint64_t gate_forced(void)
{
	return atomic_load_explicit(&forced, memory_order_relaxed);
}

struct gate *gate_take(void)
{
	bool taken;

	for (unsigned i = 0;
	     i < GATE_THREADS && atomic_load_explicit(&wake_reporter, memory_order_relaxed); i++) {
		taken = false;
		/* Acquire: the gate is as its last thread left it. */
		if (atomic_compare_exchange_strong_explicit(&gates[i].taken, &taken, true,
							    memory_order_acquire,
							    memory_order_relaxed))
			return &gates[i];
	}
	return NULL;
}

void gate_give(struct gate *gate)
{
	/* Closed still if the thread left a wrapper by longjmp or was cancelled there. */
	if (atomic_load_explicit(&gate->closed, memory_order_relaxed))
		gate_open(gate);
	atomic_store_explicit(&gate->taken, false, memory_order_release);
}
