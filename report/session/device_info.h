/* SPDX-License-Identifier: MIT */
/* What a profile knows of a device, and of how launches fill its multiprocessors. */
#ifndef KTIME_REPORT_SESSION_DEVICE_INFO_H
#define KTIME_REPORT_SESSION_DEVICE_INFO_H

#include <stdint.h>

enum ecc_state { ECC_UNKNOWN, ECC_OFF, ECC_ON };

/* What is not known is 0. The peaks follow from it: report/devices/peaks.h. */
struct device_info {
	char name[64];
	uint8_t uuid[16];
	uint32_t used;		     /* 0: no operation ran there */
	uint32_t compute_capability; /* major * 10 + minor */
	uint64_t memory;	     /* bytes */

	/* By the driver or, where it says nothing, by NVML. */
	uint32_t multiprocessors;
	uint32_t clock_khz, memory_clock_khz; /* the highest */
	uint32_t bus_bits;		      /* width of the memory bus */
	uint32_t l2_bytes;
	uint32_t ecc;	     /* enum ecc_state */
	uint32_t integrated; /* 1: shares the host's memory */
	/* What a multiprocessor has room for. */
	uint32_t most_threads, most_blocks, most_registers, most_shared;
	uint32_t reserved_shared; /* bytes that the driver takes of each block's */

	/* By NVML. */
	uint32_t pcie_generation, pcie_lanes; /* the most that device and system can do */
	uint32_t nvlink_links;		      /* active ones, to other devices or a switch */
	uint32_t nvlink_mbps;		      /* 10^6 bytes/s of each, in one direction */
	uint32_t c2c_mbps; /* of all links to the host's processor, in one direction */
	uint32_t coherent; /* 1: the host's page tables are used, so that copies go by C2C */
};

/* Launches of a kernel that take the same room on a multiprocessor. */
struct launch_shape {
	uint32_t threads;   /* of a block; 0: not in use */
	uint32_t registers; /* of a thread */
	uint32_t shared;    /* bytes of a block, static and dynamic */
	uint32_t reserved;
	uint64_t launches;
	uint64_t blocks; /* of all these launches */
};
#define ROW_SHAPES 4

#endif
