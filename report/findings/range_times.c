/* SPDX-License-Identifier: MIT */
#include "report/findings/range_times.h"

#include <stdlib.h>

/* The most records of a trace, and by how much of it the range's time by its records may differ
 * from its sum. Chosen. */
#define RECORDS_MOST 200000u
#define SAME_PART    0.01

struct interval {
	uint64_t begin, end;
	uint32_t thread; /* of a range; else 0 */
};

struct intervals {
	struct interval *list; /* NULL: memory is out */
	size_t count;
	uint64_t sum;	 /* of their times, as they were found */
	uint32_t thread; /* of all of them; 0: several */
};

static int compare(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	return IN_ORDER(a->thread, b->thread) ?: IN_ORDER(a->begin, b->begin);
}

/* Whether an interval lies in one of a joined list, of its thread. */
static bool is_inside(const struct intervals *around, const struct interval *inner)
{
	const struct interval *list = around->list;
	size_t next = FIRST_NOT(i, 0, around->count, compare(&list[i], inner) <= 0);

	return next && list[next - 1].thread == inner->thread && inner->end <= list[next - 1].end;
}

static bool is_of_range(const struct trace_record *record, const struct nvtx_range *range)
{
	return record->kind == ROW_RANGE && record->result == RANGE_PUSH_POP &&
	       record->name == range->name && record->kernel == range->domain;
}

/* Those of a range, if given in one of `around` too, or, where there is none, of the operations of
 * a device. */
static struct intervals collect(const struct session *session, const struct nvtx_range *range,
				const struct intervals *around, int device)
{
	uint64_t records = session_header(session)->counters[COUNTER_trace_records];
	struct intervals found = {.list = calloc(records + 1, sizeof(*found.list))};
	const struct trace_record *record;

	session_for_each_trace (session, record) {
		struct interval interval = {record->start, record->end, range ? record->thread : 0};
		bool wanted = range ? is_of_range(record, range) &&
					      (!around || is_inside(around, &interval))
				    : row_is_gpu(record->kind) && record->device == device;

		if (!wanted || !found.list || found.count == records ||
		    interval.end < interval.begin)
			continue;
		if (!found.count)
			found.thread = interval.thread;
		else if (found.thread != interval.thread)
			found.thread = 0;
		found.sum += interval.end - interval.begin;
		found.list[found.count++] = interval;
	}
	return found;
}

/* Makes those of a thread follow each other. */
static void join(struct intervals *all)
{
	size_t joined = 0;

	if (all->list)
		qsort(all->list, all->count, sizeof(*all->list), compare);
	for (size_t i = 0; i < all->count; i++) {
		const struct interval *next = &all->list[i];
		struct interval *last = joined ? &all->list[joined - 1] : NULL;

		if (!last || last->thread != next->thread || next->begin > last->end)
			all->list[joined++] = *next;
		else if (next->end > last->end)
			last->end = next->end;
	}
	all->count = joined;
}

/* How much of the ranges lies between operations. Both are joined. */
static uint64_t time_between(const struct intervals *ranges, const struct intervals *operations)
{
	uint64_t time = 0;

	for (size_t i = 1; i < operations->count; i++) {
		uint64_t begin = operations->list[i - 1].end, end = operations->list[i].begin;
		size_t next = FIRST_NOT(j, 0, ranges->count, ranges->list[j].end <= begin);

		for (; next < ranges->count && ranges->list[next].begin < end; next++) {
			const struct interval *range = &ranges->list[next];

			time += (range->end < end ? range->end : end) -
				(range->begin > begin ? range->begin : begin);
		}
	}
	return time;
}

/* A launch, or another call. */
struct call {
	uint32_t correlation, thread;
};

static int compare_calls(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	return IN_ORDER(a->correlation, b->correlation);
}

/* Finds what other threads than that of the ranges, if it is one, launched within them, which are
 * joined. */
static void find_others(struct range_times *times, const struct session *session,
			const struct intervals *ranges)
{
	const uint64_t records = session_header(session)->counters[COUNTER_trace_records];
	struct call *calls = ranges->thread ? calloc(records + 1, sizeof(*calls)) : NULL;
	const struct trace_record *record;
	const struct call *call;
	uint32_t other = 0;
	size_t count = 0;

	if (!calls)
		return;
	session_for_each_trace (session, record)
		if (row_is_api(record->kind) && record->correlation &&
		    record->thread != ranges->thread && count < records &&
		    is_inside(ranges, &(struct interval){record->start, record->start, 0}))
			calls[count++] = (struct call){record->correlation, record->thread};
	qsort(calls, count, sizeof(*calls), compare_calls);
	session_for_each_trace (session, record) {
		if (!row_is_gpu(record->kind) || record->end <= record->start)
			continue;
		call = bsearch(&(struct call){.correlation = record->correlation}, calls, count,
			       sizeof(*calls), compare_calls);
		if (!call)
			continue;
		times->by_others += record->end - record->start;
		times->several |= other && other != call->thread;
		other = call->thread;
	}
	free(calls);
}

struct range_times range_times_find(const struct session *session, const struct host_range *range,
				    int device)
{
	const struct session_header *header = session_header(session);
	uint64_t records = header->counters[COUNTER_trace_records];
	struct intervals ranges, around = {.list = NULL}, operations;
	struct range_times times = {.known = false};

	if (!range->range || device < 0 || header->processes || !records || records > RECORDS_MOST)
		return times;
	if (range->in)
		around = collect(session, range->in, NULL, device);
	join(&around);
	ranges = collect(session, range->range, range->in ? &around : NULL, device);
	operations = collect(session, NULL, NULL, device);
	/* Or time in ranges inside of it is no part of the host's there. */
	times.known = ranges.list && operations.list && (!range->in || around.list) &&
		      (double)ranges.sum <= (1 + SAME_PART) * (double)range->time &&
		      (double)ranges.sum >= (1 - SAME_PART) * (double)range->time;
	if (times.known) {
		for (size_t i = 0; i < ranges.count; i++)
			ranges.list[i].thread = 0;
		join(&ranges);
		join(&operations);
		times.idle = time_between(&ranges, &operations);
		find_others(&times, session, &ranges);
	}
	free(ranges.list);
	free(around.list);
	free(operations.list);
	return times;
}

#define TENTHS	  10
/* The most tenths of a trace that are a part of it if they have half of its idle time. Chosen. */
#define PART_MOST 3

static uint64_t tenth(const struct idle_part *part, unsigned number)
{
	return part->first + (part->last - part->first) * number / TENTHS;
}

static uint64_t idle_of_tenths(const struct intervals *operations, const struct idle_part *part,
			       unsigned first, unsigned count)
{
	struct interval range = {tenth(part, first), tenth(part, first + count), 0};

	return time_between(&(struct intervals){.list = &range, .count = 1}, operations);
}

bool idle_part_find(const struct session *session, int device, struct idle_part *part)
{
	struct intervals operations = collect(session, NULL, NULL, device);

	*part = (struct idle_part){.first = 0};
	join(&operations);
	if (operations.count > 1) {
		part->first = operations.list[0].begin;
		part->last = operations.list[operations.count - 1].end;
		part->all = idle_of_tenths(&operations, part, 0, TENTHS);
	}
	for (unsigned count = 1; part->all && count <= PART_MOST && !part->idle; count++)
		for (unsigned i = 0; i + count <= TENTHS; i++) {
			uint64_t idle = idle_of_tenths(&operations, part, i, count);

			if (2 * idle < part->all || idle <= part->idle)
				continue;
			part->begin = tenth(part, i);
			part->end = tenth(part, i + count);
			part->idle = idle;
		}
	free(operations.list);
	return part->all;
}
