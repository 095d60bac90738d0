/* SPDX-License-Identifier: MIT */
/* NVTX ranges in a session, and what was done inside of them. As for all of a session: one thread
 * at a time writes, and reading while it is written is safe. */
#ifndef KTIME_REPORT_SESSION_SESSION_NVTX_H
#define KTIME_REPORT_SESSION_SESSION_NVTX_H

#include "report/session/session.h"

/* How an NVTX range is opened and closed: by push and pop, on one thread, or by start and end. */
enum range_style { RANGE_PUSH_POP, RANGE_START_END };

/*
 * An NVTX range by its path: one for each way into it on each thread, and its times on the host. A
 * start/end range belongs to no thread.
 */
#define RANGE_FIGURES(X)                                                                           \
	X(nvtx_range, U32, open, COUNT, SUM, LATER,                                                \
	  "of its calls: were open when the run ended, and last until then")                       \
	X(nvtx_range, U64, calls, COUNT, SUM, SUBTRACT, "how often it was entered")                \
	X(nvtx_range, U64, total, NS, SUM, SUBTRACT, "time in it on the host")                     \
	X(nvtx_range, U64, minimum, NS, LEAST, LATER, "of the shortest",                           \
	  IF_KNOWN(nvtx_range, MINIMUM))                                                           \
	X(nvtx_range, U64, maximum, NS, MOST, LATER, "of the longest")

struct nvtx_range {
	uint32_t committed;    /* set last, with release order */
	uint32_t style;	       /* enum range_style */
	uint64_t parent;       /* offset of the range that it is in; 0: none */
	uint64_t name, domain; /* offsets of strings; the default domain's is empty */
	uint32_t thread; /* the low half of pthread_self(); 0: threads beyond those told apart */
	RANGE_FIGURES(FIGURE_MEMBER)
	uint32_t known; /* enum figure_known */
} __attribute__((aligned(64)));

/* What a row's calls were inside a range, those of ranges inside of that one not among them. */
#define PART_FIGURES(X)                                                                            \
	X(nvtx_part, REAL, calls, COUNT, SUM, SUBTRACT,                                            \
	  "timed; if the times are sampled, how many those stand for")                             \
	X(nvtx_part, REAL, event_calls, COUNT, OWN, SUBTRACT,                                      \
	  "of these, timed by event pairs, whose overhead is taken off at the end", SHOWN_NEVER)   \
	X(nvtx_part, REAL, untimed, COUNT, SUM, SUBTRACT,                                          \
	  "further calls, of which no record tells the time", SHOWN_ABOVE_0)                       \
	X(nvtx_part, U64, total, NS, SUM, SUBTRACT, "time of the calls")                           \
	X(nvtx_part, U64, minimum, NS, LEAST, LATER, "of the shortest",                            \
	  IF_KNOWN(nvtx_part, MINIMUM))                                                            \
	X(nvtx_part, U64, maximum, NS, MOST, LATER, "of the longest")                              \
	X(nvtx_part, U32, estimated, COUNT, ANY, LATER, "1: a timed call stood for others",        \
	  SHOWN_NEVER)

struct nvtx_part {
	uint32_t committed;
	uint32_t known; /* enum figure_known */
	uint64_t range; /* offset of struct nvtx_range */
	uint64_t row;	/* offset of struct row */
	PART_FIGURES(FIGURE_MEMBER)
} __attribute__((aligned(64)));

/* Add a range, and a part of a row; NULL if there is no room. They look for no earlier one. For the
 * writer. */
struct nvtx_range *session_add_nvtx_range(struct session *session, const struct nvtx_range *range);
struct nvtx_part *session_add_nvtx_part(struct session *session, const struct nvtx_range *range,
					const struct row *row);

/* The item at an offset; NULL if none is there. */
const struct nvtx_range *session_nvtx_range_at(const struct session *session, uint64_t offset);
const struct row *session_row_at(const struct session *session, uint64_t offset);
#define session_for_each_nvtx_range(session, range)                                                \
	session_for_each_item(session, SEGMENT_RANGES, range)
#define session_for_each_nvtx_part(session, part)                                                  \
	session_for_each_item(session, SEGMENT_RANGE_PARTS, part)

#endif
