/* SPDX-License-Identifier: MIT */
/*
 * Forks while other threads make and end streams, or graphs, as the argument names; each child
 * ends the one that the parent made for it. Says how many children came back.
 *
 * usage: forks_amid streams|graphs
 */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

enum {
	THREADS = 2,
	CHILDREN = 300,
	PATIENCE_S = 5, /* a child that waits for a lock does so for good */
};

static CUcontext context;
static CUgraph graph;

static void *make_streams(void *unused)
{
	CUstream stream;

	CHECK(cuCtxSetCurrent(context));
	for (;;) {
		CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
		CHECK(cuStreamDestroy(stream));
	}
	return unused;
}

static void *make_graphs(void *unused)
{
	CUgraphExec exec;

	CHECK(cuCtxSetCurrent(context));
	for (;;) {
		CHECK(cuGraphInstantiate(&exec, graph, 0));
		CHECK(cuGraphExecDestroy(exec));
	}
	return unused;
}

int main(int argc, char **argv)
{
	int streams = argc == 2 && !strcmp(argv[1], "streams");
	int back = 0, status = 0;
	CUgraphExec exec;
	CUstream stream;
	pthread_t thread;

	context = check_context();
	check_launch(check_kernel("first"), NULL);
	CHECK(cuGraphCreate(&graph, 0));
	CHECK(cuGraphInstantiate(&exec, graph, 0));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, streams ? make_streams : make_graphs, NULL);
	while (back < CHILDREN && status == 0) {
		pid_t child = fork();

		if (child == 0) {
			alarm(PATIENCE_S);
			_exit((streams ? cuStreamDestroy(stream) : cuGraphExecDestroy(exec)) !=
			      CUDA_ERROR_NOT_INITIALIZED);
		}
		waitpid(child, &status, 0);
		back += status == 0;
	}
	printf("%d children came back\n", back);
	fflush(stdout);
	_exit(0);
}
