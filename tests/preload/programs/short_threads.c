/* SPDX-License-Identifier: MIT */
/*
 * Threads that make one launch each and end, four at a time, without a pause; each launch is made
 * in an NVTX range if there is a second argument. Prints the most memory that the process had, in
 * KB.
 *
 * usage: short_threads THREADS [ranges]
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <nvtx3/nvToolsExt.h>

#include "tests/sim/programs/check.h"

#define TOGETHER 4

static CUcontext context;
static CUfunction kernel;
static bool ranges;

static void *launch_once(void *unused)
{
	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	if (ranges)
		nvtxRangePushA("step");
	check_launch(kernel, NULL);
	if (ranges)
		nvtxRangePop();
	return NULL;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000;
	pthread_t threads[TOGETHER];
	struct rusage usage;

	ranges = argc > 2;
	context = check_context();
	kernel = check_kernel("first");
	for (long made = 0; made < count; made += TOGETHER) {
		for (int i = 0; i < TOGETHER; i++)
			if (pthread_create(&threads[i], NULL, launch_once, NULL))
				return 2;
		for (int i = 0; i < TOGETHER; i++)
			pthread_join(threads[i], NULL);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}
