/* SPDX-License-Identifier: MIT */
/* The wrapped runtime functions, numbered as in runtime.def. */
#ifndef KTIME_PRELOAD_DRIVER_RUNTIME_H
#define KTIME_PRELOAD_DRIVER_RUNTIME_H

enum runtime_symbol {
#define RUNTIME(symbol, name, parameters, arguments) RUNTIME_##symbol,
#include "preload/driver/runtime.def"
#undef RUNTIME
	RUNTIME_COUNT
};

#endif
