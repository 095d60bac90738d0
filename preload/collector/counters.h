/* SPDX-License-Identifier: MIT */
/* The counters in the profile's header that are read off other state now and then. */
#ifndef KTIME_PRELOAD_COLLECTOR_COUNTERS_H
#define KTIME_PRELOAD_COLLECTOR_COUNTERS_H

#include "preload/base/clock.h"
#include "report/session/session.h"

/* Brings them up to date: some microseconds, and every second some 50 more. The collector alone. */
void counters_update(struct session *session, const struct clock_scale *scale);

#endif
