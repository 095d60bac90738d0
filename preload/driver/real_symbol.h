/* SPDX-License-Identifier: MIT */
/* Symbols past ktime's own dlsym. Any thread; these take the loader's lock. */
#ifndef KTIME_PRELOAD_DRIVER_REAL_SYMBOL_H
#define KTIME_PRELOAD_DRIVER_REAL_SYMBOL_H

/* libc's dlsym, past every interposed one; for handles that ktime holds. */
void *real_dlsym(void *handle, const char *name);
/* The next definition of a symbol after libktime.so in the global scope, or NULL. */
void *next_symbol(const char *name);

#endif
