/* SPDX-License-Identifier: MIT */
#include "preload/base/sandbox.h"

#include "preload/base/futex.h"

/* Chosen. */
#define CLOSE_WAIT_NS 100000000u
#define CLOSED	      (UINT32_C(1) << 31)

/* How many threads are amid such calls; and CLOSED. */
static _Atomic uint32_t calls;

void sandbox_calls_end(void)
{
	if (atomic_fetch_sub(&calls, 1) & CLOSED)
		futex_wake(&calls);
}

bool sandbox_calls_begin(void)
{
	if (!(atomic_fetch_add(&calls, 1) & CLOSED))
		return true;
	sandbox_calls_end();
	return false;
}

void sandbox_close(void)
{
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + CLOSE_WAIT_NS;
	uint32_t now = atomic_fetch_or(&calls, CLOSED) | CLOSED;

	while (now != CLOSED && futex_wait_while(&calls, now, end))
		now = atomic_load(&calls);
}
