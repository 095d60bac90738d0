/* SPDX-License-Identifier: MIT */
/*
 * Runs a library that defines the driver's names: one that it is linked with, then calls by these
 * names itself (ODD_LINKED), or one that it opens.
 *
 * usage: odd [LIBRARY]
 */
#include <stdlib.h>

#include "tests/preload/programs/odd.h"

static void run(void (*start)(void), void (*work)(void))
{
	start();
	work();
}

#ifdef ODD_LINKED
int main(void)
{
	run(odd_start, odd_run);
	odd_work("program");
	return 0;
}
#else
int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!library) {
		fprintf(stderr, "odd: %s\n", dlerror());
		return 1;
	}
	run((void (*)(void))dlsym(library, "odd_start"), (void (*)(void))dlsym(library, "odd_run"));
	printf("default is %s\n", dlsym(RTLD_DEFAULT, "cuMemsetD8_v2") ? "found" : "NULL");
	return 0;
}
#endif
