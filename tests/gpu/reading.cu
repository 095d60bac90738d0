/* SPDX-License-Identifier: MIT */
/*
 * reading WHAT before|after: the programs of docs/reading-a-report.md, each as it was and as it was
 * changed. WHAT: copies (pageable, pinned), waits (after each step, at the end), launches (one by
 * one, as a graph), allocation (in each step, once), overlap (one stream, four).
 */
#include <cstring>

#include "check.cuh"

#define BYTES (16u << 20)

__global__ void spin(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

/* The host's part of a step. */
static double prepare(float *data, int count)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += data[i % 1024] = (float)i;
	return sum;
}

static void copies(bool after)
{
	cudaStream_t stream;
	char *host, *device;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&device, BYTES));
	if (after)
		CHECK(cudaMallocHost(&host, BYTES));
	else
		host = (char *)malloc(BYTES);
	memset(host, 1, BYTES);
	for (int i = 0; i < 200; i++) {
		CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
		spin<<<1, 32, 0, stream>>>(1000000);
	}
	CHECK(cudaStreamSynchronize(stream));
}

static void waits(bool after)
{
	static float data[1024];

	for (int i = 0; i < 1000; i++) {
		spin<<<1, 32>>>(500000);
		if (!after)
			CHECK(cudaDeviceSynchronize());
		prepare(data, 200000);
	}
	CHECK(cudaDeviceSynchronize());
}

static void launches(bool after)
{
	cudaStream_t stream;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaStreamCreate(&stream));
	spin<<<1, 32, 0, stream>>>(1000);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	for (int i = 0; i < 100; i++)
		spin<<<1, 32, 0, stream>>>(1000);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int step = 0; step < 1000; step++) {
		if (after)
			CHECK(cudaGraphLaunch(exec, stream));
		for (int i = 0; !after && i < 100; i++)
			spin<<<1, 32, 0, stream>>>(1000);
		CHECK(cudaStreamSynchronize(stream));
	}
}

static void allocation(bool after)
{
	char *kept, *more;

	CHECK(cudaMalloc(&kept, BYTES));
	for (int i = 0; i < 1000; i++) {
		if (!after)
			CHECK(cudaMalloc(&more, BYTES));
		CHECK(cudaMemsetAsync(after ? kept : more, 0, BYTES));
		spin<<<1, 32>>>(500000);
		if (!after)
			CHECK(cudaFree(more));
	}
	CHECK(cudaDeviceSynchronize());
}

static void overlap(bool after)
{
	const int streams_used = after ? 4 : 1;
	cudaStream_t streams[4];
	char *host, *device;

	CHECK(cudaMallocHost(&host, 4 * BYTES));
	CHECK(cudaMalloc(&device, 4 * BYTES));
	for (int i = 0; i < 4; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	for (int i = 0; i < 400; i++) {
		cudaStream_t stream = streams[i % streams_used];
		size_t part = (size_t)(i % streams_used) * BYTES;

		CHECK(cudaMemcpyAsync(device + part, host + part, BYTES, cudaMemcpyHostToDevice,
				      stream));
		spin<<<1, 32, 0, stream>>>(500000);
	}
	CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(bool after);
	} programs[] = {{"copies", copies},
			{"waits", waits},
			{"launches", launches},
			{"allocation", allocation},
			{"overlap", overlap}};

	for (const auto &program : programs)
		if (argc == 3 && strcmp(argv[1], program.name) == 0) {
			program.run(strcmp(argv[2], "after") == 0);
			return 0;
		}
	fprintf(stderr, "usage: reading copies|waits|launches|allocation|overlap before|after\n");
	return 2;
}
