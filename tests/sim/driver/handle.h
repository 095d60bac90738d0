/* SPDX-License-Identifier: MIT */
/*
 * Handles: each kind of object has its pool, and an object destroyed first is given out again
 * first, as the driver does, so that a stale handle meets a new object.
 */
#ifndef SIM_DRIVER_HANDLE_H
#define SIM_DRIVER_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

struct handle_pool {
	size_t size;  /* of an object, which begins with a struct handle */
	size_t bytes; /* reserved */
	char *base;   /* reserved address space */
	size_t count;
	struct handle *free;
};

struct handle {
	struct handle_pool *pool;
	struct handle *next_free;
	bool alive;
};

/* `mib`: of address space, not memory. */
#define HANDLE_POOL_OF(type, mib)                                                                  \
	{                                                                                          \
		.size = sizeof(type), .bytes = (size_t)(mib) << 20                                 \
	}
#define HANDLE_POOL(type) HANDLE_POOL_OF(type, 16)

/* Zeroed apart from its handle; NULL where there is no memory. */
void *handle_create(struct handle_pool *pool);
void handle_destroy(void *object);

/* Whether the pointer was ever given out by the pool. */
bool handle_known(const struct handle_pool *pool, const void *pointer);

/* The object, or NULL where the pointer is none that is alive. */
void *handle_get(const struct handle_pool *pool, const void *pointer);

/* As handle_get, but a destroyed object crashes the program, as it does in the real driver. */
void *handle_get_or_crash(const struct handle_pool *pool, const void *pointer);

/* The objects alive, one after the other: NULL gives the first. */
void *handle_next(const struct handle_pool *pool, const void *object);

#endif
