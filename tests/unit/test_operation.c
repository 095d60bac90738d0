/* SPDX-License-Identifier: MIT */
/* Which operations there are: the collector goes through all of them in each of its periods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "preload/handles/operation.h"

struct driver driver; /* an older one, which cannot tell the name of a kernel */

static unsigned count_operations(void)
{
	unsigned count = 0;

	for (const struct operation *operation = operation_first(); operation;
	     operation = operation->next)
		count++;
	return count;
}

static void kernels_that_are_never_launched_are_no_operations(void **state)
{
	static char handles[20000];
	char name[32];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "kernel_%d", i);
		operation_remember_kernel(&handles[i], name);
	}
	assert_int_equal(count_operations(), FIXED_OPERATION_COUNT);
	assert_string_equal(operation_of_kernel((CUfunction)&handles[777])->name, "kernel_777");
	assert_int_equal(count_operations(), FIXED_OPERATION_COUNT + 1);
	assert_ptr_equal(operation_of_kernel((CUfunction)&handles[777]),
			 operation_of_kernel((CUfunction)&handles[777]));
}

static void a_handle_that_comes_back_has_the_new_kernels_name(void **state)
{
	static char handle;

	(void)state;
	operation_remember_kernel(&handle, "before");
	assert_string_equal(operation_of_kernel((CUfunction)&handle)->name, "before");
	operation_remember_kernel(&handle, "after");
	assert_string_equal(operation_of_kernel((CUfunction)&handle)->name, "after");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_that_are_never_launched_are_no_operations),
		cmocka_unit_test(a_handle_that_comes_back_has_the_new_kernels_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
