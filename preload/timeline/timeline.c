/* SPDX-License-Identifier: MIT */
#include "preload/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "preload/base/pauses.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/driver/entries.h"
#include "preload/events/in_flight.h"
#include "preload/launch/window.h"
#include "preload/timeline/window_use.h"
#include "report/session/memory.h"

static uint64_t smaller(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

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
	size_t kept = interval_set_kept(set);
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
	if (set->room >= 2 * INTERVALS_KEPT)
		return false;
	intervals = grow_list(set->intervals, set->end, &set->room, sizeof(*intervals));
	if (intervals)
		set->intervals = intervals;
	return intervals;
}

static void give_up_half(struct interval_set *set)
{
	for (size_t half = interval_set_kept(set) / 2; half > 0; half--)
		finish_oldest(set);
}

/* The place of the first interval that starts after `start`. */
static size_t place_after(const struct interval_set *set, uint64_t start)
{
	if (set->begin == set->end || set->intervals[set->end - 1].start <= start)
		return set->end;
	return FIRST_NOT(i, set->begin, set->end, set->intervals[i].start <= start);
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
	/* Most intervals come last. */
	if (place < set->end)
		memmove(&set->intervals[place + 1], &set->intervals[place],
			(set->end - place) * sizeof(*interval));
	set->intervals[place] = *interval;
	set->end++;
	set->total += interval->end - interval->start;
	if (place + 1 < set->end)
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
	/* Neither 0 nor CALL_BY_TIME is a number, also after 2^32 calls. */
	if (++count == CALL_BY_TIME)
		count = HOST_CALLS_KEPT;
	calls[count % HOST_CALLS_KEPT] = *call;
	return count;
}

const struct host_call *host_calls_get(uint32_t number)
{
	return number && number != CALL_BY_TIME && calls && count - number < HOST_CALLS_KEPT
		       ? &calls[number % HOST_CALLS_KEPT]
		       : NULL;
}

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

static bool get_call(const void *argument, uint32_t number, struct idle_call *call)
{
	const struct host_call *found = host_calls_get(number);

	(void)argument;
	if (found)
		*call = (struct idle_call){found->begin, found->end, found->previous, found->flags};
	return found;
}

struct gap_parts {
	gap_taker *take;
	void *argument;
	uint32_t thread;
};

static void take_part(void *argument, enum idle_cause cause, uint32_t number, uint64_t begin,
		      uint64_t end)
{
	const struct gap_parts *parts = argument;
	const struct gap_part part = {
		.cause = cause,
		.api = cause == IDLE_CALL ? host_calls_get(number)->api : API_NONE,
		.thread = parts->thread,
		.begin = begin,
		.end = end,
	};

	parts->take(parts->argument, &part);
}

void gap_split(const struct interval *before, const struct interval *after, gap_taker *take,
	       void *argument)
{
	const struct host_call *call = host_calls_get(after->first.call);
	const struct idle_gap gap = {
		.begin = before->end,
		.end = after->start,
		.call = after->first.call,
		.in_graph = after->first.graph_launch &&
			    after->first.graph_launch == before->last.graph_launch,
	};
	struct gap_parts parts = {take, argument, call ? call->thread : 0};

	idle_split(&gap, &(struct idle_calls){get_call, take_part, &parts});
}

static void add_to_split(void *argument, const struct gap_part *part)
{
	struct split *split = argument;

	split->thread = part->thread;
	if (part->cause == IDLE_CALL)
		add_call(split, part->api, part->end - part->begin);
	else
		split->parts[part->cause] += part->end - part->begin;
}

void causes_split(struct split *split, const struct interval *before, const struct interval *after)
{
	*split = (struct split){0};
	gap_split(before, after, add_to_split, split);
}

/* The unions of a device's operations: their overlap is what the parts have more than the whole. */
struct device {
	struct interval_set all, kernels, copies;
	struct device_use *use;
	uint32_t number, context;
	/* For gaps whose calls are found by their times: calls before `next_call` began before the
	 * last such gap, and `work_before` is the last of them that gave the device work. */
	uint32_t next_call, work_before;
};

static struct device devices[SESSION_DEVICES];

/* Adds a part of a gap to the row of its cause. */
static void add_part(const struct device *device, const struct split *split, enum idle_cause cause,
		     uint16_t api, uint64_t part, const struct interval *before,
		     const struct interval *after)
{
	bool of_runtime;
	const char *name = cause == IDLE_CALL ? api_name(api, &of_runtime) : NULL;
	struct idle_row key = {.cause = cause,
			       .device = (int32_t)device->number,
			       .thread = split->thread,
			       .name = name ? session_intern(run.session, name) : 0};
	struct idle_row *row = session_idle_row(run.session, &key);

	if (row)
		session_add_idle(row, part, before->last.name, after->first.name);
}

static bool is_only_device(const struct device *device)
{
	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		if (run.header->uses[i].last && i != device->number)
			return false;
	return true;
}

/*
 * The number of the call that ended a gap: the first that gave the device work in it, since an idle
 * device begins with what comes first; or the last one before it, whose work then waited. 0: not
 * known, as on several devices, of which a call's time does not tell its own. Each call is looked
 * at once, as gaps come in the order of their times.
 */
static uint32_t call_by_time(struct device *device, uint64_t begin, uint64_t end)
{
	const struct host_call *call;
	uint32_t number = device->next_call;

	if (!is_only_device(device) || pauses_touch(begin - CLOCKS_APART_NS, end + CLOCKS_APART_NS))
		return 0;
	if (number != count + 1 && !host_calls_get(number))
		number = count > HOST_CALLS_KEPT ? count - HOST_CALLS_KEPT + 1 : 1;
	for (; (call = host_calls_get(number)) && call->begin < begin; number++)
		if (call->flags & HOST_CALL_WORK)
			device->work_before = number;
	device->next_call = number;
	for (; (call = host_calls_get(number)) && call->begin < end; number++)
		if (call->flags & HOST_CALL_WORK)
			return number;
	return device->work_before;
}

static void take_gap(const struct interval *before, const struct interval *after, void *argument)
{
	struct device *device = argument;
	struct interval ended;
	struct split split;

	if (window_changed_between(before->end, after->start)) {
		device->use->excluded += after->start - before->end;
		return;
	}
	if (after->first.call == CALL_BY_TIME) {
		ended = *after;
		ended.first.call = call_by_time(device, before->end, after->start);
		after = &ended;
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

static struct device *device_of(uint32_t ordinal)
{
	uint32_t number = ordinal < SESSION_DEVICES ? ordinal : 0;
	struct device *device = &devices[number];

	device->number = number;
	device->use = &run.header->uses[number];
	device->all.gap = take_gap;
	device->all.argument = device;
	return device;
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

/* Whether an operation's call is among the older half of the calls that are remembered. */
static bool is_call_old(const struct interval *interval)
{
	uint32_t call = interval->first.call;
	const struct host_call *half;

	if (call != CALL_BY_TIME)
		return call && count - call > HOST_CALLS_KEPT / 2;
	half = count > HOST_CALLS_KEPT / 2 ? host_calls_get(count - HOST_CALLS_KEPT / 2) : NULL;
	return half && interval->start < half->begin;
}

/* A record that never comes must not keep gaps until the calls before them are forgotten. */
static void settle_before_forgotten(struct interval_set *set)
{
	while (interval_set_kept(set) > 1) {
		const struct interval *next = &set->intervals[set->begin + 1];

		if (!is_call_old(next))
			return;
		interval_set_settle(set, next->start);
	}
}

void timeline_settle(uint64_t until)
{
	for (struct device *device = devices; device < devices + SESSION_DEVICES; device++) {
		interval_set_settle(&device->all, until);
		settle_before_forgotten(&device->all);
	}
}

size_t timeline_memory(void)
{
	size_t intervals = 0;

	for (unsigned i = 0; i < SESSION_DEVICES; i++)
		intervals += devices[i].all.room + devices[i].kernels.room + devices[i].copies.room;
	return smaller(count, HOST_CALLS_KEPT) * sizeof(*calls) +
	       intervals * sizeof(struct interval) + window_use_memory();
}

/* Whether a copy's function waits for it: by the name, as CUDA has it. A copy on the device does
 * not make the host wait, whatever it is called. */
static bool waits_for_copy(const struct call_record *record)
{
	static const enum fixed_operation to_host[] = {OPERATION_COPY_HTOD, OPERATION_COPY_DTOH,
						       OPERATION_COPY_HTOA, OPERATION_COPY_ATOH};
	bool of_runtime, host = false;
	const char *name;

	if (record->operation->kind != ROW_MEMCPY)
		return false;
	name = api_name(record->api, &of_runtime);
	for (unsigned i = 0; i < sizeof(to_host) / sizeof(to_host[0]); i++)
		host = host || record->operation == operation_fixed(to_host[i]);
	return host && name && !strstr(name, "Async");
}

/* `duration` in nanoseconds. */
static uint8_t flags_of(const struct call_record *record, enum host_call_kind kind,
			uint64_t duration)
{
	uint8_t flags = 0;

	if (kind == HOST_CALL_WAIT)
		return HOST_CALL_WAITED;
	if (!record->operation || record->flags & (CALL_API_ONLY | CALL_CAPTURED | CALL_FAILED))
		return 0;
	flags = HOST_CALL_WORK;
	/* It may be the first launch of the thread alone. */
	if (record->flags & CALL_FIRST && duration >= LOADING_NS)
		flags |= HOST_CALL_FIRST;
	if (waits_for_copy(record))
		flags |= HOST_CALL_WAITED;
	return flags;
}

/* Adds a call to the totals from which the report derives its findings. */
static void add_to_totals(enum host_call_kind kind, uint8_t flags, uint64_t duration)
{
	struct call_totals *totals = &run.header->totals;

	switch (kind) {
	case HOST_CALL_WAIT:
		totals->waiting_calls++;
		totals->waiting_ns += duration;
		break;
	case HOST_CALL_MEMORY:
		totals->memory_calls++;
		totals->memory_ns += duration;
		break;
	default:
		if (flags & HOST_CALL_WAITED) {
			totals->synchronous_calls++;
			totals->synchronous_ns += duration;
		}
	}
}

void timeline_call(struct thread *thread, const struct call_record *record)
{
	uint64_t begin = clock_realtime_at(&run.scale, record->started);
	uint64_t duration = clock_ticks_to_ns(&run.scale, record->duration);
	enum host_call_kind kind = api_host_call(record->api);
	uint8_t flags = flags_of(record, kind, duration);
	int device = call_is_operation(record) ? record->stream->context->device : -1;
	const struct host_call call = {
		.begin = begin,
		.end = begin + duration,
		.previous = thread->last_call,
		.thread = thread->kernel_id,
		.api = record->api,
		.flags = flags,
		.device = (uint8_t)device,
	};
	uint32_t number;

	if (!(record->flags & (CALL_FAILED | CALL_OUTSIDE_WINDOW)))
		add_to_totals(kind, flags, duration);
	if (!plan_is_cupti())
		return;
	number = host_calls_add(&call);
	if (!number)
		return;
	thread->last_call = number;
	if (flags & (HOST_CALL_WORK | HOST_CALL_WAITED) && !(record->flags & CALL_OUTSIDE_WINDOW))
		window_use_call(number, &call, device, record->stream);
}

/* Whether a call's function has a name that says whether it is asynchronous, and says this. */
static bool is_by_name(const struct in_flight *call, bool asynchronous)
{
	bool of_runtime;
	const char *name = api_name(call->api, &of_runtime);

	return name && (strstr(name, "Async") != NULL) == asynchronous;
}

/* A memset of pinned or managed memory, which the host can access, waits for the device unless its
 * function is asynchronous. Only the activity record tells the kind of memory, so the call is
 * marked now as one that waited. */
static void take_memset(const struct seen *seen)
{
	struct call_totals *totals = &run.header->totals;
	const unsigned kind = seen->activity->destination_kind;
	const struct host_call *call = host_calls_get(seen->call->host_call);

	if (!call || (kind != MEMORY_PINNED && kind != MEMORY_MANAGED) ||
	    !is_by_name(seen->call, false))
		return;
	calls[seen->call->host_call % HOST_CALLS_KEPT].flags |= HOST_CALL_WAITED;
	totals->synchronous_calls++;
	totals->synchronous_ns += call->end - call->begin;
}

/* An asynchronous function that copies pageable memory waits all the same. */
static void take_copy(const struct seen *seen)
{
	struct call_totals *totals = &run.header->totals;
	const struct activity *activity = seen->activity;

	if ((activity->source_kind != MEMORY_PAGEABLE &&
	     activity->destination_kind != MEMORY_PAGEABLE) ||
	    !is_by_name(seen->call, true))
		return;
	totals->pageable_calls++;
	totals->pageable_ns += seen->nanoseconds;
}

/* A node of a graph has no row of its own while records come in windows; its operation may. */
static uint64_t name_of(const struct seen *seen)
{
	const struct row *row = seen->row;

	if (!row && seen->operation && seen->activity->device < SESSION_DEVICES)
		row = seen->operation->rows[seen->activity->device];
	if (row)
		return row->name;
	return seen->operation && seen->operation->name
		       ? session_intern(run.session, seen->operation->name)
		       : 0;
}

void timeline_end_exact(uint64_t until, uint32_t call)
{
	const struct edge edge = {.call = call};
	const struct interval end = {until, until + 1, edge, edge};

	for (struct device *device = devices; device < devices + SESSION_DEVICES; device++)
		if (device->use && device->use->last)
			interval_set_add(&device->all, &end);
}

void timeline_take(const struct seen *seen)
{
	const struct activity *activity = seen->activity;
	struct device *device = device_of(activity->device);
	bool kernel = activity->kind == ACTIVITY_KERNEL || activity->kind == ACTIVITY_GRAPH;
	const struct edge edge = {
		.name = name_of(seen),
		.call = seen->host_call,
		.graph_launch = activity->graph_node ? activity->correlation : 0,
	};
	struct interval interval = {activity->start, activity->end, edge, edge};
	const struct use_told *told;
	uint64_t until;

	if (seen->call && !activity->graph_node && activity->kind == ACTIVITY_MEMCPY)
		take_copy(seen);
	if (seen->call && !activity->graph_node && activity->kind == ACTIVITY_MEMSET)
		take_memset(seen);
	note_context(device, activity->context);
	until = window_use_take(&interval, device->number, kernel, activity->correlation);
	if (interval.start >= until)
		return;
	interval.end = smaller(interval.end, until);
	interval_set_add(&device->all, &interval);
	interval_set_add(kernel ? &device->kernels : &device->copies, &interval);
	if (!device->use->first || activity->start < device->use->first)
		device->use->first = activity->start;
	device->use->last = larger(device->use->last, interval.end);
	told = window_use_told(device->number);
	device->use->busy = device->all.total + told->busy;
	device->use->kernels = device->kernels.total + told->kernels;
	device->use->copies = device->copies.total + told->copies;
	device->use->late = device->all.late;
}
