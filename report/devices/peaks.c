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

const char *precision_name(enum precision precision)
{
	static const char *const names[PRECISION_COUNT] = {"FP32", "FP64", "FP16"};

	return names[precision];
}

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
		break;
	case HOST_LINK_C2C:
		snprintf(text, size, "NVLink-C2C");
		break;
	case HOST_LINK_SHARED:
		snprintf(text, size, "shared memory");
		break;
	case HOST_LINK_UNKNOWN:
		snprintf(text, size, "unknown");
		break;
	}
	return text;
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
