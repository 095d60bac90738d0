/* SPDX-License-Identifier: MIT */
/* The rows of the API: their numbers and names. */
#ifndef KTIME_PRELOAD_DRIVER_API_H
#define KTIME_PRELOAD_DRIVER_API_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/entries.h"
#include "preload/driver/runtime.h"

/* What an API row is called: a driver entry by its own name, a driver entry that a cudart called
 * (by the runtime's name), or a runtime symbol that was wrapped. */
#define API_NONE		UINT16_MAX
#define API_DRIVER(entry)	(entry)
#define API_FROM_RUNTIME(entry) (ENTRY_COUNT + (entry))
#define API_RUNTIME(call)	(2 * ENTRY_COUNT + (call))
#define API_COUNT		API_RUNTIME(RUNTIME_COUNT)

/*
 * The name of a call, and whether it is a runtime's call or a driver's; NULL where it has none. A
 * driver entry that a cudart calls has the name of the runtime call that it makes it for.
 */
const char *api_name(unsigned api, bool *of_runtime);

#endif
