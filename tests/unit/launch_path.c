/* SPDX-License-Identifier: MIT */
/* clang-format off: before all that reads the clock. */
#include "tests/sim/clock/virtual_clock.h"
/* clang-format on */

#include "tests/unit/launch_path.h"

#include <errno.h>
#include <string.h>

#include "cupti/cupti.h"
#include "preload/base/background_thread.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/settings.h"
#include "preload/events/gates.h"
#include "preload/handles/capture.h"
#include "preload/handles/graph.h"
#include "preload/launch/call.h"
#include "preload/launch/describe.h"
#include "preload/launch/runtime_call.h"
#include "preload/launch/window.h"

struct driver driver;
_Atomic int lifecycle_state, count_only_blocks;
_Atomic bool mode_cupti, window_open;
bool mode_events;
_Atomic uint32_t stream_generation, operation_generation;
_Atomic uint64_t operation_lost_calls;
__thread struct thread *thread_self;

uint64_t ticks, ticks_a_reading;
struct thread launching;
struct context the_context, other_context;
struct stream streams[2];
struct operation kernels[2], graph_operations[1], fixed[FIXED_OPERATION_COUNT];
struct event_pool pool;
struct event_pair pair;
struct asked asked;
struct noted noted;

/* Stands in for the processor's counter: the sources are built as for libktime_virtual.so. */
uint64_t clock_ticks(void)
{
	ticks += ticks_a_reading;
	return ticks;
}

struct stream *stream_lookup(CUstream handle, CUcontext current)
{
	asked.streams++;
	errno = 99;
	for (unsigned i = 0; i < 2; i++)
		if (streams[i].handle == handle &&
		    (!current || streams[i].context->handle == current))
			return &streams[i];
	return NULL;
}

struct stream *stream_known(CUstream handle)
{
	asked.known_streams++;
	return asked.stream_is_known && handle == streams[0].handle ? &streams[0] : NULL;
}

void stream_used(struct stream *stream)
{
	assert_non_null(stream);
	asked.streams_used++;
}

struct context *context_first(void)
{
	return &the_context;
}

struct operation *operation_fixed(enum fixed_operation which)
{
	return &fixed[which];
}

struct operation *operation_of_kernel(CUfunction function)
{
	asked.operations++;
	errno = 99;
	return &kernels[(uintptr_t)function - (uintptr_t)KERNEL];
}

struct operation *graph_operation(CUgraphExec exec)
{
	asked.operations++;
	return &graph_operations[(uintptr_t)exec - (uintptr_t)GRAPH];
}

void copy_graphs_launched(CUgraphExec exec, const struct operation *operation)
{
	assert_ptr_equal(operation, &graph_operations[(uintptr_t)exec - (uintptr_t)GRAPH]);
	asked.graphs_launched++;
}

/* Gates are tried on the calling thread; their pages are made on another. */
_Atomic bool mode_begun;

int spare_thread_call(void (*function)(void *), void *argument)
{
	(void)function;
	(void)argument;
	return -EAGAIN;
}

bool spare_thread_wait(uint64_t end)
{
	return end > 0;
}

struct event_pool *event_pool_enter(struct event_pool **list, struct context *context)
{
	asked.pools++;
	if (asked.has_no_pool)
		return NULL;
	pool.context = context;
	pool.next = *list;
	return *list = &pool;
}

int cupti_context_id(CUcontext context, uint32_t *id)
{
	assert_ptr_equal(context, the_context.handle);
	asked.cupti_contexts++;
	*id = asked.cupti_fails ? 0 : 5;
	return asked.cupti_fails;
}

int cupti_stream_id(CUcontext context, CUstream stream, bool per_thread, uint32_t *id)
{
	assert_ptr_equal(context, the_context.handle);
	asked.cupti_streams++;
	asked.last_stream = stream;
	asked.per_thread = per_thread;
	*id = 6;
	return asked.cupti_fails;
}

void lifecycle_start(void)
{
	asked.starts++;
	errno = 99;
	if (asked.starts_up)
		atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
}

void lifecycle_late_work(void)
{
	asked.late++;
}

void lifecycle_work_seen(void)
{
	asked.work++;
}

struct thread *thread_enter(void)
{
	asked.threads++;
	return thread_self = &launching;
}

void driver_failed(void)
{
	asked.failures++;
}

bool copy_is_pageable(const void *host)
{
	assert_non_null(host);
	return asked.is_pageable;
}

static CUresult get_current(CUcontext *context)
{
	asked.contexts++;
	*context = asked.current;
	return CUDA_SUCCESS;
}

static CUresult record_event(CUevent event, CUstream stream)
{
	asked.last_event = event;
	asked.last_stream = stream;
	errno = 99;
	return ++asked.events == asked.event_that_fails ? CUDA_ERROR_UNKNOWN : asked.event_result;
}

static CUresult batch(CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,
		      unsigned flags)
{
	const CUstreamBatchMemOpParams *write = &operations[0], *wait = &operations[1];
	CUdeviceptr address = the_context.gate_address + gate_offset(launching.gate);

	assert_int_equal(count, 2);
	assert_int_equal(flags, 0);
	assert_int_equal(write->operation, CU_STREAM_MEM_OP_WRITE_VALUE_32);
	assert_int_equal(write->writeValue.address,
			 address + 4 + 4 * (write->writeValue.value % 8));
	assert_int_equal(wait->operation, CU_STREAM_MEM_OP_WAIT_VALUE_32);
	assert_int_equal(wait->waitValue.address, address);
	assert_int_equal(wait->waitValue.flags, CU_STREAM_WAIT_VALUE_GEQ);
	assert_int_equal(wait->waitValue.value, write->writeValue.value);
	asked.waits++;
	asked.last_stream = stream;
	asked.waited_for = wait->waitValue.value;
	return asked.wait_result;
}

static CUresult is_capturing(CUstream stream, CUstreamCaptureStatus *status)
{
	assert_non_null(stream);
	*status = asked.stream_is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE
					    : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

static void start_operation(struct operation *operation, uint32_t index, enum row_kind kind)
{
	memset(operation, 0, sizeof(*operation));
	operation->index = index;
	operation->kind = kind;
	atomic_store(&operation->sample_below, SAMPLE_ALL);
}

int launch_path_start(void **state)
{
	(void)state;
	driver.cuCtxGetCurrent = get_current;
	driver.cuEventRecord = record_event;
	driver.cuStreamBatchMemOp_v2 = batch;
	driver.cuStreamIsCapturing = is_capturing;
	asked = (struct asked){.current = (CUcontext)0x4000};
	noted = (struct noted){0};
	atomic_store(&lifecycle_state, LIFECYCLE_RUNNING);
	atomic_store(&count_only_blocks, 0);
	atomic_store(&mode_cupti, false);
	atomic_store(&window_open, true);
	atomic_store(&live_captures, 0);
	atomic_store(&operation_lost_calls, 0);
	/* As in the library: a thread's empty maps are of generation 0. */
	atomic_store(&stream_generation, 1);
	atomic_store(&operation_generation, 1);
	mode_events = true;
	ticks = 1000000;
	ticks_a_reading = 0;
	the_context = (struct context){.handle = (CUcontext)0x4000, .reported = true, .id = 1};
	other_context = (struct context){.handle = (CUcontext)0x5000, .reported = true, .id = 2};
	for (unsigned i = 0; i < 2; i++)
		streams[i] = (struct stream){.handle = (CUstream)((uintptr_t)STREAM + i),
					     .context = &the_context,
					     .id = i};
	start_operation(&kernels[0], 100, ROW_KERNEL);
	start_operation(&kernels[1], 101, ROW_KERNEL);
	start_operation(&graph_operations[0], 102, ROW_GRAPH);
	for (uint32_t i = 0; i < FIXED_OPERATION_COUNT; i++)
		start_operation(&fixed[i], i, ROW_MEMCPY);
	memset(&pool, 0, sizeof(pool));
	pair = (struct event_pair){.start = (CUevent)1, .end = (CUevent)2, .pool = &pool};
	pool.pairs = 1;
	event_pool_put(&pool, &pair);
	memset(&runtime_call, 0, sizeof(runtime_call));
	memset(&launching, 0, offsetof(struct thread, operation_calls));
	memset(launching.operation_calls, 0, sizeof(launching.operation_calls));
	memset(launching.operation_rows, 0, sizeof(launching.operation_rows));
	memset(launching.sizes, 0, sizeof(launching.sizes));
	memset(launching.api_calls, 0, sizeof(launching.api_calls));
	launching.calls_to_count = RECORDED_CALLS - 1;
	launching.turn = FIRST_TURN;
	launching.timed_symbols = UINT32_MAX;
	atomic_store(&launching.ring_tail, 0);
	launching.random = 1;
	launching.error = &errno;
	launching.ring.records = launching.records;
	launching.ring.tail = &launching.ring_tail;
	thread_self = &launching;
	return 0;
}

int launch_path_end(void **state)
{
	(void)state;
	pointer_map_free(&launching.streams);
	pointer_map_free(&launching.kernels);
	pointer_map_free(&launching.graphs);
	pointer_map_free(&launching.launched);
	return 0;
}

void describe_launch(struct call *call, CUfunction function, CUstream stream)
{
	memset(call, 0xaa, sizeof(*call));
	call_describe(call, LAUNCH_ROW, CU_STREAM_LEGACY);
	describe_kernel(call, function, stream);
}

void make_call(struct call *call, CUresult result)
{
	/* As its wrapper. */
	if (!call->function && !call->graph) {
		call_begin_or_count(call, NULL);
		ticks += CALL_TICKS;
		call_end_or_count(call, result);
		return;
	}
	if (count_only_begin(call)) {
		ticks += CALL_TICKS;
		count_only_end(call, result);
		return;
	}
	call_begin(call, NULL);
	ticks += CALL_TICKS;
	call_end(call, result);
}

uint64_t begun;

void begin_runtime_call(enum runtime_symbol which)
{
	begun = runtime_call_begin(which);
	runtime_call.frame = UINTPTR_MAX;
}

/* The driver's code. */
bool driver_contains(const void *address)
{
	return address == (const void *)driver_contains;
}

struct call launch_kernel(CUfunction function, CUstream stream, CUresult result)
{
	struct call call;

	describe_launch(&call, function, stream);
	make_call(&call, result);
	return call;
}

unsigned published(void)
{
	return atomic_load(&launching.ring.head);
}

const struct call_record *last_record(void)
{
	assert_int_not_equal(published(), 0);
	return &launching.records[(published() - 1) % RING_RECORDS];
}

void drain_ring(void)
{
	atomic_store(&launching.ring_tail, published());
}

void allocation_ends(CUresult result, const struct allocated *allocated)
{
	noted.ended++;
	noted.result = result;
	noted.allocated = *allocated;
}

void allocation_freeing(enum holding_space space, uint64_t key)
{
	assert_int_equal(space, SPACE_POINTER);
	noted.freeing++;
	noted.key = key;
}

void allocation_freed(CUresult result, uint64_t key)
{
	assert_int_equal(key, noted.key);
	noted.freed++;
	noted.result = result;
}

void allocation_captured(void)
{
	noted.captured++;
}
