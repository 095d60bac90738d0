/* SPDX-License-Identifier: MIT */
#include "preload/metrics/kernels.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct measured_kernel *kernels[KERNELS_MOST];
static size_t kernel_count;

void kernels_lock(void)
{
	pthread_mutex_lock(&lock);
}

void kernels_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* NCCL's kernels wait for those of other devices. */
static bool waits_for_others(const char *name)
{
	return strstr(name, "ncclDevKernel") || strstr(name, "ncclKernel") ||
	       strstr(name, "nvshmem");
}

struct measured_kernel *kernels_find(struct operation *operation, int device, size_t metrics)
{
	struct measured_kernel *added;

	for (size_t i = 0; i < kernel_count; i++)
		if (kernels[i]->operation == operation && kernels[i]->device == device)
			return kernels[i];
	if (kernel_count == KERNELS_MOST)
		return NULL;
	added = calloc(1, sizeof(*added) + metrics * sizeof(added->sums[0]));
	if (!added)
		return NULL;
	added->operation = operation;
	added->device = device;
	added->excluded = waits_for_others(operation->name);
	kernels[kernel_count++] = added;
	return added;
}

struct measured_kernel *kernels_at(size_t index)
{
	return index < kernel_count ? kernels[index] : NULL;
}

static void add_value(struct metric_sum *sum, double value)
{
	if (!isfinite(value))
		return;
	if (sum->count == 0 || value < sum->minimum)
		sum->minimum = value;
	if (sum->count == 0 || value > sum->maximum)
		sum->maximum = value;
	sum->total += value;
	sum->count++;
}

void kernels_add(struct measured_kernel *kernel, const struct metric_list *metrics,
		 const double *counters)
{
	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric_term *terms = metrics->metrics[i].terms;
		double value = 0;

		for (size_t j = 0; j < METRIC_TERMS && terms[j].counter; j++)
			value += terms[j].factor * *counters++;
		add_value(&kernel->sums[i], value);
	}
	kernel->changed = true;
}
