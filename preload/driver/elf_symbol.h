/* SPDX-License-Identifier: MIT */
#ifndef KTIME_PRELOAD_DRIVER_ELF_SYMBOL_H
#define KTIME_PRELOAD_DRIVER_ELF_SYMBOL_H

#include <stdbool.h>

/*
 * A function of libc (or of libdl, where it was a library of its own before glibc 2.34), read from
 * the mapped object's symbol table: for dlsym itself, which cannot be had from dlsym when that name
 * is interposed. NULL where there is none. Any thread; takes the loader's lock.
 */
void *elf_libc_symbol(const char *name);

/* Whether any loaded object but libktime.so has such a symbol for others. The same. */
bool elf_symbol_elsewhere(const char *name);
/* Whether a pointer is into libktime.so. */
bool elf_is_own(const void *pointer);

#endif
