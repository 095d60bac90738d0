/* SPDX-License-Identifier: MIT */
/* This run of the program, from ktime's start on: what the user asked for, the profile that it is
 * written to, and its clock. */
#ifndef KTIME_PRELOAD_BASE_RUN_H
#define KTIME_PRELOAD_BASE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/base/clock.h"
#include "report/options/options.h"
#include "report/session/session.h"

/*
 * A process has one. Only lifecycle/ writes it, before ktime's other threads start; after that it
 * is constant, except `scale`, which the collector thread alone reads and writes.
 */
struct run {
	struct session *session;
	struct session_header *header; /* the session's */
	struct clock_scale scale;
	struct options settings; /* from KTIME_OPTIONS */
};

extern struct run run;

/* Adds to a counter of the profile. For the collector thread only. */
static inline void run_count(enum session_counter counter, uint64_t by)
{
	run.header->counters[counter] += by;
}

/* Whether the user asked for rows of ROW_RUNTIME_API or ROW_DRIVER_API calls. */
static inline bool run_wants_calls(enum row_kind kind)
{
	int api_trace = kind == ROW_RUNTIME_API ? API_TRACE_RUNTIME : API_TRACE_DRIVER;

	return run.settings.trace & TRACE_API &&
	       (run.settings.api_trace == API_TRACE_ALL || run.settings.api_trace == api_trace);
}

/* Whether the user asked for rows of a device's work; always true beyond SESSION_DEVICES. */
static inline bool run_wants_device(int device)
{
	return run.settings.trace & TRACE_GPU &&
	       (device < 0 || device >= SESSION_DEVICES || run.settings.devices >> device & 1);
}

/* Whether the user asked for an event pair around every operation, whatever that costs. */
static inline bool run_wants_every_pair(void)
{
	return run.settings.events == EVENTS_ALL ||
	       (run.settings.events == EVENTS_FRACTION && run.settings.events_fraction == 1);
}

#endif
