/* SPDX-License-Identifier: MIT */
/*
 * Interception of look-ups of driver functions: dlsym, dlvsym and cuGetProcAddress, which every
 * cudart and most libraries use. ktime does the real look-up first and replaces the pointer that it
 * returns if that is a function that ktime wraps; the name alone never decides. So versions,
 * per-thread default stream variants and library handles need no rules of their own, and functions
 * that ktime does not know pass through.
 */
#ifndef KTIME_PRELOAD_HOOKS_LOOKUP_H
#define KTIME_PRELOAD_HOOKS_LOOKUP_H

#include <stdbool.h>

#include "preload/driver/driver.h"

/*
 * Called by ktime's dlsym and dlvsym, which are written in assembler (lookup_stub.S). Returns the
 * pointer that the look-up is to return, LOOKUP_NOTHING if it is to return NULL, or NULL if the
 * assembler shall jump to the next dlsym.
 */
#define LOOKUP_NOTHING ((void *)-1)
void *lookup_replacement(void *handle, const char *name, const char *version, const void *caller);
void *lookup_next_dlsym(void);
void *lookup_next_dlvsym(void);

/*
 * To be called before and after the driver's cuGetProcAddress. lookup_answered() replaces
 * `*pointer` by ktime's wrapper, only if the driver has stored a pointer there: it may also return
 * success and NULL, for a function that it does not have.
 */
void lookup_asked(const char *name);
void lookup_answered(const char *name, void **pointer, CUresult result);

/*
 * To be called after cuInit. A cudart looks up the driver's functions after it has looked up the
 * empty name and before it calls cuInit (CUDA 11.8 to 13.0). Look-ups in between are given the
 * wrappers for a cudart, whose calls are named after the runtime function in the API rows.
 */
void lookup_initialised(void);

/*
 * For a wrapper that was called before the driver's tables were filled: the driver's function, or
 * where there is no driver in the process, what the caller would have reached without ktime (a
 * function of its own, which may be about to load the driver), else one that only returns an error.
 */
void *lookup_late(enum driver_entry entry, const void *caller);

/* ktime's wrapper of a driver function: the one for a cudart, or the one for all other callers. */
void *wrapper_of(enum driver_entry entry, bool for_runtime);

#endif
