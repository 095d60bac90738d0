/* SPDX-License-Identifier: MIT */
/* Devices as the driver describes them. */
#ifndef KTIME_TESTS_UNIT_DEVICES_H
#define KTIME_TESTS_UNIT_DEVICES_H

/* What peaks and occupancy of an H200 follow from, in struct device_info. */
#define DEVICES_H200                                                                               \
	.compute_capability = 90, .multiprocessors = 132, .clock_khz = 1980000,                    \
	.memory_clock_khz = 3201000, .bus_bits = 6144, .l2_bytes = 62914560, .ecc = ECC_ON,        \
	.most_threads = 2048, .most_blocks = 32, .most_registers = 65536, .most_shared = 233472,   \
	.reserved_shared = 1024, .pcie_generation = 5, .pcie_lanes = 16

#endif
