/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "cupti/activity.h"
#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "cupti/library.h"
#include "tests/unit/cupti_in_child.h"
#include "tests/unit/test.h"

#define MOST_KERNELS (BUFFERS_TOGETHER / sizeof(CUpti_ActivityKernel10))
#define CUDA_MALLOC  20
#define CUDA_LAUNCH  211

static unsigned wakes;

static void count_wake(void)
{
	wakes++;
}

static const struct cupti_settings all = {
	.graph_nodes = true,
	.runtime_api = true,
	.unified_memory = true,
	.wake = count_wake,
};

static struct sim_cupti *start(const struct cupti_settings *settings)
{
	struct sim_cupti *cupti = load_cupti();
	char reason[512];

	assert_int_equal(cupti_start(settings, reason, sizeof(reason)), 0);
	assert_string_equal(reason, "");
	assert_true(cupti_active());
	return cupti;
}

static void record_kernel(struct sim_cupti *cupti, uint32_t correlation, uint64_t start)
{
	CUpti_ActivityKernel10 kernel = {
		.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		.start = start,
		.end = start + 10,
		.correlationId = correlation,
		.name = "kernel",
	};

	cupti->record(&kernel, sizeof(kernel));
}

static void record_call(struct sim_cupti *cupti, uint32_t callback)
{
	CUpti_ActivityAPI call = {
		.kind = CUPTI_ACTIVITY_KIND_RUNTIME, .cbid = callback, .start = 5, .end = 6};

	cupti->record(&call, sizeof(call));
}

struct seen {
	unsigned count, invalid;
	uint32_t first, last; /* correlation ids */
	bool in_order;
	struct activity activity; /* the last one */
};

static void see(const struct activity *activity, void *argument)
{
	struct seen *seen = argument;

	if (!seen->count++) {
		seen->first = activity->correlation;
		seen->in_order = true;
	} else if (activity->correlation != seen->last + 1) {
		seen->in_order = false;
	}
	seen->last = activity->correlation;
	seen->invalid += !activity->valid;
	seen->activity = *activity;
}

static struct seen drain(void)
{
	struct seen seen = {0};
	size_t count = cupti_drain(NULL, see, &seen);

	assert_int_equal(count, seen.count);
	return seen;
}

CHILD_TEST(start_turns_on_what_was_asked_for_and_no_more)
{
	struct sim_cupti *cupti = start(&all);

	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]);
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_MEMCPY]);
	/* Only once two devices have contexts: the kind makes launches of graphs longer. */
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_MEMCPY2]);
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_MEMSET]);
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_OVERHEAD]);
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_RUNTIME]);
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_KERNEL]);
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE]);
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_DRIVER]);
}

CHILD_TEST(whole_graphs_are_traced_where_nodes_are_not_wanted)
{
	struct cupti_settings settings = {.driver_api = true};
	struct sim_cupti *cupti = start(&settings);

	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]);
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE]);
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_DRIVER]);
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_RUNTIME]);
}

CHILD_TEST(launches_and_copies_are_off_in_the_runtime_kind)
{
	struct sim_cupti *cupti = start(&all);
	size_t i, off = 0;

	for (i = 0; i < CALLS_MAX; i++)
		off += cupti->calls_off[1][i];
	assert_int_equal(off, 94);
	assert_true(cupti->calls_off[1][CUDA_LAUNCH]);
	assert_true(cupti->calls_off[1][41]);  /* cudaMemcpyAsync */
	assert_true(cupti->calls_off[1][504]); /* __cudaLaunchKernel */
	assert_false(cupti->calls_off[1][CUDA_MALLOC]);
	assert_false(cupti->calls_off[1][131]); /* cudaStreamSynchronize */
}

CHILD_TEST(records_come_once_and_in_order)
{
	struct sim_cupti *cupti = start(&all);
	struct seen seen;
	uint32_t i;

	for (i = 1; i <= 20000; i++)
		record_kernel(cupti, i, 1000 + i);
	/* Full buffers come without a flush. */
	seen = drain();
	assert_in_range(seen.count, 1, 19999);
	assert_int_equal(seen.first, 1);
	assert_true(seen.in_order);

	assert_int_equal(cupti_flush(false), 0);
	seen = drain();
	assert_int_equal(seen.last, 20000);
	assert_true(seen.in_order);
	assert_int_equal(seen.activity.kind, ACTIVITY_KERNEL);
	assert_string_equal(seen.activity.name, "kernel");
	assert_int_equal(drain().count, 0);
	assert_int_equal(cupti_dropped(), 0);
	assert_int_equal(cupti->forced_flushes, 0);
}

static struct sim_cupti *filling;
static unsigned buffers, firsts;

/* Stands for threads that launch while the collector reads. */
static void complete_another(bool first)
{
	buffers++;
	firsts += first;
	record_kernel(filling, 4, 1000);
	complete_buffers();
}

CHILD_TEST(a_drain_waits_once_and_takes_what_was_there_when_it_began)
{
	struct seen seen = {0};
	uint32_t i;

	filling = start(&all);
	assert_int_equal(cupti_drain(complete_another, see, &seen), 0);
	assert_int_equal(buffers, 0);
	for (i = 1; i <= 3; i++) {
		record_kernel(filling, i, 1000);
		complete_buffers();
	}
	assert_int_equal(cupti_drain(complete_another, see, &seen), 3);
	assert_int_equal(seen.last, 3);
	assert_int_equal(buffers, 3);
	assert_int_equal(firsts, 1);
	assert_int_equal(drain().count, 3);
}

struct recorded {
	struct sim_cupti *cupti;
	uint32_t correlations[4];
};

static void *record_four(void *argument)
{
	const struct recorded *recorded = argument;

	for (int i = 0; i < 4; i++)
		record_kernel(recorded->cupti, recorded->correlations[i],
			      100 * recorded->correlations[i]);
	complete_buffers();
	return NULL;
}

CHILD_TEST(records_of_several_threads_buffers_come_as_their_work_began)
{
	static const uint32_t order[][4] = {{1, 4, 7, 10}, {2, 5, 8, 11}, {3, 6, 9, 12}};
	struct sim_cupti *cupti = start(&all);
	struct seen seen;

	for (int buffer = 0; buffer < 3; buffer++) {
		struct recorded recorded = {.cupti = cupti};
		pthread_t thread;

		memcpy(recorded.correlations, order[buffer], sizeof(order[buffer]));
		assert_int_equal(pthread_create(&thread, NULL, record_four, &recorded), 0);
		pthread_join(thread, NULL);
	}
	seen = drain();
	assert_int_equal(seen.count, 12);
	assert_int_equal(seen.first, 1);
	assert_true(seen.in_order);
}

/* Of two streams, whose works began at other times. */
CHILD_TEST(records_of_a_threads_buffers_keep_their_order)
{
	struct sim_cupti *cupti = start(&all);
	struct seen seen;

	record_kernel(cupti, 1, 300);
	record_kernel(cupti, 2, 100);
	complete_buffers();
	record_kernel(cupti, 3, 200);
	record_kernel(cupti, 4, 300);
	complete_buffers();
	seen = drain();
	assert_int_equal(seen.count, 4);
	assert_int_equal(seen.first, 1);
	assert_true(seen.in_order);
}

/* Whose calls the records of a buffer are said to be of. */
static uint32_t thread_of_records(bool per_thread, CUptiResult answer, const char *version)
{
	struct sim_cupti *cupti;

	setenv("SIM_CUPTI_VERSION", version, 1);
	cupti = load_cupti();
	cupti->shared_buffers = !per_thread;
	cupti->attribute_answer = answer;
	start(&all);
	record_kernel(cupti, 1, 1000);
	cupti_flush(false);
	return drain().activity.buffer_thread;
}

CHILD_TEST(where_each_thread_has_buffers_its_records_name_it)
{
	assert_int_equal(thread_of_records(1, CUPTI_SUCCESS, "130000"), gettid());
}

CHILD_TEST(where_all_threads_share_buffers_records_name_none)
{
	assert_int_equal(thread_of_records(0, CUPTI_SUCCESS, "130000"), 0);
}

CHILD_TEST(cupti_13_that_does_not_say_has_buffers_by_thread)
{
	assert_int_equal(thread_of_records(0, CUPTI_ERROR_INVALID_PARAMETER, "130000"), gettid());
}

CHILD_TEST(an_older_cupti_that_does_not_say_has_buffers_of_all)
{
	assert_int_equal(thread_of_records(1, CUPTI_ERROR_INVALID_PARAMETER, "28"), 0);
}

CHILD_TEST(records_without_times_are_marked)
{
	struct sim_cupti *cupti = start(&all);
	struct seen seen;

	record_kernel(cupti, 1, 0);
	record_kernel(cupti, 2, 50);
	assert_int_equal(cupti_flush(true), 0);
	assert_int_equal(cupti->forced_flushes, 1);
	seen = drain();
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.invalid, 1);
}

CHILD_TEST(wrapped_calls_that_are_recorded_all_the_same_are_left_out)
{
	struct sim_cupti *cupti = start(&all);
	struct seen seen;

	record_call(cupti, CUDA_LAUNCH);
	record_call(cupti, CUDA_MALLOC);
	cupti_flush(false);
	seen = drain();
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.activity.callback, CUDA_MALLOC);
}

CHILD_TEST(what_waits_wakes_the_collector_then_drops_the_oldest)
{
	struct sim_cupti *cupti = start(&all);
	uint64_t kernels, dropped = 0;
	struct seen seen;

	for (kernels = 0; dropped == 0; dropped = cupti_unread())
		record_kernel(cupti, ++kernels, 1000);
	assert_true(wakes > 0);
	/* No record is split between two buffers. */
	assert_in_range(kernels, MOST_KERNELS * 9 / 10, MOST_KERNELS + 1);
	assert_in_range(dropped, 1, MOST_KERNELS / 8);
	assert_int_equal(cupti_unread(), 0);
	assert_int_equal(cupti_dropped(), 0);
	seen = drain();
	assert_int_equal(seen.first, dropped + 1);
	assert_true(seen.in_order);
	cupti_flush(false);
	seen = drain();
	assert_int_equal(seen.last, kernels);
	assert_int_equal(cupti->dropped, 0);
}

CHILD_TEST(a_buffer_is_all_zeros_each_time_it_is_filled)
{
	struct sim_cupti *cupti = start(&all);

	assert_int_equal(cupti->zeroed, 1);
	/* Those that were read, those that were taken back unread, and one that was not used up. */
	for (uint32_t i = 1; i <= 2 * MOST_KERNELS; i++)
		record_kernel(cupti, i, 1000);
	drain();
	record_kernel(cupti, 1, 1000);
	complete_buffers();
	drain();
	for (uint32_t i = 1; i <= 2 * MOST_KERNELS; i++)
		record_kernel(cupti, i, 1000);
	assert_true(cupti_unread() > 0);
	assert_int_equal(cupti->dirty, 0);
}

CHILD_TEST(a_cupti_that_cannot_be_told_so_fills_buffers_all_the_same)
{
	struct sim_cupti *cupti = load_cupti();

	cupti->attribute_answer = CUPTI_ERROR_INVALID_PARAMETER;
	start(&all);
	assert_int_equal(cupti->zeroed, 0);
	record_kernel(cupti, 1, 1000);
	cupti_flush(false);
	assert_int_equal(drain().count, 1);
	assert_int_equal(library_errors(), 0);
}

CHILD_TEST(drops_in_cupti_are_counted_once)
{
	struct sim_cupti *cupti = start(&all);

	cupti->dropped = 17;
	assert_int_equal(cupti_dropped(), 17);
	assert_int_equal(cupti_dropped(), 0);
}

CHILD_TEST(a_refusal_names_its_reason_and_what_to_do)
{
	struct sim_cupti *cupti = load_cupti();
	char reason[512];

	cupti->answer = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	assert_int_equal(cupti_start(&all, reason, sizeof(reason)), -EIO);
	assert_non_null(strstr(reason, "run without it"));
	assert_non_null(strstr(reason, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
	assert_null(strchr(reason, '\n'));
	assert_false(cupti_active());
	assert_int_equal(cupti_drain(NULL, see, NULL), 0);
	assert_int_equal(cupti_flush(true), 0);
	assert_int_equal(library_errors(), 1);
}

CHILD_TEST(a_kind_that_is_refused_is_named_and_the_rest_goes_on)
{
	struct sim_cupti *cupti = load_cupti();
	char reason[512];

	cupti->refused_kind = CUPTI_ACTIVITY_KIND_MEMSET;
	assert_int_equal(cupti_start(&all, reason, sizeof(reason)), 0);
	assert_string_equal(reason, "CUPTI does not trace memsets");
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]);
}

CHILD_TEST(without_kernels_there_is_no_collection)
{
	struct sim_cupti *cupti = load_cupti();
	char reason[512] = "";

	cupti->refused_kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	assert_int_equal(cupti_start(&all, reason, sizeof(reason)), -EIO);
	assert_string_not_equal(reason, "");
	assert_false(cupti_active());
	assert_false(kinds_of_ktime(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
	for (uint32_t kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
		assert_false(cupti->kinds[kind]);
}

CHILD_TEST(an_injected_profiler_keeps_cupti_to_itself)
{
	struct sim_cupti *cupti = load_cupti();
	char reason[512];

	setenv("CUDA_INJECTION64_PATH", "/opt/nsight/libToolsInjection64.so", 1);
	assert_int_equal(cupti_start(&all, reason, sizeof(reason)), -EBUSY);
	assert_non_null(strstr(reason, "/opt/nsight/libToolsInjection64.so"));
	assert_null(cupti->requested);

	/* ktime's own library may come in by the same way. */
	setenv("CUDA_INJECTION64_PATH", "/opt/ktime/lib/libktime.so", 1);
	assert_int_equal(cupti_start(&all, reason, sizeof(reason)), 0);
}

CHILD_TEST(a_forked_child_never_calls_cupti)
{
	struct sim_cupti *cupti = start(&all);
	uint32_t stream_id;

	record_kernel(cupti, 1, 1000);
	complete_buffers();
	cupti_forget();
	assert_int_equal(drain().count, 0);
	assert_int_equal(cupti_flush(true), 0);
	assert_int_equal(cupti_dropped(), 0);
	assert_int_equal(cupti_stream_id(NULL, NULL, false, &stream_id), -ENOTSUP);
	assert_int_equal(cupti->flushes, 1); /* the test's own */
}

CHILD_TEST(streams_have_the_ids_of_their_records)
{
	uint32_t stream_id;

	assert_int_equal(cupti_stream_id(NULL, NULL, false, &stream_id), -ENOTSUP);
	start(&all);
	assert_int_equal(cupti_stream_id(NULL, NULL, false, &stream_id), 0);
	assert_int_equal(stream_id, 7);
	assert_int_equal(cupti_stream_id(NULL, NULL, true, &stream_id), 0);
	assert_int_equal(stream_id, 8);
	assert_int_equal(cupti_stream_id(NULL, (CUstream)(uintptr_t)UINT32_MAX, false, &stream_id),
			 -EINVAL);
}

CHILD_TEST(graphs_have_the_ids_of_their_records)
{
	uint32_t graph_id = 0;

	assert_int_equal(cupti_graph_id((CUgraphExec)9, &graph_id), -ENOTSUP);
	start(&all);
	assert_int_equal(cupti_graph_id((CUgraphExec)9, &graph_id), 0);
	assert_int_equal(graph_id, 9);
	assert_int_equal(cupti_graph_id(NULL, &graph_id), -EINVAL);
}

CHILD_TEST(calls_have_the_names_that_programmers_write)
{
	static const struct {
		enum activity_kind kind;
		uint32_t callback;
		const char *name;
	} calls[] = {
		{ACTIVITY_RUNTIME_API, CUDA_MALLOC, "cudaMalloc"},
		{ACTIVITY_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000,
		 "cudaMemcpyAsync"},
		{ACTIVITY_RUNTIME_API,
		 CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v2_ptsz_v11030,
		 "cudaStreamGetCaptureInfo"},
		{ACTIVITY_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuD3D9Begin, "cuD3D9Begin"},
		{ACTIVITY_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc"},
		{ACTIVITY_DRIVER_API, 99999, "unknown call"},
		{ACTIVITY_DRIVER_API, UINT32_MAX, "unknown call"},
	};

	load_cupti();
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct activity activity = {.kind = calls[i].kind, .callback = calls[i].callback};

		assert_string_equal(api_call_name(&activity), calls[i].name);
	}
}
