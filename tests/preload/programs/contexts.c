/* SPDX-License-Identifier: MIT */
/*
 * Contexts that end, with work in flight, and others that take their place: what the argument
 * names.
 */
#include <string.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

/* Declared by CUDA 12 alone, and in every driver. */
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);

enum {
	TIMES = 50,
	PAUSE_US = 6000, /* ktime looks at its events meanwhile */
};

static void copy(CUstream stream)
{
	static char host[64];
	CUdeviceptr device;

	CHECK(cuMemAlloc(&device, sizeof(host)));
	CHECK(cuMemcpyHtoDAsync(device, host, sizeof(host), stream));
}

/* The same handles, and other kernels behind them. */
static void kernels(void)
{
	CUcontext context;

	CHECK(cuInit(0));
	for (int i = 0; i < TIMES; i++) {
		CHECK(cuCtxCreate_v2(&context, 0, 0));
		check_launch(check_kernel(i % 2 ? "second" : "first"), NULL);
		CHECK(cuCtxDestroy(context));
	}
}

static void created(void)
{
	CUresult (*detach)(CUcontext context); /* deprecated, and there in every driver */
	CUcontext context;
	CUstream stream;

	CHECK(cuInit(0));
	CHECK(cuGetProcAddress("cuCtxDetach", (void **)&detach, 2000, 0, NULL));
	for (int i = 0; i < TIMES; i++) {
		CHECK(cuCtxCreate_v2(&context, 0, 0));
		CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
		check_launch(check_kernel("first"), stream);
		check_launch(check_kernel("first"), NULL);
		CHECK(i % 2 ? detach(context) : cuCtxDestroy(context));
	}
}

static void primary(void)
{
	CUcontext context;

	CHECK(cuInit(0));
	for (int i = 0; i < TIMES; i++) {
		CHECK(cuDevicePrimaryCtxRetain(&context, 0));
		CHECK(cuCtxSetCurrent(context));
		check_launch(check_kernel("first"), NULL);
		copy(NULL);
		if (i % 2)
			CHECK(cuDevicePrimaryCtxReset(0));
		CHECK(cuDevicePrimaryCtxRelease(0));
	}
}

/* The primary context ends, and another one of its device, the newer one, lives on. */
static void primary_beside_another(void)
{
	CUcontext context, other;

	CHECK(cuInit(0));
	for (int i = 0; i < TIMES; i++) {
		CHECK(cuDevicePrimaryCtxRetain(&context, 0));
		CHECK(cuCtxSetCurrent(context));
		check_launch(check_kernel("first"), NULL);
		CHECK(cuCtxCreate_v2(&other, 0, 0));
		check_launch(check_kernel("second"), NULL);
		if (i % 2)
			CHECK(cuDevicePrimaryCtxReset(0));
		CHECK(cuDevicePrimaryCtxRelease(0));
		check_launch(check_kernel("second"), NULL);
		CHECK(cuCtxDestroy(other));
	}
}

static CUgreenCtx make_green(void)
{
	CUdevResourceDesc description;
	CUdevResource whole, part;
	unsigned int parts = 1;
	CUgreenCtx green;

	CHECK(cuDeviceGetDevResource(0, &whole, CU_DEV_RESOURCE_TYPE_SM));
	CHECK(cuDevSmResourceSplitByCount(&part, &parts, &whole, NULL, 0, 16));
	CHECK(cuDevResourceGenerateDesc(&description, &part, 1));
	CHECK(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
	return green;
}

static void green(void)
{
	CUcontext primary = check_context(), derived;
	CUgreenCtx context;
	CUstream stream;

	for (int i = 0; i < TIMES; i++) {
		context = make_green();
		CHECK(cuCtxFromGreenCtx(&derived, context));
		CHECK(cuCtxSetCurrent(derived));
		CHECK(cuGreenCtxStreamCreate(&stream, context, CU_STREAM_NON_BLOCKING, 0));
		check_launch(check_kernel("first"), stream);
		check_launch(check_kernel("first"), NULL);
		CHECK(cuStreamDestroy(stream));
		CHECK(cuCtxSetCurrent(primary));
		CHECK(cuGreenCtxDestroy(context));
		usleep(PAUSE_US);
	}
}

/* The program has released the primary context, and a green one keeps it. */
static void primary_kept_by_green(void)
{
	CUgreenCtx context;

	for (int i = 0; i < TIMES; i++) {
		check_context();
		check_launch(check_kernel("first"), NULL);
		context = make_green();
		CHECK(cuDevicePrimaryCtxRelease(0));
		check_launch(check_kernel("first"), NULL);
		CHECK(cuGreenCtxDestroy(context));
		usleep(PAUSE_US);
	}
}

/* A green context makes it again after a reset, so that no call tells its handle. */
static void primary_retained_unseen(void)
{
	CUcontext context, other;

	CHECK(cuInit(0));
	for (int i = 0; i < TIMES; i++) {
		CHECK(cuDevicePrimaryCtxRetain(&context, 0));
		CHECK(cuDevicePrimaryCtxReset(0));
		make_green();
		CHECK(cuCtxSetCurrent(context));
		check_launch(check_kernel("first"), NULL);
		CHECK(cuCtxCreate_v2(&other, 0, 0));
		check_launch(check_kernel("second"), NULL);
		CHECK(cuDevicePrimaryCtxReset(0));
		CHECK(cuCtxDestroy(other));
	}
}

static void devices(void)
{
	CUcontext context;
	int count;

	CHECK(cuInit(0));
	CHECK(cuDeviceGetCount(&count));
	for (int device = 0; device < count; device++) {
		CHECK(cuDevicePrimaryCtxRetain(&context, device));
		CHECK(cuCtxSetCurrent(context));
		for (int i = 0; i <= device; i++)
			check_launch(check_kernel("first"), NULL);
		copy(NULL);
	}
}

/* One kernel for all devices, as the runtime has them, in default streams; another device comes to
 * it late. */
static void second_device(void)
{
	CUcontext context, other;
	CUlibrary library;
	CUkernel kernel;

	CHECK(cuInit(0));
	CHECK(cuDevicePrimaryCtxRetain(&context, 1));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuLibraryLoadData(&library, CHECK_PTX, NULL, NULL, 0, NULL, NULL, 0));
	CHECK(cuLibraryGetKernel(&kernel, library, "first"));
	for (int i = 0; i < 8 * TIMES; i++)
		check_launch((CUfunction)kernel, NULL);
	CHECK(cuCtxCreate_v2(&other, 0, 0));
	for (int i = 0; i < 4 * TIMES; i++)
		check_launch((CUfunction)kernel, NULL);
	CHECK(cuCtxSetCurrent(context));
	for (int i = 0; i < TIMES; i++)
		check_launch((CUfunction)kernel, NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} ends[] = {
	{"created", created},
	{"kernels", kernels},
	{"primary", primary},
	{"primary_beside_another", primary_beside_another},
	{"primary_kept_by_green", primary_kept_by_green},
	{"primary_retained_unseen", primary_retained_unseen},
	{"green", green},
	{"devices", devices},
	{"second_device", second_device},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (strcmp(argv[1], ends[i].name))
			continue;
		ends[i].run();
		puts("done");
		return 0;
	}
	return 2;
}
