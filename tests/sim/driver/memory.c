/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <signal.h>

#include "tests/sim/driver/timeline.h"
#include "tests/sim/driver/capture.h"
#include "tests/sim/driver/memory.h"
#include "tests/sim/driver/stream.h"

/* Clear of the usual places of programs, of their heaps and of the sanitizers' shadows. */
#define DEVICE_FIRST 0x20000000UL
#define DEVICE_LAST  0x70000000UL

enum {
	GRANULE = 2 << 20,
};

static struct allocation *allocations;
static uint64_t allocations_made;

/*
 * SIM_MEMORY: what the program held, as asked for, of each kind, and at the most at once. What
 * ktime's own thread allocates is not the program's.
 */
#define TRUTH_NAMES                                                                                \
	{                                                                                          \
		"", "device", "virtual", "pool", "array", "managed", "pinned", "registered"        \
	}
static const char *const truth_names[TRUTH_COUNT] = TRUTH_NAMES;
static struct {
	uint64_t held, peak, allocations, frees;
} truths[TRUTH_COUNT];

/* SIM_HELD: each change of what the program holds on a device for good. */
static void truth_changed(const struct allocation *allocation, uint64_t by)
{
	static uint64_t held[8];
	static FILE *file;
	const char *path = getenv("SIM_HELD");

	if (!path || allocation->truth < TRUTH_DEVICE || allocation->truth > TRUTH_ARRAY)
		return;
	if (!file)
		file = fopen(path, "we");
	held[allocation->device] += by;
	if (file)
		fprintf(file, "%llu %d %llu\n", (unsigned long long)sim_clock_ns(),
			allocation->device, (unsigned long long)held[allocation->device]);
}

void truth_hold(struct allocation *allocation, enum truth truth)
{
	sigset_t blocked;

	/* On ktime's own threads, which block these; a program is killed by its filter of system
	 * calls if the thread's name is asked for. */
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	if (sigismember(&blocked, SIGUSR2) && sigismember(&blocked, SIGRTMAX))
		return;
	allocation->truth = truth;
	truths[truth].held += allocation->bytes;
	truths[truth].allocations++;
	if (truths[truth].held > truths[truth].peak)
		truths[truth].peak = truths[truth].held;
	truth_changed(allocation, allocation->bytes);
}

static void truth_release(const struct allocation *allocation)
{
	if (allocation->truth == TRUTH_NONE)
		return;
	truths[allocation->truth].held -= allocation->bytes;
	truths[allocation->truth].frees++;
	truth_changed(allocation, -(uint64_t)allocation->bytes);
}

__attribute__((destructor)) static void truth_write(void)
{
	const char *path = getenv("SIM_MEMORY");
	FILE *file = path ? fopen(path, "w") : NULL;

	for (int kind = 1; kind < TRUTH_COUNT && file; kind++)
		if (truths[kind].allocations)
			fprintf(file, "%s held %llu peak %llu allocations %llu frees %llu\n",
				truth_names[kind], (unsigned long long)truths[kind].held,
				(unsigned long long)truths[kind].peak,
				(unsigned long long)truths[kind].allocations,
				(unsigned long long)truths[kind].frees);
	if (file)
		fclose(file);
}

static size_t rounded(size_t bytes)
{
	return (bytes + GRANULE - 1) / GRANULE * GRANULE;
}

/* The lowest free place; the list of device memory is ordered by address. */
static char *place(size_t bytes, struct allocation ***link)
{
	char *address = (char *)DEVICE_FIRST;

	for (*link = &allocations; **link; *link = &(**link)->next) {
		if ((**link)->kind == MEMORY_PINNED)
			continue;
		if (address + bytes <= (**link)->address)
			break;
		address = (**link)->address + (**link)->mapped_bytes;
	}
	return address + bytes <= (char *)DEVICE_LAST ? address : NULL;
}

struct allocation *memory_allocate(enum memory_kind kind, size_t bytes)
{
	struct allocation *allocation = calloc(1, sizeof(*allocation));
	struct allocation **link = &allocations;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char *wanted = NULL;

	if (!allocation)
		return NULL;
	allocation->bytes = bytes;
	allocation->mapped_bytes = rounded(bytes);
	if (kind != MEMORY_PINNED) {
		wanted = bytes <= DEVICE_LAST - DEVICE_FIRST
				 ? place(allocation->mapped_bytes, &link)
				 : NULL;
		flags |= MAP_FIXED_NOREPLACE;
	}
	if (kind == MEMORY_PINNED || wanted) {
		allocation->address = mmap(wanted, allocation->mapped_bytes, PROT_READ | PROT_WRITE,
					   flags, -1, 0);
		if (allocation->address == MAP_FAILED)
			allocation->address = NULL;
		else
			madvise(allocation->address, allocation->mapped_bytes, MADV_HUGEPAGE);
	}
	if (!allocation->address) {
		free(allocation);
		return NULL;
	}
	allocation->kind = kind;
	allocation->context = context_current();
	allocation->device = allocation->context->device;
	allocation->id = ++allocations_made;
	allocation->next = *link;
	*link = allocation;
	return allocation;
}

void memory_free(struct allocation *allocation)
{
	struct allocation **link = &allocations;

	while (*link != allocation)
		link = &(*link)->next;
	*link = allocation->next;
	truth_release(allocation);
	if (!allocation->registered)
		munmap(allocation->address, allocation->mapped_bytes);
	free(allocation);
}

void memory_context_ends(const struct context *context)
{
	for (struct allocation *allocation = allocations, *next; allocation; allocation = next) {
		next = allocation->next;
		if (allocation->context == context && allocation->truth != TRUTH_POOL &&
		    allocation->truth != TRUTH_VIRTUAL && allocation->truth != TRUTH_NONE)
			memory_free(allocation);
	}
}

const struct allocation *memory_find(const void *address)
{
	for (const struct allocation *allocation = allocations; allocation;
	     allocation = allocation->next) {
		if ((const char *)address >= allocation->address &&
		    (const char *)address < allocation->address + allocation->bytes)
			return allocation;
	}
	return NULL;
}

enum memory_kind memory_kind_at(const void *address)
{
	const struct allocation *allocation = memory_find(address);

	return allocation ? allocation->kind : MEMORY_PAGEABLE;
}

static CUresult give(enum memory_kind kind, enum truth truth, void *pointer, size_t bytes)
{
	struct allocation *allocation;

	if (!pointer || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	sim_call()->bytes = bytes;
	allocation = memory_allocate(kind, bytes);
	if (!allocation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(pointer, &allocation->address, sizeof(void *));
	truth_hold(allocation, truth);
	return CUDA_SUCCESS;
}

static CUresult memory_give(enum memory_kind kind, void *pointer, size_t bytes)
{
	static const enum truth truth_of[] = {
		[MEMORY_DEVICE] = TRUTH_DEVICE,
		[MEMORY_MANAGED] = TRUTH_MANAGED,
		[MEMORY_PINNED] = TRUTH_PINNED,
	};
	CUresult result = capture_unsafe();

	return result == CUDA_SUCCESS ? give(kind, truth_of[kind], pointer, bytes) : result;
}

/* In a capture the memory is there at once, and a node stands for it. */
CUresult memory_give_in_stream(void *pointer, size_t bytes, CUstream handle)
{
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (stream && stream->capture)
		result = capture_add(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC, NULL, NULL);
	/* In a capture it is the graph's. */
	return result == CUDA_SUCCESS
		       ? give(MEMORY_DEVICE, stream && stream->capture ? TRUTH_NONE : TRUTH_POOL,
			      pointer, bytes)
		       : result;
}

/* Freeing waits for the context's work, as the driver does. */
static CUresult release(const void *pointer, bool host)
{
	struct allocation *allocation = (struct allocation *)memory_find(pointer);
	CUresult result = capture_unsafe();

	if (result != CUDA_SUCCESS || !pointer)
		return result;
	if (!allocation || allocation->address != pointer ||
	    (allocation->kind == MEMORY_PINNED) != host)
		return CUDA_ERROR_INVALID_VALUE;
	stream_wait_all(allocation->context);
	memory_free(allocation);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes), (pointer, bytes))
{
	return memory_give(MEMORY_DEVICE, pointer, bytes);
}

SIM_ENTRY(cuMemAlloc, (CUdeviceptr_v1 * pointer, unsigned int bytes), (pointer, bytes))
{
	CUdeviceptr wide;
	CUresult result = memory_give(MEMORY_DEVICE, &wide, bytes);

	if (result == CUDA_SUCCESS)
		*pointer = wide;
	return result;
}

SIM_ENTRY(cuMemAllocManaged, (CUdeviceptr * pointer, size_t bytes, unsigned int flags),
	  (pointer, bytes, flags))
{
	(void)flags;
	return memory_give(MEMORY_MANAGED, pointer, bytes);
}

SIM_ENTRY(cuMemAllocPitch_v2,
	  (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height,
	   unsigned int element_bytes),
	  (pointer, pitch, width, height, element_bytes))
{
	(void)element_bytes;
	*pitch = (width + 511) / 512 * 512;
	return memory_give(MEMORY_DEVICE, pointer, *pitch * height);
}

SIM_ENTRY_STREAM(cuMemAllocAsync, _ptsz, (CUdeviceptr * pointer, size_t bytes, CUstream stream),
		 (pointer, bytes, stream))
{
	return memory_give_in_stream(pointer, bytes, stream);
}

SIM_ENTRY_STREAM(cuMemFreeAsync, _ptsz, (CUdeviceptr pointer, CUstream handle), (pointer, handle))
{
	struct allocation *allocation = (struct allocation *)memory_find((void *)pointer);
	CUresult result;
	struct stream *stream = stream_of(handle, &result);

	if (!stream)
		return result;
	if (!allocation || (CUdeviceptr)allocation->address != pointer)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->capture)
		return capture_add(stream, CU_GRAPH_NODE_TYPE_MEM_FREE, NULL, NULL);
	memory_free(allocation);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemFree_v2, (CUdeviceptr pointer), (pointer))
{
	return release((void *)pointer, false);
}

SIM_ENTRY(cuMemFree, (CUdeviceptr_v1 pointer), (pointer))
{
	return release((void *)(uintptr_t)pointer, false);
}

SIM_ENTRY(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned int flags),
	  (pointer, bytes, flags))
{
	(void)flags;
	return memory_give(MEMORY_PINNED, pointer, bytes);
}

SIM_ENTRY(cuMemAllocHost_v2, (void **pointer, size_t bytes), (pointer, bytes))
{
	return memory_give(MEMORY_PINNED, pointer, bytes);
}

SIM_ENTRY(cuMemFreeHost, (void *pointer), (pointer))
{
	return release(pointer, true);
}

SIM_ENTRY(cuMemHostRegister_v2, (void *pointer, size_t bytes, unsigned int flags),
	  (pointer, bytes, flags))
{
	struct allocation *allocation;

	(void)flags;
	if (!pointer || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (memory_find(pointer))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	allocation = calloc(1, sizeof(*allocation));
	if (!allocation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	/* Takes long: a thread that only asked so far is then where the process is. */
	timeline_catch_up();
	*allocation = (struct allocation){
		.address = pointer,
		.bytes = bytes,
		.kind = MEMORY_PINNED,
		.context = context_current(),
		.device = context_current()->device,
		.id = ++allocations_made,
		.registered = true,
		.next = allocations,
	};
	allocations = allocation;
	truth_hold(allocation, TRUTH_REGISTERED);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemHostUnregister, (void *pointer), (pointer))
{
	struct allocation *allocation = (struct allocation *)memory_find(pointer);

	if (!allocation || !allocation->registered)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	memory_free(allocation);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemHostGetDevicePointer_v2, (CUdeviceptr * pointer, void *host, unsigned int flags),
	  (pointer, host, flags))
{
	(void)flags;
	if (!memory_find(host))
		return CUDA_ERROR_INVALID_VALUE;
	*pointer = (CUdeviceptr)host;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemGetInfo_v2, (size_t * free_bytes, size_t *total_bytes), (free_bytes, total_bytes))
{
	*total_bytes = *free_bytes = DEVICE_LAST - DEVICE_FIRST;
	for (const struct allocation *allocation = allocations; allocation;
	     allocation = allocation->next) {
		if (allocation->kind != MEMORY_PINNED)
			*free_bytes -= allocation->mapped_bytes;
	}
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t *bytes, CUdeviceptr pointer),
	  (base, bytes, pointer))
{
	const struct allocation *allocation = memory_find((void *)pointer);

	if (!allocation)
		return CUDA_ERROR_NOT_FOUND;
	if (base)
		*base = (CUdeviceptr)allocation->address;
	if (bytes)
		*bytes = allocation->bytes;
	return CUDA_SUCCESS;
}
