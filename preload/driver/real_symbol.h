/* SPDX-License-Identifier: MIT */
/* Symbol lookup that bypasses ktime's own dlsym. Any thread; these take the loader's lock. */
#ifndef KTIME_PRELOAD_DRIVER_REAL_SYMBOL_H
#define KTIME_PRELOAD_DRIVER_REAL_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>
#include <link.h>

/* libc's dlsym, past every interposed one, with a handle from dlopen. NULL if there is no such
 * symbol. */
void *real_dlsym(void *handle, const char *name);
/* The next definition of a symbol after libktime.so in the global scope, or NULL. */
void *next_symbol(const char *name);

/* The object that an address is in; if it is in none, the program itself, as libc assumes. */
struct link_map *object_of(const void *address);
/*
 * The symbol that the code of the object `from` would be bound to if libktime.so were not loaded:
 * the one in the global scope, else the one in the object's own scope. NULL if there is none.
 */
void *symbol_without_ktime(const struct link_map *from, const char *name);

/* Where an object of the process lies in memory. */
struct elf_range {
	uintptr_t low, high;
};
/* That of the object that an address is in; false if none is. */
bool elf_range_around(uintptr_t address, struct elf_range *range);

#endif
