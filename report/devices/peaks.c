/* SPDX-License-Identifier: MIT */
#include "report/devices/peaks.h"

#include <stdio.h>

/* The widest bus of GDDR memory is 512 bits, the narrowest of HBM 1024. */
#define HBM_LEAST_BITS	 1024

/* Per lane in one direction, GB/s: 2.5 and 5 GT/s with 8 bits in 10, 8 to 32 with 128 in 130, 64
 * in flits of 256 bytes with 242 of payload. */
#define PCIE_GENERATIONS 6
static const double pcie_lane[PCIE_GENERATIONS + 1] = {0,      0.25,   0.5,   0.9846,
						       1.9692, 3.9385, 7.5625};

/*
 * Multiply-adds of one multiprocessor in one clock, by compute capability: FP32 and FP64 as in the
 * CUDA Programming Guide's table of arithmetic throughput; FP16 on tensor cores, dense, from the
 * peak that the architecture's white paper gives for a product, divided by its clock and
 * multiprocessors. 0: not known, or none.
 */
static const struct throughput {
	unsigned compute_capability, multiply_adds[PRECISION_COUNT];
} throughputs[] = {
	{30, {192, 8, 0}},	{32, {192, 8, 0}},   {35, {192, 64, 0}},  {37, {192, 64, 0}},
	{50, {128, 4, 0}},	{52, {128, 4, 0}},   {53, {128, 4, 0}},	  {60, {64, 32, 0}},
	{61, {128, 4, 0}},	{62, {128, 4, 0}},   {70, {64, 32, 512}}, /* V100: 125 TFLOP/s */
	{72, {64, 32, 512}},	{75, {64, 2, 512}},			  /* T4: 65 */
	{80, {64, 32, 1024}},						  /* A100: 312 */
	{86, {128, 2, 512}},						  /* A40: 149.7 */
	{87, {128, 2, 1024}},	{89, {128, 2, 512}},			  /* L40S: 362 */
	{90, {128, 64, 2048}},						  /* H100 SXM: 989 */
	{100, {128, 64, 4096}},						  /* B200: 2250 */
	{103, {128, 2, 4096}},						  /* B300: 2500 */
	{120, {128, 2, 512}},						  /* RTX 5090: 419 */
	{121, {128, 2, 512}},
};

const char *const precision_names[PRECISION_COUNT] = {"FP32", "FP64", "FP16"};

static const struct throughput *throughput_of(unsigned compute_capability)
{
	for (size_t i = 0; i < sizeof(throughputs) / sizeof(throughputs[0]); i++)
		if (throughputs[i].compute_capability == compute_capability)
			return &throughputs[i];
	return NULL;
}

static enum host_link host_link_of(const struct device_info *info)
{
	if (info->integrated)
		return HOST_LINK_SHARED;
	if (info->c2c_mbps)
		return HOST_LINK_C2C;
	/* A coherent device whose link NVML does not tell has more than PCIe. */
	if (!info->coherent && info->pcie_lanes && info->pcie_generation &&
	    info->pcie_generation <= PCIE_GENERATIONS)
		return HOST_LINK_PCIE;
	return HOST_LINK_UNKNOWN;
}

struct peaks peaks_of(const struct device_info *info)
{
	const struct throughput *throughput = throughput_of(info->compute_capability);
	struct peaks peaks = {.host_link = host_link_of(info)};

	peaks.dram = (double)info->memory_clock_khz * 1e3 * 2 * info->bus_bits / 8 / 1e9;
	for (int i = 0; throughput && i < PRECISION_COUNT; i++)
		peaks.flops[i] = 2.0 * throughput->multiply_adds[i] * info->multiprocessors *
				 info->clock_khz * 1e3 / 1e9;
	if (peaks.host_link == HOST_LINK_PCIE)
		peaks.host = pcie_lane[info->pcie_generation] * info->pcie_lanes;
	else if (peaks.host_link == HOST_LINK_C2C)
		peaks.host = info->c2c_mbps / 1e3;
	peaks.nvlink = (double)info->nvlink_links * info->nvlink_mbps / 1e3;
	return peaks;
}

const char *host_link_text(const struct device_info *info, char *text, size_t size)
{
	switch (host_link_of(info)) {
	case HOST_LINK_PCIE:
		snprintf(text, size, "PCIe %u x%u", info->pcie_generation, info->pcie_lanes);
		return text;
	case HOST_LINK_C2C:
		return "NVLink-C2C";
	case HOST_LINK_SHARED:
		return "shared memory";
	default:
		return "unknown";
	}
}

enum memory_type memory_type_of(const struct device_info *info)
{
	if (info->integrated)
		return MEMORY_TYPE_LPDDR;
	if (!info->bus_bits)
		return MEMORY_TYPE_UNKNOWN;
	return info->bus_bits >= HBM_LEAST_BITS ? MEMORY_TYPE_HBM : MEMORY_TYPE_GDDR;
}

const char *ecc_text(const struct device_info *info)
{
	if (info->ecc == ECC_OFF)
		return "off";
	if (info->ecc != ECC_ON)
		return "unknown";
	switch (memory_type_of(info)) {
	case MEMORY_TYPE_HBM:
		return "on; costs nothing (HBM has bits of its own for it)";
	case MEMORY_TYPE_GDDR:
		return "on; costs 6 % of the memory and some 20 % of the bandwidth (GDDR)";
	default:
		return "on; its cost is unknown";
	}
}

#define WARP_THREADS	     32
/* Registers are given to a warp, in units of this many, from its quarter of the multiprocessor's;
 * shared memory to a block, in units of this many bytes (CUDA Occupancy Calculator, 3.5 to 9.0). */
#define REGISTER_UNIT	     256
#define REGISTER_PARTS	     4
#define SHARED_UNIT	     128
/* Before Ampere. */
#define SHARED_UNIT_EARLIER  256
#define FIRST_OF_SHARED_UNIT 80

const char *const occupancy_limit_texts[] = {
#define OCCUPANCY_LIMIT_TEXT(name, text) text,
	OCCUPANCY_LIMITS(OCCUPANCY_LIMIT_TEXT)
#undef OCCUPANCY_LIMIT_TEXT
};

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
