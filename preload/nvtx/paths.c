/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/paths.h"

#include <pthread.h>
#include <stdatomic.h>

#define SLOTS (2 * PATHS_MOST)

static struct range_path paths[PATHS_MOST];
static _Atomic uint16_t slots[SLOTS]; /* 0: empty */
static uint16_t path_count = 1;	      /* 0 is PATHS_OUTSIDE */
static _Atomic uint64_t lost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The path's number, or 0; `slot` is then where it belongs. */
static uint16_t find(const struct range_path *wanted, uint32_t *slot)
{
	/* Knuth's multiplicative hash. */
	uint32_t key = ((uint32_t)wanted->parent << 16 | wanted->name) ^ (uint32_t)wanted->style
										 << 15;
	uint16_t path;

	*slot = key * 2654435761u >> 18;
	/* Acquire: the path was written before its number. There are always empty slots. */
	while ((path = atomic_load_explicit(&slots[*slot], memory_order_acquire)) != 0) {
		if (paths[path].parent == wanted->parent && paths[path].name == wanted->name &&
		    paths[path].style == wanted->style)
			return path;
		*slot = (*slot + 1) % SLOTS;
	}
	return 0;
}
_Static_assert(SLOTS == 1u << (32 - 18), "find() shifts to an index of slots");

static uint16_t add(const struct range_path *wanted)
{
	uint32_t slot;
	uint16_t path;

	pthread_mutex_lock(&lock);
	path = find(wanted, &slot);
	if (!path && path_count < PATHS_MOST) {
		path = path_count++;
		paths[path] = *wanted;
		atomic_store_explicit(&slots[slot], path, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return path;
}

uint16_t paths_enter(uint16_t parent, uint16_t name, enum range_style style)
{
	struct range_path wanted = {.parent = parent, .name = name, .style = (uint8_t)style};
	uint32_t slot;
	uint16_t path = find(&wanted, &slot);

	if (!path)
		path = add(&wanted);
	if (!path) {
		atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
		return parent;
	}
	return path;
}

struct range_path paths_of(uint16_t path)
{
	return paths[path];
}

uint64_t paths_lost(void)
{
	return atomic_load_explicit(&lost, memory_order_relaxed);
}
