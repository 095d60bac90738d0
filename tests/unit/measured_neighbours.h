/* SPDX-License-Identifier: MIT */
/* For the tests of preload/metrics: a driver and a CUPTI profiler that do as the test says. */
#ifndef KTIME_TESTS_UNIT_MEASURED_NEIGHBOURS_H
#define KTIME_TESTS_UNIT_MEASURED_NEIGHBOURS_H

/* clang-format off: before all that reads the clock. */
#include "tests/sim/clock/virtual_clock.h"
/* clang-format on */

#include <errno.h>
#include <math.h>
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
#include "cupti/profiler/profiler.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/settings.h"
#include "preload/handles/capture.h"
#include "preload/launch/describe.h"
#include "preload/launch/thread.h"
#include "preload/launch/window.h"
#include "preload/metrics/metrics.h"
#include "report/session/items.h"
#include "tests/unit/made_run.h"
#include "tests/unit/own_process.h"

#define FIRST  ((CUfunction)1)
#define SECOND ((CUfunction)2)

struct driver driver;
void *_Atomic driver_entries[ENTRY_COUNT];
struct options settings;
_Atomic int lifecycle_state = LIFECYCLE_RUNNING, live_captures;
_Atomic bool window_open = true;
__thread struct thread *thread_self;

static struct thread thread;
static struct operation kernels[1100] = {{.name = "first"},
					 {.name = "second"},
					 {.name = "ncclKernel_x"},
					 {.name = "ncclDevKernel"},
					 {.name = "x_nvshmem_y"}};
static uint64_t ticks = 5000, now = 1000000000;

uint64_t clock_ticks(void)
{
	return ticks;
}

/* In place of the kernel's. */
int clock_read(clockid_t clock, struct timespec *time);
int clock_read(clockid_t clock, struct timespec *time)
{
	(void)clock;
	time->tv_sec = (time_t)(now / 1000000000);
	time->tv_nsec = (long)(now % 1000000000);
	return 0;
}

struct operation *operation_of_kernel(CUfunction function)
{
	struct operation *kernel = &kernels[(uintptr_t)function - 1];

	errno = 99;
	if (!kernel->name)
		kernel->name = "plain";
	return kernel;
}

static bool keeps_out = true;
static unsigned taken, let_in;
static uint64_t waited;

void launches_take(void)
{
	taken++;
}

bool launches_keep_out(uint64_t nanoseconds)
{
	waited = nanoseconds;
	return keeps_out;
}

void launches_let_in(void)
{
	let_in++;
}

/* What was done, a letter each: w(ait), p(ause), r(esume), P(lan), c(lear), b(egin), e(nd). */
static char done[200];

static void note(char letter)
{
	size_t length = strlen(done);

	if (length + 1 < sizeof(done))
		done[length] = letter;
}

static inline void is(const char *expected)
{
	assert_string_equal(done, expected);
	memset(done, 0, sizeof(done));
}

static bool program_records;

bool pause_is_safe(void)
{
	return true;
}

bool cupti_active(void)
{
	return true;
}

bool pause_is_refused(void)
{
	return program_records;
}

bool pause_kernels(enum pause_reason reason, bool paused)
{
	assert_int_equal(reason, PAUSE_FOR_COUNTERS);
	note(paused ? 'p' : 'r');
	return true;
}

static int load_error, plan_error, begin_error, end_error, values_error;
static size_t passes = 1, config_passes = 1, image_size = 64;
static uint8_t *cleared, *begun_with;
static size_t begun_pass;
static double counted[3] = {100, 40, 7};
static bool replays;

int profiler_load(int version, char *reason, size_t size)
{
	assert_int_equal(version, 13000);
	if (load_error)
		snprintf(reason, size, "no profiler");
	return load_error;
}

int profiler_plan(struct profiler_device **device, CUcontext context, int ordinal,
		  const char **counters, size_t count, bool replay, char *reason, size_t size)
{
	assert_ptr_equal(context, (CUcontext)0x77);
	assert_in_range(ordinal, 0, 1);
	assert_int_equal(count, 3);
	if (strchr(settings.metrics, ',')) {
		assert_string_equal(counters[0], "a__x.sum");
		assert_string_equal(counters[1], "b__y.sum");
		assert_string_equal(counters[2], "c__z.pct");
	}
	replays = replay;
	note('P');
	if (plan_error) {
		snprintf(reason, size, "no plan");
		return plan_error;
	}
	*device = (struct profiler_device *)(uintptr_t)(0x100 + ordinal);
	return 0;
}

size_t profiler_config_passes(const struct profiler_device *device)
{
	assert_non_null(device);
	return config_passes;
}

size_t profiler_passes(const struct profiler_device *device)
{
	assert_non_null(device);
	return passes;
}

size_t profiler_image_size(const struct profiler_device *device)
{
	assert_non_null(device);
	return image_size;
}

void profiler_image_clear(const struct profiler_device *device, uint8_t *image)
{
	assert_non_null(device);
	cleared = image;
	note('c');
}

int profiler_begin(struct profiler_device *device, CUcontext context, uint8_t *image, size_t pass)
{
	assert_non_null(device);
	assert_non_null(context);
	begun_with = image;
	begun_pass = pass;
	note('b');
	return begin_error;
}

int profiler_end(struct profiler_device *device)
{
	assert_non_null(device);
	note('e');
	return end_error;
}

int profiler_values(struct profiler_device *device, const uint8_t *image, double *values)
{
	assert_non_null(device);
	assert_ptr_equal(image, begun_with);
	memcpy(values, counted, sizeof(counted));
	return values_error;
}

void profiler_reason(char *reason, size_t size)
{
	snprintf(reason, size, "no permission");
}

static CUdevice current_device;
static CUcontext current_context = (CUcontext)0x77;
static CUresult device_result, context_result, wait_result;
static int capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

static CUresult get_device(CUdevice *device)
{
	*device = current_device;
	return device_result;
}

static CUresult get_current(CUcontext *context)
{
	*context = current_context;
	return context_result;
}

static CUresult get_version(int *version)
{
	*version = 13000;
	return CUDA_SUCCESS;
}

static CUresult exchange_mode(CUstreamCaptureMode *mode)
{
	int before = capture_mode;

	capture_mode = (int)*mode;
	*mode = (CUstreamCaptureMode)before;
	return CUDA_SUCCESS;
}

static CUresult synchronize(void)
{
	note('w');
	return wait_result;
}

static void start(void)
{
	if (make_run(0))
		_exit(1);
	settings = (struct options){
		.trace = TRACE_GPU, .devices = 3, .metrics = "a__x.sum,b__y.sum,c__z.pct"};
	driver.cuCtxGetDevice = get_device;
	driver.cuCtxGetCurrent = get_current;
	driver.cuDriverGetVersion = get_version;
	driver.cuThreadExchangeStreamCaptureMode = exchange_mode;
	driver_entries[ENTRY_cuCtxSynchronize] = synchronize;
	thread_self = &thread;
	thread.in_progress = COUNT_ONLY_CALL;
}

static struct call a_call;

static const struct call *call_of(CUfunction function)
{
	a_call.function = function;
	return &a_call;
}

/* A launch whose counters are read if they are wanted; whether they were. */
static bool launch(CUfunction function, bool succeeds)
{
	struct measure measure;

	if (!measure_wants(call_of(function)))
		return false;
	errno = 5;
	measure_begin(&measure, call_of(function));
	assert_int_equal(errno, 5);
	if (!measure.kernel)
		return false;
	assert_int_equal(capture_mode, CU_STREAM_CAPTURE_MODE_RELAXED);
	now += 1000;
	errno = 6;
	measure_end(&measure, succeeds);
	assert_int_equal(errno, 6);
	assert_int_equal(capture_mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
	return true;
}

static const struct metric_values *values_of(const char *kernel, const char *name)
{
	const struct metric_values *values;

	metrics_update();
	session_for_each_metric(run.session, values)
	{
		const struct row *row =
			(const struct row *)((const char *)run.header + values->row);

		if (!strcmp(session_string(run.session, row->name), kernel) &&
		    !strcmp(session_string(run.session, values->name), name))
			return values;
	}
	return NULL;
}

/* What metrics.c knows is set once, so each test has a process of its own. */
#define TEST(name) TEST_IN_CHILD(name, start())

#endif
