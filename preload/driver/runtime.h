/* SPDX-License-Identifier: MIT */
#ifndef KTIME_PRELOAD_DRIVER_RUNTIME_H
#define KTIME_PRELOAD_DRIVER_RUNTIME_H

/* The runtime symbols of runtime.def. */
enum runtime_symbol {
#define RUNTIME(symbol, name, parameters, arguments) RUNTIME_##symbol,
#include "preload/driver/runtime.def"
#undef RUNTIME
	RUNTIME_COUNT
};

#endif
