/* SPDX-License-Identifier: MIT */
#include "preload/base/pointer_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void insert(struct pointer_map *map, uintptr_t key, uintptr_t value)
{
	uint32_t i = pointer_hash(key) & map->mask;

	while (map->slots[2 * i] != 0)
		i = (i + 1) & map->mask;
	map->slots[2 * i] = key;
	map->slots[2 * i + 1] = value;
	map->used++;
}

static int grow(struct pointer_map *map)
{
	/* 64 slots take 1 KB. Chosen. */
	uint32_t size = map->slots ? 2 * (map->mask + 1) : 64;
	struct pointer_map bigger = {.mask = size - 1, .generation = map->generation};
	uintptr_t *old;

	bigger.slots = calloc(2 * (size_t)size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; map->slots && i <= map->mask; i++)
		if (map->slots[2 * i])
			insert(&bigger, map->slots[2 * i], map->slots[2 * i + 1]);
	old = map->slots;
	*map = bigger;
	/* Last: the program's free may be made of calls that look into the map. */
	free(old);
	return 0;
}

int pointer_map_add(struct pointer_map *map, uintptr_t key, void *value, uint32_t generation)
{
	int error = 0;

	if (map->generation != generation && map->slots) {
		memset(map->slots, 0, 2 * ((size_t)map->mask + 1) * sizeof(*map->slots));
		map->used = 0;
	}
	/* At most half full, so that a search for a missing key ends soon. */
	if (!map->slots || 2 * (map->used + 1) > map->mask)
		error = grow(map);
	if (!error) {
		map->generation = generation;
		insert(map, key, (uintptr_t)value);
	}
	return error;
}

void pointer_map_free(struct pointer_map *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}
