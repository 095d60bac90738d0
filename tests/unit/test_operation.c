/* SPDX-License-Identifier: MIT */
/* Which operations there are: the collector goes through all of them in each of its periods. */
#include "preload/handles/operation.h"
#include "tests/unit/test.h"

struct driver driver; /* an older one, which cannot tell the name of a kernel */

static unsigned count_operations(void)
{
	unsigned count = 0;

	operations_for_each (operation)
		count++;
	return count;
}

TEST(kernels_that_are_never_launched_are_no_operations)
{
	static char handles[20000];
	char name[32];

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

TEST(a_handle_that_comes_back_has_the_new_kernels_name)
{
	static char handle;

	operation_remember_kernel(&handle, "before");
	assert_string_equal(operation_of_kernel((CUfunction)&handle)->name, "before");
	operation_remember_kernel(&handle, "after");
	assert_string_equal(operation_of_kernel((CUfunction)&handle)->name, "after");
}

static CUresult name_of_kernel(const char **name, CUkernel kernel)
{
	static char text[32];

	snprintf(text, sizeof(text), "library kernel %u", (unsigned)(uintptr_t)kernel);
	*name = text;
	return (uintptr_t)kernel < 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult name_of_function(const char **name, CUfunction function)
{
	static char text[32];

	snprintf(text, sizeof(text), "function %u", (unsigned)(uintptr_t)function);
	*name = text;
	return (uintptr_t)function >= 100 && (uintptr_t)function < 200 ? CUDA_SUCCESS
								       : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult no_name(const char **name, CUfunction function)
{
	(void)function;
	*name = NULL;
	return CUDA_SUCCESS;
}

static const char *name_of(uintptr_t handle)
{
	return operation_of_kernel((CUfunction)handle)->name;
}

TEST(the_driver_is_asked_for_a_kernels_name_first)
{
	operation_remember_kernel((void *)7, "remembered 7");
	operation_remember_kernel((void *)107, "remembered 107");
	operation_remember_kernel((void *)207, "remembered 207");
	assert_false(operation_driver_names());
	assert_string_equal(name_of(7), "remembered 7");
	driver.cuKernelGetName = (void *)name_of_kernel;
	assert_false(operation_driver_names());
	assert_string_equal(name_of(7), "library kernel 7");
	assert_string_equal(name_of(107), "remembered 107");
	driver.cuFuncGetName = name_of_function;
	assert_true(operation_driver_names());
	assert_string_equal(name_of(7), "library kernel 7");
	assert_string_equal(name_of(107), "function 107");
	assert_string_equal(name_of(207), "remembered 207");
	assert_ptr_equal(operation_of_kernel((CUfunction)208),
			 operation_fixed(OPERATION_UNKNOWN_KERNEL));
	driver.cuKernelGetName = NULL;
	assert_false(operation_driver_names());
	assert_string_equal(name_of(107), "function 107");
	driver.cuFuncGetName = no_name;
	assert_string_equal(name_of(107), "remembered 107");
	driver.cuFuncGetName = NULL;
}

TEST(operations_have_the_overhead_of_their_kind)
{
	static const struct {
		enum fixed_operation operation;
		enum overhead_kind overhead;
	} fixed[] = {{OPERATION_COPY_HTOD, OVERHEAD_COPY},
		     {OPERATION_COPY_DTOH, OVERHEAD_COPY},
		     {OPERATION_COPY_DTOD, OVERHEAD_KERNEL},
		     {OPERATION_COPY_PTOP, OVERHEAD_COPY},
		     {OPERATION_MEMSET, OVERHEAD_KERNEL},
		     {OPERATION_UNKNOWN_GRAPH, OVERHEAD_KERNEL},
		     {OPERATION_UNKNOWN_KERNEL, OVERHEAD_KERNEL}};
	const struct operation *kernel = operation_named(ROW_KERNEL, "named"),
			       *graph = operation_named(ROW_GRAPH, "named");
	struct operation *version;

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		assert_int_equal(operation_fixed(fixed[i].operation)->overhead, fixed[i].overhead);
	assert_ptr_not_equal(kernel, graph);
	assert_int_equal(kernel->kind, ROW_KERNEL);
	assert_int_equal(kernel->overhead, OVERHEAD_KERNEL);
	assert_int_equal(graph->kind, ROW_GRAPH);
	assert_int_equal(graph->overhead, OVERHEAD_KERNEL);
	assert_int_equal(graph->index, kernel->index + 1);
	version = operation_version((struct operation *)graph);
	assert_ptr_equal(version->version_of, graph);
	assert_ptr_equal(version->name, graph->name);
	assert_int_equal(version->kind, ROW_GRAPH);
	assert_int_equal(version->index, graph->index + 1);
	assert_ptr_equal(operation_first(), version);
	assert_ptr_equal(operation_named(ROW_GRAPH, "named"), graph);
	assert_ptr_equal(operation_named(ROW_KERNEL, "named"), kernel);
	for (unsigned i = 0; i < FIXED_OPERATION_COUNT; i++)
		assert_int_equal(operation_fixed(i)->index, i);
	/* Those that come later begin with the share that is set now, as the fixed ones go on. */
	operation_first_sampling(123);
	assert_int_equal(operation_fixed(OPERATION_MEMSET)->sample_below, 123);
	assert_int_equal(operation_fixed(FIXED_OPERATION_COUNT - 1)->sample_below, 123);
	assert_int_equal(operation_named(ROW_KERNEL, "later")->sample_below, 123);
	assert_int_equal(kernel->sample_below, SAMPLE_ALL);
}

TEST(an_unloaded_module_makes_names_ambiguous)
{
	uint32_t generation = launch_state.operation_generation;

	assert_false(operation_names_reused);
	operation_forget_kernels();
	assert_int_equal(launch_state.operation_generation, generation + 1);
	assert_false(operation_names_reused);
	operation_modules_unload();
	assert_int_equal(launch_state.operation_generation, generation + 2);
	assert_true(operation_names_reused);
}
