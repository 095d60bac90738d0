/* SPDX-License-Identifier: MIT */
/* Variables of modules and libraries, whose sizes the images do not tell: room for the largest. */
#include <stdlib.h>
#include <string.h>

#include "tests/sim/driver/global.h"
#include "tests/sim/driver/memory.h"

enum {
	GLOBAL_BYTES = 65536,
};

struct global {
	const void *owner;
	char *name;
	struct allocation *allocation;
	struct global *next;
};

static struct global *globals;

CUresult global_get(const void *owner, const char *name, CUdeviceptr *address, size_t *bytes)
{
	struct global *global;

	if (!owner)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	for (global = globals; global; global = global->next) {
		if (global->owner == owner && !strcmp(global->name, name))
			break;
	}
	if (!global) {
		global = calloc(1, sizeof(*global));
		if (global)
			global->allocation = memory_allocate(MEMORY_DEVICE, GLOBAL_BYTES);
		if (!global || !global->allocation) {
			free(global);
			return CUDA_ERROR_OUT_OF_MEMORY;
		}
		global->owner = owner;
		global->name = strdup(name);
		global->next = globals;
		globals = global;
	}
	if (address)
		*address = (CUdeviceptr)global->allocation->address;
	if (bytes)
		*bytes = GLOBAL_BYTES;
	return CUDA_SUCCESS;
}

void global_forget(const void *owner)
{
	struct global **link = &globals, *global;

	while ((global = *link)) {
		if (global->owner != owner) {
			link = &global->next;
			continue;
		}
		*link = global->next;
		memory_free(global->allocation);
		free(global->name);
		free(global);
	}
}
