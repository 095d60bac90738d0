/* SPDX-License-Identifier: MIT */
/*
 * When CUPTI's recording of kernels was off: the latest times. What ran in them nobody knows. For
 * the collector thread only; times are of CLOCK_REALTIME, in nanoseconds.
 */
#ifndef KTIME_PRELOAD_BASE_PAUSES_H
#define KTIME_PRELOAD_BASE_PAUSES_H

#include <stdbool.h>
#include <stdint.h>

/* The recording of kernels was turned off or on. */
void pauses_note(bool off, uint64_t now);
/* Whether it was off at any time from `begin` to `end`, or may have been: of the time before the
 * oldest pause that is remembered that is not known. */
bool pauses_touch(uint64_t begin, uint64_t end);

/* The recording window (recording.h) that is open, or the last one. */
struct kernel_window {
	uint64_t opened, closed; /* from before it was turned on until after it was off */
	uint64_t on;		 /* when it was on for certain */
	unsigned number;	 /* how many there were; 0: everything was recorded so far */
	unsigned taken;		 /* how many of them have all records that will ever come */
	bool open;
	bool random;	  /* its time was chosen by chance */
	bool clock_known; /* the records have times of CLOCK_REALTIME */
	bool failed;	  /* CUPTI did not record all that was launched in windows */
};

#endif
