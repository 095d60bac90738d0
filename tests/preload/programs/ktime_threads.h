/* SPDX-License-Identifier: MIT */
/*
 * For programs that wait for ktime's threads, or keep them waiting: both threads read the clock
 * several times in each of their turns, by the function syscall of the program, which has to be
 * linked with -rdynamic. Included once; without a preload there is nothing to wait for.
 */
#ifndef KTIME_TESTS_PRELOAD_PROGRAMS_KTIME_THREADS_H
#define KTIME_TESTS_PRELOAD_PROGRAMS_KTIME_THREADS_H

#include <errno.h>
#include <stdarg.h>
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

#if defined(__x86_64__)
static long call_kernel(long number, const long *with)
{
	register long fourth __asm__("r10") = with[3];
	register long fifth __asm__("r8") = with[4];
	register long sixth __asm__("r9") = with[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(with[0]), "S"(with[1]), "d"(with[2]), "r"(fourth),
			   "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static long call_kernel(long number, const long *with)
{
	register long first __asm__("x0") = with[0];
	register long second __asm__("x1") = with[1];
	register long third __asm__("x2") = with[2];
	register long fourth __asm__("x3") = with[3];
	register long fifth __asm__("x4") = with[4];
	register long sixth __asm__("x5") = with[5];
	register long called __asm__("x8") = number;

	__asm__ volatile("svc 0"
			 : "+r"(first)
			 : "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth), "r"(called)
			 : "memory");
	return first;
}
#endif

/* In place of libc's, and as that one it reads six arguments however many there are: the last lies
 * on the stack of the caller. */
__attribute__((visibility("default"), no_sanitize("address"))) long syscall(long number, ...)
{
	static const char *const names[KTIME_THREADS] = {"ktime", "ktime reporter"};
	char name[16] = "";
	long with[6], result;
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		with[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_clock_gettime)
		prctl(PR_GET_NAME, name);
	for (int i = 0; i < KTIME_THREADS; i++)
		if (strcmp(name, names[i]) == 0)
			read_by_ktime((enum ktime_thread)i, (clockid_t)with[0]);
	result = call_kernel(number, with);
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
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
