/* SPDX-License-Identifier: MIT */
/* What the devices hold, as records of a trace. For the collector thread only. */
#ifndef KTIME_PRELOAD_MEMORY_HELD_TRACE_H
#define KTIME_PRELOAD_MEMORY_HELD_TRACE_H

#include <stdbool.h>

#include "preload/base/clock.h"
#include "report/session/session.h"

/* To be called once a period: writes what changed since the last call if the trace wants it. */
void held_trace_update(struct session *session, const struct clock_scale *scale, bool wanted);

#endif
