/* SPDX-License-Identifier: MIT */
/* For test_calibration.c alone: a driver, a CUPTI and a clock that do as the test says, and tests
 * that each have a process of their own. */
#ifndef KTIME_TESTS_UNIT_CALIBRATION_DRIVER_H
#define KTIME_TESTS_UNIT_CALIBRATION_DRIVER_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cupti/cupti.h"
#include "preload/base/clock.h"
#include "preload/base/run.h"
#include "preload/base/settings.h"
#include "preload/events/calibration.h"
#include "preload/events/gates.h"
#include "preload/handles/capture.h"
#include "tests/unit/own_process.h"

#define MS	 1000000ull

/* See calibration.c. */
#define PAIRS	 16
#define FEW	 4
#define EVENTS	 (4 * PAIRS * 2)
/* See calibration.c: pairs, each behind eight kernels. */
#define QUEUED	 32
#define READINGS 21

struct driver driver;
void *_Atomic driver_entries[ENTRY_COUNT];
_Atomic bool mode_cupti, mode_begun;
bool mode_events;
_Atomic int live_captures;
extern const unsigned long long self_timing_fatbin[];
const unsigned long long self_timing_fatbin[1];

static struct context context, second;
static struct context *first;
static bool usable, active;
static int id_error;
static uint64_t now, each_reading;

/* In place of the kernel's. */
int clock_read(clockid_t clock, struct timespec *time)
{
	(void)clock;
	now += each_reading;
	time->tv_sec = (time_t)(now / 1000000000);
	time->tv_nsec = (long)(now % 1000000000);
	return 0;
}

struct context *context_first(void)
{
	return first;
}

bool context_use(struct context *wanted)
{
	assert_non_null(wanted);
	return usable;
}

/* The program's streams, one of which is of another context; until when the other one is busy. */
static struct stream streams[2];
static uint64_t busy_until;

void stream_visit(void (*visit)(struct stream *stream))
{
	visit(&streams[0]);
	visit(&streams[1]);
}

static CUresult query_stream(CUstream stream)
{
	assert_ptr_equal(stream, streams[0].handle);
	return now < busy_until ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

bool cupti_active(void)
{
	return active;
}

int cupti_context_id(CUcontext handle, uint32_t *id)
{
	assert_ptr_equal(handle, context.handle);
	*id = 3;
	return id_error;
}

int cupti_stream_id(CUcontext handle, CUstream stream, bool per_thread, uint32_t *id)
{
	assert_ptr_equal(handle, context.handle);
	assert_ptr_equal(stream, (CUstream)0x55);
	assert_false(per_thread);
	*id = 4;
	return id_error;
}

static bool gates_allowed;

bool context_gates_allowed(void)
{
	return gates_allowed;
}

/* The profile: its header, and what is said in it. */
static struct session_header profile;
static char said[500];

struct run run = {.header = &profile};

void session_note(struct session *session, const char *format, ...)
{
	va_list arguments;

	(void)session;
	va_start(arguments, format);
	vsnprintf(said, sizeof(said), format, arguments);
	va_end(arguments);
}

/* The driver: what was asked of it, by number, and which call of which function fails. */
enum call {
	LOAD,
	FUNCTION,
	GLOBAL,
	REGISTER,
	POINTER,
	STREAM,
	CREATE,
	RECORD,
	LAUNCH,
	COPY,
	WAIT,
	CALLS
};
static unsigned made[CALLS], fails_at[CALLS];
static unsigned destroyed, queries;
static char order[1000];
static uint64_t durations[READINGS];
static char *shared;
static bool start_reached, end_reached, queued_reached;
static int too_soon;			     /* tries whose first pair was reached */
static uint32_t around[EVENTS + 2 * QUEUED]; /* ns between the event and its partner */
static unsigned elapsed_fails_at, elapsed_asked;
static size_t target_bytes = 4096;

static CUresult result_of(enum call call, char letter)
{
	unsigned length = (unsigned)strlen(order);

	if (length + 1 < sizeof(order))
		order[length] = letter;
	return ++made[call] == fails_at[call] ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

static CUresult load(CUmodule *module, const void *image)
{
	assert_ptr_equal(image, self_timing_fatbin);
	*module = (CUmodule)0x11;
	return result_of(LOAD, 'l');
}

static CUresult get_function(CUfunction *function, CUmodule module, const char *name)
{
	assert_ptr_equal(module, (CUmodule)0x11);
	assert_string_equal(name, "ktime_self_timing");
	*function = (CUfunction)0x22;
	return result_of(FUNCTION, 'f');
}

static CUresult get_global(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name)
{
	assert_ptr_equal(module, (CUmodule)0x11);
	assert_string_equal(name, "ktime_target");
	*pointer = 0x33;
	*bytes = target_bytes;
	return result_of(GLOBAL, 'g');
}

static CUresult register_memory(void *address, size_t bytes, unsigned flags)
{
	assert_int_equal(flags, CU_MEMHOSTREGISTER_DEVICEMAP);
	assert_int_equal(bytes, READINGS * 32 + 4096);
	shared = address;
	return result_of(REGISTER, 'r');
}

static CUresult get_pointer(CUdeviceptr *pointer, void *address, unsigned flags)
{
	assert_ptr_equal(address, shared);
	assert_int_equal(flags, 0);
	*pointer = 0x4000;
	return result_of(POINTER, 'p');
}

static CUresult create_stream(CUstream *stream, unsigned flags)
{
	assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
	*stream = (CUstream)0x55;
	return result_of(STREAM, 's');
}

static CUresult create_event(CUevent *event, unsigned flags)
{
	assert_int_equal(flags, CU_EVENT_DEFAULT);
	*event = (CUevent)(uintptr_t)(made[CREATE] % (EVENTS + 2 * QUEUED) + 1);
	return result_of(CREATE, 'c');
}

static CUresult destroy_event(CUevent event)
{
	assert_non_null(event);
	destroyed++;
	return CUDA_SUCCESS;
}

static CUresult record_event(CUevent event, CUstream stream)
{
	assert_non_null(event);
	assert_ptr_equal(stream, (CUstream)0x55);
	return result_of(RECORD, 'e');
}

static CUresult launch(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
		       unsigned threads_y, unsigned threads_z, unsigned bytes, CUstream stream,
		       void **parameters, void **extra)
{
	CUdeviceptr into = *(CUdeviceptr *)parameters[0];

	assert_ptr_equal(function, (CUfunction)0x22);
	assert_int_equal(x * y * z * threads_x * threads_y * threads_z, 1);
	assert_int_equal(bytes, 0);
	assert_ptr_equal(stream, (CUstream)0x55);
	assert_null(extra);
	durations[(into - 0x4000) / 32] = *(uint64_t *)parameters[1];
	return result_of(LAUNCH, 'k');
}

static CUresult copy(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	assert_int_equal(to, 0x33);
	assert_ptr_equal(from, shared + READINGS * 32);
	assert_int_equal(bytes, 4096);
	assert_ptr_equal(stream, (CUstream)0x55);
	return result_of(COPY, 'm');
}

/* For a word that has its value. */
static CUresult wait_value(CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,
			   unsigned flags)
{
	assert_ptr_equal(stream, (CUstream)0x55);
	assert_int_equal(count, 1);
	assert_int_equal(operations->operation, CU_STREAM_MEM_OP_WAIT_VALUE_32);
	assert_int_equal(operations->waitValue.address, 0x4000 + READINGS * 32);
	assert_int_equal(operations->waitValue.value, *(uint32_t *)(shared + READINGS * 32));
	assert_int_equal(operations->waitValue.flags, CU_STREAM_WAIT_VALUE_GEQ);
	assert_int_equal(flags, 0);
	return result_of(WAIT, 'w');
}

static CUresult query(CUevent event)
{
	queries++;
	/* The start of the first queued pair that counts. */
	if ((uintptr_t)event == EVENTS + QUEUED + 1)
		return queued_reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
	if ((uintptr_t)event == 1)
		return start_reached || too_soon-- > 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
	return end_reached ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult elapsed(float *milliseconds, CUevent start, CUevent end)
{
	assert_int_equal((uintptr_t)end, (uintptr_t)start + 1);
	*milliseconds = (float)around[(uintptr_t)start - 1] / 1e6f;
	return ++elapsed_asked == elapsed_fails_at ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

/* That around a queued kernel. */
static uint32_t *queued_pair(unsigned number)
{
	return &around[EVENTS + 2 * number];
}

/* The pair of a series, by number. */
static uint32_t *pair(unsigned series, unsigned number)
{
	return &around[(series * PAIRS + number) * 2];
}

static void start(void)
{
	driver.cuModuleLoadData = load;
	driver.cuModuleGetGlobal_v2 = get_global;
	driver.cuMemHostRegister_v2 = register_memory;
	driver.cuMemHostGetDevicePointer_v2 = get_pointer;
	driver.cuStreamBatchMemOp_v2 = wait_value;
	driver.cuEventCreate = create_event;
	driver.cuEventDestroy_v2 = destroy_event;
	driver.cuStreamQuery_ptsz = query_stream;
	driver.cuEventRecord = record_event;
	driver.cuEventQuery = query;
	driver.cuEventElapsedTime = elapsed;
	driver_entries[ENTRY_cuModuleGetFunction] = get_function;
	driver_entries[ENTRY_cuStreamCreate] = create_stream;
	driver_entries[ENTRY_cuLaunchKernel_ptsz] = launch;
	driver_entries[ENTRY_cuMemcpyHtoDAsync_v2_ptsz] = copy;
	context = (struct context){.handle = (CUcontext)0x77, .reported = true, .device = 2};
	second = (struct context){.handle = (CUcontext)0x88, .next = &context};
	second.reported = false;
	first = &second;
	streams[0] = (struct stream){.handle = (CUstream)0x66, .context = &context};
	streams[1] = (struct stream){.handle = (CUstream)0x67, .context = &second};
	usable = gates_allowed = true;
	active = false;
	mode_events = true;
	mode_begun = true;
	now = 1000 * MS;
	for (unsigned i = 0; i < PAIRS; i++) {
		*pair(0, i) = 1400;
		*pair(1, i) = 14000;
		*pair(2, i) = 1300;
		*pair(3, i) = 5200;
	}
	for (unsigned i = 0; i < QUEUED; i++)
		*queued_pair(i) = i < 16 ? 99999 : 14700;
}

/* What calibration.c knows is set once, so each test has a process of its own. */
#define TEST(name) TEST_IN_CHILD(name, start())

#endif
