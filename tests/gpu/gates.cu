/* SPDX-License-Identifier: MIT */
/*
 * gates PACE kernels
 *   kernels of 1, 3, 10, 100 and 1000 us, memsets of 64 KB, a graph of 20 kernels
 *
 * gates PACE threads
 *   the same without graphs, on 4 threads at once, each in a stream of its own
 *
 * gates PACE copy KIND BYTES
 *   copies: htod and dtoh (pinned), dtod, pageable
 *
 * gates latency MODE
 *   empty kernels: launch (one every 20 us), wait (each is waited for), bound (as fast as the host
 *   can); prints the median time of a launch, with the wait, in us, or the mean of bound
 *
 * PACE: spaced (one call every 50 us), back (one after the other, which the device keeps up with if
 * they are short), busy (behind a kernel that outlasts the queueing).
 */
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "check.cuh"

#define CALLS	    200
#define THREADS	    4
#define BOUND	    200000
#define BATCH	    100
#define NODES	    20
#define SPACING_US  50
#define PREPARE_US  50000 /* ktime's own thread prepares the context in 5 ms or less */
#define MEMSET_SIZE (64 << 10)

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

__global__ void empty_kernel(void)
{
}

template <int Microseconds> __global__ void timed_kernel(long long cycles)
{
	spin(cycles);
}

static int kilohertz;
static const char *pace;
static thread_local cudaStream_t stream;

using Clock = std::chrono::steady_clock;

static void wait_until(Clock::time_point moment)
{
	while (Clock::now() < moment)
		;
}

static bool paced(const char *name)
{
	return strcmp(pace, name) == 0;
}

/* Queues the work `count` times, at the pace that the program was asked for. */
template <class Work> static void repeat(int calls, Work work)
{
	Clock::time_point next = Clock::now();

	work();
	CHECK(cudaStreamSynchronize(stream));
	for (int i = 0; i < calls; i++) {
		if (paced("spaced")) {
			/* Without a call of CUDA's in between; a call that takes longer is waited
			 * for in any case, as the device is then busy. */
			next = std::max(next + std::chrono::microseconds(SPACING_US), Clock::now());
			wait_until(next);
		} else if (paced("busy") && i % BATCH == 0) {
			CHECK(cudaStreamSynchronize(stream));
			blocking_kernel<<<1, 1, 0, stream>>>(5000LL * kilohertz / 1000);
		}
		work();
	}
	CHECK(cudaStreamSynchronize(stream));
}

template <int Microseconds> static void run_kernels(int calls)
{
	repeat(calls, [] {
		timed_kernel<Microseconds>
			<<<1, 1, 0, stream>>>((long long)Microseconds * kilohertz / 1000);
	});
}

static void graph_of_kernels(void)
{
	cudaGraphExec_t executable;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < NODES; i++)
		timed_kernel<3><<<1, 1, 0, stream>>>(3LL * kilohertz / 1000);
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	repeat(CALLS, [executable] { CHECK(cudaGraphLaunch(executable, stream)); });
}

static void kernels_and_memsets(void)
{
	void *memory;

	run_kernels<1>(2 * CALLS);
	run_kernels<3>(2 * CALLS);
	run_kernels<10>(2 * CALLS);
	run_kernels<100>(CALLS);
	run_kernels<1000>(CALLS / 4);
	CHECK(cudaMalloc(&memory, MEMSET_SIZE));
	repeat(CALLS, [memory] { CHECK(cudaMemsetAsync(memory, 1, MEMSET_SIZE, stream)); });
}

static void on_threads(void)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < THREADS; i++)
		threads.emplace_back([] {
			CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
			kernels_and_memsets();
		});
	for (std::thread &thread : threads)
		thread.join();
}

static int copies(const char *kind, size_t bytes)
{
	int calls = bytes >= 256 << 20 ? 10 : bytes >= 16 << 20 ? 40 : CALLS;
	bool pageable = !strcmp(kind, "pageable");
	void *device, *other;
	cudaMemcpyKind direction = !strcmp(kind, "dtoh")   ? cudaMemcpyDeviceToHost
				   : !strcmp(kind, "dtod") ? cudaMemcpyDeviceToDevice
							   : cudaMemcpyHostToDevice;

	CHECK(cudaMalloc(&device, bytes));
	if (!strcmp(kind, "dtod")) {
		CHECK(cudaMalloc(&other, bytes));
	} else if (pageable) {
		other = malloc(bytes);
		memset(other, 2, bytes);
	} else if (!strcmp(kind, "htod") || !strcmp(kind, "dtoh")) {
		CHECK(cudaMallocHost(&other, bytes));
		memset(other, 2, bytes);
	} else {
		return 2;
	}
	repeat(calls, [=] {
		if (direction == cudaMemcpyDeviceToHost)
			CHECK(cudaMemcpyAsync(other, device, bytes, direction, stream));
		else
			CHECK(cudaMemcpyAsync(device, other, bytes, direction, stream));
	});
	return 0;
}

static int bound(void)
{
	Clock::time_point start = Clock::now();

	for (int i = 0; i < BOUND; i++)
		empty_kernel<<<1, 1, 0, stream>>>();
	printf("%.3f\n",
	       std::chrono::duration<double, std::micro>(Clock::now() - start).count() / BOUND);
	CHECK(cudaStreamSynchronize(stream));
	return 0;
}

static int latency(const char *mode)
{
	bool waits = !strcmp(mode, "wait");
	std::vector<double> turns;

	if (!strcmp(mode, "bound"))
		return bound();
	if (!waits && strcmp(mode, "launch"))
		return 2;
	for (int i = 0; i < 10 * CALLS; i++) {
		Clock::time_point start = Clock::now();

		empty_kernel<<<1, 1, 0, stream>>>();
		if (waits)
			CHECK(cudaStreamSynchronize(stream));
		turns.push_back(
			std::chrono::duration<double, std::micro>(Clock::now() - start).count());
		if (!waits)
			wait_until(start + std::chrono::microseconds(20));
	}
	std::sort(turns.begin(), turns.end());
	printf("%.2f\n", turns[turns.size() / 2]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "";
	int status = 0;

	pace = argc > 1 ? argv[1] : "";
	CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	blocking_kernel<<<1, 1, 0, stream>>>(0);
	empty_kernel<<<1, 1, 0, stream>>>();
	CHECK(cudaStreamSynchronize(stream));
	wait_until(Clock::now() + std::chrono::microseconds(PREPARE_US));
	if (paced("latency"))
		status = latency(mode);
	else if (!paced("spaced") && !paced("back") && !paced("busy"))
		status = 2;
	else if (!strcmp(mode, "threads"))
		on_threads();
	else if (!strcmp(mode, "kernels")) {
		kernels_and_memsets();
		graph_of_kernels();
	} else if (!strcmp(mode, "copy") && argc > 4)
		status = copies(argv[3], strtoull(argv[4], nullptr, 10));
	else
		status = 2;
	if (status)
		fprintf(stderr, "usage: gates spaced|back|busy kernels|threads|copy KIND BYTES\n"
				"       gates latency launch|wait|bound\n");
	return status;
}
