/* SPDX-License-Identifier: MIT */
/* The kinds of record that are simulated, and their layouts. */
#ifndef SIM_CUPTI_KINDS_H
#define SIM_CUPTI_KINDS_H

#include <cupti.h>

#define RECORD_KINDS(X)                                                                            \
	X(CONCURRENT_KERNEL, CUpti_ActivityKernel10)                                               \
	X(KERNEL, CUpti_ActivityKernel10)                                                          \
	X(MEMCPY, CUpti_ActivityMemcpy6)                                                           \
	X(MEMCPY2, CUpti_ActivityMemcpyPtoP4)                                                      \
	X(MEMSET, CUpti_ActivityMemset4)                                                           \
	X(GRAPH_TRACE, CUpti_ActivityGraphTrace2)                                                  \
	X(DRIVER, CUpti_ActivityAPI)                                                               \
	X(RUNTIME, CUpti_ActivityAPI)                                                              \
	X(OVERHEAD, CUpti_ActivityOverhead3)                                                       \
	X(UNIFIED_MEMORY_COUNTER, CUpti_ActivityUnifiedMemoryCounter3)

#endif
