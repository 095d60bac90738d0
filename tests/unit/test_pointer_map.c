/* SPDX-License-Identifier: MIT */
/* Every key is found with its own value, however many there are, until the generation changes. */
#include "preload/base/pointer_map.h"
#include "tests/unit/test.h"

static struct pointer_map map;

static void *value_of(uintptr_t key)
{
	return (void *)(key * 3 + 1);
}

static void has(uintptr_t from, uintptr_t to, uint32_t generation)
{
	for (uintptr_t key = from; key < to; key++)
		assert_ptr_equal(pointer_map_find(&map, key, generation), value_of(key));
}

TEST(it_grows_and_stays_half_empty)
{
	uintptr_t slots = 64;

	for (uintptr_t key = 1; key <= 1000; key++) {
		assert_int_equal(pointer_map_add(&map, key, value_of(key), 5), 0);
		assert_int_equal(map.used, key);
		/* As large as it has to be, and no larger. */
		while (2 * key > slots - 1)
			slots *= 2;
		assert_int_equal(map.mask + 1, slots);
		assert_null(pointer_map_find(&map, key + 1, 5));
		has(1, key + 1, 5);
	}
	assert_int_equal(map.mask + 1, 2048);
	pointer_map_free(&map);
	assert_null(map.slots);
	assert_int_equal(map.used, 0);
}

TEST(a_new_generation_begins_empty)
{
	uint32_t mask;

	for (uintptr_t key = 1; key <= 100; key++)
		assert_int_equal(pointer_map_add(&map, key, value_of(key), 1), 0);
	mask = map.mask;
	assert_null(pointer_map_find(&map, 1, 2));
	has(1, 101, 1);
	assert_int_equal(pointer_map_add(&map, 200, value_of(200), 2), 0);
	assert_int_equal(map.used, 1);
	assert_int_equal(map.mask, mask);
	assert_null(pointer_map_find(&map, 200, 1));
	has(200, 201, 2);
	for (uintptr_t key = 1; key <= 100; key++)
		assert_null(pointer_map_find(&map, key, 2));
	for (uintptr_t key = 1; key <= 500; key++)
		if (key != 200)
			assert_int_equal(pointer_map_add(&map, key, value_of(key), 2), 0);
	has(1, 501, 2);
	pointer_map_free(&map);
}
