/* SPDX-License-Identifier: MIT */
/* What ktime leaves: the profile's file, and the report in its log file. */
#ifndef KTIME_PRELOAD_LIFECYCLE_OUTPUT_H
#define KTIME_PRELOAD_LIFECYCLE_OUTPUT_H

#include <stdbool.h>

#include "report/session/session.h"

/*
 * Creates the profile: the file that -o asks for, else one that is removed at the end. `prints`:
 * the process writes a report.
 */
int output_create(struct session **session, const struct process_rank *own_rank, bool prints);
/* Removes what output_create made: ktime does not run. */
void output_abandon(void);
/* Writes the report's first lines. */
void output_start(const struct session *session);
/* Starts the reporter, which writes to the same places; 0 or -errno. */
int output_start_reporter(struct session *session);
/* Begins to write --prometheus's file, if it was given; a note in the report says why it cannot be.
 */
void output_start_metrics(struct session *session);
/*
 * Writes the report, to stderr where its own file cannot be written, and removes the profile,
 * unless that is all that is left of it: `ktime show` prints it then.
 */
void output_finish(struct session *session);
/* Adds a line to the report: the program goes on with the GPU. For the thread that does. */
void output_say_late(void);
/* Keeps the report's file open, and has no profile left that could not be removed at the end. */
void output_prepare_for_sandbox(struct session *session);

#endif
