/* SPDX-License-Identifier: MIT */
/* saxpy by the runtime API, after Mark Harris's "How to Implement Performance Metrics in CUDA". */
#include <vector>

#include "workloads/saxpy.h"
#include "workloads/saxpy_kernel.h"
#include "workloads/workload.cuh"

static void (*const kernels[])(int, float, float *, float *) = {saxpy, saxpy_grid_stride,
								saxpy_float4};

struct work {
	const struct saxpy_options *options;
	int multiprocessors;   /* of the GPU; needed for the grid-stride kernel */
	float *x, *y;	       /* on the device */
	std::vector<float> ms; /* of each thread */
};

/*
 * The pair of events is in the first stream. The other streams start after its first event, and
 * its second waits for them.
 */
static void launch_all(int thread, void *argument)
{
	struct work *work = static_cast<struct work *>(argument);
	const struct saxpy_options *options = work->options;
	int streams = options->streams ? options->streams : 1;
	std::vector<cudaStream_t> stream(streams, nullptr);
	std::vector<cudaEvent_t> done(streams);
	std::vector<struct saxpy_slice> slice(streams);
	struct workload_hold hold = {0};
	int held = saxpy_held_launches(options);
	cudaEvent_t start, stop;

	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&stop));
	for (int i = 0; i < streams; i++) {
		slice[i] = saxpy_slice(options, thread, i);
		if (options->streams)
			CHECK(cudaStreamCreate(&stream[i]));
		CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
	}

	if (held)
		CHECK(cudaLaunchHostFunc(stream[0], workload_hold, &hold));
	CHECK(cudaEventRecord(start, stream[0]));
	for (int i = 1; i < streams; i++)
		CHECK(cudaStreamWaitEvent(stream[i], start, 0));
	for (int i = 0; i < options->repetitions; i++) {
		const struct saxpy_slice &s = slice[i % streams];
		int blocks = saxpy_blocks(options, s.count, work->multiprocessors);

		kernels[options->variant]<<<blocks, options->block, 0, stream[i % streams]>>>(
			s.count, SAXPY_A, work->x + s.first, work->y + s.first);
		CHECK(cudaGetLastError());
		if (i + 1 == held)
			workload_release(&hold);
	}
	for (int i = 1; i < streams; i++) {
		CHECK(cudaEventRecord(done[i], stream[i]));
		CHECK(cudaStreamWaitEvent(stream[0], done[i], 0));
	}
	CHECK(cudaEventRecord(stop, stream[0]));
	workload_release(&hold);
	CHECK(cudaEventSynchronize(stop));
	CHECK(cudaEventElapsedTime(&work->ms[thread], start, stop));

	for (int i = 0; i < streams; i++) {
		CHECK(cudaEventDestroy(done[i]));
		if (options->streams)
			CHECK(cudaStreamDestroy(stream[i]));
	}
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(stop));
}

int main(int argc, char **argv)
{
	struct saxpy_options options;

	saxpy_parse(&options, argc, argv);

	size_t bytes = options.n * sizeof(float);
	struct work work = {&options, 0, nullptr, nullptr, std::vector<float>(options.threads)};
	std::vector<float> x(options.n), y(options.n);
	cudaFuncAttributes attributes;
	float slowest = 0;

	if (options.variant == SAXPY_GRID_STRIDE)
		work.multiprocessors = workload_attribute(cudaDevAttrMultiProcessorCount);
	saxpy_fill(&options, x.data(), y.data());
	/* Kernels are loaded at first use: not between the events. */
	CHECK(cudaFuncGetAttributes(&attributes, kernels[options.variant]));
	CHECK(cudaMalloc(&work.x, bytes));
	CHECK(cudaMalloc(&work.y, bytes));
	CHECK(cudaMemcpy(work.x, x.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(work.y, y.data(), bytes, cudaMemcpyHostToDevice));
	saxpy_threads(&options, launch_all, &work);
	CHECK(cudaMemcpy(y.data(), work.y, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(work.x));
	CHECK(cudaFree(work.y));
	for (float ms : work.ms)
		slowest = ms > slowest ? ms : slowest;
	return saxpy_report(&options, y.data(), slowest);
}
