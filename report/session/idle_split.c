/* SPDX-License-Identifier: MIT */
#include "report/session/idle_split.h"

/* How many calls before a gap are searched for the one that waited or launched last. Chosen. */
#define CALLS_SEARCHED 64

static bool get(const struct idle_calls *calls, uint32_t number, struct idle_call *call)
{
	return number && calls->get(calls->argument, number, call);
}

static void add(const struct idle_calls *calls, enum idle_cause cause, uint32_t number,
		uint64_t begin, uint64_t end)
{
	if (end > begin)
		calls->part(calls->argument, cause, number, begin, end);
}

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* Whether the thread's last call that waited for the device or gave it work is one that waited. */
static bool waited_last(const struct idle_calls *calls, uint32_t number)
{
	struct idle_call call;

	for (unsigned i = 0; i < CALLS_SEARCHED && get(calls, number, &call); i++) {
		if (call.flags & (HOST_CALL_WAITED | HOST_CALL_WORK))
			return call.flags & HOST_CALL_WAITED;
		number = call.previous;
	}
	return false;
}

/* What is before the operation's call: the thread's earlier calls, the first of which has this
 * number, and its own code between them. `until`: the call's begin, or the gap's end. */
static void split_before(const struct idle_calls *calls, uint32_t number, uint64_t begin,
			 uint64_t until)
{
	struct idle_call call;

	while (until > begin) {
		bool known = get(calls, number, &call);
		uint64_t from = known ? between(begin, call.end, until) : begin;

		if (number && !known) {
			add(calls, IDLE_UNRESOLVED, 0, begin, until);
			return;
		}
		add(calls, waited_last(calls, number) ? IDLE_AFTER_WAIT : IDLE_PROGRAM, 0, from,
		    until);
		if (!known)
			return;
		until = between(begin, call.begin, from);
		add(calls, IDLE_CALL, number, until, from);
		number = call.previous;
	}
}

void idle_split(const struct idle_gap *gap, const struct idle_calls *calls)
{
	uint64_t begin = gap->begin, end = gap->end, latency, loaded;
	struct idle_call call;

	if (gap->in_graph) {
		add(calls, IDLE_GRAPH, 0, begin, end);
	} else if (!get(calls, gap->call, &call)) {
		add(calls, IDLE_UNRESOLVED, 0, begin, end);
	} else if (end - begin < CLOCKS_APART_NS) {
		bool queued = call.end + CLOCKS_APART_NS <= begin;

		add(calls, queued ? IDLE_DEPENDENCY : IDLE_SHORT, 0, begin, end);
	} else if (call.end <= begin) {
		add(calls, IDLE_DEPENDENCY, 0, begin, end);
	} else {
		latency = between(begin, call.begin, end);
		loaded = call.flags & HOST_CALL_FIRST ? between(latency, call.end, end) : latency;
		split_before(calls, call.previous, begin, latency);
		add(calls, IDLE_FIRST_LAUNCH, 0, latency, loaded);
		add(calls, IDLE_LATENCY, 0, loaded, end);
	}
}
