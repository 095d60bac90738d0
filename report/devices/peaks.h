/* SPDX-License-Identifier: MIT */
/* What a device can do at most, from what a profile knows of it. Pure functions, on any thread. */
#ifndef KTIME_REPORT_DEVICES_PEAKS_H
#define KTIME_REPORT_DEVICES_PEAKS_H

#include <stddef.h>

#include "report/session/device_info.h"

/* Of floating-point operations. FP16: on tensor cores, of dense matrices. */
enum precision { PRECISION_FP32, PRECISION_FP64, PRECISION_FP16, PRECISION_COUNT };
/* "FP32" … */
const char *precision_name(enum precision precision);

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

/* "PCIe 5 x16", "NVLink-C2C", "shared memory", "unknown" */
const char *host_link_text(const struct device_info *info, char *text, size_t size);

/* HBM by the width of its bus; else GDDR or, if it is the host's memory too, LPDDR. */
enum memory_type { MEMORY_TYPE_UNKNOWN, MEMORY_TYPE_GDDR, MEMORY_TYPE_HBM, MEMORY_TYPE_LPDDR };
enum memory_type memory_type_of(const struct device_info *info);
/* One line on whether ECC is on, and what it takes. */
const char *ecc_text(const struct device_info *info);

#endif
