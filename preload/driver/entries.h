/* SPDX-License-Identifier: MIT */
/* The numbers of the driver entries of entries.def. */
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

/* The exported symbol of an entry, and the name that cuGetProcAddress knows it by. */
const char *entry_symbol(enum entry entry);
const char *entry_name(enum entry entry);

#endif
