/* SPDX-License-Identifier: MIT */
/*
 * The causes are those of the table of idle time, found by the same rules. They are found again
 * here as a profile keeps only their sums; and only as far as the trace goes: it does not say which
 * launch was a kernel's first, nor has it calls that CUPTI does not record.
 */
#include "report/html/timeline_gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How far the records' clock and the host's may be apart: in shorter gaps they do not tell the
 * host's time from launch latency. */
#define CLOCKS_APART_NS 5000u
/* Calls before a gap that are searched for the one that waited or launched last. Chosen. */
#define CALLS_SEARCHED	64

struct gaps {
	struct timeline *timeline;
	uint32_t *calls; /* places of calls with a correlation id, by process and id */
	size_t call_count;
	uint32_t *operations; /* of one device, by their start */
};

static const struct item *item_at(const struct gaps *gaps, uint32_t place)
{
	return &gaps->timeline->items[place];
}

static const struct track *track_of(const struct gaps *gaps, const struct item *item)
{
	return &gaps->timeline->tracks[item->track];
}

static int compare_ids(const struct gaps *gaps, const struct item *a, const struct item *b)
{
	unsigned left = track_of(gaps, a)->process, right = track_of(gaps, b)->process;

	if (left != right)
		return left < right ? -1 : 1;
	return a->correlation < b->correlation ? -1 : a->correlation > b->correlation;
}

static int compare_calls(const void *left, const void *right, void *argument)
{
	const uint32_t *a = left, *b = right;
	int order = compare_ids(argument, item_at(argument, *a), item_at(argument, *b));

	return order ? order : *a < *b ? -1 : *a > *b;
}

static int compare_starts(const void *left, const void *right, void *argument)
{
	const uint32_t *a = left, *b = right;
	uint64_t one = item_at(argument, *a)->start, other = item_at(argument, *b)->start;

	return one != other ? (one < other ? -1 : 1) : *a < *b ? -1 : *a > *b;
}

/* The call that started an operation; NULL: the trace does not have it. */
static const struct item *find_call(const struct gaps *gaps, const struct item *operation)
{
	size_t low = 0, high = gaps->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ids(gaps, item_at(gaps, gaps->calls[middle]), operation) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == gaps->call_count)
		return NULL;
	return compare_ids(gaps, item_at(gaps, gaps->calls[low]), operation) == 0
		       ? item_at(gaps, gaps->calls[low])
		       : NULL;
}

/* A thread's call before another one; NULL: none. */
static const struct item *call_before(const struct gaps *gaps, const struct item *call)
{
	const struct track *track = track_of(gaps, call);

	return call > &gaps->timeline->items[track->first] ? call - 1 : NULL;
}

static bool waited_last(const struct gaps *gaps, const struct item *call)
{
	for (unsigned i = 0; call && i < CALLS_SEARCHED; i++) {
		const char *name = session_string(gaps->timeline->session, call->name);

		if (strstr(name, "Synchronize"))
			return true;
		if (strstr(name, "Launch") || strstr(name, "Memcpy") || strstr(name, "Memset"))
			return !strstr(name, "Launch") && !strstr(name, "Async");
		call = call_before(gaps, call);
	}
	return false;
}

static int add_part(struct gaps *gaps, uint32_t track, enum idle_cause cause,
		    const struct item *call, uint64_t start, uint64_t end)
{
	struct item item = {.start = start,
			    .end = end,
			    .track = track,
			    .kind = call ? call->kind : ROW_KINDS,
			    .cause = (uint16_t)cause,
			    .name = call ? call->name : 0};

	return end > start ? items_add(gaps->timeline, &item) : 0;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

static uint64_t smaller(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* What is before the operation's call: the thread's earlier calls, and its own code between them.
 */
static int split_before(struct gaps *gaps, uint32_t track, const struct item *call, uint64_t begin,
			uint64_t until)
{
	int error = 0;

	while (until > begin && !error) {
		const struct item *previous = call_before(gaps, call);
		uint64_t from = previous ? smaller(until, larger(begin, previous->end)) : begin;
		enum idle_cause cause =
			waited_last(gaps, previous) ? IDLE_AFTER_WAIT : IDLE_PROGRAM;

		/* Adding an item may move them all. */
		size_t place = previous ? (size_t)(previous - gaps->timeline->items) : 0;

		error = add_part(gaps, track, cause, NULL, from, until);
		if (!previous || error)
			return error;
		call = item_at(gaps, (uint32_t)place);
		until = smaller(from, larger(begin, call->start));
		if (from > until) {
			struct item copy = *call;

			error = add_part(gaps, track, IDLE_CALL, &copy, until, from);
			call = item_at(gaps, (uint32_t)place);
		}
	}
	return error;
}

static int split(struct gaps *gaps, uint32_t track, const struct item *before,
		 const struct item *after, uint64_t begin)
{
	const struct item *found = find_call(gaps, after);
	struct item call = found ? *found : (struct item){0};
	size_t place = found ? (size_t)(found - gaps->timeline->items) : 0;
	uint64_t end = after->start, latency;
	int error;

	if (after->graph && after->graph == before->graph &&
	    after->correlation == before->correlation)
		return add_part(gaps, track, IDLE_GRAPH, NULL, begin, end);
	if (!found)
		return add_part(gaps, track, IDLE_UNRESOLVED, NULL, begin, end);
	if (end - begin < CLOCKS_APART_NS)
		return add_part(gaps, track,
				call.end + CLOCKS_APART_NS <= begin ? IDLE_DEPENDENCY : IDLE_SHORT,
				NULL, begin, end);
	if (call.end <= begin)
		return add_part(gaps, track, IDLE_DEPENDENCY, NULL, begin, end);
	latency = smaller(end, larger(begin, call.start));
	error = add_part(gaps, track, IDLE_LATENCY, NULL, latency, end);
	return error ? error
		     : split_before(gaps, track, item_at(gaps, (uint32_t)place), begin, latency);
}

/* The gaps between the operations of a device, of which there are `count`. */
static int add_device(struct gaps *gaps, const struct track *device, size_t count)
{
	struct track idle = {.owner = device->owner,
			     .process = device->process,
			     .kind = TRACK_IDLE,
			     .device = device->device};
	struct item before, after;
	long track = items_track(gaps->timeline, &idle);
	uint64_t until;
	int error = 0;

	if (track < 0)
		return track == -ENOSPC ? 0 : (int)track;
	qsort_r(gaps->operations, count, sizeof(*gaps->operations), compare_starts, gaps);
	before = *item_at(gaps, gaps->operations[0]);
	until = before.end;
	for (size_t i = 1; i < count && !error; i++) {
		after = *item_at(gaps, gaps->operations[i]);
		if (after.start > until)
			error = split(gaps, (uint32_t)track, &before, &after, until);
		if (after.end >= until) {
			until = after.end;
			before = after;
		}
	}
	return error;
}

static bool is_of_device(const struct track *track, const struct track *device)
{
	return track->kind == TRACK_STREAM && track->process == device->process &&
	       track->device == device->device;
}

static int add_devices(struct gaps *gaps)
{
	size_t tracks = gaps->timeline->track_count;
	int error = 0;

	/* A device's streams follow each other. */
	for (size_t i = 0; i < tracks && !error; i++) {
		struct track device = gaps->timeline->tracks[i];
		size_t count = 0, j;

		if (device.kind != TRACK_STREAM)
			continue;
		for (j = i; j < tracks && is_of_device(&gaps->timeline->tracks[j], &device); j++)
			for (size_t k = 0; k < gaps->timeline->tracks[j].count; k++)
				gaps->operations[count++] =
					(uint32_t)(gaps->timeline->tracks[j].first + k);
		i = j - 1;
		error = add_device(gaps, &device, count);
	}
	return error;
}

int items_add_gaps(struct timeline *timeline)
{
	struct gaps gaps = {.timeline = timeline};
	int error = -ENOMEM;

	gaps.calls = calloc(timeline->count + 1, sizeof(*gaps.calls));
	gaps.operations = calloc(timeline->count + 1, sizeof(*gaps.operations));
	if (!gaps.calls || !gaps.operations)
		goto out;
	for (size_t i = 0; i < timeline->count; i++)
		if (track_of(&gaps, &timeline->items[i])->kind == TRACK_CALLS &&
		    timeline->items[i].correlation)
			gaps.calls[gaps.call_count++] = (uint32_t)i;
	if (gaps.call_count)
		qsort_r(gaps.calls, gaps.call_count, sizeof(*gaps.calls), compare_calls, &gaps);
	error = add_devices(&gaps);
	items_sort(timeline);
out:
	free(gaps.calls);
	free(gaps.operations);
	return error;
}
