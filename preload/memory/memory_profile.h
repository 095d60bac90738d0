/* SPDX-License-Identifier: MIT */
/* What the program holds of memory, brought into the session. For the collector thread only. */
#ifndef KTIME_PRELOAD_MEMORY_MEMORY_PROFILE_H
#define KTIME_PRELOAD_MEMORY_MEMORY_PROFILE_H

#include "preload/base/clock.h"
#include "report/session/session.h"

/* Copies the figures if they have changed since the last call. */
void memory_profile_update(struct session *session, const struct clock_scale *scale);

#endif
