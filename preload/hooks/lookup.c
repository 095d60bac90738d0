/* SPDX-License-Identifier: MIT */
#include "preload/hooks/lookup.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "preload/hooks/cupti_symbols.h"
#include "preload/driver/driver.h"
#include "preload/driver/elf_symbol.h"
#include "preload/driver/real_symbol.h"
#include "preload/hooks/wrappers.h"

typedef void *dlsym_function(void *, const char *);
typedef void *dlvsym_function(void *, const char *, const char *);

static _Atomic uintptr_t next_dlsym, next_dlvsym;
static _Atomic bool seen;
static __thread bool resolving_runtime __attribute__((tls_model("initial-exec")));
/* Set while lookup_replacement itself asks: a peer behind us may call back into dlsym. */
static __thread bool looking_up __attribute__((tls_model("initial-exec")));

/* Finding the same pointer twice in two threads is harmless, so plain atomics will do. */
static void *once(_Atomic uintptr_t *cell, void *(*find)(void))
{
	uintptr_t value = atomic_load_explicit(cell, memory_order_relaxed);

	if (!value) {
		value = (uintptr_t)find();
		atomic_store_explicit(cell, value, memory_order_relaxed);
	}
	return (void *)value;
}

/* Another preload behind us may have a dlsym of its own; it gets its turn. */
static void *find_next_dlsym(void)
{
	void *next = next_symbol("dlsym");

	return next ? next : elf_libc_symbol("dlsym");
}

static void *find_next_dlvsym(void)
{
	void *next = next_symbol("dlvsym");

	return next ? next : elf_libc_symbol("dlvsym");
}

void *lookup_next_dlsym(void)
{
	return once(&next_dlsym, find_next_dlsym);
}

void *lookup_next_dlvsym(void)
{
	return once(&next_dlvsym, find_next_dlvsym);
}

static bool is_driver_name(const char *name)
{
	return name && name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
}

static bool is_cupti_name(const char *name)
{
	return name && elf_name_begins(name, "cupti");
}

static bool is_runtime_name(const char *name)
{
	return name && (elf_name_begins(name, "cuda") || elf_name_begins(name, "__cuda"));
}

static void *ask_next(void *handle, const char *name, const char *version)
{
	return version ? ((dlvsym_function *)lookup_next_dlvsym())(handle, name, version)
		       : ((dlsym_function *)lookup_next_dlsym())(handle, name);
}

/*
 * Whether a name would not be found without ktime: libktime.so alone has it. Many a program learns
 * that way whether CUDA is there. The last look-up of all is one that fails, for dlerror.
 */
static bool is_own_alone(const char *name, const char *version)
{
	return !elf_symbol_elsewhere(name) && !ask_next(RTLD_NEXT, name, version);
}

static void *driver_replacement(const void *real)
{
	int entry = driver_entry_of(real);

	atomic_store_explicit(&seen, true, memory_order_relaxed);
	return entry >= 0 ? wrapper_of((enum entry)entry, resolving_runtime) : NULL;
}

void *lookup_replacement(void *handle, const char *name, const char *version)
{
	void *replacement = NULL, *real;
	int saved_errno = errno;
	bool own, wanted;

	if (looking_up || (!is_driver_name(name) && !is_cupti_name(name) && !is_runtime_name(name)))
		return NULL;
	looking_up = true;
	/* These depend on who asks, and find our own exports where they should. */
	own = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
	wanted = !own && is_driver_name(name) && driver_load();
	if (!own && !(wanted && driver_is_behind(handle))) {
		real = ask_next(handle, name, version);
		own = elf_is_own(real);
		if (wanted)
			replacement = driver_replacement(real);
		else if (real && is_cupti_name(name))
			replacement = cupti_symbol_replacement(name, real);
	}
	if (own && is_own_alone(name, version))
		replacement = LOOKUP_NOTHING;
	looking_up = false;
	errno = saved_errno;
	return replacement;
}

void lookup_initialised(void)
{
	resolving_runtime = false;
}

bool lookup_seen(void)
{
	return atomic_load_explicit(&seen, memory_order_relaxed);
}

/* Entries of these families make the GPU work; one that is not in the table deserves a word. */
static bool makes_work(const char *name)
{
	static const char *const families[] = {"cuMemcpy",	"cuMemset",
					       "cuLaunch",	"cuGraphLaunch",
					       "cuMemPrefetch", "cuMemBatchDecompress"};

	for (unsigned i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			return true;
	return false;
}

void lookup_asked(const char *name)
{
	if (name && !*name)
		resolving_runtime = true;
}

void lookup_answered(const char *name, void **pointer, CUresult result)
{
	int entry;

	if (result != CUDA_SUCCESS || !pointer || !*pointer)
		return;
	atomic_store_explicit(&seen, true, memory_order_relaxed);
	entry = driver_entry_of(*pointer);
	if (entry >= 0)
		*pointer = wrapper_of((enum entry)entry, resolving_runtime);
	else if (name && makes_work(name))
		driver_note_unknown(name);
}
