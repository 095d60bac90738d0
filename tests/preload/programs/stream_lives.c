/* SPDX-License-Identifier: MIT */
/*
 * stream_lives STREAMS: makes streams one after the other, launches a kernel in each and destroys
 * it, and has every tenth launch made by a thread in its own default stream. Prints the peak
 * resident memory in KiB.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/sim/programs/check.h"

static CUcontext context;
static CUfunction kernel;

static void *launch_in_own_stream(void *unused)
{
	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, NULL, NULL));
	CHECK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct timespec rest = {.tv_nsec = 1000000};
	long streams = argc > 1 ? atol(argv[1]) : 100;
	struct rusage usage;
	pthread_t thread;
	CUstream stream;

	context = check_context();
	kernel = check_kernel("first");
	for (long i = 0; i < streams; i++) {
		CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
		CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
		CHECK(cuStreamSynchronize(stream));
		CHECK(cuStreamDestroy(stream));
		if (i % 10 == 9) {
			pthread_create(&thread, NULL, launch_in_own_stream, NULL);
			pthread_join(thread, NULL);
			nanosleep(&rest, NULL);
		}
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}
