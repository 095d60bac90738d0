/* SPDX-License-Identifier: MIT */
/*
 * Programs and libraries that define the driver's names themselves: as pointers that they fill with
 * dlsym (cuew, cuda_drvapi_dynlink), or as functions that call on (stub libraries, tracers).
 *
 * libktime.so exports the same names and comes first, so the loader binds what refers to them to
 * ktime's functions: stores into the pointers would go into code, and calls past the program's own
 * functions. What was bound so is bound again, to what it would have reached without ktime, unless
 * that is the driver. ktime sees the calls where the program looks up the driver's functions.
 */
#ifndef KTIME_PRELOAD_HOOKS_BINDINGS_H
#define KTIME_PRELOAD_HOOKS_BINDINGS_H

#include <link.h>
#include <stdbool.h>

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
