/* SPDX-License-Identifier: MIT */
/*
 * Look-ups of the driver's functions: dlsym, dlvsym and cuGetProcAddress, which every cudart and
 * most libraries go through. The answer is decided by the real pointer that the look-up gives,
 * never by the name alone: versions, per-thread variants and handles then come out right by
 * themselves, and what ktime does not know passes through.
 */
#ifndef KTIME_PRELOAD_HOOKS_LOOKUP_H
#define KTIME_PRELOAD_HOOKS_LOOKUP_H

#include <stdbool.h>

#include "preload/driver/driver.h"

/*
 * What the assembler part of dlsym (lookup_stub.S) asks before it jumps on to the next dlsym: a
 * pointer to give out instead, LOOKUP_NOTHING for NULL, or NULL.
 */
#define LOOKUP_NOTHING ((void *)-1)
void *lookup_replacement(void *handle, const char *name, const char *version, const void *caller);
void *lookup_next_dlsym(void);
void *lookup_next_dlvsym(void);

/*
 * Around the driver's cuGetProcAddress. `*pointer` is touched only where the driver answered with
 * a pointer of its own: success and NULL is an answer too.
 */
void lookup_asked(const char *name);
void lookup_answered(const char *name, void **pointer, CUresult result);

/*
 * A cudart resolves the driver between a look-up of the empty name and its cuInit; what it is
 * handed in between are the wrappers that know a runtime call is behind them. CUDA 11.8 to 13.0.
 */
void lookup_initialised(void);

/*
 * For a wrapper that was called before the driver's tables were filled: the driver's function, or
 * where there is no driver in the process, what the caller would have reached without ktime (a
 * function of its own, which may be about to load the driver), else one that only returns an error.
 */
void *lookup_late(enum driver_entry entry, const void *caller);

/* What ktime hands out in place of an entry: to a cudart, or to anybody else. */
void *wrapper_of(enum driver_entry entry, bool for_runtime);

#endif
