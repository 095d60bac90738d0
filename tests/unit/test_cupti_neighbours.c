/* SPDX-License-Identifier: MIT */
/*
 * A program that uses CUPTI's activity interface itself, beside ktime: the test is the program, and
 * its calls are ktime's exported ones, as under LD_PRELOAD.
 */
#include <pthread.h>

#include "cupti/activity.h"
#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "cupti/library.h"
#include "preload/hooks/cupti_symbols.h"
#include "tests/unit/cupti_in_child.h"
#include "tests/unit/test.h"

#define KERNEL	    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
#define CUDA_LAUNCH 211
#define CUDA_MALLOC 20
/* Two moments of CUPTI's clock that are plainly after one another, ns. */
#define SECOND	    1000000000ull

static const struct cupti_settings settings = {.graph_nodes = true, .runtime_api = true};

/* What the program got. */
static struct {
	_Alignas(8) uint8_t memory[64][2048];
	unsigned requests, completed, records;
	unsigned kinds[CUPTI_ACTIVITY_KIND_COUNT];
	unsigned launches;
	bool declines;
	const struct cupti_functions *library;
} program;

static void requested(uint8_t **buffer, size_t *size, size_t *most_records)
{
	*buffer = program.declines ? NULL : program.memory[program.requests++];
	*size = sizeof(program.memory[0]);
	*most_records = 0;
}

static void completed(CUcontext context, uint32_t stream_id, uint8_t *buffer, size_t size,
		      size_t valid)
{
	CUpti_Activity *record = NULL;

	(void)context;
	(void)stream_id;
	assert_int_equal(size, sizeof(program.memory[0]));
	assert_true(valid <= size);
	program.completed++;
	while (!program.library->cuptiActivityGetNextRecord(buffer, valid, &record)) {
		program.records++;
		program.kinds[record->kind]++;
		if (record->kind == CUPTI_ACTIVITY_KIND_RUNTIME)
			program.launches += ((CUpti_ActivityAPI *)record)->cbid == CUDA_LAUNCH;
	}
}

static struct sim_cupti *load(void)
{
	struct sim_cupti *cupti = load_cupti();

	program.library = library_functions();
	return cupti;
}

static void start_ktime(void)
{
	char reason[512];

	assert_int_equal(cupti_start(&settings, reason, sizeof(reason)), 0);
}

static void start_program(void)
{
	assert_int_equal(cuptiActivityRegisterCallbacks(requested, completed), CUPTI_SUCCESS);
	assert_int_equal(cuptiActivityEnable(KERNEL), CUPTI_SUCCESS);
}

static void record_kernels(struct sim_cupti *cupti, unsigned count)
{
	CUpti_ActivityKernel10 kernel = {.kind = KERNEL, .start = cupti_now, .end = cupti_now + 10};

	for (; count > 0; count--)
		cupti->record(&kernel, sizeof(kernel));
}

static void record_call(struct sim_cupti *cupti, uint32_t callback)
{
	CUpti_ActivityAPI call = {.kind = CUPTI_ACTIVITY_KIND_RUNTIME,
				  .cbid = callback,
				  .start = cupti_now,
				  .end = cupti_now + 10};

	if (!cupti->calls_off[1][callback])
		cupti->record(&call, sizeof(call));
}

static void count_record(const struct activity *activity, void *argument)
{
	(void)activity;
	++*(unsigned *)argument;
}

/* How many records ktime has. */
static unsigned drain(void)
{
	unsigned count = 0;

	assert_int_equal(cupti_flush(false), 0);
	cupti_drain(NULL, count_record, &count);
	return count;
}

CHILD_TEST(calls_answer_not_initialized_without_libcupti)
{
	size_t dropped;
	uint64_t now;

	assert_int_equal(cuptiActivityRegisterCallbacks(requested, completed),
			 CUPTI_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuptiActivityEnable(KERNEL), CUPTI_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuptiActivityDisable(KERNEL), CUPTI_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuptiActivityFlushAll(0), CUPTI_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped),
			 CUPTI_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuptiActivityRegisterTimestampCallback(NULL), CUPTI_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuptiGetTimestamp(&now), CUPTI_ERROR_NOT_INITIALIZED);
	assert_int_equal(cuptiFinalize(), CUPTI_ERROR_NOT_INITIALIZED);
}

CHILD_TEST(a_program_alone_has_cupti_to_itself)
{
	struct sim_cupti *cupti = load();

	start_program();
	assert_ptr_equal(cupti->requested, requested);
	assert_ptr_equal(cupti->completed, completed);
	assert_true(cupti->kinds[KERNEL]);
	record_kernels(cupti, 3);
	assert_int_equal(cuptiActivityFlushAll(1), CUPTI_SUCCESS);
	assert_int_equal(cupti->forced_flushes, 1);
	assert_int_equal(program.records, 3);
	assert_int_equal(cuptiActivityDisable(KERNEL), CUPTI_SUCCESS);
	assert_false(cupti->kinds[KERNEL]);
}

CHILD_TEST(both_have_every_record_where_the_program_comes_second)
{
	struct sim_cupti *cupti = load();

	start_ktime();
	record_kernels(cupti, 5);
	cupti_now += SECOND;
	start_program();
	assert_int_equal(program.requests, 1); /* as CUPTI would at the first record */
	record_kernels(cupti, 100);
	assert_int_equal(cuptiActivityDisable(KERNEL), CUPTI_SUCCESS);
	assert_int_equal(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
	assert_int_equal(program.records, 100);
	assert_int_equal(program.completed, program.requests);

	assert_true(cupti->kinds[KERNEL]);
	cupti_now += SECOND;
	record_kernels(cupti, 7);
	assert_int_equal(drain(), 5 + 100 + 7);
	assert_int_equal(program.records, 100);
	assert_int_equal(program.completed, program.requests);
}

CHILD_TEST(both_have_every_record_where_the_program_was_first)
{
	struct sim_cupti *cupti = load();

	start_program();
	record_kernels(cupti, 3); /* in a buffer of the program's, which ktime meets later */
	start_ktime();
	assert_ptr_not_equal(cupti->requested, requested);
	record_kernels(cupti, 2);
	record_call(cupti, CUDA_MALLOC);
	complete_buffers();
	assert_int_equal(program.completed, 1);
	assert_int_equal(program.records, 5);
	assert_int_equal(program.kinds[CUPTI_ACTIVITY_KIND_RUNTIME], 0);
	record_kernels(cupti, 4);
	cuptiActivityFlushAll(0);
	assert_int_equal(program.records, 9);
	assert_int_equal(drain(), 10);
}

CHILD_TEST(the_program_gets_no_record_that_it_did_not_ask_for)
{
	struct sim_cupti *cupti = load();
	CUpti_ActivitySynchronization synchronization = {
		.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION};

	start_ktime();
	start_program();
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
	record_kernels(cupti, 1);
	record_call(cupti, CUDA_MALLOC);
	cupti->record(&synchronization, sizeof(synchronization));
	cuptiActivityFlushAll(0);
	assert_int_equal(program.records, 2);
	assert_int_equal(program.kinds[KERNEL], 1);
	assert_int_equal(program.kinds[CUPTI_ACTIVITY_KIND_SYNCHRONIZATION], 1);
	/* Nor does ktime. */
	assert_int_equal(drain(), 2);
}

CHILD_TEST(the_program_sees_the_launches_that_ktime_leaves_out)
{
	struct sim_cupti *cupti = load();

	start_ktime();
	start_program();
	record_call(cupti, CUDA_LAUNCH);
	assert_int_equal(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME), CUPTI_SUCCESS);
	assert_false(cupti->calls_off[1][CUDA_LAUNCH]);
	record_call(cupti, CUDA_LAUNCH);
	record_call(cupti, CUDA_MALLOC);
	cuptiActivityDisable(CUPTI_ACTIVITY_KIND_RUNTIME);
	cuptiActivityFlushAll(0);
	assert_int_equal(program.launches, 1);
	assert_int_equal(program.records, 2);

	/* After that ktime pays for none again. */
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_RUNTIME]);
	assert_true(cupti->calls_off[1][CUDA_LAUNCH]);
	assert_int_equal(drain(), 1);
}

CHILD_TEST(the_programs_buffers_are_filled_before_another_is_requested)
{
	struct sim_cupti *cupti = load();
	unsigned in_buffer = sizeof(program.memory[0]) / sizeof(CUpti_ActivityKernel10);

	start_ktime();
	start_program();
	/* ktime's own flushes hand the program nothing yet: CUPTI would not have. */
	record_kernels(cupti, in_buffer);
	assert_int_equal(drain(), in_buffer);
	assert_int_equal(program.completed, 0);
	record_kernels(cupti, 1);
	assert_int_equal(drain(), 1);
	assert_int_equal(program.completed, 1);
	assert_int_equal(program.requests, 2);
	assert_int_equal(program.records, in_buffer);
	cuptiActivityFlushAll(0);
	assert_int_equal(program.records, in_buffer + 1);
}

CHILD_TEST(a_program_that_declines_buffers_loses_only_its_own_records)
{
	struct sim_cupti *cupti = load();

	program.declines = true;
	start_ktime();
	start_program();
	record_kernels(cupti, 10);
	cuptiActivityFlushAll(0);
	assert_int_equal(program.completed, 0);
	assert_int_equal(drain(), 10);
}

CHILD_TEST(the_serialising_kernel_kind_takes_the_place_of_ktimes)
{
	struct sim_cupti *cupti = load();
	CUpti_ActivityKernel10 kernel = {
		.kind = CUPTI_ACTIVITY_KIND_KERNEL, .start = cupti_now, .end = cupti_now + 10};

	start_ktime();
	cuptiActivityRegisterCallbacks(requested, completed);
	assert_int_equal(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL), CUPTI_SUCCESS);
	assert_false(cupti->kinds[KERNEL]);
	cupti->record(&kernel, sizeof(kernel));
	cuptiActivityFlushAll(0);
	assert_int_equal(program.kinds[CUPTI_ACTIVITY_KIND_KERNEL], 1);
	assert_int_equal(drain(), 1);
	cuptiActivityDisable(CUPTI_ACTIVITY_KIND_KERNEL);
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_KERNEL]);
	assert_true(cupti->kinds[KERNEL]);
}

/* What CUPTI answered stands, whoever asked first. */
CHILD_TEST(a_kind_that_cupti_refuses_is_on_for_no_one)
{
	struct sim_cupti *cupti = load();

	cupti->refused_kind = CUPTI_ACTIVITY_KIND_MEMCPY;
	start_ktime();
	assert_false(kinds_of_ktime(CUPTI_ACTIVITY_KIND_MEMCPY));
	assert_int_equal(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_ERROR_INVALID_KIND);
	assert_false(kinds_program_any());
	cupti->refused_kind = 0;
	assert_int_equal(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_SUCCESS);
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_MEMCPY]);
	assert_int_equal(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY), CUPTI_SUCCESS);
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_MEMCPY]);
}

CHILD_TEST(a_program_that_wants_nodes_has_them_from_whole_graphs)
{
	const struct cupti_settings whole = {.graph_nodes = false};
	struct sim_cupti *cupti = load();
	char reason[512];

	assert_int_equal(cupti_start(&whole, reason, sizeof(reason)), 0);
	assert_true(cupti->kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE]);
	start_program();
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE]);
	/* Nor are they turned on again: see ktime_may_have. */
	cuptiActivityDisable(KERNEL);
	assert_false(cupti->kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE]);
}

CHILD_TEST(kinds_set_for_a_context_stay_on_for_ktime)
{
	struct sim_cupti *cupti = load();

	start_ktime();
	cuptiActivityRegisterCallbacks(requested, completed);
	assert_int_equal(cuptiActivityEnableContext((CUcontext)1, KERNEL), CUPTI_SUCCESS);
	record_kernels(cupti, 2);
	assert_int_equal(cuptiActivityDisableContext((CUcontext)1, KERNEL), CUPTI_SUCCESS);
	assert_true(cupti->kinds[KERNEL]);
	cuptiActivityFlushAll(0);
	assert_int_equal(program.records, 2);
}

CHILD_TEST(drops_that_ktime_asked_about_are_told_to_the_program_too)
{
	struct sim_cupti *cupti = load();
	size_t dropped = 0;

	start_ktime();
	start_program();
	cupti->dropped = 5;
	assert_int_equal(cupti_dropped(), 5);
	cupti->dropped = 2;
	assert_int_equal(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped), CUPTI_SUCCESS);
	assert_int_equal(dropped, 7);
	assert_int_equal(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped), CUPTI_SUCCESS);
	assert_int_equal(dropped, 0);
}

CHILD_TEST(finalize_hands_over_what_there_is_and_ends_the_collection)
{
	struct sim_cupti *cupti = load();

	start_ktime();
	start_program();
	record_kernels(cupti, 3);
	complete_buffers();
	assert_int_equal(cuptiFinalize(), CUPTI_SUCCESS);
	assert_int_equal(cupti->finalized, 1);
	assert_int_equal(cupti->zeroed, 0);
	assert_int_equal(program.records, 3);
	assert_false(cupti_active());
	assert_true(cupti_ended());

	/* The program may begin anew; it has CUPTI to itself now. */
	start_program();
	assert_ptr_equal(cupti->requested, requested);
}

static void set_version(const char *version)
{
	setenv("SIM_CUPTI_VERSION", version, 1);
}

CHILD_TEST(ktime_leaves_cupti_to_a_v2_subscriber)
{
	CUpti_SubscriberHandle subscriber;
	struct sim_cupti *cupti;

	set_version("130200");
	cupti = load();
	cuptiActivityRegisterCallbacks(requested, completed);
	start_ktime();
	record_kernels(cupti, 3);
	assert_int_equal(cuptiSubscribe_v2(&subscriber, NULL, NULL, NULL), CUPTI_SUCCESS);
	for (unsigned kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
		assert_false(cupti->kinds[kind]);
	assert_true(cupti_ended());
	/* What had been recorded has reached ktime, and the program's callbacks are there again. */
	assert_true(buffers_queued() > 0);
	assert_ptr_equal(cupti->requested, requested);
	assert_ptr_equal(cupti->completed, completed);
	assert_int_equal(cupti->zeroed, 0);
	assert_int_equal(program.completed, 0);
	assert_int_equal(library_errors(), 0);
}

CHILD_TEST(ktime_does_not_start_cupti_after_a_v2_subscription)
{
	CUpti_SubscriberHandle subscriber;
	struct sim_cupti *cupti;
	char reason[512];

	set_version("130200");
	cupti = load();
	assert_int_equal(cuptiSubscribe_v2(&subscriber, NULL, NULL, NULL), CUPTI_SUCCESS);
	assert_int_equal(cupti_start(&settings, reason, sizeof(reason)), -EBUSY);
	assert_non_null(strstr(reason, "cuptiSubscribe_v2"));
	assert_null(cupti->requested);
	assert_false(cupti_ended());
}

static pthread_t other_thread;

static void *subscribe_on_thread(void *unused)
{
	CUpti_SubscriberHandle subscriber;

	(void)unused;
	assert_int_equal(cuptiSubscribe_v2(&subscriber, NULL, NULL, NULL), CUPTI_SUCCESS);
	return NULL;
}

static void let_other_thread_subscribe(void)
{
	static bool done;

	if (!done)
		assert_int_equal(pthread_create(&other_thread, NULL, subscribe_on_thread, NULL), 0);
	done = true;
}

CHILD_TEST(a_v2_subscription_while_ktime_starts_cupti_leaves_no_kind_on)
{
	struct sim_cupti *cupti;
	char reason[512];

	set_version("130200");
	cupti = load();
	cupti->enabling = let_other_thread_subscribe;
	cupti_start(&settings, reason, sizeof(reason));
	pthread_join(other_thread, NULL);
	for (unsigned kind = 0; kind < CUPTI_ACTIVITY_KIND_COUNT; kind++)
		assert_false(cupti->kinds[kind]);
	assert_false(cupti_active());
}

CHILD_TEST(a_v2_subscriber_that_records_nothing_of_its_own_leaves_cupti_to_ktime)
{
	CUpti_SubscriberHandle subscriber;

	set_version("130100");
	load();
	start_ktime();
	assert_int_equal(cuptiSubscribe_v2(&subscriber, NULL, NULL, NULL), CUPTI_SUCCESS);
	assert_true(cupti_active());
}

CHILD_TEST(looked_up_functions_are_replaced_only_for_the_same_library)
{
	void *real;

	load();
	real = (void *)program.library->cuptiActivityEnable;
	assert_ptr_equal(cupti_symbol_replacement("cuptiActivityEnable", real),
			 cuptiActivityEnable);
	assert_null(cupti_symbol_replacement("cuptiActivityEnable", (void *)&program));
	assert_null(cupti_symbol_replacement("cuptiActivityEnable", NULL));
	assert_null(cupti_symbol_replacement("cuptiSubscribe", real));
}
