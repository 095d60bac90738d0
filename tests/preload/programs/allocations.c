/* SPDX-License-Identifier: MIT */
/*
 * allocations WHAT [NUMBER]: allocates and frees memory as the argument names, and leaves some.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

/* Declared by CUDA 12 alone, and in every driver. */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);

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

/* Two of every kind, one of which is freed. */
static void kinds(long unused)
{
	static char host[2][4096];
	CUDA_ARRAY_DESCRIPTOR flat = {
		.Width = 100, .Height = 50, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 2};
	CUDA_ARRAY3D_DESCRIPTOR deep = {.Width = 100,
					.Height = 50,
					.Depth = 4,
					.Format = CU_AD_FORMAT_UNSIGNED_INT8,
					.NumChannels = 4};
	CUmipmappedArray mipmapped[2];
	CUarray arrays[3];
	CUdeviceptr pointers[8];
	void *pinned[4];
	size_t pitch;

	(void)unused;
	for (int i = 0; i < 2; i++) {
		CHECK(cuMemAllocPitch(&pointers[i], &pitch, 1000, 10, 4));
		CHECK(cuMemAllocManaged(&pointers[2 + i], 3000, CU_MEM_ATTACH_GLOBAL));
		CHECK(cuMemAllocAsync(&pointers[4 + i], 5000, NULL));
		CHECK(cuMemHostAlloc(&pinned[i], 7000, 0));
		CHECK(cuMemAllocHost(&pinned[2 + i], 9000));
		CHECK(cuMemHostRegister(host[i], sizeof(host[i]), 0));
		CHECK(cuArrayCreate(&arrays[i], &flat));
		CHECK(cuMipmappedArrayCreate(&mipmapped[i], &deep, 3));
	}
	CHECK(cuArray3DCreate(&arrays[2], &deep));
	CHECK(cuMemFree(pointers[0]));
	CHECK(cuMemFree(pointers[2]));
	CHECK(cuMemFreeAsync(pointers[4], NULL));
	CHECK(cuMemFreeHost(pinned[0]));
	CHECK(cuMemFreeHost(pinned[2]));
	CHECK(cuMemHostUnregister(host[0]));
	CHECK(cuArrayDestroy(arrays[0]));
	CHECK(cuMipmappedArrayDestroy(mipmapped[0]));
}

/* Physical memory: released while it is mapped, and kept by a second reference. */
static void physical(long unused)
{
	CUmemAllocationProp properties = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
	CUmemGenericAllocationHandle first, second, again;
	CUdeviceptr address;

	(void)unused;
	properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	CHECK(cuMemAddressReserve(&address, 8 * MB, 0, 0, 0));
	CHECK(cuMemCreate(&first, 2 * MB, &properties, 0));
	CHECK(cuMemCreate(&second, 6 * MB, &properties, 0));
	CHECK(cuMemMap(address, 2 * MB, 0, first, 0));
	CHECK(cuMemMap(address + 2 * MB, 6 * MB, 0, second, 0));
	CHECK(cuMemRelease(first));
	CHECK(cuMemRelease(second));
	CHECK(cuMemRetainAllocationHandle(&again, (void *)(address + 3 * MB)));
	CHECK(cuMemUnmap(address, 8 * MB));
	CHECK(cuMemCreate(&first, 4 * MB, &properties, 0));
	CHECK(cuMemRelease(again));
	/* Of the host's memory. */
	properties.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
	CHECK(cuMemCreate(&second, 2 * MB, &properties, 0));
}

/* A context, and what ends with it. */
static void ended(long unused)
{
	CUdeviceptr pointer;
	CUcontext other;
	void *pinned;

	(void)unused;
	CHECK(cuMemAlloc(&pointer, MB));
	CHECK(cuCtxCreate_v2(&other, 0, 0));
	CHECK(cuMemAlloc(&pointer, 2 * MB));
	CHECK(cuMemAlloc(&pointer, 4 * MB));
	CHECK(cuMemHostAlloc(&pinned, 8 * MB, 0));
	CHECK(cuMemAllocAsync(&pointer, 16 * MB, NULL));
	CHECK(cuCtxDestroy(other));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuMemAlloc(&pointer, 32 * MB));
	CHECK(cuDevicePrimaryCtxReset(0));
}

/* In a capture the graph allocates. */
static void captured(long unused)
{
	CUdeviceptr pointer;
	CUstream stream;
	CUgraph graph;

	(void)unused;
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	CHECK(cuMemAllocAsync(&pointer, MB, stream));
	CHECK(cuMemFreeAsync(pointer, stream));
	CHECK(cuStreamEndCapture(stream, &graph));
	CHECK(cuMemAllocAsync(&pointer, 2 * MB, stream));
}

/* Graphs that allocate by nodes: one by two of them, launched three times, one that is launched
 * never. */
static void graphs(long unused)
{
	CUDA_MEM_ALLOC_NODE_PARAMS wanted = {.bytesize = MB};
	CUgraphNode nodes[4];
	CUgraphExec exec, never;
	CUgraph graph, other;
	CUstream stream;

	(void)unused;
	wanted.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	wanted.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuGraphCreate(&graph, 0));
	for (int i = 0; i < 2; i++) {
		CHECK(cuGraphAddMemAllocNode(&nodes[2 * i], graph, NULL, 0, &wanted));
		CHECK(cuGraphAddMemFreeNode(&nodes[2 * i + 1], graph, &nodes[2 * i], 1,
					    wanted.dptr));
	}
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	CHECK(cuGraphCreate(&other, 0));
	for (int i = 0; i < 3; i++)
		CHECK(cuGraphAddMemAllocNode(&nodes[i], other, NULL, 0, &wanted));
	CHECK(cuGraphInstantiate(&never, other, 0));
	for (int i = 0; i < 3; i++)
		CHECK(cuGraphLaunch(exec, stream));
	CHECK(cuStreamSynchronize(stream));
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
		{"plain", plain},	{"failing", failing}, {"many", many},
		{"hold", hold},		{"threads", threads}, {"kinds", kinds},
		{"physical", physical}, {"ended", ended},     {"captured", captured},
		{"graphs", graphs},
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
