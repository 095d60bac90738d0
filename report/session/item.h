/* SPDX-License-Identifier: MIT */
/* The items of a profile: structures of a kind, one after the other in segments. Part of session.h.
 */
#ifndef KTIME_REPORT_SESSION_ITEM_H
#define KTIME_REPORT_SESSION_ITEM_H

#include <stdint.h>

struct session;

/* Profiles hold the numbers. */
enum segment_kind {
	SEGMENT_STRINGS,
	SEGMENT_ROWS,
	SEGMENT_HISTOGRAMS,
	SEGMENT_TRACE,
	SEGMENT_IDLE,
	SEGMENT_RANGES,
	SEGMENT_RANGE_PARTS,
	SEGMENT_PROCESSES,
	SEGMENT_JOB_ROWS,
	SEGMENT_JOB_PARTS,
	SEGMENT_METRICS,
	SEGMENT_MEMORY,
	SEGMENT_MEMORY_SITES,
	SEGMENT_KINDS
};

/*
 * Reading, in the order of their creation; NULL past the last. What is not whole, or damaged, is
 * left out.
 */
void *session_next_item(const struct session *session, enum segment_kind kind,
			const void *previous);
#define session_for_each_item(session, kind, item)                                                 \
	for (item = session_next_item(session, kind, NULL); item;                                  \
	     item = session_next_item(session, kind, item))

#endif
