/* SPDX-License-Identifier: MIT */
#include "preload/base/plan.h"

#include "preload/base/budget.h"
#include "preload/base/clock.h"
#include "preload/base/run.h"

struct plan plan;

static bool may_lack_records(void)
{
	return run.settings.timer == TIMER_AUTO && run.settings.graph == GRAPH_AUTO &&
	       !run.settings.nvtx_include[0] && !options_want_trace(&run.settings);
}

bool plan_waits_for_budget(void)
{
	return budget_is_given() && may_lack_records() && run.settings.events == EVENTS_AUTO &&
	       run.settings.concurrent_kernels && run.settings.trace & TRACE_GPU;
}

bool plan_may_adapt(void)
{
	return plan.state != PLAN_EVENTS && may_lack_records();
}

bool plan_begins_later(void)
{
	return (!run.settings.start ||
		(run.settings.profile_from_start && run.settings.delay > 0)) &&
	       !run.settings.metrics;
}

/* `times`: CUPTI's records time every operation, so launches are told that CUPTI is in use. */
static void note_cupti_started(uint32_t version, bool times)
{
	run.header->cupti_active = 1;
	run.header->cupti_version = version;
	store_relaxed(&launch_state.cupti, times);
}

/* Whether launches inside the profiling window may be only counted. Not where they may not be even
 * outside of it: so if CUPTI was started at the start, as each launch has a record to be matched.
 */
static bool counts_in_window(void)
{
	return plan.counting_outside && plan.state != PLAN_DEFERRED && !run_wants_every_pair() &&
	       !options_want_trace(&run.settings);
}

void plan_choose(enum plan_state state, uint32_t version, bool runtime_records, bool driver_records)
{
	bool ever = state == PLAN_MATCHED || state == PLAN_DEFERRED;

	plan.state = state;
	plan.starts_within_budget = state == PLAN_WAITING;
	plan.begun = !plan_begins_later();
	launch_state.events =
		run.settings.timer != TIMER_CUPTI && run.settings.events != EVENTS_OFF;
	plan.counting_outside = state != PLAN_MATCHED && run.settings.trace & TRACE_GPU &&
				run.settings.devices == UINT64_MAX;
	plan.counting = counts_in_window();
	plan.runtime_records = ever && runtime_records;
	plan.driver_records = ever && driver_records;
	if (state == PLAN_MATCHED)
		note_cupti_started(version, true);
}

void plan_need(enum plan_need need)
{
	atomic_fetch_or_explicit(&launch_state.needs, (int)need, memory_order_relaxed);
}

void plan_need_no_more(enum plan_need need)
{
	atomic_fetch_and_explicit(&launch_state.needs, ~(int)need, memory_order_relaxed);
}

void plan_capture(bool live)
{
	int one = NEEDS_CAPTURE;

	add_relaxed(&launch_state.needs, live ? one : -one);
}

/* A reason to record launches is added before one is removed, so that no launch between the two
 * steps is only counted by mistake. */
void plan_window(bool open)
{
	bool counts = open ? plan.counting : plan.counting_outside;

	plan.begun |= open;
	if (!counts)
		plan_need(NEEDS_ITS_RECORD);
	else if (!open)
		plan_need(NEEDS_NOTHING_OUTSIDE);
	if (counts)
		plan_need_no_more(NEEDS_ITS_RECORD);
	if (open || !counts)
		plan_need_no_more(NEEDS_NOTHING_OUTSIDE);
}

void plan_cupti_started(uint32_t version)
{
	bool deferred = plan.state == PLAN_DEFERRED;

	plan.state = deferred ? PLAN_MATCHED : PLAN_CONTINUOUS;
	note_cupti_started(version, deferred);
}

void plan_cupti_refused(bool open)
{
	plan.state = PLAN_EVENTS;
	plan.runtime_records = plan.driver_records = false;
	plan.counting = counts_in_window();
	plan_window(open);
}

void plan_calls_leave_records(void)
{
	plan.cupti_since = clock_ticks();
}

void plan_graphs_seen(void)
{
	plan.state = PLAN_CONTINUOUS;
}

void plan_over_budget(void)
{
	plan.state = PLAN_WINDOWS;
}

void plan_cupti_ended(void)
{
	store_relaxed(&launch_state.cupti, false);
	if (run.header)
		run.header->cupti_active = 0;
}
