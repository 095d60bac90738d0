/* SPDX-License-Identifier: MIT */
/* The program's calls that allocate and free, and what the session is told of them. */
/* clang-format off: before all that reads the clock. */
#include "tests/sim/clock/virtual_clock.h"
/* clang-format on */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/lifecycle_state.h"
#include "preload/handles/operation.h"
#include "preload/memory/holdings.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"
#include "tests/unit/held_sums.h"
#include "tests/unit/made_run.h"
#include "tests/unit/own_process.h"
#include "tests/unit/test.h"

struct launch_state launch_state = {.needs = 1, .lifecycle = LIFECYCLE_RUNNING};
struct driver driver;

static uint64_t ticks;
static unsigned failures, contexts_asked, devices_asked;
static CUresult context_result, device_result;

uint64_t clock_ticks(void)
{
	return ticks;
}

void driver_failed(void)
{
	failures++;
}

uint16_t range_now(void)
{
	return 3;
}

/* 3 is inner, inside of 2, which is outer. */
const char *paths_text(uint16_t path, char text[PATHS_TEXT])
{
	return strcpy(text, path == 3 ? "outer/inner" : path ? "outer" : "");
}

static CUresult current_context(CUcontext *context)
{
	contexts_asked++;
	*context = (CUcontext)&driver;
	return context_result;
}

static CUresult current_device(CUdevice *device)
{
	devices_asked++;
	*device = 1;
	return device_result;
}

static void set_up(void)
{
	driver.cuCtxGetCurrent = current_context;
	driver.cuCtxGetDevice = current_device;
	run.scale = (struct clock_scale){.ticks = 1000, .realtime = 50000, .ns_per_tick = 2};
	assert_int_equal(make_run(0), 0);
}

/* The table is the process's: each test has one of its own. */
#define CHILD_TEST(name) TEST_IN_CHILD(name, set_up())

static void allocate(enum allocation_kind kind, enum holding_space space, uint64_t key,
		     uint64_t bytes)
{
	const struct allocation allocated = {
		.kind = kind, .space = space, .key = key, .bytes = bytes};

	errno = 77;
	allocation_ends(CUDA_SUCCESS, &allocated);
	assert_int_equal(errno, 77);
}

static void release(enum holding_space space, uint64_t key, CUresult result)
{
	allocation_freeing(space, key);
	allocation_freed(result, key);
}

static uint64_t held(int device, enum allocation_kind kind)
{
	return sum_of(device, kind)->held;
}

CHILD_TEST(memory_is_where_its_kind_says)
{
	allocate(ALLOCATION_DEVICE, SPACE_POINTER, 10, 100);
	assert_int_equal(held(1, ALLOCATION_DEVICE), 100);
	assert_int_equal(contexts_asked, 1);
	assert_int_equal(devices_asked, 1);
	/* That of the host is on no device, that of pools ends with no context. */
	allocate(ALLOCATION_PINNED, SPACE_HOST, 11, 200);
	allocate(ALLOCATION_REGISTERED, SPACE_REGISTERED, 12, 300);
	assert_int_equal(held(-1, ALLOCATION_PINNED), 200);
	assert_int_equal(held(-1, ALLOCATION_REGISTERED), 300);
	assert_int_equal(contexts_asked, 3);
	assert_int_equal(devices_asked, 1);
	allocate(ALLOCATION_POOL, SPACE_POINTER, 13, 400);
	allocate(ALLOCATION_VIRTUAL, SPACE_HANDLE, 14, 500);
	assert_int_equal(held(1, ALLOCATION_POOL), 400);
	assert_int_equal(contexts_asked, 3);
	assert_int_equal(devices_asked, 3);
	allocations_context_ends((CUcontext)&driver);
	assert_int_equal(held(1, ALLOCATION_DEVICE), 0);
	assert_int_equal(held(-1, ALLOCATION_PINNED), 0);
	assert_int_equal(held(1, ALLOCATION_POOL), 400);
	assert_int_equal(held(1, ALLOCATION_VIRTUAL), 500);
}

CHILD_TEST(a_call_that_says_where_is_not_asked_for)
{
	const struct allocation allocated = {.kind = ALLOCATION_DEVICE,
					     .space = SPACE_POINTER,
					     .key = 20,
					     .bytes = 100,
					     .placed = true,
					     .device = 2};

	allocation_ends(CUDA_SUCCESS, &allocated);
	assert_int_equal(held(2, ALLOCATION_DEVICE), 100);
	assert_int_equal(contexts_asked + devices_asked, 0);
}

CHILD_TEST(what_the_driver_does_not_place_is_counted)
{
	context_result = CUDA_ERROR_INVALID_CONTEXT;
	allocate(ALLOCATION_DEVICE, SPACE_POINTER, 30, 100);
	assert_int_equal(failures, 1);
	context_result = CUDA_SUCCESS;
	device_result = CUDA_ERROR_INVALID_CONTEXT;
	allocate(ALLOCATION_DEVICE, SPACE_POINTER, 31, 100);
	assert_int_equal(failures, 2);
	allocate(ALLOCATION_PINNED, SPACE_HOST, 32, 100);
	assert_int_equal(failures, 2);
	assert_int_equal(sums_now()->untracked, 2);
	assert_int_equal(held(1, ALLOCATION_DEVICE), 0);
	assert_int_equal(held(-1, ALLOCATION_PINNED), 100);
}

/* One that failed, one without memory, one of ktime's own while it holds the lock, and those
 * outside of the run. */
CHILD_TEST(only_calls_of_the_program_that_succeed_count)
{
	const struct allocation allocated = {
		.kind = ALLOCATION_DEVICE, .space = SPACE_POINTER, .key = 40, .bytes = 100};
	uint64_t version = allocations_version();

	allocation_ends(CUDA_SUCCESS, &allocated);
	allocations_lock();
	allocate(ALLOCATION_DEVICE, SPACE_POINTER, 41, 50);
	release(SPACE_POINTER, 40, CUDA_SUCCESS);
	allocations_unlock();
	assert_int_equal(held(1, ALLOCATION_DEVICE), 100);
	assert_int_equal(allocations_version(), version + 1);
	allocation_ends(CUDA_ERROR_OUT_OF_MEMORY, &allocated);
	allocate(ALLOCATION_DEVICE, SPACE_POINTER, 0, 50);
	launch_state.lifecycle = LIFECYCLE_CLOSED;
	allocate(ALLOCATION_DEVICE, SPACE_POINTER, 42, 50);
	release(SPACE_POINTER, 40, CUDA_SUCCESS);
	allocation_mapped(CUDA_SUCCESS, 1, 2, 3);
	allocation_unmapped(CUDA_SUCCESS, 2, 3);
	allocation_retained(CUDA_SUCCESS, &(unsigned long long){1}, (void *)2);
	allocations_context_ends((CUcontext)&driver);
	assert_int_equal(allocations_version(), version + 1);
	assert_int_equal(held(1, ALLOCATION_DEVICE), 100);
}

CHILD_TEST(what_is_freed_is_held_no_longer)
{
	uint64_t version;

	allocate(ALLOCATION_DEVICE, SPACE_POINTER, 50, 100);
	version = allocations_version();
	allocation_freeing(SPACE_POINTER, 50);
	/* Inside of it, another one that frees. */
	release(SPACE_POINTER, 49, CUDA_SUCCESS);
	assert_int_equal(sums_now()->unknown_frees, 1);
	assert_int_equal(held(1, ALLOCATION_DEVICE), 0);
	allocation_freed(CUDA_SUCCESS, 50);
	assert_int_equal(allocations_version(), version + 3);
	assert_int_equal(sums_now()->unknown_frees, 1);
	/* What the driver refused to free is there again. */
	allocate(ALLOCATION_DEVICE, SPACE_POINTER, 51, 70);
	release(SPACE_POINTER, 51, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(held(1, ALLOCATION_DEVICE), 70);
	release(SPACE_POINTER, 51, CUDA_SUCCESS);
	assert_int_equal(held(1, ALLOCATION_DEVICE), 0);
	/* What nobody saw being allocated, if the driver frees it. */
	release(SPACE_POINTER, 52, CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(sums_now()->unknown_frees, 1);
	release(SPACE_POINTER, 52, CUDA_SUCCESS);
	assert_int_equal(sums_now()->unknown_frees, 2);
	release(SPACE_POINTER, 0, CUDA_SUCCESS);
	assert_int_equal(sums_now()->unknown_frees, 2);
}

CHILD_TEST(physical_memory_is_held_while_it_is_mapped)
{
	static const unsigned long long handle = 60;

	allocate(ALLOCATION_VIRTUAL, SPACE_HANDLE, handle, 1000);
	allocation_mapped(CUDA_ERROR_INVALID_VALUE, handle, 0x9000, 1000);
	allocation_mapped(CUDA_SUCCESS, handle, 0x1000, 1000);
	allocation_retained(CUDA_ERROR_INVALID_VALUE, &handle, (void *)0x1000);
	allocation_retained(CUDA_SUCCESS, &handle, (void *)0x1000);
	release(SPACE_HANDLE, handle, CUDA_SUCCESS);
	release(SPACE_HANDLE, handle, CUDA_SUCCESS);
	assert_int_equal(held(1, ALLOCATION_VIRTUAL), 1000);
	allocation_unmapped(CUDA_ERROR_INVALID_VALUE, 0x1000, 1000);
	assert_int_equal(held(1, ALLOCATION_VIRTUAL), 1000);
	allocation_unmapped(CUDA_SUCCESS, 0x1000, 1000);
	assert_int_equal(held(1, ALLOCATION_VIRTUAL), 0);
}

/* The last test: what it makes in the session stays with the room of the process. */
CHILD_TEST(the_session_has_the_sums_and_where_they_come_from)
{
	static const struct operation kernel = {.name = "kernel"};
	struct allocation allocated = {.kind = ALLOCATION_DEVICE,
				       .space = SPACE_POINTER,
				       .key = 70,
				       .bytes = 100,
				       .origin.operation = &kernel};
	const struct memory_use *use, *total;
	const struct memory_site *site;
	uint64_t *counters = run.header->counters;

	ticks = 1500;
	allocation_ends(CUDA_SUCCESS, &allocated);
	ticks = 1700;
	allocated.key = 71;
	allocation_ends(CUDA_SUCCESS, &allocated);
	ticks = 1900;
	release(SPACE_POINTER, 70, CUDA_SUCCESS);
	release(SPACE_POINTER, 99, CUDA_SUCCESS);
	holdings_untracked();
	holdings_untracked();
	allocation_captured();
	memory_profile_update();
	use = session_next_item(run.session, SEGMENT_MEMORY, NULL);
	assert_int_equal(use->kind, ALLOCATION_DEVICE);
	assert_int_equal(use->device, 1);
	assert_int_equal(use->held, 100);
	assert_int_equal(use->held_count, 1);
	assert_int_equal(use->peak, 200);
	assert_int_equal(use->peak_time, 50000 + 2 * 700);
	assert_int_equal(use->allocations, 2);
	assert_int_equal(use->allocated, 200);
	assert_int_equal(use->frees, 1);
	total = session_next_item(run.session, SEGMENT_MEMORY, use);
	assert_int_equal(total->kind, ALLOCATION_TOTAL);
	assert_int_equal(total->device, 1);
	assert_null(session_next_item(run.session, SEGMENT_MEMORY, total));
	site = session_next_item(run.session, SEGMENT_MEMORY_SITES, NULL);
	assert_int_equal(site->kind, ALLOCATION_DEVICE);
	assert_int_equal(site->device, 1);
	assert_int_equal(site->thread, syscall(SYS_gettid));
	assert_int_equal(site->size, 100);
	assert_string_equal(session_string(run.session, site->range), "outer/inner");
	assert_string_equal(session_string(run.session, site->operation), "kernel");
	assert_int_equal(site->held, 100);
	assert_int_equal(site->held_count, 1);
	assert_int_equal(site->at_peak, 200);
	assert_int_equal(site->at_peak_count, 2);
	assert_int_equal(site->allocations, 2);
	assert_int_equal(site->allocated, 200);
	assert_null(session_next_item(run.session, SEGMENT_MEMORY_SITES, site));
	assert_int_equal(counters[COUNTER_memory_untracked], 2);
	assert_int_equal(counters[COUNTER_memory_unknown_frees], 1);
	assert_int_equal(counters[COUNTER_memory_captured], 1);
	/* Where nothing has changed nothing is copied; later what has. */
	counters[COUNTER_memory_captured] = 0;
	memory_profile_update();
	assert_int_equal(counters[COUNTER_memory_captured], 0);
	ticks = 2000;
	allocate(ALLOCATION_PINNED, SPACE_HOST, 72, 30);
	release(SPACE_POINTER, 71, CUDA_SUCCESS);
	memory_profile_update();
	assert_int_equal(counters[COUNTER_memory_captured], 1);
	assert_int_equal(use->held, 0);
	assert_int_equal(use->peak_time, 50000 + 2 * 700);
	assert_int_equal(site->held, 0);
	use = session_next_item(run.session, SEGMENT_MEMORY, total);
	assert_int_equal(use->kind, ALLOCATION_PINNED);
	assert_int_equal(use->device, -1);
	assert_int_equal(use->held, 30);
	site = session_next_item(run.session, SEGMENT_MEMORY_SITES, site);
	assert_int_equal(site->kind, ALLOCATION_PINNED);
	assert_string_equal(session_string(run.session, site->operation), "");
	assert_null(session_next_item(run.session, SEGMENT_MEMORY_SITES, site));
}

CHILD_TEST(a_use_or_site_of_no_kind_or_device_is_left_out)
{
	static const struct memory_use good[] = {{.kind = ALLOCATION_TOTAL, .device = -1},
						 {.device = SESSION_DEVICES - 1}};
	static const struct memory_use bad[] = {
		{.kind = ALLOCATION_KIND_COUNT}, {.device = -2}, {.device = SESSION_DEVICES}};
	const struct memory_use *use = NULL;
	const struct memory_site *site = NULL;

	for (int i = 0; i < 3; i++) {
		session_add_item(run.session, SEGMENT_MEMORY, &bad[i]);
		session_add_item(
			run.session, SEGMENT_MEMORY_SITES,
			&(struct memory_site){.kind = bad[i].kind, .device = bad[i].device});
	}
	for (int i = 0; i < 2; i++) {
		session_add_item(run.session, SEGMENT_MEMORY, &good[i]);
		session_add_item(
			run.session, SEGMENT_MEMORY_SITES,
			&(struct memory_site){.kind = good[i].kind, .device = good[i].device});
	}
	for (int i = 0; i < 2; i++) {
		use = session_next_item(run.session, SEGMENT_MEMORY, use);
		site = session_next_item(run.session, SEGMENT_MEMORY_SITES, site);
		assert_int_equal(use->kind, good[i].kind);
		assert_int_equal(use->device, good[i].device);
		assert_int_equal(site->kind, good[i].kind);
		assert_int_equal(site->device, good[i].device);
	}
	assert_null(session_next_item(run.session, SEGMENT_MEMORY, use));
	assert_null(session_next_item(run.session, SEGMENT_MEMORY_SITES, site));
}
