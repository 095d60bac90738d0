/* SPDX-License-Identifier: MIT */
/* What the user asked for in KTIME_OPTIONS. Read once, before ktime runs; read-only after. */
#ifndef KTIME_PRELOAD_BASE_SETTINGS_H
#define KTIME_PRELOAD_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/options/options.h"
#include "report/session/session.h"

extern struct options settings;

/* 0, or -EINVAL with a one-line message; the settings are then the defaults. */
int settings_read(char *message, size_t size);

/* Whether calls of a kind, runtime or driver, get rows. */
bool settings_want_calls(enum row_kind kind);

/* Whether the work of a device gets rows. */
static inline bool settings_want_device(int device)
{
	return settings.trace & TRACE_GPU &&
	       (device < 0 || device >= SESSION_DEVICES || settings.devices >> device & 1);
}

/* Whether every operation is to have an event pair, whatever that costs. */
bool settings_want_every_pair(void);

#endif
