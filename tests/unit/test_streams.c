/* SPDX-License-Identifier: MIT */
/* The program's contexts and streams: found by their handles, counted, and forgotten before the
 * driver destroys them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "preload/base/lifecycle_state.h"
#include "preload/base/settings.h"
#include "cupti/cupti.h"
#include "preload/handles/stream.h"

#define FIRST  ((CUcontext)0x1000)
#define SECOND ((CUcontext)0x2000)

struct driver driver;
struct options settings;
_Atomic int lifecycle_state = LIFECYCLE_RUNNING, count_only_blocks;

static unsigned failures, pushed, popped, asked_for_context, set;
static CUresult push_result, device_result, stream_result, set_result;
static CUcontext stream_context, current;

static unsigned peer_copies;

void pause_ends_for_peer_copies(void)
{
	peer_copies++;
}

void driver_failed(void)
{
	failures++;
}

static CUresult push(CUcontext context)
{
	pushed++;
	current = context;
	return push_result;
}

static CUresult pop(CUcontext *context)
{
	popped++;
	*context = current;
	return CUDA_SUCCESS;
}

static CUresult get_device(CUdevice *device)
{
	*device = current == FIRST ? 1 : 2;
	return device_result;
}

static CUresult get_context(CUstream stream, CUcontext *context)
{
	assert_non_null(stream);
	asked_for_context++;
	*context = stream_context;
	return stream_result;
}

static CUresult set_current(CUcontext context)
{
	set++;
	current = context;
	return set_result;
}

static CUstream stream_of(uintptr_t number)
{
	return (CUstream)(0x7000 + number);
}

static int start(void **state)
{
	(void)state;
	settings = (struct options){.trace = TRACE_GPU, .devices = 1 << 1};
	driver.cuCtxPushCurrent_v2 = push;
	driver.cuCtxPopCurrent_v2 = pop;
	driver.cuCtxGetDevice = get_device;
	driver.cuStreamGetCtx = get_context;
	driver.cuCtxSetCurrent = set_current;
	push_result = device_result = stream_result = set_result = CUDA_SUCCESS;
	failures = pushed = popped = asked_for_context = set = 0;
	stream_context = FIRST;
	return 0;
}

static unsigned take_ended(void)
{
	struct stream *ended = stream_take_ended(), *next;
	unsigned count = 0;

	for (; ended; ended = next, count++) {
		next = ended->next;
		free(ended);
	}
	return count;
}

/* The contexts of the tests before have ended; what they were is kept. */
static int stop(void **state)
{
	(void)state;
	for (struct context *context = context_first(); context; context = context->next)
		if (!atomic_load(&context->ended))
			context_ending(context);
	take_ended();
	return 0;
}

static void a_context_is_asked_for_its_device_once(void **state)
{
	int blocks = atomic_load(&count_only_blocks);
	struct context *context = context_lookup(FIRST), *second;

	(void)state;
	assert_ptr_equal(context->handle, FIRST);
	assert_int_equal(context->device, 1);
	assert_true(context->reported);
	assert_int_equal(pushed, 1);
	assert_int_equal(popped, 1);
	assert_ptr_equal(context_lookup(FIRST), context);
	assert_ptr_equal(context_known(FIRST), context);
	assert_null(context_known(SECOND));
	assert_null(context_lookup(NULL));
	assert_int_equal(pushed, 1);
	assert_false(context_several_devices);
	assert_int_equal(context_first_device, 1);
	assert_int_equal(atomic_load(&count_only_blocks), blocks);
	assert_int_equal(peer_copies, 0);
	second = context_lookup(SECOND);
	assert_int_equal(second->id, context->id + 1);
	assert_false(second->reported);
	assert_true(context_several_devices);
	/* Once, however many there are. */
	context_on_device(5);
	assert_int_equal(context_first_device, 1);
	assert_int_equal(atomic_load(&count_only_blocks), blocks + 1);
	assert_int_equal(peer_copies, 1);
	assert_ptr_equal(context_first(), second);
	assert_ptr_equal(second->next, context);
	/* Its handle may come again. */
	context_ending(second);
	assert_null(context_known(SECOND));
	assert_ptr_not_equal(context_lookup(SECOND), second);
}

static void a_context_that_the_driver_refuses_is_none(void **state)
{
	(void)state;
	push_result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	assert_null(context_lookup(FIRST));
	assert_int_equal(failures, 1);
	assert_int_equal(popped, 0);
	push_result = CUDA_SUCCESS;
	device_result = CUDA_ERROR_UNKNOWN;
	assert_null(context_lookup(FIRST));
	assert_int_equal(failures, 2);
	assert_int_equal(popped, 1);
	assert_null(context_known(FIRST));
}

static void a_stream_is_asked_for_its_context_once(void **state)
{
	struct stream *stream, *second;

	(void)state;
	/* A thread's maps are of generation 0 while they are empty. */
	assert_int_not_equal(atomic_load(&stream_generation), 0);
	assert_null(stream_known(stream_of(1)));
	stream = stream_lookup(stream_of(1), SECOND);
	assert_ptr_equal(stream->handle, stream_of(1));
	assert_ptr_equal(stream->context, context_known(FIRST));
	assert_true(stream->blocking);
	assert_ptr_equal(stream_known(stream_of(1)), stream);
	assert_ptr_equal(stream_lookup(stream_of(1), NULL), stream);
	assert_int_equal(asked_for_context, 1);
	second = stream_lookup(stream_of(2), NULL);
	assert_int_equal(second->id, stream->id + 1);
	stream_result = CUDA_ERROR_INVALID_HANDLE;
	assert_null(stream_lookup(stream_of(3), NULL));
	assert_int_equal(failures, 1);
	/* Nor one whose context the driver refuses. */
	stream_result = CUDA_SUCCESS;
	stream_context = SECOND;
	push_result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	assert_null(stream_lookup(stream_of(3), NULL));
	assert_null(stream_known(stream_of(3)));
}

static void default_streams_are_the_contexts_and_the_threads(void **state)
{
	struct stream *legacy = stream_lookup(CU_STREAM_LEGACY, FIRST), *first, *second;

	(void)state;
	assert_ptr_equal(legacy->handle, CU_STREAM_LEGACY);
	assert_false(legacy->blocking);
	assert_ptr_equal(context_known(FIRST)->legacy, legacy);
	assert_ptr_equal(stream_lookup(CU_STREAM_LEGACY, FIRST), legacy);
	assert_ptr_not_equal(stream_lookup(CU_STREAM_LEGACY, SECOND), legacy);
	first = stream_lookup(CU_STREAM_PER_THREAD, FIRST);
	second = stream_lookup(CU_STREAM_PER_THREAD, FIRST);
	assert_ptr_not_equal(first, second);
	assert_true(first->blocking);
	assert_int_equal(asked_for_context, 0);
	assert_null(stream_known(CU_STREAM_LEGACY));
	assert_null(stream_lookup(CU_STREAM_LEGACY, NULL));
	/* When the thread ends, both do. */
	first->next = second;
	stream_list_ending(first);
	assert_int_equal(take_ended(), 2);
	stream_list_ending(NULL);
	assert_null(stream_take_ended());
}

static uint32_t blocking(void)
{
	return atomic_load(&context_known(FIRST)->blocking_streams);
}

static void blocking_streams_in_use_are_counted(void **state)
{
	struct stream *stream, *unseen;

	(void)state;
	stream_made(stream_of(1), CU_STREAM_NON_BLOCKING);
	stream = stream_known(stream_of(1));
	assert_false(stream->blocking);
	stream_used(stream);
	assert_int_equal(blocking(), 0);
	stream_made(stream_of(2), CU_STREAM_DEFAULT);
	assert_true(stream_known(stream_of(2))->blocking);
	assert_int_equal(blocking(), 0);
	stream_used(stream_known(stream_of(2)));
	stream_used(stream_known(stream_of(2)));
	assert_int_equal(blocking(), 1);
	unseen = stream_lookup(stream_of(3), NULL);
	stream_used(unseen);
	assert_int_equal(blocking(), 2);
	stream_used(stream_lookup(CU_STREAM_LEGACY, FIRST));
	assert_int_equal(blocking(), 2);
	stream_ending(stream_of(1));
	assert_int_equal(blocking(), 2);
	stream_ending(stream_of(2));
	assert_int_equal(blocking(), 1);
	/* One that the driver does not know is passed over. */
	stream_result = CUDA_ERROR_INVALID_HANDLE;
	stream_made(stream_of(9), CU_STREAM_DEFAULT);
}

static void a_stream_that_ends_is_forgotten_by_all_threads(void **state)
{
	uint32_t before;
	struct stream *stream = stream_lookup(stream_of(1), NULL);

	(void)state;
	stream_lookup(stream_of(2), NULL);
	before = atomic_load(&stream_generation);
	stream_ending(stream_of(5));
	assert_int_equal(atomic_load(&stream_generation), before);
	atomic_store(&lifecycle_state, LIFECYCLE_FORKED);
	stream_ending(stream_of(1));
	assert_non_null(stream_known(stream_of(1)));
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	stream_ending(stream_of(1));
	assert_int_equal(atomic_load(&stream_generation), before + 1);
	assert_null(stream_known(stream_of(1)));
	assert_non_null(stream_known(stream_of(2)));
	assert_ptr_equal(stream_take_ended(), stream);
	assert_null(stream->next);
	free(stream);
}

static void the_streams_of_a_context_end_with_it(void **state)
{
	struct context *first = context_lookup(FIRST);
	uint32_t before = atomic_load(&stream_generation);

	(void)state;
	stream_lookup(stream_of(1), NULL);
	stream_lookup(stream_of(2), NULL);
	stream_lookup(CU_STREAM_LEGACY, FIRST);
	stream_context = SECOND;
	stream_lookup(stream_of(3), NULL);
	stream_lookup(CU_STREAM_LEGACY, SECOND);
	context_ending(first);
	assert_true(atomic_load(&first->ended));
	assert_null(first->legacy);
	assert_int_equal(atomic_load(&stream_generation), before + 1);
	assert_int_equal(take_ended(), 3);
	assert_null(stream_known(stream_of(1)));
	assert_non_null(stream_known(stream_of(3)));
	assert_non_null(context_known(SECOND)->legacy);
}

static unsigned visits;
static uintptr_t visited;

static void visit(struct stream *stream)
{
	visits++;
	visited += (uintptr_t)stream->handle;
}

static void a_visit_comes_to_all_streams_but_the_threads(void **state)
{
	(void)state;
	stream_lookup(stream_of(1), NULL);
	stream_lookup(stream_of(2), NULL);
	stream_lookup(CU_STREAM_LEGACY, FIRST);
	stream_list_ending(stream_lookup(CU_STREAM_PER_THREAD, FIRST));
	visits = 0;
	visited = 0;
	stream_visit(visit);
	assert_int_equal(visits, 3);
	assert_int_equal(visited, 0x7001 + 0x7002 + 1);
	/* Once its context has ended, a legacy stream is left out. */
	atomic_store(&context_known(FIRST)->ended, true);
	visits = 0;
	stream_visit(visit);
	assert_int_equal(visits, 2);
	atomic_store(&context_first()->ended, false);
}

static void the_collector_makes_a_context_current_once(void **state)
{
	struct context *first = context_lookup(FIRST), *second = context_lookup(SECOND);

	(void)state;
	assert_true(context_use(first));
	assert_ptr_equal(current, FIRST);
	assert_int_equal(set, 1);
	assert_true(context_use(first));
	assert_int_equal(set, 1);
	set_result = CUDA_ERROR_CONTEXT_IS_DESTROYED;
	assert_false(context_use(second));
	assert_int_equal(failures, 1);
	/* The one before is still current. */
	assert_true(context_use(first));
	assert_int_equal(set, 2);
	set_result = CUDA_SUCCESS;
	atomic_store(&second->ended, true);
	assert_false(context_use(second));
	assert_int_equal(set, 2);
	assert_true(context_use(NULL));
	assert_null(current);
	assert_int_equal(set, 3);
	atomic_store(&second->ended, false);
}

#define STREAMS(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STREAMS(a_context_is_asked_for_its_device_once),
		STREAMS(a_context_that_the_driver_refuses_is_none),
		STREAMS(a_stream_is_asked_for_its_context_once),
		STREAMS(default_streams_are_the_contexts_and_the_threads),
		STREAMS(blocking_streams_in_use_are_counted),
		STREAMS(a_stream_that_ends_is_forgotten_by_all_threads),
		STREAMS(the_streams_of_a_context_end_with_it),
		STREAMS(a_visit_comes_to_all_streams_but_the_threads),
		STREAMS(the_collector_makes_a_context_current_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
