/* SPDX-License-Identifier: MIT */
#ifndef PRELOAD_PROGRAMS_COPIES_H
#define PRELOAD_PROGRAMS_COPIES_H

#include <cuda_runtime_api.h>
#include <stdio.h>

/* One copy of 100 bytes to the device, and one that fails. */
static inline void copies(const char *runtime)
{
	char host[100] = "";
	void *device;

	printf("%s: malloc %d\n", runtime, cudaMalloc(&device, sizeof(host)));
	printf("%s: copy %d\n", runtime,
	       cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
	printf("%s: bad copy %d\n", runtime,
	       cudaMemcpy(NULL, host, sizeof(host), cudaMemcpyHostToDevice));
}

#endif
