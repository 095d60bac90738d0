/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "tests/sim/runtime/driver.h"

struct driver runtime_drivers[2];

static void *library;

static const struct {
	const char *symbol;
	size_t offset;
} fields[] = {
#define X(symbol) {#symbol, offsetof(struct driver, symbol)},
	DRIVER_SYMBOLS(X)
#undef X
};

static const struct {
	const char *entry;
	int version;
	int per_thread;
	const char *symbol;
} versions[] = {
#define ENTRY(entry, version, per_thread, symbol) {#entry, version, per_thread, #symbol},
#include "sim_versions.h"
#undef ENTRY
};

/* The symbol without _ptsz or _ptds is the field's name. */
static void keep(const char *symbol, int per_thread, void *pointer)
{
	size_t length = strlen(symbol) - (per_thread ? strlen("_ptsz") : 0);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strlen(fields[i].symbol) == length &&
		    !strncmp(fields[i].symbol, symbol, length))
			*(void **)((char *)&runtime_drivers[per_thread] + fields[i].offset) =
				pointer;
	}
}

CUresult driver_load(void)
{
	__typeof__(cuGetProcAddress_v2) *get = NULL;
	void *pointer = NULL;

	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (library)
		*(void **)&get = dlsym(library, "cuGetProcAddress_v2");
	if (!get)
		return CUDA_ERROR_NOT_FOUND;
	get("", &pointer, 0, CU_GET_PROC_ADDRESS_DEFAULT, NULL);
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		pointer = NULL;
		if (get(versions[i].entry, &pointer, versions[i].version,
			versions[i].per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
					       : CU_GET_PROC_ADDRESS_DEFAULT,
			NULL) == CUDA_SUCCESS &&
		    pointer)
			keep(versions[i].symbol, versions[i].per_thread, pointer);
	}
#define X(symbol)                                                                                  \
	if (!runtime_drivers[1].symbol)                                                            \
		runtime_drivers[1].symbol = runtime_drivers[0].symbol;
	DRIVER_SYMBOLS(X)
#undef X
	return CUDA_SUCCESS;
}

void driver_unload(void)
{
	if (library)
		dlclose(library);
	library = NULL;
}
