/* SPDX-License-Identifier: MIT */
/* What the program holds in memory, as it is now. */
#ifndef KTIME_TESTS_UNIT_HELD_SUMS_H
#define KTIME_TESTS_UNIT_HELD_SUMS_H

#include "preload/memory/holdings.h"

static inline const struct memory_sums *sums_now(void)
{
	static struct memory_sums sums;

	memory_sums_copy(&sums);
	return &sums;
}

static inline const struct memory_sum *sum_of(int device, enum allocation_kind kind)
{
	return &sums_now()->of[device + 1][kind];
}

#endif
