/* SPDX-License-Identifier: MIT */
#include "preload/base/settings.h"

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
