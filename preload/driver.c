/* SPDX-License-Identifier: MIT */
#include "preload/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "preload/lookup.h"
#include "preload/pointer_map.h"

struct driver driver;
void *driver_entries[ENTRY_COUNT];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic bool driver_is_loaded;
static struct pointer_map entry_by_pointer;
static _Atomic uint64_t failures;

struct tables {
	struct driver driver;
	void *entries[ENTRY_COUNT];
	struct pointer_map by_pointer;
};

static const struct {
	const char *name;
	size_t offset;
	bool needed;
} calls[] = {
#define DRIVER_CALL(name, arguments, needed) {#name, offsetof(struct driver, name), needed},
	DRIVER_CALLS(DRIVER_CALL)
#undef DRIVER_CALL
};

static int is_libcuda(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *base = strrchr(info->dlpi_name, '/');

	(void)size;
	(void)unused;
	return strncmp(base ? base + 1 : info->dlpi_name, "libcuda.so", 10) == 0;
}

static bool fill(struct tables *tables)
{
	bool complete = false;
	void *handle = NULL;

	/* Asked first because a dlopen that fails would leave its text for the program's dlerror.
	 * Pinned, since cudart unloads the driver at exit, before the report is made. */
	if (dl_iterate_phdr(is_libcuda, NULL))
		handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	complete = handle != NULL;
	for (unsigned i = 0; handle && i < sizeof(calls) / sizeof(calls[0]); i++) {
		void *pointer = real_dlsym(handle, calls[i].name);

		*(void **)((char *)&tables->driver + calls[i].offset) = pointer;
		complete = complete && (pointer || !calls[i].needed);
	}
	for (uintptr_t entry = 0; complete && entry < ENTRY_COUNT; entry++) {
		void *real = real_dlsym(handle, entry_symbol((enum entry)entry));

		tables->entries[entry] = real;
		/* Where a driver gives two entries one function, the first wrapper serves both. */
		if (real && !pointer_map_find(&tables->by_pointer, (uintptr_t)real, 1) &&
		    pointer_map_add(&tables->by_pointer, (uintptr_t)real, (void *)(entry + 1), 1))
			complete = false;
	}
	if (handle)
		dlerror(); /* of entries that an older driver does not have */
	return complete;
}

bool driver_load(void)
{
	struct tables *tables;
	int saved_errno;

	/* Acquire: whoever sees it loaded sees the tables. */
	if (__builtin_expect(atomic_load_explicit(&driver_is_loaded, memory_order_acquire), 1))
		return true;
	saved_errno = errno;
	/* Two threads may both fill; the lock is not held then, for dlopen takes the loader's. */
	tables = calloc(1, sizeof(*tables));
	if (tables && fill(tables)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load_explicit(&driver_is_loaded, memory_order_relaxed)) {
			driver = tables->driver;
			memcpy(driver_entries, tables->entries, sizeof(driver_entries));
			entry_by_pointer = tables->by_pointer;
			tables->by_pointer.slots = NULL;
			atomic_store_explicit(&driver_is_loaded, true, memory_order_release);
		}
		pthread_mutex_unlock(&lock);
	}
	if (tables)
		pointer_map_free(&tables->by_pointer);
	free(tables);
	errno = saved_errno;
	return atomic_load_explicit(&driver_is_loaded, memory_order_acquire);
}

int driver_entry_of(const void *real)
{
	void *found = NULL;

	if (real && atomic_load_explicit(&driver_is_loaded, memory_order_acquire))
		found = pointer_map_find(&entry_by_pointer, (uintptr_t)real, 1);
	return (int)(uintptr_t)found - 1;
}

void driver_failed(void)
{
	atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
}

uint64_t driver_failures(void)
{
	return atomic_load_explicit(&failures, memory_order_relaxed);
}
