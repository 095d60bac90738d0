/* SPDX-License-Identifier: MIT */
#include "report/devices/occupancy.h"

#define WARP_THREADS	     32
/* Registers are given to a warp, in units of this many, from its quarter of the multiprocessor's;
 * shared memory to a block, in units of this many bytes (CUDA Occupancy Calculator, 3.5 to 9.0). */
#define REGISTER_UNIT	     256
#define REGISTER_PARTS	     4
#define SHARED_UNIT	     128
/* Before Ampere. */
#define SHARED_UNIT_EARLIER  256
#define FIRST_OF_SHARED_UNIT 80

static const char *const limit_texts[] = {
#define OCCUPANCY_LIMIT_TEXT(name, text) text,
	OCCUPANCY_LIMITS(OCCUPANCY_LIMIT_TEXT)
#undef OCCUPANCY_LIMIT_TEXT
};

const char *occupancy_limit_text(enum occupancy_limit limit)
{
	return limit_texts[limit];
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static void lower(uint64_t *blocks, uint64_t most, struct occupancy *occupancy,
		  enum occupancy_limit limit)
{
	if (most >= *blocks)
		return;
	*blocks = most;
	occupancy->limit = limit;
}

struct occupancy occupancy_of(const struct device_info *info, const struct launch_shape *shape)
{
	/* 6.0 has two parts of twice the size. */
	unsigned parts = info->compute_capability == 60 ? 2 : REGISTER_PARTS;
	uint64_t warps = ((uint64_t)shape->threads + WARP_THREADS - 1) / WARP_THREADS;
	uint64_t most_warps = info->most_threads / WARP_THREADS, blocks, part;
	uint64_t registers = round_up((uint64_t)shape->registers * WARP_THREADS, REGISTER_UNIT);
	uint64_t shared =
		round_up((uint64_t)shape->shared + info->reserved_shared,
			 info->compute_capability < FIRST_OF_SHARED_UNIT ? SHARED_UNIT_EARLIER
									 : SHARED_UNIT);
	struct occupancy occupancy = {.limit = OCCUPANCY_BY_WARPS};

	if (!warps || !most_warps || !info->most_blocks || !info->most_registers ||
	    !info->most_shared || !shape->registers)
		return (struct occupancy){0};
	blocks = most_warps / warps;
	lower(&blocks, info->most_blocks, &occupancy, OCCUPANCY_BY_BLOCKS);
	part = info->most_registers / parts / registers;
	lower(&blocks, part * parts / warps, &occupancy, OCCUPANCY_BY_REGISTERS);
	if (shared)
		lower(&blocks, info->most_shared / shared, &occupancy, OCCUPANCY_BY_SHARED);
	/* The kernel ran: the device has more than it says, or the profile is damaged. */
	if (!blocks)
		return (struct occupancy){0};
	occupancy.fraction = (double)(blocks * warps) / (double)most_warps;
	if (occupancy.fraction >= 1)
		occupancy.limit = OCCUPANCY_BY_NONE;
	if (shape->launches && info->multiprocessors)
		occupancy.waves = (double)shape->blocks / (double)shape->launches /
				  (double)(blocks * info->multiprocessors);
	return occupancy;
}
