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
	struct interval *list;
	size_t count;
};

static int compare(const void *left, const void *right)
{
	const struct interval *a = left, *b = right;

	return IN_ORDER(a->thread, b->thread)
		       ?: IN_ORDER(a->begin, b->begin) ?: IN_ORDER(b->end, a->end);
}

static bool is_of_range(const struct trace_record *record, const struct nvtx_range *range)
{
	return range && record->kind == ROW_RANGE && record->result == RANGE_PUSH_POP &&
	       record->name == range->name && record->kernel == range->domain;
}

/* Those of a range or, where there is none, of the operations of a device. Its list is NULL if
 * memory is out. */
static struct intervals collect(const struct session *session, const struct nvtx_range *range,
				int device)
{
	uint64_t records = session_header(session)->counters[COUNTER_trace_records];
	struct intervals found = {calloc(records + 1, sizeof(*found.list)), 0};
	const struct trace_record *record;

	session_for_each_trace (session, record) {
		bool wanted = range ? is_of_range(record, range)
				    : row_is_gpu(record->kind) && record->device == device;

		if (found.list && wanted && found.count < records && record->end >= record->start)
			found.list[found.count++] = (struct interval){record->start, record->end,
								      range ? record->thread : 0};
	}
	if (found.list)
		qsort(found.list, found.count, sizeof(*found.list), compare);
	return found;
}

/* Leaves those that lie in one of `around`. Both are sorted. */
static void keep_inside(struct intervals *ranges, const struct intervals *around)
{
	size_t at = 0, kept = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		const struct interval *inner = &ranges->list[i], *outer;

		while (at < around->count && (around->list[at].thread < inner->thread ||
					      (around->list[at].thread == inner->thread &&
					       around->list[at].end < inner->end)))
			at++;
		outer = &around->list[at];
		if (at < around->count && outer->thread == inner->thread &&
		    outer->begin <= inner->begin)
			ranges->list[kept++] = *inner;
	}
	ranges->count = kept;
}

/* Makes them follow each other, whatever their threads. Returns their time before. */
static uint64_t join(struct intervals *ranges)
{
	uint64_t sum = 0;
	size_t joined = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		sum += ranges->list[i].end - ranges->list[i].begin;
		ranges->list[i].thread = 0;
	}
	qsort(ranges->list, ranges->count, sizeof(*ranges->list), compare);
	for (size_t i = 0; i < ranges->count; i++) {
		struct interval *last = joined ? &ranges->list[joined - 1] : NULL;

		if (!last || ranges->list[i].begin > last->end)
			ranges->list[joined++] = ranges->list[i];
		else if (ranges->list[i].end > last->end)
			last->end = ranges->list[i].end;
	}
	ranges->count = joined;
	return sum;
}

/* How much of the ranges lies between operations. Both are joined. */
static uint64_t time_between(const struct intervals *ranges, const struct intervals *operations)
{
	uint64_t sum = 0;
	size_t at = 0;

	for (size_t i = 1; i < operations->count; i++) {
		uint64_t begin = operations->list[i - 1].end, end = operations->list[i].begin;

		while (at < ranges->count && ranges->list[at].end <= begin)
			at++;
		for (size_t j = at; j < ranges->count && ranges->list[j].begin < end; j++) {
			uint64_t from = ranges->list[j].begin, to = ranges->list[j].end;

			from = from > begin ? from : begin;
			to = to < end ? to : end;
			sum += to > from ? to - from : 0;
		}
	}
	return sum;
}

/* A launch, or another call. */
struct call {
	uint32_t correlation, thread;
	uint64_t begin;
};

static int compare_calls(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	return IN_ORDER(a->correlation, b->correlation) ?: IN_ORDER(a->begin, b->begin);
}

static int compare_correlation(const void *key, const void *element)
{
	const uint32_t *correlation = key;
	const struct call *call = element;

	return IN_ORDER(*correlation, call->correlation);
}

static bool is_within(const struct intervals *ranges, uint64_t time)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->list[middle].end < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ranges->count && ranges->list[low].begin <= time;
}

/* The thread of all of them; 0: several. */
static uint32_t thread_of(const struct intervals *ranges)
{
	for (size_t i = 1; i < ranges->count; i++)
		if (ranges->list[i].thread != ranges->list[0].thread)
			return 0;
	return ranges->count ? ranges->list[0].thread : 0;
}

/* Finds what other threads launched within the ranges, which are joined. */
static void find_others(struct range_times *times, const struct session *session,
			const struct intervals *ranges, uint32_t thread)
{
	const uint64_t records = session_header(session)->counters[COUNTER_trace_records];
	struct call *calls = thread ? calloc(records + 1, sizeof(*calls)) : NULL;
	const struct trace_record *record;
	const struct call *call;
	uint32_t other = 0;
	size_t count = 0;

	if (!calls)
		return;
	session_for_each_trace (session, record)
		if (row_is_api(record->kind) && record->correlation && record->thread != thread &&
		    count < records && is_within(ranges, record->start))
			calls[count++] =
				(struct call){record->correlation, record->thread, record->start};
	qsort(calls, count, sizeof(*calls), compare_calls);
	session_for_each_trace (session, record) {
		if (!row_is_gpu(record->kind) || record->end <= record->start)
			continue;
		call = bsearch(&record->correlation, calls, count, sizeof(*calls),
			       compare_correlation);
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
	uint64_t records = header->counters[COUNTER_trace_records], sum;
	struct intervals ranges, around = {NULL, 0}, operations;
	struct range_times times = {.known = false};
	uint32_t thread;

	if (!range->range || device < 0 || header->processes || !records || records > RECORDS_MOST)
		return times;
	ranges = collect(session, range->range, device);
	operations = collect(session, NULL, device);
	if (range->in)
		around = collect(session, range->in, device);
	times.known = ranges.list && operations.list && (!range->in || around.list);
	if (times.known && range->in)
		keep_inside(&ranges, &around);
	if (times.known) {
		thread = thread_of(&ranges);
		sum = join(&ranges);
		join(&operations);
		/* Or time in ranges inside of it is no part of the host's there. */
		times.known = (double)sum <= (1 + SAME_PART) * (double)range->time &&
			      (double)sum >= (1 - SAME_PART) * (double)range->time;
		times.idle = time_between(&ranges, &operations);
	}
	if (times.known)
		find_others(&times, session, &ranges, thread);
	free(ranges.list);
	free(around.list);
	free(operations.list);
	return times;
}
