/* SPDX-License-Identifier: MIT */
#ifndef SIM_DRIVER_HOST_KERNEL_H
#define SIM_DRIVER_HOST_KERNEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct host_kernel {
	const char *name; /* mangled */
	size_t parameter_count;
	const size_t *parameter_sizes;
	void (*run)(const unsigned int grid[3], const unsigned int block[3], void **parameters);
};

/* NULL for a kernel that none was compiled for. */
const struct host_kernel *host_kernel_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
