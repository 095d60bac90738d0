/* SPDX-License-Identifier: MIT */
#include "preload/timeline/timeline.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "preload/driver/entries.h"
#include "preload/launch/window.h"
#include "report/session/memory.h"

static uint64_t smaller(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/* Chosen: one page for a device with little work. */
#define FIRST_ROOM 64u

/* The oldest interval is final: a gap after it can no longer be filled. */
static void finish_oldest(struct interval_set *set)
{
	const struct interval *oldest = &set->intervals[set->begin++];

	if (set->begin == set->end)
		return;
	if (set->gap)
		set->gap(oldest, oldest + 1, set->argument);
	set->final = oldest[1].start;
}

/* Room for one more interval behind the others; false if memory is out. */
static bool make_room(struct interval_set *set)
{
	size_t kept = interval_set_kept(set), larger = set->room ? 2 * set->room : FIRST_ROOM;
	struct interval *intervals;

	if (set->end < set->room)
		return true;
	/* Moving half of them is cheap, as it makes room for as many. */
	if (set->begin >= set->room / 2 && set->begin > 0) {
		memmove(set->intervals, &set->intervals[set->begin], kept * sizeof(*intervals));
		set->begin = 0;
		set->end = kept;
		return true;
	}
	if (set->room < 2 * INTERVALS_KEPT) {
		intervals = grow(set->intervals, set->room * sizeof(*intervals),
				 larger * sizeof(*intervals));
		if (intervals) {
			set->intervals = intervals;
			set->room = larger;
			return true;
		}
	}
	return false;
}

static void give_up_half(struct interval_set *set)
{
	for (size_t half = interval_set_kept(set) / 2; half > 0; half--)
		finish_oldest(set);
}

/* The place of the first interval that starts after `start`. */
static size_t place_after(const struct interval_set *set, uint64_t start)
{
	size_t low = set->begin, high = set->end;

	/* Most intervals come last. */
	if (low == high || set->intervals[high - 1].start <= start)
		return high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->intervals[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Joins an interval with those behind it that begin before it ends. */
static void join_following(struct interval_set *set, size_t place)
{
	struct interval *joined = &set->intervals[place];
	size_t next = place + 1;

	for (; next < set->end && set->intervals[next].start <= joined->end; next++) {
		const struct interval *other = &set->intervals[next];

		set->total -= smaller(other->end, joined->end) - other->start;
		if (other->end > joined->end) {
			joined->end = other->end;
			joined->last = other->last;
		}
	}
	if (next == place + 1)
		return;
	memmove(&set->intervals[place + 1], &set->intervals[next],
		(set->end - next) * sizeof(*joined));
	set->end -= next - place - 1;
}

static void insert(struct interval_set *set, const struct interval *interval)
{
	size_t place = place_after(set, interval->start);
	struct interval *before = place > set->begin ? &set->intervals[place - 1] : NULL;

	if (before && before->end >= interval->start) {
		if (interval->end <= before->end)
			return;
		set->total += interval->end - before->end;
		before->end = interval->end;
		before->last = interval->last;
		join_following(set, place - 1);
		return;
	}
	memmove(&set->intervals[place + 1], &set->intervals[place],
		(set->end - place) * sizeof(*interval));
	set->intervals[place] = *interval;
	set->end++;
	set->total += interval->end - interval->start;
	join_following(set, place);
}

void interval_set_add(struct interval_set *set, const struct interval *interval)
{
	struct interval part = *interval;

	if (interval_set_kept(set) >= INTERVALS_KEPT)
		give_up_half(set);
	if (!make_room(set)) {
		give_up_half(set);
		if (!make_room(set)) {
			set->late += part.end - part.start;
			return;
		}
	}
	if (part.start < set->final) {
		set->late += smaller(part.end, set->final) - part.start;
		part.start = set->final;
	}
	if (part.start < part.end)
		insert(set, &part);
}

void interval_set_settle(struct interval_set *set, uint64_t until)
{
	while (interval_set_kept(set) > 1 && set->intervals[set->begin + 1].start <= until)
		finish_oldest(set);
}

static struct host_call *calls;
static uint32_t count; /* of all that were added */

uint32_t host_calls_add(const struct host_call *call)
{
	if (!calls)
		calls = malloc(HOST_CALLS_KEPT * sizeof(*calls));
	if (!calls)
		return 0;
	/* 0 is no number, also after 2^32 calls. */
	if (++count == 0)
		count = HOST_CALLS_KEPT;
	calls[count % HOST_CALLS_KEPT] = *call;
	return count;
}

const struct host_call *host_calls_get(uint32_t number)
{
	return number && calls && count - number < HOST_CALLS_KEPT
		       ? &calls[number % HOST_CALLS_KEPT]
		       : NULL;
}

void host_calls_note_wait(uint32_t number)
{
	if (host_calls_get(number))
		calls[number % HOST_CALLS_KEPT].flags |= HOST_CALL_WAITED;
}

/* How many calls before a gap are searched for the one that waited or launched last. Chosen. */
#define CALLS_SEARCHED 64

static void add_call(struct split *split, uint16_t api, uint64_t part)
{
	unsigned i = 0;

	split->parts[IDLE_CALL] += part;
	while (i < split->call_count && split->calls[i].api != api)
		i++;
	if (i == SPLIT_CALLS) {
		i--;
		split->calls[i].api = API_NONE;
	} else if (i == split->call_count) {
		split->call_count++;
		split->calls[i].api = api;
		split->calls[i].part = 0;
	}
	split->calls[i].part += part;
}

/* Whether the thread's last call that waited for the device or gave it work is one that waited. */
static bool waited_last(uint32_t number)
{
	const struct host_call *call = host_calls_get(number);

	for (unsigned i = 0; i < CALLS_SEARCHED && call; i++) {
		if (call->flags & (HOST_CALL_WAITED | HOST_CALL_WORK))
			return call->flags & HOST_CALL_WAITED;
		call = host_calls_get(call->previous);
	}
	return false;
}

/* Splits what is before the operation's call: the thread's earlier calls, and its own code between
 * them. `until`: the call's begin, or the gap's end. */
static void split_before_call(struct split *split, const struct host_call *call, uint64_t begin,
			      uint64_t until)
{
	uint32_t number = call->previous;

	while (until > begin) {
		const struct host_call *previous = host_calls_get(number);
		uint64_t idle_from = begin;

		if (number && !previous) {
			split->parts[IDLE_UNRESOLVED] += until - begin;
			return;
		}
		if (previous)
			idle_from = smaller(until, larger(begin, previous->end));
		split->parts[waited_last(number) ? IDLE_AFTER_WAIT : IDLE_PROGRAM] +=
			until - idle_from;
		until = idle_from;
		if (!previous)
			return;
		if (until > larger(begin, previous->begin)) {
			add_call(split, previous->api, until - larger(begin, previous->begin));
			until = larger(begin, previous->begin);
		}
		number = previous->previous;
	}
}

void causes_split(struct split *split, const struct interval *before, const struct interval *after)
{
	const struct host_call *call = host_calls_get(after->first.call);
	uint64_t begin = before->end, end = after->start, latency_from, loaded;

	*split = (struct split){.thread = call ? call->thread : 0};
	if (after->first.graph_launch && after->first.graph_launch == before->last.graph_launch) {
		split->parts[IDLE_GRAPH] = end - begin;
		return;
	}
	if (!call) {
		split->parts[IDLE_UNRESOLVED] = end - begin;
		return;
	}
	if (end - begin < CLOCKS_APART_NS) {
		bool queued = call->end + CLOCKS_APART_NS <= begin;

		split->parts[queued ? IDLE_DEPENDENCY : IDLE_SHORT] = end - begin;
		return;
	}
	if (call->end <= begin) {
		split->parts[IDLE_DEPENDENCY] = end - begin;
		return;
	}
	latency_from = smaller(end, larger(begin, call->begin));
	if (call->flags & HOST_CALL_FIRST) {
		loaded = larger(latency_from, smaller(end, call->end));
		split->parts[IDLE_FIRST_LAUNCH] = loaded - latency_from;
		split->parts[IDLE_LATENCY] = end - loaded;
	} else {
		split->parts[IDLE_LATENCY] = end - latency_from;
	}
	split_before_call(split, call, begin, latency_from);
}

/* How many launches of graphs are remembered by their nodes' correlation ids. Chosen. */
#define GRAPH_LAUNCHES 256u

/* The unions of a device's operations: their overlap is what the parts have more than the whole. */
struct device {
	struct interval_set all, kernels, copies;
	struct device_use *use;
	uint32_t number, context;
};

static struct session *session;
static struct device *devices[SESSION_DEVICES];
/* The first node of a launch tells its call, the others only the correlation id. */
static struct {
	uint32_t correlation, call;
} graph_launches[GRAPH_LAUNCHES];

/* The rows of a device's causes, found again without a look-up: those without a name. */
static void add_part(const struct device *device, const struct split *split, enum idle_cause cause,
		     uint16_t api, uint64_t part, const struct interval *before,
		     const struct interval *after)
{
	bool of_runtime;
	const char *name = cause == IDLE_CALL ? api_name(api, &of_runtime) : NULL;
	struct idle_row key = {.cause = cause,
			       .device = (int32_t)device->number,
			       .thread = split->thread,
			       .name = name ? session_intern(session, name) : 0};
	struct idle_row *row = session_idle_row(session, &key);

	if (row)
		session_add_idle(row, part, before->last.name, after->first.name);
}

static void take_gap(const struct interval *before, const struct interval *after, void *argument)
{
	const struct device *device = argument;
	struct split split;

	if (window_changed_between(before->end, after->start)) {
		device->use->excluded += after->start - before->end;
		return;
	}
	causes_split(&split, before, after);
	for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++)
		if (split.parts[cause] && cause != IDLE_CALL)
			add_part(device, &split, cause, API_NONE, split.parts[cause], before,
				 after);
	for (unsigned i = 0; i < split.call_count; i++)
		add_part(device, &split, IDLE_CALL, split.calls[i].api, split.calls[i].part, before,
			 after);
}

static struct device *device_of(uint32_t number)
{
	struct device *device;

	if (number >= SESSION_DEVICES)
		number = 0;
	if (!devices[number]) {
		device = calloc(1, sizeof(*device));
		if (!device)
			return NULL;
		device->number = number;
		device->use = &session_header(session)->uses[number];
		device->all.gap = take_gap;
		device->all.argument = device;
		devices[number] = device;
	}
	return devices[number];
}

static uint32_t call_of(const struct timeline_operation *operation)
{
	unsigned place = operation->graph_launch % GRAPH_LAUNCHES;

	if (!operation->graph_launch)
		return operation->call;
	if (operation->call) {
		graph_launches[place].correlation = operation->graph_launch;
		graph_launches[place].call = operation->call;
	}
	return graph_launches[place].correlation == operation->graph_launch
		       ? graph_launches[place].call
		       : 0;
}

static void note_context(struct device *device, uint32_t context)
{
	if (device->use->contexts == 0) {
		device->context = context;
		device->use->contexts = 1;
	} else if (context != device->context) {
		device->use->contexts = 2;
	}
}

void timeline_add(const struct timeline_operation *operation)
{
	struct device *device = device_of(operation->device);
	struct interval interval = {
		.start = operation->start,
		.end = operation->end,
		.first = {.name = operation->name,
			  .call = call_of(operation),
			  .graph_launch = operation->graph_launch},
	};

	if (!device)
		return;
	interval.last = interval.first;
	note_context(device, operation->context);
	interval_set_add(&device->all, &interval);
	interval_set_add(operation->copy ? &device->copies : &device->kernels, &interval);
	if (!device->use->first || operation->start < device->use->first)
		device->use->first = operation->start;
	if (operation->end > device->use->last)
		device->use->last = operation->end;
	device->use->busy = device->all.total;
	device->use->kernels = device->kernels.total;
	device->use->copies = device->copies.total;
	device->use->late = device->all.late;
}

/* A record that never comes must not keep gaps until the calls before them are forgotten: those
 * are settled whose call is among the older half of the calls that are remembered. */
static void settle_before_forgotten(struct interval_set *set)
{
	while (interval_set_kept(set) > 1) {
		const struct interval *next = &set->intervals[set->begin + 1];
		uint32_t call = next->first.call;

		if (!call || count - call <= HOST_CALLS_KEPT / 2)
			return;
		interval_set_settle(set, next->start);
	}
}

void timeline_settle(uint64_t until)
{
	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		if (devices[i]) {
			interval_set_settle(&devices[i]->all, until);
			settle_before_forgotten(&devices[i]->all);
		}
}

void timeline_start(struct session *the_session)
{
	session = the_session;
}

size_t timeline_memory(void)
{
	size_t bytes = smaller(count, HOST_CALLS_KEPT) * sizeof(*calls);

	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		if (devices[i])
			bytes += sizeof(*devices[i]) +
				 (devices[i]->all.room + devices[i]->kernels.room +
				  devices[i]->copies.room) *
					 sizeof(struct interval);
	return bytes;
}
