/* SPDX-License-Identifier: MIT */
/* The API rows: their numbers and names. */
#ifndef KTIME_PRELOAD_DRIVER_API_H
#define KTIME_PRELOAD_DRIVER_API_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/entries.h"
#include "preload/driver/runtime.h"

/* Numbers of API rows: a driver function that the program called, a driver function that a cudart
 * called (the row has the runtime function's name), and a wrapped runtime function. */
#define API_NONE		UINT16_MAX
#define API_DRIVER(entry)	(entry)
#define API_FROM_RUNTIME(entry) (ENTRY_COUNT + (entry))
#define API_RUNTIME(call)	(2 * ENTRY_COUNT + (call))
#define API_COUNT		API_RUNTIME(RUNTIME_COUNT)

/* What a driver function does that is timed for the host's sake alone, and has no API row;
 * HOST_CALL_NONE for all others. */
enum host_call_kind api_host_call(unsigned api);
/* The name of an API row, and whether it is a runtime function; NULL if the number has no row. For
 * a driver function that a cudart called, it is the name of the runtime function around it. */
const char *api_name(unsigned api, bool *of_runtime);

#endif
