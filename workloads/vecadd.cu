/* SPDX-License-Identifier: MIT */
/* One kernel, timed by two timers of the host and by events. */
#include <ctime>
#include <vector>

#include <sys/time.h>

#include "workloads/vecadd_kernel.h"
#include "workloads/workload.cuh"

enum {
	BLOCK_MAX = 1024,
};

enum wait {
	WAIT_SPIN,
	WAIT_BLOCK,
};

static const char usage[] =
	"[--n N] [--block B] [--wait spin|block]\n"
	"c = a + b over N floats (default 2^24) in blocks of B threads (1024). The kernel is "
	"timed\n"
	"by gettimeofday() and clock() around launch and synchronisation, and by events. The host\n"
	"waits for the kernel in a loop (spin, the default) or asleep (block): clock() counts the\n"
	"processor time of the program, so it misses what a sleeping host waits.\n";

static double wall_seconds()
{
	struct timeval now;

	gettimeofday(&now, nullptr);
	return now.tv_sec + now.tv_usec * 1e-6;
}

/* Launches the kernel and waits for it, between the host's timers. */
static void add(int n, int block, int wait, const float *a, const float *b, float *c)
{
	int blocks = n / block + (n % block != 0);
	event_pair events;
	cudaEvent_t done;

	CHECK(cudaEventCreateWithFlags(&done, cudaEventBlockingSync | cudaEventDisableTiming));

	double wall_start = wall_seconds();
	clock_t processor_start = clock();
	events.start();
	vector_add<<<blocks, block>>>(n, a, b, c);
	CHECK(cudaGetLastError());
	events.stop();
	if (wait == WAIT_BLOCK) {
		CHECK(cudaEventRecord(done));
		CHECK(cudaEventSynchronize(done));
	} else {
		CHECK(cudaDeviceSynchronize());
	}
	clock_t processor_stop = clock();
	double wall_stop = wall_seconds();

	CHECK(cudaEventDestroy(done));
	std::printf("vector_add <<<%d, %d>>>, the host waits %s\n", blocks, block,
		    wait == WAIT_BLOCK ? "asleep" : "in a loop");
	std::printf("Kernel time by gettimeofday() (us): %.0f\n", (wall_stop - wall_start) * 1e6);
	std::printf("Kernel time by clock() (us): %.0f\n",
		    (double)(processor_stop - processor_start) / CLOCKS_PER_SEC * 1e6);
	std::printf("Kernel time by events (us): %.3f\n", events.seconds() * 1e6);
}

int main(int argc, char **argv)
{
	static const char *const waits[] = {"spin", "block", nullptr};
	int n = 1 << 24, block = BLOCK_MAX, wait = WAIT_SPIN;
	const struct workload_option options[] = {
		WORKLOAD_COUNT("n", &n, 0),
		WORKLOAD_COUNT("block", &block, BLOCK_MAX),
		WORKLOAD_CHOICE("wait", &wait, waits),
		WORKLOAD_END,
	};

	workload_parse(usage, options, argc, argv);

	size_t bytes = n * sizeof(float);
	std::vector<float> a(n), b(n), c(n, -1.0f);
	float *device_a, *device_b, *device_c;
	cudaFuncAttributes attributes;

	for (int i = 0; i < n; i++) {
		a[i] = i % 1000;
		b[i] = i % 777;
	}
	/* Kernels are loaded at first use: not between the timers. */
	CHECK(cudaFuncGetAttributes(&attributes, vector_add));
	CHECK(cudaMalloc(&device_a, bytes));
	CHECK(cudaMalloc(&device_b, bytes));
	CHECK(cudaMalloc(&device_c, bytes));
	CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_c, c.data(), bytes, cudaMemcpyHostToDevice));
	std::printf("Vector size %d\n", n);
	add(n, block, wait, device_a, device_b, device_c);
	CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(device_a));
	CHECK(cudaFree(device_b));
	CHECK(cudaFree(device_c));

	int wrong = 0;

	for (int i = 0; i < n; i++)
		wrong += c[i] != a[i] + b[i];
	if (wrong)
		std::printf("Arrays do not match: %d elements differ.\n", wrong);
	else
		std::printf("Arrays match.\n");
	return wrong != 0;
}
