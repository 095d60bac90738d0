/* SPDX-License-Identifier: MIT */
#include "cupti/profiler/profiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/library.h"
#include "cupti/profiler/api.h"

/* CUpti_ProfilerType. */
#define RANGE_PROFILER 0
#define HOST_LIBRARY   "libnvperf_host.so"

struct profiler_device {
	const char **names;
	size_t count;
	bool kernel_replay;
	uint8_t *availability;
	void *host; /* of the Profiler Host API */
	uint8_t *config;
	size_t config_size, passes;
	uint8_t *fresh; /* an image without counters */
	size_t image_size;
	void *range; /* of the Range Profiler, from profiler_begin() to profiler_end() */
};

static struct {
#define FUNCTION(name, type, last) CUptiResult (*name)(struct type *);
	PROFILER_FUNCTIONS(FUNCTION)
#undef FUNCTION
} functions;

/* The last function that failed, and what it returned. */
static struct {
	const char *call;
	CUptiResult result;
} failure;

/* Calls a function with its structure, whose size is that up to the last member that ktime knows.
 */
#define FUNCTION(function, type, last)                                                             \
	static bool call_##function(struct type *parameters)                                       \
	{                                                                                          \
		CUptiResult result;                                                                \
                                                                                                   \
		parameters->size = offsetof(struct type, last) + sizeof(parameters->last);         \
		result = functions.function(parameters);                                           \
		if (result == CUPTI_SUCCESS)                                                       \
			return true;                                                               \
		failure.call = #function;                                                          \
		failure.result = result;                                                           \
		return false;                                                                      \
	}
PROFILER_FUNCTIONS(FUNCTION)
#undef FUNCTION

/*
 * libcupti opens libnvperf_host by its bare name, which finds it beside libcupti only where the
 * loader searches there; one that is loaded already is found in any case.
 */
static bool load_host_library(void)
{
	const char *path = library_path(), *end = strrchr(path, '/');
	char *beside = NULL;
	void *handle = NULL;

	if (end && asprintf(&beside, "%.*s/" HOST_LIBRARY, (int)(end - path), path) >= 0)
		handle = dlopen(beside, RTLD_NOW | RTLD_LOCAL);
	if (end)
		free(beside);
	if (!handle)
		handle = dlopen(HOST_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		dlerror(); /* the program's next call must not return this failure */
	return handle;
}

int profiler_load(int driver_version, char *reason, size_t size)
{
	int error = library_load(driver_version, reason, size);
	const char *missing = NULL;
	void *handle;

	if (error)
		return error;
	handle = dlopen(library_path(), RTLD_NOW | RTLD_NOLOAD);
	if (!handle)
		missing = "functions";
#define FUNCTION(name, type, last)                                                                 \
	if (!missing) {                                                                            \
		functions.name = (CUptiResult(*)(struct type *))library_symbol(handle, #name);     \
		missing = functions.name ? NULL : #name;                                           \
	}
	PROFILER_FUNCTIONS(FUNCTION)
#undef FUNCTION
	if (missing) {
		dlerror();
		snprintf(reason, size, "%s has no %s: install CUPTI of CUDA 12.6 or later",
			 library_path(), missing);
		return -ENOSYS;
	}
	if (load_host_library())
		return 0;
	snprintf(reason, size,
		 HOST_LIBRARY " is not beside %s: install the whole of CUPTI (cuda-cupti, or the"
			      " Python package nvidia-cuda-cupti)",
		 library_path());
	return -ENOENT;
}

void profiler_reason(char *reason, size_t size)
{
	const struct cupti_functions *cupti = library_functions();
	const char *name = NULL, *advice;

	if (!cupti || cupti->cuptiGetResultString(failure.result, &name) || !name)
		name = "an unknown error";
	switch (failure.result) {
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
		advice = "the driver lets only administrators read counters (ERR_NVGPUCTRPERM):"
			 " run as root, or have the driver loaded with"
			 " NVreg_RestrictProfilingToAdminUsers=0";
		break;
	case CUPTI_ERROR_HARDWARE_BUSY:
		advice = "something else holds the counters: stop ncu or another profiler, or let"
			 " DCGM give them back (dcgmi profile --pause)";
		break;
	case CUPTI_ERROR_INVALID_METRIC_NAME:
		advice = "this device has no such counter";
		break;
	default:
		advice = "the counters of this device cannot be read";
		break;
	}
	snprintf(reason, size, "%s (%s, %s)", advice, failure.call ? failure.call : "CUPTI", name);
}

static bool get_availability(struct profiler_device *device, CUcontext context)
{
	struct profiler_availability availability = {.context = context};

	if (!call_cuptiProfilerGetCounterAvailability(&availability))
		return false;
	device->availability = calloc(1, availability.image_size);
	availability.image = device->availability;
	return device->availability && call_cuptiProfilerGetCounterAvailability(&availability);
}

/* Which of the counters a device does not have, where adding all of them failed. */
static const char *unknown_counter(struct profiler_device *device)
{
	for (size_t i = 0; i < device->count; i++) {
		struct profiler_host_add add = {
			.host = device->host, .names = &device->names[i], .count = 1};

		if (!call_cuptiProfilerHostConfigAddMetrics(&add))
			return device->names[i];
	}
	return NULL;
}

static bool configure(struct profiler_device *device, const char *chip, const char **unknown)
{
	struct profiler_host_initialize initialize = {
		.type = RANGE_PROFILER, .chip = chip, .availability = device->availability};
	struct profiler_host_add add = {.names = device->names, .count = device->count};
	struct profiler_host_config_size size = {.config_size = 0};
	struct profiler_host_config config = {.config_size = 0};
	struct profiler_host_passes passes = {.config_size = 0};

	if (!call_cuptiProfilerHostInitialize(&initialize))
		return false;
	device->host = add.host = size.host = config.host = initialize.host;
	if (!call_cuptiProfilerHostConfigAddMetrics(&add)) {
		*unknown = unknown_counter(device);
		return false;
	}
	if (!call_cuptiProfilerHostGetConfigImageSize(&size))
		return false;
	device->config = calloc(1, size.config_size);
	device->config_size = config.config_size = passes.config_size = size.config_size;
	config.config = passes.config = device->config;
	if (!device->config || !call_cuptiProfilerHostGetConfigImage(&config) ||
	    !call_cuptiProfilerHostGetNumOfPasses(&passes))
		return false;
	device->passes = passes.passes;
	return device->passes > 0;
}

static bool enable(struct profiler_device *device, CUcontext context)
{
	struct profiler_range_enable parameters = {.context = context};

	if (!call_cuptiRangeProfilerEnable(&parameters))
		return false;
	device->range = parameters.object;
	return true;
}

/* Ends the Range Profiler. Each launch has one of its own, as none can be configured again after
 * its first start, and those of two contexts exclude each other. */
static bool disable(struct profiler_device *device)
{
	struct profiler_range parameters = {.object = device->range};

	device->range = NULL;
	return call_cuptiRangeProfilerDisable(&parameters);
}

/* Makes an image without counters. CUPTI initializes an image for the size that it was asked for
 * last, so both are done here. */
static bool make_image(struct profiler_device *device, CUcontext context)
{
	struct profiler_range_image_size size = {
		.names = device->names, .count = device->count, .most_ranges = 1, .most_nodes = 1};
	struct profiler_range_image image = {.image_size = 0};
	bool made = false;

	if (!enable(device, context))
		return false;
	size.object = image.object = device->range;
	if (call_cuptiRangeProfilerGetCounterDataSize(&size)) {
		device->image_size = image.image_size = size.image_size;
		device->fresh = image.image = calloc(1, size.image_size);
		made = device->fresh && call_cuptiRangeProfilerCounterDataImageInitialize(&image);
	}
	return disable(device) && made;
}

static void free_device(struct profiler_device *device)
{
	/* CUPTI's host object is not freed; this happens at most once, as after a failure no other
	 * device is planned. */
	free(device->availability);
	free(device->config);
	free(device->fresh);
	free(device);
}

int profiler_plan(struct profiler_device **planned, CUcontext context, int ordinal,
		  const char **names, size_t count, bool kernel_replay, char *reason, size_t size)
{
	struct profiler_device *device = calloc(1, sizeof(*device));
	struct profiler_initialize initialize = {.size = 0};
	struct profiler_chip_name chip = {.device = (size_t)ordinal};
	const char *unknown = NULL;

	if (!device) {
		snprintf(reason, size, "no memory");
		return -ENOMEM;
	}
	*device = (struct profiler_device){
		.names = names, .count = count, .kernel_replay = kernel_replay};
	if (call_cuptiProfilerInitialize(&initialize) && call_cuptiDeviceGetChipName(&chip) &&
	    get_availability(device, context) && configure(device, chip.name, &unknown) &&
	    make_image(device, context)) {
		*planned = device;
		return 0;
	}
	if (unknown)
		snprintf(reason, size, "%s has no counter %s (ncu --query-metrics lists them)",
			 chip.name, unknown);
	else
		profiler_reason(reason, size);
	free_device(device);
	return -EIO;
}

size_t profiler_config_passes(const struct profiler_device *device)
{
	return device->passes;
}

size_t profiler_passes(const struct profiler_device *device)
{
	return device->kernel_replay ? 1 : device->passes;
}

size_t profiler_image_size(const struct profiler_device *device)
{
	return device->image_size;
}

void profiler_image_clear(const struct profiler_device *device, uint8_t *image)
{
	memcpy(image, device->fresh, device->image_size);
}

int profiler_begin(struct profiler_device *device, CUcontext context, uint8_t *image, size_t pass)
{
	/* CUPTI makes a range of each kernel, and there is one kernel. Ranges that the caller
	 * begins and ends would be longer than it: by 20 to 250 us at a kernel of 234 us. */
	struct profiler_range_configure configure = {
		.config_size = device->config_size,
		.config = device->config,
		.image_size = device->image_size,
		.image = image,
		.range = PROFILER_AUTO_RANGE,
		.replay = device->kernel_replay ? PROFILER_KERNEL_REPLAY : PROFILER_USER_REPLAY,
		.most_ranges = 1,
		.levels = 1,
		.first_level = 1,
		.pass = pass,
		.level = 1,
	};
	struct profiler_range start;

	if (!enable(device, context))
		return -EIO;
	configure.object = device->range;
	start = (struct profiler_range){.object = device->range};
	if (call_cuptiRangeProfilerSetConfig(&configure) && call_cuptiRangeProfilerStart(&start))
		return 0;
	disable(device);
	return -EIO;
}

int profiler_end(struct profiler_device *device)
{
	struct profiler_range_stop stop = {.object = device->range};
	struct profiler_range_decode decode = {.object = device->range};
	bool read =
		call_cuptiRangeProfilerStop(&stop) && call_cuptiRangeProfilerDecodeData(&decode);

	return disable(device) && read && decode.dropped == 0 ? 0 : -EIO;
}

int profiler_values(struct profiler_device *device, const uint8_t *image, double *values)
{
	struct profiler_host_evaluate evaluate = {
		.host = device->host,
		.image = image,
		.image_size = device->image_size,
		.names = device->names,
		.count = device->count,
		.values = values,
	};

	return call_cuptiProfilerHostEvaluateToGpuValues(&evaluate) ? 0 : -EIO;
}
