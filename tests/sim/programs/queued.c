/* SPDX-License-Identifier: MIT */
/* Event pairs where the device waits for the host, and where it comes to them amid other work. */
#include <cuda.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "tests/sim/programs/check.h"

enum {
	PAGE = 4096,
	BYTES = 100000,
};

enum work { KERNEL, MEMSET, GRAPH, DEVICE_COPY, ENGINE_COPY, NOTHING };

static CUstream stream;
static CUfunction kernel, second;
static CUgraphExec graph;
static CUevent start, stop;
static CUdeviceptr memory, other, word_on_device;
static void *pinned;
static _Atomic unsigned *word;

static void prepare(void)
{
	CUgraph captured;

	check_context();
	kernel = check_kernel("first");
	second = check_kernel("second");
	CHECK(cuMemAlloc(&memory, BYTES));
	CHECK(cuMemAlloc(&other, BYTES));
	CHECK(cuMemAllocHost(&pinned, BYTES));
	CHECK(cuEventCreate(&start, 0));
	CHECK(cuEventCreate(&stop, 0));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	check_launch(kernel, stream);
	check_launch(kernel, stream);
	CHECK(cuStreamEndCapture(stream, &captured));
	CHECK(cuGraphInstantiate(&graph, captured, 0));
	word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(cuMemHostRegister_v2((void *)word, PAGE, CU_MEMHOSTREGISTER_DEVICEMAP));
	CHECK(cuMemHostGetDevicePointer_v2(&word_on_device, (void *)word, 0));
}

static void submit(enum work work)
{
	if (work == KERNEL)
		check_launch(kernel, stream);
	else if (work == MEMSET)
		CHECK(cuMemsetD8Async(memory, 0, BYTES, stream));
	else if (work == GRAPH)
		CHECK(cuGraphLaunch(graph, stream));
	else if (work == DEVICE_COPY)
		CHECK(cuMemcpyDtoDAsync(memory, other, BYTES, stream));
	else if (work == ENGINE_COPY)
		CHECK(cuMemcpyHtoDAsync(memory, pinned, BYTES, stream));
}

static void wait_for(unsigned value)
{
	CHECK(cuStreamWaitValue32_v2(stream, word_on_device, value, CU_STREAM_WAIT_VALUE_GEQ));
}

static void pair(bool gated, enum work work)
{
	static unsigned value;

	if (gated)
		wait_for(++value);
	CHECK(cuEventRecord(start, stream));
	submit(work);
	CHECK(cuEventRecord(stop, stream));
	atomic_store(word, value);
}

/* Of the last pair. */
static void print(const char *name)
{
	float milliseconds;

	CHECK(cuStreamSynchronize(stream));
	CHECK(cuEventElapsedTime(&milliseconds, start, stop));
	printf("%s\t%ld\n", name, (long)(milliseconds * 1e6 + 0.5));
}

static void print_behind_work(const char *name, enum work work, bool gated)
{
	check_launch(second, stream);
	pair(gated, work);
	print(name);
}

static void print_gated(void)
{
	pair(true, KERNEL);
	print("the device waits at the gate");
	print_behind_work("the device is busy", KERNEL, true);
	print_behind_work("memset", MEMSET, true);
	print_behind_work("graph", GRAPH, true);
	print_behind_work("copy on the device", DEVICE_COPY, true);
	print_behind_work("copy by an engine", ENGINE_COPY, true);
	print_behind_work("nothing", NOTHING, true);

	check_launch(second, stream);
	pair(true, KERNEL);
	pair(true, KERNEL);
	print("behind a gated pair");
	check_launch(second, stream);
	pair(true, KERNEL);
	check_launch(second, stream);
	pair(true, KERNEL);
	print("behind a gated pair and a kernel");

	check_launch(second, stream);
	wait_for(0);
	pair(false, KERNEL);
	print("behind a gate that is open");
	check_launch(second, stream);
	wait_for(0);
	pair(false, KERNEL);
	wait_for(0);
	pair(false, KERNEL);
	print("behind such a pair");
}

static void print_ungated(void)
{
	CUevent between;

	pair(false, KERNEL);
	print("no gate, idle");
	print_behind_work("no gate, busy", KERNEL, false);
	print_behind_work("no gate, copy by an engine", ENGINE_COPY, false);

	check_launch(second, stream);
	pair(false, KERNEL);
	pair(true, KERNEL);
	print("behind a pair without a gate");
	check_launch(second, stream);
	pair(true, KERNEL);
	pair(false, KERNEL);
	print("no gate, behind a gated pair");

	check_launch(second, stream);
	pair(false, KERNEL);
	between = start;
	start = stop;
	stop = between;
	submit(KERNEL);
	CHECK(cuEventRecord(stop, stream));
	print("from the event behind a pair without a gate");
}

int main(void)
{
	prepare();
	print_gated();
	print_ungated();
	return 0;
}
