/* SPDX-License-Identifier: MIT */
/* How the driver's entries are found: prints what each kind of look-up answers. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#undef cuGetProcAddress

#include <dlfcn.h>
#include <string.h>

#include "tests/sim/programs/check.h"

typedef CUresult get_v1(const char *, void **, int, cuuint64_t);
typedef CUresult get_v2(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);

static int untouched;

static const char *name_of(const void *pointer)
{
	return !pointer ? "NULL" : pointer == &untouched ? "untouched" : "found";
}

static void ask(get_v2 *get, const char *name, int version, cuuint64_t flags)
{
	void *pointer = &untouched;
	CUdriverProcAddressQueryResult status = 99;
	CUresult result = get(name, &pointer, version, flags, &status);

	printf("%s %d %d: %d %s %d\n", name, version, (int)flags, result, name_of(pointer), status);
}

/* The number of arguments differs between the two: the wrong one would crash. */
static void ask_for_itself(get_v2 *get)
{
	get_v1 *first = NULL;
	get_v2 *second = NULL;
	void *pointer = NULL;

	CHECK(get("cuGetProcAddress", (void **)&first, 11030, 0, NULL));
	CHECK(get("cuGetProcAddress", (void **)&second, 12000, 0, NULL));
	CHECK(first("cuLaunchKernel", &pointer, 4000, 0));
	CHECK(second("cuLaunchKernel", &pointer, 4000, 0, NULL));
	printf("cuGetProcAddress: two %s\n", (void *)first == (void *)second ? "equal" : "kinds");
}

/* As many programs do: an error of an earlier look-up is the caller's to see, a later one's too. */
static void ask_for_errors(void *library)
{
	dlerror();
	printf("cuNoSuchEntry: %s\n", dlsym(library, "cuNoSuchEntry") ? "found" : "NULL");
	printf("dlerror: %s\n", dlerror() ? "set" : "clear");
	printf("cuLaunchKernel: %s\n", dlsym(library, "cuLaunchKernel") ? "found" : "NULL");
	printf("dlerror: %s\n", dlerror() ? "set" : "clear");
	printf("dlvsym: %s\n", dlvsym(library, "cuLaunchKernel", "NO_1.0") ? "found" : "NULL");
	printf("dlerror: %s\n", dlerror() ? "set" : "clear");
	printf("malloc: %s\n", dlsym(RTLD_DEFAULT, "malloc") ? "found" : "NULL");
	printf("next malloc: %s\n", dlsym(RTLD_NEXT, "malloc") ? "found" : "NULL");
	printf("next main: %s\n", dlsym(RTLD_NEXT, "main") ? "found" : "NULL");
	dlerror();
}

int main(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	get_v2 *get = (get_v2 *)dlsym(library, "cuGetProcAddress_v2");

	ask(get, "", 0, 0);
	ask(get, "cuLaunchKernel", 4000, 0);
	ask(get, "cuLaunchKernel", 4000, 1);
	ask(get, "cuLaunchKernel", 7000, 2);
	ask(get, "cuLaunchKernel", 4000, 2);
	ask(get, "cuLaunchKernel", 3000, 0);
	ask(get, "cuLaunchKernel", 99000, 0);
	ask(get, "cuLaunchKernel", 4000, 7);
	ask(get, "cuNoSuchEntry", 12000, 0);
	ask_for_itself(get);
	ask_for_errors(library);
	return 0;
}
