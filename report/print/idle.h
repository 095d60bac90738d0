/* SPDX-License-Identifier: MIT */
/* How busy the devices were and why they were idle, as the lines below the table and --idle have
 * it. One thread at a time. */
#ifndef KTIME_REPORT_PRINT_IDLE_H
#define KTIME_REPORT_PRINT_IDLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "report/findings/findings.h"
#include "report/options/options.h"
#include "report/session/session.h"

/* A cause of a device's idle time, over all threads; times are nanoseconds. */
struct idle_sum {
	enum idle_cause cause;
	const char *function; /* IDLE_CALL; else "" */
	uint64_t gaps, total, longest;
	uint64_t before, after; /* offsets of the names around the longest */
};

/* Room for every cause, and a function for each of the other rows. */
#define IDLE_SUMS 64

/* A device's causes, the largest first; those of `thread` alone unless it is 0. Functions that have
 * no room are summed up in the last one. Returns how many there are. */
unsigned idle_sums(const struct session *session, int device, uint32_t thread,
		   struct idle_sum sums[IDLE_SUMS]);
/* "launch latency", "cudaMalloc" */
const char *idle_sum_text(const struct idle_sum *sum);
/* The function's name of a kernel, or the name as it is, without control characters. The caller
 * frees it; NULL if memory is out. */
char *idle_plain_name(const char *name);
/* Whether a device worked and --devices does not leave it out. */
bool idle_shows(const struct session *session, const struct options *options, int device);
/* How many devices worked. */
unsigned devices_used(const struct session *session);
/* "GPU 0: busy 63.1 % of 1.2 s (…).": a line, and one more where several contexts share it. */
void busy_write(const struct session *session, int device, const char *prefix, FILE *file);
/* A finding in one sentence, without a line's end. `several`: of more than one device. */
void finding_write(const struct finding *finding, bool several, FILE *file);

#endif
