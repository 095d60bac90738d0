/* SPDX-License-Identifier: MIT */
#include "report/html/gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/idle_split.h"

/* A profile keeps only the sums of the causes, so that the gaps of a trace are split again here: by
 * the same rules, and only as far as the trace goes, which does not have calls that CUPTI does not
 * record. */

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
	bool resolved;			/* whether its gaps have causes in the profile */
	const struct track *calls_of;	/* the thread whose calls a gap is split by */
	int error;			/* of the gap that is split */
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
	uint32_t id = operation->correlation;
	size_t found =
		FIRST_NOT(i, 0, gaps->call_count, compare_ids(&gaps->calls[i], process, id) < 0);

	return found < gaps->call_count && !compare_ids(&gaps->calls[found], process, id)
		       ? &gaps->calls[found]
		       : NULL;
}

/* Whether a call waited for the device or gave it work, by its name. */
static uint8_t flags_of(const struct session *session, const struct item *call)
{
	const char *name = session_string(session, call->name);
	uint8_t first = call->loads ? HOST_CALL_FIRST : 0;

	if (strstr(name, "Synchronize"))
		return HOST_CALL_WAITED;
	if (strstr(name, "Launch"))
		return HOST_CALL_WORK | first;
	if (strstr(name, "Memcpy") || strstr(name, "Memset"))
		return strstr(name, "Async") ? HOST_CALL_WORK : HOST_CALL_WORK | HOST_CALL_WAITED;
	return first;
}

/* Calls of a thread are numbered from 1. */
static bool get_call(const void *argument, uint32_t number, struct idle_call *call)
{
	const struct gaps *gaps = argument;
	const struct item *item = &gaps->calls_of->items[number - 1];

	*call = (struct idle_call){item->start, item->end, number - 1,
				   flags_of(gaps->timeline->session, item)};
	return true;
}

static void add_part(void *argument, enum idle_cause cause, uint32_t number, uint64_t start,
		     uint64_t end)
{
	struct gaps *gaps = argument;
	const struct item *call = number ? &gaps->calls_of->items[number - 1] : NULL;
	const struct item item = {.start = start,
				  .end = end,
				  .kind = call ? call->kind : ROW_KINDS,
				  .name = call ? call->name : cause,
				  .class = (uint8_t)(CLASS_IDLE + cause)};

	gaps->error = gaps->error ?: track_add(gaps->idle, &item);
}

static int split(struct gaps *gaps, const struct item *before, const struct item *after,
		 uint64_t begin)
{
	const struct call *call = gaps->resolved ? find_call(gaps, after) : NULL;
	const struct idle_gap gap = {
		.begin = begin,
		.end = after->start,
		.call = call ? (uint32_t)(call->item - call->track->items) + 1 : 0,
		.in_graph = after->graph && after->graph == before->graph &&
			    after->correlation == before->correlation,
	};

	gaps->calls_of = call ? call->track : NULL;
	gaps->error = 0;
	idle_split(&gap, &(struct idle_calls){get_call, add_part, gaps});
	return gaps->error;
}

/* Whether the profile has another cause of a device's idle time than that it is unknown. If not,
 * the clocks of device and host could not be compared, and the trace tells no more. */
static bool has_causes(const struct session *session, const struct track *device)
{
	uint64_t totals[IDLE_CAUSE_COUNT];

	if (device->owner)
		memcpy(totals, device->owner->causes, sizeof(totals));
	else
		idle_totals(session, device->device, totals);
	for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++)
		if (totals[cause] && cause != IDLE_UNRESOLVED && cause != IDLE_GRAPH)
			return true;
	return !totals[IDLE_UNRESOLVED];
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
		gaps->resolved = has_causes(gaps->timeline->session, &like);
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
