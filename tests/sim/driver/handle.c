/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/sim/driver/handle.h"

static struct handle *handle_at(const struct handle_pool *pool, size_t index)
{
	return (struct handle *)(pool->base + index * pool->size);
}

static struct handle *extend(struct handle_pool *pool)
{
	if (!pool->base) {
		pool->base = mmap(NULL, pool->bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (pool->base == MAP_FAILED) {
			pool->base = NULL;
			return NULL;
		}
	}
	if ((pool->count + 1) * pool->size > pool->bytes)
		return NULL;
	return handle_at(pool, pool->count++);
}

void *handle_create(struct handle_pool *pool)
{
	struct handle *handle = pool->free;

	if (handle)
		pool->free = handle->next_free;
	else
		handle = extend(pool);
	if (!handle)
		return NULL;
	memset(handle, 0, pool->size);
	handle->pool = pool;
	handle->alive = true;
	return handle;
}

void handle_destroy(void *object)
{
	struct handle *handle = object;

	handle->alive = false;
	handle->next_free = handle->pool->free;
	handle->pool->free = handle;
}

bool handle_known(const struct handle_pool *pool, const void *pointer)
{
	uintptr_t offset = (uintptr_t)pointer - (uintptr_t)pool->base;

	return pool->base && offset < pool->count * pool->size && offset % pool->size == 0;
}

void *handle_get(const struct handle_pool *pool, const void *pointer)
{
	if (!handle_known(pool, pointer) || !((const struct handle *)pointer)->alive)
		return NULL;
	return (void *)pointer;
}

void *handle_get_or_crash(const struct handle_pool *pool, const void *pointer)
{
	void *object = handle_get(pool, pointer);

	if (!object && handle_known(pool, pointer)) {
		fprintf(stderr, "sim: handle %p was destroyed\n", pointer);
		raise(SIGSEGV);
	}
	return object;
}

void *handle_next(const struct handle_pool *pool, const void *object)
{
	size_t index = object ? ((uintptr_t)object - (uintptr_t)pool->base) / pool->size + 1 : 0;

	for (; index < pool->count; index++) {
		if (handle_at(pool, index)->alive)
			return handle_at(pool, index);
	}
	return NULL;
}
