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

#include <link.h>
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

/*
 * Programs and libraries that define the driver's names themselves: as pointers that they fill with
 * dlsym (cuew, cuda_drvapi_dynlink), or as functions that call on (stub libraries, tracers).
 *
 * libktime.so exports the same names and comes first, so the loader binds what refers to them to
 * ktime's functions: stores into the pointers would go into code, and calls past the program's own
 * functions. What was bound so is bound again, to what it would have reached without ktime, unless
 * that is the driver. ktime sees the calls where the program looks up the driver's functions.
 */

/* Binds the calls of objects that were loaded since the last call. Any thread; takes the loader's
 * lock. */
void bindings_check(void);

/* Whether an object is CUDA's own: the driver, a runtime or CUPTI. */
bool bindings_is_cuda(const struct link_map *object);
/* The next object after `behind` in the loader's order, other than libktime.so, that defines a
 * name; NULL if there is none. */
struct link_map *bindings_next_definer(const struct link_map *behind, const char *name);
/* Whether a library is in the scope of an object, as far as can be told. */
bool bindings_may_reach(const struct link_map *object, const struct link_map *library);
/* Whether an object comes before libktime.so in the loader's order, as the program itself does. */
bool bindings_is_before_ktime(const struct link_map *object);

#endif
