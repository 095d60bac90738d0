/* SPDX-License-Identifier: MIT */
/*
 * The clock that a program gives CUPTI for the times in its records
 * (cuptiActivityRegisterTimestampCallback). PyTorch's profiler gives it the processor's cycle
 * counter. CUPTI has one clock for the whole process, and with that one a kernel of 4.5 us was
 * recorded with 9.5 (H200, CUPTI 13.0). So while ktime collects, CUPTI does not get the program's
 * clock: ktime's records stay in nanoseconds, and the times in records for the program are
 * converted here.
 */
#ifndef KTIME_CUPTI_PROGRAM_CLOCK_H
#define KTIME_CUPTI_PROGRAM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <cupti.h>

/* Sets the program's clock; NULL for none. This and program_clock_read() call the clock, with no
 * lock held, on any thread, as CUPTI would. All functions here: any thread. */
void program_clock_set(CUpti_TimestampCallbackFunc clock);
/* The program's clock, or NULL if it uses CUPTI's. */
CUpti_TimestampCallbackFunc program_clock(void);

/* CUPTI's default clock, which it keeps while ktime collects: CLOCK_REALTIME in nanoseconds. */
uint64_t program_clock_of_cupti(void);

/* Reads both clocks, to convert the records that follow. Does nothing without a clock of the
 * program. */
void program_clock_read(void);
/* Converts the times of a record, in place. Does nothing without a clock of the program. */
void program_clock_convert(void *record);

/* For a forked child: forgets the clock, and frees the lock, whichever thread of the parent held
 * it. */
void program_clock_reset(void);

/* What the program's clock shows at `time` of CUPTI's clock, by two readings of both. */
struct clock_reading {
	uint64_t cupti, program;
};

uint64_t program_clock_at(const struct clock_reading *earlier, const struct clock_reading *later,
			  uint64_t time);

#endif
