/* SPDX-License-Identifier: MIT */
/* The driver's names are pointers here, as in cuew and cuda_drvapi_dynlink. */
#ifndef ODD_POINTERS
#define ODD_POINTERS
#endif
#include "tests/preload/programs/odd.h"

#define DEFINE(name, parameters, arguments) type_##name *name;
ODD_CALLS(DEFINE)
#undef DEFINE

/* A table of their places, which the loader fills in as it does a reference from code. */
#define PLACE(name, parameters, arguments) {#name, (void **)&name},
static const struct {
	const char *name;
	void **place;
} places[] = {ODD_CALLS(PLACE)};
#undef PLACE

void odd_start(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	printf("before: %s\n", cuInit || cuMemsetD8_v2 ? "set" : "NULL");
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		*places[i].place = dlsym(library, places[i].name);
	printf("after: %s\n", cuInit && cuMemsetD8_v2 ? "set" : "NULL");
	printf("default is %s\n", dlsym(RTLD_DEFAULT, "cuMemsetD8_v2") == (void *)&cuMemsetD8_v2
					  ? "its own"
					  : "another");
}

void odd_run(void)
{
	odd_work("library");
}
