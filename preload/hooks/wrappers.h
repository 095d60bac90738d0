/* SPDX-License-Identifier: MIT */
#ifndef KTIME_PRELOAD_HOOKS_WRAPPERS_H
#define KTIME_PRELOAD_HOOKS_WRAPPERS_H

#include <stdbool.h>

#include "preload/driver/driver.h"
#include "preload/driver/entries.h"

/* Those of states.def and host_calls.def are defined in states.c and host_calls.c; in C they carry
 * names of our own, as cuda.h's prototypes and macros would get in the way of the real ones. */
#define STATE(symbol, name, parameters, arguments, before, after)                                  \
	CUresult wrapped_##symbol parameters;
#include "preload/driver/states.def"
#undef STATE
#define HOST_CALL(symbol, name, runtime, kind, parameters, arguments, before, after)               \
	CUresult wrapped_##symbol parameters;                                                      \
	CUresult from_runtime_##symbol parameters;
#include "preload/driver/host_calls.def"
#undef HOST_CALL

/* What ktime hands out in place of an entry: to a cudart, or to anybody else. */
void *wrapper_of(enum driver_entry entry, bool for_runtime);

#endif
