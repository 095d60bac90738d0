/* SPDX-License-Identifier: MIT */
/*
 * Memory. The devices' is host memory below 4 GiB, so that the oldest entries, whose pointers
 * have 32 bits, reach it as well.
 */
#ifndef SIM_DRIVER_MEMORY_H
#define SIM_DRIVER_MEMORY_H

#include "tests/sim/driver/context.h"
#include "tests/sim/driver/operation.h"

/* What the program holds of memory, as SIM_MEMORY tells it. */
enum truth {
	TRUTH_NONE, /* the driver's own, or a graph's */
	TRUTH_DEVICE,
	TRUTH_VIRTUAL,
	TRUTH_POOL,
	TRUTH_ARRAY,
	TRUTH_MANAGED,
	TRUTH_PINNED,
	TRUTH_REGISTERED,
	TRUTH_COUNT
};

struct allocation {
	char *address;
	size_t bytes;
	size_t mapped_bytes;
	enum memory_kind kind;
	CUdevice device;
	struct context *context;
	uint64_t id;
	bool registered;  /* by cuMemHostRegister: not ours to free */
	enum truth truth; /* what it is in SIM_MEMORY's file */
	struct allocation *next;
};

/* NULL where there is no room. kind is not MEMORY_PAGEABLE. */
struct allocation *memory_allocate(enum memory_kind kind, size_t bytes);
/* As the stream-ordered entries do: the address goes to *pointer, or the error is returned. */
CUresult memory_give_in_stream(void *pointer, size_t bytes, CUstream stream);

void memory_free(struct allocation *allocation);
/* The allocation is the program's from now on, until it is freed. */
void truth_hold(struct allocation *allocation, enum truth truth);
/* Frees what ends with a context. */
void memory_context_ends(const struct context *context);

/* The allocation that holds the address, or NULL: pageable. */
const struct allocation *memory_find(const void *address);
enum memory_kind memory_kind_at(const void *address);

#endif
