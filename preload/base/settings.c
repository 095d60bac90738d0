/* SPDX-License-Identifier: MIT */
#include "preload/base/settings.h"

#include <math.h>

#include "report/session/environment.h"

struct options settings;

int settings_read(char *message, size_t size)
{
	const char *text = environment_get("KTIME_OPTIONS");
	int error = 0;

	options_defaults(&settings);
	if (text)
		error = options_parse_string(&settings, text, message, size);
	if (error) {
		options_free(&settings);
		options_defaults(&settings);
	}
	/* It begins by the same window. */
	settings.profile_from_start &= settings.start;
	return error;
}

void settings_count_only(void)
{
	settings.timer = TIMER_EVENTS;
	settings.events = EVENTS_OFF;
	settings.keep_trace.bytes = 0;
	settings.print_gpu_trace = settings.print_api_trace = false;
}

bool settings_want_calls(enum row_kind kind)
{
	int api_trace = kind == ROW_RUNTIME_API ? API_TRACE_RUNTIME : API_TRACE_DRIVER;

	return settings.trace & TRACE_API &&
	       (settings.api_trace == API_TRACE_ALL || settings.api_trace == api_trace);
}

bool settings_cupti_waits(void)
{
	return !isnan(settings.budget) && settings.timer == TIMER_AUTO &&
	       settings.graph == GRAPH_AUTO && settings.events == EVENTS_AUTO &&
	       settings.concurrent_kernels && settings.trace & TRACE_GPU &&
	       !settings.nvtx_include[0] && !options_want_trace(&settings);
}

bool settings_begin_later(void)
{
	return (!settings.start || (settings.profile_from_start && settings.delay > 0)) &&
	       !settings.metrics;
}

_Atomic bool mode_begun;
uint64_t mode_cupti_since;
bool mode_counting, mode_counting_outside, mode_runtime_records, mode_driver_records;

/* Whether the user asked for an event pair around every operation, whatever that costs. */
static bool wants_every_pair(void)
{
	return settings.events == EVENTS_ALL ||
	       (settings.events == EVENTS_FRACTION && settings.events_fraction == 1);
}

void mode_choose(bool cupti, bool deferred, bool runtime_records, bool driver_records)
{
	bool ever = cupti || deferred;
	bool every_device = settings.trace & TRACE_GPU && settings.devices == UINT64_MAX;

	atomic_store_explicit(&launch_state.cupti, cupti, memory_order_relaxed);
	launch_state.events = settings.timer != TIMER_CUPTI && settings.events != EVENTS_OFF;
	mode_counting =
		!ever && !wants_every_pair() && every_device && !options_want_trace(&settings);
	mode_counting_outside = !cupti && every_device;
	mode_runtime_records = ever && runtime_records;
	mode_driver_records = ever && driver_records;
}

void mode_begin_cupti(bool started)
{
	if (!started)
		mode_runtime_records = mode_driver_records = false;
	atomic_store_explicit(&launch_state.cupti, started, memory_order_relaxed);
}

void mode_end_cupti(void)
{
	atomic_store_explicit(&launch_state.cupti, false, memory_order_relaxed);
}
