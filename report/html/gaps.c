/* SPDX-License-Identifier: MIT */
#include "report/html/gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The causes are those of the table of idle time, found by the same rules. They are found again
 * here as a profile keeps only their sums; and only as far as the trace goes: it does not have
 * calls that CUPTI does not record.
 */

/* How far the records' clock and the host's may be apart: in shorter gaps they do not tell the
 * host's time from launch latency. */
#define CLOCKS_APART_NS 5000u
/* Calls before a gap that are searched for the one that waited or launched last. Chosen. */
#define CALLS_SEARCHED	64

struct call {
	const struct track *track;
	const struct item *item;
};

struct gaps {
	struct timeline *timeline;
	struct call *calls; /* with a correlation id, by process and id */
	size_t call_count;
	const struct item **operations; /* of one device, by their start */
	struct track *idle;		/* its idle time */
};

static int compare_ids(const struct call *call, unsigned process, uint32_t correlation)
{
	return IN_ORDER(call->track->process, process)
		       ?: IN_ORDER(call->item->correlation, correlation);
}

static int compare_calls(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	return compare_ids(a, b->track->process, b->item->correlation)
		       ?: IN_ORDER(a->track, b->track) ?: IN_ORDER(a->item, b->item);
}

static int compare_starts(const void *left, const void *right)
{
	const struct item *a = *(const struct item *const *)left;
	const struct item *b = *(const struct item *const *)right;

	return IN_ORDER(a->start, b->start) ?: IN_ORDER(a->correlation, b->correlation);
}

/* The call that started an operation; NULL: the trace does not have it. */
static const struct call *find_call(const struct gaps *gaps, const struct item *operation)
{
	unsigned process = gaps->idle->process;
	size_t low = 0, high = gaps->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_ids(&gaps->calls[middle], process, operation->correlation) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < gaps->call_count &&
			       !compare_ids(&gaps->calls[low], process, operation->correlation)
		       ? &gaps->calls[low]
		       : NULL;
}

/* Whether the last of a thread's first calls that launched or waited waited. */
static bool waited_last(const struct session *session, const struct track *track, size_t calls)
{
	for (size_t i = calls; i > 0 && i + CALLS_SEARCHED > calls; i--) {
		const char *name = session_string(session, track->items[i - 1].name);

		if (strstr(name, "Synchronize"))
			return true;
		if (strstr(name, "Launch") || strstr(name, "Memcpy") || strstr(name, "Memset"))
			return !strstr(name, "Launch") && !strstr(name, "Async");
	}
	return false;
}

static int add_part(struct gaps *gaps, enum idle_cause cause, const struct item *call,
		    uint64_t start, uint64_t end)
{
	const struct item item = {.start = start,
				  .end = end,
				  .kind = call ? call->kind : ROW_KINDS,
				  .name = call ? call->name : cause,
				  .class = (uint8_t)(CLASS_IDLE + cause)};

	return end > start ? track_add(gaps->idle, &item) : 0;
}

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* What is before an operation's call, which comes after `calls` others of its thread: those, and
 * the program's own code between them. */
static int split_before(struct gaps *gaps, const struct track *track, size_t calls, uint64_t begin,
			uint64_t until)
{
	int error = 0;

	for (; until > begin && !error; calls--) {
		const struct item *call = calls ? &track->items[calls - 1] : NULL;
		uint64_t from = call ? between(begin, call->end, until) : begin;
		bool waited = waited_last(gaps->timeline->session, track, calls);

		error = add_part(gaps, waited ? IDLE_AFTER_WAIT : IDLE_PROGRAM, NULL, from, until);
		if (!call || error)
			break;
		until = between(begin, call->start, from);
		error = add_part(gaps, IDLE_CALL, call, until, from);
	}
	return error;
}

static int split(struct gaps *gaps, const struct item *before, const struct item *after,
		 uint64_t begin)
{
	const struct call *call = find_call(gaps, after);
	uint64_t end = after->start, latency, loaded;
	enum idle_cause cause = IDLE_LATENCY;
	int error;

	if (after->graph && after->graph == before->graph &&
	    after->correlation == before->correlation)
		cause = IDLE_GRAPH;
	else if (!call)
		cause = IDLE_UNRESOLVED;
	else if (end - begin < CLOCKS_APART_NS)
		cause = call->item->end + CLOCKS_APART_NS <= begin ? IDLE_DEPENDENCY : IDLE_SHORT;
	else if (call->item->end <= begin)
		cause = IDLE_DEPENDENCY;
	if (cause != IDLE_LATENCY)
		return add_part(gaps, cause, NULL, begin, end);
	latency = between(begin, call->item->start, end);
	loaded = call->item->loads ? between(latency, call->item->end, end) : latency;
	error = split_before(gaps, call->track, (size_t)(call->item - call->track->items), begin,
			     latency);
	error = error ?: add_part(gaps, IDLE_FIRST_LAUNCH, NULL, latency, loaded);
	return error ?: add_part(gaps, IDLE_LATENCY, NULL, loaded, end);
}

/* The gaps between the operations of a device, of which there are `count`. */
static int add_device(struct gaps *gaps, size_t count)
{
	const struct item *before;
	uint64_t until;
	int error = 0;

	qsort(gaps->operations, count, sizeof(*gaps->operations), compare_starts);
	before = gaps->operations[0];
	until = before->end;
	for (size_t i = 1; i < count && !error; i++) {
		const struct item *after = gaps->operations[i];

		if (after->start > until)
			error = split(gaps, before, after, until);
		if (after->end >= until) {
			until = after->end;
			before = after;
		}
	}
	if (gaps->idle->count)
		qsort(gaps->idle->items, gaps->idle->count, sizeof(struct item), items_compare);
	return error;
}

static int add_devices(struct gaps *gaps)
{
	struct track *tracks = gaps->timeline->tracks;
	size_t track_count = gaps->timeline->track_count, next;
	int error = 0;

	/* A device's streams follow each other. */
	for (size_t i = 0; i < track_count && !error; i = next) {
		const struct track *device = &tracks[i];
		const struct track like = {.owner = device->owner,
					   .process = device->process,
					   .kind = TRACK_IDLE,
					   .device = device->device};
		size_t count = 0;

		for (next = i; next < track_count && track_is_stream_of(&tracks[next], device);
		     next++)
			for (size_t j = 0; j < tracks[next].count; j++)
				gaps->operations[count++] = &tracks[next].items[j];
		gaps->idle = count ? track_like(gaps->timeline, &like) : NULL;
		if (gaps->idle)
			error = add_device(gaps, count);
		next += !count;
	}
	return error;
}

int gaps_add(struct timeline *timeline)
{
	struct gaps gaps = {.timeline = timeline};
	int error = -ENOMEM;

	gaps.calls = calloc(timeline->count + 1, sizeof(*gaps.calls));
	gaps.operations = calloc(timeline->count + 1, sizeof(*gaps.operations));
	if (!gaps.calls || !gaps.operations)
		goto out;
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct track *track = &timeline->tracks[i];

		for (size_t j = 0; j < track->count && track->kind == TRACK_CALLS; j++)
			if (track->items[j].correlation)
				gaps.calls[gaps.call_count++] =
					(struct call){track, &track->items[j]};
	}
	qsort(gaps.calls, gaps.call_count, sizeof(*gaps.calls), compare_calls);
	error = add_devices(&gaps);
out:
	free(gaps.calls);
	free(gaps.operations);
	tracks_sort(timeline);
	return error;
}
