/* SPDX-License-Identifier: MIT */
/* The part of a runtime symbol's wrapper that is around the driver's calls: see call.h. */
#include "preload/launch/runtime_call.h"

#include "preload/base/clock.h"
#include "preload/launch/window.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/base/launch_section.h"

LAUNCH_PATH void runtime_call_begin(struct runtime_call *call, uint32_t which)
{
	call->outer = thread_runtime_call;
	call->started = clock_ticks();
	thread_runtime_call = which + 1;
	if (thread_self)
		thread_self->own_ticks = 0;
}

/* NULL where there is no room. */
static LAUNCH_SELDOM struct span *call_only_span(struct thread *thread, int result)
{
	struct span *span = control_running() ? ring_slot(&thread->ring) : NULL;

	if (span)
		*span = (struct span){.flags = SPAN_CALL_ONLY | (result ? SPAN_FAILED : 0) |
					       (collecting() ? 0 : SPAN_PAUSED)};
	return span;
}

void runtime_call_failed(uint32_t which)
{
	struct thread *thread = thread_self;
	struct span *span;

	if (!thread || !thread->passed_symbol)
		return;
	thread->passed_symbol = 0;
	span = call_only_span(thread, 1);
	if (!span)
		return;
	span->started = clock_ticks();
	span->api = (uint16_t)API_RUNTIME(which);
	ring_publish(&thread->ring);
}

LAUNCH_PATH void runtime_call_end(struct runtime_call *call, uint32_t which, int result)
{
	struct thread *thread = thread_self;
	uint64_t duration = clock_ticks() - call->started;
	struct span *span;

	thread_runtime_call = call->outer;
	/* Within another call, of the runtime or of the driver, it is a part of that. */
	if (!thread || call->outer || thread->depth > 0)
		return;
	if (thread->counted_call && !thread->deferred) {
		thread->counted_call = false;
		thread_count(&thread->api_calls[API_RUNTIME(which)]);
		/* A driver's call that found the ring full was watched until then. */
		goto out;
	}
	thread->counted_call = false;
	span = thread->deferred;
	if (!span) {
		/* No driver call of ours in it: it failed early, or copied from host to host. */
		span = call_only_span(thread, result);
		if (!span) {
			if (control_running() && collecting())
				thread_count(&thread->api_calls[API_RUNTIME(which)]);
			goto out;
		}
	}
	duration -= thread->own_ticks < duration ? thread->own_ticks : 0;
	span->started = call->started;
	span->duration = duration < UINT32_MAX ? (uint32_t)duration : UINT32_MAX;
	span->api = (uint16_t)API_RUNTIME(which);
	thread->deferred = NULL;
	ring_publish(&thread->ring);
	thread_add_host_ticks(thread, thread->own_ticks, 1);
out:
	atomic_store_explicit(&thread->in_call, 0, memory_order_release);
}
