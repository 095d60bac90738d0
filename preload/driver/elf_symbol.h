/* SPDX-License-Identifier: MIT */
/* Symbol lookup in the loaded ELF objects, without dlsym. Any thread; takes the loader's lock. */
#ifndef KTIME_PRELOAD_DRIVER_ELF_SYMBOL_H
#define KTIME_PRELOAD_DRIVER_ELF_SYMBOL_H

#include <stdbool.h>

/*
 * A function of libc (or of libdl, a library of its own before glibc 2.34), for dlsym itself, which
 * dlsym cannot find while that name is interposed. NULL if there is none. Calls nothing of libc's:
 * a sanitizer's runtime asks dlsym for the functions that it interposes before they may be called.
 */
void *elf_libc_symbol(const char *name);

/* Whether a name begins with a prefix, without libc. */
static inline bool elf_name_begins(const char *name, const char *prefix)
{
	while (*prefix && *name == *prefix) {
		name++;
		prefix++;
	}
	return !*prefix;
}

/* Whether any loaded object but libktime.so exports such a symbol. */
bool elf_symbol_elsewhere(const char *name);
/* Whether a pointer points into libktime.so. Takes no lock. */
bool elf_is_own(const void *pointer);

#endif
