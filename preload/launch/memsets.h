/* SPDX-License-Identifier: MIT */
/*
 * Memsets in progress, which CUPTI must not see change what it records of kernels. Where the kind
 * of kernels was turned on while a thread was in cuMemsetD8Async, the end of that memset looked for
 * what its beginning had not made: a fault in CUPTI that ended 5 of some 530 processes of ResNet-50
 * with recording windows, 40 to 48 of them on a device (CUPTI 13.0.85, H100).
 */
#ifndef KTIME_PRELOAD_LAUNCH_MEMSETS_H
#define KTIME_PRELOAD_LAUNCH_MEMSETS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern _Atomic uint32_t memsets_in_progress, memsets_held;

/* Waits, for 10 ms at most, until they are not held any more. */
void memset_wait(void);

/*
 * Around the real call of a memset, on its thread; two locked instructions. Sequentially
 * consistent, here and in memsets_hold(): either this thread sees that they are held, or the one
 * that holds them sees the memset.
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
 * Keeps memsets from beginning until memsets_release(), which follows whatever this returns:
 * whether none is in progress, for which it waits for 0.2 ms at most. One thread at a time.
 */
bool memsets_hold(void);
void memsets_release(void);

#endif
