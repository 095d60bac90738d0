/* SPDX-License-Identifier: MIT */
/*
 * Kernels that the device comes to amid other work of their stream, as long as each takes longer
 * than its launch (SIM_KERNEL_NS). After 20 launches that are waited for, what the argument names:
 *
 * launches  200 launches
 * memsets   20 launches into the legacy stream, each with a memset behind it that is not gated
 *
 * Meanwhile ktime does not find out that the stream is busy, which makes calls without gates.
 */
#include <string.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

enum {
	LAUNCHES = 200,
	TIMES = 20,
	BYTES = 1000,
};

/* Launches that are waited for, one of which tries the gates of the context. */
static CUfunction begin(CUstream stream)
{
	CUfunction kernel = check_kernel("first");

	for (int i = 0; i < TIMES; i++) {
		check_launch(kernel, stream);
		CHECK(cuStreamSynchronize(stream));
		if (i == 0)
			wait_for_ktime();
	}
	return kernel;
}

static void launches(void)
{
	CUfunction kernel;
	CUstream stream;

	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	kernel = begin(stream);
	hold_ktime();
	for (int i = 0; i < LAUNCHES; i++)
		check_launch(kernel, stream);
	release_ktime();
	CHECK(cuStreamSynchronize(stream));
}

static void memsets(void)
{
	CUfunction kernel;
	CUdeviceptr memory;

	CHECK(cuMemAlloc(&memory, BYTES));
	kernel = begin(NULL);
	hold_ktime();
	for (int i = 0; i < TIMES; i++) {
		check_launch(kernel, NULL);
		CHECK(cuMemsetD8(memory, 0, BYTES));
	}
	release_ktime();
	CHECK(cuCtxSynchronize());
}

int main(int argc, char **argv)
{
	check_context();
	hold_gates();
	if (argc == 2 && strcmp(argv[1], "launches") == 0)
		launches();
	else if (argc == 2 && strcmp(argv[1], "memsets") == 0)
		memsets();
	else
		return 2;
	release_gates();
	return 0;
}
