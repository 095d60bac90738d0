/* SPDX-License-Identifier: MIT */
/*
 * start_loop WORKLOAD SECONDS
 * start_loop --turns SECONDS
 *
 * Small operations without a pause, from the process's first one of their kind on: `copies`, pinned
 * and asynchronous, to the device; `synchronous`, pinned, to the device; `within`, in the device;
 * `memsets`, asynchronous, all of 4 KB; `empty` kernels; `graph`, launches of 100 empty kernels.
 * Everything is made before the first operation. Prints a line of NAME=VALUE, with `workload`:
 *   ns          wall time of an operation, the wait at the end included
 *   operations  how many there were
 * A graph is launched 500 times, however long that takes.
 *
 * With --turns it prints `ready`, then for every line on its input, which names a workload, that
 * workload's line and `done`; of a graph too it takes SECONDS. It ends with its input.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <time.h>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t error = (call);                                                        \
		if (error != cudaSuccess) {                                                        \
			fprintf(stderr, "start_loop: %s: %s\n", #call, cudaGetErrorString(error)); \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#define BYTES	       4096
#define GRAPH_NODES    100
#define GRAPH_LAUNCHES 500
/* Operations between two readings of the clock. */
#define BATCH	       20

static cudaStream_t stream;
static char *device, *host;
static cudaGraphExec_t executable;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

__global__ void empty_kernel()
{
}

static void copy(void)
{
	CHECK(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, stream));
}

static void copy_synchronously(void)
{
	CHECK(cudaMemcpy(device, host, BYTES, cudaMemcpyHostToDevice));
}

static void copy_within(void)
{
	CHECK(cudaMemcpyAsync(device + BYTES, device, BYTES, cudaMemcpyDeviceToDevice, stream));
}

static void set(void)
{
	CHECK(cudaMemsetAsync(device, 0, BYTES, stream));
}

static void launch(void)
{
	empty_kernel<<<1, 1, 0, stream>>>();
}

static void launch_graph(void)
{
	CHECK(cudaGraphLaunch(executable, stream));
}

static const struct workload {
	const char *name;
	void (*operation)(void);
} workloads[] = {
	{"copies", copy},	 {"synchronous", copy_synchronously},
	{"within", copy_within}, {"memsets", set},
	{"empty", launch},	 {"graph", launch_graph},
};

static void make_graph(void)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < GRAPH_NODES; i++)
		launch();
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaGraphUpload(executable, stream));
}

static const struct workload *find_workload(const char *name)
{
	for (const workload &w : workloads)
		if (!strcmp(w.name, name))
			return &w;
	fprintf(stderr, "start_loop: no workload %s\n", name);
	exit(2);
}

/* For so long, or this often if it is not 0. */
static void run(const struct workload *chosen, double seconds, long most)
{
	uint64_t start, end, operations = 0;

	if (!strcmp(chosen->name, "graph") && !executable)
		make_graph();
	CHECK(cudaDeviceSynchronize());
	start = now();
	end = start + (uint64_t)(seconds * 1e9);
	while (most ? operations < (uint64_t)most : now() < end) {
		for (int i = 0; i < BATCH; i++)
			chosen->operation();
		operations += BATCH;
	}
	CHECK(cudaDeviceSynchronize());
	printf("workload=%s ns=%.1f operations=%lu\n", chosen->name,
	       (double)(now() - start) / (double)operations, (unsigned long)operations);
}

static void take_turns(double seconds)
{
	char name[64];

	puts("ready");
	fflush(stdout);
	while (scanf("%63s", name) == 1) {
		run(find_workload(name), seconds, 0);
		puts("done");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	double seconds = argc == 3 ? atof(argv[2]) : 0;
	const struct workload *chosen;

	if (seconds <= 0) {
		fprintf(stderr, "usage: start_loop WORKLOAD SECONDS\n"
				"       start_loop --turns SECONDS\n");
		return 2;
	}
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMalloc(&device, 2 * BYTES));
	CHECK(cudaMallocHost(&host, BYTES));
	if (!strcmp(argv[1], "--turns")) {
		take_turns(seconds);
		return 0;
	}
	chosen = find_workload(argv[1]);
	run(chosen, seconds, !strcmp(chosen->name, "graph") ? GRAPH_LAUNCHES : 0);
	return 0;
}
