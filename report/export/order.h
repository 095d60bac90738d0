/* SPDX-License-Identifier: MIT */
/*
 * A trace's records in the order of time. A profile has them in the order in which they became
 * known: an operation's after its end, a range's after all that was called in it. They are sorted
 * by the segment, each when its time comes, so what is in memory is the segments that the moment
 * lies in, however long the trace is.
 */
#ifndef KTIME_REPORT_EXPORT_ORDER_H
#define KTIME_REPORT_EXPORT_ORDER_H

#include "report/session/session.h"

struct trace_order {
	const struct session *session;
	uint64_t from, to;
	uint64_t count, done; /* records that there are, and that were returned */
	/* Whose record the last one was: in a merged profile the process, and the how manieth it
	 * is, from 1; else NULL and 0. */
	const struct job_process *owner;
	uint32_t process;
	/* Segments, by process and first start, and how many of the first were opened. */
	struct part *parts;
	size_t part_count, part_capacity, opened;
	struct part *
		*open; /* those with records left: the one whose next record is first is last */
	size_t open_count;
	struct part *last; /* whose record was returned last */
};

/*
 * Begins with the records that are not wholly before `from` or after `to`, both nanoseconds on the
 * records' clock; what is held of memory lasts, so these records may be from before. 0 or -ENOMEM.
 * The session must stay open until trace_order_close(), which is due in any case.
 */
int trace_order_open(struct trace_order *order, const struct session *session, uint64_t from,
		     uint64_t to);
/*
 * The next record, NULL past the last: process by process, and in each by the start; where two
 * start together the one that ends later is first, and a call before an operation. Valid until the
 * next call. 0 or -ENOMEM.
 */
int trace_order_next(struct trace_order *order, const struct trace_record **record);
void trace_order_close(struct trace_order *order);

#endif
