/* SPDX-License-Identifier: MIT */
#include "cupti/kinds.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "cupti/hot_calls.h"

#define KINDS	    64
/* Runtime calls by callback id; CUDA 13.0 has some 500. */
#define CALLBACKS   2048
/*
 * How far a record's start may be from the moment a kind was turned on or off to count as before
 * or after it: a GPU's clock is known to some microseconds. Too many records do no harm, a missing
 * one does.
 */
#define CLOCK_SLACK 100000ull
/* How long after a kind was turned off work that was launched before may still start. */
#define START_DELAY 1000000000ull

struct kind {
	bool ktime;	       /* wanted by ktime */
	bool enabled;	       /* by CUPTI's answer */
	_Atomic(bool) read;    /* ktime reads its records, late ones too */
	_Atomic(bool) program; /* wanted by the program */
	_Atomic(bool) ever;    /* was wanted by the program before */
	_Atomic(bool) flushed; /* the program flushed since it turned the kind off */
	/* When the program turned the kind on and off last, on CUPTI's clock. */
	_Atomic(uint64_t) begin, end;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kind kinds[KINDS];
static _Atomic(unsigned) program_count;
static _Atomic(bool) program_ever;

static bool in_range(uint32_t kind)
{
	return kind < KINDS;
}

/* The two kernel kinds exclude each other, and both give the same records. */
static bool is_kernel(uint32_t kind)
{
	return kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

static bool program_has_kernels(void)
{
	return kinds[CUPTI_ACTIVITY_KIND_KERNEL].program ||
	       kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL].program;
}

/*
 * Whether ktime's own wish for a kind may stand beside the program's. Where it may not, the
 * program has its way: a serialising kernel kind, or the kernels inside of graphs, which CUPTI
 * leaves out while whole graphs are traced.
 */
static bool ktime_may_have(uint32_t kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return !kinds[CUPTI_ACTIVITY_KIND_KERNEL].program;
	case CUPTI_ACTIVITY_KIND_KERNEL:
		return !kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL].program;
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		return !program_has_kernels();
	default:
		return true;
	}
}

static _Atomic(bool) skipped[CALLBACKS];

static void skip_hot_calls(const struct cupti_functions *cupti)
{
	size_t i;

	/* One that this CUPTI does not know is refused, and not recorded anyway. */
	if (cupti->cuptiActivityEnableRuntimeApi)
		for (i = 0; i < hot_runtime_call_count; i++)
			cupti->cuptiActivityEnableRuntimeApi(hot_runtime_calls[i], 0);
	for (i = 0; cupti->cuptiActivityEnableRuntimeApi && i < CALLBACKS; i++)
		if (skipped[i])
			cupti->cuptiActivityEnableRuntimeApi((CUpti_CallbackId)i, 0);
}

void kinds_skip_call(const struct cupti_functions *cupti, uint32_t callback)
{
	if (callback >= CALLBACKS)
		return;
	pthread_mutex_lock(&lock);
	skipped[callback] = true;
	if (cupti->cuptiActivityEnableRuntimeApi && !kinds[CUPTI_ACTIVITY_KIND_RUNTIME].program)
		cupti->cuptiActivityEnableRuntimeApi(callback, 0);
	pthread_mutex_unlock(&lock);
}

static bool is_wanted(uint32_t kind)
{
	return kinds[kind].program || (kinds[kind].ktime && ktime_may_have(kind));
}

/* Makes CUPTI's setting of a kind what both want. */
static CUptiResult settle(const struct cupti_functions *cupti, uint32_t kind)
{
	struct kind *state = &kinds[kind];
	bool wanted = is_wanted(kind);
	CUptiResult result = CUPTI_SUCCESS;

	if (wanted && !state->enabled) {
		result = cupti->cuptiActivityEnable(kind);
		state->enabled = result == CUPTI_SUCCESS;
	} else if (!wanted && state->enabled) {
		result = cupti->cuptiActivityDisable(kind);
		state->enabled = false;
	}
	if (kind == CUPTI_ACTIVITY_KIND_RUNTIME && state->enabled && !state->program)
		skip_hot_calls(cupti);
	return result;
}

/* Turning off comes first: the two kernel kinds are never on together. */
static void settle_exclusive(const struct cupti_functions *cupti)
{
	static const uint32_t exclusive[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
					     CUPTI_ACTIVITY_KIND_KERNEL,
					     CUPTI_ACTIVITY_KIND_GRAPH_TRACE};
	const unsigned count = sizeof(exclusive) / sizeof(exclusive[0]);
	unsigned i;

	for (i = 0; i < count; i++)
		if (!is_wanted(exclusive[i]))
			settle(cupti, exclusive[i]);
	/* What the program itself turns on is left to kinds_program_enable. */
	for (i = 0; i < count; i++)
		if (!kinds[exclusive[i]].program)
			settle(cupti, exclusive[i]);
}

CUptiResult kinds_enable(const struct cupti_functions *cupti, CUpti_ActivityKind kind)
{
	CUptiResult result;

	if (!in_range(kind))
		return CUPTI_ERROR_INVALID_KIND;
	pthread_mutex_lock(&lock);
	kinds[kind].ktime = true;
	kinds[kind].read = true;
	result = settle(cupti, kind);
	if (result)
		kinds[kind].read = kinds[kind].ktime = false;
	pthread_mutex_unlock(&lock);
	return result;
}

/* The whole process counts as device 0. */
CUptiResult kinds_enable_unified_memory(const struct cupti_functions *cupti)
{
	static const CUpti_ActivityUnifiedMemoryCounterKind wanted[] = {
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
		CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
	};
	enum { COUNT = sizeof(wanted) / sizeof(wanted[0]) };
	CUpti_ActivityUnifiedMemoryCounterConfig configuration[COUNT];
	CUptiResult result;
	unsigned i;

	if (!cupti->cuptiActivityConfigureUnifiedMemoryCounter)
		return CUPTI_ERROR_NOT_SUPPORTED;
	for (i = 0; i < COUNT; i++) {
		configuration[i].scope =
			CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE;
		configuration[i].kind = wanted[i];
		configuration[i].deviceId = 0;
		configuration[i].enable = 1;
	}
	result = cupti->cuptiActivityConfigureUnifiedMemoryCounter(configuration, COUNT);
	if (result)
		return result;
	return kinds_enable(cupti, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

bool kinds_of_ktime(CUpti_ActivityKind kind)
{
	bool wanted = false;

	if (!in_range(kind))
		return false;
	pthread_mutex_lock(&lock);
	wanted = kinds[kind].ktime;
	pthread_mutex_unlock(&lock);
	return wanted;
}

static void set_program(const struct cupti_functions *cupti, uint32_t kind, bool wanted)
{
	struct kind *state = &kinds[kind];
	uint64_t now = 0;

	if (state->program == wanted)
		return;
	cupti->cuptiGetTimestamp(&now);
	if (wanted) {
		state->begin = now;
		state->ever = true;
		program_ever = true;
		program_count++;
	} else {
		state->end = now;
		state->flushed = false;
		program_count--;
	}
	state->program = wanted;
}

CUptiResult kinds_program_enable(const struct cupti_functions *cupti, CUpti_ActivityKind kind,
				 CUptiResult (*enable)(CUpti_ActivityKind))
{
	CUptiResult result = CUPTI_SUCCESS;

	if (!in_range(kind))
		return enable(kind);
	pthread_mutex_lock(&lock);
	set_program(cupti, kind, true);
	settle_exclusive(cupti);
	/* The runtime kind is turned on once more: that takes back what skip_hot_calls did. */
	if (!kinds[kind].enabled || kind == CUPTI_ACTIVITY_KIND_RUNTIME ||
	    enable != cupti->cuptiActivityEnable)
		result = enable(kind);
	if (result) {
		set_program(cupti, kind, false);
		settle_exclusive(cupti);
	} else {
		kinds[kind].enabled = true;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

CUptiResult kinds_program_disable(const struct cupti_functions *cupti, CUpti_ActivityKind kind)
{
	CUptiResult result;

	if (!in_range(kind))
		return cupti->cuptiActivityDisable(kind);
	pthread_mutex_lock(&lock);
	set_program(cupti, kind, false);
	/* CUPTI has an answer of its own for turning off what is not on. */
	if (kinds[kind].enabled)
		result = settle(cupti, kind);
	else
		result = cupti->cuptiActivityDisable(kind);
	settle_exclusive(cupti);
	pthread_mutex_unlock(&lock);
	return result;
}

void kinds_program_noted(const struct cupti_functions *cupti, CUpti_ActivityKind kind)
{
	if (!in_range(kind))
		return;
	pthread_mutex_lock(&lock);
	set_program(cupti, kind, true);
	pthread_mutex_unlock(&lock);
}

void kinds_program_flushed(void)
{
	uint32_t kind;

	for (kind = 0; kind < KINDS; kind++)
		kinds[kind].flushed = true;
}

bool kinds_program_any(void)
{
	return program_count != 0;
}

bool kinds_program_ever(void)
{
	return program_ever;
}

bool kinds_program_wants(const struct activity *activity)
{
	const struct kind *state;
	uint64_t start = activity->start;

	if (!in_range(activity->cupti_kind))
		return kinds_program_any();
	state = &kinds[activity->cupti_kind];
	if (!state->read)
		return state->ever || kinds_program_any();
	if (!state->ever)
		return false;
	if (start == 0)
		return state->program || !state->flushed;
	if (start + CLOCK_SLACK < state->begin)
		return false;
	return state->program || start <= state->end + (state->flushed ? CLOCK_SLACK : START_DELAY);
}

bool kinds_ktime_wants(const struct activity *activity)
{
	uint32_t kind = activity->cupti_kind;

	if (!in_range(kind))
		return true;
	if (activity->kind == ACTIVITY_RUNTIME_API &&
	    (runtime_call_is_hot(activity->callback) ||
	     (activity->callback < CALLBACKS && skipped[activity->callback])))
		return false;
	/* What the program has in place of ktime's kernel kind tells of the same work. */
	if (is_kernel(kind) || kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE)
		return kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL].read ||
		       kinds[CUPTI_ACTIVITY_KIND_KERNEL].read;
	return kinds[kind].read || !kinds[kind].ever;
}

void kinds_clear(void)
{
	uint32_t kind;

	pthread_mutex_lock(&lock);
	for (kind = 0; kind < KINDS; kind++) {
		kinds[kind].ktime = kinds[kind].enabled = false;
		kinds[kind].program = false;
	}
	program_count = 0;
	program_ever = false;
	pthread_mutex_unlock(&lock);
}

void kinds_reset(void)
{
	pthread_mutex_init(&lock, NULL);
	memset(kinds, 0, sizeof(kinds));
	program_count = 0;
	program_ever = false;
}
