/* SPDX-License-Identifier: MIT */
/*
 * The clock that a program has given CUPTI for the times of its records
 * (cuptiActivityRegisterTimestampCallback). PyTorch's profiler gives it the processor's ticks;
 * CUPTI has one clock for the whole process, and from then on a kernel of 4.5 us lasted 9.5 (H200,
 * CUPTI 13.0). So while ktime collects the program's clock does not get there: ktime's records stay
 * in nanoseconds, and the times of those that the program is handed are converted to its clock
 * here.
 */
#ifndef KTIME_CUPTI_PROGRAM_CLOCK_H
#define KTIME_CUPTI_PROGRAM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <cupti.h>

/*
 * Notes the clock, or none for NULL. This and program_clock_read() call it, with no lock held, as
 * CUPTI would on any thread. Any thread, as all of these.
 */
void program_clock_set(CUpti_TimestampCallbackFunc clock);
/* The program's clock, or NULL where it uses CUPTI's. */
CUpti_TimestampCallbackFunc program_clock(void);

/* CUPTI's own clock, which it keeps while ktime collects: CLOCK_REALTIME in nanoseconds. */
uint64_t program_clock_of_cupti(void);

/* Reads both clocks, which the records that follow are converted by; nothing without one. */
void program_clock_read(void);
/* Converts the times of a record, in place; nothing without a clock of the program's. */
void program_clock_convert(void *record);

/* In a forked child: forgets the clock, whichever thread of the parent held the lock. */
void program_clock_reset(void);

/* What one clock shows when the other shows `time`, by two readings of both. */
struct clock_reading {
	uint64_t cupti, program;
};

uint64_t program_clock_at(const struct clock_reading *earlier, const struct clock_reading *later,
			  uint64_t time);

#endif
