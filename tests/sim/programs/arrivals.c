/* SPDX-License-Identifier: MIT */
/*
 * Batches of a write and a wait that holds the stream, from which the host can tell when the device
 * has come there; for a kernel of 5000 ns. With an argument: on a device that holds no streams.
 */
#include <cuda.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "tests/sim/programs/check.h"

enum {
	PAGE = 4096,
};

/* The simulated driver's. */
void sim_clock_spend(uint64_t ns);

struct words {
	_Atomic unsigned arrived, gate;
};

static CUstream stream, second;
static CUfunction kernel;
static CUevent start, stop;
static struct words *words;
static CUdeviceptr on_device;

static void gate_in(CUstream gated, unsigned value)
{
	CUstreamBatchMemOpParams both[] = {
		{.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
				.address = on_device + offsetof(struct words, arrived),
				.value = value}},
		{.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
			       .address = on_device + offsetof(struct words, gate),
			       .value = value,
			       .flags = CU_STREAM_WAIT_VALUE_GEQ}},
	};

	CHECK(cuStreamBatchMemOp_v2(gated, 2, both, 0));
}

static void record_pair(void)
{
	CHECK(cuEventRecord(start, stream));
	check_launch(kernel, stream);
	CHECK(cuEventRecord(stop, stream));
}

static void expect_elapsed(long expected)
{
	float milliseconds;

	CHECK(cuStreamSynchronize(stream));
	CHECK(cuEventElapsedTime(&milliseconds, start, stop));
	EXPECT(expected, (long)(milliseconds * 1e6 + 0.5));
}

/* At once where the stream has nothing to do, also if nobody has seen that it ended. */
static void idle(void)
{
	gate_in(stream, 1);
	EXPECT(1, words->arrived);
	record_pair();
	for (int i = 0; i < 10; i++)
		EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(stop));
	EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
	words->gate = 1;
	expect_elapsed(7400);

	check_launch(kernel, stream);
	sim_clock_spend(10000);
	gate_in(stream, 2);
	EXPECT(2, words->arrived);
	words->gate = 2;
	CHECK(cuStreamSynchronize(stream));
}

/* Not before the work in front has ended, however often the device is asked; then by the next use
 * of the stream, or by a wait for it. */
static void busy(void)
{
	check_launch(kernel, stream);
	gate_in(stream, 3);
	record_pair();
	for (int i = 0; i < 10; i++)
		EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(stop));
	EXPECT(2, words->arrived);
	sim_clock_spend(10000);
	check_launch(kernel, second);
	EXPECT(2, words->arrived);
	CHECK(cuEventRecord(stop, stream));
	EXPECT(3, words->arrived);
	words->gate = 3;
	CHECK(cuStreamSynchronize(stream));

	check_launch(kernel, stream);
	gate_in(stream, 4);
	record_pair();
	EXPECT(3, words->arrived);
	words->gate = 4;
	expect_elapsed(7400);
	EXPECT(4, words->arrived);
}

/* Behind a gate that is closed the device comes to none. */
static void behind(void)
{
	gate_in(stream, 5);
	EXPECT(5, words->arrived);
	gate_in(stream, 6);
	sim_clock_spend(10000);
	record_pair();
	EXPECT(5, words->arrived);
	words->gate = 5;
	CHECK(cuEventRecord(start, stream));
	EXPECT(6, words->arrived);
	words->gate = 6;
	CHECK(cuStreamSynchronize(stream));
}

/* The older of two batches does not take back what the later one, in another stream, has said. */
static void two_streams(void)
{
	check_launch(kernel, stream);
	gate_in(stream, 7);
	words->gate = 7;
	CHECK(cuStreamSynchronize(second));
	gate_in(second, 8);
	EXPECT(8, words->arrived);
	words->gate = 8;
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuStreamSynchronize(second));
	EXPECT(8, words->arrived);
}

/* Waits that find what they wait for hold nothing: here, and in the batch in front of them. */
static void satisfied(void)
{
	CUstreamBatchMemOpParams both[] = {
		{.writeValue = {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32,
				.address = on_device + offsetof(struct words, gate),
				.value = 9}},
		{.waitValue = {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32,
			       .address = on_device + offsetof(struct words, gate),
			       .value = 9,
			       .flags = CU_STREAM_WAIT_VALUE_EQ}},
	};

	gate_in(stream, 7);
	EXPECT(7, words->arrived);
	CHECK(cuStreamBatchMemOp_v2(stream, 2, both, 0));
	CHECK(cuStreamSynchronize(stream));
	EXPECT(9, words->gate);
}

static void not_held(void)
{
	gate_in(stream, 1);
	EXPECT(1, words->arrived);
	CHECK(cuStreamSynchronize(stream));
	EXPECT(0, words->gate);
}

int main(int argc, char **argv)
{
	(void)argv;
	check_context();
	kernel = check_kernel("first");
	CHECK(cuEventCreate(&start, 0));
	CHECK(cuEventCreate(&stop, 0));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(cuMemHostRegister_v2(words, PAGE, CU_MEMHOSTREGISTER_DEVICEMAP));
	CHECK(cuMemHostGetDevicePointer_v2(&on_device, words, 0));
	if (argc > 1) {
		not_held();
	} else {
		idle();
		busy();
		behind();
		two_streams();
		satisfied();
	}
	puts("as the driver does");
	return 0;
}
