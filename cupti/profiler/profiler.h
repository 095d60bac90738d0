/* SPDX-License-Identifier: MIT */
/*
 * Reading hardware counters of single launches with CUPTI's Range Profiler. The hardware can
 * collect only some counters at a time: a pass. Each launch collects one pass, or CUPTI runs the
 * launch once for each pass (kernel replay). An image is CUPTI's binary buffer of collected counter
 * values.
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
 * Plans how to collect the counters on a device, whose `context` must be current. `names` are not
 * copied and must stay valid. Takes 0.2 to 0.7 s. 0, -ENOMEM, or -EIO with one line for the user in
 * `reason`. `*device` is never freed.
 */
int profiler_plan(struct profiler_device **device, CUcontext context, int ordinal,
		  const char **names, size_t count, bool kernel_replay, char *reason, size_t size);

/* The number of passes that the counters need; the number of launches that it takes to collect
 * them, which is 1 with kernel replay; and the size of their image in bytes. */
size_t profiler_config_passes(const struct profiler_device *device);
size_t profiler_passes(const struct profiler_device *device);
size_t profiler_image_size(const struct profiler_device *device);
/* Makes an image that has no counters yet. */
void profiler_image_clear(const struct profiler_device *device, uint8_t *image);

/*
 * To be called before and after a launch in `context`, which must be current and have no work
 * queued. Collects `pass` into `image`. Together they take 0.17 s (H200, CUPTI 13.0). 0 or -EIO. If
 * profiler_begin() fails, do not call profiler_end(); if profiler_end() fails, clear the image.
 */
int profiler_begin(struct profiler_device *device, CUcontext context, uint8_t *image, size_t pass);
int profiler_end(struct profiler_device *device);
/* Computes the counters' values from an image; NAN for those whose pass is missing. 0 or -EIO. */
int profiler_values(struct profiler_device *device, const uint8_t *image, double *values);

/* What the last call into CUPTI that failed means, and what the user can do. */
void profiler_reason(char *reason, size_t size);

#endif
