/* SPDX-License-Identifier: MIT */
#include "preload/launch/event_record.h"

#include "preload/base/clock.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/launch/describe.h"
#include "preload/launch/cold_path.h"
#include "preload/events/event_pool.h"

/* Calls between two looks at whether the device is behind. */
#define SHARED_STARTS	 8
/* A pause of the host's that ends the sharing. */
#define SHARING_PAUSE_US 10

static struct event_pair *take_pair(struct thread *thread, struct context *context)
{
	struct lane *lane = thread->last_lane;

	if (!lane || lane->context != context)
		lane = first_sight_lane(thread, context);
	return lane ? lane_take(lane) : NULL;
}

/*
 * Whether the end of the last call can be the start of this one: the same stream with nothing in
 * between, and a device that is behind. The driver is asked about that once in so many calls; a
 * host that paused may have let the device catch up.
 */
static bool shares_start(struct thread *thread, const struct call *call)
{
	struct event_pair *chain = thread->chain;

	if (!chain || thread->last_stream != call->stream ||
	    chain->lane->context != call->known->context || call->host ||
	    call->entered - thread->chain_ended > clock_some_ticks(SHARING_PAUSE_US)) {
		thread->chain_left = 0;
		return false;
	}
	if (thread->chain_left == 0) {
		thread->chain_behind = event_pair_is_pending(chain);
		thread->chain_left = SHARED_STARTS;
	}
	thread->chain_left--;
	return thread->chain_behind;
}

/* What a call's random number had to be below; as good as at the draw itself, just before. */
static inline uint32_t chance_of(const struct call *call)
{
	return call->operation
		       ? atomic_load_explicit(&call->operation->sample_below, memory_order_relaxed)
		       : SAMPLE_ALL;
}

void inject_failed(struct thread *thread, struct call *call)
{
	driver_failed();
	thread->last_lane->spare = call->pair;
	call->pair = NULL;
	call->untimed = UNTIMED_RECORD_FAILED;
}

LAUNCH_PATH void inject_start(struct thread *thread, struct call *call)
{
	const struct stream *stream = call->known;
	struct event_pair *pair = take_pair(thread, stream->context);

	call->pair = pair;
	if (!pair) {
		call->untimed = UNTIMED_NO_EVENT;
		return;
	}
	pair->sampled_below = chance_of(call);
	if (control_sharing && shares_start(thread, call)) {
		pair->previous = thread->chain;
		return;
	}
	pair->previous = NULL;
	if (call->host && (call->synchronous || describe_is_pageable(call->host)))
		call->flags |= SPAN_HOST_INCLUDED;
	if (driver.cuEventRecord(pair->start, stream->handle) != CUDA_SUCCESS)
		inject_failed(thread, call);
}
