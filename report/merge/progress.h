/* SPDX-License-Identifier: MIT */
/* A bar on the terminal's last line that shows how far something is. */
#ifndef KTIME_REPORT_MERGE_PROGRESS_H
#define KTIME_REPORT_MERGE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* The caller sets the first two members; the rest begins as zeros. */
struct progress {
	const char *what; /* "Merging" */
	uint64_t least;	  /* fewer steps have no bar; 40, as wide as it is, at any rate */
	uint64_t next;	  /* the step at which it changes */
	bool bar;	  /* stands on the line */
};

/* Shows that `done` of `count` steps are done. Writes to standard error if that is a terminal. */
void progress_show(struct progress *progress, uint64_t done, uint64_t count);
/* Takes the bar away, before another line or the end. */
void progress_wipe(struct progress *progress);

#endif
