/* SPDX-License-Identifier: MIT */
#include "preload/timeline/causes.h"

#include "preload/driver/api.h"
#include "preload/timeline/host_calls.h"

/* How many calls before a gap are searched for the one that waited or launched last. Chosen. */
#define CALLS_SEARCHED 64

static uint64_t smaller(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
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
