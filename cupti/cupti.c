/* SPDX-License-Identifier: MIT */
#include "cupti/cupti.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cupti/activity.h"
#include "cupti/buffers.h"
#include "cupti/kinds.h"
#include "cupti/library.h"
#include "cupti/program.h"
#include "preload/base/atomics.h"

/* Wakes the collector when this part of the buffers waits to be read. Chosen. */
#define WAKE_PART	16
/* How far, in nanoseconds, CUPTI's clock may be ahead of CLOCK_REALTIME, and behind it (a preempted
 * thread reads it late), to count as the same clock. Chosen. */
#define CLOCKS_APART_NS 1000000
#define MOST_DELAY_NS	100000000

enum state { STATE_OFF, STATE_ACTIVE, STATE_ENDING, STATE_FINALIZED, STATE_FORGOTTEN };

/* The state of ktime's recording with CUPTI, and how many records were lost. */
static struct {
	_Atomic int state; /* enum state */
	/* Counters order nothing else, so their accesses are relaxed. */
	_Atomic uint64_t lost; /* records in buffers that were reused before they were read */
	_Atomic uint64_t dropped_before_end;
	void (*wake)(void);
	bool by_thread; /* CUPTI gives each thread its own buffers */
} recorder;
_Atomic int64_t cupti_clock_behind;

/* Acquire and release: a thread that sees the state also sees `wake` and `by_thread`. */
static bool state_is(enum state which)
{
	return load_acquire(&recorder.state) == (int)which;
}

static void set_state(enum state to)
{
	store_release(&recorder.state, (int)to);
}

static void count_lost(uint8_t *data, size_t valid)
{
	struct walk walk;
	uint64_t count = 0;

	for (walk_first(&walk, data, valid); walk_step(&walk);)
		count++;
	add_relaxed(&recorder.lost, count);
}

/* The calling thread's id, cached because this runs within a launch. */
static uint32_t thread_number(void)
{
	static __thread uint32_t number __attribute__((tls_model("initial-exec")));

	if (!number)
		number = (uint32_t)syscall(SYS_gettid);
	return number;
}

/* Called by CUPTI on a thread that calls CUDA, or on its own thread. */
static void CUPTIAPI on_requested(uint8_t **data, size_t *size, size_t *most_records)
{
	int saved_errno = errno;
	size_t lost_bytes;
	struct buffer *buffer = buffers_take(!library_version()->takes_refusal, &lost_bytes);

	if (lost_bytes) {
		count_lost(buffer->data, lost_bytes);
		buffers_clear(buffer);
	}
	/* If threads have their own buffers, the thread that requests a buffer is the one that
	 * fills it. */
	if (buffer)
		buffer->thread = recorder.by_thread ? thread_number() : 0;
	*data = buffer ? buffer->data : NULL;
	*size = buffer ? buffer->size : 0;
	*most_records = 0;
	errno = saved_errno;
}

static void queue_buffer(struct buffer *buffer, size_t valid)
{
	if (!valid || !cupti_has_callbacks())
		buffers_release(buffer);
	else if (buffers_queue(buffer, valid) >= buffers_together / WAKE_PART && recorder.wake)
		recorder.wake();
}

/* Copies the records that ktime needs from a buffer of the program, which may free it when it gets
 * it back. */
static void copy_foreign(uint8_t *data, size_t valid)
{
	struct buffer *buffer = NULL;
	struct activity activity;
	struct walk walk;
	size_t used = 0, lost_bytes;

	for (walk_first(&walk, data, valid); walk_step(&walk);) {
		decode_activity(walk.record, &activity);
		if (!kinds_ktime_wants(&activity))
			continue;
		if (buffer && buffer->size - used < walk.size) {
			queue_buffer(buffer, used);
			buffer = NULL;
		}
		if (!buffer) {
			buffer = buffers_take(false, &lost_bytes);
			used = 0;
			if (buffer)
				buffer->thread = recorder.by_thread ? ACTIVITY_UNKNOWN_THREAD : 0;
			if (lost_bytes)
				count_lost(buffer->data, lost_bytes);
		}
		if (!buffer || walk.size > buffer->size) {
			add_relaxed(&recorder.lost, 1);
			continue;
		}
		memcpy(buffer->data + used, walk.record, walk.size);
		used += walk.size;
	}
	if (buffer)
		queue_buffer(buffer, used);
}

static void CUPTIAPI on_completed(CUcontext context, uint32_t stream_id, uint8_t *data, size_t size,
				  size_t valid)
{
	struct buffer *buffer = buffers_find(data);
	int saved_errno = errno;

	if (buffer) {
		if (valid)
			forward_records(data, valid);
		queue_buffer(buffer, valid);
	} else if (data) {
		if (cupti_has_callbacks())
			copy_foreign(data, valid);
		forward_foreign(context, stream_id, data, size, valid);
	}
	errno = saved_errno;
}

/* Enables the activity kinds. Without kernels it fails; other missing kinds are listed in
 * `reason`. */
static CUptiResult enable_kinds(const struct cupti_functions *cupti,
				const struct cupti_settings *settings, char *reason, size_t size)
{
	const struct {
		bool wanted;
		CUpti_ActivityKind kind;
		const char *text;
	} more[] = {
		{true, CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
		{true, CUPTI_ACTIVITY_KIND_MEMCPY2, "peer copies"},
		{true, CUPTI_ACTIVITY_KIND_MEMSET, "memsets"},
		{true, CUPTI_ACTIVITY_KIND_OVERHEAD, "overheads"},
		{!settings->graph_nodes, CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "whole graphs"},
		{settings->runtime_api, CUPTI_ACTIVITY_KIND_RUNTIME, "runtime calls"},
		{settings->driver_api, CUPTI_ACTIVITY_KIND_DRIVER, "driver calls"},
	};
	CUptiResult result = library_check(kinds_enable(
		cupti, settings->serial_kernels ? CUPTI_ACTIVITY_KIND_KERNEL
						: CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
	size_t length = 0;

	if (result)
		return result;
	reason[0] = '\0';
	for (unsigned i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (!more[i].wanted || !library_check(kinds_enable(cupti, more[i].kind)) ||
		    length >= size)
			continue;
		length += snprintf(reason + length, size - length, "%s%s",
				   length ? ", " : "CUPTI does not trace ", more[i].text);
	}
	/* Without a message: many systems have no unified memory counters. */
	if (settings->unified_memory)
		kinds_enable_unified_memory(cupti);
	return CUPTI_SUCCESS;
}

/* Registers the program's clock and callbacks in place of ktime's. */
static void give_back(const struct cupti_functions *cupti)
{
	struct program_callbacks to = forward_registered();

	if (program_clock())
		library_check(cupti->cuptiActivityRegisterTimestampCallback(program_clock()));
	if (to.completed)
		library_check(cupti->cuptiActivityRegisterCallbacks(to.requested, to.completed));
}

int cupti_start(const struct cupti_settings *settings, char *reason, size_t size)
{
	const struct cupti_functions *cupti = library_functions();
	CUptiResult result;

	if (!state_is(STATE_OFF)) {
		snprintf(reason, size, "CUPTI was started before");
		return -EALREADY;
	}
	if (refusal_by_environment(reason, size))
		return -EBUSY;
	if (kinds_withdrawn()) {
		snprintf(reason, size, "the program wants CUPTI for itself (cuptiSubscribe_v2)");
		return -EBUSY;
	}
	if (!cupti) {
		snprintf(reason, size, "libcupti is not loaded");
		return -ENOENT;
	}
	if (buffers_create()) {
		snprintf(reason, size, "no memory for CUPTI's buffers");
		return -ENOMEM;
	}
	recorder.wake = settings->wake;
	recorder.by_thread = library_fills_by_thread();
	set_state(STATE_ACTIVE);
	result = library_check(cupti->cuptiActivityRegisterCallbacks(on_requested, on_completed));
	if (!result) {
		if (program_clock())
			library_check(cupti->cuptiActivityRegisterTimestampCallback(
				program_clock_of_cupti));
		result = enable_kinds(cupti, settings, reason, size);
		/* The program has called cuptiSubscribe_v2 meanwhile. */
		if (!result && kinds_withdrawn())
			result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
		if (result)
			give_back(cupti);
	}
	if (!result) {
		library_say_buffers_are_zeroed(true);
		return 0;
	}
	set_state(STATE_OFF);
	refusal_by_cupti(cupti, result, reason, size);
	return -EIO;
}

bool cupti_active(void)
{
	return state_is(STATE_ACTIVE);
}

bool cupti_has_callbacks(void)
{
	return state_is(STATE_ACTIVE) || state_is(STATE_ENDING);
}

bool cupti_ended(void)
{
	return state_is(STATE_FINALIZED);
}

int cupti_flush(bool forced)
{
	const struct cupti_functions *cupti = library_functions();
	uint32_t flag = 0;

	if (!state_is(STATE_ACTIVE))
		return 0;
	/*
	 * Once the kernel kind was turned off amid the run a forced flush ended 15 of 100 processes
	 * of ResNet-50, 20 to 40 on a device, in CUPTI's own thread (13.0 Update 2, 13.2, 13.3;
	 * H100).
	 */
	if (forced && !kinds_were_paused())
		flag = CUPTI_ACTIVITY_FLAG_FLUSH_FORCED;
	return library_check(cupti->cuptiActivityFlushAll(flag)) ? -EIO : 0;
}

uint64_t cupti_dropped(void)
{
	const struct cupti_functions *cupti = library_functions();
	size_t dropped = 0;

	if (state_is(STATE_ACTIVE) &&
	    !library_check(cupti->cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped)))
		forward_note_dropped(dropped);
	return dropped +
	       atomic_exchange_explicit(&recorder.dropped_before_end, 0, memory_order_relaxed);
}

uint64_t cupti_unread(void)
{
	return atomic_exchange_explicit(&recorder.lost, 0, memory_order_relaxed);
}

void cupti_ending(void)
{
	if (!state_is(STATE_ACTIVE))
		return;
	cupti_flush(true);
	add_relaxed(&recorder.dropped_before_end, cupti_dropped());
	if (recorder.wake)
		merge_wait(recorder.wake);
	/*
	 * From now on a reading uses no names of CUPTI's, and a reading that began before is waited
	 * for. Sequentially consistent, here and in buffers.c: either the collector sees these
	 * stores or this thread sees its reading.
	 */
	merge_trust_names(false);
	atomic_store_explicit(&recorder.state, STATE_ENDING, memory_order_seq_cst);
	if (recorder.wake)
		merge_wait_for_end(recorder.wake);
}

void cupti_finalized(bool ended)
{
	if (!ended) {
		if (state_is(STATE_ENDING))
			set_state(STATE_ACTIVE);
		merge_trust_names(true);
		return;
	}
	if (state_is(STATE_ENDING))
		set_state(STATE_FINALIZED);
	kinds_clear();
	forward_clear();
}

void cupti_step_aside(void)
{
	const struct cupti_functions *cupti = library_functions();

	/* The program's own kinds keep others from subscribing, as without ktime. */
	if (kinds_program_any())
		return;
	kinds_withdraw(cupti);
	cupti_ending();
	if (!state_is(STATE_ENDING))
		return;
	library_say_buffers_are_zeroed(false);
	forward_flush();
	give_back(cupti);
	cupti_finalized(true);
}

void cupti_forget(void)
{
	if (!state_is(STATE_OFF))
		set_state(STATE_FORGOTTEN);
	merge_reset();
	buffers_reset();
	kinds_reset();
	forward_reset();
	store_relaxed(&recorder.lost, 0);
	library_errors();
}

/* Calls a function of CUPTI's for an id. */
#define ASK(function, ...)                                                                         \
	(!state_is(STATE_ACTIVE) || !library_functions()->function   ? -ENOTSUP                    \
	 : library_check(library_functions()->function(__VA_ARGS__)) ? -EINVAL                     \
								     : 0)

int cupti_stream_id(CUcontext context, CUstream stream, bool per_thread, uint32_t *stream_id)
{
	return ASK(cuptiGetStreamIdEx, context, stream, per_thread, stream_id);
}

int cupti_context_id(CUcontext context, uint32_t *context_id)
{
	return ASK(cuptiGetContextId, context, context_id);
}

int cupti_graph_id(CUgraphExec graph, uint32_t *graph_id)
{
	return ASK(cuptiGetGraphExecId, graph, graph_id);
}

int cupti_graph_node_id(CUgraphNode node, uint64_t *node_id)
{
	return ASK(cuptiGetGraphNodeId, node, node_id);
}

bool cupti_clock_is_realtime(void)
{
	const struct cupti_functions *cupti = library_functions();
	uint64_t stamp = 0;
	int64_t ahead;
	bool realtime;

	if (!state_is(STATE_ACTIVE) || library_check(cupti->cuptiGetTimestamp(&stamp)))
		return false;
	ahead = (int64_t)(program_clock_of_cupti() - stamp);
	realtime = ahead > -CLOCKS_APART_NS && ahead < MOST_DELAY_NS;
	store_relaxed(&cupti_clock_behind, realtime ? 0 : ahead);
	return realtime;
}

void cupti_skip_call(uint32_t callback)
{
	if (state_is(STATE_ACTIVE))
		kinds_skip_call(library_functions(), callback);
}

bool pause_is_safe(void)
{
	return library_version()->pauses_kernels;
}

bool pause_kernels(enum pause_reason reason, bool paused)
{
	/* Called even if CUPTI is not started: it may be started before the pause is over. */
	CUptiResult result = library_check(kinds_pause(library_functions(), reason, paused));

	return !result && cupti_active();
}

void pause_ends_for_peer_copies(void)
{
	library_check(kinds_record_peer_copies(library_functions()));
}

bool pause_is_refused(void)
{
	return kinds_program_has_kernels() || kinds_withdrawn();
}
