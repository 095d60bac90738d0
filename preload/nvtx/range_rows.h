/* SPDX-License-Identifier: MIT */
/* The ranges of a session, and what was done in them. For the collector thread only. */
#ifndef KTIME_PRELOAD_NVTX_RANGE_ROWS_H
#define KTIME_PRELOAD_NVTX_RANGE_ROWS_H

#include <stdint.h>

#include "report/session/session_nvtx.h"

/* To be called first. */
void range_rows_start(struct session *session);

/* The range of a path on a thread, by the low half of its pthread_self(); 0: on any thread. Made
 * the first time; NULL if it does not fit. */
struct nvtx_range *range_rows_find(uint32_t thread, uint16_t path);
/* The range of a path on a thread, which is told apart as long as there is room. What does not fit
 * is counted. NULL too for PATHS_OUTSIDE and PATHS_UNKNOWN. */
struct nvtx_range *range_rows_on(uint32_t thread, uint16_t path);

/* A range's number, which is shorter than its address; 0 for NULL. */
uint32_t range_rows_number(const struct nvtx_range *range);
struct nvtx_range *range_rows_numbered(uint32_t number);

/* When a range was open: on CLOCK_REALTIME, ns. */
struct range_time {
	uint64_t start, end;
	uint64_t duration; /* ns */
	uint32_t thread;   /* from gettid() */
	uint32_t id;	   /* of a start/end range, else 0 */
};
/* A range of a path has ended. */
void range_rows_end(struct nvtx_range *range, uint16_t path, const struct range_time *time);
/* Adds a call of a row; it stands for `weight` calls. What does not fit is counted. */
void range_rows_add(const struct nvtx_range *range, const struct row *row, uint64_t nanoseconds,
		    double weight, enum clock_source clock);

/* Adds a call of a row whose time nobody knows. */
void range_rows_add_untimed(const struct nvtx_range *range, const struct row *row);

#endif
