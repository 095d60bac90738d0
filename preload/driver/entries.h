/* SPDX-License-Identifier: MIT */
/* Entries: the driver functions that ktime wraps, numbered as in entries.def and states.def. An
 * entry is one exported symbol, so each version of a function is an entry of its own. */
#ifndef KTIME_PRELOAD_DRIVER_ENTRIES_H
#define KTIME_PRELOAD_DRIVER_ENTRIES_H

enum entry {
#define ENTRY(symbol, name, signature, version, default_stream) ENTRY_##symbol,
#include "preload/driver/entries.def"
#undef ENTRY
#define STATE(symbol, name, parameters, arguments, before, after) ENTRY_##symbol,
#include "preload/driver/states.def"
#undef STATE
	ENTRY_COUNT
};

/* An entry's exported symbol, and the name without version that cuGetProcAddress takes. */
const char *entry_symbol(enum entry entry);
const char *entry_name(enum entry entry);

#endif
