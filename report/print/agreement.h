/* SPDX-License-Identifier: MIT */
/* How far the two clocks agree, row by row, over the calls that both timed. */
#ifndef KTIME_REPORT_PRINT_AGREEMENT_H
#define KTIME_REPORT_PRINT_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/options/options.h"
#include "report/session/session.h"

/* Averages this close agree: so well is the event-pair overhead known, measured on the device. */
#define AGREEMENT_NANOSECONDS 200
#define AGREEMENT_PERCENT     2.0

enum clock_verdict { CLOCKS_UNCHECKED, CLOCKS_AGREE, CLOCKS_DISAGREE };

/* Why an event pair may span more than the operation. */
#define AGREEMENT_REASONS(X)                                                                       \
	X(NONE, "")                                                                                \
	X(OVERLAPPED, "operations overlapped; the events' time includes waiting for others")       \
	X(WAITED, "event pairs include a wait for the host or another engine")                     \
	X(NO_OVERHEAD, "the event-pair overhead was not measured")                                 \
	X(BESIDE,                                                                                  \
	  "other streams had calls at the same time; the events' time includes waiting for them")  \
	X(QUEUED,                                                                                  \
	  "operations were queued behind others; how much longer that makes their event pairs "    \
	  "was not measured")                                                                      \
	X(HOST, "the events' time includes the host's part of the copy")                           \
	X(UNKNOWN, "no likely reason was seen")
#define AGREEMENT_ENUM(name, text) AGREEMENT_##name,
enum agreement_reason { AGREEMENT_REASONS(AGREEMENT_ENUM) };
#undef AGREEMENT_ENUM

struct agreement_row {
	char *name;
	enum row_kind kind;
	int device;
	uint64_t calls, checked;
	uint64_t cupti, raw, events; /* averages over the checked calls */
	uint64_t difference;	     /* of the averages, without its sign */
	double percent;		     /* of CUPTI's */
	uint64_t median;	     /* of the calls' differences */
	enum clock_verdict verdict;
	enum agreement_reason reason;
};

struct agreement {
	struct agreement_row *rows; /* in the session's order */
	size_t count, disagreeing;
	uint64_t checked;
	uint64_t median;		   /* of the differences of all checked calls */
	const struct agreement_row *worst; /* largest difference in percent, NULL without rows */
};

/* 0, -ENOMEM, or -EINVAL for a bad filter. */
int agreement_collect(struct agreement *agreement, const struct session *session,
		      const struct options *options);
void agreement_free(struct agreement *agreement);
const char *agreement_reason_text(enum agreement_reason reason);
/* The line that counts the rows by events whose times are upper bounds; with --verbose their names.
 * 0, -ENOMEM, or -EINVAL for a bad filter. */
int upper_bounds_write(const struct session *session, const struct options *options,
		       const char *prefix, FILE *file);
/* Whether events alone timed operations of the GPU. */
bool rows_are_by_events(const struct session *session);

#endif
