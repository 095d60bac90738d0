/* SPDX-License-Identifier: MIT */
/*
 * host_ends HOW WAY: a host function ends the program, by exit, _exit, quick_exit, abort or execve,
 * while work behind it waits for it and the main thread for all. HOW: function, callback, node (of
 * a graph), captured; or handler: a signal's handler that interrupts the program in a launch. In
 * exit the primary context is released last, as CUDA's runtime does.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "tests/preload/programs/captured.h"

static const char *way;
static bool in_handler;
static atomic_bool all_launched;

static void end(void *unused)
{
	char *const arguments[] = {"sh", "-c", "exit 3", NULL};

	(void)unused;
	/* The test counts the two launches behind it: not before they have returned. */
	for (int i = 0; i < 4000 && !in_handler && !atomic_load(&all_launched); i++)
		usleep(1000);
	/* Past the moment at which what was launched before it is timed. */
	usleep(20000);
	if (!in_handler)
		EXPECT(CUDA_ERROR_NOT_PERMITTED, cuCtxSynchronize());
	if (strcmp(way, "exit") == 0)
		exit(3);
	if (strcmp(way, "_exit") == 0)
		_exit(3);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(3);
	if (strcmp(way, "abort") == 0)
		abort();
	if (strcmp(way, "execve") == 0)
		execve("/bin/sh", arguments, NULL);
}

static void release(void)
{
	cuDevicePrimaryCtxRelease(0);
}

static void end_in_callback(CUstream stream, CUresult result, void *unused)
{
	(void)stream;
	(void)result;
	end(unused);
}

static void end_in_handler(int signal)
{
	(void)signal;
	in_handler = true;
	end(NULL);
}

static void launch_node(CUstream stream)
{
	const CUDA_HOST_NODE_PARAMS host = {end, NULL};
	CUgraphExec exec;
	CUgraphNode node;
	CUgraph graph;

	CHECK(cuGraphCreate(&graph, 0));
	CHECK(cuGraphAddHostNode(&node, graph, NULL, 0, &host));
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	CHECK(cuGraphLaunch(exec, stream));
}

static void launch_captured(CUstream stream)
{
	CUgraphExec exec;
	CUgraph graph;

	CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	CHECK(cuLaunchHostFunc(stream, end, NULL));
	CHECK(cuStreamEndCapture(stream, &graph));
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	CHECK(cuGraphLaunch(exec, stream));
}

int main(int argc, char **argv)
{
	CUfunction kernel;
	CUstream stream;

	if (argc != 3)
		return 2;
	way = argv[2];
	atexit(release);
	check_context();
	kernel = check_kernel("first");
	CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	for (int i = 0; i < 10; i++)
		check_launch(kernel, stream);
	CHECK(cuStreamSynchronize(stream));
	/* A call that is no operation, after ktime has taken those before. */
	usleep(20000);
	CHECK(cuStreamSynchronize(stream));
	puts("worked");
	fflush(stdout);
	if (strcmp(argv[1], "function") == 0) {
		CHECK(cuLaunchHostFunc(stream, end, NULL));
	} else if (strcmp(argv[1], "callback") == 0) {
		CHECK(cuStreamAddCallback(stream, end_in_callback, NULL, 0));
	} else if (strcmp(argv[1], "node") == 0) {
		launch_node(stream);
	} else if (strcmp(argv[1], "captured") == 0) {
		launch_captured(stream);
	} else {
		signal(SIGALRM, end_in_handler);
		ualarm(50000, 0);
	}
	check_launch(kernel, stream);
	check_launch(kernel, NULL);
	atomic_store(&all_launched, true);
	CHECK(cuCtxSynchronize());
	return 1;
}
