/* SPDX-License-Identifier: MIT */
/*
 * accuracy kernels            kernels of 1, 3, 10, 100 and 1000 us, one after the other in one
 * stream accuracy copy KIND BYTES    copies: pageable, pinned or pinned_dtoh (to and from the
 * host), dtod accuracy overlap            kernels of 100 us on four streams at once
 *
 * The stream is kept busy: operations are queued behind a kernel that outlasts their queueing.
 */
#include <cstring>

#include "check.cuh"

#define CALLS	200
#define BATCH	100 /* a stream takes about 340 launches with two events each before it blocks */
#define STREAMS 4

__device__ static void spin(long long cycles)
{
	long long start = clock64();

	while (clock64() - start < cycles)
		;
}

__global__ void blocking_kernel(long long cycles)
{
	spin(cycles);
}

template <int Microseconds> __global__ void timed_kernel(long long cycles)
{
	spin(cycles);
}

static int kilohertz;

static void block(cudaStream_t stream, int microseconds)
{
	blocking_kernel<<<1, 1, 0, stream>>>((long long)microseconds * kilohertz / 1000);
}

template <int Microseconds> static void run_kernels(cudaStream_t stream, int calls)
{
	for (int done = 0; done < calls; done += BATCH) {
		block(stream, 2000);
		for (int i = 0; i < BATCH && done + i < calls; i++)
			timed_kernel<Microseconds>
				<<<1, 1, 0, stream>>>((long long)Microseconds * kilohertz / 1000);
		CHECK(cudaStreamSynchronize(stream));
	}
}

static void kernels(void)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	run_kernels<1>(stream, 4 * CALLS);
	run_kernels<3>(stream, 4 * CALLS);
	run_kernels<10>(stream, 4 * CALLS);
	run_kernels<100>(stream, CALLS);
	run_kernels<1000>(stream, CALLS / 4);
}

static int copies(const char *kind, size_t bytes)
{
	int calls = bytes >= 256 << 20 ? 10 : bytes >= 16 << 20 ? 40 : CALLS;
	char *source, *destination, *host;
	cudaStream_t stream;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&source, bytes));
	CHECK(cudaMalloc(&destination, bytes));
	CHECK(cudaMemset(source, 1, bytes));
	if (!strcmp(kind, "pageable")) {
		host = (char *)malloc(bytes);
		memset(host, 2, bytes);
		for (int i = 0; i < calls; i++)
			CHECK(cudaMemcpy(destination, host, bytes, cudaMemcpyHostToDevice));
		free(host);
		return 0;
	}
	CHECK(cudaMallocHost(&host, bytes));
	memset(host, 2, bytes);
	for (int done = 0; done < calls; done += BATCH) {
		block(stream, 2000);
		for (int i = 0; i < BATCH && done + i < calls; i++) {
			if (!strcmp(kind, "pinned"))
				CHECK(cudaMemcpyAsync(destination, host, bytes,
						      cudaMemcpyHostToDevice, stream));
			else if (!strcmp(kind, "pinned_dtoh"))
				CHECK(cudaMemcpyAsync(host, destination, bytes,
						      cudaMemcpyDeviceToHost, stream));
			else if (!strcmp(kind, "dtod"))
				CHECK(cudaMemcpyAsync(destination, source, bytes,
						      cudaMemcpyDeviceToDevice, stream));
			else
				return 2;
		}
		CHECK(cudaStreamSynchronize(stream));
	}
	return 0;
}

static void overlap(void)
{
	cudaStream_t streams[STREAMS];

	for (cudaStream_t &stream : streams)
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	/* Enough blocks to fill the device several times over: the streams compete for it. */
	for (int i = 0; i < CALLS; i++)
		timed_kernel<100>
			<<<1000, 1024, 0, streams[i % STREAMS]>>>(100LL * kilohertz / 1000);
	CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int status = 0;

	CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
	if (!strcmp(mode, "kernels"))
		kernels();
	else if (!strcmp(mode, "overlap"))
		overlap();
	else if (!strcmp(mode, "copy") && argc > 3)
		status = copies(argv[2], strtoull(argv[3], nullptr, 10));
	else
		status = 2;
	if (status)
		fprintf(stderr, "usage: accuracy kernels|overlap|copy KIND BYTES\n");
	return status;
}
