/* SPDX-License-Identifier: MIT */
#include "preload/handles/operation.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct named {
	struct operation operation;
	UT_hash_handle handle;
	char key[]; /* row kind, then the name */
};

/*
 * A kernel that a module look-up gave. It becomes an operation when it is launched: eager loaders
 * look up tens of thousands that never are, and the collector goes through all operations.
 */
struct remembered {
	const void *function;
	char *name; /* NULL: no memory for it */
	UT_hash_handle handle;
};

/* Memsets and copies within a device run as kernels (H200, driver 580). */
#define BY_KERNEL(identifier, kind)                                                                \
	((kind) == ROW_KERNEL || (kind) == ROW_GRAPH || (kind) == ROW_MEMSET ||                    \
	 (identifier) == OPERATION_COPY_DTOD || (identifier) == OPERATION_COPY_ATOD ||             \
	 (identifier) == OPERATION_COPY_DTOA || (identifier) == OPERATION_COPY_ATOA)

static struct operation fixed[FIXED_OPERATION_COUNT];

/* In the list from the start: a launch may meet them before the collector walks it. */
#define FIXED_OPERATION_INIT(identifier, kind_, name_)                                             \
	[identifier] = {.kind = kind_,                                                             \
			.index = (identifier),                                                     \
			.next = (identifier) > 0 ? fixed + (identifier)-1 : NULL,                  \
			.overhead =                                                                \
				BY_KERNEL(identifier, kind_) ? OVERHEAD_KERNEL : OVERHEAD_COPY,    \
			.name = name_,                                                             \
			.sample_below = SAMPLE_ALL},
static struct operation fixed[FIXED_OPERATION_COUNT] = {FIXED_OPERATIONS(FIXED_OPERATION_INIT)};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct named *by_name;
static struct remembered *by_handle;
static struct operation *_Atomic first = &fixed[FIXED_OPERATION_COUNT - 1];
static uint32_t operation_count = FIXED_OPERATION_COUNT;
static uint32_t first_sampling = SAMPLE_ALL;

_Atomic uint32_t operation_generation = 1;
_Atomic uint64_t operation_lost_calls;

void operation_first_sampling(uint32_t sample_below)
{
	first_sampling = sample_below;
	for (int i = 0; i < FIXED_OPERATION_COUNT; i++)
		atomic_store_explicit(&fixed[i].sample_below, sample_below, memory_order_relaxed);
}

struct operation *operation_fixed(enum fixed_operation which)
{
	return &fixed[which];
}

struct operation *operation_first(void)
{
	return atomic_load_explicit(&first, memory_order_acquire);
}

static void enlist_locked(struct operation *operation)
{
	operation->index = operation_count++;
	operation->next = atomic_load_explicit(&first, memory_order_relaxed);
	atomic_store_explicit(&first, operation, memory_order_release);
}

static struct operation *named_locked(enum row_kind kind, const char *name)
{
	size_t length = strlen(name) + 2;
	struct named *found = NULL;
	struct named *added;

	added = calloc(1, sizeof(*added) + length);
	if (!added)
		return &fixed[OPERATION_UNKNOWN_KERNEL];
	added->key[0] = (char)kind;
	memcpy(added->key + 1, name, length - 1);
	HASH_FIND(handle, by_name, added->key, length, found);
	if (found) {
		free(added);
		return &found->operation;
	}
	added->operation.kind = kind;
	added->operation.overhead = OVERHEAD_KERNEL;
	added->operation.name = added->key + 1;
	atomic_init(&added->operation.sample_below, first_sampling);
	HASH_ADD_KEYPTR(handle, by_name, added->key, length, added);
	if (!added->handle.tbl) {
		free(added);
		return &fixed[OPERATION_UNKNOWN_KERNEL];
	}
	enlist_locked(&added->operation);
	return &added->operation;
}

struct operation *operation_version(struct operation *of)
{
	struct operation *version = calloc(1, sizeof(*version));

	if (!version)
		return of;
	version->kind = of->kind;
	version->overhead = of->overhead;
	version->name = of->name;
	version->kernels_listed = of->kernels_listed;
	version->version_of = of;
	atomic_init(&version->sample_below, first_sampling);
	atomic_init(&version->contents, atomic_load_explicit(&of->contents, memory_order_acquire));
	pthread_mutex_lock(&lock);
	enlist_locked(version);
	pthread_mutex_unlock(&lock);
	return version;
}

struct operation *operation_named(enum row_kind kind, const char *name)
{
	struct operation *operation;

	pthread_mutex_lock(&lock);
	operation = named_locked(kind, name);
	pthread_mutex_unlock(&lock);
	return operation;
}

/*
 * cudart passes cuLaunchKernel a CUkernel cast to CUfunction. cuKernelGetName accepts only those,
 * and takes 8 ns to tell; cuFuncGetName accepts a module's functions only, and takes 600 ns to
 * refuse the other (H200, driver 580). So the fast one is asked first.
 */
struct operation *operation_of_kernel(CUfunction function)
{
	struct remembered *known = NULL;
	struct operation *operation = NULL;
	const char *name = NULL;

	if (!(driver.cuKernelGetName && driver.cuKernelGetName(&name, function) == CUDA_SUCCESS &&
	      name) &&
	    !(driver.cuFuncGetName && driver.cuFuncGetName(&name, function) == CUDA_SUCCESS &&
	      name))
		name = NULL;

	pthread_mutex_lock(&lock);
	if (name) {
		operation = named_locked(ROW_KERNEL, name);
	} else {
		HASH_FIND(handle, by_handle, &function, sizeof(function), known);
		operation = known && known->name ? named_locked(ROW_KERNEL, known->name)
						 : &fixed[OPERATION_UNKNOWN_KERNEL];
	}
	pthread_mutex_unlock(&lock);
	return operation;
}

bool operation_driver_names(void)
{
	return driver.cuKernelGetName && driver.cuFuncGetName;
}

void operation_remember_kernel(const void *function, const char *name)
{
	struct remembered *known = NULL;

	pthread_mutex_lock(&lock);
	HASH_FIND(handle, by_handle, &function, sizeof(function), known);
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (known) {
			known->function = function;
			HASH_ADD(handle, by_handle, function, sizeof(known->function), known);
			if (!known->handle.tbl) {
				free(known);
				known = NULL;
			}
		}
	}
	/* Another module's kernel may have been given the same handle. */
	if (known && !(known->name && strcmp(known->name, name) == 0)) {
		free(known->name);
		known->name = strdup(name);
	}
	pthread_mutex_unlock(&lock);
}

void operation_forget_kernels(void)
{
	/* Release: a thread that reads the new generation must not use what it cached before. */
	atomic_fetch_add_explicit(&operation_generation, 1, memory_order_release);
}

static _Atomic bool names_reused;

void operation_modules_unload(void)
{
	operation_forget_kernels();
	atomic_store_explicit(&names_reused, true, memory_order_relaxed);
}

bool operation_names_are_reused(void)
{
	return atomic_load_explicit(&names_reused, memory_order_relaxed);
}
