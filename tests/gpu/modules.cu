/* SPDX-License-Identifier: MIT */
/* Modules unloaded and loaded again with other kernels, whose handles are often the old ones. */
#include <string>

#include "check.cuh"

static std::string source(const std::string &kernel, int value)
{
	return ".version 6.4\n.target sm_75\n.address_size 64\n"
	       ".visible .entry " +
	       kernel +
	       "(.param .u64 address)\n"
	       "{\n"
	       "	.reg .u64 %r;\n"
	       "	.reg .u32 %v;\n"
	       "	ld.param.u64 %r, [address];\n"
	       "	cvta.to.global.u64 %r, %r;\n"
	       "	atom.global.add.u32 %v, [%r], " +
	       std::to_string(value) +
	       ";\n"
	       "	ret;\n"
	       "}\n";
}

int main()
{
	static const char *const kernels[] = {"alpha_kernel", "beta_kernel", "gamma_kernel"};
	CUfunction function;
	CUdeviceptr memory;
	CUcontext context;
	CUmodule module;
	CUdevice gpu;
	unsigned int value = 0;

	CHECK_DRIVER(cuInit(0));
	CHECK_DRIVER(cuDeviceGet(&gpu, 0));
	CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, gpu));
	CHECK_DRIVER(cuCtxSetCurrent(context));
	CHECK_DRIVER(cuMemAlloc(&memory, 4));
	CHECK_DRIVER(cuMemsetD32(memory, 0, 1));
	for (int i = 0; i < 30; i++) {
		void *arguments[] = {&memory};

		CHECK_DRIVER(cuModuleLoadData(&module, source(kernels[i % 3], 1 + i % 3).c_str()));
		CHECK_DRIVER(cuModuleGetFunction(&function, module, kernels[i % 3]));
		for (int n = 0; n < 1 + i % 3; n++)
			CHECK_DRIVER(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr,
						    arguments, nullptr));
		CHECK_DRIVER(cuModuleUnload(module));
	}
	CHECK_DRIVER(cuMemcpyDtoH(&value, memory, 4));
	printf("sum %u\n", value);
	return 0;
}
