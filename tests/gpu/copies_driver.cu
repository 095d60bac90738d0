/* SPDX-License-Identifier: MIT */
/* Copies by the driver API, in every direction, through plain and array memory. */
#include <cstring>

#include "check.cuh"

#define SIDE  64
#define BYTES (SIDE * SIDE)

static CUdeviceptr device, other;
static char *host;
static CUarray array, second, row;
static CUstream stream;

static void linear(void)
{
	CHECK_DRIVER(cuMemcpyHtoD(device, host, BYTES));
	CHECK_DRIVER(cuMemcpyDtoD(other, device, BYTES));
	CHECK_DRIVER(cuMemcpyDtoH(host, other, BYTES));
	CHECK_DRIVER(cuMemcpy(device, other, BYTES));
	CHECK_DRIVER(cuMemcpy(device, (CUdeviceptr)host, BYTES));
	CHECK_DRIVER(cuMemcpyAsync((CUdeviceptr)host, device, BYTES, stream));
	CHECK_DRIVER(cuMemcpyHtoDAsync(device, host, BYTES, stream));
	CHECK_DRIVER(cuMemcpyDtoDAsync(other, device, BYTES, stream));
	CHECK_DRIVER(cuMemcpyDtoHAsync(host, other, BYTES, stream));
	CHECK_DRIVER(cuStreamSynchronize(stream));
}

static void one_dimensional_arrays(void)
{
	CHECK_DRIVER(cuMemcpyHtoA(row, 0, host, SIDE));
	CHECK_DRIVER(cuMemcpyAtoH(host, row, 0, SIDE));
	CHECK_DRIVER(cuMemcpyDtoA(row, 0, device, SIDE));
	CHECK_DRIVER(cuMemcpyAtoD(device, row, 0, SIDE));
	CHECK_DRIVER(cuMemcpyAtoA(row, 0, row, SIDE / 2, SIDE / 2));
	CHECK_DRIVER(cuMemcpyHtoAAsync(row, 0, host, SIDE, stream));
	CHECK_DRIVER(cuMemcpyAtoHAsync(host, row, 0, SIDE, stream));
	CHECK_DRIVER(cuStreamSynchronize(stream));
}

static void pitched(void)
{
	CUDA_MEMCPY2D copy = {};

	copy.srcMemoryType = CU_MEMORYTYPE_HOST;
	copy.srcHost = host;
	copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.dstDevice = device;
	copy.srcPitch = copy.dstPitch = SIDE;
	copy.WidthInBytes = SIDE / 2;
	copy.Height = SIDE;
	CHECK_DRIVER(cuMemcpy2D(&copy));
	CHECK_DRIVER(cuMemcpy2DUnaligned(&copy));
	CHECK_DRIVER(cuMemcpy2DAsync(&copy, stream));
	copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.dstArray = array;
	CHECK_DRIVER(cuMemcpy2D(&copy));
	copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.srcArray = array;
	copy.dstArray = second;
	CHECK_DRIVER(cuMemcpy2DAsync(&copy, stream));
	CHECK_DRIVER(cuStreamSynchronize(stream));
}

static void volumes(void)
{
	CUDA_MEMCPY3D copy = {};

	copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.srcDevice = device;
	copy.dstMemoryType = CU_MEMORYTYPE_HOST;
	copy.dstHost = host;
	copy.srcPitch = copy.dstPitch = 16;
	copy.srcHeight = copy.dstHeight = 16;
	copy.WidthInBytes = 16;
	copy.Height = 8;
	copy.Depth = 4;
	CHECK_DRIVER(cuMemcpy3D(&copy));
	CHECK_DRIVER(cuMemcpy3DAsync(&copy, stream));
	CHECK_DRIVER(cuStreamSynchronize(stream));
}

static void peers(CUcontext context)
{
	CUDA_MEMCPY3D_PEER copy = {};

	CHECK_DRIVER(cuMemcpyPeer(other, context, device, context, BYTES));
	CHECK_DRIVER(cuMemcpyPeerAsync(other, context, device, context, BYTES, stream));
	copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.srcDevice = device;
	copy.dstDevice = other;
	copy.srcContext = copy.dstContext = context;
	copy.srcPitch = copy.dstPitch = 16;
	copy.srcHeight = copy.dstHeight = 16;
	copy.WidthInBytes = copy.Height = 16;
	copy.Depth = 2;
	CHECK_DRIVER(cuMemcpy3DPeer(&copy));
	CHECK_DRIVER(cuStreamSynchronize(stream));
}

int main()
{
	CUDA_ARRAY_DESCRIPTOR plane = {SIDE, SIDE, CU_AD_FORMAT_UNSIGNED_INT8, 1};
	CUDA_ARRAY_DESCRIPTOR line = {SIDE, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
	unsigned long sum = 0;
	CUcontext context;
	CUdevice gpu;

	CHECK_DRIVER(cuInit(0));
	CHECK_DRIVER(cuDeviceGet(&gpu, 0));
	CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, gpu));
	CHECK_DRIVER(cuCtxSetCurrent(context));
	CHECK_DRIVER(cuMemAlloc(&device, BYTES));
	CHECK_DRIVER(cuMemAlloc(&other, BYTES));
	CHECK_DRIVER(cuMemAllocHost((void **)&host, BYTES));
	CHECK_DRIVER(cuArrayCreate(&array, &plane));
	CHECK_DRIVER(cuArrayCreate(&second, &plane));
	CHECK_DRIVER(cuArrayCreate(&row, &line));
	CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < BYTES; i++)
		host[i] = (char)(i * 5);
	linear();
	one_dimensional_arrays();
	pitched();
	volumes();
	peers(context);
	for (int i = 0; i < BYTES; i++)
		sum += (i + 1) * (unsigned char)host[i];
	printf("checksum %lu\n", sum);
	printf("bad pointer: %d\n", cuMemcpyDtoH(host, 16, 16));
	CHECK_DRIVER(cuDevicePrimaryCtxRelease(gpu));
	return 0;
}
