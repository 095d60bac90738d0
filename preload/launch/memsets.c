/* SPDX-License-Identifier: MIT */
#include "preload/launch/memsets.h"

#include <errno.h>

#include "preload/base/clock.h"
#include "preload/base/futex.h"

#define HOLD_NS 200000u
#define POLL_NS 10000u
/* Turning a kind on takes CUPTI some 12 us (H100), and longer where it waits for the driver. */
#define WAIT_NS 10000000u

_Atomic uint32_t memsets_in_progress, memsets_held;

void memset_wait(void)
{
	int saved_errno = errno;
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + WAIT_NS;

	do {
		memset_ended();
		futex_wait_while(&memsets_held, 1, end);
		atomic_fetch_add_explicit(&memsets_in_progress, 1, memory_order_seq_cst);
	} while (atomic_load_explicit(&memsets_held, memory_order_seq_cst) &&
		 clock_ns(CLOCK_MONOTONIC) < end);
	errno = saved_errno;
}

bool memsets_hold(void)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + HOLD_NS;

	atomic_store_explicit(&memsets_held, 1, memory_order_seq_cst);
	while (atomic_load_explicit(&memsets_in_progress, memory_order_seq_cst)) {
		if (clock_ns(CLOCK_MONOTONIC) >= end)
			return false;
		futex_sleep(POLL_NS);
	}
	return true;
}

void memsets_release(void)
{
	store_release(&memsets_held, 0);
	futex_wake(&memsets_held);
}
