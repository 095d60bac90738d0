/* SPDX-License-Identifier: MIT */
/* Entries: the driver functions that ktime wraps, numbered as in entries.def, states.def and
 * host_calls.def. An entry is one exported symbol, so each version of a function is an entry of its
 * own. */
#ifndef KTIME_PRELOAD_DRIVER_ENTRIES_H
#define KTIME_PRELOAD_DRIVER_ENTRIES_H

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

/* An entry's exported symbol, and the name without version that cuGetProcAddress takes. */
const char *entry_symbol(enum driver_entry entry);
const char *entry_name(enum driver_entry entry);

#endif
