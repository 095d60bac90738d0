/* SPDX-License-Identifier: MIT */
#include "preload/handles/operation.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "preload/handles/stream.h"
#include "report/session/entries.h"

struct named {
	struct text_entry entry;
	struct operation operation;
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

/* The lock guards what is added; the list is walked without it. */
static struct {
	pthread_mutex_t lock;
	struct text_entry *by_name[ROW_KINDS];
	/* The names of kernels that a module look-up gave. One becomes an operation when it is
	 * launched: eager loaders look up tens of thousands that never are, and the collector goes
	 * through all operations. */
	struct entry *by_handle;
	struct operation *_Atomic first;
	uint32_t count;
	uint32_t first_sampling;
} operations = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.first = &fixed[FIXED_OPERATION_COUNT - 1],
	.count = FIXED_OPERATION_COUNT,
	.first_sampling = SAMPLE_ALL,
};

_Atomic uint64_t operation_lost_calls;

void operation_first_sampling(uint32_t sample_below)
{
	operations.first_sampling = sample_below;
	for (int i = 0; i < FIXED_OPERATION_COUNT; i++)
		store_relaxed(&fixed[i].sample_below, sample_below);
}

struct operation *operation_fixed(enum fixed_operation which)
{
	return &fixed[which];
}

struct operation *operation_first(void)
{
	return load_acquire(&operations.first);
}

static void enlist_locked(struct operation *operation)
{
	atomic_init(&operation->sample_below, operations.first_sampling);
	operation->index = operations.count++;
	operation->next = load_relaxed(&operations.first);
	store_release(&operations.first, operation);
}

static struct operation *named_locked(enum row_kind kind, const char *name)
{
	struct named *named = text_entry_of(&operations.by_name[kind], name, sizeof(*named));
	struct operation *operation = named ? &named->operation : &fixed[OPERATION_UNKNOWN_KERNEL];

	if (!operation->name) {
		operation->kind = kind;
		operation->overhead = OVERHEAD_KERNEL;
		operation->name = named->entry.text;
		enlist_locked(operation);
	}
	return operation;
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
	atomic_init(&version->contents, load_acquire(&of->contents));
	pthread_mutex_lock(&operations.lock);
	enlist_locked(version);
	pthread_mutex_unlock(&operations.lock);
	return version;
}

struct operation *operation_named(enum row_kind kind, const char *name)
{
	struct operation *operation;

	pthread_mutex_lock(&operations.lock);
	operation = named_locked(kind, name);
	pthread_mutex_unlock(&operations.lock);
	return operation;
}

static struct entry *remembered_locked(const void *handle, size_t size)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)handle};

	return entry_of(&operations.by_handle, key, size);
}

/*
 * cudart passes cuLaunchKernel a CUkernel cast to CUfunction. cuKernelGetName accepts only those,
 * and takes 8 ns to tell; cuFuncGetName accepts a module's functions only, and takes 600 ns to
 * refuse the other (H200, driver 580). So the fast one is asked first.
 */
struct operation *operation_of_kernel(CUfunction function)
{
	const struct entry *known;
	struct operation *operation;
	const char *name = NULL;

	if (!(driver.cuKernelGetName && driver.cuKernelGetName(&name, function) == CUDA_SUCCESS &&
	      name) &&
	    !(driver.cuFuncGetName && driver.cuFuncGetName(&name, function) == CUDA_SUCCESS &&
	      name))
		name = NULL;

	pthread_mutex_lock(&operations.lock);
	if (!name) {
		known = remembered_locked(function, 0);
		name = known ? known->item : NULL;
	}
	operation = name ? named_locked(ROW_KERNEL, name) : &fixed[OPERATION_UNKNOWN_KERNEL];
	pthread_mutex_unlock(&operations.lock);
	return operation;
}

bool operation_driver_names(void)
{
	return driver.cuKernelGetName && driver.cuFuncGetName;
}

void operation_remember_kernel(const void *function, const char *name)
{
	struct entry *known;

	pthread_mutex_lock(&operations.lock);
	known = remembered_locked(function, sizeof(*known));
	/* Another module's kernel may have been given the same handle. */
	if (known && !(known->item && strcmp(known->item, name) == 0)) {
		free(known->item);
		known->item = strdup(name);
	}
	pthread_mutex_unlock(&operations.lock);
}

void operation_forget_kernels(void)
{
	/* Release: a thread that reads the new generation must not use what it cached before. */
	add_release(&launch_state.operation_generation, 1);
}

_Atomic bool operation_names_reused;

void operation_modules_unload(void)
{
	operation_forget_kernels();
	store_relaxed(&operation_names_reused, true);
}

/* The type of memory at an address; 0 for pageable memory, which CUDA does not know. */
static CUmemorytype memory_type(CUdeviceptr pointer)
{
	CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
	CUmemorytype type = 0;
	void *data = &type;
	int saved_errno = errno;

	/* cuPointerGetAttribute would fail for pageable memory. */
	if (driver.cuPointerGetAttributes(1, &attribute, &data, pointer) != CUDA_SUCCESS)
		type = 0;
	errno = saved_errno;
	return type;
}

bool copy_is_pageable(const void *host)
{
	return memory_type((CUdeviceptr)(uintptr_t)host) == 0;
}

/* The device of the memory at an address; -1 for host memory and for managed memory, which
 * migrates. */
static int device_of(CUdeviceptr pointer)
{
	CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
					    CU_POINTER_ATTRIBUTE_IS_MANAGED};
	unsigned managed = 0;
	int device = -1;
	void *data[] = {&device, &managed};
	int saved_errno = errno;

	if (driver.cuPointerGetAttributes(2, attributes, data, pointer) != CUDA_SUCCESS || managed)
		device = -1;
	errno = saved_errno;
	return device;
}

/* All devices share one address space, so any copy between two device addresses may be one between
 * two devices; CUPTI reports that as a peer copy. */
enum fixed_operation copy_between_devices(CUdeviceptr destination, CUdeviceptr source)
{
	int to, from;

	if (!context_several_devices)
		return OPERATION_COPY_DTOD;
	to = device_of(destination);
	from = device_of(source);
	return to >= 0 && from >= 0 && to != from ? OPERATION_COPY_PTOP : OPERATION_COPY_DTOD;
}

/* The direction of a copy by its two memory types; a copy between two devices is taken for one
 * within a device. */
static enum fixed_operation between_types(CUmemorytype source, CUmemorytype destination)
{
	static const enum fixed_operation directions[3][3] = {
		/* to: host, device, array; from: a row each */
		{OPERATION_COPY_HTOH, OPERATION_COPY_HTOD, OPERATION_COPY_HTOA},
		{OPERATION_COPY_DTOH, OPERATION_COPY_DTOD, OPERATION_COPY_DTOA},
		{OPERATION_COPY_ATOH, OPERATION_COPY_ATOD, OPERATION_COPY_ATOA},
	};
	unsigned from = source - CU_MEMORYTYPE_HOST;
	unsigned to = destination - CU_MEMORYTYPE_HOST;

	/* A type unknown to cuda.h: the driver will refuse the call. */
	return from < 3 && to < 3 ? directions[from][to] : OPERATION_COPY_HTOH;
}

static void resolve(struct copy_end *end)
{
	if (end->type != CU_MEMORYTYPE_UNIFIED)
		return;
	end->host = (const void *)(uintptr_t)end->pointer;
	end->type = memory_type(end->pointer) == CU_MEMORYTYPE_DEVICE ? CU_MEMORYTYPE_DEVICE
								      : CU_MEMORYTYPE_HOST;
}

enum fixed_operation copy_direction(struct copy_end *source, struct copy_end *destination)
{
	enum fixed_operation direction;

	resolve(source);
	resolve(destination);
	direction = between_types(source->type, destination->type);
	return direction == OPERATION_COPY_DTOD
		       ? copy_between_devices(destination->pointer, source->pointer)
		       : direction;
}
