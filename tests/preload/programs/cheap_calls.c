/* SPDX-License-Identifier: MIT */
/*
 * cheap_calls COUNT [WAIT]: COUNT calls of the runtime that do next to nothing, one that fails,
 * and then as many again; with WAIT once CUPTI was told to record no more of them, or after 10 s.
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/sim/cupti/state.h"
#include "tests/sim/programs/check.h"

#define GET_DEVICE 17 /* CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020 */
#define POLL_US	   1000
#define MOST_POLLS 10000

static void call(int count)
{
	int device;

	while (count--)
		EXPECT(cudaSuccess, cudaGetDevice(&device));
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	struct sim_cupti *cupti;
	void *library;

	check_context();
	check_launch(check_kernel("first"), NULL);
	call(count);
	EXPECT(cudaErrorInvalidDevice, cudaSetDevice(99));
	library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
	cupti = library ? (struct sim_cupti *)dlsym(library, "sim_cupti") : NULL;
	for (int i = 0; argc > 2 && cupti && i < MOST_POLLS; i++) {
		_Atomic bool *off = &cupti->calls_off[1][GET_DEVICE];

		if (*off)
			break;
		usleep(POLL_US);
	}
	call(count);
	return 0;
}
