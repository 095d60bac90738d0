/* SPDX-License-Identifier: MIT */
/* Threads that launch into one stream, in bursts that the device is behind of: each 10000 times. */
#include <pthread.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

enum {
	THREADS = 2,
	LAUNCHES = 10000,
	BURST = 200,
};

static CUcontext context;
static CUstream stream;
static CUfunction kernel;

static void *launch(void *unused)
{
	CHECK(cuCtxSetCurrent(context));
	for (int i = 1; i <= LAUNCHES; i++) {
		check_launch(kernel, stream);
		if (i % BURST == 0)
			usleep(2000);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	context = check_context();
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	kernel = check_kernel("first");
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, launch, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(cuStreamSynchronize(stream));
	return 0;
}
