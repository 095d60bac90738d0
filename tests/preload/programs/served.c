/* SPDX-License-Identifier: MIT */
/*
 * A program that never ends by itself: does what the lines of its standard input say, and answers
 * each with "ok" once it is done.
 *
 *   first N, second N  launches that kernel N times, and waits for it
 *   graph N            launches a graph of 1000 kernels `first` N times, and waits for each
 *   copy N             copies N bytes from pinned memory
 *   begin N            from now on a thread is in a call that copies N bytes from pinned memory
 *   finish N           until now; the thread does the same N times more
 *   keep N             allocates N bytes on the device, and keeps them
 *   load THREADS       from now on that many threads launch `first`, each into a stream of its own
 *   rest               until now; the answer is "ok N" with the number of these launches
 *   settle             until ktime has collected what was done before
 */
#include <pthread.h>
#include <string.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

#define THREADS 8

static CUcontext context;
static CUfunction first, second;
static pthread_t threads[THREADS];
static unsigned thread_count;
static _Atomic bool loaded;
static _Atomic unsigned long launched;

static pthread_t copying;
static size_t copied;
static _Atomic bool is_copying, may_finish;
static unsigned long more;

static void CUDA_CB stay_until_finish(void *unused)
{
	(void)unused;
	atomic_store(&is_copying, true);
	while (!atomic_load(&may_finish))
		usleep(100);
}

static void *copy_slowly(void *unused)
{
	CUdeviceptr memory;
	void *host;

	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuMemAlloc(&memory, copied));
	CHECK(cuMemAllocHost(&host, copied));
	CHECK(cuLaunchHostFunc(NULL, stay_until_finish, NULL));
	CHECK(cuMemcpyHtoD(memory, host, copied));
	while (more--)
		CHECK(cuMemcpyHtoD(memory, host, copied));
	CHECK(cuMemFreeHost(host));
	CHECK(cuMemFree(memory));
	return NULL;
}

static void begin(unsigned long bytes)
{
	copied = bytes;
	EXPECT(0, pthread_create(&copying, NULL, copy_slowly, NULL));
	while (!atomic_load(&is_copying))
		usleep(100);
}

static void finish(unsigned long count)
{
	more = count;
	atomic_store(&may_finish, true);
	pthread_join(copying, NULL);
}

static void launch(CUfunction kernel, unsigned long count)
{
	while (count--)
		check_launch(kernel, NULL);
	CHECK(cuCtxSynchronize());
}

static void launch_graph(unsigned long count)
{
	static CUgraphExec exec;
	const CUDA_KERNEL_NODE_PARAMS parameters = {.func = first, CHECK_ONE_THREAD};
	CUgraphNode last;
	CUgraph graph;

	if (!exec) {
		CHECK(cuGraphCreate(&graph, 0));
		for (int i = 0; i < 1000; i++)
			CHECK(cuGraphAddKernelNode(&last, graph, &last, i > 0, &parameters));
		CHECK(cuGraphInstantiate(&exec, graph, 0));
	}
	while (count--) {
		CHECK(cuGraphLaunch(exec, NULL));
		CHECK(cuCtxSynchronize());
	}
}

static void copy(unsigned long bytes)
{
	CUdeviceptr memory;
	void *host;

	CHECK(cuMemAlloc(&memory, bytes));
	CHECK(cuMemAllocHost(&host, bytes));
	CHECK(cuMemcpyHtoD(memory, host, bytes));
	CHECK(cuMemFreeHost(host));
	CHECK(cuMemFree(memory));
}

static void keep(unsigned long bytes)
{
	CUdeviceptr memory;

	CHECK(cuMemAlloc(&memory, bytes));
}

static void *launch_on(void *unused)
{
	unsigned long count = 0;
	CUstream stream;

	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	while (atomic_load(&loaded)) {
		check_launch(first, stream);
		/* The collector has to keep up: rings that are full lose times, not calls. */
		if (++count % 8 == 0)
			usleep(1000);
		/* Not where the simulated CUPTI waits for launches, and the collector for CUPTI. */
		if (count % 256 == 0 && !getenv("SIM_CUPTI_AMID"))
			wait_for_a_turn_of_ktime();
	}
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuStreamDestroy(stream));
	atomic_fetch_add(&launched, count);
	return NULL;
}

static void load(unsigned long count)
{
	atomic_store(&loaded, true);
	for (thread_count = 0; thread_count < count && thread_count < THREADS; thread_count++)
		EXPECT(0, pthread_create(&threads[thread_count], NULL, launch_on, NULL));
}

static void rest(void)
{
	atomic_store(&loaded, false);
	for (unsigned i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	thread_count = 0;
}

int main(void)
{
	char line[64], word[16];
	unsigned long count;

	context = check_context();
	first = check_kernel("first");
	second = check_kernel("second");
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		count = 0;
		if (sscanf(line, "%15s %lu", word, &count) < 1)
			continue;
		if (strcmp(word, "first") == 0)
			launch(first, count);
		else if (strcmp(word, "second") == 0)
			launch(second, count);
		else if (strcmp(word, "graph") == 0)
			launch_graph(count);
		else if (strcmp(word, "copy") == 0)
			copy(count);
		else if (strcmp(word, "begin") == 0)
			begin(count);
		else if (strcmp(word, "finish") == 0)
			finish(count);
		else if (strcmp(word, "keep") == 0)
			keep(count);
		else if (strcmp(word, "load") == 0)
			load(count);
		else if (strcmp(word, "rest") == 0)
			rest();
		else if (strcmp(word, "settle") == 0)
			wait_for_ktime_at_rest();
		if (strcmp(word, "rest") == 0)
			printf("ok %lu\n", atomic_load(&launched));
		else
			puts("ok");
		fflush(stdout);
	}
	CHECK(cuCtxSynchronize());
	return 0;
}
