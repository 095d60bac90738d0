/* SPDX-License-Identifier: MIT */
/* What ktime does differently with one version of CUPTI than with another: one table. */
#ifndef KTIME_CUPTI_VERSIONS_H
#define KTIME_CUPTI_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The oldest CUPTI that ktime uses, by cuptiGetVersion(): of CUDA 11.8. */
#define CUPTI_OLDEST_VERSION 18
#define CUPTI_OLDEST_MAJOR   11

/* Those with which kernels can be turned off, for the user. */
#define CUPTI_THAT_PAUSES    "CUDA 12.4, or of 13.0 Update 1 or later"

struct cupti_version {
	/* The first of these versions, by cuptiGetVersion(); they end before the table's next. */
	uint32_t first;
	/* The kernel kind can be turned off while the program launches graphs. */
	bool pauses_kernels;
	/* Nodes of graphs can be recorded, as many as there are. */
	bool records_nodes;
	/* A request for a buffer may be refused. */
	bool takes_refusal;
	/* Each thread fills buffers of its own, unless an attribute says otherwise. */
	bool fills_by_thread;
	/* A subscriber of the V2 interface has activity kinds of its own, next to which the process
	 * has none. */
	bool subscribers_record;
};

/* What holds for a version; for one newer than all that were tried, what holds for the newest of
 * those. Any thread. */
const struct cupti_version *cupti_version_of(uint32_t version);
/* The major version of the CUDA that it is of. Any thread. */
int cupti_version_major(uint32_t version);

#endif
