/* SPDX-License-Identifier: MIT */
/* Calls with bad arguments, and calls with nothing to do: prints what each returns. */
#include <errno.h>

#include "tests/sim/programs/check.h"

#define SHOW(call)                                                                                 \
	do {                                                                                       \
		int result;                                                                        \
                                                                                                   \
		errno = 77;                                                                        \
		result = call;                                                                     \
		printf("%s: %d, errno %d\n", #call, result, errno);                                \
	} while (0)

int main(void)
{
	CUcontext context = check_context();
	CUfunction kernel = check_kernel("first");
	CUfunction no_kernel = (CUfunction)0x10;
	CUdeviceptr device;
	char host[64] = "";

	CHECK(cuMemAlloc(&device, sizeof(host)));
	SHOW(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	SHOW(cuLaunchKernel(kernel, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	SHOW(cuLaunchKernel(kernel, 1, 1, 1, 4096, 1, 1, 0, NULL, NULL, NULL));
	SHOW(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	SHOW(cuLaunchKernel(no_kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
	SHOW(cuLaunchKernelEx(NULL, kernel, NULL, NULL));
	SHOW(cuMemcpyHtoD(device, host, 0));
	SHOW(cuMemcpyHtoDAsync(device, host, 0, NULL));
	SHOW(cuMemsetD8(device, 0, 0));
	SHOW(cuMemcpyHtoD(device, NULL, sizeof(host)));
	SHOW(cuMemcpyHtoD(0, host, sizeof(host)));
	SHOW(cuMemcpyDtoH(host, 0x10, sizeof(host)));
	SHOW(cuMemcpyDtoH(host, device, 1 << 30));
	SHOW(cuMemcpy(0, device, 8));
	SHOW(cuMemcpy2D(NULL));
	SHOW(cuMemcpy3D(NULL));
	SHOW(cuMemcpyPeer(device, NULL, device, context, 8));
	SHOW(cuMemsetD32(device + 1, 0, 1));
	SHOW(cuGraphLaunch(NULL, NULL));
	SHOW(cuStreamWriteValue32(NULL, 0, 1, 0));
	SHOW(cuMemcpyHtoD(device, host, sizeof(host)));
	SHOW(cuMemcpyDtoH(host, device, sizeof(host)));
	return 0;
}
