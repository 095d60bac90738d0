/* SPDX-License-Identifier: MIT */
/* subscriber LIBRARY STEP…: what CUPTI answers to the V2 interface, the older one and both
 * (tests/preload/programs/subscriber.h); cupti_subscribers.py runs it. */
#include "check.cuh"

#include "../preload/programs/subscriber.h"

__global__ void first(void)
{
}

static void launch(int count)
{
	for (int i = 0; i < count; i++)
		first<<<1, 1>>>();
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	return run_steps(argv[1], argv + 2);
}
