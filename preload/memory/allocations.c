/* SPDX-License-Identifier: MIT */
#include "preload/base/atomics.h"
#include "preload/memory/holdings.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/lifecycle_state.h"
#include "preload/base/run.h"
#include "preload/handles/operation.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"

/* By number: headers before CUDA 12.8 do not name them all. */
enum {
	FORMAT_NV12 = 0xb0, /* one and a half bytes an element */
	FORMAT_BC1 = 0x91,  /* blocks of 4 by 4 elements, from here to FORMAT_BC7_LAST */
	FORMAT_BC7_LAST = 0x9e,
	FORMAT_NORM8 = 0xc0, /* unsigned and signed, of one, two and four channels each */
	FORMAT_NORM16 = 0xc3,
	FORMAT_SIGNED_NORM8 = 0xc6,
	FORMAT_SIGNED_NORM16 = 0xc9,
	FORMAT_NORM_LAST = 0xcb,
	FORMAT_PACKED = 0x50, /* 10, 10, 10 and 2 bits */
	ARRAY_SPARSE = 0x40,
	ARRAY_DEFERRED = 0x80,
};

#define BLOCK 4u

static unsigned channel_bytes(unsigned format)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	default:
		if (format >= FORMAT_NORM8 && format <= FORMAT_NORM_LAST)
			return (format - FORMAT_NORM8) / 3 % 2 ? 2 : 1;
		return 4;
	}
}

static unsigned block_bytes(unsigned format)
{
	/* BC1 and BC4, two formats each. */
	bool half = format - FORMAT_BC1 < 2 || (format >= 0x97 && format <= 0x98);

	return half ? 8 : 16;
}

static uint64_t level_bytes(const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, uint64_t width,
			    uint64_t height, uint64_t depth)
{
	unsigned format = (unsigned)description->Format;

	if (format >= FORMAT_BC1 && format <= FORMAT_BC7_LAST)
		return (width + BLOCK - 1) / BLOCK * ((height + BLOCK - 1) / BLOCK) * depth *
		       block_bytes(format);
	if (format == FORMAT_NV12)
		return width * height * depth * 3 / 2;
	if (format == FORMAT_PACKED)
		return width * height * depth * 4;
	return width * height * depth * description->NumChannels * channel_bytes(format);
}

static uint64_t at_least_one(uint64_t extent)
{
	return extent ? extent : 1;
}

uint64_t array_bytes(const CUDA_ARRAY3D_DESCRIPTOR_v2 *description, unsigned levels)
{
	bool layered = description->Flags & CUDA_ARRAY3D_LAYERED;
	uint64_t bytes = 0;

	if (description->Flags & (ARRAY_SPARSE | ARRAY_DEFERRED))
		return 0;
	for (unsigned level = 0; level < levels && level < 64; level++) {
		uint64_t depth = layered ? description->Depth : description->Depth >> level;

		bytes += level_bytes(description, at_least_one(description->Width >> level),
				     at_least_one(description->Height >> level),
				     at_least_one(depth));
	}
	return bytes;
}

/* The lock is around what holdings.c keeps. */
static struct {
	pthread_mutex_t lock;
	_Atomic uint64_t version, captured;
} counted = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

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
	pthread_mutex_lock(&counted.lock);
	self.locked = true;
}

void allocations_unlock(void)
{
	self.locked = false;
	pthread_mutex_unlock(&counted.lock);
}

/* Takes the lock. False if the thread holds it already: ktime has called the program's malloc,
 * which allocates by CUDA calls, so this memory is ktime's and not counted. */
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
	add_relaxed(&counted.version, 1);
	allocations_unlock();
}

uint64_t allocations_version(void)
{
	return load_relaxed(&counted.version);
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
static bool find_place(struct allocation *made)
{
	CUcontext context = NULL;

	if (ends_with_context(made->kind) && !made->placed &&
	    driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS)
		goto failed;
	made->context = context;
	if (!made->placed)
		made->device = -1;
	if (!made->placed && !is_of_host(made->kind) &&
	    driver.cuCtxGetDevice(&made->device) != CUDA_SUCCESS)
		goto failed;
	return true;
failed:
	driver_failed();
	return false;
}

static void note(struct allocation made)
{
	bool found = find_place(&made);

	made.origin.range = range_now();
	made.origin.thread = thread_id();
	if (!begin_change())
		return;
	if (found)
		holdings_add(&made, clock_ticks());
	else
		holdings_untracked();
	changed();
}

void allocation_ends(CUresult result, const struct allocation *made)
{
	int saved_errno = errno;

	if (result == CUDA_SUCCESS && made->key && lifecycle_running())
		note(*made);
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
	add_relaxed(&counted.captured, 1);
	add_relaxed(&counted.version, 1);
}

void allocations_context_ends(CUcontext context)
{
	if (!lifecycle_running() || !begin_change())
		return;
	holdings_context_ends(context);
	changed();
}

/* In the profile. For the collector. */
static struct {
	struct memory_sums sums;
	struct memory_use *uses[SESSION_DEVICES + 1][ALLOCATION_KIND_COUNT];
	struct memory_site *sites[MEMORY_SITES];
	uint64_t seen;
} shown;

static void update_use(int device, unsigned kind)
{
	const struct memory_sum *sum = &shown.sums.of[device + 1][kind];
	struct memory_use **use = &shown.uses[device + 1][kind];
	uint64_t peak_time;

	if (!sum->allocations)
		return;
	if (!*use)
		*use = session_add_item(run.session, SEGMENT_MEMORY,
					&(struct memory_use){.kind = kind, .device = device});
	if (!*use)
		return;
	peak_time = (*use)->peak == sum->peak ? (*use)->peak_time
					      : clock_realtime_at(&run.scale, sum->peak_time);
#define COPY(structure, type, figure, ...) (*use)->figure = sum->figure;
	MEMORY_FIGURES(COPY)
#undef COPY
	(*use)->peak_time = peak_time;
}

static uint64_t range_text(uint16_t path)
{
	char text[PATHS_TEXT];

	return session_intern(run.session, paths_text(path, text));
}

static void update_site(size_t index)
{
	const struct site_sum *sum = &shown.sums.sites[index];
	struct memory_site **site = &shown.sites[index];

	if (!*site) {
		const struct memory_site made = {
			.kind = sum->kind,
			.device = sum->device,
			.thread = sum->origin.thread,
			.size = sum->size,
			.range = range_text(sum->origin.range),
			.operation = session_intern(
				run.session,
				sum->origin.operation ? sum->origin.operation->name : ""),
		};

		*site = session_add_item(run.session, SEGMENT_MEMORY_SITES, &made);
	}
	if (!*site)
		return;
#define COPY(structure, type, figure, ...) (*site)->figure = sum->figure;
	SITE_FIGURES(COPY)
#undef COPY
}

void memory_profile_update(void)
{
	const uint64_t changes = allocations_version();
	uint64_t *counters = run.header->counters;

	if (changes == shown.seen)
		return;
	shown.seen = changes;
	allocations_lock();
	memory_sums_copy(&shown.sums);
	allocations_unlock();
	for (int device = 0; device < SESSION_DEVICES; device++)
		for (unsigned kind = 0; kind < ALLOCATION_KIND_COUNT; kind++)
			update_use(device, kind);
	for (unsigned kind = 0; kind < ALLOCATION_KIND_COUNT; kind++)
		update_use(-1, kind);
	for (size_t i = 0; i < shown.sums.site_count; i++)
		update_site(i);
	counters[COUNTER_memory_untracked] = shown.sums.untracked;
	counters[COUNTER_memory_unknown_frees] = shown.sums.unknown_frees;
	counters[COUNTER_memory_captured] = load_relaxed(&counted.captured);
}
