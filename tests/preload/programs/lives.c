/* SPDX-License-Identifier: MIT */
/*
 * Streams, modules and threads that end, with work in flight, and others that take their place:
 * what the argument names.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "tests/sim/programs/check.h"

enum {
	TIMES = 50,
};

/* Handles come again at the same addresses. */
static void streams(void)
{
	CUfunction kernel;
	CUstream stream;

	check_context();
	kernel = check_kernel("first");
	for (int i = 0; i < TIMES; i++) {
		CHECK(cuStreamCreate(&stream, i % 2 ? CU_STREAM_NON_BLOCKING : 0));
		check_launch(kernel, stream);
		check_launch(kernel, NULL);
		CHECK(cuStreamDestroy(stream));
	}
}

/* The same handles, and other kernels behind them. */
static void modules(void)
{
	CUfunction kernel;
	CUmodule module;

	check_context();
	for (int i = 0; i < TIMES; i++) {
		CHECK(cuModuleLoadData(&module, CHECK_PTX));
		CHECK(cuModuleGetFunction(&kernel, module, i % 2 ? "second" : "first"));
		check_launch(kernel, NULL);
		CHECK(cuCtxSynchronize());
		CHECK(cuModuleUnload(module));
	}
}

/* Two kernels in turn, once a module was unloaded. */
static void kernels_in_turn(void)
{
	CUfunction first, second;
	CUmodule module;

	check_context();
	for (int i = 0; i < 2; i++) {
		CHECK(cuModuleLoadData(&module, CHECK_PTX));
		CHECK(cuModuleGetFunction(&first, module, "first"));
		CHECK(cuModuleGetFunction(&second, module, "second"));
		for (int k = 0; k < i * TIMES; k++) {
			check_launch(first, NULL);
			check_launch(second, NULL);
		}
		CHECK(cuCtxSynchronize());
		if (i == 0)
			CHECK(cuModuleUnload(module));
	}
}

enum { BYTES = 4096 };

static void *launch_twice(void *kernel)
{
	CUcontext context;

	CHECK(cuDevicePrimaryCtxRetain(&context, 0));
	CHECK(cuCtxSetCurrent(context));
	check_launch(kernel, NULL);
	check_launch(kernel, NULL);
	CHECK(cuCtxSynchronize());
	return NULL;
}

/* A kernel of the primary context, which is the calling thread's from here on. */
static CUfunction primary_kernel(void)
{
	CUcontext context;

	CHECK(cuInit(0));
	CHECK(cuDevicePrimaryCtxRetain(&context, 0));
	CHECK(cuCtxSetCurrent(context));
	return check_kernel("first");
}

static void threads(void)
{
	CUfunction kernel = primary_kernel();
	pthread_t thread;

	for (int i = 0; i < TIMES; i++) {
		pthread_create(&thread, NULL, launch_twice, kernel);
		pthread_join(thread, NULL);
	}
}

enum { THREADS = 8 };

static pthread_barrier_t all_there;

static void *launch_among_others(void *kernel)
{
	pthread_barrier_wait(&all_there);
	launch_twice(kernel);
	pthread_barrier_wait(&all_there);
	return NULL;
}

/* Threads that launch when another one has, and live side by side. */
static void threads_together(void)
{
	CUfunction kernel = primary_kernel();
	pthread_t together[THREADS];

	check_launch(kernel, NULL);
	CHECK(cuCtxSynchronize());
	pthread_barrier_init(&all_there, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&together[i], NULL, launch_among_others, kernel);
	for (int i = 0; i < THREADS; i++)
		pthread_join(together[i], NULL);
	pthread_barrier_destroy(&all_there);
}

enum { ROUNDS = 5, LAUNCHES = 100 };

struct turn_taker {
	pthread_barrier_t *turn;
	CUcontext context;
	CUfunction kernel;
	CUstream stream; /* NULL: both in the default stream */
	CUevent done;
	struct turn_taker *other;
	int number;
};

static void *launch_in_turn(void *argument)
{
	struct turn_taker *taker = argument;

	CHECK(cuCtxSetCurrent(taker->context));
	for (int turn = 0; turn < 2 * ROUNDS; turn++) {
		pthread_barrier_wait(taker->turn);
		if (turn % 2 != taker->number)
			continue;
		if (taker->stream && turn > 0)
			CHECK(cuStreamWaitEvent(taker->stream, taker->other->done, 0));
		for (int i = 0; i < LAUNCHES; i++)
			check_launch(taker->kernel, taker->stream);
		if (taker->stream)
			CHECK(cuEventRecord(taker->done, taker->stream));
	}
	return NULL;
}

static void take_turns(bool own_streams)
{
	static const char *const names[] = {"first", "second"};
	struct turn_taker takers[2];
	pthread_barrier_t turn;
	pthread_t other;

	pthread_barrier_init(&turn, NULL, 2);
	takers[0] = (struct turn_taker){&turn, check_context(), NULL, NULL, NULL, &takers[1], 0};
	takers[1] = (struct turn_taker){&turn, takers[0].context, NULL, NULL, NULL, &takers[0], 1};
	for (int i = 0; i < 2; i++) {
		takers[i].kernel = check_kernel(names[i]);
		CHECK(cuEventCreate(&takers[i].done, CU_EVENT_DISABLE_TIMING));
		if (own_streams)
			CHECK(cuStreamCreate(&takers[i].stream, CU_STREAM_NON_BLOCKING));
	}
	pthread_create(&other, NULL, launch_in_turn, &takers[1]);
	launch_in_turn(&takers[0]);
	pthread_join(other, NULL);
	CHECK(cuCtxSynchronize());
	pthread_barrier_destroy(&turn);
}

/* Two threads in one stream, as a training's forward and backward pass have it. */
static void threads_in_turns(void)
{
	take_turns(false);
}

/* In a stream each, where the work of one waits for that of the other. */
static void threads_one_after_the_other(void)
{
	take_turns(true);
}

/* Each way of copying between two devices and back, and a copy within one. */
static void copy_between(CUcontext first, CUdeviceptr here, CUcontext second, CUdeviceptr there)
{
	CHECK(cuMemcpyPeer(there, second, here, first, BYTES));
	CHECK(cuMemcpyPeerAsync(here, first, there, second, BYTES, NULL));
	CHECK(cuMemcpy(there, here, BYTES));
	CHECK(cuMemcpyDtoDAsync_v2(here, there, BYTES, NULL));
	CHECK(cuMemcpyPeer(here, first, here + BYTES, first, BYTES));
	CHECK(cuMemcpyDtoD_v2(here, here + BYTES, BYTES));
	CHECK(cuCtxSynchronize());
}

static void peers(int access)
{
	CUdeviceptr here, there;
	CUcontext first, second;

	CHECK(cuInit(0));
	CHECK(cuDevicePrimaryCtxRetain(&second, 1));
	CHECK(cuCtxSetCurrent(second));
	CHECK(cuMemAlloc_v2(&there, BYTES));
	CHECK(cuDevicePrimaryCtxRetain(&first, 0));
	CHECK(cuCtxSetCurrent(first));
	CHECK(cuMemAlloc_v2(&here, 2 * BYTES));
	if (access)
		CHECK(cuCtxEnablePeerAccess(second, 0));
	copy_between(first, here, second, there);
}

static void peers_with_access(void)
{
	peers(1);
}

static void peers_without_access(void)
{
	peers(0);
}

static const struct {
	const char *name;
	void (*run)(void);
} lives[] = {
	{"streams", streams},
	{"modules", modules},
	{"kernels_in_turn", kernels_in_turn},
	{"threads", threads},
	{"threads_together", threads_together},
	{"threads_in_turns", threads_in_turns},
	{"threads_one_after_the_other", threads_one_after_the_other},
	{"peers_with_access", peers_with_access},
	{"peers_without_access", peers_without_access},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(lives) / sizeof(lives[0]); i++) {
		if (strcmp(argv[1], lives[i].name))
			continue;
		lives[i].run();
		puts("done");
		return 0;
	}
	return 2;
}
