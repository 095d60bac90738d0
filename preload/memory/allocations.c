/* SPDX-License-Identifier: MIT */
#include "preload/memory/allocations.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/nvtx/range_thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t version, captured;

/* The thread, and its last call that frees. Initial-exec, as the usual TLS access calls
 * __tls_get_addr(), which may allocate. */
static __thread struct {
	bool locked;	 /* it holds the lock */
	uint32_t thread; /* from gettid(); 0: not asked for yet */
	uint64_t freeing;
	bool unknown; /* frees what was not seen being allocated */
	struct taken taken;
} self __attribute__((tls_model("initial-exec")));

void allocations_lock(void)
{
	pthread_mutex_lock(&lock);
	self.locked = true;
}

void allocations_unlock(void)
{
	self.locked = false;
	pthread_mutex_unlock(&lock);
}

/* False if the thread holds the lock, and its malloc, which is made of such calls, was called: that
 * memory is ktime's. */
static bool begin_change(void)
{
	if (self.locked)
		return false;
	allocations_lock();
	return true;
}

/* The end of a change. */
static void changed(void)
{
	atomic_fetch_add_explicit(&version, 1, memory_order_relaxed);
	allocations_unlock();
}

uint64_t allocations_version(void)
{
	return atomic_load_explicit(&version, memory_order_relaxed);
}

uint64_t allocations_captured(void)
{
	return atomic_load_explicit(&captured, memory_order_relaxed);
}

static uint32_t thread_id(void)
{
	if (!self.thread)
		self.thread = (uint32_t)syscall(SYS_gettid);
	return self.thread;
}

/* Whether memory of a kind ends with the context that it was allocated in. */
static bool ends_with_context(enum allocation_kind kind)
{
	return kind != ALLOCATION_POOL && kind != ALLOCATION_VIRTUAL;
}

static bool is_of_host(enum allocation_kind kind)
{
	return kind == ALLOCATION_PINNED || kind == ALLOCATION_REGISTERED;
}

/* Where the memory is, and what it ends with. The driver's call has just succeeded in the current
 * context. */
static bool find_place(struct allocation *allocation, const struct allocated *allocated)
{
	CUcontext context = NULL;
	CUdevice device = -1;

	if (ends_with_context(allocated->kind) && !allocated->placed &&
	    driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS)
		goto failed;
	if (allocated->placed)
		device = allocated->device;
	else if (!is_of_host(allocated->kind) && driver.cuCtxGetDevice(&device) != CUDA_SUCCESS)
		goto failed;
	allocation->context = context;
	allocation->device = device;
	return true;
failed:
	driver_failed();
	return false;
}

static void note(const struct allocated *allocated)
{
	struct allocation allocation = {
		.key = allocated->key,
		.bytes = allocated->bytes,
		.space = allocated->space,
		.kind = allocated->kind,
		.origin = {allocated->before, range_now(), thread_id()},
	};
	bool found = find_place(&allocation, allocated);

	if (!begin_change())
		return;
	if (found)
		holdings_add(&allocation, clock_ticks());
	else
		holdings_untracked();
	changed();
}

void allocation_ends(CUresult result, const struct allocated *allocated)
{
	int saved_errno = errno;

	if (result == CUDA_SUCCESS && allocated->key && lifecycle_running())
		note(allocated);
	errno = saved_errno;
}

void allocation_freeing(enum holding_space space, uint64_t key)
{
	if (self.locked)
		return;
	self.freeing = key;
	self.taken.any = self.unknown = false;
	if (!key || !lifecycle_running())
		return;
	allocations_lock();
	holdings_take(space, key, &self.taken);
	changed();
	self.unknown = !self.taken.any;
}

void allocation_freed(CUresult result, uint64_t key)
{
	bool failed = result != CUDA_SUCCESS;

	/* Another call that freed may have been made inside of this one. */
	if (self.freeing != key || !(failed ? self.taken.any : self.unknown) || !begin_change())
		return;
	if (failed)
		holdings_put_back(&self.taken, clock_ticks());
	else
		holdings_unknown_free();
	self.freeing = 0;
	changed();
}

void allocation_mapped(CUresult result, uint64_t handle, uint64_t address, uint64_t bytes)
{
	if (result != CUDA_SUCCESS || !lifecycle_running() || !begin_change())
		return;
	holdings_map(handle, address, bytes);
	changed();
}

void allocation_unmapped(CUresult result, uint64_t address, uint64_t bytes)
{
	if (result != CUDA_SUCCESS || !lifecycle_running() || !begin_change())
		return;
	holdings_unmap(address, bytes);
	changed();
}

void allocation_retained(CUresult result, const unsigned long long *handle, const void *address)
{
	if (result != CUDA_SUCCESS || !lifecycle_running() || !begin_change())
		return;
	holdings_retain(*handle, (uint64_t)(uintptr_t)address);
	changed();
}

void allocation_captured(void)
{
	atomic_fetch_add_explicit(&captured, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&version, 1, memory_order_relaxed);
}

void allocations_context_ends(CUcontext context)
{
	if (!lifecycle_running() || !begin_change())
		return;
	holdings_context_ends(context);
	changed();
}
