/* SPDX-License-Identifier: MIT */
#include "preload/driver/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/base/atomics.h"
#include "preload/base/pointer_map.h"
#include "preload/driver/elf_symbol.h"

#define NO_MEMORY "no memory"

typedef void *dlsym_function(void *, const char *);

struct driver driver;
void *_Atomic driver_entries[ENTRY_COUNT];
_Atomic uint64_t driver_failures;

/* What driver_load() finds, all at once. */
struct tables {
	struct driver driver;
	void *entries[ENTRY_COUNT];
	struct pointer_map by_pointer;
	struct elf_range code[2]; /* the driver's, and the stand-in's */
	struct link_map *stand_in;
	void *library;
	void *behind; /* the driver's handle, if dlopen returns another one to programs */
};

/* Each thread may look; the first one that finds all publishes it. */
static struct {
	struct tables *_Atomic tables; /* NULL: not found yet */
	const char *_Atomic unusable;  /* why they could not be filled the last time */
	pthread_mutex_t lock;	       /* of who publishes them */
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct {
	const char *name, *missing;
	size_t offset;
	bool needed;
	bool collectors; /* the collector alone calls it */
} calls[] = {
#define DRIVER_CALL(name, arguments, needed, collectors)                                           \
	{#name, "the driver has no " #name ", install a newer one", offsetof(struct driver, name), \
	 needed, collectors},
#define OF_COLLECTOR(name, arguments, needed) DRIVER_CALL(name, arguments, needed, true)
#define OF_ANY(name, arguments, needed)	      DRIVER_CALL(name, arguments, needed, false)
	COLLECTOR_CALLS(OF_COLLECTOR) DRIVER_CALLS(OF_ANY)
#undef OF_ANY
#undef OF_COLLECTOR
#undef DRIVER_CALL
};

static int is_libcuda(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *base = strrchr(info->dlpi_name, '/');

	(void)size;
	(void)unused;
	return strncmp(base ? base + 1 : info->dlpi_name, "libcuda.so", 10) == 0;
}

/* If a driver has one function for two entries, the first entry's wrapper serves both. */
static int remember(struct tables *tables, void *pointer, uintptr_t entry)
{
	if (!pointer || pointer_map_find(&tables->by_pointer, (uintptr_t)pointer, 1))
		return 0;
	return pointer_map_add(&tables->by_pointer, (uintptr_t)pointer, (void *)(entry + 1), 1);
}

/*
 * Another preloaded library may stand in for the driver. The dlopen of ncu's libcuda-injection.so
 * returns that library for libcuda.so.1, while its cuGetProcAddress returns the driver's own
 * functions (Nsight Compute 2025.3); HAMi-core's libvgpu.so, which limits a container's share of a
 * GPU, has a dlsym that returns its own functions. ktime wraps both pointers of an entry. The
 * wrappers call the stand-in, which thus sees what it would see without ktime; ktime's own calls go
 * to the driver.
 */
static bool fill_entries(struct tables *tables, void *opened)
{
	dlsym_function *find = (dlsym_function *)next_libc_symbol("dlsym");
	bool complete = true;

	for (uintptr_t entry = 0; entry < ENTRY_COUNT; entry++) {
		const char *symbol = entry_symbol((enum driver_entry)entry);
		void *of_driver = real_dlsym(tables->library, symbol);
		void *real = find(opened, symbol);

		if (!real || elf_is_own(real))
			real = of_driver;
		if (real != of_driver && !tables->stand_in) {
			tables->stand_in = object_of(real);
			elf_range_around((uintptr_t)real, false, &tables->code[1]);
		}
		tables->entries[entry] = real;
		if (remember(tables, real, entry) || remember(tables, of_driver, entry))
			complete = false;
	}
	return complete;
}

static bool cannot_be_used(const char *reason)
{
	store_relaxed(&found.unusable, reason);
	return false;
}

static bool fill(struct tables *tables)
{
	void *opened = NULL;
	bool complete;

	/* A dlopen that fails would leave its message for the program's dlerror(), so look
	 * first. */
	if (dl_iterate_phdr(is_libcuda, NULL))
		/* NODELETE because cudart unloads it at exit, before ktime writes the report. */
		tables->library = libc_dlopen_loaded("libcuda.so.1", RTLD_NODELETE);
	if (!tables->library)
		return false;
	store_relaxed(&found.unusable, NULL);
	opened = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (opened && opened != tables->library)
		tables->behind = tables->library;
	complete = true;
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		void *pointer = real_dlsym(tables->library, calls[i].name);

		*(void **)((char *)&tables->driver + calls[i].offset) = pointer;
		if (calls[i].needed && !pointer)
			complete = cannot_be_used(calls[i].missing);
	}
	elf_range_around((uintptr_t)tables->driver.cuCtxGetCurrent, false, &tables->code[0]);
	if (complete && !fill_entries(tables, opened ? opened : tables->library))
		complete = cannot_be_used(NO_MEMORY);
	dlerror(); /* clears the message about functions that an older driver does not have */
	return complete;
}

static inline const struct tables *loaded(void)
{
	/* Acquire: pairs with the release store in driver_load(), which fills the tables first. */
	return load_acquire(&found.tables);
}

bool driver_load(void)
{
	/* A stand-in's dlsym, which fill() calls, may call back into ktime's. */
	static __thread bool loading __attribute__((tls_model("initial-exec")));
	struct tables *tables;
	int saved_errno;

	if (loaded() || loading)
		return loaded() != NULL;
	loading = true;
	saved_errno = errno;
	/* Two threads may both fill a table of their own. The lock is not held for that, as dlopen
	 * takes the loader's lock. */
	tables = calloc(1, sizeof(*tables));
	if (!tables)
		cannot_be_used(NO_MEMORY);
	if (tables && fill(tables)) {
		pthread_mutex_lock(&found.lock);
		if (!loaded()) {
			driver = tables->driver;
			for (int i = 0; i < ENTRY_COUNT; i++)
				store_release(&driver_entries[i], tables->entries[i]);
			store_release(&found.tables, tables);
			tables = NULL;
		}
		pthread_mutex_unlock(&found.lock);
	}
	if (tables)
		pointer_map_free(&tables->by_pointer);
	free(tables);
	errno = saved_errno;
	loading = false;
	return loaded() != NULL;
}

void *driver_replace(enum driver_entry entry, void *function)
{
	void *real = driver_entry(entry);

	if (real)
		store_release(&driver_entries[entry], function);
	return real;
}

int driver_entry_of(const void *real)
{
	const struct tables *tables = real ? loaded() : NULL;
	void *entry = tables ? pointer_map_find(&tables->by_pointer, (uintptr_t)real, 1) : NULL;

	return (int)(uintptr_t)entry - 1;
}

const char *driver_trouble(void)
{
	return loaded() ? NULL : load_relaxed(&found.unusable);
}

const char *driver_stand_in(void)
{
	return loaded() && loaded()->stand_in ? elf_file_name(loaded()->stand_in) : NULL;
}

bool driver_is_behind(const void *handle, const struct link_map *caller)
{
	const struct tables *tables = loaded();

	return tables && tables->stand_in &&
	       (handle == tables->behind || caller == tables->stand_in);
}

static inline bool holds(const struct elf_range *range, uintptr_t address)
{
	return address >= range->low && address < range->high;
}

bool driver_contains(const void *address)
{
	const struct tables *tables = loaded();

	return tables && (holds(&tables->code[0], (uintptr_t)address) ||
			  holds(&tables->code[1], (uintptr_t)address));
}

void driver_failed(void)
{
	add_relaxed(&driver_failures, 1);
}

bool driver_is_called(const char *name)
{
	size_t length = strlen(name);

	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!calls[i].collectors && strncmp(calls[i].name, name, length) == 0 &&
		    (!calls[i].name[length] || strcmp(calls[i].name + length, "_v2") == 0))
			return true;
	return false;
}

/* glibc's structure of a thread is no smaller (2.17 to 2.42, x86-64; on aarch64 more memory of the
 * thread follows). */
#define DESCRIPTOR_BYTES 2048u

/* The driver's code, and where a thread's start routine is in its descriptor. */
static struct {
	struct elf_range code;
	size_t first_offset, last_offset;
} starts;

/*
 * glibc describes its threads to debuggers: the size of a member in bits, how many of them there
 * are, and its offset (libthread_db). Before 2.34 the description was in no table of symbols that a
 * program has; then any address of the driver's code in the descriptor is taken for the routine.
 */
void driver_thread_start(void)
{
	const uint32_t *member = elf_libc_symbol("_thread_db_pthread_start_routine");

	starts.first_offset = member ? member[2] : 0;
	starts.last_offset = member ? member[2] : DESCRIPTOR_BYTES - sizeof(uintptr_t);
	elf_range_around((uintptr_t)driver.cuDriverGetVersion, true, &starts.code);
}

bool driver_thread_is_calling(void)
{
	const char *descriptor = (const char *)pthread_self();

	for (size_t at = starts.first_offset; at <= starts.last_offset; at += sizeof(uintptr_t))
		if (holds(&starts.code, *(const uintptr_t *)(descriptor + at)))
			return true;
	return false;
}

/* Enough for a driver some years newer: ten such functions came from CUDA 11.8 to 13.0. */
#define UNKNOWN_ENTRIES 16

static _Atomic uintptr_t unknown[UNKNOWN_ENTRIES];

void driver_note_unknown(const char *name)
{
	char *copy = NULL;

	for (unsigned i = 0; i < UNKNOWN_ENTRIES; i++) {
		uintptr_t there = load_acquire(&unknown[i]);
		uintptr_t none = 0;

		if (there && strcmp((const char *)there, name) == 0)
			break;
		if (there)
			continue;
		copy = copy ? copy : strdup(name);
		/* Release: the copy is complete before the thread that writes the report can see
		 * it. */
		if (!copy || atomic_compare_exchange_strong_explicit(
				     &unknown[i], &none, (uintptr_t)copy, memory_order_acq_rel,
				     memory_order_acquire))
			return;
	}
	free(copy);
}

const char *driver_unknown_entry(unsigned index)
{
	return index < UNKNOWN_ENTRIES ? (const char *)load_acquire(&unknown[index]) : NULL;
}
