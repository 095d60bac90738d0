/* SPDX-License-Identifier: MIT */
/*
 * What cupti/ knows belongs to the process and is set once: each test has a process of its own,
 * with the simulated libcupti found through CUDA_HOME, and here a driver in which nothing happens.
 */
#ifndef KTIME_TESTS_UNIT_CUPTI_IN_CHILD_H
#define KTIME_TESTS_UNIT_CUPTI_IN_CHILD_H

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cupti/library.h"
#include "tests/sim/cupti/state.h"
#include "tests/unit/own_process.h"

/* The simulated toolkit lies beside the folder of the tests' programs. */
static inline void set_cuda_home(void)
{
	char path[PATH_MAX - 64], home[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(length > 0);
	path[length] = '\0';
	for (int level = 0; level < 3; level++)
		*strrchr(path, '/') = '\0';
	snprintf(home, sizeof(home), "%s/sim/toolkit", path);
	setenv("CUDA_HOME", home, 1);
	unsetenv("CUDA_INJECTION64_PATH");
}

/* As passes_in_child, with the toolkit in the environment. */
static inline void in_child(void (*body)(void))
{
	set_cuda_home();
	passes_in_child(body);
}

/* What cuptiGetTimestamp says. */
static uint64_t cupti_now = 1000;

static inline void set_hooks(const struct sim_activity_hooks *hooks)
{
	(void)hooks;
}

static inline uint64_t device_time(bool advance)
{
	(void)advance;
	return UINT64_MAX;
}

static inline uint64_t host_time(void)
{
	return cupti_now;
}

static inline bool stream_number(CUcontext context, CUstream stream, bool per_thread,
				 uint32_t *number)
{
	(void)context;
	*number = stream ? (uint32_t)(uintptr_t)stream : per_thread ? 8 : 7;
	return *number != UINT32_MAX;
}

static inline bool context_number(CUcontext context, uint32_t *number, uint32_t *device)
{
	*number = (uint32_t)(uintptr_t)context;
	*device = 0;
	return true;
}

static inline uint32_t no_memsets(void)
{
	return 0;
}

static inline bool graph_number(CUgraphExec graph, uint32_t *number)
{
	*number = (uint32_t)(uintptr_t)graph;
	return graph;
}

/* Loads the library, for a driver of CUDA 13, and gives what it keeps of what it was asked for. */
static inline struct sim_cupti *load_cupti(void)
{
	static const struct cupti_driver driver = {
		set_hooks,    device_time, host_time, stream_number, context_number,
		graph_number, NULL,	   NULL,      NULL,	     no_memsets};
	struct sim_cupti *cupti;
	char reason[512];
	void *handle;

	assert_int_equal(library_load(13000, reason, sizeof(reason)), 0);
	handle = dlopen(library_path(), RTLD_NOW | RTLD_NOLOAD);
	assert_non_null(handle);
	cupti = dlsym(handle, "sim_cupti");
	assert_non_null(cupti);
	cupti->driver = &driver;
	return cupti;
}

/* Has the buffers that are part filled go back. */
static inline void complete_buffers(void)
{
	library_functions()->cuptiActivityFlushAll(0);
}

#define CHILD_TEST(name) TEST_IN_CHILD(name, set_cuda_home())

#endif
