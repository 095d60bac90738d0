/* SPDX-License-Identifier: MIT */
/*
 * Which call started an operation. A timeline draws an arrow between them, and records come in the
 * order of time: a call is looked for after it was seen. The newest calls alone are known, so the
 * memory is the same however long the trace is.
 */
#ifndef KTIME_REPORT_TIMELINE_LAUNCHES_H
#define KTIME_REPORT_TIMELINE_LAUNCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "report/session/session.h"

/* A power of two. CUDA lets a program be about 1,024 launches ahead of each stream. Chosen. */
#define LAUNCHES_KNOWN (1U << 19)

struct launch {
	uint64_t start;
	uint32_t process, correlation, thread;
	bool used; /* for the caller: false when the call is noted */
};

struct launches {
	struct launch *calls; /* by the low bits of the correlation id; NULL before the first */
};

/* Notes an API call. 0 or -ENOMEM. */
int launches_note(struct launches *launches, const struct trace_record *record, uint32_t process);
/* The call that started an operation; NULL: it is in no record, or too many came after it. */
struct launch *launches_find(const struct launches *launches, const struct trace_record *record,
			     uint32_t process);
void launches_free(struct launches *launches);

#endif
