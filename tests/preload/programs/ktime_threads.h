/* SPDX-License-Identifier: MIT */
/*
 * For programs that wait for ktime's threads, or keep them waiting: they read the clock several
 * times in each of their turns, and by the clock_gettime of the program, which has to be linked
 * with -rdynamic. Included once; without a preload there is nothing to wait for.
 */
#ifndef KTIME_TESTS_PRELOAD_PROGRAMS_KTIME_THREADS_H
#define KTIME_TESTS_PRELOAD_PROGRAMS_KTIME_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

/* To be set in each of the program's own threads that may read the clock. */
static __thread bool thread_of_program;
static _Atomic bool ktime_is_held;
static _Atomic unsigned clock_reads;

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!thread_of_program)
		atomic_fetch_add(&clock_reads, 1);
	while (!thread_of_program && atomic_load(&ktime_is_held))
		usleep(100);
	return (int)syscall(SYS_clock_gettime, clock, now);
}

static void wait_for_clock_reads(unsigned count)
{
	unsigned first = atomic_load(&clock_reads);

	for (int i = 0; getenv("LD_PRELOAD") && atomic_load(&clock_reads) - first < count; i++) {
		EXPECT(true, i < 100000); /* 10 s and more */
		usleep(100);
	}
}

/* Until ktime's threads had some turns: what was finished before has come back to them. */
static inline void wait_for_ktime(void)
{
	wait_for_clock_reads(100);
}

static inline void wait_for_a_turn_of_ktime(void)
{
	wait_for_clock_reads(20);
}

/* Until they had so many that they take the program for quiet, and ask CUPTI for what it has. */
static inline void wait_for_ktime_at_rest(void)
{
	wait_for_clock_reads(1000);
}

/* From here on nothing is collected until release_ktime(). */
static inline void hold_ktime(void)
{
	atomic_store(&ktime_is_held, true);
	wait_for_clock_reads(1);
}

static inline void release_ktime(void)
{
	atomic_store(&ktime_is_held, false);
}

#endif
