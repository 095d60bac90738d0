/* SPDX-License-Identifier: MIT */
/* Several contexts of one device, also green ones, destroyed with work in flight. */
#include "contexts.cuh"

static const char ptx[] = ".version 6.4\n.target sm_75\n.address_size 64\n"
			  ".visible .entry waiting_kernel(.param .u64 address)\n"
			  "{\n"
			  "	.reg .u64 %r<4>;\n"
			  "	.reg .u32 %v<2>;\n"
			  "	.reg .pred %p;\n"
			  "	mov.u64 %r0, %clock64;\n"
			  "again:\n"
			  "	mov.u64 %r1, %clock64;\n"
			  "	sub.u64 %r2, %r1, %r0;\n"
			  "	setp.lt.u64 %p, %r2, 200000;\n"
			  "	@%p bra again;\n"
			  "	ld.param.u64 %r3, [address];\n"
			  "	cvta.to.global.u64 %r3, %r3;\n"
			  "	atom.global.add.u32 %v0, [%r3], 1;\n"
			  "	ret;\n"
			  "}\n";

static void launch(CUfunction function, CUdeviceptr memory, CUstream stream, int launches)
{
	void *arguments[] = {&memory};

	for (int i = 0; i < launches; i++)
		CHECK_DRIVER(
			cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

/* Loads the kernel in the current context and launches it; returns the context's counter. */
static CUdeviceptr work(CUstream stream, int launches)
{
	CUdeviceptr memory;
	CUfunction function;
	CUmodule module;

	CHECK_DRIVER(cuModuleLoadData(&module, ptx));
	CHECK_DRIVER(cuModuleGetFunction(&function, module, "waiting_kernel"));
	CHECK_DRIVER(cuMemAlloc(&memory, 4));
	CHECK_DRIVER(cuMemsetD32(memory, 0, 1));
	launch(function, memory, stream, launches);
	return memory;
}

static void green_context(CUdevice gpu)
{
#if CUDA_VERSION >= 12040
	CUgreenCtx green;
	CUdeviceptr memory;
	CUstream stream;
	unsigned int value = 0;

	create_green_context(&green, &stream, gpu);
	memory = work(stream, 5);
	CHECK_DRIVER(cuStreamSynchronize(stream));
	CHECK_DRIVER(cuMemcpyDtoH(&value, memory, 4));
	printf("green context: %u\n", value);
	CHECK_DRIVER(cuStreamDestroy(stream));
	CHECK_DRIVER(cuGreenCtxDestroy(green));
#else
	(void)gpu;
#endif
}

int main()
{
	CUcontext contexts[3];
	CUdeviceptr memories[3];
	unsigned int value;
	CUstream stream;
	CUdevice gpu;

	CHECK_DRIVER(cuInit(0));
	CHECK_DRIVER(cuDeviceGet(&gpu, 0));
	for (int i = 0; i < 3; i++) {
		create_context(&contexts[i], gpu);
		memories[i] = work(nullptr, 4 + i);
	}
	for (int i = 0; i < 3; i++) {
		value = 0;
		CHECK_DRIVER(cuCtxPushCurrent(contexts[i]));
		CHECK_DRIVER(cuMemcpyDtoH(&value, memories[i], 4));
		CHECK_DRIVER(cuCtxPopCurrent(nullptr));
		printf("context %d: %u\n", i, value);
	}
	for (int i = 0; i < 3; i++)
		CHECK_DRIVER(cuCtxDestroy(contexts[i]));

	/* Destroyed with its work in flight, and another one made at once. */
	for (int i = 0; i < 4; i++) {
		create_context(&contexts[0], gpu);
		CHECK_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
		work(stream, 10);
		CHECK_DRIVER(cuCtxDestroy(contexts[0]));
	}
	green_context(gpu);
	printf("done\n");
	return 0;
}
