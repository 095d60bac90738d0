/* SPDX-License-Identifier: MIT */
/* Which calls end a context, when an ended stream is freed, and the marks by which the end of the
 * run waits for streams. */
/* clang-format off: before all that reads the clock. */
#include "tests/sim/clock/virtual_clock.h"
/* clang-format on */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "preload/base/lifecycle_state.h"
#include "preload/collector/collector.h"
#include "preload/handles/operation.h"
#include "preload/handles/stream.h"
#include "preload/lifecycle/context_end.h"
#include "preload/memory/allocations.h"

#define PRIMARY ((CUcontext)0x100)

struct driver driver;
_Atomic int lifecycle_state;
static struct context context;
static struct context *known, *ended, *looked_up;
static unsigned forgotten, asked, retained, released;
static unsigned long long on_device;
static CUresult state_result, retain_result;
static int active;

struct context *context_known(CUcontext handle)
{
	return known && known->handle == handle ? known : NULL;
}

struct context *context_first(void)
{
	return known;
}

struct context *context_lookup(CUcontext handle)
{
	looked_up = context_known(handle);
	return looked_up;
}

void context_on_device(int device)
{
	on_device |= 1ull << device;
}

void collector_end_context(struct context *which)
{
	ended = which;
}

static CUcontext without_memory;

void allocations_context_ends(CUcontext handle)
{
	without_memory = handle;
}

void operation_forget_kernels(void)
{
	forgotten++;
}

static CUresult get_state(CUdevice device, unsigned *flags, int *is_active)
{
	assert_in_range(device, 0, SESSION_DEVICES);
	*flags = 0;
	*is_active = active;
	asked++;
	return state_result;
}

static CUresult retain(CUcontext *handle, CUdevice device)
{
	assert_in_range(device, 0, SESSION_DEVICES);
	retained++;
	if (retain_result == CUDA_SUCCESS)
		*handle = PRIMARY;
	return retain_result;
}

static CUresult release(CUdevice device)
{
	assert_in_range(device, 0, SESSION_DEVICES);
	released++;
	return CUDA_SUCCESS;
}

static CUresult from_green;

static CUresult context_of_green(CUcontext *handle, void *green)
{
	assert_ptr_equal(green, &context);
	*handle = PRIMARY;
	return from_green;
}

static int start(void **state)
{
	(void)state;
	driver.cuDevicePrimaryCtxGetState = get_state;
	driver.cuDevicePrimaryCtxRetain = retain;
	driver.cuDevicePrimaryCtxRelease_v2 = release;
	driver.cuCtxFromGreenCtx = context_of_green;
	context = (struct context){.handle = PRIMARY, .device = 3};
	known = &context;
	ended = looked_up = NULL;
	forgotten = asked = retained = released = 0;
	on_device = 0;
	state_result = retain_result = from_green = CUDA_SUCCESS;
	active = 1;
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	return 0;
}

static bool has_ended(void)
{
	bool has = ended == &context;

	assert_int_equal(forgotten, has);
	ended = NULL;
	forgotten = 0;
	return has;
}

static void a_context_that_is_known_ends_with_its_kernels(void **state)
{
	(void)state;
	context_ends((CUcontext)0x999);
	assert_false(has_ended());
	assert_ptr_equal(without_memory, (CUcontext)0x999);
	context_ends(PRIMARY);
	assert_true(has_ended());
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	context_ends(PRIMARY);
	assert_true(has_ended());
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	context_ends(PRIMARY);
	assert_false(has_ended());
}

static void a_primary_context_ends_with_its_last_release(void **state)
{
	const CUcontext handle = PRIMARY;

	(void)state;
	primary_retained(0, &handle, CUDA_SUCCESS);
	primary_retained(0, NULL, CUDA_SUCCESS);
	primary_retained(0, &handle, CUDA_ERROR_INVALID_DEVICE);
	assert_int_equal(on_device, 1);
	primary_released(0);
	assert_false(has_ended());
	primary_released(0);
	assert_true(has_ended());
	assert_int_equal(asked, 0);
	/* Its handle may come again, so it is forgotten: the driver is asked. */
	primary_retained(0, NULL, CUDA_SUCCESS);
	primary_released(0);
	assert_int_equal(asked, 1);
	assert_int_equal(retained, 1);
	assert_int_equal(released, 1);
	assert_true(has_ended());
	/* More releases than ktime has seen retains. */
	primary_released(0);
	assert_true(has_ended());
	primary_retained(0, &handle, CUDA_SUCCESS);
	primary_retained(0, &handle, CUDA_SUCCESS);
	primary_released(0);
	assert_false(has_ended());
	primary_ends(0);
	assert_true(has_ended());
	primary_released(0);
	has_ended();
}

static void devices_are_told_apart(void **state)
{
	const CUcontext handle = PRIMARY;

	(void)state;
	primary_retained(1, &handle, CUDA_SUCCESS);
	assert_int_equal(on_device, 2);
	active = 0;
	primary_ends(2);
	assert_false(has_ended());
	primary_ends(1);
	assert_true(has_ended());
	/* One that ktime keeps no place for, and none. */
	primary_retained(SESSION_DEVICES, &handle, CUDA_SUCCESS);
	primary_retained(-1, &handle, CUDA_SUCCESS);
	primary_released(SESSION_DEVICES);
	primary_released(-1);
	assert_false(has_ended());
	primary_retained(SESSION_DEVICES - 1, &handle, CUDA_SUCCESS);
	primary_released(SESSION_DEVICES - 1);
	assert_true(has_ended());
}

static void a_context_is_never_made_to_be_asked_for(void **state)
{
	(void)state;
	active = 0;
	primary_ends(4);
	assert_int_equal(retained, 0);
	active = 1;
	state_result = CUDA_ERROR_UNKNOWN;
	primary_ends(4);
	assert_int_equal(retained, 0);
	state_result = CUDA_SUCCESS;
	retain_result = CUDA_ERROR_UNKNOWN;
	primary_ends(4);
	assert_int_equal(retained, 1);
	assert_int_equal(released, 0);
	assert_false(has_ended());
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	primary_ends(4);
	assert_int_equal(asked, 3);
}

static void all_of_a_device_end_where_its_primary_one_is_not_told(void **state)
{
	(void)state;
	retain_result = CUDA_ERROR_UNKNOWN;
	primary_ends(context.device);
	assert_true(has_ended());
	state_result = CUDA_ERROR_UNKNOWN;
	primary_ends(context.device);
	assert_true(has_ended());
	primary_ends(context.device + 1);
	assert_false(has_ended());
	state_result = CUDA_SUCCESS;
	active = 0;
	primary_ends(context.device);
	assert_false(has_ended());
}

static void a_green_context_ends_its_own_and_a_retain(void **state)
{
	const CUcontext handle = (CUcontext)0x999;

	(void)state;
	primary_retained(3, &handle, CUDA_SUCCESS);
	primary_retained(3, &handle, CUDA_SUCCESS);
	green_ends(&context);
	assert_true(has_ended());
	assert_ptr_equal(looked_up, &context);
	primary_released(3);
	/* The count was at one: this was the last. */
	assert_int_equal(asked, 0);
	primary_retained(3, &handle, CUDA_SUCCESS);
	from_green = CUDA_ERROR_NOT_SUPPORTED;
	green_ends(&context);
	assert_false(has_ended());
	from_green = CUDA_SUCCESS;
	driver.cuCtxFromGreenCtx = NULL;
	green_ends(&context);
	assert_false(has_ended());
	driver.cuCtxFromGreenCtx = context_of_green;
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	green_ends(&context);
	assert_false(has_ended());
	atomic_store(&lifecycle_state, LIFECYCLE_CLOSED);
	looked_up = NULL;
	green_ends(&context);
	assert_true(has_ended());
	assert_null(looked_up);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_context_that_is_known_ends_with_its_kernels, start),
		cmocka_unit_test_setup(a_primary_context_ends_with_its_last_release, start),
		cmocka_unit_test_setup(devices_are_told_apart, start),
		cmocka_unit_test_setup(a_context_is_never_made_to_be_asked_for, start),
		cmocka_unit_test_setup(all_of_a_device_end_where_its_primary_one_is_not_told,
				       start),
		cmocka_unit_test_setup(a_green_context_ends_its_own_and_a_retain, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
