/* SPDX-License-Identifier: MIT */
#include "preload/driver/real_symbol.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/driver/elf_symbol.h"

typedef void *dlsym_function(void *, const char *);

static _Atomic uintptr_t libc_dlsym;

void *real_dlsym(void *handle, const char *name)
{
	uintptr_t function = atomic_load_explicit(&libc_dlsym, memory_order_relaxed);

	/* Two threads may both search: they find the same function. */
	if (!function) {
		function = (uintptr_t)elf_libc_symbol("dlsym");
		atomic_store_explicit(&libc_dlsym, function, memory_order_relaxed);
	}
	return function ? ((dlsym_function *)function)(handle, name) : NULL;
}

void *next_symbol(const char *name)
{
	return real_dlsym(RTLD_NEXT, name);
}
