/* SPDX-License-Identifier: MIT */
#include "preload/launch/runtime_call.h"

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/launch/window.h"

__thread struct runtime_call runtime_call;

/* A runtime call begins while runtime_call still describes another one of this thread: the program
 * makes the new call inside the other one, from its malloc or a callback, or it left the other one
 * by a longjmp. If the other one's driver call has returned, names and publishes its record. */
static LAUNCH_COLD void complete_earlier(void)
{
	if (!runtime_call.record)
		return;
	runtime_call.record->api = (uint16_t)API_RUNTIME(runtime_call.symbol);
	runtime_call_publish_earlier(thread_self);
}

LAUNCH_PATH uint64_t runtime_call_begin(enum runtime_symbol which)
{
	if (__builtin_expect(runtime_call_is_around(), 0))
		complete_earlier();
	runtime_call = (struct runtime_call){.symbol = (uint16_t)which,
					     .role = RUNTIME_CALL_TIMES,
					     .record = runtime_call.record,
					     .started = clock_ticks(),
					     .frame = (uintptr_t)__builtin_frame_address(0)};
	return runtime_call.started;
}

/* Begins a record without an operation in the next slot; NULL if there is no room. */
static LAUNCH_COLD struct call_record *record_api_call(struct thread *thread, int result)
{
	struct call_record *slot = lifecycle_running() ? ring_slot(&thread->ring) : NULL;

	if (slot)
		*slot = (struct call_record){
			.flags = (uint8_t)(CALL_API_ONLY | (result ? CALL_FAILED : 0) |
					   (window_is_open() ? 0 : CALL_OUTSIDE_WINDOW))};
	return slot;
}

void runtime_call_passed(enum runtime_symbol which, int result)
{
	struct thread *thread = thread_self;
	struct call_record *slot;

	if (!thread || runtime_call.role != RUNTIME_CALL_NAMES)
		return;
	runtime_call.role = RUNTIME_CALL_NONE;
	slot = record_api_call(thread, result);
	if (!slot)
		return;
	slot->started = clock_ticks();
	slot->api = (uint16_t)API_RUNTIME(which);
	ring_publish(&thread->ring);
}

/* The record to put the runtime call's name and time into; NULL if the call has been counted, or
 * there is no room. */
static struct call_record *record_to_complete(struct thread *thread, int result)
{
	_Atomic uint64_t *count = &thread->api_calls[API_RUNTIME(runtime_call.symbol)];
	struct call_record *record = runtime_call.record;

	if (record)
		return record;
	/* It made no wrapped driver call: it failed early, or copied from host to host. */
	record = record_api_call(thread, result);
	if (!record && lifecycle_running() && window_is_open())
		thread_count(count);
	return record;
}

LAUNCH_PATH void runtime_call_end(uint64_t begun, int result)
{
	struct thread *thread = thread_self;
	uint64_t duration = clock_ticks() - runtime_call.started;
	struct call_record *record;

	/* Else one was made inside of it, and its own driver call has the row. */
	if (runtime_call.started != begun || runtime_call.role != RUNTIME_CALL_TIMES)
		return;
	runtime_call.role = RUNTIME_CALL_NONE;
	if (!thread)
		return;
	record = record_to_complete(thread, result);
	runtime_call.record = NULL;
	if (record) {
		duration -= runtime_call.overhead < duration ? runtime_call.overhead : 0;
		record->started = runtime_call.started;
		record->duration = duration < UINT32_MAX ? (uint32_t)duration : UINT32_MAX;
		record->api = (uint16_t)API_RUNTIME(runtime_call.symbol);
		if (!(record->flags & CALL_OUTSIDE_WINDOW))
			thread->timed_symbols |= (uint32_t)1 << runtime_call.symbol;
		ring_publish(&thread->ring);
		thread_add_overhead(thread, runtime_call.overhead, 1);
	}
	store_release(&thread->in_call, 0);
}
