/* SPDX-License-Identifier: MIT */
/*
 * A thread's own map from a handle to what ktime knows of it: open addressing, read without a lock,
 * void as a whole when its generation is over. Not shared between threads.
 */
#ifndef KTIME_PRELOAD_BASE_POINTER_MAP_H
#define KTIME_PRELOAD_BASE_POINTER_MAP_H

#include <stddef.h>
#include <stdint.h>

struct pointer_map {
	uintptr_t *slots; /* key, value, key, value, …; key 0 is free */
	uint32_t mask;	  /* slots - 1 */
	uint32_t used;
	uint32_t generation;
};

static inline uint32_t pointer_hash(uintptr_t key)
{
	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32);
}

/* The value of a key that is not 0, or NULL. */
static inline void *pointer_map_find(const struct pointer_map *map, uintptr_t key,
				     uint32_t generation)
{
	if (__builtin_expect(map->generation != generation, 0))
		return NULL;
	for (uint32_t i = pointer_hash(key) & map->mask;; i = (i + 1) & map->mask) {
		if (__builtin_expect(map->slots[2 * i] == key, 1))
			return (void *)map->slots[2 * i + 1];
		if (map->slots[2 * i] == 0)
			return NULL;
	}
}

/* Adds a key that is not there, dropping all of an older generation; -ENOMEM where it cannot. */
int pointer_map_add(struct pointer_map *map, uintptr_t key, void *value, uint32_t generation);
void pointer_map_free(struct pointer_map *map);

#endif
