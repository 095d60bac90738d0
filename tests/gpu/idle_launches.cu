/* SPDX-License-Identifier: MIT */
/* A short kernel every 30 us, from two threads in turns of 100 ms: for tests/gpu/idle.py. */
#include <pthread.h>
#include <time.h>

#include "check.cuh"

#define LAUNCHES 15000
#define PERIOD	 30e-6

__global__ void spin(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

static double now()
{
	timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static void *launch(void *)
{
	double next = now();

	for (int i = 0; i < LAUNCHES; i++) {
		while (now() < next)
			;
		next = now() + PERIOD;
		spin<<<1, 32>>>(8000);
		if (i % 100 == 99)
			CHECK(cudaStreamSynchronize(0));
	}
	return nullptr;
}

int main()
{
	pthread_t thread;

	launch(nullptr);
	if (pthread_create(&thread, nullptr, launch, nullptr) != 0)
		return 1;
	pthread_join(thread, nullptr);
	CHECK(cudaDeviceSynchronize());
	printf("launches %d\n", 2 * LAUNCHES);
	return 0;
}
