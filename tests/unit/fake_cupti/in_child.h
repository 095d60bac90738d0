/* SPDX-License-Identifier: MIT */
/*
 * What cupti/ knows belongs to the process and is set once: each test has a process of its own,
 * with the library of fake_cupti.c found through CUDA_HOME.
 */
#ifndef KTIME_TESTS_UNIT_IN_CHILD_H
#define KTIME_TESTS_UNIT_IN_CHILD_H

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cupti/library.h"
#include "fake_cupti.h"

/* Sets CUDA_HOME to `folder` beside the test program. */
static inline void set_cuda_home(const char *folder)
{
	char path[PATH_MAX - 64], home[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(length > 0);
	path[length] = '\0';
	*strrchr(path, '/') = '\0';
	snprintf(home, sizeof(home), "%s/%s", path, folder);
	setenv("CUDA_HOME", home, 1);
	unsetenv("CUDA_INJECTION64_PATH");
}

/* Runs the body in a child process; a failed assertion in it fails the test here. */
static inline void in_child(void (*body)(void))
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		/* cmocka would go on with the next test, in this process. */
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		set_cuda_home("cuda");
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Loads the library, for a driver of CUDA 13, and gives what it keeps of what it was asked for. */
static inline struct fake_cupti *load_fake(void)
{
	char reason[512];
	void *handle;

	assert_int_equal(library_load(13000, reason, sizeof(reason)), 0);
	handle = dlopen(library_path(), RTLD_NOW | RTLD_NOLOAD);
	assert_non_null(handle);
	return dlsym(handle, "fake_cupti");
}

#define TEST_IN_CHILD(name)                                                                        \
	static void name##_body(void);                                                             \
	static void name(void **test)                                                              \
	{                                                                                          \
		(void)test;                                                                        \
		in_child(name##_body);                                                             \
	}                                                                                          \
	static void name##_body(void)

#endif
