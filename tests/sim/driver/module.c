/* SPDX-License-Identifier: MIT */
/* Modules and their functions, libraries and their kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/driver/capture.h"
#include "tests/sim/driver/global.h"
#include "tests/sim/driver/kernel.h"
#include "tests/sim/driver/module.h"

/* The wrapper that nvcc's objects hand to the runtime. */
struct fatbin_wrapper {
	unsigned int magic, version;
	const void *data;
	void *unused;
};

enum {
	FATBIN_WRAPPER_MAGIC = 0x466243b1,
	FATBIN_MAGIC = 0xba55ed50,
	ELF_MAGIC = 0x464c457f,
};

/* Behind a CUlibrary as behind a CUmodule. */
struct image {
	struct handle handle;
	struct context *context; /* a module's */
	char *ptx;		 /* NULL: compiled code, whose names are not read */
	struct image *module;	 /* what cuLibraryGetModule gives */
};

static struct handle_pool libraries = HANDLE_POOL(struct image);
static struct handle_pool modules = HANDLE_POOL(struct image);
static struct handle_pool kernels = HANDLE_POOL(struct kernel);
static struct handle_pool functions = HANDLE_POOL(struct kernel);

static CUresult load(struct handle_pool *pool, const void *code, void *handle)
{
	const struct fatbin_wrapper *wrapper = code;
	const unsigned int *words = code;
	CUresult result = capture_unsafe();
	struct image *image;
	bool opaque;

	if (result != CUDA_SUCCESS)
		return result;
	if (!code || !handle)
		return CUDA_ERROR_INVALID_VALUE;
	if (wrapper->magic == (unsigned int)FATBIN_WRAPPER_MAGIC)
		words = wrapper->data;
	opaque = words[0] == (unsigned int)FATBIN_MAGIC || words[0] == ELF_MAGIC;
	if (!opaque && !strstr((const char *)words, ".version"))
		return CUDA_ERROR_INVALID_IMAGE;
	image = handle_create(pool);
	if (!image)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!opaque)
		image->ptx = strdup((const char *)words);
	image->context = context_current();
	memcpy(handle, &image, sizeof(image));
	return CUDA_SUCCESS;
}

static bool has_kernel(const struct image *image, const char *name)
{
	const char *entry = image->ptx;
	size_t length;

	if (!entry)
		return *name;
	while ((entry = strstr(entry, ".entry"))) {
		entry += strlen(".entry");
		entry += strspn(entry, " \t\n");
		length = strcspn(entry, " \t\n(");
		if (length == strlen(name) && !strncmp(entry, name, length))
			return true;
	}
	return false;
}

/* The same name in the same image is the same handle. */
static CUresult get_kernel(struct handle_pool *pool, const struct image *image, const char *name,
			   struct kernel **kernel)
{
	if (!image)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!name || !kernel)
		return CUDA_ERROR_INVALID_VALUE;
	for (*kernel = handle_next(pool, NULL); *kernel; *kernel = handle_next(pool, *kernel)) {
		if ((*kernel)->owner == image && !strcmp((*kernel)->name, name))
			return CUDA_SUCCESS;
	}
	if (!has_kernel(image, name))
		return CUDA_ERROR_NOT_FOUND;
	*kernel = handle_create(pool);
	if (!*kernel)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*kernel)->name = strdup(name);
	(*kernel)->owner = image;
	(*kernel)->host = host_kernel_find(name);
	return CUDA_SUCCESS;
}

static void unload(struct handle_pool *pool, struct image *image)
{
	struct kernel *kernel;

	for (kernel = handle_next(pool, NULL); kernel; kernel = handle_next(pool, kernel)) {
		if (kernel->owner != image)
			continue;
		if (kernel->function)
			handle_destroy(kernel->function);
		free(kernel->name);
		handle_destroy(kernel);
	}
	global_forget(image);
	free(image->ptx);
	handle_destroy(image);
}

void module_unload_all(struct context *context)
{
	struct image *image;

	for (image = handle_next(&modules, NULL); image; image = handle_next(&modules, image)) {
		if (image->context == context)
			unload(&functions, image);
	}
}

const struct kernel *kernel_of(CUfunction function)
{
	const struct kernel *kernel = handle_get(&kernels, function);

	return kernel ? kernel : handle_get(&functions, function);
}

SIM_ENTRY(cuModuleLoadData, (CUmodule * module, const void *image), (module, image))
{
	return load(&modules, image, module);
}

SIM_ENTRY(cuModuleLoadDataEx,
	  (CUmodule * module, const void *image, unsigned int count, CUjit_option *options,
	   void **values),
	  (module, image, count, options, values))
{
	(void)count;
	(void)options;
	(void)values;
	return load(&modules, image, module);
}

SIM_ENTRY(cuModuleLoadFatBinary, (CUmodule * module, const void *image), (module, image))
{
	return load(&modules, image, module);
}

SIM_ENTRY(cuModuleUnload, (CUmodule handle), (handle))
{
	struct image *module = handle_get(&modules, handle);

	if (!module)
		return CUDA_ERROR_INVALID_HANDLE;
	unload(&functions, module);
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name),
	  (function, module, name))
{
	return get_kernel(&functions, handle_get(&modules, module), name,
			  (struct kernel **)function);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuLibraryLoadData,
		  (CUlibrary * library, const void *code, CUjit_option *jit, void **jit_values,
		   unsigned int jit_count, CUlibraryOption *options, void **values,
		   unsigned int count),
		  (library, code, jit, jit_values, jit_count, options, values, count))
{
	(void)jit;
	(void)jit_values;
	(void)jit_count;
	(void)options;
	(void)values;
	(void)count;
	return load(&libraries, code, library);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuLibraryUnload, (CUlibrary handle), (handle))
{
	struct image *library = handle_get(&libraries, handle);

	if (!library)
		return CUDA_ERROR_INVALID_HANDLE;
	unload(&kernels, library);
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuLibraryGetKernel,
		  (CUkernel * kernel, CUlibrary library, const char *name), (kernel, library, name))
{
	return get_kernel(&kernels, handle_get(&libraries, library), name,
			  (struct kernel **)kernel);
}

SIM_ENTRY(cuLibraryGetGlobal,
	  (CUdeviceptr * address, size_t *bytes, CUlibrary library, const char *name),
	  (address, bytes, library, name))
{
	return global_get(handle_get(&libraries, library), name, address, bytes);
}

SIM_ENTRY(cuModuleGetGlobal_v2,
	  (CUdeviceptr * address, size_t *bytes, CUmodule module, const char *name),
	  (address, bytes, module, name))
{
	return global_get(handle_get(&modules, module), name, address, bytes);
}

SIM_ENTRY(cuKernelGetFunction, (CUfunction * function, CUkernel handle), (function, handle))
{
	struct kernel *kernel = handle_get(&kernels, handle);

	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!kernel->function) {
		kernel->function = handle_create(&functions);
		if (!kernel->function)
			return CUDA_ERROR_OUT_OF_MEMORY;
		kernel->function->name = kernel->name;
		kernel->function->host = kernel->host;
	}
	*function = (CUfunction)kernel->function;
	return CUDA_SUCCESS;
}

static CUresult name_in(const struct handle_pool *pool, const void *handle, const char **name)
{
	const struct kernel *kernel = handle_get(pool, handle);

	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	*name = kernel->name;
	return CUDA_SUCCESS;
}

/* Each knows only its own kind of handle, as in the driver. */
SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuKernelGetName, (const char **name, CUkernel kernel),
		  (name, kernel))
{
	return name_in(&kernels, kernel, name);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuFuncGetName, (const char **name, CUfunction function),
		  (name, function))
{
	return name_in(&functions, function, name);
}

SIM_ENTRY(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function),
	  (value, attribute, function))
{
	if (!kernel_of(function))
		return CUDA_ERROR_INVALID_HANDLE;
	*value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuKernelGetAttribute,
		  (int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device),
		  (value, attribute, kernel, device))
{
	(void)device;
	if (!handle_get(&kernels, kernel))
		return CUDA_ERROR_INVALID_HANDLE;
	*value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
	return CUDA_SUCCESS;
}

SIM_ENTRY(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value),
	  (function, attribute, value))
{
	(void)attribute;
	(void)value;
	return kernel_of(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

SIM_ENTRY(cuFuncLoad, (CUfunction function), (function))
{
	return kernel_of(function) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult parameter_info(const struct kernel *kernel, size_t index, size_t *offset,
			       size_t *size)
{
	size_t end = 0, start = 0, bytes;

	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!kernel->host || index >= kernel->host->parameter_count)
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i <= index; i++) {
		bytes = kernel->host->parameter_sizes[i];
		start = (end + bytes - 1) / bytes * bytes;
		end = start + bytes;
	}
	*offset = start;
	if (size)
		*size = kernel->host->parameter_sizes[index];
	return CUDA_SUCCESS;
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuFuncGetParamInfo,
		  (CUfunction function, size_t index, size_t *offset, size_t *size),
		  (function, index, offset, size))
{
	return parameter_info(handle_get(&functions, function), index, offset, size);
}

SIM_ENTRY_NEEDING(SIM_NEEDS_INIT, cuKernelGetParamInfo,
		  (CUkernel kernel, size_t index, size_t *offset, size_t *size),
		  (kernel, index, offset, size))
{
	return parameter_info(handle_get(&kernels, kernel), index, offset, size);
}
