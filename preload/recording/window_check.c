/* SPDX-License-Identifier: MIT */
#include "preload/recording/window_check.h"

#include "preload/handles/graph.h"

/* The windows that are a test, and how many of them must lack records. Chosen: a window that lacks
 * some for a reason that nobody knows ends nothing. */
#define FIRST_WINDOWS 20u
#define MOST_LACKING  3u
/* How far the times of calls may be off CLOCK_REALTIME. Chosen: as in drain.c. */
#define SLACK_NS      100000u

/* Kernels of graphs, and those launched by themselves. */
enum unit { UNIT_NODES, UNIT_LAUNCHES, UNITS };

/* What one thread launched into one stream in a window. */
struct launched {
	const struct stream *stream; /* NULL: nothing yet */
	uint32_t thread;
	uint64_t kernels, largest; /* of all launches; of one */
	uint64_t records;
	bool passed; /* by the device */
	bool came;   /* a record of the thread that began after the window was opened */
};

struct held_window {
	uint64_t opened, closed;
	uint64_t records_since; /* when it was opened, on the records' clock */
	struct launched launched[UNITS];
};

static struct held_window last = {.opened = UINT64_MAX, .records_since = UINT64_MAX}, before;
static struct window_check lacking[UNITS] = {[UNIT_NODES] = {.graphs = true}};
static unsigned windows;

void window_check_open(uint64_t now, uint64_t records_now)
{
	before = last;
	last = (struct held_window){
		.opened = now, .closed = UINT64_MAX, .records_since = records_now};
}

void window_check_close(uint64_t now)
{
	if (last.closed == UINT64_MAX)
		last.closed = now;
}

void window_check_call(const struct in_flight *call, const struct graph_contents *contents)
{
	bool graph = call->operation->kind == ROW_GRAPH;
	struct launched *launched = &last.launched[graph ? UNIT_NODES : UNIT_LAUNCHES];
	uint64_t kernels = call->operation->kind == ROW_KERNEL;

	/* How often a conditional node's body runs the device decides. */
	if (graph && contents && !contents->variable)
		kernels = contents->recorded - contents->copies;
	if (!kernels || windows >= FIRST_WINDOWS || call->started < last.opened ||
	    call->started - last.opened < SLACK_NS || call->ended > last.closed - SLACK_NS)
		return;
	if (!launched->stream) {
		launched->stream = call->stream;
		launched->thread = call->thread;
	}
	if (launched->stream != call->stream || launched->thread != call->thread)
		return;
	launched->kernels += kernels;
	launched->largest = kernels > launched->largest ? kernels : launched->largest;
}

void window_check_passed(const struct in_flight *call)
{
	for (unsigned i = 0; i < UNITS; i++)
		last.launched[i].passed |=
			last.launched[i].stream == call->stream && call->started >= last.closed;
}

void window_check_record(const struct activity *activity)
{
	unsigned unit = activity->graph_node ? UNIT_NODES : UNIT_LAUNCHES;
	struct launched *launched = &last.launched[unit];

	/* The device has come past the window before: this began earlier, and came late. */
	if (activity->start && activity->start < last.records_since) {
		before.launched[unit].records++;
		return;
	}
	launched->records++;
	launched->came |= activity->start &&
			  (!activity->buffer_thread || activity->buffer_thread == launched->thread);
}

static bool lacks_records(const struct launched *launched)
{
	return launched->records + launched->largest < launched->kernels;
}

static bool is_comparable(const struct launched *launched, const struct launched *next)
{
	return launched->passed && next->came && launched->stream == next->stream &&
	       launched->thread == next->thread;
}

const struct window_check *window_check_settle(void)
{
	const struct window_check *found = NULL;
	bool compared = false;

	for (unsigned i = 0; i < UNITS && windows < FIRST_WINDOWS; i++) {
		const struct launched *launched = &before.launched[i];

		if (!is_comparable(launched, &last.launched[i]))
			continue;
		compared = true;
		if (!lacks_records(launched))
			continue;
		lacking[i].kernels += launched->kernels;
		lacking[i].records += launched->records;
		if (++lacking[i].windows == MOST_LACKING)
			found = &lacking[i];
	}
	windows += compared;
	return found;
}
