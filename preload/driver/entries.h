/* SPDX-License-Identifier: MIT */
/*
 * Entries: the driver functions that ktime wraps, numbered as in entries.def, states.def and
 * host_calls.def. An entry is one exported symbol, so each version of a function is an entry of its
 * own. With the runtime functions that ktime wraps they have the API rows.
 */
#ifndef KTIME_PRELOAD_DRIVER_ENTRIES_H
#define KTIME_PRELOAD_DRIVER_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

enum driver_entry {
#define ENTRY(symbol, name, signature, version, default_stream) ENTRY_##symbol,
#include "preload/driver/entries.def"
#undef ENTRY
#define STATE(symbol, name, parameters, arguments, before, after) ENTRY_##symbol,
#include "preload/driver/states.def"
#undef STATE
#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments, before, after) ENTRY_##symbol,
#include "preload/driver/host_calls.def"
#undef HOST_CALL
	ENTRY_COUNT
};

/* What a function of host_calls.def does. */
enum host_call_kind {
	HOST_CALL_NONE,	  /* an entry of another list */
	HOST_CALL_WAIT,	  /* waits for the device */
	HOST_CALL_MEMORY, /* allocates or frees memory */
	HOST_CALL_LOAD,	  /* loads code */
};

/* An entry's exported symbol. */
const char *entry_symbol(enum driver_entry entry);

/* The wrapped runtime functions, numbered as in runtime.def. */
enum runtime_symbol {
#define RUNTIME(symbol, name, parameters, arguments) RUNTIME_##symbol,
#include "preload/driver/runtime.def"
#undef RUNTIME
	RUNTIME_COUNT
};

/* Numbers of API rows: a driver function that the program called, a driver function that a cudart
 * called (the row has the runtime function's name), and a wrapped runtime function. */
#define API_NONE		UINT16_MAX
#define API_DRIVER(entry)	(entry)
#define API_FROM_RUNTIME(entry) (ENTRY_COUNT + (entry))
#define API_RUNTIME(call)	(2 * ENTRY_COUNT + (call))
#define API_COUNT		API_RUNTIME(RUNTIME_COUNT)

/* What a driver function of host_calls.def does. ktime times these functions only to explain what
 * the host did while a device was idle; they have no API row. HOST_CALL_NONE for all others. */
enum host_call_kind api_host_call(unsigned api);
/* The name of an API row, and whether it is a runtime function; NULL if the number has no row. For
 * a driver function that a cudart called, it is the name of the runtime function around it. */
const char *api_name(unsigned api, bool *of_runtime);

#endif
