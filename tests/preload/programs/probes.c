/* SPDX-License-Identifier: MIT */
/* How programs find out whether CUDA is there: prints what each kind of look-up answers. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

static void print(const char *how, const char *name, const void *pointer)
{
	const char *error = dlerror();

	printf("%s %s: %s, dlerror %s, errno %d\n", how, name, pointer ? "found" : "NULL",
	       error ? "set" : "clear", errno);
}

static void probe(const char *when)
{
	static const char *const names[] = {
		"cuInit",
		"cuLaunchKernel",
		"cuGetProcAddress_v2",
		"cudaLaunchKernel",
		"__cudaLaunchKernel",
		"cuptiActivityEnable",
		"cuptiActivityFlushAll",
		"cuNoSuchEntry",
		"cudaNoSuchCall",
		"cublasCreate_v2",
		"__cudaRegisterNoSuch",
		"malloc",
	};
	void *all = dlopen(NULL, RTLD_NOW);

	printf("%s:\n", when);
	dlerror();
	errno = 7;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		print("default", names[i], dlsym(RTLD_DEFAULT, names[i]));
		print("next", names[i], dlsym(RTLD_NEXT, names[i]));
		print("all", names[i], dlsym(all, names[i]));
		print("default of a version", names[i], dlvsym(RTLD_DEFAULT, names[i], "NO_1.0"));
	}
}

int main(void)
{
	static const char *const libraries[] = {"libcuda.so.1", "libcudart.so.13",
						"libcupti.so.13"};

	probe("without CUDA");
	for (unsigned i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		if (!dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL))
			return 1;
		probe(libraries[i]);
	}
	return 0;
}
