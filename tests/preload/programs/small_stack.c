/* SPDX-License-Identifier: MIT */
/*
 * Works the device, from cuInit to exit, on a thread whose stack is known, and prints on descriptor
 * 3 how many bytes of it were used at the deepest: by the C library, the driver and ktime.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include <nvtx3/nvToolsExt.h>

#include "tests/preload/programs/captured.h"

/* More than is needed, or nothing could be said of it. */
#define STACK (1 << 20)
#define PAINT 0x5a

static unsigned char *stack;

static void work(void)
{
	static char host[1000];
	CUdeviceptr device;
	CUfunction kernel;
	CUstream stream;

	check_context();
	kernel = check_kernel("first");
	CHECK(cuMemAlloc(&device, sizeof(host)));
	CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	nvtxRangePushW(L"wide");
	CHECK(cuMemcpyHtoD(device, host, sizeof(host)));
	for (int i = 0; i < 10; i++)
		check_launch(kernel, stream);
	nvtxRangePop();
	CHECK(cuGraphLaunch(captured_graph(stream, kernel), stream));
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuStreamDestroy(stream));
	EXPECT(-1, execlp("nowhere-on-path", "nowhere", (char *)NULL));
}

/* After ktime's report, for which the process's exit waits. */
static void say_used(void)
{
	char line[32];
	size_t unused = 0;

	while (stack[unused] == PAINT)
		unused++;
	if (write(3, line, (size_t)snprintf(line, sizeof(line), "%zu\n", STACK - unused)) < 0)
		_exit(1);
}

static void *run(void *unused)
{
	(void)unused;
	work();
	exit(3);
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		return 1;
	memset(stack, PAINT, STACK);
	atexit(say_used);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, stack, STACK);
	if (pthread_create(&thread, &attributes, run, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 1;
}
