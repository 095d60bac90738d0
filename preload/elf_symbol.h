/* SPDX-License-Identifier: MIT */
#ifndef KTIME_PRELOAD_ELF_SYMBOL_H
#define KTIME_PRELOAD_ELF_SYMBOL_H

/*
 * A function of libc (or of libdl, where it was a library of its own before glibc 2.34), read from
 * the mapped object's symbol table: for dlsym itself, which cannot be had from dlsym when that name
 * is interposed. NULL where there is none. Any thread; takes the loader's lock.
 */
void *elf_libc_symbol(const char *name);

#endif
