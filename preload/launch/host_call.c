/* SPDX-License-Identifier: MIT */
#include "preload/launch/host_call.h"

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/launch/runtime_call.h"
#include "preload/launch/thread.h"

static uint32_t token_of(const struct timed_call *call)
{
	return (uint32_t)(uintptr_t)call;
}

/* Whether another call is in progress. One that lies below on the stack was left. */
static bool is_inside(const struct thread *thread, const struct timed_call *call)
{
	return thread->in_progress && (thread->in_progress == COUNT_ONLY_CALL ||
				       (int32_t)(token_of(call) - thread->in_progress) < 0);
}

void host_call_begin(struct timed_call *call)
{
	struct thread *thread = thread_self;

	call->thread = NULL;
	if (!thread || is_inside(thread, call) || runtime_call_is_around() || !lifecycle_running())
		return;
	thread->in_progress = token_of(call);
	call->thread = thread;
	call->started = clock_ticks();
}

void host_call_end(const struct timed_call *call, uint16_t api, CUresult result)
{
	struct thread *thread = call->thread;
	struct call_record *slot;
	uint64_t duration;

	if (!thread)
		return;
	duration = clock_ticks() - call->started;
	/* Whatever call is noted there was left: this is the outermost. */
	thread->in_progress = 0;
	slot = ring_slot(&thread->ring);
	if (!slot)
		return;
	*slot = (struct call_record){
		.started = call->started,
		.duration = duration < UINT32_MAX ? (uint32_t)duration : UINT32_MAX,
		.api = api,
		.flags = (uint8_t)(CALL_API_ONLY | (result ? CALL_FAILED : 0)),
	};
	ring_publish(&thread->ring);
}
