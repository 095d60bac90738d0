/* SPDX-License-Identifier: MIT */
/* The kernels whose counters are read, and the values so far. All functions but those that say
 * otherwise are for the caller of kernels_lock(). */
#ifndef KTIME_PRELOAD_METRICS_KERNELS_H
#define KTIME_PRELOAD_METRICS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/handles/operation.h"
#include "report/options/metrics.h"

/* Bounds memory: kernels on a device; counters of all metrics together. Chosen. */
#define KERNELS_MOST  1024
#define COUNTERS_MOST (METRIC_TERMS * METRICS_MOST)

struct metric_sum {
	uint64_t count;
	double minimum, maximum, total;
	struct metric_values *written; /* for the collector; NULL: not in the profile yet */
};

struct measured_kernel {
	struct operation *operation;
	int device;
	bool excluded;		  /* its name says that it waits for others */
	bool changed;		  /* since it was written */
	uint64_t sets;		  /* how often all passes were collected */
	CUcontext context;	  /* of the passes in `image` */
	size_t pass;		  /* the next one */
	uint8_t *image;		  /* NULL: none has been collected */
	struct metric_sum sums[]; /* one for each metric */
};

void kernels_lock(void);
void kernels_unlock(void);
/* A kernel on a device, added if it is new; NULL if there is no room. `metrics`: how many. */
struct measured_kernel *kernels_find(struct operation *operation, int device, size_t metrics);
/* By its place; NULL past the last. */
struct measured_kernel *kernels_at(size_t index);
/* Adds the values of one set of counters: `counters` are those of the metrics' terms, in their
 * order. A metric of which a counter is missing (NAN) gets none. */
void kernels_add(struct measured_kernel *kernel, const struct metric_list *metrics,
		 const double *counters);

#endif
