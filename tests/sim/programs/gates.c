/* SPDX-License-Identifier: MIT */
/* Streams held by a word that the host writes, and what event pairs around a kernel then hold. */
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

enum {
	PAGE = 4096,
};

static CUstream stream;
static CUfunction kernel;
static CUevent start, stop;
static _Atomic unsigned *word;
static CUdeviceptr word_on_device;

static void print_elapsed(const char *name)
{
	float milliseconds;

	CHECK(cuEventElapsedTime(&milliseconds, start, stop));
	printf("%s %ld\n", name, (long)(milliseconds * 1e6 + 0.5));
}

static void record_pair(bool launches)
{
	CHECK(cuEventRecord(start, stream));
	if (launches)
		check_launch(kernel, stream);
	CHECK(cuEventRecord(stop, stream));
}

static void gate(unsigned value)
{
	CHECK(cuStreamWaitValue32_v2(stream, word_on_device, value, CU_STREAM_WAIT_VALUE_GEQ));
}

/* Held however often the device is asked, and until the word has the value. */
static void expect_held(void)
{
	for (int i = 0; i < 10; i++)
		EXPECT(CUDA_ERROR_NOT_READY, cuEventQuery(stop));
	EXPECT(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
}

static void *open_later(void *value)
{
	usleep(10000);
	atomic_store(word, *(unsigned *)value);
	return NULL;
}

int main(void)
{
	unsigned last = 2;
	pthread_t opener;
	CUstream second;

	check_context();
	kernel = check_kernel("first");
	CHECK(cuEventCreate(&start, 0));
	CHECK(cuEventCreate(&stop, 0));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	word = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(cuMemHostRegister_v2((void *)word, PAGE, CU_MEMHOSTREGISTER_DEVICEMAP));
	CHECK(cuMemHostGetDevicePointer_v2(&word_on_device, (void *)word, 0));

	record_pair(true);
	CHECK(cuStreamSynchronize(stream));
	print_elapsed("the device waits for the host");

	record_pair(true);
	record_pair(true);
	CHECK(cuStreamSynchronize(stream));
	print_elapsed("the device is busy");

	atomic_store(word, UINT32_MAX - 1);
	gate(UINT32_MAX);
	record_pair(true);
	expect_held();
	atomic_store(word, UINT32_MAX);
	CHECK(cuStreamSynchronize(stream));
	print_elapsed("gated");

	/* Cyclic: 1 comes after the greatest number. Work of other streams goes on. */
	gate(1);
	record_pair(false);
	check_launch(kernel, second);
	CHECK(cuStreamSynchronize(second));
	expect_held();
	CHECK(cuStreamWriteValue32_v2(second, word_on_device, 1, 0));
	CHECK(cuStreamSynchronize(stream));
	print_elapsed("back-to-back");

	/* Two gates, the second one open first; the wait for the stream ends when both are. */
	gate(last);
	gate(1);
	record_pair(true);
	pthread_create(&opener, NULL, open_later, &last);
	CHECK(cuStreamSynchronize(stream));
	pthread_join(opener, NULL);
	print_elapsed("opened by another thread");
	return 0;
}
