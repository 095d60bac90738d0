/* SPDX-License-Identifier: MIT */
/* Peaks of well-known devices, occupancy, and rates of rows, in exact figures. */
#include <math.h>

#include "report/rates/rates.h"
#include "tests/unit/devices.h"
#include "tests/unit/test.h"

static const struct device_info h200 = {DEVICES_H200};

static void is_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-3 * fabs(expected))
		fail_msg("%.6g, expected %.6g", value, expected);
}

TEST(theoretical_bandwidths_are_those_of_the_data_sheets)
{
	/* The figures of Harris's article and of the Best Practices Guide. */
	const struct device_info m2050 = {.memory_clock_khz = 1546000, .bus_bits = 384};
	const struct device_info v100 = {.memory_clock_khz = 877000, .bus_bits = 4096};

	is_near(peaks_of(&m2050).dram, 148.4);
	is_near(peaks_of(&v100).dram, 898.0);
	is_near(peaks_of(&v100).dram * 1e9 / (1 << 30), 836.4);
	is_near(peaks_of(&h200).dram, 4916.7);
}

TEST(peaks_of_a_product_are_those_of_its_white_paper)
{
	static const struct {
		uint32_t compute_capability, multiprocessors, clock_khz;
		double fp32, fp64, fp16;
	} products[] = {
		{70, 80, 1530000, 15667, 7834, 125338},	     /* V100 SXM2 */
		{75, 40, 1590000, 8141, 254.4, 65126},	     /* T4 */
		{80, 108, 1410000, 19492, 9746, 311869},     /* A100 */
		{86, 84, 1740000, 37417, 584.6, 149668},     /* A40 */
		{89, 142, 2520000, 91607, 1431, 366428},     /* L40S */
		{90, 132, 1830000, 61839, 30920, 989430},    /* H100 SXM, at its boost clock */
		{120, 170, 2407000, 104754, 1636.8, 419015}, /* RTX 5090 */
	};

	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		struct device_info device = {
			.compute_capability = products[i].compute_capability,
			.multiprocessors = products[i].multiprocessors,
			.clock_khz = products[i].clock_khz,
		};
		struct peaks peaks = peaks_of(&device);

		is_near(peaks.flops[PRECISION_FP32], products[i].fp32);
		is_near(peaks.flops[PRECISION_FP64], products[i].fp64);
		is_near(peaks.flops[PRECISION_FP16], products[i].fp16);
	}
}

/* Results per clock and multiprocessor, as the CUDA Programming Guide has them. */
TEST(each_compute_capability_has_its_throughput)
{
	static const struct {
		uint32_t compute_capability;
		double fp32, fp64, fp16;
	} devices[] = {
		{30, 192, 8, 0},    {32, 192, 8, 0},	 {35, 192, 64, 0},     {37, 192, 64, 0},
		{50, 128, 4, 0},    {52, 128, 4, 0},	 {53, 128, 4, 0},      {60, 64, 32, 0},
		{61, 128, 4, 0},    {62, 128, 4, 0},	 {70, 64, 32, 512},    {72, 64, 32, 512},
		{75, 64, 2, 512},   {80, 64, 32, 1024},	 {86, 128, 2, 512},    {87, 128, 2, 1024},
		{89, 128, 2, 512},  {90, 128, 64, 2048}, {100, 128, 64, 4096}, {103, 128, 2, 4096},
		{120, 128, 2, 512}, {121, 128, 2, 512},
	};

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		/* One multiprocessor at 1 GHz; a multiply-add is two operations. */
		struct peaks peaks = peaks_of(&(struct device_info){
			.compute_capability = devices[i].compute_capability,
			.multiprocessors = 1,
			.clock_khz = 1000000,
		});

		assert_true(peaks.flops[PRECISION_FP32] == 2 * devices[i].fp32);
		assert_true(peaks.flops[PRECISION_FP64] == 2 * devices[i].fp64);
		assert_true(peaks.flops[PRECISION_FP16] == 2 * devices[i].fp16);
	}
}

TEST(each_generation_of_pcie_has_its_rate)
{
	static const double lanes[] = {0.25, 0.5, 0.9846, 1.9692, 3.9385, 7.5625};

	for (uint32_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); i++) {
		struct device_info device = {.pcie_generation = i + 1, .pcie_lanes = 8};

		assert_true(peaks_of(&device).host == 8 * lanes[i]);
	}
	assert_true(peaks_of(&(struct device_info){.pcie_generation = 7, .pcie_lanes = 8}).host ==
		    0);
}

TEST(memory_is_told_by_its_bus)
{
	struct device_info device = {.ecc = ECC_ON, .bus_bits = 1023};

	assert_int_equal(memory_type_of(&device), MEMORY_TYPE_GDDR);
	assert_non_null(strstr(ecc_text(&device), "GDDR"));
	device.bus_bits = 1024;
	assert_int_equal(memory_type_of(&device), MEMORY_TYPE_HBM);
	assert_non_null(strstr(ecc_text(&device), "HBM"));
	device.ecc = ECC_OFF;
	assert_string_equal(ecc_text(&device), "off");
	device.ecc = ECC_UNKNOWN;
	assert_string_equal(ecc_text(&device), "unknown");
	device = (struct device_info){.ecc = ECC_ON};
	assert_int_equal(memory_type_of(&device), MEMORY_TYPE_UNKNOWN);
	assert_string_equal(ecc_text(&device), "on; its cost is unknown");
	device.integrated = 1;
	assert_int_equal(memory_type_of(&device), MEMORY_TYPE_LPDDR);
}

TEST(what_the_table_does_not_have_is_unknown)
{
	struct device_info device = h200;
	struct peaks peaks;
	char text[64];

	device.compute_capability = 130;
	device.pcie_generation = 7;
	device.memory_clock_khz = 0;
	peaks = peaks_of(&device);
	assert_true(peaks.flops[PRECISION_FP32] == 0 && peaks.dram == 0 && peaks.host == 0);
	assert_string_equal(host_link_text(&device, text, sizeof(text)), "unknown");
	device.compute_capability = 61;
	peaks = peaks_of(&device);
	assert_true(peaks.flops[PRECISION_FP32] > 0 && peaks.flops[PRECISION_FP16] == 0);
}

TEST(links_are_told_apart)
{
	struct device_info device = h200;
	char text[64];

	is_near(peaks_of(&device).host, 63.015);
	assert_string_equal(host_link_text(&device, text, sizeof(text)), "PCIe 5 x16");
	device.pcie_generation = 3;
	is_near(peaks_of(&device).host, 15.754);
	device.nvlink_links = 18;
	device.nvlink_mbps = 26562;
	is_near(peaks_of(&device).nvlink, 478.1);
	/* A Grace Hopper whose NVML does not say more has not a PCIe device's link. */
	device.coherent = 1;
	assert_true(peaks_of(&device).host == 0);
	device.c2c_mbps = 450000;
	is_near(peaks_of(&device).host, 450);
	assert_string_equal(host_link_text(&device, text, sizeof(text)), "NVLink-C2C");
	device.integrated = 1;
	assert_string_equal(host_link_text(&device, text, sizeof(text)), "shared memory");
}

TEST(ecc_costs_gddr_memory_and_bandwidth)
{
	struct device_info device = {.bus_bits = 384, .ecc = ECC_ON};

	assert_string_equal(ecc_text(&device),
			    "on; costs 6 % of the memory and some 20 % of the bandwidth (GDDR)");
	device.ecc = ECC_OFF;
	assert_string_equal(ecc_text(&device), "off");
	device.ecc = ECC_UNKNOWN;
	assert_string_equal(ecc_text(&device), "unknown");
	assert_string_equal(ecc_text(&h200), "on; costs nothing (HBM has bits of its own for it)");
	device = (struct device_info){.ecc = ECC_ON};
	assert_string_equal(ecc_text(&device), "on; its cost is unknown");
}

TEST(occupancy_is_what_has_room)
{
	static const struct {
		struct launch_shape shape;
		double percent;
		enum occupancy_limit limit;
	} cases[] = {
		{{.threads = 256, .registers = 16}, 100, OCCUPANCY_BY_NONE},
		{{.threads = 1024, .registers = 32}, 100, OCCUPANCY_BY_NONE},
		/* 2048 threads of 33 registers: 40 a thread, 12 warps a quarter, 6 blocks. */
		{{.threads = 256, .registers = 33}, 75, OCCUPANCY_BY_REGISTERS},
		{{.threads = 256, .registers = 255}, 12.5, OCCUPANCY_BY_REGISTERS},
		{{.threads = 32, .registers = 16}, 50, OCCUPANCY_BY_BLOCKS},
		{{.threads = 768, .registers = 16}, 75, OCCUPANCY_BY_WARPS},
		{{.threads = 33, .registers = 16}, 100, OCCUPANCY_BY_NONE},
		/* 227 KB and the driver's 1 KB are all of a multiprocessor's 228 KB. */
		{{.threads = 256, .registers = 16, .shared = 227 * 1024},
		 12.5,
		 OCCUPANCY_BY_SHARED},
		{{.threads = 256, .registers = 16, .shared = 48 * 1024}, 50, OCCUPANCY_BY_SHARED},
	};
	struct launch_shape shape = {
		.threads = 256, .registers = 16, .launches = 2, .blocks = 2 * 2640};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct occupancy occupancy = occupancy_of(&h200, &cases[i].shape);

		is_near(100 * occupancy.fraction, cases[i].percent);
		assert_int_equal(occupancy.limit, cases[i].limit);
	}
	is_near(occupancy_of(&h200, &shape).waves, 2.5);
	/* More than there is room for, and a device of which nothing is known. */
	shape.shared = 300 * 1024;
	assert_true(occupancy_of(&h200, &shape).fraction == 0);
	assert_true(occupancy_of(&(struct device_info){0}, &cases[0].shape).fraction == 0);
}

static struct row row;

static void start_row(enum row_kind kind)
{
	row = (struct row){.kind = kind};
}

static void add_call(uint64_t size, uint64_t nanoseconds)
{
	row.cupti.count++;
	row.cupti.total += nanoseconds;
	figure_least(&row.cupti.minimum, &row.cupti.known, nanoseconds);
	if (nanoseconds > row.cupti.maximum)
		row.cupti.maximum = nanoseconds;
	session_add_size(&row.cupti, size, nanoseconds);
}

static struct row_rates rates(const char *name, const struct row_work *work)
{
	struct timed_row timed = {.row = &row,
				  .figures = &row.cupti,
				  .total = (double)row.cupti.total,
				  .calls = row.cupti.count};

	return rates_of(&timed, name, work, &h200);
}

TEST(copies_have_least_average_and_most)
{
	static const struct row_work none;
	struct row_rates of_row;

	start_row(ROW_MEMCPY);
	add_call(1000000, 100000); /* 10 GB/s */
	add_call(4000000, 100000); /* 40 */
	add_call(6000000, 200000); /* 30 */
	of_row = rates("[CUDA memcpy HtoD]", &none);
	assert_int_equal(of_row.bytes, 11000000);
	is_near(of_row.bandwidth.average, 27.5);
	is_near(of_row.bandwidth.minimum, 10);
	is_near(of_row.bandwidth.maximum, 40);
	is_near(of_row.bandwidth_percent, 100 * 27.5 / 63.016);
}

TEST(a_copy_within_the_device_counts_once_and_its_percentage_twice)
{
	static const struct row_work none;
	struct row_rates of_row;
	char text[64];

	start_row(ROW_MEMCPY);
	add_call(1 << 30, 1 << 19); /* 2048 GB/s */
	of_row = rates("[CUDA memcpy DtoD]", &none);
	is_near(of_row.bandwidth.average, 2048);
	is_near(of_row.bandwidth_percent, 100 * 4096 / 4916.7);
	assert_string_equal(peak_text(of_row.peak_kind, &h200, text, sizeof(text)),
			    "DRAM, read + write");
	/* 40 MB read and 40 written do not fit L2, 30 and 30 do. */
	start_row(ROW_MEMCPY);
	add_call(40000000, 20000);
	assert_int_equal(rates("[CUDA memcpy DtoD]", &none).remark, REMARK_NONE);
	start_row(ROW_MEMCPY);
	add_call(30000000, 10000);
	of_row = rates("[CUDA memcpy DtoD]", &none);
	assert_int_equal(of_row.remark, REMARK_FITS_L2);
	assert_true(of_row.bandwidth_percent == 0);
}

TEST(a_kernel_is_bound_by_what_it_needs_more_of)
{
	struct declared_work bytes = {.kind = DECLARED_BYTES, .amount = 12, .per_thread = true};
	struct declared_work flops = {.kind = DECLARED_FLOPS, .amount = 2, .per_thread = true};
	struct row_work work = {.bytes = &bytes, .flops = &flops};
	struct row_rates of_row;

	start_row(ROW_KERNEL);
	add_call(100000000, 300000);
	add_call(100000000, 500000);
	of_row = rates("saxpy", &work);
	is_near(of_row.bandwidth.average, 3000);
	is_near(of_row.bandwidth.minimum, 2400);
	is_near(of_row.bandwidth.maximum, 4000);
	is_near(of_row.bandwidth_percent, 61.02);
	is_near(of_row.flops.average, 500);
	is_near(of_row.bytes_per_flop, 6);
	is_near(of_row.balance, 0.07348);
	assert_int_equal(of_row.bound, BOUND_MEMORY);
	flops.amount = 200; /* 0.06 bytes per FLOP */
	assert_int_equal(rates("saxpy", &work).bound, BOUND_COMPUTE);
	/* FP64 has half the peak, and so twice the balance. */
	flops.amount = 100;
	assert_int_equal(rates("saxpy", &work).bound, BOUND_MEMORY);
	flops.precision = PRECISION_FP64;
	assert_int_equal(rates("saxpy", &work).bound, BOUND_COMPUTE);
}

TEST(no_bound_is_claimed_within_l2_or_above_dram)
{
	struct declared_work bytes = {.kind = DECLARED_BYTES, .amount = 62914560};
	struct declared_work flops = {.kind = DECLARED_FLOPS, .amount = 1000000};
	struct row_work work = {.bytes = &bytes, .flops = &flops};
	struct row_rates of_row;

	start_row(ROW_KERNEL);
	add_call(1, 10000);
	of_row = rates("k", &work);
	assert_int_equal(of_row.remark, REMARK_FITS_L2);
	assert_int_equal(of_row.bound, BOUND_UNKNOWN);
	assert_true(of_row.bandwidth_percent == 0);
	is_near(of_row.bandwidth.average, 6291.5);
	bytes.amount = 62914561;
	of_row = rates("k", &work);
	assert_int_equal(of_row.remark, REMARK_ABOVE);
	assert_int_equal(of_row.bound, BOUND_UNKNOWN);
	is_near(of_row.bandwidth_percent, 127.96);
}

TEST(work_of_a_launch_needs_no_threads)
{
	struct declared_work bytes = {.kind = DECLARED_BYTES, .amount = 12, .per_thread = true};
	struct declared_work unit = {.kind = DECLARED_WORK, .amount = 1e6, .unit = "updates"};
	struct row_work work = {.bytes = &bytes, .units = {&unit}};
	struct row_rates of_row;

	start_row(ROW_KERNEL);
	add_call(0, 1000);
	add_call(0, 3000);
	of_row = rates("k", &work);
	is_near(of_row.units[0].average, 500);
	is_near(of_row.units[0].minimum, 1e6 / 3000);
	is_near(of_row.units[0].maximum, 1000);
	assert_int_equal(of_row.remark, REMARK_NO_THREADS);
	assert_true(of_row.bandwidth.average == 0);
}

TEST(a_row_keeps_the_first_shapes)
{
	start_row(ROW_KERNEL);
	for (uint32_t threads = 32; threads <= 32 * 6; threads += 32) {
		session_add_shape(&row, &(struct launch_shape){threads, 16, 0, 0, 1, 10});
		session_add_shape(&row, &(struct launch_shape){threads, 16, 0, 0, 1, 20});
	}
	for (int i = 0; i < ROW_SHAPES; i++) {
		assert_int_equal(row.shapes[i].threads, 32 * (i + 1));
		assert_int_equal(row.shapes[i].launches, 2);
		assert_int_equal(row.shapes[i].blocks, 30);
	}
}
