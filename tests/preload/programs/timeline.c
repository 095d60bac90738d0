/* SPDX-License-Identifier: MIT */
/*
 * timeline [THREAD/]COMMAND…: does what the commands say, one after the other, in the threads that
 * they name (0, the first, unless they do; 1 to 7). Times are of the simulated device's clock, and
 * the first command begins at 1 ms.
 *
 *   k,NS[,STREAM]     launches a kernel that takes NS ns
 *   c,BYTES[,STREAM]  copies from pinned memory
 *   p,BYTES[,STREAM]  copies from pageable memory with an asynchronous call
 *   C,BYTES           copies from pageable memory with a synchronous call
 *   z,BYTES[,STREAM]  sets memory
 *   y,BYTES Z,BYTES   sets memory, pinned memory, with a synchronous call
 *   m f               allocates and frees memory
 *   s S,STREAM        waits for the context, for a stream
 *   r,STREAM w,STREAM records an event in a stream, has a stream wait for the last one recorded
 *   h,NS @,NS         the thread's own code takes NS ns, lasts until that time
 *   d,DEVICE n        goes on with a device, in a new context of its device
 *   g                 launches a graph of three kernels of 10 us
 *   + -               cuProfilerStart, cuProfilerStop
 *   [NAME ]           opens an NVTX range, closes the last one
 *   !                 lets ktime collect what has happened
 *
 * ktime collects at no other time but the end: a thread's time may be behind what was collected of
 * another's, as no real thread's can be.
 */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include <cudaProfiler.h>
#include <nvtx3/nvToolsExt.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

#define THREADS 8
#define STREAMS 4
#define BYTES	(64ul << 20)

void sim_clock_spend(uint64_t ns);
void sim_clock_wait_until(uint64_t ns);

/* Of one context. */
struct place {
	CUcontext context;
	CUfunction kernel;
	CUstream streams[STREAMS];
	CUevent event;
	CUdeviceptr memory, more;
	CUgraphExec graph;
};

static struct place places[2 * THREADS];
static unsigned place_count;
static void *pinned, *pageable;
static CUevent recorded; /* last */

/* The present command, and whose turn it is. */
static const char *command;
static sem_t turn[THREADS], done;

static struct place *place_of(CUcontext context)
{
	struct place *place = places;

	while (place < places + place_count && place->context != context)
		place++;
	if (place < places + place_count)
		return place;
	place_count++;
	place->context = context;
	CHECK(cuCtxSetCurrent(context));
	place->kernel = check_kernel("first");
	for (unsigned i = 0; i < STREAMS; i++)
		CHECK(cuStreamCreate(&place->streams[i], CU_STREAM_NON_BLOCKING));
	CHECK(cuEventCreate(&place->event, CU_EVENT_DISABLE_TIMING));
	CHECK(cuMemAlloc(&place->memory, BYTES));
	return place;
}

static struct place *of_device(int device, bool new_context)
{
	CUcontext context;

	if (new_context)
		CHECK(cuCtxCreate(&context, NULL, 0, device));
	else
		CHECK(cuDevicePrimaryCtxRetain(&context, device));
	CHECK(cuCtxSetCurrent(context));
	return place_of(context);
}

static void launch(struct place *place, uint64_t ns, CUstream stream)
{
	/* 256 threads take 1 ns, and each kernel 1000. */
	CHECK(cuLaunchKernel(place->kernel, (unsigned)(ns - 1000), 1, 1, 256, 1, 1, 0, stream, NULL,
			     NULL));
}

static void launch_graph(struct place *place)
{
	CUgraph graph;

	if (!place->graph) {
		CHECK(cuStreamBeginCapture(place->streams[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
		for (unsigned i = 0; i < 3; i++)
			launch(place, 10000, place->streams[0]);
		CHECK(cuStreamEndCapture(place->streams[0], &graph));
		CHECK(cuGraphInstantiate(&place->graph, graph, 0));
	}
	CHECK(cuGraphLaunch(place->graph, place->streams[0]));
}

static void obey(const char *words, struct place **place)
{
	char *end;
	uint64_t number = words[1] ? strtoull(words + 2, &end, 10) : 0;
	unsigned stream_number = words[1] && *end ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
	CUstream stream = (*place)->streams[strchr("Srw", *words) ? number : stream_number];
	CUdevice device;

	switch (*words) {
	case 'k':
		launch(*place, number, stream);
		break;
	case 'c':
		CHECK(cuMemcpyHtoDAsync((*place)->memory, pinned, number, stream));
		break;
	case 'p':
		CHECK(cuMemcpyHtoDAsync((*place)->memory, pageable, number, stream));
		break;
	case 'C':
		CHECK(cuMemcpyHtoD((*place)->memory, pageable, number));
		break;
	case 'z':
		CHECK(cuMemsetD8Async((*place)->memory, 0, number, stream));
		break;
	case 'y':
		CHECK(cuMemsetD8((*place)->memory, 0, number));
		break;
	case 'Z':
		CHECK(cuMemsetD8((CUdeviceptr)pinned, 0, number));
		break;
	case 'm':
		CHECK(cuMemAlloc(&(*place)->more, 1 << 20));
		break;
	case 'f':
		CHECK(cuMemFree((*place)->more));
		break;
	case 's':
		CHECK(cuCtxSynchronize());
		break;
	case 'S':
		CHECK(cuStreamSynchronize(stream));
		break;
	case 'r':
		recorded = (*place)->event;
		CHECK(cuEventRecord(recorded, stream));
		break;
	case 'w':
		if (recorded)
			CHECK(cuStreamWaitEvent(stream, recorded, 0));
		break;
	case 'h':
		sim_clock_spend(number);
		break;
	case '@':
		sim_clock_wait_until(number);
		break;
	case 'd':
		*place = of_device((int)number, false);
		break;
	case 'n':
		CHECK(cuCtxGetDevice(&device));
		*place = of_device(device, true);
		break;
	case 'g':
		launch_graph(*place);
		break;
	case '+':
		CHECK(cuProfilerStart());
		break;
	case '-':
		CHECK(cuProfilerStop());
		break;
	case '[':
		nvtxRangePushA(words + 1);
		break;
	case ']':
		nvtxRangePop();
		break;
	case '!':
		release_ktime();
		wait_for_ktime_at_rest();
		hold_ktime();
		break;
	default:
		fprintf(stderr, "no command: %s\n", words);
		exit(2);
	}
}

static void *run(void *number)
{
	struct place *place = &places[0];
	sem_t *mine = &turn[(uintptr_t)number];

	CHECK(cuCtxSetCurrent(place->context));
	for (;;) {
		sem_wait(mine);
		if (!command)
			return NULL;
		obey(command, &place);
		sem_post(&done);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS] = {0};
	struct place *place;

	sem_init(&done, 0, 0);
	check_context();
	CHECK(cuMemAllocHost(&pinned, BYTES));
	pageable = malloc(BYTES);
	place = of_device(0, false);
	sim_clock_wait_until(1000000);
	hold_ktime();
	for (int i = 1; i < argc; i++) {
		bool named = argv[i][0] && argv[i][1] == '/';
		uintptr_t thread = named ? (uintptr_t)(argv[i][0] - '0') % THREADS : 0;

		command = argv[i] + (named ? 2 : 0);
		if (!thread) {
			obey(command, &place);
			continue;
		}
		if (!threads[thread]) {
			sem_init(&turn[thread], 0, 0);
			EXPECT(0, pthread_create(&threads[thread], NULL, run, (void *)thread));
		}
		sem_post(&turn[thread]);
		sem_wait(&done);
	}
	command = NULL;
	for (unsigned i = 1; i < THREADS; i++)
		if (threads[i]) {
			sem_post(&turn[i]);
			pthread_join(threads[i], NULL);
		}
	free(pageable);
	release_ktime();
	return 0;
}
