/* SPDX-License-Identifier: MIT */
/*
 * All clocks that ktime reads. The launch path reads the processor's cycle counter, which takes
 * about 10 ns; the collector converts its ticks to nanoseconds. The kernel's clocks are read by the
 * system call, not by libc's function, which a program or another preloaded library may have
 * replaced: under libfaketime time may stand still or run tenfold, and ktime's limits and figures
 * must not follow it.
 */
#ifndef KTIME_PRELOAD_BASE_CLOCK_H
#define KTIME_PRELOAD_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
/* __rdtsc() by the name that the compilers have built in: its header declares every vector
 * instruction, which would be half of what is parsed of each file here. */
static inline uint64_t clock_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

/* About the number of counter ticks in some microseconds, for time limits: the counters of x86
 * processors run at 2 to 4 GHz, and 2.5 GHz is taken for all. */
static inline uint64_t clock_some_ticks(unsigned microseconds)
{
	return microseconds * 2500ull;
}
#elif defined(__aarch64__)
static inline uint64_t clock_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* The number of counter ticks in some microseconds. The counter's frequency, 25 MHz to 1 GHz, is
 * read from the register cntfrq_el0. */
static inline uint64_t clock_some_ticks(unsigned microseconds)
{
	uint64_t frequency;

	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	return microseconds * frequency / 1000000;
}
#else
#error "ktime runs on x86-64 and aarch64"
#endif

/* clock_gettime(2). Also in signal handlers; changes no errno, as it does not fail. */
int clock_read(clockid_t clock, struct timespec *now);

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_read(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * The length of a counter tick, and the start of the run on three clocks. The length is the average
 * from the start of the run to the last update, so it gets more exact the longer the run lasts.
 * clock_scale_start() spins for 50 us to have a usable length from the beginning.
 */
struct clock_scale {
	uint64_t ticks, realtime, monotonic; /* at the start; times in ns */
	double ns_per_tick;
};

void clock_scale_start(struct clock_scale *scale);
void clock_scale_update(struct clock_scale *scale);

/* CLOCK_REALTIME less CLOCK_MONOTONIC, in nanoseconds, exact to about a microsecond. It changes
 * when the wall clock is set, and not when NTP slews both clocks. */
uint64_t clock_realtime_offset(void);

static inline uint64_t clock_ticks_to_ns(const struct clock_scale *scale, uint64_t ticks)
{
	return (uint64_t)((double)ticks * scale->ns_per_tick + 0.5);
}

/* CLOCK_REALTIME at a tick count, in nanoseconds: the time base of CUPTI's records. */
static inline uint64_t clock_realtime_at(const struct clock_scale *scale, uint64_t ticks)
{
	return scale->realtime +
	       (uint64_t)(int64_t)((double)(int64_t)(ticks - scale->ticks) * scale->ns_per_tick);
}

#endif
