/* SPDX-License-Identifier: MIT */
/*
 * Another preload, which gives itself out for the driver, as Nsight Compute's libcuda-injection.so
 * does: its dlopen answers with itself, its cuGetProcAddress with the driver's own functions.
 */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#undef cuGetProcAddress

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define EXPORT	     __attribute__((visibility("default")))
#define DRIVER(name) ((__typeof__(name) *)dlsym(driver(), #name))

void *dlopen(const char *file, int flags);

static void *next_dlopen(const char *file, int flags)
{
	return ((__typeof__(dlopen) *)dlsym(RTLD_NEXT, "dlopen"))(file, flags);
}

static void *driver(void)
{
	static void *library;

	if (!library)
		library = next_dlopen("libcuda.so.1", RTLD_NOW);
	return library;
}

EXPORT void *dlopen(const char *file, int flags)
{
	Dl_info self;

	if (file && strcmp(file, "libcuda.so.1") == 0 && driver() && dladdr((void *)driver, &self))
		file = self.dli_fname;
	return next_dlopen(file, flags);
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **pointer, int version, cuuint64_t flags,
				    CUdriverProcAddressQueryResult *status)
{
	return DRIVER(cuGetProcAddress_v2)(name, pointer, version, flags, status);
}

EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
			       unsigned grid_z, unsigned block_x, unsigned block_y,
			       unsigned block_z, unsigned shared, CUstream stream,
			       void **parameters, void **extra)
{
	static const char text[] = "peer: called\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(99);
	return DRIVER(cuLaunchKernel)(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
				      shared, stream, parameters, extra);
}
