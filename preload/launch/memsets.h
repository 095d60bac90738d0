/* SPDX-License-Identifier: MIT */
/*
 * Keeps memsets and changes of CUPTI's kernel kind apart. If the kind is turned on while a thread
 * is inside cuMemsetD8Async, CUPTI's exit callback of that memset expects data that its entry
 * callback did not make, and crashes: 5 of some 530 processes of ResNet-50 with recording windows,
 * 40 to 48 of them on one device (CUPTI 13.0.85, H100).
 */
#ifndef KTIME_PRELOAD_LAUNCH_MEMSETS_H
#define KTIME_PRELOAD_LAUNCH_MEMSETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic uint32_t memsets_in_progress, memsets_held;

/* Waits, for 10 ms at most, for memsets_release(). */
void memset_wait(void);

/*
 * To be called before and after the real call of a memset, on its thread; two locked instructions.
 * Sequentially consistent, here and in memsets_hold(): either this thread sees that memsets are
 * held back, or the thread that holds them back sees this memset in progress.
 */
static inline void memset_begins(void)
{
	atomic_fetch_add_explicit(&memsets_in_progress, 1, memory_order_seq_cst);
	if (__builtin_expect(atomic_load_explicit(&memsets_held, memory_order_seq_cst), 0))
		memset_wait();
}

static inline void memset_ended(void)
{
	atomic_fetch_sub_explicit(&memsets_in_progress, 1, memory_order_release);
}

/*
 * Keeps memsets from beginning until memsets_release(), which must follow in any case. Waits, for
 * 0.2 ms at most, for the memsets in progress; returns whether none is in progress any more. Not to
 * be called by two threads at once.
 */
bool memsets_hold(void);
void memsets_release(void);

#endif
