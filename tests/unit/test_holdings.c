/* SPDX-License-Identifier: MIT */
/* The table of what the program holds, and its sums, hold what a plain model of them holds. */
#include "preload/memory/holdings.h"
#include "tests/unit/held_sums.h"
#include "tests/unit/own_process.h"
#include "tests/unit/test.h"

#define MB (UINT64_C(1) << 20)

static uint64_t now;

/* The table is the process's: each test has one of its own. */
#define CHILD_TEST(name) TEST_IN_CHILD(name, now = 0)

static void add_in(enum holding_space space, enum allocation_kind kind, int device, uint64_t key,
		   uint64_t bytes, const void *context)
{
	holdings_add(&(struct allocation){.key = key,
					  .bytes = bytes,
					  .context = context,
					  .space = space,
					  .kind = kind,
					  .device = device},
		     ++now);
}

static void add(uint64_t key, uint64_t bytes)
{
	add_in(SPACE_POINTER, ALLOCATION_DEVICE, 0, key, bytes, NULL);
}

static bool take(enum holding_space space, uint64_t key)
{
	struct taken taken;

	holdings_take(space, key, &taken);
	return taken.any;
}

static void is(int device, enum allocation_kind kind, uint64_t held, uint64_t count, uint64_t peak)
{
	const struct memory_sum *sum = sum_of(device, kind);

	assert_int_equal(sum->held, held);
	assert_int_equal(sum->held_count, count);
	assert_int_equal(sum->peak, peak);
}

CHILD_TEST(the_peak_is_the_most_at_once_and_when_it_began)
{
	const struct memory_sum *sum = sum_of(0, ALLOCATION_DEVICE);

	add(1, 10);
	add(2, 20);
	is(0, ALLOCATION_DEVICE, 30, 2, 30);
	assert_int_equal(sum->peak_time, 2);
	assert_true(take(SPACE_POINTER, 1));
	is(0, ALLOCATION_DEVICE, 20, 1, 30);
	/* As much again is no new peak. */
	add(1, 10);
	is(0, ALLOCATION_DEVICE, 30, 2, 30);
	assert_int_equal(sum->peak_time, 2);
	add(3, 1);
	is(0, ALLOCATION_DEVICE, 31, 3, 31);
	assert_int_equal(sum->peak_time, 4);
	assert_int_equal(sum->allocations, 4);
	assert_int_equal(sum->allocated, 41);
	assert_int_equal(sum->frees, 1);
}

CHILD_TEST(each_device_and_kind_has_its_own_sum)
{
	for (int device = 0; device < SESSION_DEVICES; device++)
		for (int kind = 0; kind < ALLOCATION_PINNED; kind++)
			add_in(SPACE_POINTER, kind, device, 1000u * device + kind + 1,
			       100 * device + kind + 1, NULL);
	add_in(SPACE_HOST, ALLOCATION_PINNED, -1, 1, 7, NULL);
	add_in(SPACE_REGISTERED, ALLOCATION_REGISTERED, -1, 1, 9, NULL);
	for (int device = 0; device < SESSION_DEVICES; device++) {
		for (int kind = 0; kind < ALLOCATION_PINNED; kind++)
			is(device, kind, 100 * device + kind + 1, 1, 100 * device + kind + 1);
		is(device, ALLOCATION_TOTAL, 400 * device + 10, 4, 400 * device + 10);
	}
	is(-1, ALLOCATION_PINNED, 7, 1, 7);
	is(-1, ALLOCATION_REGISTERED, 9, 1, 9);
	is(-1, ALLOCATION_TOTAL, 0, 0, 0);
	assert_true(take(SPACE_POINTER, 2001));
	is(2, ALLOCATION_DEVICE, 0, 0, 201);
	is(2, ALLOCATION_TOTAL, 609, 3, 810);
	assert_int_equal(sum_of(2, ALLOCATION_TOTAL)->frees, 1);
	assert_int_equal(sum_of(2, ALLOCATION_MANAGED)->frees, 0);
	assert_true(take(SPACE_POINTER, 2005));
	is(2, ALLOCATION_TOTAL, 609, 3, 810);
}

CHILD_TEST(a_key_is_of_one_space)
{
	add_in(SPACE_HOST, ALLOCATION_PINNED, -1, 5, 7, NULL);
	assert_false(take(SPACE_POINTER, 5));
	assert_false(take(SPACE_REGISTERED, 5));
	assert_false(take(SPACE_HOST, 6));
	assert_true(take(SPACE_HOST, 5));
	assert_false(take(SPACE_HOST, 5));
}

CHILD_TEST(what_the_driver_did_not_free_is_held_again)
{
	struct taken taken;

	add_in(SPACE_POINTER, ALLOCATION_DEVICE, 3, 5, 50, &now);
	holdings_take(SPACE_POINTER, 5, &taken);
	is(3, ALLOCATION_DEVICE, 0, 0, 50);
	holdings_put_back(&taken, ++now);
	is(3, ALLOCATION_DEVICE, 50, 1, 50);
	assert_int_equal(sum_of(3, ALLOCATION_DEVICE)->frees, 0);
	assert_int_equal(sum_of(3, ALLOCATION_DEVICE)->allocations, 1);
	holdings_context_ends(&now);
	is(3, ALLOCATION_DEVICE, 0, 0, 50);
	/* Of what was not known nothing comes back. */
	holdings_take(SPACE_POINTER, 6, &taken);
	assert_false(taken.any);
	holdings_put_back(&taken, ++now);
	is(3, ALLOCATION_DEVICE, 0, 0, 50);
}

CHILD_TEST(a_key_that_comes_again_was_freed_unseen)
{
	add(5, 50);
	add(5, 20);
	is(0, ALLOCATION_DEVICE, 20, 1, 50);
	assert_int_equal(sum_of(0, ALLOCATION_DEVICE)->frees, 1);
	assert_true(take(SPACE_POINTER, 5));
	assert_false(take(SPACE_POINTER, 5));
	is(0, ALLOCATION_DEVICE, 0, 0, 50);
}

CHILD_TEST(a_context_ends_with_what_was_allocated_in_it)
{
	int one, other;

	for (unsigned i = 0; i < 100; i++)
		add_in(SPACE_POINTER, ALLOCATION_DEVICE, 0, i + 1, 1, i % 2 ? &one : &other);
	add_in(SPACE_POINTER, ALLOCATION_POOL, 0, 1000, 1, NULL);
	holdings_context_ends(&one);
	is(0, ALLOCATION_TOTAL, 51, 51, 101);
	holdings_context_ends(NULL);
	is(0, ALLOCATION_TOTAL, 51, 51, 101);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(take(SPACE_POINTER, i + 1), i % 2 == 0);
	is(0, ALLOCATION_POOL, 1, 1, 1);
}

CHILD_TEST(physical_memory_is_held_until_handles_and_addresses_are_gone)
{
	struct taken taken;

	add_in(SPACE_HANDLE, ALLOCATION_VIRTUAL, 0, 7, 4 * MB, NULL);
	holdings_map(7, 0x100000, 4 * MB);
	assert_true(take(SPACE_HANDLE, 7));
	is(0, ALLOCATION_VIRTUAL, 4 * MB, 1, 4 * MB);
	/* Its handle may be given out again meanwhile. */
	assert_false(take(SPACE_HANDLE, 7));
	add_in(SPACE_HANDLE, ALLOCATION_VIRTUAL, 0, 7, MB, NULL);
	is(0, ALLOCATION_VIRTUAL, 5 * MB, 2, 5 * MB);
	holdings_unmap(0x100000, 4 * MB);
	is(0, ALLOCATION_VIRTUAL, MB, 1, 5 * MB);
	assert_int_equal(sum_of(0, ALLOCATION_VIRTUAL)->frees, 1);
	/* One reference more, by an address inside of a mapping. */
	holdings_map(7, 0x800000, MB / 2);
	holdings_map(7, 0x800000 + MB / 2, MB / 2);
	assert_true(holdings_retain(7, 0x800001));
	assert_true(take(SPACE_HANDLE, 7));
	holdings_unmap(0x800000, MB);
	is(0, ALLOCATION_VIRTUAL, MB, 1, 5 * MB);
	holdings_take(SPACE_HANDLE, 7, &taken);
	is(0, ALLOCATION_VIRTUAL, 0, 0, 5 * MB);
	holdings_put_back(&taken, ++now);
	is(0, ALLOCATION_VIRTUAL, MB, 1, 5 * MB);
	assert_true(take(SPACE_HANDLE, 7));
	is(0, ALLOCATION_VIRTUAL, 0, 0, 5 * MB);
}

CHILD_TEST(physical_memory_whose_handles_are_gone_can_be_had_again)
{
	struct taken taken;

	add_in(SPACE_HANDLE, ALLOCATION_VIRTUAL, 0, 7, 4 * MB, NULL);
	holdings_map(7, 0x100000, 4 * MB);
	holdings_take(SPACE_HANDLE, 7, &taken);
	assert_false(holdings_retain(7, 0x100000 - 1));
	assert_false(holdings_retain(7, 0x100000 + 4 * MB));
	holdings_put_back(&taken, ++now);
	assert_true(take(SPACE_HANDLE, 7));
	assert_true(holdings_retain(8, 0x100000 + 4 * MB - 1));
	holdings_unmap(0x100000, 4 * MB);
	is(0, ALLOCATION_VIRTUAL, 4 * MB, 1, 4 * MB);
	assert_true(take(SPACE_HANDLE, 8));
	is(0, ALLOCATION_VIRTUAL, 0, 0, 4 * MB);
	/* Of another process's memory nothing is known. */
	holdings_map(9, 0x100000, MB);
	holdings_unmap(0x100000, MB);
	assert_false(holdings_retain(9, 0x100000));
	is(0, ALLOCATION_VIRTUAL, 0, 0, 4 * MB);
}

CHILD_TEST(what_does_not_fit_is_counted)
{
	for (uint64_t i = 0; i < HOLDINGS_MOST; i++)
		add(512 * (i + 1), 1);
	assert_int_equal(sums_now()->untracked, 0);
	is(0, ALLOCATION_DEVICE, HOLDINGS_MOST, HOLDINGS_MOST, HOLDINGS_MOST);
	add(1, 1);
	assert_int_equal(sums_now()->untracked, 1);
	is(0, ALLOCATION_DEVICE, HOLDINGS_MOST, HOLDINGS_MOST, HOLDINGS_MOST);
	assert_true(take(SPACE_POINTER, 512 * 77));
	add(1, 1);
	assert_int_equal(sums_now()->untracked, 1);
	assert_true(take(SPACE_POINTER, 1));
	for (uint64_t i = 0; i < HOLDINGS_MOST; i++)
		assert_int_equal(take(SPACE_POINTER, 512 * (i + 1)), i != 76);
	is(0, ALLOCATION_DEVICE, 0, 0, HOLDINGS_MOST);
	holdings_untracked();
	holdings_unknown_free();
	assert_int_equal(sums_now()->untracked, 2);
	assert_int_equal(sums_now()->unknown_frees, 1);
}

/* Random programs of few keys, against a plain array. */
CHILD_TEST(it_holds_what_a_plain_array_holds)
{
	uint64_t held[64] = {0}, sum = 0, count = 0, peak = 0;
	uint32_t random = 1;

	for (int i = 0; i < 200000; i++) {
		unsigned key;

		random = random * 1664525 + 1013904223;
		key = random >> 16 & 63;
		if (held[key] && random >> 31) {
			assert_true(take(SPACE_POINTER, 4096 * key + 1));
			sum -= held[key];
			held[key] = 0;
			count--;
		} else if (!held[key]) {
			held[key] = random >> 20;
			add(4096 * key + 1, held[key]);
			sum += held[key];
			count += 1;
			if (!held[key]) {
				assert_true(take(SPACE_POINTER, 4096 * key + 1));
				count--;
			}
		}
		peak = sum > peak ? sum : peak;
		is(0, ALLOCATION_TOTAL, sum, count, peak);
	}
}
