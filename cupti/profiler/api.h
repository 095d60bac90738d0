/* SPDX-License-Identifier: MIT */
/*
 * What ktime calls of CUPTI's Range Profiler and Profiler Host API. Declared by hand, because the
 * headers came with CUDA 12.6, and one of them is C++. Each function takes one structure, which
 * begins with its size, by which CUPTI knows its version.
 */
#ifndef KTIME_CUPTI_PROFILER_API_H
#define KTIME_CUPTI_PROFILER_API_H

#include <stddef.h>
#include <stdint.h>

#include <cupti.h>

#define PROFILER_HEAD                                                                              \
	size_t size;                                                                               \
	void *reserved

struct profiler_initialize {
	PROFILER_HEAD;
};

struct profiler_chip_name {
	PROFILER_HEAD;
	size_t device;
	const char *name; /* out */
};

struct profiler_availability {
	PROFILER_HEAD;
	CUcontext context;
	size_t image_size; /* in and out */
	uint8_t *image;	   /* NULL: the size is asked for */
};

/* The Profiler Host API: metrics in, configuration out; counters in, values out. */
struct profiler_host_initialize {
	PROFILER_HEAD;
	int type;
	const char *chip;
	const uint8_t *availability;
	void *host; /* out */
};

struct profiler_host_add {
	PROFILER_HEAD;
	void *host;
	const char **names;
	size_t count;
};

struct profiler_host_config_size {
	PROFILER_HEAD;
	void *host;
	size_t config_size; /* out */
};

struct profiler_host_config {
	PROFILER_HEAD;
	void *host;
	size_t config_size;
	uint8_t *config;
};

struct profiler_host_passes {
	PROFILER_HEAD;
	size_t config_size;
	uint8_t *config;
	size_t passes; /* out */
};

struct profiler_host_evaluate {
	PROFILER_HEAD;
	void *host;
	const uint8_t *image;
	size_t image_size;
	size_t range;
	const char **names;
	size_t count;
	double *values;
};

/* The Range Profiler. */
struct profiler_range {
	PROFILER_HEAD;
	void *object;
};

struct profiler_range_enable {
	PROFILER_HEAD;
	CUcontext context;
	void *object; /* out */
};

struct profiler_range_image_size {
	PROFILER_HEAD;
	void *object;
	const char **names;
	size_t count;
	size_t most_ranges;
	uint32_t most_nodes;
	size_t image_size; /* out */
};

struct profiler_range_image {
	PROFILER_HEAD;
	void *object;
	size_t image_size;
	uint8_t *image;
};

struct profiler_range_configure {
	PROFILER_HEAD;
	void *object;
	size_t config_size;
	const uint8_t *config;
	size_t image_size;
	uint8_t *image;
	int range;  /* enum profiler_range_mode */
	int replay; /* enum profiler_replay */
	size_t most_ranges;
	uint16_t levels, first_level;
	size_t pass;
	uint16_t level;
};

struct profiler_range_stop {
	PROFILER_HEAD;
	void *object;
	size_t pass, level; /* out: what the next launch collects */
	uint8_t all_passes; /* out: that was the last */
};

struct profiler_range_decode {
	PROFILER_HEAD;
	void *object;
	size_t dropped; /* out */
};

enum profiler_range_mode { PROFILER_AUTO_RANGE = 1 };
enum profiler_replay { PROFILER_KERNEL_REPLAY = 2, PROFILER_USER_REPLAY = 3 };

/* X(function, its structure, the structure's last member) */
#define PROFILER_FUNCTIONS(X)                                                                      \
	X(cuptiProfilerInitialize, profiler_initialize, reserved)                                  \
	X(cuptiDeviceGetChipName, profiler_chip_name, name)                                        \
	X(cuptiProfilerGetCounterAvailability, profiler_availability, image)                       \
	X(cuptiProfilerHostInitialize, profiler_host_initialize, host)                             \
	X(cuptiProfilerHostConfigAddMetrics, profiler_host_add, count)                             \
	X(cuptiProfilerHostGetConfigImageSize, profiler_host_config_size, config_size)             \
	X(cuptiProfilerHostGetConfigImage, profiler_host_config, config)                           \
	X(cuptiProfilerHostGetNumOfPasses, profiler_host_passes, passes)                           \
	X(cuptiProfilerHostEvaluateToGpuValues, profiler_host_evaluate, values)                    \
	X(cuptiRangeProfilerEnable, profiler_range_enable, object)                                 \
	X(cuptiRangeProfilerGetCounterDataSize, profiler_range_image_size, image_size)             \
	X(cuptiRangeProfilerCounterDataImageInitialize, profiler_range_image, image)               \
	X(cuptiRangeProfilerSetConfig, profiler_range_configure, level)                            \
	X(cuptiRangeProfilerStart, profiler_range, object)                                         \
	X(cuptiRangeProfilerStop, profiler_range_stop, all_passes)                                 \
	X(cuptiRangeProfilerDecodeData, profiler_range_decode, dropped)                            \
	X(cuptiRangeProfilerDisable, profiler_range, object)

#endif
