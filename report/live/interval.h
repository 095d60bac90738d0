/* SPDX-License-Identifier: MIT */
/* A profile of a part of a run: what happened between two copies of a program's profile. */
#ifndef KTIME_REPORT_LIVE_INTERVAL_H
#define KTIME_REPORT_LIVE_INTERVAL_H

#include <stdio.h>

#include "report/session/session.h"

/*
 * Takes off a profile what an earlier copy of the same one has. Smallest and largest times come
 * from the histograms, to 3 %; those of bytes, the slowest and fastest calls, the longest gaps and
 * the notes stay the run's. -EINVAL: the earlier one is not of the same process, or not earlier.
 */
int interval_subtract(struct session *session, const struct session *earlier);
/* Writes a profile that session_open() gave as one that nobody writes to any more. 0 or -errno. */
int interval_write(struct session *session, FILE *file);

#endif
