/* SPDX-License-Identifier: MIT */
/*
 * At the end of a process whose CUDA calls passed ktime by: one line that says so. A library that
 * is opened with RTLD_DEEPBIND finds libc's dlsym before ktime's, and a namespace of dlmopen has
 * no preloaded library at all.
 */
#include <link.h>

#include "preload/lifecycle/lifecycle.h"
#include "preload/driver/driver.h"
#include "preload/driver/elf_symbol.h"
#include "preload/hooks/lookup.h"

/* glibc 2.35 has this as struct r_debug_extended: `next` is there from r_version 2 on. */
struct namespace
{
	struct r_debug base;
	const struct namespace *next;
};
extern const struct namespace first_namespace __asm__("_r_debug");

extern int __cxa_thread_atexit_impl(void (*destructor)(void *), void *argument, void *library);
extern void *__dso_handle;

struct sight {
	struct link_map *here;	    /* libcuda of the first namespace */
	bool needed;		    /* something there is linked to it, and so to our exports */
	struct link_map *elsewhere; /* libcuda of another namespace */
};

static bool is_libcuda(const struct link_map *map)
{
	return elf_name_begins(elf_file_name(map), "libcuda.so");
}

/* Inside of the loader's call its lists do not change; one call is enough to walk them all. */
static int look(struct dl_phdr_info *info, size_t size, void *argument)
{
	const struct namespace *namespace = &first_namespace;
	struct sight *sight = argument;

	(void)info;
	(void)size;
	do {
		for (struct link_map *map = namespace->base.r_map; map; map = map->l_next) {
			bool driver_itself = is_libcuda(map);

			if (namespace != &first_namespace) {
				sight->elsewhere = driver_itself ? map : sight->elsewhere;
				continue;
			}
			sight->here = driver_itself ? map : sight->here;
			sight->needed |= !driver_itself && elf_needs(map, "libcuda.so");
		}
		namespace = first_namespace.base.r_version >= 2 ? namespace->next : NULL;
	} while (namespace);
	return 1;
}

/* The driver of a forked child says that it is not. */
static bool was_initialised(const struct link_map *library)
{
	CUresult (*count_devices)(int *) =
		library ? (CUresult(*)(int *))elf_address(library, "cuDeviceGetCount") : NULL;
	int count;

	return count_devices && count_devices(&count) == CUDA_SUCCESS;
}

static void end(void *unused)
{
	struct sight sight = {0};
	bool unseen;

	(void)unused;
	if (atomic_load_explicit(&lifecycle_state, memory_order_relaxed) != LIFECYCLE_IDLE)
		return;
	dl_iterate_phdr(look, &sight);
	unseen = sight.here && (!driver_load() || elf_definer_in_front("dlsym") ||
				(!sight.needed && !lookup_seen()));
	if ((unseen && was_initialised(sight.here)) || was_initialised(sight.elsewhere))
		lifecycle_say_blind();
	else
		lifecycle_say_unused();
}

/*
 * exit runs the main thread's own destructors before all handlers: a cudart's handler unloads the
 * driver, and no handler that a constructor registers, and no ELF destructor, comes before it.
 */
__attribute__((constructor)) static void start(void)
{
	if (elf_is_preloaded())
		__cxa_thread_atexit_impl(end, NULL, __dso_handle);
}
