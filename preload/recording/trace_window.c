/* SPDX-License-Identifier: MIT */
#include "preload/recording/trace_window.h"

#include <errno.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/settings.h"
#include "preload/recording/rows.h"
#include "report/options/options.h"

/* How much longer than its window a trace is kept for the one who asked for it, who copies the
 * profile meanwhile. Chosen. */
#define KEPT_NS 20000000000u

static unsigned wanted;	 /* bits of enum trace_set; 0: there is none */
static uint64_t ends_at; /* CLOCK_MONOTONIC, nanoseconds */

int trace_window_open(unsigned what, uint64_t duration)
{
	if (!wanted && session_header(rows_session)->trace_on)
		return -EEXIST;
	/* Calls are taken one by one only where they are matched with records. */
	if (!cupti_active() || (what & TRACE_API && !mode_is_cupti()))
		return -EOPNOTSUPP;
	session_restart_trace(rows_session, TRACE_WINDOW_BYTES);
	session_header(rows_session)->trace_on = TRACE_GROWS;
	wanted = what;
	ends_at = clock_ns(CLOCK_MONOTONIC) + KEPT_NS;
	/* What another process asks for may be anything. */
	ends_at = duration < UINT64_MAX - ends_at ? ends_at + duration : UINT64_MAX;
	return 0;
}

void trace_window_stop(void)
{
	if (wanted)
		session_header(rows_session)->trace_on = TRACE_STAYS;
}

int trace_window_close(void)
{
	if (!wanted)
		return -ENODATA;
	wanted = 0;
	session_header(rows_session)->trace_on = TRACE_NONE;
	session_restart_trace(rows_session, TRACE_WINDOW_BYTES);
	return 0;
}

void trace_window_update(void)
{
	if (wanted && clock_ns(CLOCK_MONOTONIC) >= ends_at)
		trace_window_close();
}

bool trace_window_is_open(void)
{
	return wanted != 0;
}

bool trace_window_takes(enum row_kind kind)
{
	return !wanted || wanted & (row_is_api(kind) ? TRACE_API : TRACE_GPU);
}
