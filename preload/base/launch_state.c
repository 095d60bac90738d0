/* SPDX-License-Identifier: MIT */
#include "preload/base/launch_state.h"

#include "preload/base/own_part.h"
#include "preload/base/plan.h"

struct launch_state launch_state __attribute__((aligned(CACHE_LINE))) = {
	.needs = NEEDS_KTIME, .operation_generation = 1, .stream_generation = 1};

__thread uintptr_t own_part;
