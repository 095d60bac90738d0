/* SPDX-License-Identifier: MIT */
/*
 * The driver's names are functions here that say so and call on: the next ones of the name
 * (ODD_NEXT), else those of a driver that the first call opens, as lazy stub libraries do.
 */
#include "tests/preload/programs/odd.h"

static void *real(const char *name)
{
	static void *library;

#ifdef ODD_NEXT
	library = RTLD_NEXT;
#else
	if (!library)
		library = dlopen("libcuda.so.1", RTLD_NOW);
#endif
	printf("own %s\n", name);
	return dlsym(library, name);
}

#define DEFINE(name, parameters, arguments)                                                        \
	int name parameters                                                                        \
	{                                                                                          \
		int(*call) parameters = (int(*) parameters)real(#name);                            \
                                                                                                   \
		return call ? call arguments : -1;                                                 \
	}
ODD_CALLS(DEFINE)
#undef DEFINE

void odd_start(void)
{
	printf("default is %s\n", dlsym(RTLD_DEFAULT, "cuMemsetD8_v2") == (void *)cuMemsetD8_v2
					  ? "its own"
					  : "another");
}

void odd_run(void)
{
	odd_work("library");
}
