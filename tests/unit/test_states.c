/* SPDX-License-Identifier: MIT */
/* What ktime learns from the calls that change what it knows: streams, kernels' names, graphs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "preload/base/lifecycle_state.h"
#include "preload/driver/driver.h"
#include "preload/handles/capture.h"
#include "preload/handles/graph.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/hooks/lookup.h"
#include "preload/launch/window.h"
#include "preload/lifecycle/context_end.h"
#include "preload/memory/allocations.h"

#define STATE(symbol, name, parameters, arguments, before, after)                                  \
	CUresult wrapped_##symbol parameters;
#include "preload/driver/states.def"
#undef STATE

#define EXEC  ((CUgraphExec)1)
#define GRAPH ((CUgraph)2)
#define NODE  ((CUgraphNode)3)

void *_Atomic driver_entries[ENTRY_COUNT];
_Atomic int lifecycle_state = LIFECYCLE_RUNNING;

/* What was done, in order; one word each, and the driver's own call. */
static char done[500];
static CUresult result;

static void note(const char *word)
{
	if (strlen(done) + strlen(word) + 2 < sizeof(done)) {
		strcat(done, *done ? " " : "");
		strcat(done, word);
	}
	errno = 99;
}

static void is(const char *expected)
{
	assert_string_equal(done, expected);
	done[0] = '\0';
}

#define NOTES(name, parameters, ...)                                                               \
	void name parameters                                                                       \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
		note(#name);                                                                       \
	}

NOTES(capture_began, (CUresult given), assert_int_equal(given, result))
NOTES(capture_begins, (void))
NOTES(capture_ended, (CUresult given), assert_int_equal(given, result))
NOTES(context_ends, (CUcontext context), assert_ptr_equal(context, (CUcontext)1))
NOTES(context_on_device, (int device), assert_int_equal(device, 4))
NOTES(graph_child_changed, (CUgraphExec exec, CUgraphNode node, CUgraph graph, CUresult given),
      assert_ptr_equal(exec, EXEC), assert_ptr_equal(node, NODE), assert_ptr_equal(graph, GRAPH),
      assert_int_equal(given, result))
NOTES(graph_ending, (CUgraphExec exec), assert_ptr_equal(exec, EXEC))
NOTES(graph_instantiated, (const CUgraphExec *exec, CUgraph graph, CUresult given),
      assert_ptr_equal(*exec, EXEC), assert_ptr_equal(graph, GRAPH),
      assert_int_equal(given, result))
NOTES(graph_node_enabled, (CUgraphExec exec, CUgraphNode node, bool enabled, CUresult given),
      assert_ptr_equal(exec, EXEC), assert_ptr_equal(node, NODE), assert_true(enabled),
      assert_int_equal(given, result))
NOTES(graph_updated, (CUgraphExec exec, CUgraph graph, CUresult given),
      assert_ptr_equal(exec, EXEC), assert_ptr_equal(graph, GRAPH), assert_int_equal(given, result))
NOTES(green_ends, (void *context), assert_ptr_equal(context, &result))
NOTES(instantiation_begin, (void))
NOTES(instantiation_update_begin, (void))
NOTES(lifecycle_initialised, (void))
NOTES(lifecycle_start, (void))
NOTES(lookup_asked, (const char *name), assert_string_equal(name, "cuName"))
NOTES(lookup_initialised, (void))
NOTES(operation_modules_unload, (void))
NOTES(primary_ends, (CUdevice device), assert_int_equal(device, 4))
NOTES(primary_released, (CUdevice device), assert_int_equal(device, 4))
NOTES(stream_ending, (CUstream stream), assert_ptr_equal(stream, (CUstream)7))
NOTES(stream_made, (CUstream stream, unsigned flags), assert_ptr_equal(stream, (CUstream)7),
      assert_int_equal(flags, 1))

void allocation_retained(CUresult given, const unsigned long long *handle, const void *address)
{
	assert_int_equal(given, result);
	assert_int_equal(*handle, 12);
	assert_ptr_equal(address, &result);
	note("allocation_retained");
}

static const CUcontext *retained;

void primary_retained(CUdevice device, const CUcontext *context, CUresult given)
{
	assert_int_equal(device, 4);
	assert_int_equal(given, result);
	retained = context;
	note("primary_retained");
}

void lookup_answered(const char *name, void **pointer, CUresult given)
{
	assert_string_equal(name, "cuName");
	assert_ptr_equal(*pointer, &result);
	assert_int_equal(given, result);
	note("lookup_answered");
}

void window_set(bool on)
{
	note(on ? "opened" : "closed");
}

static CUfunction changed_to;
static const void *parameters_given;

void graph_kernel_changed(CUgraphExec exec, CUgraphNode node,
			  const CUDA_KERNEL_NODE_PARAMS_v2 *parameters, CUresult given)
{
	assert_ptr_equal(exec, EXEC);
	assert_ptr_equal(node, NODE);
	assert_int_equal(given, result);
	parameters_given = parameters;
	changed_to = parameters ? parameters->func : NULL;
	note("graph_kernel_changed");
}

static bool names_known;
static struct operation turned = {.name = "its own"};
static const void *remembered;
static const char *remembered_name;

bool operation_driver_names(void)
{
	return names_known;
}

struct operation *operation_of_kernel(CUfunction function)
{
	assert_ptr_equal(function, (CUfunction)8);
	return &turned;
}

void operation_remember_kernel(const void *handle, const char *name)
{
	remembered = handle;
	remembered_name = name;
	note("remembered");
}

/* The driver's function, whatever it is called with. */
static CUresult real(void)
{
	assert_int_equal(errno, 5);
	note("real");
	errno = 6;
	return result;
}

static unsigned late;

void *lookup_late(enum driver_entry entry, const void *caller)
{
	assert_int_equal(entry, ENTRY_cuProfilerStart);
	assert_non_null(caller);
	late++;
	return real;
}

static int start(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENTRY_COUNT; i++)
		driver_entries[i] = real;
	result = CUDA_SUCCESS;
	done[0] = '\0';
	names_known = false;
	remembered = remembered_name = NULL;
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	return 0;
}

/* Has a call made, after which errno is the driver's, and says what was done. */
#define MAKES(call, expected)                                                                      \
	do {                                                                                       \
		errno = 5;                                                                         \
		assert_int_equal(call, result);                                                    \
		assert_int_equal(errno, 6);                                                        \
		is(expected);                                                                      \
	} while (0)

static void the_device_of_a_context_that_was_made_is_told(void **state)
{
	CUcontext context;

	(void)state;
	MAKES(wrapped_cuCtxCreate(&context, 0, 4), "real context_on_device");
	MAKES(wrapped_cuCtxCreate_v2(&context, 0, 4), "real context_on_device");
	MAKES(wrapped_cuCtxCreate_v3(&context, NULL, 0, 0, 4), "real context_on_device");
	MAKES(wrapped_cuCtxCreate_v4(&context, NULL, 0, 4), "real context_on_device");
	result = CUDA_ERROR_OUT_OF_MEMORY;
	MAKES(wrapped_cuCtxCreate_v2(&context, 0, 4), "real");
}

static void what_comes_before_the_drivers_call_and_what_after(void **state)
{
	CUcontext context = (CUcontext)1;
	CUgraphExec exec = EXEC;
	CUstream stream = (CUstream)7;
	unsigned long long handle = 12;
	void *pointer = &result;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		MAKES(wrapped_cuGetProcAddress("cuName", &pointer, 13000, 0),
		      "lookup_asked real lookup_answered");
		MAKES(wrapped_cuStreamBeginCapture(stream), "capture_begins real capture_began");
		MAKES(wrapped_cuStreamEndCapture(stream, NULL), "real capture_ended");
		MAKES(wrapped_cuCtxDestroy_v2(context), "context_ends real");
		retained = NULL;
		MAKES(wrapped_cuDevicePrimaryCtxRetain(&context, 4), "real primary_retained");
		assert_ptr_equal(retained, &context);
		MAKES(wrapped_cuGreenCtxCreate(NULL, NULL, 4, 0), "real primary_retained");
		assert_null(retained);
		MAKES(wrapped_cuDevicePrimaryCtxReset_v2(4), "primary_ends real");
		MAKES(wrapped_cuDevicePrimaryCtxRelease_v2(4), "primary_released real");
		MAKES(wrapped_cuGreenCtxDestroy(&result), "green_ends real");
		MAKES(wrapped_cuStreamDestroy_v2(stream), "stream_ending real");
		MAKES(wrapped_cuModuleUnload(NULL), "operation_modules_unload real");
		MAKES(wrapped_cuGraphInstantiateWithFlags(&exec, GRAPH, 0),
		      "instantiation_begin real graph_instantiated");
		MAKES(wrapped_cuGraphExecUpdate_v2(EXEC, GRAPH, NULL),
		      "instantiation_update_begin real graph_updated");
		MAKES(wrapped_cuGraphExecChildGraphNodeSetParams(EXEC, NODE, GRAPH),
		      "real graph_child_changed");
		MAKES(wrapped_cuGraphNodeSetEnabled(EXEC, NODE, 1), "real graph_node_enabled");
		MAKES(wrapped_cuGraphExecDestroy(EXEC), "graph_ending real");
		MAKES(wrapped_cuMemRetainAllocationHandle(&handle, &result),
		      "real allocation_retained");
		MAKES(wrapped_cuProfilerStart(), "opened real");
		MAKES(wrapped_cuProfilerStop(), "real closed");
		result = CUDA_ERROR_UNKNOWN;
	}
}

static void a_driver_that_was_not_looked_up_is_looked_up_late(void **state)
{
	(void)state;
	driver_entries[ENTRY_cuProfilerStart] = NULL;
	MAKES(wrapped_cuProfilerStart(), "opened real");
	assert_int_equal(late, 1);
	MAKES(wrapped_cuProfilerStop(), "real closed");
	assert_int_equal(late, 1);
}

static void the_drivers_initialisation_is_told(void **state)
{
	(void)state;
	MAKES(wrapped_cuInit(0), "real lookup_initialised lifecycle_initialised");
	result = CUDA_ERROR_NO_DEVICE;
	MAKES(wrapped_cuInit(0), "real lookup_initialised");
	result = CUDA_SUCCESS;
}

static void ktime_starts_before_the_call_that_follows(void **state)
{
	CUcontext context;
	int number;

	(void)state;
	atomic_store(&lifecycle_state, LIFECYCLE_INITIALISED);
	MAKES(wrapped_cuDeviceGetCount(&number), "lifecycle_start real");
	MAKES(wrapped_cuDeviceGet(&number, 0), "lifecycle_start real");
	MAKES(wrapped_cuDevicePrimaryCtxRetain(&context, 4),
	      "lifecycle_start real primary_retained");
	MAKES(wrapped_cuCtxCreate(&context, 0, 4), "lifecycle_start real context_on_device");
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	MAKES(wrapped_cuDeviceGet(&number, 0), "real");
}

static void streams_that_are_made_are_known(void **state)
{
	CUstream stream = (CUstream)7;

	(void)state;
	MAKES(wrapped_cuStreamCreate(&stream, 1), "real stream_made");
	MAKES(wrapped_cuStreamCreateWithPriority(&stream, 1, 0), "real stream_made");
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	MAKES(wrapped_cuStreamCreate(&stream, 1), "real");
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	result = CUDA_ERROR_OUT_OF_MEMORY;
	MAKES(wrapped_cuStreamCreate(&stream, 1), "real");
}

static void names_of_kernels_are_remembered_by_their_handles(void **state)
{
	CUfunction function = (CUfunction)9;
	void *kernel = (void *)10;

	(void)state;
	MAKES(wrapped_cuModuleGetFunction(&function, NULL, "name"), "real remembered");
	assert_ptr_equal(remembered, function);
	assert_string_equal(remembered_name, "name");
	MAKES(wrapped_cuLibraryGetKernel(&kernel, NULL, "other"), "real remembered");
	assert_ptr_equal(remembered, kernel);
	assert_string_equal(remembered_name, "other");
	MAKES(wrapped_cuLibraryGetKernel(NULL, NULL, "other"), "real");
	MAKES(wrapped_cuLibraryGetKernel(&kernel, NULL, NULL), "real");
	/* A kernel's function has its name, where the driver does not say it. */
	MAKES(wrapped_cuKernelGetFunction(&function, (void *)8), "real remembered");
	assert_ptr_equal(remembered, function);
	assert_string_equal(remembered_name, "its own");
	MAKES(wrapped_cuKernelGetFunction(NULL, (void *)8), "real");
	names_known = true;
	MAKES(wrapped_cuKernelGetFunction(&function, (void *)8), "real");
	names_known = false;
	result = CUDA_ERROR_NOT_FOUND;
	MAKES(wrapped_cuKernelGetFunction(&function, (void *)8), "real");
	MAKES(wrapped_cuModuleGetFunction(&function, NULL, "name"), "real");
}

static void a_nodes_new_parameters_are_read_in_each_form(void **state)
{
	/* CUDA_KERNEL_NODE_PARAMS_v1 ends before the member that names a CUkernel. */
	const CUDA_KERNEL_NODE_PARAMS_v1 old = {.func = (CUfunction)20};
	const CUDA_KERNEL_NODE_PARAMS_v2 newer = {.func = (CUfunction)21};
	struct {
		CUgraphNodeType type;
		char unused[12];
		union {
			CUDA_KERNEL_NODE_PARAMS_v2 kernel;
			CUgraph graph;
		};
	} any = {.type = CU_GRAPH_NODE_TYPE_KERNEL, .kernel = {.func = (CUfunction)22}};

	(void)state;
	MAKES(wrapped_cuGraphExecKernelNodeSetParams(EXEC, NODE, &old),
	      "real graph_kernel_changed");
	assert_ptr_equal(changed_to, (CUfunction)20);
	MAKES(wrapped_cuGraphExecKernelNodeSetParams(EXEC, NODE, NULL), "real");
	MAKES(wrapped_cuGraphExecKernelNodeSetParams_v2(EXEC, NODE, &newer),
	      "real graph_kernel_changed");
	assert_ptr_equal(parameters_given, &newer);
	MAKES(wrapped_cuGraphExecNodeSetParams(EXEC, NODE, &any), "real graph_kernel_changed");
	assert_ptr_equal(changed_to, (CUfunction)22);
	any.type = CU_GRAPH_NODE_TYPE_GRAPH;
	any.graph = GRAPH;
	MAKES(wrapped_cuGraphExecNodeSetParams(EXEC, NODE, &any), "real graph_child_changed");
	any.type = CU_GRAPH_NODE_TYPE_MEMSET;
	MAKES(wrapped_cuGraphExecNodeSetParams(EXEC, NODE, &any), "real");
	MAKES(wrapped_cuGraphExecNodeSetParams(EXEC, NODE, NULL), "real");
	any.type = CU_GRAPH_NODE_TYPE_KERNEL;
	result = CUDA_ERROR_INVALID_VALUE;
	MAKES(wrapped_cuGraphExecNodeSetParams(EXEC, NODE, &any), "real");
	MAKES(wrapped_cuGraphExecKernelNodeSetParams(EXEC, NODE, &old), "real");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_device_of_a_context_that_was_made_is_told, start),
		cmocka_unit_test_setup(what_comes_before_the_drivers_call_and_what_after, start),
		cmocka_unit_test_setup(a_driver_that_was_not_looked_up_is_looked_up_late, start),
		cmocka_unit_test_setup(the_drivers_initialisation_is_told, start),
		cmocka_unit_test_setup(ktime_starts_before_the_call_that_follows, start),
		cmocka_unit_test_setup(streams_that_are_made_are_known, start),
		cmocka_unit_test_setup(names_of_kernels_are_remembered_by_their_handles, start),
		cmocka_unit_test_setup(a_nodes_new_parameters_are_read_in_each_form, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
