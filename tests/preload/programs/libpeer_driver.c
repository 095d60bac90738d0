/* SPDX-License-Identifier: MIT */
/*
 * Another preload, which gives itself out for the driver. As Nsight Compute's libcuda-injection.so:
 * its dlopen answers with itself, its cuGetProcAddress with the driver's own functions. With
 * PEER_DLSYM as HAMi-core's libvgpu.so: its dlsym answers with its own functions, its
 * cuGetProcAddress too, and it finds the driver's past every other dlsym.
 */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#undef cuGetProcAddress

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define EXPORT	     __attribute__((visibility("default")))
#define DRIVER(name) ((__typeof__(name) *)find(driver(), #name))

#ifdef PEER_DLSYM
static void *find(void *handle, const char *name)
{
	static void *(*libc_dlsym)(void *, const char *);

	if (!libc_dlsym)
		*(void **)&libc_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
	if (!libc_dlsym)
		*(void **)&libc_dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.17");
	return libc_dlsym(handle, name);
}

static void *own(const char *name)
{
	if (strcmp(name, "cuGetProcAddress_v2") == 0)
		return (void *)cuGetProcAddress_v2;
	return strcmp(name, "cuLaunchKernel") == 0 ? (void *)cuLaunchKernel : NULL;
}

/* Its caller matters for RTLD_NEXT alone, which the programs of these tests do not use. */
EXPORT void *dlsym(void *handle, const char *name)
{
	void *answer = own(name);

	return answer ? answer : find(handle, name);
}

static void *driver(void)
{
	static void *library;

	if (!library)
		library = dlopen("libcuda.so.1", RTLD_NOW);
	return library;
}
#else
#define find	  dlsym
#define own(name) NULL

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
#endif

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **pointer, int version, cuuint64_t flags,
				    CUdriverProcAddressQueryResult *status)
{
	CUresult result = DRIVER(cuGetProcAddress_v2)(name, pointer, version, flags, status);

	if (result == CUDA_SUCCESS && own(name))
		*pointer = own(name);
	return result;
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
