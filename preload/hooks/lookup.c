/* SPDX-License-Identifier: MIT */
#include "preload/hooks/lookup.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "preload/base/atomics.h"
#include "preload/driver/driver.h"
#include "preload/driver/elf_symbol.h"
#include "preload/hooks/cupti_symbols.h"
#include "preload/lifecycle/lifecycle.h"

typedef void *dlsym_function(void *, const char *);
typedef void *dlvsym_function(void *, const char *, const char *);

/* Results of look-ups that are kept; two threads may both find the same one. */
static struct {
	_Atomic uintptr_t next_dlsym, next_dlvsym;
	_Atomic bool driver; /* a look-up of a driver function */
	_Atomic(void *) last_handle;
} asked;
static __thread struct {
	bool resolving_runtime;
	/* Set while lookup_replacement itself asks: a peer behind us may call back into dlsym. */
	bool looking_up;
} here __attribute__((tls_model("initial-exec")));

/* The next definition of dlsym or dlvsym after libktime.so, found once: another preloaded library
 * may have one too, and is called. Two threads may both find the same pointer, so no lock is
 * needed. */
static void *once(_Atomic uintptr_t *cell, const char *name)
{
	uintptr_t value = load_relaxed(cell);

	if (!value) {
		value = (uintptr_t)next_libc_symbol(name);
		store_relaxed(cell, value);
	}
	return (void *)value;
}

void *lookup_next_dlsym(void)
{
	return once(&asked.next_dlsym, "dlsym");
}

void *lookup_next_dlvsym(void)
{
	return once(&asked.next_dlvsym, "dlvsym");
}

/*
 * No function of libc's and no errno: a sanitizer's first look-ups find the functions that it
 * interposes, and none works before.
 */
static bool is_driver_name(const char *name)
{
	return elf_name_begins(name, "cu") && name[2] >= 'A' && name[2] <= 'Z';
}

static bool is_cupti_name(const char *name)
{
	return elf_name_begins(name, "cupti");
}

static bool is_runtime_name(const char *name)
{
	return elf_name_begins(name, "cuda") || elf_name_begins(name, "__cuda");
}

static bool is_cuda_name(const char *name)
{
	return name && (is_driver_name(name) || is_cupti_name(name) || is_runtime_name(name));
}

/* Programs look up functions of what they have just opened: a handle that was not seen last. */
static void note_handle(void *handle)
{
	int saved_errno;

	if (handle == RTLD_DEFAULT || handle == RTLD_NEXT ||
	    load_relaxed(&asked.last_handle) == handle)
		return;
	saved_errno = errno;
	store_relaxed(&asked.last_handle, handle);
	bindings_check();
	errno = saved_errno;
}

static void *ask_next(void *handle, const char *name, const char *version)
{
	return version ? ((dlvsym_function *)lookup_next_dlvsym())(handle, name, version)
		       : ((dlsym_function *)lookup_next_dlsym())(handle, name);
}

static bool is_function(const void *pointer)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	return dladdr1(pointer, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol &&
	       ELF64_ST_TYPE(symbol->st_info) == STT_FUNC;
}

/* What is handed out in place of a function of the driver's or of CUPTI's, if that is what it is.
 */
static void *replacement_of(const char *name, void *real)
{
	int entry;

	if (is_cupti_name(name))
		return cupti_symbol_replacement(name, real);
	if (!is_driver_name(name) || !driver_load())
		return NULL;
	entry = driver_entry_of(real);
	store_relaxed(&asked.driver, true);
	return entry >= 0 ? wrapper_of((enum driver_entry)entry, here.resolving_runtime) : NULL;
}

/*
 * If a look-up found ktime's own export: what it would find without ktime, as many programs learn
 * that way whether CUDA is installed. If that is nothing, the last look-up made is one that fails,
 * so that dlerror() has its message.
 */
static void *answer_without_ktime(const char *name, void *found)
{
	void *replacement;

	if (!found) {
		next_symbol(name);
		return LOOKUP_NOTHING;
	}
	replacement = replacement_of(name, found);
	if (replacement)
		return replacement;
	/* A runtime's functions may be in any library, and ktime's call on to the caller's. */
	return is_runtime_name(name) && is_function(found) ? NULL : found;
}

/*
 * For a look-up with RTLD_NEXT from an object that comes after libktime.so, such as another
 * preloaded tracer: it does not find ktime's exports, but the driver's functions. The driver is
 * surely in that object's scope if it was loaded before the program started, or if the object
 * itself needs it.
 */
static void *next_replacement(struct link_map *from, const char *name)
{
	struct link_map *object = bindings_next_definer(from, name);

	if (!object || !bindings_is_cuda(object) || !bindings_may_reach(from, object))
		return NULL;
	return replacement_of(name, elf_address(object, name));
}

/* RTLD_DEFAULT and RTLD_NEXT: the result depends on the object that makes the look-up. */
static void *scope_replacement(void *handle, const char *name, struct link_map *from)
{
	struct link_map *in_front;
	void *found;

	if (handle == RTLD_DEFAULT) {
		found = real_dlsym(RTLD_DEFAULT, name);
		return elf_is_own(found)
			       ? answer_without_ktime(name, symbol_without_ktime(from, name))
			       : replacement_of(name, found);
	}
	if (!bindings_is_before_ktime(from))
		return next_replacement(from, name);
	in_front = bindings_next_definer(from, name);
	return in_front && bindings_is_before_ktime(in_front)
		       ? NULL
		       : answer_without_ktime(name, next_symbol(name));
}

static void *handle_replacement(void *handle, const char *name, const char *version,
				struct link_map *from)
{
	void *real;

	/* Otherwise what stands in for the driver would be sent round in a circle. */
	if (is_driver_name(name) && driver_load() && driver_is_behind(handle, from))
		return NULL;
	real = ask_next(handle, name, version);
	if (elf_is_own(real))
		return answer_without_ktime(name, next_symbol(name));
	return real ? replacement_of(name, real) : NULL;
}

void *lookup_replacement(void *handle, const char *name, const char *version, const void *caller)
{
	struct link_map *from;
	void *replacement;
	int saved_errno;

	if (here.looking_up)
		return NULL;
	note_handle(handle);
	if (!is_cuda_name(name))
		return NULL;
	saved_errno = errno;
	here.looking_up = true;
	bindings_check();
	from = object_of(caller);
	if (handle != RTLD_DEFAULT && handle != RTLD_NEXT)
		replacement = handle_replacement(handle, name, version, from);
	else if (!version)
		replacement = scope_replacement(handle, name, from);
	else
		replacement = ask_next(RTLD_NEXT, name, version) ? NULL : LOOKUP_NOTHING;
	here.looking_up = false;
	errno = saved_errno;
	return replacement;
}

/* Functions that only return an error: they ignore their arguments, so they serve for any entry. */
static CUresult no_driver(void)
{
	return CUDA_ERROR_NOT_INITIALIZED;
}

static CUresult no_entry(void)
{
	return CUDA_ERROR_NOT_FOUND;
}

void *lookup_late(enum driver_entry entry, const void *caller)
{
	int saved_errno = errno;
	void *real;

	if (driver_load()) {
		real = driver_entry(entry);
		real = real ? real : (void *)no_entry;
	} else {
		bindings_check();
		real = symbol_without_ktime(object_of(caller), entry_symbol(entry));
		real = real ? real : (void *)no_driver;
	}
	errno = saved_errno;
	return real;
}

void lookup_initialised(void)
{
	here.resolving_runtime = false;
}

/* Whether a driver function starts GPU work, by the beginning of its name: if it is not in
 * entries.def, the report warns of it. */
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
		here.resolving_runtime = true;
}

void lookup_answered(const char *name, void **pointer, CUresult result)
{
	int entry;

	if (result != CUDA_SUCCESS || !pointer || !*pointer)
		return;
	store_relaxed(&asked.driver, true);
	entry = driver_entry_of(*pointer);
	if (entry >= 0)
		*pointer = wrapper_of((enum driver_entry)entry, here.resolving_runtime);
	else if (name && makes_work(name))
		driver_note_unknown(name);
}

/*
 * At the end of a process whose CUDA calls passed ktime by: one line that says so. A library that
 * is opened with RTLD_DEEPBIND finds libc's dlsym before ktime's, and a namespace of dlmopen has
 * no preloaded library at all.
 */

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
static int find_libcuda(struct dl_phdr_info *info, size_t size, void *argument)
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

/* Whether the program has called cuInit; in a forked child the driver says that it has not. */
static bool was_initialised(const struct link_map *library)
{
	CUresult (*count_devices)(int *) =
		library ? (CUresult(*)(int *))elf_address(library, "cuDeviceGetCount") : NULL;
	int count;

	return count_devices && count_devices(&count) == CUDA_SUCCESS;
}

static void say_at_end(void *unused)
{
	struct sight sight = {0};
	bool unseen;

	(void)unused;
	if (load_relaxed(&launch_state.lifecycle) != LIFECYCLE_IDLE)
		return;
	dl_iterate_phdr(find_libcuda, &sight);
	unseen = sight.here && (!driver_load() || elf_definer_in_front("dlsym") ||
				(!sight.needed && !load_relaxed(&asked.driver)));
	if ((unseen && was_initialised(sight.here)) || was_initialised(sight.elsewhere))
		lifecycle_say_blind();
	else
		lifecycle_say_unused();
}

/*
 * exit runs the main thread's own destructors before all handlers: a cudart's handler unloads the
 * driver, and no handler that a constructor registers, and no ELF destructor, comes before it.
 */
__attribute__((constructor)) static void register_end(void)
{
	if (elf_is_preloaded())
		__cxa_thread_atexit_impl(say_at_end, NULL, __dso_handle);
}
