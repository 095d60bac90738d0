/* SPDX-License-Identifier: MIT */
/*
 * What devices can do at most, and how many warps of a kernel they hold: tests/golden/peaks.txt has
 * it for each compute capability and link; see golden.h where a change of it is wanted.
 */
#include "report/devices/peaks.h"
#include "tests/unit/golden.h"
#include "tests/unit/test.h"

/* Of one multiprocessor at 1 GHz: twice its multiply-adds in one clock. */
static void write_throughputs(FILE *file)
{
	for (unsigned capability = 0; capability < 130; capability++) {
		const struct device_info info = {.compute_capability = capability,
						 .multiprocessors = 1,
						 .clock_khz = 1000000};
		struct peaks peaks = peaks_of(&info);

		if (peaks.flops[PRECISION_FP32] > 0)
			fprintf(file, "%u.%u: %.0f %s, %.0f %s, %.0f %s\n", capability / 10,
				capability % 10, peaks.flops[PRECISION_FP32],
				precision_names[PRECISION_FP32], peaks.flops[PRECISION_FP64],
				precision_names[PRECISION_FP64], peaks.flops[PRECISION_FP16],
				precision_names[PRECISION_FP16]);
	}
}

static void write_links(FILE *file)
{
	static const struct device_info devices[] = {
		{.pcie_generation = 0, .pcie_lanes = 16},
		{.pcie_generation = 1, .pcie_lanes = 4},
		{.pcie_generation = 2, .pcie_lanes = 16},
		{.pcie_generation = 3, .pcie_lanes = 16},
		{.pcie_generation = 4, .pcie_lanes = 8},
		{.pcie_generation = 5, .pcie_lanes = 16},
		{.pcie_generation = 6, .pcie_lanes = 16},
		{.pcie_generation = 7, .pcie_lanes = 16},
		{.pcie_generation = 5, .pcie_lanes = 0},
		{.pcie_generation = 5, .pcie_lanes = 16, .coherent = 1},
		{.pcie_generation = 5, .pcie_lanes = 16, .c2c_mbps = 450000, .coherent = 1},
		{.c2c_mbps = 450000, .integrated = 1},
		{.memory_clock_khz = 3201000, .bus_bits = 6144, .ecc = ECC_ON},
		{.memory_clock_khz = 9001000, .bus_bits = 384, .ecc = ECC_ON},
		{.bus_bits = 1023, .ecc = ECC_ON},
		{.bus_bits = 1024, .ecc = ECC_ON},
		{.bus_bits = 256, .ecc = ECC_ON, .integrated = 1},
		{.bus_bits = 384, .ecc = ECC_OFF},
		{.bus_bits = 384, .ecc = ECC_UNKNOWN},
		{.ecc = ECC_ON},
		{.nvlink_links = 18, .nvlink_mbps = 26562},
	};

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		struct peaks peaks = peaks_of(&devices[i]);
		char text[32];

		fprintf(file, "%s: %.4f GB/s, memory %d %.3f GB/s, NVLink %.3f GB/s, ECC %s\n",
			host_link_text(&devices[i], text, sizeof(text)), peaks.host,
			memory_type_of(&devices[i]), peaks.dram, peaks.nvlink,
			ecc_text(&devices[i]));
	}
}

static void write_occupancy(FILE *file, unsigned capability, const struct launch_shape *shape)
{
	const struct device_info info = {.compute_capability = capability,
					 .multiprocessors = 10,
					 .most_threads = 2048,
					 .most_blocks = 32,
					 .most_registers = 65536,
					 .most_shared = 102400,
					 .reserved_shared = capability < 80 ? 0 : 1024};
	struct occupancy occupancy = occupancy_of(&info, shape);

	fprintf(file, "%u.%u, %u threads, %u registers, %u bytes: %.6f by %s, %.6f waves\n",
		capability / 10, capability % 10, shape->threads, shape->registers, shape->shared,
		occupancy.fraction, occupancy_limit_texts[occupancy.limit], occupancy.waves);
}

static void write_occupancies(FILE *file)
{
	static const struct launch_shape shapes[] = {
		{.threads = 256, .registers = 32, .launches = 2, .blocks = 3000},
		{.threads = 1, .registers = 32, .launches = 1, .blocks = 640},
		{.threads = 33, .registers = 33, .launches = 1, .blocks = 1},
		{.threads = 64, .registers = 16, .shared = 1, .launches = 1, .blocks = 100},
		{.threads = 64, .registers = 16, .shared = 128, .launches = 1, .blocks = 100},
		{.threads = 64, .registers = 16, .shared = 4000, .launches = 4, .blocks = 100},
		{.threads = 1024, .registers = 33, .launches = 1, .blocks = 7},
		{.threads = 1024, .registers = 255, .launches = 1, .blocks = 7},
		{.threads = 1024, .registers = 64, .launches = 1, .blocks = 7},
		{.threads = 768, .registers = 8, .launches = 1, .blocks = 7},
		{.threads = 96, .registers = 170, .launches = 1, .blocks = 7},
		{.threads = 2049, .registers = 8, .launches = 1, .blocks = 7},
		{.threads = 128, .registers = 8, .shared = 101376, .launches = 1, .blocks = 7},
		{.threads = 128, .registers = 8, .shared = 102400, .launches = 0, .blocks = 7},
		{.threads = 128, .registers = 0, .launches = 1, .blocks = 7},
		{.threads = 0, .registers = 8, .launches = 1, .blocks = 7},
	};
	static const unsigned capabilities[] = {35, 60, 61, 75, 80, 90};

	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		for (size_t j = 0; j < sizeof(shapes) / sizeof(shapes[0]); j++)
			write_occupancy(file, capabilities[i], &shapes[j]);
}

TEST(peaks_and_occupancies_are_as_documented)
{
	FILE *file = golden_begin();

	write_throughputs(file);
	write_links(file);
	write_occupancies(file);
	golden_end("peaks");
}

/* Published: H100 SXM 989 TFLOP/s of dense FP16, 34 of FP64, 67 of FP32; H200 4.8 TB/s. */
TEST(the_peaks_of_an_h200_are_the_published_ones)
{
	const struct device_info info = {.compute_capability = 90,
					 .multiprocessors = 132,
					 .clock_khz = 1830000,
					 .memory_clock_khz = 3201000,
					 .bus_bits = 6144};
	struct peaks peaks = peaks_of(&info);

	assert_in_range((uint64_t)peaks.flops[PRECISION_FP16], 980000, 995000);
	assert_in_range((uint64_t)peaks.flops[PRECISION_FP64], 30500, 34500);
	assert_in_range((uint64_t)peaks.flops[PRECISION_FP32], 61000, 68000);
	assert_in_range((uint64_t)peaks.dram, 4800, 4920);
}

TEST(a_device_of_which_nothing_is_known_has_no_occupancy)
{
	const struct launch_shape shape = {.threads = 64, .registers = 8, .launches = 1};
	const struct device_info whole = {.most_threads = 2048,
					  .most_blocks = 32,
					  .most_registers = 65536,
					  .most_shared = 102400};
	struct device_info info = whole;

	assert_true(occupancy_of(&info, &shape).fraction == 1);
	assert_true(occupancy_of(&info, &shape).waves == 0);
	info.most_threads = 0;
	assert_true(occupancy_of(&info, &shape).fraction == 0);
	info = whole;
	info.most_blocks = 0;
	assert_true(occupancy_of(&info, &shape).fraction == 0);
	info = whole;
	info.most_registers = 0;
	assert_true(occupancy_of(&info, &shape).fraction == 0);
	info = whole;
	info.most_shared = 0;
	assert_true(occupancy_of(&info, &shape).fraction == 0);
}
