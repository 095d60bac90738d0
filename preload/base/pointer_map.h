/* SPDX-License-Identifier: MIT */
/*
 * A map from a driver handle to ktime's object for it, for use by a single thread without a lock:
 * open addressing with linear probing. All its entries become invalid at once when the caller's
 * generation number differs from the map's.
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

/* Fibonacci hashing (Knuth, TAOCP 3, 6.4): 2^64 divided by the golden ratio. */
static inline uint32_t pointer_hash(uintptr_t key)
{
	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32);
}

/* The value of a key, or NULL. The key must not be 0. */
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

/* Adds a key that is not in the map, after dropping all entries of an older generation. 0 or
 * -ENOMEM. */
int pointer_map_add(struct pointer_map *map, uintptr_t key, void *value, uint32_t generation);
void pointer_map_free(struct pointer_map *map);

#endif
