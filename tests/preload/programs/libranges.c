/* SPDX-License-Identifier: MIT */
/* A library that uses NVTX beside its program; and, made with -DTOOL, another tool that follows
 * NVTX and says so. */
#ifdef TOOL
#include <stdio.h>

int InitializeInjectionNvtx2(const void *get_table);
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void *get_table)
{
	fprintf(stderr, "the other tool was asked: %d\n", get_table != NULL);
	return 1;
}
#else
#include <nvtx3/nvToolsExt.h>

void module_push(const char *name);
void module_pop(void);

__attribute__((visibility("default"))) void module_push(const char *name)
{
	nvtxRangePushA(name);
}

__attribute__((visibility("default"))) void module_pop(void)
{
	nvtxRangePop();
}
#endif
