/* SPDX-License-Identifier: MIT */
/*
 * The memory that the program holds: a table of it by what frees it, the sums of it, and the calls
 * that change it. Memory is bounded. Whoever calls the table and the sums makes sure that only one
 * thread at a time does. Times are ticks, sizes are bytes.
 */
#ifndef KTIME_PRELOAD_MEMORY_HOLDINGS_H
#define KTIME_PRELOAD_MEMORY_HOLDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/driver/driver.h"
#include "report/session/items.h"

/*
 * Sums of the memory that the program has allocated and not freed: by device and kind, and by
 * origin (where it was allocated), with their peaks. Each change takes constant time. The callers
 * hold a lock. Times are ticks, sizes are bytes.
 */

/* How many origins are told apart. Once half of the places are in use, new origins that differ in
 * the size alone share one; once all are in use, all new origins of a kind on a device do. Chosen.
 */
#define MEMORY_SITES 1024u

/* Where an allocation was made. */
struct operation;
struct origin {
	const struct operation *operation; /* what the thread launched before; NULL: nothing */
	uint16_t range;			   /* the innermost NVTX range: see paths_of() */
	uint32_t thread;		   /* from gettid() */
};

/* A piece of memory, and the sums that its size is added to. */
struct memory_block {
	uint64_t bytes;
	uint32_t site;	/* MEMORY_NO_SITE: none */
	int16_t device; /* -1: the host */
	uint8_t kind;	/* enum allocation_kind */
};

/* The sum of a kind on a device; of ALLOCATION_TOTAL, of all kinds that are on the device.
 * peak_time is ticks. */
struct memory_sum {
	MEMORY_FIGURES(FIGURE_MEMBER)
	uint64_t peaks; /* how often there was a new one */
};

/* Allocations of one origin, kind, device and size. */
struct site_sum {
	enum allocation_kind kind;
	int device;
	uint64_t size;	      /* 0: several */
	struct origin origin; /* all 0: several */
	/* `at_peak`: at the peak of this number of the sum that the site is part of; if it is not
	 * the latest one, the site has not changed since that. */
	uint64_t peak_number;
	SITE_FIGURES(FIGURE_MEMBER)
};

struct memory_sums {
	struct memory_sum of[SESSION_DEVICES + 1][ALLOCATION_KIND_COUNT]; /* first: the host's */
	struct site_sum sites[MEMORY_SITES];
	size_t site_count;
	/* What they lack: allocations beyond HOLDINGS_MOST, or made without memory; frees of what
	 * was not seen being allocated. */
	uint64_t untracked, unknown_frees;
};

/* Copies them, with what the sites were at the latest peaks: some 10 us if all sites are in use. */
void memory_sums_copy(struct memory_sums *copy);

/* Changes of what devices hold that are noted in a period of the collector, 5 ms: an allocation
 * takes the driver a microsecond and more. Chosen. */
#define HELD_CHANGES_MOST 8192u

/* Turns the noting of changes on or off; forgets changes that were not written to the trace yet. */
void held_changes_want(bool wanted);
/* For the collector once a period: writes what changed since the last call as records of the trace,
 * if it wants them. Takes the allocations' lock. */
void held_trace_update(bool wanted);

/* Allocations, and addresses of physical memory, that are followed at a time: 4 MiB of memory if
 * all are. Chosen. */
#define HOLDINGS_MOST 65536u

/* What a key is, as the driver may give one number to objects of two kinds. */
enum holding_space {
	SPACE_POINTER,	  /* an address that cuMemFree or cuMemFreeAsync takes */
	SPACE_HOST,	  /* one that cuMemFreeHost takes */
	SPACE_REGISTERED, /* one that cuMemHostUnregister takes */
	SPACE_ARRAY,
	SPACE_MIPMAPPED,
	SPACE_HANDLE,  /* of physical memory */
	SPACE_MAPPING, /* the address of physical memory */
};

/* What a call allocated. */
struct allocation {
	uint64_t key;
	uint64_t bytes;	     /* that the program asked for */
	const void *context; /* that it ends with; NULL: with none */
	enum holding_space space;
	enum allocation_kind kind;
	bool placed; /* the call says where it is */
	int device;  /* -1: the host */
	struct origin origin;
};

/* What holdings_take() removed, for holdings_put_back() if the driver did not free it. */
struct taken {
	bool any;
	uint32_t index; /* of memory that is still mapped, or still has references */
	uint8_t space;
	uint64_t key;
	const void *context;
	struct memory_block block;
};

/* Adds an allocation. An older one with the same key is dropped: it was freed by a call that ktime
 * did not see. */
void holdings_add(const struct allocation *allocation, uint64_t ticks);
/* Removes an allocation, before the driver frees it. For physical memory: removes one reference,
 * and with the last one the memory unless it is mapped. taken->any: the key was known. */
void holdings_take(enum holding_space space, uint64_t key, struct taken *taken);
/* Adds an allocation again that holdings_take() removed, as the driver failed to free it. */
void holdings_put_back(const struct taken *taken, uint64_t ticks);
/* The context ends, and with it what was allocated in it. */
void holdings_context_ends(const void *context);

/* Physical memory: one more reference by one of its addresses (false: it is not the program's own),
 * and a range of addresses that it has from now on, or no longer. */
bool holdings_retain(uint64_t handle, uint64_t address);
void holdings_map(uint64_t handle, uint64_t address, uint64_t bytes);
void holdings_unmap(uint64_t address, uint64_t bytes);

/* Count an allocation that cannot be followed, and a free of one that was not seen. */
void holdings_untracked(void);
void holdings_unknown_free(void);
/* The address and size of the table, to count it as ktime's memory; NULL: it is not there yet. */
const void *holdings_range(size_t *size);

/*
 * The program's calls that allocate and free memory, as their wrappers see them. The functions
 * before and after the driver's call belong together by what is freed; a call may be made inside of
 * another one, by a malloc that is made of such calls. What is allocated is noted after the
 * driver's call, what is freed before it, as the driver may give the same address to another thread
 * at once. They keep errno, and take a lock for some hundred instructions, never across a call of
 * the driver. Any thread.
 */

/* The size of a CUDA array, by its elements: the driver does not tell how much it adds as padding.
 */

/* Bytes of an array with `levels` mipmap levels, 1 for one without any; 0 for a sparse array, or
 * one that is given memory later. */
uint64_t array_bytes(const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, unsigned levels);

/* To be called after a call that allocates. Adds the current context and thread and, unless
 * `placed` is set, the device. */
void allocation_ends(CUresult result, const struct allocation *made);
/* To be called before and after a call that frees. A key of 0 has no effect. */
void allocation_freeing(enum holding_space space, uint64_t key);
void allocation_freed(CUresult result, uint64_t key);

/* After calls on physical memory that succeeded. */
void allocation_mapped(CUresult result, uint64_t handle, uint64_t address, uint64_t bytes);
void allocation_unmapped(CUresult result, uint64_t address, uint64_t bytes);
void allocation_retained(CUresult result, const unsigned long long *handle, const void *address);

/* To be called after an allocating call that was captured: it allocates nothing now; the graph
 * allocates at each launch. */
void allocation_captured(void);
/* To be called before the driver destroys a context. */
void allocations_context_ends(CUcontext context);

/* Held while the holdings and their sums are read. */
void allocations_lock(void);
void allocations_unlock(void);
/* A number that changes with each change of the holdings. */
uint64_t allocations_version(void);

/* Copies the program's memory use into the profile. For the collector thread only. */

/* Copies the figures if they have changed since the last call. */
void memory_profile_update(void);

#endif
