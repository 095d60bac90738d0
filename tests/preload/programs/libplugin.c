/* SPDX-License-Identifier: MIT */
/* A plug-in of runtimes.c, linked to a shared runtime. */
#include "tests/preload/programs/copies.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void plugin_copies(const char *runtime);
EXPORT int plugin_last_error(void);

void plugin_copies(const char *runtime)
{
	copies(runtime);
}

int plugin_last_error(void)
{
	return cudaGetLastError();
}
