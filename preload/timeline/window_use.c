/* SPDX-License-Identifier: MIT */
#include "preload/timeline/window_use.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "preload/base/run.h"
#include "preload/driver/entries.h"
#include "preload/launch/window.h"
#include "preload/timeline/use_estimate.h"
#include "report/session/memory.h"

/* How many parts a device's idle time has, by cause, function and thread; further functions and
 * threads are one for each cause. 2.6 KB each. Chosen. */
#define PARTS_KEPT 48

/* A part of a device's time. */
struct part {
	enum idle_cause cause;
	uint32_t thread; /* 0: not known, or several */
	uint16_t api;	 /* IDLE_CALL: API_NONE: several */
	struct use_part time;
	uint64_t gaps;			 /* that were seen */
	uint64_t told, told_gaps;	 /* what the profile has of it */
	uint64_t longest, before, after; /* the longest that was seen; names' offsets */
};

/* A device, from the time on when no longer everything was recorded. */
struct device {
	/* The last call that gave it work, and what came of it (use_estimate.h). `begin` 0: none
	 * yet. */
	struct use_period last;
	uint64_t first, until; /* the time that is sorted */
	uint64_t excluded, told_excluded;
	uint64_t calls, calls_seen; /* in that time, and in windows */
	struct use_whole whole;
	struct use_part busy, kernels, copies;
	struct part *parts[PARTS_KEPT + IDLE_CAUSE_COUNT];
	unsigned part_count;
	struct use_told told;

	/* The present window. */
	struct interval_set all_seen, kernels_seen, copies_seen;
	uint32_t call_before; /* the last call before it was opened; 0: none */
	uint64_t first_kernel, last_launch;
	uint32_t correlation; /* of the last launch */
	uint64_t room_until;  /* start of the last operation that had room; UINT64_MAX: all */
};

static struct {
	uint64_t since;	    /* when no longer everything was recorded; UINT64_MAX: it still is */
	uint64_t last_work; /* begin of the last call that gave any device work, and its number */
	uint32_t last_call;
	const void *stream;	/* of that call */
	uint64_t other_streams; /* begin of the last call before it in another stream */
	bool gathers;		/* operations belong to the present window */
	unsigned number, taken;
	uint64_t opened, on; /* the present window */
	bool failed;
	struct device *devices[SESSION_DEVICES];
	unsigned device_count; /* the highest one's number, and one more */
	/* The calls around the window that is looked at, in order. */
	struct use_period *periods;
	size_t period_count, period_room;
} use = {.since = UINT64_MAX};

static __attribute__((noinline)) struct device *add_device(uint32_t number)
{
	struct device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	device->last.waited = device->last.done = device->room_until = UINT64_MAX;
	use.devices[number] = device;
	if (number >= use.device_count)
		use.device_count = number + 1;
	return device;
}

static struct device *device_of(uint32_t number)
{
	if (number >= SESSION_DEVICES)
		number = 0;
	return use.devices[number] ?: add_device(number);
}

/* Begins a period with a call that gave the device work. */
static struct use_period period_of(uint32_t number, const struct host_call *call)
{
	return (struct use_period){
		.begin = call->begin,
		.end = UINT64_MAX,
		.waited = call->flags & HOST_CALL_WAITED ? call->end : UINT64_MAX,
		.done = call->flags & HOST_CALL_WAITED ? call->end : UINT64_MAX,
		.call = number,
	};
}

/* An event may stand before the last work. */
static bool waits_for_event(const struct host_call *call)
{
	bool of_runtime;
	const char *name = api_name(call->api, &of_runtime);

	return name && strstr(name, "EventSynchronize");
}

/* A call waited for the device: its work was done then, unless it got more meanwhile. */
static void note_wait(struct use_period *period, const struct host_call *call)
{
	if (!period->begin || call->begin < period->begin)
		return;
	LOWER(period->waited, call->end);
	if (call->end < period->done && !waits_for_event(call))
		period->done = call->end;
}

/* The device's last period has ended: what is after `since` of it is sorted. */
static void sort_period(struct device *device, uint64_t end)
{
	uint64_t begin = device->last.begin > use.since ? device->last.begin : use.since;

	if (!device->last.begin || end <= begin)
		return;
	device->last.end = end;
	if (window_changed_between(begin, end))
		device->excluded += end - begin;
	else
		use_add_time(device->whole.whole, &device->last, begin, end);
	device->calls++;
	device->first = device->first ? device->first : begin;
	device->until = end;
}

void window_use_call(uint32_t number, const struct host_call *call, int ordinal, const void *stream)
{
	struct device *device;

	if (call->flags & HOST_CALL_WORK && ordinal >= 0) {
		device = device_of((uint32_t)ordinal);
		/* One that took long comes after another thread's that began later. */
		if (!device || call->begin < device->last.begin)
			return;
		if (use.since != UINT64_MAX)
			sort_period(device, call->begin);
		if (stream != use.stream)
			use.other_streams = use.last_work;
		use.stream = stream;
		device->last = period_of(number, call);
		use.last_work = call->begin;
		use.last_call = number;
		return;
	}
	for (unsigned i = 0; call->flags & HOST_CALL_WAITED && i < use.device_count; i++)
		if (use.devices[i])
			note_wait(&use.devices[i]->last, call);
}

uint64_t window_use_take(const struct interval *operation, uint32_t number, bool kernel,
			 uint32_t correlation)
{
	struct device *device;

	if (operation->start < use.since)
		return use.since;
	device = use.gathers ? device_of(number) : NULL;
	/* A kernel that began before the window is of the one before. */
	if (!device || device->room_until != UINT64_MAX ||
	    (kernel && operation->start < use.opened))
		return use.since;
	if (interval_set_kept(&device->all_seen) == INTERVALS_KEPT ||
	    interval_set_kept(&device->kernels_seen) == INTERVALS_KEPT ||
	    interval_set_kept(&device->copies_seen) == INTERVALS_KEPT) {
		device->room_until = device->all_seen.intervals[device->all_seen.end - 1].start;
		return use.since;
	}
	interval_set_add(&device->all_seen, operation);
	interval_set_add(kernel ? &device->kernels_seen : &device->copies_seen, operation);
	if (!kernel)
		return use.since;
	if (!device->first_kernel || operation->start < device->first_kernel)
		device->first_kernel = operation->start;
	/* Correlation ids grow from call to call. */
	if (!device->last_launch || (int32_t)(correlation - device->correlation) > 0 ||
	    (correlation == device->correlation && operation->start < device->last_launch)) {
		device->correlation = correlation;
		device->last_launch = operation->start;
	}
	return use.since;
}

static void forget(struct interval_set *set)
{
	set->begin = set->end = 0;
	set->total = set->final = set->late = 0;
}

static void begin_window(struct device *device)
{
	forget(&device->all_seen);
	forget(&device->kernels_seen);
	forget(&device->copies_seen);
	device->call_before = device->last.call;
	device->first_kernel = device->last_launch = 0;
	device->room_until = UINT64_MAX;
}

/* Lists the device's periods from that of call number `first` on to the first that begins at
 * `until` or later. False if the calls are forgotten, or memory is out. */
static bool list_periods(int ordinal, uint32_t first, uint64_t until)
{
	const struct host_call *call;
	struct use_period *last = NULL;

	use.period_count = 0;
	for (uint32_t number = first; (call = host_calls_get(number)); number++) {
		if (!(call->flags & HOST_CALL_WORK) || call->device != ordinal) {
			if (last && call->flags & HOST_CALL_WAITED)
				note_wait(last, call);
			continue;
		}
		if (last && call->begin < last->begin)
			continue;
		if (last)
			last->end = call->begin;
		if (last && call->begin >= until)
			return true;
		if (!LIST_HAS_ROOM(use.periods, use.period_count, use.period_room))
			return false;
		last = &use.periods[use.period_count++];
		*last = period_of(number, call);
	}
	return last != NULL;
}

/* The last of the listed periods, of which there is one at least, that begins at `time` or before;
 * the first one if none does. */
static const struct use_period *period_at(uint64_t time)
{
	size_t next = FIRST_NOT(i, 1, use.period_count, use.periods[i].begin <= time);

	return &use.periods[next - 1];
}

static void add_time(double sums[USE_STRATA], uint64_t begin, uint64_t end)
{
	const struct use_period *behind = use.periods + use.period_count;

	for (const struct use_period *period = period_at(begin);
	     period < behind && period->begin < end; period++)
		use_add_time(sums, period, begin, end);
}

/* What is known of the present window: from `begin` to `end`. */
struct span {
	struct device *device;
	const struct interval *before, *after; /* of the gap that is split */
	uint64_t begin, end;
	unsigned group;
};

static struct part *part_of(struct device *device, enum idle_cause cause, uint16_t api,
			    uint32_t thread)
{
	struct part *part;

	if (device->part_count >= PARTS_KEPT) {
		api = API_NONE;
		thread = 0;
	}
	for (unsigned i = 0; i < device->part_count; i++) {
		part = device->parts[i];
		if (part->cause == cause && part->api == api && part->thread == thread)
			return part;
	}
	part = calloc(1, sizeof(*part));
	if (!part)
		return NULL;
	part->cause = cause;
	part->api = api;
	part->thread = thread;
	device->parts[device->part_count++] = part;
	return part;
}

static void add_part(const struct span *span, const struct gap_part *piece)
{
	struct part *part = part_of(span->device, piece->cause, piece->api, piece->thread);
	uint64_t length = piece->end - piece->begin;

	if (!part)
		return;
	add_time(part->time.seen[span->group], piece->begin, piece->end);
	part->gaps++;
	if (length <= part->longest)
		return;
	part->longest = length;
	part->before = span->before->last.name;
	part->after = span->after->first.name;
}

static void take_piece(void *argument, const struct gap_part *piece)
{
	add_part(argument, piece);
}

/* Splits the gap between two operations; one of the graph launch's nodes ends it, or the first call
 * in it that gave the device work, else the last one before. */
static void add_gap(struct span *span, const struct interval *before, const struct interval *after)
{
	const struct use_period *period;
	struct interval ended = *after;

	if (before->end >= after->start)
		return;
	if (ended.first.call == CALL_BY_TIME) {
		period = period_at(before->end);
		if (period + 1 < use.periods + use.period_count && period[1].begin < after->start)
			period++;
		ended.first.call = period->call;
	}
	span->before = before;
	span->after = after;
	gap_split(before, &ended, take_piece, span);
}

/* The gaps of the span, which ends where an operation begins. */
static void add_gaps(struct span *span)
{
	const struct interval_set *set = &span->device->all_seen;
	const struct interval opened = {.end = span->begin};
	const struct interval *last = &opened;

	for (size_t i = set->begin; i < set->end && set->intervals[i].start <= span->end; i++) {
		const struct interval *next = &set->intervals[i];

		if (next->end <= span->begin)
			continue;
		add_gap(span, last, next);
		last = next;
	}
}

static void add_union(const struct span *span, const struct interval_set *set,
		      struct use_part *part)
{
	for (size_t i = set->begin; i < set->end && set->intervals[i].start < span->end; i++) {
		const struct interval *one = &set->intervals[i];
		uint64_t begin = one->start > span->begin ? one->start : span->begin;
		uint64_t end = one->end < span->end ? one->end : span->end;

		if (begin < end)
			add_time(part->seen[span->group], begin, end);
	}
}

/* How long ago work of another stream is taken to be done. Chosen. */
#define STREAM_DONE_NS 1000000000u

/* From when on all that the device did is known: its first kernel's start, or the time from which
 * on it had nothing to do before, as a call had waited for all that it had got. That is so if one
 * stream was used. */
static uint64_t known_from(const struct device *device)
{
	const struct use_period *period = period_at(use.on);
	uint64_t idle = period->done > use.on ? period->done : use.on;

	return period->begin < use.on && idle < period->end &&
			       use.other_streams + STREAM_DONE_NS < use.on
		       ? idle
		       : device->first_kernel;
}

/*
 * The window's records have come. All that the device did is known from its first kernel on, before
 * which work that was launched earlier may have run, until its last launch began: that one's times
 * may be lost, as those of its other nodes and of launches that the end of the window fell into.
 */
static void add_window(struct device *device, int ordinal)
{
	struct span span = {.device = device,
			    .end = device->last_launch < device->room_until ? device->last_launch
									    : device->room_until,
			    .group = device->whole.windows % USE_GROUPS};

	if (span.end <= use.on || !device->call_before ||
	    !list_periods(ordinal, device->call_before, span.end))
		return;
	span.begin = known_from(device);
	if (span.end <= span.begin || window_changed_between(span.begin, span.end))
		return;
	add_time(device->whole.seen[span.group], span.begin, span.end);
	add_union(&span, &device->all_seen, &device->busy);
	add_union(&span, &device->kernels_seen, &device->kernels);
	add_union(&span, &device->copies_seen, &device->copies);
	add_gaps(&span);
	for (size_t i = 0; i < use.period_count; i++)
		device->calls_seen +=
			use.periods[i].begin > span.begin && use.periods[i].begin < span.end;
	device->whole.windows++;
}

static void take_window(const struct kernel_window *window)
{
	for (int i = 0; i < (int)use.device_count && window->random; i++)
		if (use.devices[i])
			add_window(use.devices[i], i);
	use.gathers = false;
}

void window_use_update(const struct kernel_window *window)
{
	if (!window->number)
		return;
	/* Work that was launched before that call has its record, and ran before that call, or
	 * its own. */
	if (use.since == UINT64_MAX) {
		use.since = window->clock_known ? use.last_work : 0;
		if (use.since)
			timeline_end_exact(use.since, use.last_call);
	}
	if (window->taken != use.taken) {
		if (use.gathers && use.number == window->taken)
			take_window(window);
		use.taken = window->taken;
		use.gathers = false;
		window_use_write();
	}
	use.failed |= window->failed;
	if (!window->open || use.number == window->number)
		return;
	use.number = window->number;
	use.opened = window->opened;
	use.on = window->on;
	use.gathers = true;
	for (unsigned i = 0; i < use.device_count; i++)
		if (use.devices[i])
			begin_window(use.devices[i]);
}

static uint64_t to_ns(double value)
{
	return to_unsigned(value + 0.5);
}

static void write_part(const struct device *device, int ordinal, struct part *part)
{
	struct estimated estimated = use_estimate(&device->whole, &part->time, &device->busy);
	bool of_runtime;
	const char *name = part->cause == IDLE_CALL ? api_name(part->api, &of_runtime) : NULL;
	const struct idle_row key = {.cause = part->cause,
				     .device = ordinal,
				     .thread = part->thread,
				     .name = name ? session_intern(run.session, name) : 0};
	struct idle_row *row = session_idle_row(run.session, &key);
	uint64_t total = to_ns(estimated.total), gaps;

	if (!row)
		return;
	gaps = device->calls_seen ? part->gaps * device->calls / device->calls_seen : 0;
	row->total += total - part->told;
	row->gaps += gaps - part->told_gaps;
	row->error = estimated.error;
	part->told = total;
	part->told_gaps = gaps;
	if (part->longest <= row->longest)
		return;
	row->longest = part->longest;
	row->longest_before = part->before;
	row->longest_after = part->after;
}

static void write_device(struct device *device, int ordinal)
{
	struct device_use *to = &run.header->uses[ordinal];
	const struct use_whole *whole = &device->whole;
	struct estimated busy = use_estimate(whole, &device->busy, &device->busy);
	struct use_told told = {
		.busy = to_ns(busy.total),
		.kernels = to_ns(use_estimate(whole, &device->kernels, &device->busy).total),
		.copies = to_ns(use_estimate(whole, &device->copies, &device->busy).total),
	};

	if (!device->until)
		return;
	/* Of work between windows there is no time. */
	to->error = use.failed || isnan(busy.error) ? INFINITY : busy.error;
	if (isnan(busy.error))
		return;
	to->first = to->first ? to->first : device->first;
	to->last = device->until;
	to->excluded += device->excluded - device->told_excluded;
	device->told_excluded = device->excluded;
	to->busy += told.busy - device->told.busy;
	to->kernels += told.kernels - device->told.kernels;
	to->copies += told.copies - device->told.copies;
	device->told = told;
	for (unsigned i = 0; i < device->part_count; i++)
		write_part(device, ordinal, device->parts[i]);
}

void window_use_write(void)
{
	for (int i = 0; use.since != UINT64_MAX && i < (int)use.device_count; i++)
		if (use.devices[i])
			write_device(use.devices[i], i);
}

void window_use_finish(const struct kernel_window *window)
{
	window_use_update(window);
	for (unsigned i = 0; use.since != UINT64_MAX && i < use.device_count; i++)
		if (use.devices[i] && use.devices[i]->last.waited != UINT64_MAX)
			sort_period(use.devices[i], use.devices[i]->last.waited);
	window_use_write();
}

const struct use_told *window_use_told(uint32_t device)
{
	static const struct use_told nothing;

	return use.devices[device] ? &use.devices[device]->told : &nothing;
}

size_t window_use_memory(void)
{
	size_t bytes = use.period_room * sizeof(*use.periods);

	for (unsigned i = 0; i < use.device_count; i++) {
		const struct device *device = use.devices[i];

		if (device)
			bytes += sizeof(*device) + device->part_count * sizeof(struct part) +
				 (device->all_seen.room + device->kernels_seen.room +
				  device->copies_seen.room) *
					 sizeof(struct interval);
	}
	return bytes;
}
