/* SPDX-License-Identifier: MIT */
/*
 * Gives libktime.so, or the file with NO_MEMORY_OF in its path, no memory: the allocation that
 * NO_MEMORY counts to fails, and with NO_MEMORY_ON all later ones too. All others have what they
 * ask for.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static bool is_refused(const void *caller)
{
	static _Atomic int allocations;
	const char *text = getenv("NO_MEMORY"), *of = getenv("NO_MEMORY_OF");
	Dl_info info;
	int number;

	if (!text || !dladdr(caller, &info) || !strstr(info.dli_fname, of ? of : "libktime.so"))
		return false;
	number = ++allocations;
	return number == atoi(text) || (number > atoi(text) && getenv("NO_MEMORY_ON"));
}

EXPORT void *malloc(size_t size)
{
	return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *memory, size_t size)
{
	return is_refused(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}
