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
#include "report/sheet/sheet.h"

/* A part of a device's time, such as that of a cause of idle time; times are nanoseconds. */
struct idle_sum {
	enum idle_cause cause;	     /* IDLE_CAUSE_COUNT: none */
	const char *text, *function; /* "launch latency", "cudaMalloc"; of IDLE_CALL, else "" */
	const char *class;	     /* of the style of a page, which has a colour for it */
	int device;
	uint32_t thread; /* 0: all */
	uint64_t gaps, total, longest;
	uint64_t before, after; /* offsets of the names around the longest */
};

/* Room for every cause, and a function for each of the other rows. */
#define IDLE_SUMS 64

/* A device's causes, the largest first; those of `thread` alone unless it is 0. Functions that have
 * no room are summed up in the last one. Returns how many there are. */
unsigned idle_sums(const struct session *session, int device, uint32_t thread,
		   struct idle_sum sums[IDLE_SUMS]);
/* A sheet of such parts. */
struct idle_table {
	const struct session *session;
	const struct idle_sum *sums;
};
void idle_sheet(struct sheet *sheet, const struct idle_table *table, size_t count);
/* Its rows; the first cell is what a page says that the row is of. */
void idle_fill_row(const struct sheet *sheet, size_t index, struct cell *cells);
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
