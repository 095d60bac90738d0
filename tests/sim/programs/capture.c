/* SPDX-License-Identifier: MIT */
/*
 * What breaks a capture and what does not. Each case begins a capture in the given mode, makes one
 * call from the capturing thread or from another one, and prints what the call and the end of the
 * capture returned, and the nodes of the graph.
 *
 * usage: capture CASE [global|thread-local|relaxed [here|there|there-relaxed]]
 * Without a mode or a place, each of them in turn.
 */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "tests/sim/programs/check.h"

static CUcontext context;
static CUstream captured;
static CUevent event;
static CUdeviceptr memory;
static CUresult (*call)(void);
static const char *place;
static CUresult result;

static CUresult launch_elsewhere(void)
{
	return cuEventRecord(event, NULL);
}

static CUresult query_event(void)
{
	return cuEventQuery(event);
}

static CUresult synchronize_event(void)
{
	return cuEventSynchronize(event);
}

static CUresult query_stream(void)
{
	return cuStreamQuery(CU_STREAM_PER_THREAD);
}

static CUresult allocate(void)
{
	CUdeviceptr pointer;

	return cuMemAlloc(&pointer, 16);
}

static CUresult stream_id(void)
{
	unsigned long long id;

	return cuStreamGetId(captured, &id);
}

static CUresult is_capturing(void)
{
	CUstreamCaptureStatus status;

	return cuStreamIsCapturing(captured, &status);
}

static CUresult create_event(void)
{
	CUevent created;

	return cuEventCreate(&created, 0);
}

static CUresult pointer_attributes(void)
{
	CUpointer_attribute attribute = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
	unsigned int type;
	void *data = &type;

	return cuPointerGetAttributes(1, &attribute, &data, memory);
}

static CUresult nothing(void)
{
	return CUDA_SUCCESS;
}

static const struct {
	const char *name;
	CUresult (*call)(void);
} cases[] = {
	{"record-legacy", launch_elsewhere},
	{"event-query", query_event},
	{"event-synchronize", synchronize_event},
	{"stream-query", query_stream},
	{"allocate", allocate},
	{"stream-id", stream_id},
	{"context-synchronize", cuCtxSynchronize},
	{"is-capturing", is_capturing},
	{"event-create", create_event},
	{"pointer-attributes", pointer_attributes},
	{"nothing", nothing},
};

static void *make_call(void *unused)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	if (!strcmp(place, "there-relaxed"))
		CHECK(cuThreadExchangeStreamCaptureMode(&mode));
	result = call();
	return NULL;
}

static void print_nodes(CUgraph graph)
{
	size_t count = 0;
	CUgraphNode nodes[8];
	CUgraphNodeType type;

	CHECK(cuGraphGetNodes(graph, NULL, &count));
	CHECK(cuGraphGetNodes(graph, nodes, &count));
	for (size_t i = 0; i < count; i++) {
		CHECK(cuGraphNodeGetType(nodes[i], &type));
		printf(" %d", type);
	}
}

static const char *const modes[] = {"global", "thread-local", "relaxed"};
static const char *const places[] = {"here", "there", "there-relaxed"};

static void capture(CUfunction kernel, CUstreamCaptureMode mode)
{
	CUgraph graph = NULL;
	CUresult ended;
	pthread_t other;

	CHECK(cuStreamBeginCapture(captured, mode));
	check_launch(kernel, captured);
	CHECK(cuMemsetD8Async(memory, 1, 64, captured));
	if (strcmp(place, "here")) {
		pthread_create(&other, NULL, make_call, NULL);
		pthread_join(other, NULL);
	} else {
		result = call();
	}
	ended = cuStreamEndCapture(captured, &graph);
	printf("call %d, capture %d, nodes", result, ended);
	if (graph)
		print_nodes(graph);
	printf("\n");
}

/* Whether an argument names the mode or the place, or there is none. */
static bool is_asked(int argc, char **argv, int argument, const char *name)
{
	return argc <= argument || !strcmp(argv[argument], name);
}

int main(int argc, char **argv)
{
	CUfunction kernel;

	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(cases[i].name, argv[1]))
			call = cases[i].call;
	if (!call)
		return 2;
	context = check_context();
	kernel = check_kernel("first");
	CHECK(cuStreamCreate(&captured, CU_STREAM_DEFAULT));
	CHECK(cuEventCreate(&event, 0));
	CHECK(cuMemAlloc(&memory, 64));
	CHECK(cuEventRecord(event, NULL));
	for (unsigned mode = 0; mode < sizeof(modes) / sizeof(modes[0]); mode++)
		for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			place = places[i];
			if (is_asked(argc, argv, 2, modes[mode]) && is_asked(argc, argv, 3, place))
				capture(kernel, (CUstreamCaptureMode)mode);
		}
	return 0;
}
