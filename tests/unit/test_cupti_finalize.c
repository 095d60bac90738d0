/* SPDX-License-Identifier: MIT */
/* A program that ends CUPTI while ktime collects: the test is the program, and its collector. */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/kinds.h"
#include "cupti/library.h"
#include "preload/hooks/cupti_symbols.h"
#include "tests/unit/cupti_in_child.h"
#include "tests/unit/test.h"

#define KERNEL CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL

static struct sim_cupti *cupti;

/* The collector, which is woken: here it reads at once. */
static struct {
	unsigned wakes, records, named;
} collector;

static void see_name(const struct activity *activity, void *unused)
{
	(void)unused;
	collector.records++;
	collector.named += activity->name != NULL;
}

static void read_at_once(void)
{
	collector.wakes++;
	cupti_drain(NULL, see_name, NULL);
}

static void start_ktime_with_collector(void)
{
	const struct cupti_settings woken = {.graph_nodes = true, .wake = read_at_once};
	char reason[512];

	assert_int_equal(cupti_start(&woken, reason, sizeof(reason)), 0);
}

static void record_named_kernels(void)
{
	CUpti_ActivityKernel10 kernel = {.kind = KERNEL, .start = 5, .end = 6, .name = "kernel"};

	for (int i = 0; i < 3; i++)
		cupti->record(&kernel, sizeof(kernel));
}

static void complete_records(void)
{
	record_named_kernels();
	complete_buffers();
}

/* The names of kernels are CUPTI's, and may go with it. */
CHILD_TEST(finalize_lets_ktime_read_all_that_has_come_in_before)
{
	cupti = load_cupti();
	start_ktime_with_collector();
	record_named_kernels();
	cupti->dropped = 7;
	assert_int_equal(cuptiFinalize(), CUPTI_SUCCESS);
	assert_int_equal(collector.records, 3);
	assert_int_equal(collector.named, 3);
	assert_true(cupti_ended());
	assert_int_equal(cupti_dropped(), 7);
	assert_int_equal(library_errors(), 0);
}

CHILD_TEST(what_comes_in_while_cupti_ends_is_read_without_names)
{
	cupti = load_cupti();
	start_ktime_with_collector();
	cupti->finalizing = complete_records;
	assert_int_equal(cuptiFinalize(), CUPTI_SUCCESS);
	assert_int_equal(collector.records, 0);
	read_at_once();
	assert_int_equal(collector.records, 3);
	assert_int_equal(collector.named, 0);
}

CHILD_TEST(a_collector_that_has_left_is_not_waited_for)
{
	load_cupti();
	start_ktime_with_collector();
	merge_leave();
	assert_int_equal(cuptiFinalize(), CUPTI_SUCCESS);
	assert_int_equal(collector.wakes, 0);
}

CHILD_TEST(a_finalize_that_fails_leaves_the_collection_as_it_was)
{
	cupti = load_cupti();
	start_ktime_with_collector();
	cupti->answer = CUPTI_ERROR_UNKNOWN;
	assert_int_equal(cuptiFinalize(), CUPTI_ERROR_UNKNOWN);
	cupti->answer = CUPTI_SUCCESS;
	assert_true(cupti_active());
	record_named_kernels();
	cupti_flush(false);
	read_at_once();
	assert_int_equal(collector.named, 3);
}

static sem_t enabling, go_on, finalized;

static void wait_to_go_on(void)
{
	sem_post(&enabling);
	sem_wait(&go_on);
}

static void *enable_copies(void *unused)
{
	(void)unused;
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY);
	return NULL;
}

static void *finalize(void *unused)
{
	(void)unused;
	cuptiFinalize();
	sem_post(&finalized);
	return NULL;
}

/* The other thread holds what both change; what it does is done before all is forgotten. */
CHILD_TEST(finalize_waits_for_another_thread_that_turns_a_kind_on)
{
	pthread_t enabler, finalizer;
	struct timespec end;

	cupti = load_cupti();
	sem_init(&enabling, 0, 0);
	sem_init(&go_on, 0, 0);
	sem_init(&finalized, 0, 0);
	cupti->enabling = wait_to_go_on;
	pthread_create(&enabler, NULL, enable_copies, NULL);
	sem_wait(&enabling);
	pthread_create(&finalizer, NULL, finalize, NULL);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	assert_int_equal(sem_timedwait(&finalized, &end), -1);
	assert_int_equal(errno, ETIMEDOUT);
	sem_post(&go_on);
	pthread_join(enabler, NULL);
	pthread_join(finalizer, NULL);
	assert_false(kinds_program_any());
}
