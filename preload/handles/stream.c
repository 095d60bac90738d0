/* SPDX-License-Identifier: MIT */
#include "preload/handles/stream.h"

#include <pthread.h>
#include <stdlib.h>

#include "cupti/cupti.h"
#include "preload/base/lifecycle_state.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "report/session/entries.h"

/* The lock guards what is added and found by handle; the lists are walked without it. */
static struct {
	pthread_mutex_t lock;
	struct entry *streams; /* by handle; without the default streams */
	struct context *_Atomic contexts;
	struct stream *_Atomic ended_streams;
	uint32_t stream_count, context_count;
	struct context *current; /* in the collector's thread, which alone reads it */
} known = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

struct context *context_first(void)
{
	return load_acquire(&known.contexts);
}

struct context *context_known(CUcontext handle)
{
	struct context *context = context_first();

	while (context && (context->handle != handle || load_relaxed(&context->ended)))
		context = context->next;
	return context;
}

#define NO_DEVICE (-1)

_Atomic int context_first_device = NO_DEVICE;
_Atomic bool context_several_devices;

void context_on_device(int device)
{
	int first = NO_DEVICE;

	if (atomic_compare_exchange_strong_explicit(&context_first_device, &first, device,
						    memory_order_relaxed, memory_order_relaxed) ||
	    first == device)
		return;
	/* The program has not got the new context yet, so what was only counted until now is the
	 * first device's. */
	if (atomic_exchange_explicit(&context_several_devices, true, memory_order_relaxed))
		return;
	plan_need(NEEDS_ITS_DEVICE);
	pause_ends_for_peer_copies();
}

static struct context *context_lookup_locked(CUcontext handle)
{
	struct context *context = context_known(handle);
	CUcontext popped;
	CUdevice device = 0;
	CUresult result;

	if (context || !handle)
		return context;
	result = driver.cuCtxPushCurrent_v2(handle);
	if (result == CUDA_SUCCESS) {
		result = driver.cuCtxGetDevice(&device);
		driver.cuCtxPopCurrent_v2(&popped);
	}
	if (result != CUDA_SUCCESS) {
		driver_failed();
		return NULL;
	}
	context = calloc(1, sizeof(*context));
	if (!context)
		return NULL;
	context->handle = handle;
	context->device = device;
	context_on_device(device);
	context->reported = run_wants_device(device);
	context->id = ++known.context_count;
	context->next = load_relaxed(&known.contexts);
	store_release(&known.contexts, context);
	return context;
}

struct context *context_lookup(CUcontext handle)
{
	struct context *context;

	pthread_mutex_lock(&known.lock);
	context = context_lookup_locked(handle);
	pthread_mutex_unlock(&known.lock);
	return context;
}

static struct stream *stream_new(CUstream handle, struct context *context)
{
	struct stream *stream = context ? calloc(1, sizeof(*stream)) : NULL;

	if (stream) {
		stream->handle = handle;
		stream->context = context;
		stream->id = ++known.stream_count;
		stream->blocking = handle != CU_STREAM_LEGACY;
	}
	return stream;
}

static struct entry *entry_locked(CUstream handle, size_t size)
{
	const uint64_t key[ENTRY_NUMBERS] = {(uintptr_t)handle};

	return entry_of(&known.streams, key, size);
}

struct stream *stream_known(CUstream handle)
{
	const struct entry *entry;
	struct stream *stream;

	pthread_mutex_lock(&known.lock);
	entry = entry_locked(handle, 0);
	stream = entry ? entry->item : NULL;
	pthread_mutex_unlock(&known.lock);
	return stream;
}

static struct stream *default_stream_locked(CUstream handle, struct context *context)
{
	if (!context || handle != CU_STREAM_LEGACY)
		return stream_new(handle, context);
	if (!context->legacy)
		context->legacy = stream_new(handle, context);
	return context->legacy;
}

static struct stream *handle_stream_locked(CUstream handle, CUcontext context)
{
	struct context *owner = context_lookup_locked(context);
	struct entry *entry = owner ? entry_locked(handle, sizeof(*entry)) : NULL;

	/* Another thread may have added it meanwhile. */
	if (entry && !entry->item)
		entry->item = stream_new(handle, owner);
	return entry ? entry->item : NULL;
}

struct stream *stream_lookup(CUstream handle, CUcontext current)
{
	bool by_context = handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
	struct stream *stream = NULL;
	CUcontext context = current;

	if (!by_context) {
		CUresult result;

		stream = stream_known(handle);
		if (stream)
			return stream;
		result = driver.cuStreamGetCtx(handle, &context);
		if (result != CUDA_SUCCESS) {
			driver_failed();
			return NULL;
		}
	}

	pthread_mutex_lock(&known.lock);
	if (by_context)
		stream = default_stream_locked(handle, context_lookup_locked(context));
	else
		stream = handle_stream_locked(handle, context);
	pthread_mutex_unlock(&known.lock);
	return stream;
}

void stream_made(CUstream handle, unsigned flags)
{
	struct stream *stream = stream_lookup(handle, NULL);

	if (stream)
		stream->blocking = !(flags & CU_STREAM_NON_BLOCKING);
}

void stream_used(struct stream *stream)
{
	if (stream->blocking &&
	    !atomic_exchange_explicit(&stream->used_blocking, true, memory_order_relaxed))
		add_relaxed(&stream->context->blocking_streams, 1);
}

void stream_visit(void (*visit)(struct stream *stream))
{
	pthread_mutex_lock(&known.lock);
	for (const struct entry *entry = known.streams; entry; entry = entry->hh.next)
		if (entry->item)
			visit(entry->item);
	for (struct context *context = context_first(); context; context = context->next)
		if (context->legacy && !load_acquire(&context->ended))
			visit(context->legacy);
	pthread_mutex_unlock(&known.lock);
}

/* A list without a lock, as the collector must not wait for a thread that holds `lock` and asks the
 * driver. */
static void end_stream(struct stream *stream)
{
	if (load_relaxed(&stream->used_blocking))
		atomic_fetch_sub_explicit(&stream->context->blocking_streams, 1,
					  memory_order_relaxed);
	stream->next = load_relaxed(&known.ended_streams);
	/* Release: the collector sees the stream's contents. */
	while (!atomic_compare_exchange_weak_explicit(&known.ended_streams, &stream->next, stream,
						      memory_order_release, memory_order_relaxed))
		;
}

struct stream *stream_take_ended(void)
{
	return atomic_exchange_explicit(&known.ended_streams, NULL, memory_order_acquire);
}

static void forget_locked(struct entry *entry)
{
	if (entry->item)
		end_stream(entry->item);
	HASH_DEL(known.streams, entry);
	free(entry);
}

void stream_list_ending(struct stream *list)
{
	struct stream *stream;

	while ((stream = list)) {
		list = stream->next;
		end_stream(stream);
	}
}

void stream_forget_cached(void)
{
	/* Release: a thread that reads the new generation does not use what it cached before. */
	add_release(&launch_state.stream_generation, 1);
}

void stream_ending(CUstream handle)
{
	struct entry *entry;

	if (lifecycle_forked())
		return;
	pthread_mutex_lock(&known.lock);
	entry = entry_locked(handle, 0);
	if (entry) {
		forget_locked(entry);
		stream_forget_cached();
	}
	pthread_mutex_unlock(&known.lock);
}

void context_ending(struct context *context)
{
	struct entry *entry, *next;

	pthread_mutex_lock(&known.lock);
	store_release(&context->ended, true);
	HASH_ITER (hh, known.streams, entry, next) {
		const struct stream *stream = entry->item;

		if (!stream || stream->context == context)
			forget_locked(entry);
	}
	if (context->legacy)
		end_stream(context->legacy);
	context->legacy = NULL;
	stream_forget_cached();
	pthread_mutex_unlock(&known.lock);
}

bool context_use(struct context *context)
{
	CUresult result = CUDA_SUCCESS;

	if (context == known.current)
		return true;
	if (context && load_acquire(&context->ended))
		return false;
	result = driver.cuCtxSetCurrent(context ? context->handle : NULL);
	if (result != CUDA_SUCCESS) {
		driver_failed();
		return false;
	}
	known.current = context;
	return true;
}

/* Counted before the driver's call: from the moment that the capture can exist, other threads'
 * launches must check for it. */
void capture_begins(void)
{
	add_relaxed(&launch_state.captures, 1);
	plan_capture(true);
}

void capture_began(CUresult result)
{
	if (result != CUDA_SUCCESS) {
		atomic_fetch_sub_explicit(&launch_state.captures, 1, memory_order_relaxed);
		plan_capture(false);
	}
}

/*
 * Whether the capture has ended. If the stream is not capturing, or only joined another stream's
 * capture, the driver refuses (H200: CUDA_ERROR_ILLEGAL_STATE) and the capture goes on. Results
 * unknown to ktime count as a refusal: a count that stays too high costs each launch a query, one
 * that is too low would let ktime break the program's capture.
 */
static bool ends_capture(CUresult result)
{
	return result == CUDA_SUCCESS || result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED ||
	       result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

void capture_ended(CUresult result)
{
	int live = load_relaxed(&launch_state.captures);

	if (!ends_capture(result))
		return;
	/* A capture that began before ktime ran must not make the count negative. */
	while (live > 0 &&
	       !atomic_compare_exchange_weak_explicit(&launch_state.captures, &live, live - 1,
						      memory_order_relaxed, memory_order_relaxed))
		;
	if (live > 0)
		plan_capture(false);
}

bool capture_is_in(CUstream handle)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	/* The query fails with CUDA_ERROR_STREAM_CAPTURE_IMPLICIT on the legacy default stream
	 * while a blocking stream captures. Recording an event there would break that capture. */
	return driver.cuStreamIsCapturing(handle, &status) != CUDA_SUCCESS ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}
