/* SPDX-License-Identifier: MIT */
#include "report/findings/range_times.h"

#include <stdlib.h>

#include "report/findings/intervals.h"

/* The most records of a trace, and by how much of a time what its records say of it may differ from
 * the figure of the profile. Chosen. */
#define RECORDS_MOST 200000u
#define SAME_PART    0.01
/* Ranges with less than this part of the idle time, in percent, are not named. Chosen. */
#define NAMED_LEAST  1

/* A range, or one that lies directly in the same range. */
struct sibling {
	const struct range_node *node;
	uint64_t time; /* of its records */
	struct range_idle idle;
};

struct siblings {
	struct sibling *list; /* by domain and name; NULL: memory is out */
	size_t count, own;    /* the place of the range itself */
};

static bool is_same(uint64_t time, uint64_t figure)
{
	return (double)time <= (1 + SAME_PART) * (double)figure &&
	       (double)time >= (1 - SAME_PART) * (double)figure;
}

static int compare_siblings(const void *left, const void *right)
{
	const struct nvtx_range *a = ((const struct sibling *)left)->node->range;
	const struct nvtx_range *b = ((const struct sibling *)right)->node->range;

	return IN_ORDER(a->domain, b->domain) ?: IN_ORDER(a->name, b->name);
}

static struct siblings find_siblings(const struct range_tree *tree, const struct nvtx_range *range)
{
	struct siblings found = {.list = calloc(tree->count + 1, sizeof(*found.list))};
	size_t own = 0;

	while (own < tree->count && tree->nodes[own].range != range)
		own++;
	for (size_t i = 0; i < tree->count && own < tree->count && found.list; i++)
		if (tree->nodes[i].parent == tree->nodes[own].parent &&
		    tree->nodes[i].range->style == RANGE_PUSH_POP)
			found.list[found.count++].node = &tree->nodes[i];
	if (found.list)
		qsort(found.list, found.count, sizeof(*found.list), compare_siblings);
	while (found.own < found.count && found.list[found.own].node != &tree->nodes[own])
		found.own++;
	return found;
}

/* By the range that a record is of. */
static size_t sibling_of(const struct siblings *siblings, const struct trace_record *record)
{
	const struct nvtx_range range = {.name = record->name, .domain = record->kernel};
	const struct range_node node = {.range = &range};
	const struct sibling wanted = {.node = &node};
	const struct sibling *list = siblings->list;
	size_t at = FIRST_NOT(i, 0, siblings->count, compare_siblings(&list[i], &wanted) < 0);

	return at < siblings->count && !compare_siblings(&list[at], &wanted) ? at : siblings->count;
}

static bool is_of_range(const struct trace_record *record, const struct nvtx_range *range)
{
	return record->name == range->name && record->kernel == range->domain;
}

static struct intervals no_intervals(const struct session *session)
{
	const uint64_t records = session_header(session)->counters[COUNTER_trace_records];

	return (struct intervals){.list = calloc(records + 1, sizeof(struct interval))};
}

static void add(struct intervals *all, const struct session *session,
		const struct trace_record *record, uint32_t group, size_t number)
{
	if (all->list && all->count < session_header(session)->counters[COUNTER_trace_records] &&
	    record->end >= record->start)
		all->list[all->count++] = (struct interval){.begin = record->start,
							    .end = record->end,
							    .group = group,
							    .number = (uint32_t)number};
}

static struct intervals operations_of(const struct session *session, int device)
{
	struct intervals found = no_intervals(session);
	const struct trace_record *record;

	session_for_each_trace (session, record)
		if (row_is_gpu(record->kind) && record->device == device)
			add(&found, session, record, 0, 0);
	return found;
}

/* The ranges of each thread that lie directly in one of `in`, or in none where that is NULL. */
static struct intervals ranges_in(const struct session *session, const struct nvtx_range *in,
				  const struct siblings *siblings)
{
	struct intervals around = {.list = NULL}, found = no_intervals(session);
	const struct trace_record *record;
	size_t inside = 0;

	if (in)
		around = no_intervals(session);
	session_for_each_trace (session, record) {
		if (record->kind != ROW_RANGE || record->result != RANGE_PUSH_POP)
			continue;
		if (in && is_of_range(record, in))
			add(&around, session, record, record->thread, 0);
		else
			add(&found, session, record, record->thread, sibling_of(siblings, record));
	}
	if (in)
		intervals_join(&around);
	for (size_t i = 0; i < found.count; i++)
		if (!in || intervals_have(&around, &found.list[i]))
			found.list[inside++] = found.list[i];
	found.count = inside;
	intervals_keep_outermost(&found);
	free(around.list);
	return found;
}

/* Those of the range itself. */
static struct intervals own_of(const struct session *session, const struct intervals *ranges,
			       const struct siblings *siblings)
{
	struct intervals own = no_intervals(session);

	for (size_t i = 0; i < ranges->count && own.list; i++)
		if (ranges->list[i].number == siblings->own)
			own.list[own.count++] = ranges->list[i];
	return own;
}

/* The thread of all of them; 0: several. */
static uint32_t thread_of(const struct intervals *ranges)
{
	uint32_t thread = ranges->count ? ranges->list[0].group : 0;

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->list[i].group != thread)
			return 0;
	return thread;
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
		    count < records &&
		    intervals_have(ranges, &(struct interval){.begin = record->start,
							      .end = record->start}))
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

/* Of the range without those inside of it. */
static void find_own(struct range_times *times, const struct session *session,
		     const struct host_range *range, struct intervals *own,
		     const struct intervals *operations)
{
	const uint32_t thread = thread_of(own);
	uint64_t sum = 0;

	for (size_t i = 0; i < own->count; i++) {
		sum += own->list[i].end - own->list[i].begin;
		own->list[i].group = 0;
	}
	/* Or time in ranges inside of it is no part of the host's there. */
	times->known = is_same(sum, range->time);
	if (!times->known)
		return;
	intervals_join(own);
	for (size_t i = 0; i < own->count; i++)
		times->idle += intervals_idle_in(operations, &own->list[i]);
	find_others(times, session, own, thread);
}

/* Whether the trace has all that the profile's figures say of the ranges. */
static bool has_all(const struct siblings *siblings, const struct intervals *ranges)
{
	uint64_t lacking = 0, all = 0;

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->list[i].number < siblings->count)
			siblings->list[ranges->list[i].number].time +=
				ranges->list[i].end - ranges->list[i].begin;
	for (size_t i = 0; i < siblings->count; i++) {
		const uint64_t time = siblings->list[i].time, total = siblings->list[i].node->total;

		lacking += time > total ? time - total : total - time;
		all += total;
	}
	return (double)lacking <= SAME_PART * (double)all;
}

static int compare_idle(const void *left, const void *right)
{
	const struct sibling *a = left, *b = right;

	return IN_ORDER(b->idle.time, a->idle.time) ?: compare_siblings(left, right);
}

/* Takes those that are named, and adds up the others. `count`: of those that are told apart. */
static void take_longest(struct idle_by_range *split, struct sibling *siblings, size_t count)
{
	qsort(siblings, count, sizeof(*siblings), compare_idle);
	for (size_t i = 0; i < count; i++) {
		const struct range_idle *idle = &siblings[i].idle;

		if (i < RANGES_NAMED && time_percent(idle->time, split->all) >= NAMED_LEAST) {
			split->named[split->count++] = *idle;
		} else if (idle->time) {
			split->others++;
			split->in_others += idle->time;
		}
		split->elsewhere -= idle->time;
	}
}

/* Splits idle time by ranges of one thread, or of several if the range itself is one of several. */
static void split_idle(struct idle_by_range *split, struct siblings *siblings,
		       struct intervals *ranges, uint32_t thread,
		       const struct intervals *operations)
{
	struct sibling *list = siblings->list;
	size_t count = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		struct interval range = ranges->list[i];

		if (range.number >= siblings->count || (thread && range.group != thread))
			continue;
		range.group = range.number;
		ranges->list[count++] = range;
	}
	ranges->count = count;
	intervals_join(ranges);
	for (size_t i = 0; i < ranges->count; i++) {
		struct interval *range = &ranges->list[i];
		struct range_idle *idle = &list[range->number].idle;

		idle->range = list[range->number].node->range;
		idle->host += range->end - range->begin;
		idle->time += intervals_idle_in(operations, range);
		range->group = 0;
	}
	split->elsewhere = split->all;
	/* Times of ranges that were open at once on several threads do not add up. */
	if (intervals_overlap(ranges))
		take_longest(split, &list[siblings->own], 1);
	else
		take_longest(split, list, siblings->count);
}

struct range_times range_times_find(const struct session *session, const struct range_tree *tree,
				    const struct host_range *range, int device)
{
	const struct session_header *header = session_header(session);
	uint64_t records = header->counters[COUNTER_trace_records], whole, idle;
	struct siblings siblings = {.list = NULL};
	struct intervals ranges, own, operations;
	struct range_times times = {.known = false};

	if (!range->range || device < 0 || header->processes || !records || records > RECORDS_MOST)
		return times;
	siblings = find_siblings(tree, range->range);
	ranges = ranges_in(session, range->in, &siblings);
	own = own_of(session, &ranges, &siblings);
	operations = operations_of(session, device);
	if (siblings.own < siblings.count && ranges.list && own.list && operations.list) {
		const uint32_t thread = thread_of(&own);

		times.split.all = intervals_add_idle(&operations);
		find_own(&times, session, range, &own, &operations);
		idle = idle_time(&header->uses[device], &whole);
		if (!session_estimates_use(session) && is_same(times.split.all, idle) &&
		    has_all(&siblings, &ranges))
			split_idle(&times.split, &siblings, &ranges, thread, &operations);
	}
	free(siblings.list);
	free(ranges.list);
	free(own.list);
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
	return intervals_idle_in(operations, &(struct interval){.begin = tenth(part, first),
								.end = tenth(part, first + count)});
}

bool idle_part_find(const struct session *session, int device, struct idle_part *part)
{
	struct intervals operations = operations_of(session, device);

	*part = (struct idle_part){.first = 0};
	intervals_add_idle(&operations);
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
