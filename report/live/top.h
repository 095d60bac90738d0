/* SPDX-License-Identifier: MIT */
/* `ktime top`: what running programs do on the GPU now, as a screen or in lines. */
#ifndef KTIME_REPORT_LIVE_TOP_H
#define KTIME_REPORT_LIVE_TOP_H

#include "report/live/reading.h"
#include "report/options/options.h"

int command_top(const struct options *options, const char *const *files, size_t count);

/* What a program did since the last reading. */
struct top_line {
	struct reading_rows rows;
	double busy, run_busy; /* mean of the devices, of 1; below 0: not known */
};
/* 0 or -errno; free the rows. */
int top_line(struct top_line *line, const struct reading *reading, const struct options *options,
	     bool api);
/* "63.1", or "-" if it is not known; NUMBER_SIZE bytes. */
const char *top_percent(char *text, double share);

/* The screen (screen.c): returns the process's exit status once the user ends it. */
int screen_run(struct readings *readings, const struct options *options, const char *const *numbers,
	       size_t number_count);

#endif
