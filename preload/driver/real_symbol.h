/* SPDX-License-Identifier: MIT */
/* Symbol lookup that bypasses ktime's own dlsym. Any thread; these take the loader's lock. */
#ifndef KTIME_PRELOAD_DRIVER_REAL_SYMBOL_H
#define KTIME_PRELOAD_DRIVER_REAL_SYMBOL_H

/* libc's dlsym, past every interposed one, with a handle from dlopen. NULL if there is no such
 * symbol. */
void *real_dlsym(void *handle, const char *name);
/* The next definition of a symbol after libktime.so in the global scope, or NULL. */
void *next_symbol(const char *name);

#endif
