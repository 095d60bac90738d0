/* SPDX-License-Identifier: MIT */
#include "preload/recording/recording.h"

#include <stdio.h>

#include "cupti/kinds.h"
#include "cupti/library.h"
#include "preload/base/budget.h"
#include "preload/base/clock.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/handles/graph_contents.h"
#include "preload/handles/instantiation.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/launch/window.h"

/*
 * In nanoseconds (H200, driver 580, CUPTI 13.0). The program waits for the call if the device has
 * nothing to do meanwhile; otherwise only what the device needs longer counts.
 *
 * Started and not recording: a loop of empty kernels went from 3.45 to 4.0 us a launch, in some
 * runs by more than 1 us; a graph of 203 nodes that the host waited for at each launch from 671 to
 * 770 us; one of 100 empty kernels, queued, from 51.1 to 52.2 us, and to 61.4 if it was made before
 * CUPTI was started.
 */
#define CALL_STANDING_NS	2000.0
#define NODE_STANDING_NS	500.0
#define QUEUED_STANDING_NS	100.0
#define NODE_QUEUED_STANDING_NS 12.0
#define NODE_QUEUED_LATE_NS	100.0
/* What a graph's launch call takes without CUPTI: 1.1 to 1.6 us with 50 and 200 kernels, up to 3 on
 * a slower host (H100). */
#define GRAPH_CALL_NS		2000.0
/* Added to a launch call, on top of CALL_STANDING_NS, while CUPTI records; for the device's time
 * see cost.c, for nodes of graphs docs/internals/mechanisms.md. */
#define CALL_RECORDING_NS	2000.0
#define KERNEL_RECORDING_NS	300.0
#define COPY_RECORDING_NS	1300.0
#define NODE_RECORDING_NS	1200.0
/* On the device: a graph of 1,000 nodes, 300 of them copies and memsets, took 2.56 ms in place of
 * 2.48 when the copies and memsets alone were recorded. */
#define NODE_COPY_NS		300.0

/* What rows say of an operation's launches. */
struct launched {
	double idle; /* how many of them the device was idle before, as their event pairs say */
	double device_ns; /* how long the device worked for one, as far as is known */
	uint64_t devices; /* a bit each */
};

static struct launched launched_of(const struct operation *operation)
{
	uint64_t pairs = 0, idle = 0, count = 0, total = 0;
	struct launched launched = {.devices = 0};

	for (unsigned device = 0; device < SESSION_DEVICES; device++) {
		const struct row *row = operation->rows[device];
		const struct figures *figures;

		if (!row)
			continue;
		figures = row->events.count ? &row->events : &row->cupti;
		count += figures->count;
		total += figures->total;
		pairs += row->events.count;
		idle += row->gated + row->may_wait;
		launched.devices |= 1ull << device;
	}
	launched.idle = idle < pairs ? (double)idle / (double)pairs : 1;
	launched.device_ns = count ? (double)total / (double)count : 0;
	return launched;
}

/* How much longer CUPTI makes the call that launches a graph of `nodes` nodes: as seen in this
 * process, since processes differ by a factor of two, or else what was measured on an H200. */
static double graph_call_ns(const struct operation *operation, double nodes)
{
	double shortest = (double)operation->shortest_call;

	if (!operation->shortest_call)
		return CALL_STANDING_NS + nodes * NODE_STANDING_NS;
	return shortest > GRAPH_CALL_NS ? shortest - GRAPH_CALL_NS : 0;
}

static void add_graph(struct launch_costs *costs, const struct operation *operation,
		      const struct launched *launched, double launches, bool starts_within_budget)
{
	const struct graph_contents *contents = load_acquire(&operation->contents);
	double nodes = contents ? contents->recorded : 1;
	double copies = contents ? contents->copies : 0;
	/* With CUPTI from the start every call counts, and the device's idle time is the bound for
	 * all. Otherwise those count that are not known to have been queued. */
	double idle = starts_within_budget ? launched->idle : 1;

	costs->calls += launches * idle * graph_call_ns(operation, nodes);
	costs->standing += starts_within_budget
				   ? launches * (1 - idle) * nodes * NODE_QUEUED_LATE_NS
				   : launches * nodes * NODE_QUEUED_STANDING_NS;
	costs->copies += launches * copies * NODE_COPY_NS;
	costs->recording += launches * (nodes - copies) * NODE_RECORDING_NS;
}

static void add_other(struct launch_costs *costs, const struct operation *operation,
		      const struct launched *launched, double launches)
{
	double idle = launched->idle;
	double queued = operation->kind == ROW_MEMCPY ? COPY_RECORDING_NS : KERNEL_RECORDING_NS;
	double recording = launches * (idle * CALL_RECORDING_NS + (1 - idle) * queued);

	costs->calls += launches * idle * CALL_STANDING_NS;
	costs->standing += launches * (1 - idle) * QUEUED_STANDING_NS;
	if (operation->kind == ROW_KERNEL)
		costs->recording += recording;
	else
		costs->copies += recording;
}

void launch_costs_see_call(const struct in_flight *call)
{
	uint64_t *shortest = &call->operation->shortest_call, taken = call->ended - call->started;

	if (taken > 0 && (*shortest == 0 || taken < *shortest))
		*shortest = taken;
}

struct launch_costs launch_costs_take(bool starts_within_budget, uint64_t elapsed)
{
	struct launch_costs costs = {0};
	uint64_t devices = 0; /* a bit each */
	double busy = 0, idle;

	operations_for_each (operation) {
		uint64_t launches = operation->calls - operation->calls_costed;
		struct launched launched;

		operation->calls_costed = operation->calls;
		if (!launches)
			continue;
		launched = launched_of(operation);
		costs.launches += launches;
		busy += (double)launches * launched.device_ns;
		devices |= launched.devices;
		if (operation->kind == ROW_GRAPH)
			add_graph(&costs, operation, &launched, (double)launches,
				  starts_within_budget);
		else
			add_other(&costs, operation, &launched, (double)launches);
	}
	/* The program cannot have waited for longer than a device had nothing to do. Of operations
	 * that overlap in several streams this leaves less than that. */
	idle = (double)elapsed * __builtin_popcountll(devices) - busy;
	if (!starts_within_budget && costs.calls > idle)
		costs.calls = idle > 0 ? idle : 0;
	costs.standing += costs.calls;
	return costs;
}

/* The start of CUPTI that late_start_plan() has prepared. */
static struct late_start {
	struct cupti_settings wanted;
	cupti_starter call; /* NULL: none is, or no more */
	uint64_t planned, fitting;
	bool launched, too_much; /* too_much: at some time it did not fit */
} late_start;

void late_start_plan(const struct cupti_settings *settings, cupti_starter start, uint64_t now)
{
	late_start = (struct late_start){.wanted = *settings, .call = start, .planned = now};
	/* CUPTI does not record yet: no graph waits for it. */
	instantiation_tell(true, true);
}

void deferred_start_now(void (*collect)(void))
{
	char reason[256] = "";
	bool started;

	if (plan.state != PLAN_DEFERRED || !late_start.call)
		return;
	/* From now on CUPTI may make records of launches. */
	plan_need(NEEDS_ITS_START);
	/* Traced whole from then on, a graph that was made before ended the program at its next
	 * launch (CUPTI 13.0, H200). */
	started = late_start.wanted.graph_nodes || !instantiation_ever;
	if (started)
		started = late_start.call(&late_start.wanted, reason, sizeof(reason)) == 0;
	else
		snprintf(
			reason, sizeof(reason),
			"CUPTI was not started: the program had already created CUDA graphs, whose "
			"launches may crash under CUPTI %u; open the profiling window before the "
			"first graph is created, or use --timer events.",
			(unsigned)library_functions()->version);
	if (reason[0])
		session_note(run.session, "%s", reason);
	if (!started) {
		window_lacks_cupti();
		plan_need_no_more(NEEDS_ITS_START);
		return;
	}
	plan_cupti_started(library_functions()->version);
	instantiation_tell(false, false);
	/* Of streams and contexts too. */
	stream_forget_cached();
	/* The program's threads ask for the ids that records have of graphs. */
	operation_forget_kernels();
	plan_calls_leave_records();
	collect();
}

/* For how long CUPTI's cost must have fitted into the budget, pauses not counted: programs begin
 * with loading, which says little about what they do later. Chosen. */
#define FITTING_NS 2000000000u
/* By how many nanoseconds starting CUPTI delays a program that launches all the time: chosen
 * between the measured 4 and 330 ms (H200, CUPTI 13.0). */
#define START_NS   70000000.0

static bool start_now(uint64_t now)
{
	char reason[256];
	int error = late_start.call(&late_start.wanted, reason, sizeof(reason));

	late_start.call = NULL;
	if (error) {
		session_note(run.session, "%s", reason);
		return false;
	}
	plan_cupti_started(library_functions()->version);
	operation_forget_kernels();
	session_count(run.session, COUNTER_cupti_late_ns, now - late_start.planned);
	session_note(run.session,
		     "CUPTI was started %.1f s after the first GPU work, once its cost fitted into "
		     "the budget of %g %%: earlier operations are timed by events.",
		     (double)(now - late_start.planned) / 1e9, budget_percent());
	return true;
}

bool late_start_update(const struct launch_costs *costs, uint64_t elapsed, uint64_t now)
{
	bool fits =
		costs->standing + costs->copies <= budget_of(BUDGET_OF_STANDING) * (double)elapsed;

	/* A program that uses CUPTI itself keeps it to itself. */
	if (!late_start.call || !costs->launches || kinds_program_ever())
		return false;
	/* With --start off nothing is to be recorded yet. */
	if (!plan.begun)
		return false;
	late_start.launched = true;
	late_start.too_much |= !fits;
	late_start.fitting = fits ? late_start.fitting + elapsed : 0;
	if (late_start.fitting < FITTING_NS ||
	    budget_of(BUDGET_OF_STARTING) * (double)(now - late_start.planned) < START_NS)
		return false;
	return start_now(now);
}

void late_start_finish(void)
{
	if (!late_start.call || !late_start.launched)
		return;
	session_note(run.session, "CUPTI was not started: %s (--budget %g).",
		     late_start.too_much ? "it would have cost more than fits into the budget"
					 : "the run was too short to pay for that",
		     budget_percent());
}
