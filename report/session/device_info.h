/* SPDX-License-Identifier: MIT */
/* What a profile knows of a device, of its energy and clocks while the program ran, and of how
 * launches fill its multiprocessors. */
#ifndef KTIME_REPORT_SESSION_DEVICE_INFO_H
#define KTIME_REPORT_SESSION_DEVICE_INFO_H

#include <stdint.h>

#include "report/session/figure.h"

/* Why a device's clocks are not the highest: NVML's clocks event reasons, which were called
 * throttle reasons. That it is idle (CLOCK_IDLE) is no such reason. X(name, NVML's bit, in JSON, in
 * words) */
#define CLOCK_REASONS(X)                                                                           \
	X(APPLICATION, 0x02, "applications_clocks_setting", "applications clocks setting")         \
	X(POWER_CAP, 0x04, "software_power_cap", "software power cap")                             \
	X(HARDWARE, 0x08, "hardware_slowdown", "hardware slowdown")                                \
	X(SYNC_BOOST, 0x10, "sync_boost", "sync boost")                                            \
	X(THERMAL, 0x20, "software_thermal_slowdown", "software thermal slowdown")                 \
	X(HARDWARE_THERMAL, 0x40, "hardware_thermal_slowdown", "hardware thermal slowdown")        \
	X(POWER_BRAKE, 0x80, "hardware_power_brake", "hardware power brake")                       \
	X(DISPLAY, 0x100, "display_clock_setting", "display clock setting")
#define CLOCK_REASON_ENUM(name, bit, key, text) CLOCK_REASON_##name,
enum clock_reason { CLOCK_REASONS(CLOCK_REASON_ENUM) CLOCK_REASON_COUNT };
#undef CLOCK_REASON_ENUM
#define CLOCK_IDLE 0x01

/* What became of reading a device's energy and clocks. X(name, why nothing is known) */
#define ENERGY_STATES(X)                                                                           \
	X(NOT_ASKED, "--energy was not given")                                                     \
	X(NO_LIBRARY, "libnvidia-ml.so.1 was not found, or is too old")                            \
	X(NO_THREAD, "the thread that reads them could not be started")                            \
	X(NO_ANSWER, "NVML did not answer")                                                        \
	X(NO_START, "NVML could not be initialised")                                               \
	X(UNKNOWN_DEVICE, "NVML does not know the device")                                         \
	X(MIG, "it is divided by MIG, and NVML tells them of the whole GPU alone")                 \
	X(READ, "NVML tells neither energy nor power of it")
#define ENERGY_STATE_ENUM(name, text) ENERGY_##name,
enum energy_state { ENERGY_STATES(ENERGY_STATE_ENUM) ENERGY_STATE_COUNT };
#undef ENERGY_STATE_ENUM

/* Where the energy is from: nowhere, the device's own sum, or the power, read every so often. */
enum energy_source { ENERGY_FROM_NOTHING, ENERGY_FROM_COUNTER, ENERGY_FROM_POWER };

/* A clock over the samples in which the device was not idle; the least and most are the run's. */
#define CLOCK_RANGE_FIGURES(X)                                                                     \
	X(clock_range, U64, samples, COUNT, SUM, SUBTRACT,                                         \
	  "with this clock; 0: the others say nothing")                                            \
	X(clock_range, U64, sum, MHZ, SUM, SUBTRACT, "of the clock in them")                       \
	X(clock_range, U32, minimum, MHZ, LEAST, LATER, "the lowest",                              \
	  IF_KNOWN(clock_range, MINIMUM))                                                          \
	X(clock_range, U32, maximum, MHZ, MOST, LATER, "the highest")

struct clock_range {
	CLOCK_RANGE_FIGURES(FIGURE_MEMBER)
	uint32_t known; /* enum figure_known */
};

/* What NVML said of a device while the program ran, whoever else used it. */
#define ENERGY_FIGURES(X)                                                                          \
	X(device_energy, U64, duration, NS, OWN, SUBTRACT,                                         \
	  "between the first and the last reading of the energy")                                  \
	X(device_energy, REAL, joules, JOULES, OWN, SUBTRACT, "in that time")                      \
	X(device_energy, U64, samples, COUNT, OWN, SUBTRACT, "of the clocks and of their reasons") \
	X(device_energy, U64, idle, COUNT, OWN, SUBTRACT, "of these, idle: in none of what follows")

struct device_energy {
	uint32_t state;	 /* enum energy_state */
	int32_t result;	 /* NVML's, where it refused; else 0 */
	uint32_t source; /* enum energy_source */
	uint32_t reserved0;
	ENERGY_FIGURES(FIGURE_MEMBER)
	struct clock_range sm, memory;
	uint64_t reasons[CLOCK_REASON_COUNT]; /* samples with the reason */
};

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

	struct device_energy energy;
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
