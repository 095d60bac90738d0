/* SPDX-License-Identifier: MIT */
/* Waiting until a word in memory changes: the futex system call, which glibc does not wrap. */
#ifndef KTIME_PRELOAD_BASE_FUTEX_H
#define KTIME_PRELOAD_BASE_FUTEX_H

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/base/atomics.h"
#include "preload/base/clock.h"

/*
 * Waits until futex_wake() is called for the word, or the time has passed. Returns at once if the
 * word does not have this value. It may also return early, so callers check their condition again.
 */
static inline void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds)
{
	struct timespec limit = {.tv_sec = (time_t)(nanoseconds / 1000000000u),
				 .tv_nsec = (long)(nanoseconds % 1000000000u)};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

/* Wakes all threads that wait on the word. May be called in a signal handler. */
static inline void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* Waits while the word has the value; false if it still has it at `end`, CLOCK_MONOTONIC in ns. */
static inline bool futex_wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t end)
{
	uint64_t now;

	while (load_acquire(word) == value) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= end)
			return false;
		futex_wait(word, value, end - now);
	}
	return true;
}

/* Sleeps, without a function of libc's that the program may have replaced. */
static inline void futex_sleep(uint64_t nanoseconds)
{
	_Atomic uint32_t never_woken = 0;

	futex_wait(&never_woken, 0, nanoseconds);
}

#endif
