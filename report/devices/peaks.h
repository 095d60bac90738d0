/* SPDX-License-Identifier: MIT */
/* What a device can do at most, from what a profile knows of it. Pure functions, on any thread. */
#ifndef KTIME_REPORT_DEVICES_PEAKS_H
#define KTIME_REPORT_DEVICES_PEAKS_H

#include <stddef.h>

#include "report/session/session.h"

/* Of floating-point operations. FP16: on tensor cores, of dense matrices. */
enum precision { PRECISION_FP32, PRECISION_FP64, PRECISION_FP16, PRECISION_COUNT };
/* "FP32" … */
extern const char *const precision_names[];

/* What a device's memory and the host's are joined by. */
enum host_link { HOST_LINK_UNKNOWN, HOST_LINK_PCIE, HOST_LINK_C2C, HOST_LINK_SHARED };

/* GB/s are 10^9 bytes/s, GFLOP/s 10^9 operations/s; 0: not known. */
struct peaks {
	double dram;		       /* memory clock x 2 x bus width / 8: DDR */
	double flops[PRECISION_COUNT]; /* at the highest clock, a multiply-add being two */
	enum host_link host_link;
	double host;   /* in one direction, without the protocol's share */
	double nvlink; /* all links, in one direction */
};
struct peaks peaks_of(const struct device_info *info);

/* "PCIe 5 x16", "NVLink-C2C", "shared memory", "unknown"; in the buffer, or a constant. */
const char *host_link_text(const struct device_info *info, char *text, size_t size);

/* HBM by the width of its bus; else GDDR or, if it is the host's memory too, LPDDR. */
enum memory_type { MEMORY_TYPE_UNKNOWN, MEMORY_TYPE_GDDR, MEMORY_TYPE_HBM, MEMORY_TYPE_LPDDR };
enum memory_type memory_type_of(const struct device_info *info);
/* One line on whether ECC is on, and what it takes. */
const char *ecc_text(const struct device_info *info);

/* How many warps of a kernel a multiprocessor can hold at once. */
#define OCCUPANCY_LIMITS(X)                                                                        \
	X(NONE, "")                                                                                \
	X(WARPS, "warps")                                                                          \
	X(BLOCKS, "blocks")                                                                        \
	X(REGISTERS, "registers")                                                                  \
	X(SHARED, "shared memory")
#define OCCUPANCY_LIMIT_ENUM(name, text) OCCUPANCY_BY_##name,
enum occupancy_limit { OCCUPANCY_LIMITS(OCCUPANCY_LIMIT_ENUM) OCCUPANCY_LIMIT_COUNT };
#undef OCCUPANCY_LIMIT_ENUM
extern const char *const occupancy_limit_texts[];

struct occupancy {
	double fraction; /* of the warps that a multiprocessor has room for; 0: not known */
	double waves;	 /* blocks of a launch over those that the whole device holds at once */
	enum occupancy_limit limit; /* what keeps it from more */
};
struct occupancy occupancy_of(const struct device_info *info, const struct launch_shape *shape);

#endif
