/* SPDX-License-Identifier: MIT */
/* For the tests of preload/lifecycle/lifecycle.c: all that starts and ends with ktime, which notes
 * that it was called.
 */
#ifndef KTIME_TESTS_UNIT_LIFECYCLE_NEIGHBOURS_H
#define KTIME_TESTS_UNIT_LIFECYCLE_NEIGHBOURS_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cupti/cupti.h"
#include "cupti/library.h"
#include "preload/base/background_thread.h"
#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/run.h"
#include "preload/base/settings.h"
#include "preload/collector/collector.h"
#include "preload/collector/main_thread.h"
#include "preload/collector/trace.h"
#include "preload/driver/driver.h"
#include "preload/driver/elf_symbol.h"
#include "preload/events/gates.h"
#include "preload/handles/stream.h"
#include "preload/launch/cold_path.h"
#include "preload/launch/thread.h"
#include "preload/launch/window.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/memory/holdings.h"
#include "preload/metrics/metrics.h"
#include "preload/reporter/reporter.h"
#include "tests/unit/own_process.h"

struct driver driver;
__thread struct thread *thread_self;

/* What was done, in order; one word each. */
static char done[2000];
static struct session *session;

static void note(const char *word)
{
	if (strlen(done) + strlen(word) + 2 < sizeof(done)) {
		strcat(done, *done ? " " : "");
		strcat(done, word);
	}
}

static void is(const char *expected)
{
	assert_string_equal(done, expected);
	done[0] = '\0';
}

static bool loads = true;
static const char *stand_in, *trouble, *in_front, *unknown[3];

bool driver_load(void)
{
	return loads;
}

const char *driver_stand_in(void)
{
	return stand_in;
}

const char *driver_trouble(void)
{
	return trouble;
}

const char *driver_unknown_entry(unsigned index)
{
	return unknown[index];
}

const char *elf_definer_in_front(const char *name)
{
	assert_string_equal(name, "dlsym");
	return in_front;
}

void *real_dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

static int create_error, collector_error, reporter_error, library_error, cupti_error;
static bool prints;

int output_create(const struct process_rank *rank, bool do_print)
{
	assert_in_range(rank->rank + 1, 0, 4);
	prints = do_print;
	note("create");
	if (!create_error)
		run = (struct run){.session = session, .header = session_header(session)};
	return create_error;
}

static void (*finish)(void);

int collector_start(void (*the_finish)(void))
{
	finish = the_finish;
	note("collector");
	return collector_error;
}

static bool held_wanted;

bool trace_wants_memory(void)
{
	return session_header(session)->trace_on;
}

void held_changes_want(bool wanted)
{
	held_wanted = wanted;
}

static const struct cupti_settings *late;

void collector_begin(const struct cupti_settings *given)
{
	late = given;
	note("begin");
}

void collector_wake(void)
{
}

static bool collector_finishes = true;

static bool on_driver_thread;

void driver_thread_start(void)
{
}

bool driver_thread_is_calling(void)
{
	return on_driver_thread;
}

bool collector_wait_finished(uint64_t end)
{
	assert_int_equal(end, 0);
	return collector_finishes;
}

void output_say_late(void)
{
	note("late");
}

bool collector_finish(enum end_caller caller)
{
	note(caller == END_OUTSIDE ? "finish" : caller == END_IN_CALL ? "in_call" : "in_function");
	return collector_finishes;
}

void output_abandon(void)
{
	note("abandon");
}

void output_start(void)
{
	note("output");
}

int output_start_reporter(void)
{
	note("reporter");
	return reporter_error;
}

void output_start_metrics(void)
{
	note("prometheus");
}

void output_finish(void)
{
	note("report");
}

void endings_handle_signals(bool under_first)
{
	assert_false(under_first);
	note("signals");
}

void endings_register(void)
{
	assert_in_range(atomic_load(&lifecycle_state), LIFECYCLE_INITIALISED, LIFECYCLE_STARTING);
	note("endings");
}

void endings_register_at_exit(void)
{
	note("at_exit");
}

static char metrics_reason[256];

void metrics_start(const char *cupti)
{
	snprintf(metrics_reason, sizeof(metrics_reason), "%s", cupti);
	note("metrics");
}

void metrics_finish(void)
{
	note("metrics_end");
}

static struct window_plan plan;

void window_start(const struct window_plan *given)
{
	plan = *given;
	note("window");
}

bool window_stays_open(void)
{
	return plan.every > 0;
}

struct thread *thread_enter(void)
{
	note("thread");
	return NULL;
}

static bool claimed = true;

bool reporter_claim(void)
{
	return claimed;
}

void reporter_print(void)
{
	note("print");
}

void cold_path_park(void)
{
	note("park");
}

/* In place of the kernel's. */
int clock_read(clockid_t clock, struct timespec *time)
{
	(void)clock;
	*time = (struct timespec){.tv_sec = 2000000000};
	return 0;
}

void sandbox_close(void)
{
	note("close");
}

void output_prepare_for_sandbox(void)
{
	note("sandbox");
}

void background_threads_wait(uint64_t nanoseconds)
{
	assert_true(nanoseconds);
}

int spare_thread_start(bool for_others)
{
	(void)for_others;
	return 0;
}

void prometheus_file_end(void)
{
	note("prometheus_end");
}

static bool reader_answers = true;

unsigned energy_reader_start(size_t devices, bool missing)
{
	assert_true(devices > 0);
	note("energy");
	return !missing;
}

bool energy_reader_end(void)
{
	note("energy_end");
	return reader_answers;
}

static unsigned own_threads;

void main_thread_add_own(unsigned threads)
{
	own_threads += threads;
}

static struct cupti_settings asked;

int main_thread_start_cupti(const struct cupti_settings *wanted, char *reason, size_t size)
{
	asked = *wanted;
	note("cupti");
	if (cupti_error)
		snprintf(reason, size, "CUPTI refused.");
	return cupti_error;
}

static bool gates_allowed;

void context_gates_allow(void (*wake)(void))
{
	assert_ptr_equal(wake, collector_wake);
	gates_allowed = true;
}

bool refusal_by_environment(char *reason, size_t size)
{
	const char *refused = getenv("REFUSED");

	snprintf(reason, size, "%s", refused ? refused : "");
	return refused != NULL;
}

static const struct cupti_functions functions = {.version = 24};

static bool can_pause = true;

bool pause_is_safe(void)
{
	return can_pause;
}

const struct cupti_functions *library_functions(void)
{
	return &functions;
}

void *(*library_symbol)(void *handle, const char *name);

int library_load(int version, char *reason, size_t size)
{
	assert_ptr_equal(library_symbol, real_dlsym);
	assert_int_equal(version, 13000);
	note("library");
	if (library_error)
		snprintf(reason, size, "no CUPTI");
	return library_error;
}

static int devices = 2;

static CUresult get_version(int *version)
{
	*version = 13000;
	return CUDA_SUCCESS;
}

static CUresult get_count(int *count)
{
	*count = devices;
	return CUDA_SUCCESS;
}

static CUresult get_name(char *name, int length, CUdevice device)
{
	snprintf(name, (size_t)length, "device %d", device);
	return CUDA_SUCCESS;
}

static CUresult get_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	*value = (int)attribute + device;
	return CUDA_SUCCESS;
}

static CUresult get_memory(size_t *bytes, CUdevice device)
{
	*bytes = 1000 + (size_t)device;
	return CUDA_SUCCESS;
}

static void prepare(const char *options)
{
	setenv("KTIME_OPTIONS", options, 1);
	unsetenv("CUDA_LAUNCH_BLOCKING");
	if (session_create(&session, NULL, SESSION_TRACE))
		_exit(1);
	driver.cuDriverGetVersion = get_version;
	driver.cuDeviceGetCount = get_count;
	driver.cuDeviceGetName = get_name;
	driver.cuDeviceGetAttribute = get_attribute;
	driver.cuDeviceTotalMem_v2 = get_memory;
}

#define TEST(name, options) TEST_IN_CHILD(name, prepare(options))

#endif
