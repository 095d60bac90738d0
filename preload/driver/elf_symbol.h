/* SPDX-License-Identifier: MIT */
/*
 * Symbols as the loader sees them, read from the tables of the loaded objects: for what dlsym
 * cannot find while that name is interposed, and for what a name would mean without libktime.so.
 *
 * Nothing up to real_dlsym() calls a function of libc: the first dlsym of a process may come from a
 * sanitizer that is about to find the functions that it interposes, and none of those works before.
 * Another thread may change the loader's list of objects, except for those that were loaded with
 * the program; walk past these only inside dl_iterate_phdr, which holds the lock of the list.
 */
#ifndef KTIME_PRELOAD_DRIVER_ELF_SYMBOL_H
#define KTIME_PRELOAD_DRIVER_ELF_SYMBOL_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object's symbols, hash tables and relocations; NULL for what it does not have. */
struct elf_tables {
	ElfW(Addr) base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash, *hash;
	const ElfW(Rela) * relocations, *jump_relocations;
	size_t relocation_count, jump_relocation_count;
};

/* The first object of the process, which is the program; each has the next one in l_next. */
struct link_map *elf_first_object(void);
bool elf_is_libktime(const struct link_map *object);
/* The file that it was loaded from, as the loader names it; NULL if it is not in the list. */
const char *elf_own_path(void);
/* Whether libktime.so came with LD_PRELOAD. A program that uses NVTX may open it later. */
bool elf_is_preloaded(void);
/* Whether a pointer points into libktime.so. */
bool elf_is_own(const void *pointer);

void elf_read(const struct link_map *object, struct elf_tables *tables);

/* A name, and its hash in the loader's tables. */
struct elf_name {
	const char *text;
	uint32_t hash;
};
struct elf_name elf_name(const char *text);
/* The object's definition of a name, or NULL. */
const ElfW(Sym) * elf_find(const struct elf_tables *tables, const struct elf_name *name);
/*
 * The address of an object's function or variable, or NULL. (libc's dlsym takes an object for a
 * handle, but crashes if the object was only loaded as a dependency of another one.)
 */
void *elf_address(const struct link_map *object, const char *name);

/* The name of the file that an object was loaded from, without its folder. */
const char *elf_file_name(const struct link_map *object);
/* Whether an object is linked to a library whose file name starts like this. */
bool elf_needs(const struct link_map *object, const char *library);
bool elf_name_begins(const char *text, const char *start);

/* A function of libc (or of libdl, a library of its own before glibc 2.34). NULL if there is none.
 */
void *elf_libc_symbol(const char *name);
/* The first file before libktime.so, in the loader's order, that defines this name, or NULL. */
const char *elf_definer_in_front(const char *name);

/* Symbol lookup that bypasses ktime's own dlsym. Any thread; these take the loader's lock. */

/* libc's dlsym, past every interposed one, with a handle from dlopen. NULL if there is no such
 * symbol. */
void *real_dlsym(void *handle, const char *name);
/* The next definition of a symbol after libktime.so in the global scope, or NULL. */
void *next_symbol(const char *name);
/* A function of a library that is preloaded after libktime.so, else libc's. */
void *next_libc_symbol(const char *name);
/* libc's dlopen of a library that is loaded already. */
void *libc_dlopen_loaded(const char *path, int flags);

/* The object that an address is in; if it is in none, the program itself, as libc assumes. */
struct link_map *object_of(const void *address);
/*
 * The symbol that the code of the object `from` would be bound to if libktime.so were not loaded:
 * the one in the global scope, else the one in the object's own scope. NULL if there is none.
 */
void *symbol_without_ktime(const struct link_map *from, const char *name);

/* Where an object of the process lies in memory, or a segment of it. */
struct elf_range {
	uintptr_t low, high;
};
/* That of the object, or of the segment alone, that an address is in; false if none is. */
bool elf_range_around(uintptr_t address, bool segment, struct elf_range *range);

#endif
