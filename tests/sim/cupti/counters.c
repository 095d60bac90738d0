/* SPDX-License-Identifier: MIT */
/*
 * The Range Profiler and the Profiler Host API, as CUPTI 13.0 does on an H200 what ktime depends
 * on: a Range Profiler collects the pass that it was told of, of one kernel; a second one cannot be
 * started beside it; the counters of instructions (_sass_) need a pass of their own, and read 0
 * while kernels are recorded; a metric whose pass is missing is not a number.
 *
 * The counters: dram__bytes_read.sum is 8 a thread, dram__bytes_write.sum 4 a thread, per_second is
 * that by the kernel's duration; smsp__sass_… is 1 a thread; the others of dram__, sm__, smsp__,
 * l1tex__ and lts__ are 50.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/profiler/api.h"
#include "tests/sim/cupti/counters.h"
#include "tests/sim/cupti/record.h"
#include "tests/sim/cupti/state.h"
#include "tests/sim/driver/operation.h"

#define CUPTI_EXPORT __attribute__((visibility("default")))
#define CONFIG_MAGIC 0x636f6e66u
#define NAMES_MOST   256

struct host {
	bool instructions; /* a second pass is needed */
};

struct config {
	uint32_t magic, passes;
};

struct image {
	uint32_t ranges, passes; /* bits */
	double threads, nanoseconds, instructions;
};

struct range_profiler {
	CUcontext context;
	struct image *image;
	uint32_t passes;
	int replay;
	size_t pass;
	struct image seen; /* since the start */
};

static struct range_profiler *started;

CUptiResult counters_fault(const char *entry);

#define ENTRY(symbol, type)                                                                        \
	static CUptiResult do_##symbol(struct type *p);                                            \
	CUPTI_EXPORT CUptiResult symbol(struct type *p);                                           \
	CUptiResult symbol(struct type *p)                                                         \
	{                                                                                          \
		CUptiResult fault = counters_fault(#symbol);                                       \
                                                                                                   \
		return fault		? fault                                                    \
		       : !p || !p->size ? CUPTI_ERROR_INVALID_PARAMETER                            \
					: do_##symbol(p);                                          \
	}                                                                                          \
	static CUptiResult do_##symbol(struct type *p)

void counters_take(const struct sim_activity *activity)
{
	const struct operation *operation = activity->operation;
	double threads = 1;

	if (!started || operation->kind != OPERATION_KERNEL)
		return;
	for (int i = 0; i < 3; i++)
		threads *= (double)operation->u.launch.grid[i] * operation->u.launch.block[i];
	started->seen.ranges++;
	started->seen.threads = threads;
	started->seen.nanoseconds = (double)(activity->end_ns - activity->start_ns);
	started->seen.instructions = sim_cupti.kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] ||
						     sim_cupti.kinds[CUPTI_ACTIVITY_KIND_KERNEL]
					     ? 0
					     : threads;
}

ENTRY(cuptiProfilerInitialize, profiler_initialize)
{
	/* The hook is there once a kind is on or off. */
	(void)p;
	return record_enable(CUPTI_ACTIVITY_KIND_PREEMPTION, false);
}

ENTRY(cuptiDeviceGetChipName, profiler_chip_name)
{
	p->name = "GH100";
	return CUPTI_SUCCESS;
}

ENTRY(cuptiProfilerGetCounterAvailability, profiler_availability)
{
	if (p->image)
		memset(p->image, 1, p->image_size);
	p->image_size = 16;
	return CUPTI_SUCCESS;
}

ENTRY(cuptiProfilerHostInitialize, profiler_host_initialize)
{
	if (!p->chip || !p->availability || p->availability[0] != 1)
		return CUPTI_ERROR_INVALID_PARAMETER;
	p->host = calloc(1, sizeof(struct host));
	return CUPTI_SUCCESS;
}

static bool is_of_instructions(const char *name)
{
	return strstr(name, "_sass_");
}

ENTRY(cuptiProfilerHostConfigAddMetrics, profiler_host_add)
{
	static const char *const units[] = {"dram__", "sm__", "smsp__", "l1tex__", "lts__"};
	struct host *host = p->host;

	for (size_t i = 0; i < p->count; i++) {
		bool known = false;

		for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++)
			known = known || strncmp(p->names[i], units[j], strlen(units[j])) == 0;
		if (!known)
			return CUPTI_ERROR_INVALID_METRIC_NAME;
		host->instructions = host->instructions || is_of_instructions(p->names[i]);
	}
	return CUPTI_SUCCESS;
}

ENTRY(cuptiProfilerHostGetConfigImageSize, profiler_host_config_size)
{
	p->config_size = sizeof(struct config);
	return CUPTI_SUCCESS;
}

ENTRY(cuptiProfilerHostGetConfigImage, profiler_host_config)
{
	const struct host *host = p->host;
	struct config config = {CONFIG_MAGIC, host->instructions ? 2 : 1};

	memcpy(p->config, &config, sizeof(config));
	return CUPTI_SUCCESS;
}

ENTRY(cuptiProfilerHostGetNumOfPasses, profiler_host_passes)
{
	struct config config;

	memcpy(&config, p->config, sizeof(config));
	p->passes = config.passes;
	return CUPTI_SUCCESS;
}

static double value_of(const struct image *image, const char *name)
{
	unsigned pass = is_of_instructions(name) ? 1 : 0;
	double value = 50;

	if (!(image->passes >> pass & 1))
		return NAN;
	if (is_of_instructions(name))
		value = image->instructions;
	else if (strncmp(name, "dram__bytes_read", 16) == 0)
		value = 8 * image->threads;
	else if (strncmp(name, "dram__bytes_write", 17) == 0)
		value = 4 * image->threads;
	return strstr(name, ".per_second") ? value * 1e9 / image->nanoseconds : value;
}

ENTRY(cuptiProfilerHostEvaluateToGpuValues, profiler_host_evaluate)
{
	struct image image;

	memcpy(&image, p->image, sizeof(image));
	if (p->image_size != sizeof(image) || p->range >= image.ranges)
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (size_t i = 0; i < p->count; i++)
		p->values[i] = value_of(&image, p->names[i]);
	return CUPTI_SUCCESS;
}

ENTRY(cuptiRangeProfilerEnable, profiler_range_enable)
{
	struct range_profiler *range = calloc(1, sizeof(*range));

	if (!range)
		return CUPTI_ERROR_OUT_OF_MEMORY;
	range->context = p->context;
	p->object = range;
	return p->context ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

ENTRY(cuptiRangeProfilerGetCounterDataSize, profiler_range_image_size)
{
	if (p->count > NAMES_MOST || p->most_ranges != 1 || p->most_nodes < p->most_ranges)
		return CUPTI_ERROR_INVALID_PARAMETER;
	p->image_size = sizeof(struct image);
	return CUPTI_SUCCESS;
}

ENTRY(cuptiRangeProfilerCounterDataImageInitialize, profiler_range_image)
{
	if (p->image_size != sizeof(struct image))
		return CUPTI_ERROR_UNKNOWN;
	memset(p->image, 0, sizeof(struct image));
	return CUPTI_SUCCESS;
}

ENTRY(cuptiRangeProfilerSetConfig, profiler_range_configure)
{
	struct range_profiler *range = p->object;
	struct config config;

	memcpy(&config, p->config, sizeof(config));
	if (config.magic != CONFIG_MAGIC || p->image_size != sizeof(struct image) ||
	    p->range != PROFILER_AUTO_RANGE || p->pass >= config.passes)
		return CUPTI_ERROR_INVALID_PARAMETER;
	range->image = (struct image *)(void *)p->image;
	range->passes = config.passes;
	range->replay = p->replay;
	range->pass = p->pass;
	return CUPTI_SUCCESS;
}

ENTRY(cuptiRangeProfilerStart, profiler_range)
{
	struct range_profiler *range = p->object;

	if (started)
		return CUPTI_ERROR_HARDWARE_BUSY;
	if (!range->image)
		return CUPTI_ERROR_INVALID_OPERATION;
	range->seen = (struct image){0};
	started = range;
	return CUPTI_SUCCESS;
}

ENTRY(cuptiRangeProfilerStop, profiler_range_stop)
{
	struct range_profiler *range = p->object;

	if (started != range)
		return CUPTI_ERROR_INVALID_OPERATION;
	started = NULL;
	p->all_passes = range->replay == PROFILER_KERNEL_REPLAY || range->pass + 1 == range->passes;
	p->pass = p->all_passes ? 0 : range->pass + 1;
	return CUPTI_SUCCESS;
}

ENTRY(cuptiRangeProfilerDecodeData, profiler_range_decode)
{
	struct range_profiler *range = p->object;
	struct image *image = range->image;

	if (!image)
		return CUPTI_ERROR_INVALID_OPERATION;
	p->dropped = range->seen.ranges > 1 ? range->seen.ranges - 1 : 0;
	if (range->seen.ranges == 0)
		return CUPTI_SUCCESS;
	image->ranges = 1;
	image->passes |= range->replay == PROFILER_KERNEL_REPLAY ? (1u << range->passes) - 1
								 : 1u << range->pass;
	image->threads = range->seen.threads;
	image->nanoseconds = range->seen.nanoseconds;
	if (range->pass == 1 || range->replay == PROFILER_KERNEL_REPLAY)
		image->instructions = range->seen.instructions;
	return CUPTI_SUCCESS;
}

ENTRY(cuptiRangeProfilerDisable, profiler_range)
{
	if (started == p->object)
		started = NULL;
	free(p->object);
	return CUPTI_SUCCESS;
}
