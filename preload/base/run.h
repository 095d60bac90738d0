/* SPDX-License-Identifier: MIT */
/* This run of the program, from ktime's start on: the profile that it is written to, and its clock.
 */
#ifndef KTIME_PRELOAD_BASE_RUN_H
#define KTIME_PRELOAD_BASE_RUN_H

#include "preload/base/clock.h"
#include "report/session/session.h"

/*
 * A process has one. Only lifecycle/ writes it, before ktime's other threads start, and it stays as
 * it is until the process ends; but for the scale, which the collector starts and updates, and
 * which its thread alone reads.
 */
struct run {
	struct session *session;
	struct session_header *header; /* the session's */
	struct clock_scale scale;
};

extern struct run run;

/* For the collector thread only. */
static inline void run_count(enum session_counter counter, uint64_t by)
{
	run.header->counters[counter] += by;
}

#endif
