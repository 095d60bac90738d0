/* SPDX-License-Identifier: MIT */
/*
 * Reading counters of single launches with CUPTI's Range Profiler. What the counters of one launch
 * can hold at a time is a pass; each launch collects one, or is run again for each (kernel replay).
 *
 * One thread at a time. No activity kind of kernels may be on from profiler_begin() to
 * profiler_end(): with one, the counters of instructions read 0 (CUPTI 13.0, driver 580).
 */
#ifndef KTIME_CUPTI_PROFILER_PROFILER_H
#define KTIME_CUPTI_PROFILER_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

struct profiler_device;

/* Finds libcupti, as library_load() does, the functions in it, and libnvperf_host beside it. 0, or
 * -errno with one line for the user in `reason`. Takes the loader's lock. */
int profiler_load(int driver_version, char *reason, size_t size);

/*
 * Plans how to collect the counters on a device, whose `context` is current; `names` stay the
 * caller's, and must last. Takes 0.2 to 0.7 s. 0, -ENOMEM, or -EIO with one line for the user in
 * `reason`. The device's plan is never freed.
 */
int profiler_plan(struct profiler_device **device, CUcontext context, int ordinal,
		  const char **names, size_t count, bool kernel_replay, char *reason, size_t size);

/* How many passes the counters take, and how many launches collect them; how large an image of them
 * is, bytes. */
size_t profiler_config_passes(const struct profiler_device *device);
size_t profiler_passes(const struct profiler_device *device);
size_t profiler_image_size(const struct profiler_device *device);
/* Makes an image that has no counters yet. */
void profiler_image_clear(const struct profiler_device *device, uint8_t *image);

/*
 * Before and after a launch in `context`, which is current; the context must have no work. `pass`
 * is collected into `image`. Together they take 0.17 s (H200, CUPTI 13.0). 0, or -EIO: then
 * profiler_end() is not to be called. -EIO of profiler_end(): the image is to be cleared.
 */
int profiler_begin(struct profiler_device *device, CUcontext context, uint8_t *image, size_t pass);
int profiler_end(struct profiler_device *device);
/* The counters' values by an image; NAN where a pass is missing. 0 or -EIO. */
int profiler_values(struct profiler_device *device, const uint8_t *image, double *values);

/* What the last call into CUPTI that failed means, and what the user can do. */
void profiler_reason(char *reason, size_t size);

#endif
