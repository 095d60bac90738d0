/* SPDX-License-Identifier: MIT */
/*
 * context_lives CONTEXTS: makes contexts one after the other, launches kernels in each, one of them
 * in a thread of its own, and destroys it. Prints the peak resident memory in KiB.
 */
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/sim/programs/check.h"

/* Declared by CUDA 12 alone, and in every driver. */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);

static CUcontext context;
static CUfunction kernel;

static void *launch(void *unused)
{
	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	check_launch(kernel, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct timespec rest = {.tv_nsec = 1000000};
	long contexts = argc > 1 ? atol(argv[1]) : 100;
	struct rusage usage;
	pthread_t thread;

	CHECK(cuInit(0));
	for (long i = 0; i < contexts; i++) {
		CHECK(cuCtxCreate_v2(&context, 0, 0));
		kernel = check_kernel("first");
		check_launch(kernel, NULL);
		check_launch(kernel, NULL);
		pthread_create(&thread, NULL, launch, NULL);
		pthread_join(thread, NULL);
		CHECK(cuCtxDestroy(context));
		nanosleep(&rest, NULL);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld\n", usage.ru_maxrss);
	return 0;
}
