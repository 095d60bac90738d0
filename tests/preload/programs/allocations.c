/* SPDX-License-Identifier: MIT */
/*
 * allocations WHAT [NUMBER]: allocates and frees memory as the argument names, and leaves some.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

enum {
	MB = 1 << 20,
};

static CUcontext context;
static CUfunction kernel;

/* At most 60 MB, 10 MB of it in the end. */
static void plain(long unused)
{
	CUdeviceptr first, second, third;

	(void)unused;
	CHECK(cuMemAlloc(&first, 10 * MB));
	CHECK(cuMemAlloc(&second, 20 * MB));
	check_launch(kernel, NULL);
	CHECK(cuMemAlloc(&third, 30 * MB));
	CHECK(cuMemFree(second));
	CHECK(cuMemAlloc(&second, 5 * MB));
	CHECK(cuMemFree(second));
	CHECK(cuMemFree(third));
	CHECK(cuMemFree(0));
}

/* Calls that fail change nothing. */
static void failing(long unused)
{
	CUdeviceptr pointer, other;

	(void)unused;
	CHECK(cuMemAlloc(&pointer, MB));
	if (cuMemAlloc(&other, 0) == CUDA_SUCCESS ||
	    cuMemAlloc(&other, 1ull << 50) == CUDA_SUCCESS ||
	    cuMemFree(pointer + 1) == CUDA_SUCCESS ||
	    cuMemFreeHost((void *)pointer) == CUDA_SUCCESS)
		printf("a call that fails did not\n");
	CHECK(cuMemFree(pointer));
	CHECK(cuMemAlloc(&pointer, 2 * MB));
}

/* One allocation for each of many sizes, all there at once, and then freed in another order. */
static void many(long count)
{
	CUdeviceptr *pointers = calloc((size_t)count, sizeof(*pointers));

	for (long i = 0; i < count; i++)
		CHECK(cuMemAlloc(&pointers[i], 4096 + (size_t)i));
	for (long i = 0; i < count; i++)
		CHECK(cuMemFree(pointers[(i * 7 + 3) % count]));
	free(pointers);
}

/* For good: to be killed. */
static void hold(long unused)
{
	CUdeviceptr pointer;

	(void)unused;
	CHECK(cuMemAlloc(&pointer, 7 * MB));
	printf("held\n");
	fflush(stdout);
	for (;;)
		pause();
}

#define THREADS	    4
#define BLOCKS	    100
#define REPETITIONS 20

static pthread_barrier_t barrier;
static CUdeviceptr blocks[THREADS][BLOCKS];

/* Frees what another thread allocated, so that addresses wander between the threads. */
static void *thread(void *argument)
{
	long number = (long)argument;

	CHECK(cuCtxSetCurrent(context));
	for (int repetition = 0; repetition < REPETITIONS; repetition++) {
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < BLOCKS; i++)
			CHECK(cuMemAlloc(&blocks[number][i], 1000u + (unsigned)(number * 77 + i)));
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < BLOCKS; i++)
			CHECK(cuMemFree(blocks[(number + 1) % THREADS][i]));
	}
	pthread_barrier_wait(&barrier);
	/* Without phases: the others free and allocate meanwhile. */
	for (int i = 0; i < 1000; i++) {
		CHECK(cuMemAlloc(&blocks[number][0], 100));
		CHECK(cuMemFree(blocks[number][0]));
	}
	CHECK(cuMemAlloc(&blocks[number][0], 1000));
	return NULL;
}

static void threads(long unused)
{
	pthread_t started[THREADS];

	(void)unused;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&started[i], NULL, thread, (void *)i);
	for (long i = 0; i < THREADS; i++)
		pthread_join(started[i], NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long number);
	} ways[] = {
		{"plain", plain}, {"failing", failing}, {"many", many},
		{"hold", hold},	  {"threads", threads},
	};

	context = check_context();
	kernel = check_kernel("first");
	check_launch(kernel, NULL);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (argc > 1 && strcmp(argv[1], ways[i].name) == 0) {
			ways[i].run(argc > 2 ? atol(argv[2]) : 0);
			return 0;
		}
	fprintf(stderr, "usage: allocations WHAT [NUMBER]\n");
	return 2;
}
