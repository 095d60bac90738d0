/* SPDX-License-Identifier: MIT */
/*
 * Contexts that end with work in flight, handles that come back, modules loaded again, several
 * devices (SIM_DEVICES=2), and names of kernels by handle.
 *
 * usage: contexts [reset|destroy|module|devices|names|green|dead-event|dead-stream]
 */
#include <cuda.h>
#include <string.h>

#include "tests/sim/programs/check.h"

static CUcontext context;

static CUevent recorded(CUstream stream)
{
	CUevent event;

	CHECK(cuEventCreate(&event, 0));
	CHECK(cuEventRecord(event, stream));
	return event;
}

/* The primary context ends; what it held answers no more, and it comes back as new. */
static void reset(void)
{
	CUevent event = recorded(NULL);
	CUdeviceptr memory;

	check_launch(check_kernel("first"), NULL);
	CHECK(cuDevicePrimaryCtxReset(0));
	EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuEventQuery(event));
	EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc(&memory, 16));
	check_context();
	check_launch(check_kernel("second"), NULL);
	CHECK(cuCtxSynchronize());
}

static void destroy(void)
{
	CUcontext second, current;
	CUstream stream;
	CUevent event;

	CHECK(cuCtxCreate(&second, NULL, 0, 0));
	CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	check_launch(check_kernel("first"), stream);
	event = recorded(stream);
	CHECK(cuCtxDestroy(second));
	EXPECT(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuEventQuery(event));
	CHECK(cuCtxGetCurrent(&current));
	EXPECT(1, current == context);
	check_launch(check_kernel("second"), NULL);
	CHECK(cuCtxSynchronize());
}

/* The next module has the handles of the last, and another kernel behind them. */
static void module(void)
{
	CUfunction before, after;
	CUmodule loaded;
	const char *name;

	CHECK(cuModuleLoadData(&loaded, CHECK_PTX));
	CHECK(cuModuleGetFunction(&before, loaded, "first"));
	check_launch(before, NULL);
	CHECK(cuModuleUnload(loaded));
	CHECK(cuModuleLoadData(&loaded, CHECK_PTX));
	EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&after, loaded, "third"));
	CHECK(cuModuleGetFunction(&after, loaded, "second"));
	CHECK(cuFuncGetName(&name, after));
	EXPECT(1, before == after && !strcmp(name, "second"));
	check_launch(after, NULL);
	CHECK(cuCtxSynchronize());
}

static void devices(void)
{
	CUcontext second;
	CUdeviceptr here, there;
	CUdevice device;
	int count;

	CHECK(cuDeviceGetCount(&count));
	EXPECT(2, count);
	CHECK(cuMemAlloc(&here, 1000));
	check_launch(check_kernel("first"), NULL);
	CHECK(cuDevicePrimaryCtxRetain(&second, 1));
	CHECK(cuCtxPushCurrent(second));
	CHECK(cuCtxGetDevice(&device));
	EXPECT(1, device);
	CHECK(cuMemAlloc(&there, 1000));
	check_launch(check_kernel("first"), NULL);
	CHECK(cuMemcpyPeer(there, second, here, context, 1000));
	CHECK(cuCtxSynchronize());
	CHECK(cuCtxPopCurrent(NULL));
	CHECK(cuCtxSynchronize());
}

/* A kernel of a library is known by one name look-up, a function of a module by the other. */
static void names(void)
{
	CUfunction function = check_kernel("first");
	CUlibrary library;
	CUkernel kernel;
	const char *name;

	CHECK(cuLibraryLoadData(&library, CHECK_PTX, NULL, NULL, 0, NULL, NULL, 0));
	CHECK(cuLibraryGetKernel(&kernel, library, "second"));
	CHECK(cuKernelGetName(&name, kernel));
	EXPECT(0, strcmp(name, "second"));
	EXPECT(CUDA_ERROR_INVALID_HANDLE, cuFuncGetName(&name, (CUfunction)kernel));
	CHECK(cuFuncGetName(&name, function));
	EXPECT(0, strcmp(name, "first"));
	EXPECT(CUDA_ERROR_INVALID_HANDLE, cuKernelGetName(&name, (CUkernel)function));
	check_launch((CUfunction)kernel, NULL);
	check_launch(function, NULL);
	CHECK(cuCtxSynchronize());
}

static void green(void)
{
	CUdevResource resource, half;
	CUdevResourceDesc description;
	CUgreenCtx green_context;
	CUcontext derived, of_stream;
	CUfunction kernel;
	CUstream stream;
	unsigned int groups = 1;

	CHECK(cuDeviceGetDevResource(0, &resource, CU_DEV_RESOURCE_TYPE_SM));
	CHECK(cuDevSmResourceSplitByCount(&half, &groups, &resource, NULL, 0, 66));
	CHECK(cuDevResourceGenerateDesc(&description, &half, 1));
	CHECK(cuGreenCtxCreate(&green_context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	CHECK(cuGreenCtxStreamCreate(&stream, green_context, CU_STREAM_NON_BLOCKING, 0));
	CHECK(cuCtxFromGreenCtx(&derived, green_context));
	CHECK(cuStreamGetCtx(stream, &of_stream));
	EXPECT(1, of_stream == derived);
	kernel = check_kernel("first");
	check_launch(kernel, stream);
	CHECK(cuStreamSynchronize(stream));
	CHECK(cuStreamDestroy(stream));
	CHECK(cuGreenCtxDestroy(green_context));
}

static void dead_event(void)
{
	CUevent event = recorded(NULL);

	CHECK(cuDevicePrimaryCtxReset(0));
	check_context();
	cuEventQuery(event);
}

static void dead_stream(void)
{
	CUevent event = recorded(NULL);
	CUstream stream;

	CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
	check_launch(check_kernel("first"), stream);
	CHECK(cuEventRecord(event, stream));
	CHECK(cuStreamDestroy(stream));
	CHECK(cuEventSynchronize(event));
	cuEventRecord(event, stream);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"reset", reset},	    {"destroy", destroy},
		{"module", module},	    {"devices", devices},
		{"names", names},	    {"green", green},
		{"dead-event", dead_event}, {"dead-stream", dead_stream},
	};

	context = check_context();
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]))
			continue;
		cases[i].run();
		printf("as the driver does\n");
		return 0;
	}
	return 2;
}
