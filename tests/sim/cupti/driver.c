/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <pthread.h>

#include "tests/sim/cupti/state.h"

static struct cupti_driver driver;
static bool found;

static void find(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	found = library;
#define X(symbol)                                                                                  \
	*(void **)&driver.symbol = library ? dlsym(library, #symbol) : NULL;                       \
	found = found && driver.symbol;
	DRIVER_HOOKS(X)
#undef X
}

const struct cupti_driver *cupti_driver(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (sim_cupti.driver)
		return sim_cupti.driver;
	pthread_once(&once, find);
	return found ? &driver : NULL;
}
