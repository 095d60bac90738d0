/* SPDX-License-Identifier: MIT */
/* Who has which kind enabled, whose a record is, and what a refusal says, by a CUPTI of the test's
 * own. */
#include "cupti/kinds.h"
#include "cupti/library.h"
#include "tests/unit/test.h"

#define CONCURRENT  CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
#define SERIAL	    CUPTI_ACTIVITY_KIND_KERNEL
#define COPIES	    CUPTI_ACTIVITY_KIND_MEMCPY
#define GRAPHS	    CUPTI_ACTIVITY_KIND_GRAPH_TRACE
#define PEER_COPIES CUPTI_ACTIVITY_KIND_MEMCPY2
#define RUNTIME	    CUPTI_ACTIVITY_KIND_RUNTIME
#define KINDS	    64 /* see kinds.c */
#define CALLBACKS   2048

/* See kinds.c: for how much later than its disabling a record may still start. */
#define START_DELAY 1000000000ull
#define CLOCK_SLACK 100000ull

static bool enabled[KINDS + 1];
static unsigned calls, skipped[CALLBACKS + 1];
static CUptiResult refusal;
static uint64_t now;

static CUptiResult enable(CUpti_ActivityKind kind)
{
	calls++;
	if (refusal)
		return refusal;
	/* CUPTI's own rule. */
	if ((kind == SERIAL && enabled[CONCURRENT]) || (kind == CONCURRENT && enabled[SERIAL]))
		return CUPTI_ERROR_NOT_COMPATIBLE;
	enabled[kind] = true;
	return CUPTI_SUCCESS;
}

static CUptiResult disable(CUpti_ActivityKind kind)
{
	calls++;
	if (refusal)
		return refusal;
	enabled[kind] = false;
	return CUPTI_SUCCESS;
}

static CUptiResult timestamp(uint64_t *time)
{
	*time = now;
	return CUPTI_SUCCESS;
}

static CUptiResult enable_runtime(CUpti_CallbackId callback, uint8_t on)
{
	assert_int_equal(on, 0);
	skipped[callback]++;
	return CUPTI_SUCCESS;
}

static CUptiResult callback_name(CUpti_CallbackDomain domain, uint32_t callback, const char **name)
{
	assert_int_equal(domain, CUPTI_CB_DOMAIN_RUNTIME_API);
	*name = callback == 211	  ? "cudaLaunchKernel_v7000"
		: callback == 450 ? "cudaMemPrefetchAsync_v2_ptsz_v12020"
				  : "cudaMalloc_v3020";
	return callback < 523 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

static unsigned counters;

static CUptiResult configure(CUpti_ActivityUnifiedMemoryCounterConfig *config, uint32_t count)
{
	counters = 0;
	for (uint32_t i = 0; i < count; i++)
		counters |= config[i].enable << config[i].kind;
	return refusal;
}

static CUptiResult result_string(CUptiResult result, const char **text)
{
	*text = result == CUPTI_ERROR_UNKNOWN ? NULL : "THE_NAME";
	return result == CUPTI_ERROR_HARDWARE ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

static struct cupti_functions cupti = {
	.cuptiActivityEnable = enable,
	.cuptiActivityDisable = disable,
	.cuptiGetTimestamp = timestamp,
	.cuptiActivityEnableRuntimeApi = enable_runtime,
	.cuptiActivityConfigureUnifiedMemoryCounter = configure,
	.cuptiGetResultString = result_string,
	.cuptiGetCallbackName = callback_name,
};

BEFORE_EACH
{
	kinds_reset();
	memset(enabled, 0, sizeof(enabled));
	memset(skipped, 0, sizeof(skipped));
	calls = counters = 0;
	refusal = CUPTI_SUCCESS;
	now = 5 * START_DELAY;
	cupti.cuptiActivityEnableRuntimeApi = enable_runtime;
}

static bool program_wants(uint32_t kind, uint64_t when)
{
	return kinds_program_wants(&(struct activity){.cupti_kind = kind, .start = when});
}

static bool ktime_wants(uint32_t kind)
{
	return kinds_ktime_wants(&(struct activity){.cupti_kind = kind});
}

TEST(a_kind_is_enabled_once_for_both)
{
	assert_int_equal(kinds_enable(&cupti, COPIES), CUPTI_SUCCESS);
	assert_true(enabled[COPIES] && kinds_of_ktime(COPIES));
	assert_int_equal(kinds_enable(&cupti, COPIES), CUPTI_SUCCESS);
	assert_int_equal(calls, 1);
	assert_false(kinds_program_any());
	assert_int_equal(kinds_program_enable(&cupti, COPIES, enable), CUPTI_SUCCESS);
	assert_int_equal(calls, 1);
	assert_true(kinds_program_any() && kinds_program_ever() && !kinds_program_has_kernels());
	assert_int_equal(kinds_program_disable(&cupti, COPIES), CUPTI_SUCCESS);
	assert_true(enabled[COPIES]);
	assert_false(kinds_program_any());
	assert_true(kinds_program_ever());
	/* CUPTI has its own answer for what is not enabled. */
	assert_int_equal(kinds_program_disable(&cupti, GRAPHS), CUPTI_SUCCESS);
	assert_int_equal(calls, 2);
	kinds_clear();
	assert_false(kinds_of_ktime(COPIES) || kinds_program_ever());
	/* Late records of ktime's are read. */
	assert_true(ktime_wants(COPIES));
}

TEST(what_cupti_refuses_is_not_enabled)
{
	refusal = CUPTI_ERROR_INVALID_KIND;
	assert_int_equal(kinds_enable(&cupti, COPIES), CUPTI_ERROR_INVALID_KIND);
	assert_false(kinds_of_ktime(COPIES));
	assert_int_equal(kinds_program_enable(&cupti, COPIES, enable), CUPTI_ERROR_INVALID_KIND);
	assert_false(kinds_program_any());
	refusal = CUPTI_SUCCESS;
	assert_int_equal(kinds_program_enable(&cupti, COPIES, enable), CUPTI_SUCCESS);
	assert_true(enabled[COPIES]);
	/* One more than there are. */
	calls = 0;
	assert_int_equal(kinds_enable(&cupti, KINDS), CUPTI_ERROR_INVALID_KIND);
	assert_int_equal(calls, 0);
	assert_false(kinds_of_ktime(KINDS));
	assert_int_equal(kinds_program_enable(&cupti, KINDS, enable), CUPTI_SUCCESS);
	assert_int_equal(kinds_program_disable(&cupti, KINDS), CUPTI_SUCCESS);
	kinds_program_noted(&cupti, KINDS);
	assert_int_equal(calls, 2);
	assert_true(program_wants(KINDS, now) && ktime_wants(KINDS));
	kinds_program_disable(&cupti, COPIES);
	assert_false(program_wants(KINDS, now));
}

TEST(the_programs_kernel_kind_takes_the_place_of_ktimes)
{
	kinds_enable(&cupti, CONCURRENT);
	kinds_enable(&cupti, GRAPHS);
	assert_int_equal(kinds_program_enable(&cupti, SERIAL, enable), CUPTI_SUCCESS);
	assert_true(enabled[SERIAL] && !enabled[CONCURRENT] && !enabled[GRAPHS]);
	assert_true(ktime_wants(SERIAL) && ktime_wants(CONCURRENT) && ktime_wants(GRAPHS));
	assert_true(program_wants(SERIAL, now));
	assert_false(program_wants(CONCURRENT, now));
	assert_int_equal(kinds_program_disable(&cupti, SERIAL), CUPTI_SUCCESS);
	/* Whole graphs are not turned on again. */
	assert_true(!enabled[SERIAL] && enabled[CONCURRENT] && !enabled[GRAPHS]);
	/* The same kind as ktime's stays; graphs are then recorded node by node. */
	assert_int_equal(kinds_program_enable(&cupti, CONCURRENT, enable), CUPTI_SUCCESS);
	assert_true(enabled[CONCURRENT] && !enabled[GRAPHS]);
	kinds_program_disable(&cupti, CONCURRENT);
	assert_true(enabled[CONCURRENT] && !enabled[GRAPHS]);
}

TEST(kernels_are_paused_and_other_kinds_go_on)
{
	static const uint32_t others[] = {COPIES, CUPTI_ACTIVITY_KIND_MEMCPY2,
					  CUPTI_ACTIVITY_KIND_MEMSET, GRAPHS};

	kinds_record_peer_copies(&cupti);
	for (unsigned i = 0; i < 4; i++)
		kinds_enable(&cupti, others[i]);
	kinds_enable(&cupti, CONCURRENT);
	kinds_pause(&cupti, PAUSE_BETWEEN_WINDOWS, true);
	assert_false(enabled[CONCURRENT]);
	for (unsigned i = 0; i < 4; i++)
		assert_true(enabled[others[i]]);
	/* What the program wants is recorded all the same. */
	kinds_program_enable(&cupti, CONCURRENT, enable);
	assert_true(enabled[CONCURRENT]);
	assert_true(kinds_program_has_kernels());
	kinds_program_disable(&cupti, CONCURRENT);
	assert_false(enabled[CONCURRENT]);
	kinds_pause(&cupti, PAUSE_BETWEEN_WINDOWS, false);
	assert_true(enabled[CONCURRENT]);
}

TEST(peer_copies_are_recorded_from_the_second_device_on)
{
	assert_int_equal(kinds_enable(&cupti, PEER_COPIES), CUPTI_SUCCESS);
	assert_true(kinds_of_ktime(PEER_COPIES) && !enabled[PEER_COPIES]);
	assert_int_equal(calls, 0);
	kinds_record_peer_copies(&cupti);
	kinds_record_peer_copies(&cupti);
	assert_true(enabled[PEER_COPIES]);
	assert_int_equal(calls, 1);
}

TEST(what_cupti_refuses_is_told_and_tried_again)
{
	kinds_enable(&cupti, CONCURRENT);
	kinds_enable(&cupti, PEER_COPIES);
	refusal = CUPTI_ERROR_UNKNOWN;
	assert_int_equal(kinds_record_peer_copies(&cupti), CUPTI_ERROR_UNKNOWN);
	assert_int_equal(kinds_pause(&cupti, PAUSE_BETWEEN_WINDOWS, true), CUPTI_ERROR_UNKNOWN);
	assert_true(enabled[CONCURRENT]);
	refusal = CUPTI_SUCCESS;
	assert_int_equal(kinds_pause(&cupti, PAUSE_BETWEEN_WINDOWS, true), CUPTI_SUCCESS);
	assert_false(enabled[CONCURRENT]);
	refusal = CUPTI_ERROR_UNKNOWN;
	assert_int_equal(kinds_pause(&cupti, PAUSE_BETWEEN_WINDOWS, false), CUPTI_ERROR_UNKNOWN);
	refusal = CUPTI_SUCCESS;
	assert_int_equal(kinds_pause(&cupti, PAUSE_BETWEEN_WINDOWS, false), CUPTI_SUCCESS);
	assert_true(enabled[CONCURRENT]);
}

TEST(a_second_device_before_cupti_is_remembered)
{
	kinds_record_peer_copies(&cupti);
	assert_int_equal(calls, 0);
	assert_int_equal(kinds_enable(&cupti, PEER_COPIES), CUPTI_SUCCESS);
	assert_true(enabled[PEER_COPIES]);
}

TEST(the_programs_peer_copies_are_recorded_on_one_device)
{
	kinds_enable(&cupti, PEER_COPIES);
	assert_int_equal(kinds_program_enable(&cupti, PEER_COPIES, enable), CUPTI_SUCCESS);
	assert_true(enabled[PEER_COPIES]);
	assert_int_equal(kinds_program_disable(&cupti, PEER_COPIES), CUPTI_SUCCESS);
	assert_false(enabled[PEER_COPIES]);
}

TEST(kernels_that_two_have_stopped_go_on_with_the_second)
{
	kinds_enable(&cupti, CONCURRENT);
	kinds_pause(&cupti, PAUSE_BETWEEN_WINDOWS, true);
	kinds_pause(&cupti, PAUSE_FOR_COUNTERS, true);
	kinds_pause(&cupti, PAUSE_BETWEEN_WINDOWS, false);
	assert_false(enabled[CONCURRENT]);
	kinds_pause(&cupti, PAUSE_FOR_COUNTERS, false);
	assert_true(enabled[CONCURRENT]);
	assert_int_equal(calls, 1 + 1 + 1);
}

TEST(a_record_is_the_programs_by_its_time)
{
	const uint64_t begin = now;

	kinds_enable(&cupti, COPIES);
	assert_false(program_wants(COPIES, now) || program_wants(COPIES, 0));
	kinds_program_noted(&cupti, COPIES);
	assert_true(program_wants(COPIES, begin - CLOCK_SLACK));
	assert_false(program_wants(COPIES, begin - CLOCK_SLACK - 1));
	assert_true(program_wants(COPIES, begin + 10 * START_DELAY));
	assert_true(program_wants(COPIES, 0));
	now += 1000;
	kinds_program_disable(&cupti, COPIES);
	assert_true(program_wants(COPIES, now + START_DELAY));
	assert_false(program_wants(COPIES, now + START_DELAY + 1));
	assert_true(program_wants(COPIES, 0));
	kinds_program_flushed();
	assert_true(program_wants(COPIES, now + CLOCK_SLACK));
	assert_false(program_wants(COPIES, now + CLOCK_SLACK + 1));
	assert_false(program_wants(COPIES, 0));
	/* Of a kind that ktime does not read all are the program's, once it has had one. */
	assert_false(program_wants(RUNTIME, 1));
	kinds_program_enable(&cupti, CUPTI_ACTIVITY_KIND_MEMSET, enable);
	assert_true(program_wants(RUNTIME, 1));
	kinds_program_disable(&cupti, CUPTI_ACTIVITY_KIND_MEMSET);
	assert_false(program_wants(RUNTIME, 1));
	assert_true(program_wants(CUPTI_ACTIVITY_KIND_MEMSET, 1));
	assert_true(ktime_wants(RUNTIME));
	assert_false(ktime_wants(CUPTI_ACTIVITY_KIND_MEMSET));
}

TEST(wrapped_runtime_calls_are_not_recorded_for_ktime)
{
	struct activity activity = {.kind = ACTIVITY_RUNTIME_API, .cupti_kind = RUNTIME};

	kinds_skip_call(&cupti, 1234);
	kinds_skip_call(&cupti, CALLBACKS);
	assert_int_equal(skipped[1234], 1);
	assert_int_equal(skipped[CALLBACKS], 0);
	kinds_enable(&cupti, RUNTIME);
	assert_int_equal(skipped[1234], 2);
	/* cudaLaunchKernel, a later version of a function, and a call that is not wrapped. */
	assert_int_equal(skipped[211], 1);
	assert_int_equal(skipped[450], 1);
	assert_int_equal(skipped[1235], 0);
	activity.callback = 211;
	assert_false(kinds_ktime_wants(&activity));
	activity.callback = 1234;
	assert_false(kinds_ktime_wants(&activity));
	activity.callback = 1235;
	assert_true(kinds_ktime_wants(&activity));
	activity.callback = CALLBACKS;
	assert_true(kinds_ktime_wants(&activity));
	/* The program gets all of them. */
	calls = 0;
	kinds_program_enable(&cupti, RUNTIME, enable);
	assert_int_equal(calls, 1);
	kinds_skip_call(&cupti, 1236);
	assert_int_equal(skipped[1236], 0);
	assert_int_equal(skipped[1234], 2);
	/* An older CUPTI cannot leave any out. */
	kinds_program_disable(&cupti, RUNTIME);
	cupti.cuptiActivityEnableRuntimeApi = NULL;
	kinds_skip_call(&cupti, 1237);
	kinds_enable(&cupti, RUNTIME);
}

TEST(unified_memory_has_its_counters)
{
	const unsigned wanted =
		1u << CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD |
		1u << CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH |
		1u << CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT |
		1u << CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT;

	refusal = CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED;
	assert_int_equal(kinds_enable_unified_memory(&cupti), refusal);
	assert_int_equal(calls, 0);
	refusal = CUPTI_SUCCESS;
	assert_int_equal(kinds_enable_unified_memory(&cupti), CUPTI_SUCCESS);
	assert_int_equal(counters, wanted);
	assert_true(enabled[CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER]);
	cupti.cuptiActivityConfigureUnifiedMemoryCounter = NULL;
	assert_int_equal(kinds_enable_unified_memory(&cupti), CUPTI_ERROR_NOT_SUPPORTED);
	cupti.cuptiActivityConfigureUnifiedMemoryCounter = configure;
}

static void says(CUptiResult result, const char *expected)
{
	char reason[256];

	refusal_by_cupti(&cupti, result, reason, sizeof(reason));
	assert_string_equal(reason, expected);
}

TEST(a_refusal_says_what_would_help)
{
	says(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
	     "CUPTI refused: another tool uses CUPTI, as ncu and compute-sanitizer do; run without "
	     "it (THE_NAME, )");
	says(CUPTI_ERROR_NOT_INITIALIZED,
	     "CUPTI refused: it does not match the driver; install CUPTI of the driver's CUDA "
	     "version (THE_NAME, )");
	says(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
	     "CUPTI refused: the driver allows only administrators to profile; ask yours to load "
	     "it with NVreg_RestrictProfilingToAdminUsers=0 (THE_NAME, )");
	says(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
	     "CUPTI refused: the driver allows only administrators to profile; ask yours to load "
	     "it with NVreg_RestrictProfilingToAdminUsers=0 (THE_NAME, )");
	says(CUPTI_ERROR_NOT_SUPPORTED, "CUPTI refused: it cannot be used on this device or with "
					"this program (THE_NAME, )");
	says(CUPTI_ERROR_UNKNOWN, "CUPTI refused: it cannot be used on this device or with this "
				  "program (an unknown error, )");
	says(CUPTI_ERROR_HARDWARE, "CUPTI refused: it cannot be used on this device or with this "
				   "program (an unknown error, )");
}

TEST(another_injection_is_named_and_ktimes_own_is_not)
{
	char reason[256] = "";

	unsetenv("CUDA_INJECTION64_PATH");
	assert_false(refusal_by_environment(reason, sizeof(reason)));
	setenv("CUDA_INJECTION64_PATH", "/a/b/libktime.so", 1);
	assert_false(refusal_by_environment(reason, sizeof(reason)));
	setenv("CUDA_INJECTION64_PATH", "libktime.so", 1);
	assert_false(refusal_by_environment(reason, sizeof(reason)));
	setenv("CUDA_INJECTION64_PATH", "", 1);
	assert_false(refusal_by_environment(reason, sizeof(reason)));
	setenv("CUDA_INJECTION64_PATH", "/a/libktime/libother.so", 1);
	assert_true(refusal_by_environment(reason, sizeof(reason)));
	assert_string_equal(reason, "a profiler is attached (CUDA_INJECTION64_PATH is "
				    "/a/libktime/libother.so)");
	unsetenv("CUDA_INJECTION64_PATH");
}
