/* SPDX-License-Identifier: MIT */
/*
 * Memory. The devices' is host memory below 4 GiB, so that the oldest entries, whose pointers
 * have 32 bits, reach it as well.
 */
#ifndef SIM_DRIVER_MEMORY_H
#define SIM_DRIVER_MEMORY_H

#include "tests/sim/driver/context.h"
#include "tests/sim/driver/operation.h"

struct allocation {
	char *address;
	size_t bytes;
	size_t mapped_bytes;
	enum memory_kind kind;
	CUdevice device;
	struct context *context;
	uint64_t id;
	bool registered; /* by cuMemHostRegister: not ours to free */
	struct allocation *next;
};

/* NULL where there is no room. kind is not MEMORY_PAGEABLE. */
struct allocation *memory_allocate(enum memory_kind kind, size_t bytes);
/* As the stream-ordered entries do: the address goes to *pointer, or the error is returned. */
CUresult memory_give_in_stream(void *pointer, size_t bytes, CUstream stream);

void memory_free(struct allocation *allocation);

/* The allocation that holds the address, or NULL: pageable. */
const struct allocation *memory_find(const void *address);
enum memory_kind memory_kind_at(const void *address);

#endif
