/* SPDX-License-Identifier: MIT */
#include "cupti/kinds.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cupti/library.h"
#include "preload/base/atomics.h"
#include "report/names/call_names.h"

/* Activity kinds by number; CUDA 13.0 has numbers up to 55. */
#define KINDS	    64
/* Runtime functions by callback id; CUDA 13.0 has 523. */
#define CALLBACKS   2048
/* How far a record's start may be from the moment when a kind was enabled or disabled, ns, to count
 * as before or after it. Generous: records too many do no harm, a missing one does. */
#define CLOCK_SLACK 100000ull
/* How long after a kind was disabled, ns, work launched before may still start. Chosen. */
#define START_DELAY 1000000000ull

struct kind {
	bool ktime;	      /* ktime wants it */
	bool enabled;	      /* enabled in CUPTI */
	_Atomic bool read;    /* ktime reads its records, also late ones */
	_Atomic bool program; /* the program has it enabled */
	_Atomic bool ever;    /* the program has had it enabled */
	_Atomic bool flushed; /* the program has flushed since it disabled it */
	/* When the program last enabled and disabled it, on CUPTI's clock. */
	_Atomic uint64_t begin, end;
};

/* All are changed under the lock. */
static struct kind kinds[KINDS];
static struct {
	pthread_mutex_t lock;
	_Atomic unsigned program_count; /* of those that the program has enabled */
	_Atomic bool program_ever;	/* it has had any enabled */
	_Atomic bool withdrawn;		/* ktime has none any more, for good */
	bool kernels_paused[PAUSE_REASONS];
	_Atomic bool ever_paused; /* kernels were, amid the run */
	bool several_devices;	  /* have contexts, so that there are copies between devices */
	_Atomic bool skipped[CALLBACKS]; /* runtime functions that are not to be recorded */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Acquire and release: a thread that sees a flag sees the times that were stored before it. */
static bool is_set(const _Atomic bool *flag)
{
	return load_acquire(flag);
}

static void set(_Atomic bool *flag, bool value)
{
	store_release(flag, value);
}

static bool in_range(uint32_t kind)
{
	return kind < KINDS;
}

/* The two kernel kinds exclude each other, and give the same records. */
static bool is_kernel(uint32_t kind)
{
	return kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

bool kinds_program_has_kernels(void)
{
	return is_set(&kinds[CUPTI_ACTIVITY_KIND_KERNEL].program) ||
	       is_set(&kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL].program);
}

/*
 * Whether ktime may have a kind enabled next to the program's kinds. The program takes precedence
 * where it has the other, serialising kernel kind, or wants the kernels inside graphs, which CUPTI
 * does not record while it traces whole graphs.
 */
static bool ktime_may_have(uint32_t kind)
{
	switch (kind) {
	case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
		return !is_set(&kinds[CUPTI_ACTIVITY_KIND_KERNEL].program);
	case CUPTI_ACTIVITY_KIND_KERNEL:
		return !is_set(&kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL].program);
	case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
		/* Nor after that: turned on once nodes of a graph were recorded, it ended the
		 * program at that graph's next launch (CUPTI 13.0, H200). */
		return !is_set(&kinds[CUPTI_ACTIVITY_KIND_KERNEL].ever) &&
		       !is_set(&kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL].ever);
	default:
		return true;
	}
}

/*
 * The runtime functions that ktime's wrappers count and time. CUPTI is told not to record them,
 * which saves most of what its runtime kind adds to a launch. The list also has cudart's internal
 * calls around each launch, which no report shows.
 */
static const char wrapped[] =
	" __cudaGetKernel __cudaLaunchKernel __cudaPopCallConfiguration"
	" __cudaPushCallConfiguration cudaConfigureCall cudaGraphLaunch cudaLaunch"
	" cudaLaunchCooperativeKernel cudaLaunchCooperativeKernelMultiDevice cudaLaunchKernel"
	" cudaLaunchKernelExC cudaMemDiscardAndPrefetchBatchAsync cudaMemDiscardBatchAsync"
	" cudaMemPrefetchAsync cudaMemPrefetchBatchAsync cudaMemcpy cudaMemcpy2D"
	" cudaMemcpy2DArrayToArray cudaMemcpy2DAsync cudaMemcpy2DFromArray"
	" cudaMemcpy2DFromArrayAsync cudaMemcpy2DToArray cudaMemcpy2DToArrayAsync"
	" cudaMemcpy3D cudaMemcpy3DAsync cudaMemcpy3DBatchAsync cudaMemcpy3DPeer"
	" cudaMemcpy3DPeerAsync cudaMemcpyArrayToArray cudaMemcpyAsync cudaMemcpyBatchAsync"
	" cudaMemcpyFromArray cudaMemcpyFromArrayAsync cudaMemcpyFromSymbol"
	" cudaMemcpyFromSymbolAsync cudaMemcpyPeer cudaMemcpyPeerAsync cudaMemcpyToArray"
	" cudaMemcpyToArrayAsync cudaMemcpyToSymbol cudaMemcpyToSymbolAsync cudaMemset"
	" cudaMemset2D cudaMemset2DAsync cudaMemset3D cudaMemset3DAsync cudaMemsetAsync"
	" cudaSetupArgument ";

static bool is_wrapped(const char *name)
{
	char word[64];

	snprintf(word, sizeof(word), " %.*s ", (int)call_base_length(name), name);
	return strstr(wrapped, word);
}

/* A function has several ids: one for each version of it, and for each default stream. */
static void find_wrapped(const struct cupti_functions *cupti)
{
	const char *name;

	for (uint32_t i = 0; i < CALLBACKS && cupti->cuptiGetCallbackName; i++)
		if (!cupti->cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, i, &name) && name &&
		    is_wrapped(name))
			set(&shared.skipped[i], true);
}

static void skip_calls(const struct cupti_functions *cupti)
{
	/* A function that this CUPTI does not know is refused, and not recorded anyway. */
	for (uint32_t i = 0; i < CALLBACKS && cupti->cuptiActivityEnableRuntimeApi; i++)
		if (is_set(&shared.skipped[i]))
			cupti->cuptiActivityEnableRuntimeApi(i, 0);
}

void kinds_skip_call(const struct cupti_functions *cupti, uint32_t callback)
{
	if (callback >= CALLBACKS)
		return;
	pthread_mutex_lock(&shared.lock);
	set(&shared.skipped[callback], true);
	if (cupti->cuptiActivityEnableRuntimeApi &&
	    !is_set(&kinds[CUPTI_ACTIVITY_KIND_RUNTIME].program))
		cupti->cuptiActivityEnableRuntimeApi(callback, 0);
	pthread_mutex_unlock(&shared.lock);
}

static bool is_paused(uint32_t kind)
{
	if (kind == CUPTI_ACTIVITY_KIND_MEMCPY2)
		return !shared.several_devices;
	return is_kernel(kind) && (shared.kernels_paused[PAUSE_BETWEEN_WINDOWS] ||
				   shared.kernels_paused[PAUSE_FOR_COUNTERS]);
}

static bool is_wanted(uint32_t kind)
{
	return is_set(&kinds[kind].program) || (kinds[kind].ktime && !is_set(&shared.withdrawn) &&
						!is_paused(kind) && ktime_may_have(kind));
}

/* Enables or disables a kind in CUPTI as ktime and the program want it together. */
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
		state->enabled = result != CUPTI_SUCCESS;
	}
	if (kind == CUPTI_ACTIVITY_KIND_RUNTIME && state->enabled && !is_set(&state->program))
		skip_calls(cupti);
	return result;
}

/* Disables before it enables: the two kernel kinds are never enabled together. */
static void settle_exclusive(const struct cupti_functions *cupti)
{
	static const uint32_t exclusive[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
					     CUPTI_ACTIVITY_KIND_KERNEL,
					     CUPTI_ACTIVITY_KIND_GRAPH_TRACE};
	const unsigned count = sizeof(exclusive) / sizeof(exclusive[0]);

	for (unsigned i = 0; i < count; i++)
		if (!is_wanted(exclusive[i]))
			settle(cupti, exclusive[i]);
	/* kinds_program_enable() enables the program's kinds. */
	for (unsigned i = 0; i < count; i++)
		if (!is_set(&kinds[exclusive[i]].program))
			settle(cupti, exclusive[i]);
}

CUptiResult kinds_enable(const struct cupti_functions *cupti, CUpti_ActivityKind kind)
{
	CUptiResult result;

	if (!in_range(kind))
		return CUPTI_ERROR_INVALID_KIND;
	pthread_mutex_lock(&shared.lock);
	if (kind == CUPTI_ACTIVITY_KIND_RUNTIME)
		find_wrapped(cupti);
	kinds[kind].ktime = true;
	set(&kinds[kind].read, true);
	result = is_set(&shared.withdrawn) ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
					   : settle(cupti, kind);
	if (result) {
		kinds[kind].ktime = false;
		set(&kinds[kind].read, false);
	}
	pthread_mutex_unlock(&shared.lock);
	return result;
}

CUptiResult kinds_pause(const struct cupti_functions *cupti, enum pause_reason reason, bool paused)
{
	CUptiResult serial, concurrent;

	pthread_mutex_lock(&shared.lock);
	shared.kernels_paused[reason] = paused;
	if (paused)
		set(&shared.ever_paused, true);
	serial = settle(cupti, CUPTI_ACTIVITY_KIND_KERNEL);
	concurrent = settle(cupti, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	pthread_mutex_unlock(&shared.lock);
	return serial ? serial : concurrent;
}

bool kinds_were_paused(void)
{
	return is_set(&shared.ever_paused);
}

void kinds_withdraw(const struct cupti_functions *cupti)
{
	pthread_mutex_lock(&shared.lock);
	set(&shared.withdrawn, true);
	/* In this order kernels are off before whole graphs are: see ktime_may_have(). */
	for (uint32_t kind = 0; kind < KINDS; kind++)
		library_check(settle(cupti, kind));
	pthread_mutex_unlock(&shared.lock);
}

bool kinds_withdrawn(void)
{
	return is_set(&shared.withdrawn);
}

CUptiResult kinds_record_peer_copies(const struct cupti_functions *cupti)
{
	CUptiResult result;

	pthread_mutex_lock(&shared.lock);
	shared.several_devices = true;
	result = settle(cupti, CUPTI_ACTIVITY_KIND_MEMCPY2);
	pthread_mutex_unlock(&shared.lock);
	return result;
}

/* The unified memory counters are of the whole process, for which CUPTI expects device 0. */
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

	if (!cupti->cuptiActivityConfigureUnifiedMemoryCounter)
		return CUPTI_ERROR_NOT_SUPPORTED;
	for (unsigned i = 0; i < COUNT; i++)
		configuration[i] = (CUpti_ActivityUnifiedMemoryCounterConfig){
			.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
			.kind = wanted[i],
			.enable = 1,
		};
	result = cupti->cuptiActivityConfigureUnifiedMemoryCounter(configuration, COUNT);
	if (result)
		return result;
	return kinds_enable(cupti, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

bool kinds_of_ktime(CUpti_ActivityKind kind)
{
	bool wanted;

	if (!in_range(kind))
		return false;
	pthread_mutex_lock(&shared.lock);
	wanted = kinds[kind].ktime;
	pthread_mutex_unlock(&shared.lock);
	return wanted;
}

static void set_program(const struct cupti_functions *cupti, uint32_t kind, bool wanted)
{
	struct kind *state = &kinds[kind];
	uint64_t now = 0;

	if (is_set(&state->program) == wanted)
		return;
	cupti->cuptiGetTimestamp(&now);
	if (wanted) {
		store_relaxed(&state->begin, now);
		set(&state->ever, true);
		set(&shared.program_ever, true);
		add_relaxed(&shared.program_count, 1);
	} else {
		store_relaxed(&state->end, now);
		set(&state->flushed, false);
		atomic_fetch_sub_explicit(&shared.program_count, 1, memory_order_relaxed);
	}
	set(&state->program, wanted);
}

CUptiResult kinds_program_enable(const struct cupti_functions *cupti, CUpti_ActivityKind kind,
				 CUptiResult (*enable)(CUpti_ActivityKind))
{
	CUptiResult result = CUPTI_SUCCESS;

	if (!in_range(kind))
		return enable(kind);
	pthread_mutex_lock(&shared.lock);
	set_program(cupti, kind, true);
	settle_exclusive(cupti);
	/* The runtime kind is enabled again, which undoes skip_calls(). */
	if (!kinds[kind].enabled || kind == CUPTI_ACTIVITY_KIND_RUNTIME ||
	    enable != cupti->cuptiActivityEnable)
		result = enable(kind);
	if (result) {
		set_program(cupti, kind, false);
		settle_exclusive(cupti);
	} else {
		kinds[kind].enabled = true;
	}
	pthread_mutex_unlock(&shared.lock);
	return result;
}

CUptiResult kinds_program_disable(const struct cupti_functions *cupti, CUpti_ActivityKind kind)
{
	CUptiResult result;

	if (!in_range(kind))
		return cupti->cuptiActivityDisable(kind);
	pthread_mutex_lock(&shared.lock);
	set_program(cupti, kind, false);
	/* CUPTI has its own error for disabling what is not enabled. */
	if (kinds[kind].enabled)
		result = settle(cupti, kind);
	else
		result = cupti->cuptiActivityDisable(kind);
	settle_exclusive(cupti);
	pthread_mutex_unlock(&shared.lock);
	return result;
}

void kinds_program_noted(const struct cupti_functions *cupti, CUpti_ActivityKind kind)
{
	if (!in_range(kind))
		return;
	pthread_mutex_lock(&shared.lock);
	set_program(cupti, kind, true);
	pthread_mutex_unlock(&shared.lock);
}

void kinds_program_flushed(void)
{
	for (unsigned kind = 0; kind < KINDS; kind++)
		set(&kinds[kind].flushed, true);
}

bool kinds_program_any(void)
{
	return load_relaxed(&shared.program_count) != 0;
}

bool kinds_program_ever(void)
{
	return is_set(&shared.program_ever);
}

bool kinds_program_wants(const struct activity *activity)
{
	const struct kind *state;
	uint64_t start = activity->start;

	if (!in_range(activity->cupti_kind))
		return kinds_program_any();
	state = &kinds[activity->cupti_kind];
	if (!is_set(&state->read))
		return is_set(&state->ever) || kinds_program_any();
	if (!is_set(&state->ever))
		return false;
	if (start == 0)
		return is_set(&state->program) || !is_set(&state->flushed);
	if (start + CLOCK_SLACK < load_relaxed(&state->begin))
		return false;
	return is_set(&state->program) ||
	       start <= load_relaxed(&state->end) +
				(is_set(&state->flushed) ? CLOCK_SLACK : START_DELAY);
}

bool kinds_ktime_wants(const struct activity *activity)
{
	uint32_t kind = activity->cupti_kind;

	if (!in_range(kind))
		return true;
	if (activity->kind == ACTIVITY_RUNTIME_API && activity->callback < CALLBACKS &&
	    is_set(&shared.skipped[activity->callback]))
		return false;
	/* The program's kernel kind in place of ktime's records the same work. */
	if (is_kernel(kind) || kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE)
		return is_set(&kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL].read) ||
		       is_set(&kinds[CUPTI_ACTIVITY_KIND_KERNEL].read);
	return is_set(&kinds[kind].read) || !is_set(&kinds[kind].ever);
}

static void forget_program(void)
{
	store_relaxed(&shared.program_count, 0);
	set(&shared.program_ever, false);
}

void kinds_clear(void)
{
	pthread_mutex_lock(&shared.lock);
	for (unsigned kind = 0; kind < KINDS; kind++) {
		kinds[kind].ktime = kinds[kind].enabled = false;
		set(&kinds[kind].program, false);
	}
	forget_program();
	pthread_mutex_unlock(&shared.lock);
}

void kinds_reset(void)
{
	pthread_mutex_init(&shared.lock, NULL);
	memset(kinds, 0, sizeof(kinds));
	memset(shared.kernels_paused, 0, sizeof(shared.kernels_paused));
	shared.several_devices = false;
	set(&shared.ever_paused, false);
	set(&shared.withdrawn, false);
	forget_program();
}
