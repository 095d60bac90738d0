/* SPDX-License-Identifier: MIT */
/*
 * For programs that wait for ktime's threads, or keep them waiting: both threads read the clock
 * several times in each of their turns, and by the clock_gettime of the program, which has to be
 * linked with -rdynamic. Included once; without a preload there is nothing to wait for.
 */
#ifndef KTIME_TESTS_PRELOAD_PROGRAMS_KTIME_THREADS_H
#define KTIME_TESTS_PRELOAD_PROGRAMS_KTIME_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

enum ktime_thread { KTIME_COLLECTOR, KTIME_REPORTER, KTIME_THREADS };

/* Of each of ktime's threads: how often it has read the clock, and whether it is to wait there. */
static _Atomic unsigned clock_reads[KTIME_THREADS];
static _Atomic bool is_held[KTIME_THREADS], waits_there[KTIME_THREADS];
/* The collector reads CLOCK_REALTIME once or twice in each turn. */
static _Atomic unsigned collector_turns;

static void read_by_ktime(enum ktime_thread thread, clockid_t clock)
{
	atomic_fetch_add(&clock_reads[thread], 1);
	if (thread == KTIME_COLLECTOR && clock == CLOCK_REALTIME)
		atomic_fetch_add(&collector_turns, 1);
	while (atomic_load(&is_held[thread])) {
		atomic_store(&waits_there[thread], true);
		usleep(100);
	}
	atomic_store(&waits_there[thread], false);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
	static const char *const names[KTIME_THREADS] = {"ktime", "ktime reporter"};
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	for (int i = 0; i < KTIME_THREADS; i++)
		if (strcmp(name, names[i]) == 0)
			read_by_ktime((enum ktime_thread)i, clock);
	return (int)syscall(SYS_clock_gettime, clock, now);
}

static void wait_for_clock_reads(enum ktime_thread thread, unsigned count)
{
	unsigned first = atomic_load(&clock_reads[thread]);

	for (int i = 0; getenv("LD_PRELOAD") && atomic_load(&clock_reads[thread]) - first < count;
	     i++) {
		EXPECT(true, i < 1000000); /* 100 s and more */
		usleep(100);
	}
}

/* Until the collector had some turns: what was finished before has come back to it. */
static inline void wait_for_ktime(void)
{
	wait_for_clock_reads(KTIME_COLLECTOR, 100);
}

static inline void wait_for_a_turn_of_ktime(void)
{
	wait_for_clock_reads(KTIME_COLLECTOR, 20);
}

/* Until it had as many as it takes the program for quiet after, and asks CUPTI for what it has. */
static inline void wait_for_ktime_at_rest(void)
{
	wait_for_clock_reads(KTIME_COLLECTOR, 1000);
}

/* From here on nothing is collected until release_ktime(). */
static inline void hold_ktime(void)
{
	atomic_store(&is_held[KTIME_COLLECTOR], true);
	for (int i = 0; getenv("LD_PRELOAD") && !atomic_load(&waits_there[KTIME_COLLECTOR]); i++) {
		EXPECT(true, i < 1000000); /* 100 s and more */
		usleep(100);
	}
}

static inline void release_ktime(void)
{
	atomic_store(&is_held[KTIME_COLLECTOR], false);
}

/* From here on no gate is opened because its launch takes long, until release_gates(): on a busy
 * machine any launch may take that long. The reporter need not be awake. */
static inline void hold_gates(void)
{
	atomic_store(&is_held[KTIME_REPORTER], true);
}

static inline void release_gates(void)
{
	atomic_store(&is_held[KTIME_REPORTER], false);
}

#endif
