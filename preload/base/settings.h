/* SPDX-License-Identifier: MIT */
/* The user's settings, from KTIME_OPTIONS: read once, before ktime runs, and constant afterwards.
 */
#ifndef KTIME_PRELOAD_BASE_SETTINGS_H
#define KTIME_PRELOAD_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/options/options.h"
#include "report/session/session.h"

extern struct options settings;

/* Reads the settings. 0, or -EINVAL with a one-line message; the settings are then the defaults. */
int settings_read(char *message, size_t size);

/* Has the process count its operations, and time none of them. Before anything is timed. */
void settings_count_only(void);

/* Whether the user asked for rows of ROW_RUNTIME_API or ROW_DRIVER_API calls. */
bool settings_want_calls(enum row_kind kind);

/* Whether the user asked for rows of a device's work; always true beyond SESSION_DEVICES. */
static inline bool settings_want_device(int device)
{
	return settings.trace & TRACE_GPU &&
	       (device < 0 || device >= SESSION_DEVICES || settings.devices >> device & 1);
}

#endif
