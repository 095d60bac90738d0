/* SPDX-License-Identifier: MIT */
/* How many events are made, when, and on whose thread: each waits for the driver's lock. */
#include <math.h>

#include "preload/events/event_pool.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

/* See event_pool.c: without CUPTI, and the checks after which a shortage counts. */
#define FIRST_PAIRS 512
#define SPARE_PAIRS 256
#define LATER_PAIRS 16
#define LOOKS	    3

struct driver driver;
struct launch_state launch_state;

static struct context contexts[32], *context;
static unsigned used;
static struct event_pool *list; /* of the thread's own */

static CUresult get_current(CUcontext *current)
{
	*current = context->handle;
	return CUDA_SUCCESS;
}

static unsigned created, destroyed, refused_after, failures; /* 0: none is refused */

static CUresult create_event(CUevent *event, unsigned flags)
{
	static char events[2];

	assert_int_equal(flags, CU_EVENT_DEFAULT);
	if (refused_after && created >= refused_after)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*event = (CUevent)(&events[++created % 2]);
	return CUDA_SUCCESS;
}

static CUresult destroy_event(CUevent event)
{
	assert_non_null(event);
	destroyed++;
	return CUDA_SUCCESS;
}

static unsigned pushed, popped;
static CUresult push_result;

static CUresult push_context(CUcontext pushed_one)
{
	assert_ptr_equal(pushed_one, context->handle);
	pushed++;
	return push_result;
}

static CUresult pop_context(CUcontext *popped_one)
{
	assert_non_null(popped_one);
	popped++;
	return CUDA_SUCCESS;
}

static CUresult get_no_context(CUcontext *current)
{
	*current = NULL;
	return CUDA_SUCCESS;
}

void driver_failed(void)
{
	assert_true(refused_after || push_result);
	failures++;
}

bool context_use(struct context *wanted)
{
	return wanted == context;
}

BEFORE_EACH
{
	driver.cuCtxGetCurrent = get_current;
	driver.cuEventCreate = create_event;
	driver.cuEventDestroy_v2 = destroy_event;
	driver.cuCtxPushCurrent_v2 = push_context;
	driver.cuCtxPopCurrent_v2 = pop_context;
	created = destroyed = refused_after = failures = pushed = popped = 0;
	push_result = CUDA_SUCCESS;
	run.settings.events = EVENTS_AUTO;
	run.settings.budget = NAN;
	launch_state.cupti = false;
	context = &contexts[used++];
	context->handle = (CUcontext)context;
	list = NULL;
}

/* Pools that a thread has are there for good; those of a context that has ended are left alone. */
AFTER_EACH
{
	context->ended = true;
}

static void take(struct event_pool *pool, unsigned count)
{
	while (count--)
		assert_non_null(event_pool_take(pool));
}

static void look(unsigned times)
{
	while (times--)
		event_pools_grow();
}

TEST(the_first_thread_makes_the_pairs_of_sixteen)
{
	assert_int_equal(event_pool_enter(&list, context)->pairs, FIRST_PAIRS);
	assert_int_equal(context->events, 2 * (FIRST_PAIRS + SPARE_PAIRS));
	for (int thread = 2; thread <= 16; thread++) {
		list = NULL;
		assert_int_equal(event_pool_enter(&list, context)->pairs, LATER_PAIRS);
	}
	assert_int_equal(context->events, 2 * (FIRST_PAIRS + SPARE_PAIRS));
}

/* They cost time, and at once. */
TEST(with_a_budget_of_the_users_there_are_few_at_first)
{
	run.settings.budget = 1;
	assert_int_equal(event_pool_enter(&list, context)->pairs, 16);
	assert_int_equal(context->events, 2 * 30);
	for (int thread = 2; thread <= 8; thread++) {
		list = NULL;
		assert_int_equal(event_pool_enter(&list, context)->pairs, 2);
	}
	assert_int_equal(context->events, 2 * 30);
	/* More if it allows more, but not more than without one. */
	run.settings.budget = 5;
	list = NULL;
	assert_int_equal(event_pool_enter(&list, context)->pairs, 10);
	run.settings.budget = 50;
	list = NULL;
	assert_int_equal(event_pool_enter(&list, context)->pairs, LATER_PAIRS);
	/* As many as the user asks for. */
	run.settings.events = EVENTS_ALL;
	list = NULL;
	assert_int_equal(event_pool_enter(&list, context)->pairs, POOL_PAIRS);
}

TEST(a_shortage_that_lasts_brings_more_pairs)
{
	struct event_pool *pool = event_pool_enter(&list, context);

	take(pool, FIRST_PAIRS);
	look(LOOKS - 1);
	assert_int_equal(pool->pairs, FIRST_PAIRS);
	look(1);
	assert_int_equal(pool->pairs, 2 * FIRST_PAIRS);
	/* Enough now. */
	look(1);
	assert_int_equal(pool->pairs, 2 * FIRST_PAIRS);
}

/* The first calls of all operations have a pair each, until the budget has been reckoned. */
TEST(a_shortage_that_passes_brings_none)
{
	struct event_pool *pool = event_pool_enter(&list, context);
	struct event_pair *pairs[FIRST_PAIRS];

	for (int times = 0; times < 3; times++) {
		for (int i = 0; i < FIRST_PAIRS; i++)
			pairs[i] = event_pool_take(pool);
		look(LOOKS - 1);
		for (int i = 0; i < FIRST_PAIRS; i++)
			event_pool_put(pool, pairs[i]);
		look(1);
	}
	assert_int_equal(pool->pairs, FIRST_PAIRS);
}

TEST(beside_cupti_lanes_stay_as_they_are_until_it_ends)
{
	struct event_pool *pool;

	launch_state.cupti = true;
	pool = event_pool_enter(&list, context);
	take(pool, pool->pairs);
	look(3 * LOOKS);
	assert_int_equal(pool->pairs, 32);
	/* The program ends CUPTI. */
	launch_state.cupti = false;
	look(LOOKS);
	assert_int_equal(pool->pairs, 64);
}

static bool is_there(const struct event_pool *wanted)
{
	const struct event_pool *pool = event_pool_first();

	while (pool && pool != wanted)
		pool = pool->all_next;
	return pool;
}

/* Whether it is still there when the collector has looked. */
static bool stays(const struct event_pool *pool)
{
	event_pools_free_ended();
	return is_there(pool);
}

static void end_context(void)
{
	context->ended = true;
	context = &contexts[used++];
	context->handle = (CUcontext)context;
}

TEST(a_lane_of_an_ended_context_goes_when_its_thread_enters_another)
{
	struct event_pool *pool = event_pool_enter(&list, context), *next;

	assert_true(stays(pool));
	end_context();
	assert_true(stays(pool));
	next = event_pool_enter(&list, context);
	assert_ptr_equal(list, next);
	assert_null(next->next);
	assert_false(stays(pool));
	assert_true(stays(next));
}

TEST(a_lane_stays_until_all_its_pairs_are_back)
{
	struct event_pool *pool = event_pool_enter(&list, context);
	struct event_pair *first = event_pool_take(pool), *second = event_pool_take(pool);

	end_context();
	event_pool_enter(&list, context);
	assert_true(stays(pool));
	event_pool_put(pool, first);
	assert_true(stays(pool));
	event_pool_put(pool, second);
	assert_false(stays(pool));
}

TEST(a_thread_that_ended_leaves_a_lane_to_the_next_until_the_context_ends)
{
	struct event_pool *pool = event_pool_enter(&list, context);

	pool->spare = event_pool_take(pool);
	pool->idle = true;
	list = NULL;
	assert_true(stays(pool));
	assert_ptr_equal(event_pool_enter(&list, context), pool);
	pool->idle = true;
	list = NULL;
	end_context();
	assert_false(stays(pool));
}

/* Takes pairs for an operation as a launching thread does, with draws that come out even. */
static unsigned taken_by(struct event_pool *pool, uint32_t operation, unsigned calls)
{
	unsigned count = 0;
	double due = 0;

	for (unsigned i = 0; i < calls; i++) {
		due += (double)event_pool_chance(pool, operation) / UINT32_MAX;
		if (due >= 1 && event_pool_take(pool)) {
			due -= 1;
			count++;
		}
	}
	return count;
}

TEST(a_frequent_kernel_leaves_pairs_to_others)
{
	struct event_pool *pool = event_pool_enter(&list, context);

	assert_true(pool->thins);
	/* The root of 2 x 26 x 1000, where 26 are taken for certain. */
	assert_in_range(taken_by(pool, 1, 1000), 220, 240);
	/* About twice as many for four times the calls. */
	assert_in_range(taken_by(pool, 1, 3000), 180, 230);
	assert_int_equal(taken_by(pool, 2, 8), 8);
	assert_int_equal(taken_by(pool, 3, 8), 8);
}

TEST(a_row_has_pairs_for_certain_again_once_some_came_back)
{
	struct event_pool *pool = event_pool_enter(&list, context);
	struct event_pair *pair = event_pool_take(pool);

	take(pool, 259);
	for (int i = 0; i < 9; i++)
		assert_int_equal(event_pool_chance(pool, 5), UINT32_MAX);
	assert_int_equal(event_pool_chance(pool, 5), UINT32_MAX / 260 * 26);
	event_pool_put(pool, pair);
	assert_int_equal(event_pool_chance(pool, 5), UINT32_MAX);
}

TEST(an_empty_pool_thins_most)
{
	struct event_pool *pool = event_pool_enter(&list, context);

	take(pool, FIRST_PAIRS);
	assert_int_equal(event_pool_chance(pool, 5), POOL_LEAST_CHANCE);
}

TEST(pairs_for_all_calls_are_not_thinned)
{
	run.settings.events = EVENTS_ALL;
	assert_false(event_pool_enter(&list, context)->thins);
	run.settings.events = EVENTS_FRACTION;
	run.settings.events_fraction = 1;
	assert_true(run_wants_every_pair());
	run.settings.events_fraction = 2;
	assert_false(run_wants_every_pair());
}

TEST(an_event_that_the_driver_refuses_ends_the_making)
{
	struct event_pool *pool;

	/* The second event of the eleventh pair: the first one goes too. */
	refused_after = 21;
	pool = event_pool_enter(&list, context);
	assert_int_equal(pool->pairs, 10);
	assert_int_equal(pool->put, 10);
	assert_int_equal(destroyed, 1);
	/* For the pool and for the spare ones. */
	assert_int_equal(failures, 2);
	assert_int_equal(context->events, 20);
	for (int i = 0; i < 10; i++) {
		struct event_pair *pair = event_pool_take(pool);

		assert_true(pair->start && pair->end && pair->start != pair->end);
		assert_ptr_equal(pair->pool, pool);
	}
	assert_null(event_pool_take(pool));
}

TEST(a_context_has_a_limit_of_events)
{
	context->events = CONTEXT_EVENTS - 8;
	assert_int_equal(event_pool_enter(&list, context)->pairs, 4);
	assert_int_equal(context->events, CONTEXT_EVENTS);
	assert_int_equal(failures, 0);
	list = NULL;
	assert_int_equal(event_pool_enter(&list, context)->pairs, 0);
	assert_int_equal(context->events, CONTEXT_EVENTS);
}

TEST(later_threads_take_the_spare_pairs_once_each)
{
	unsigned before;
	struct event_pool *one, *other;

	event_pool_enter(&list, context);
	before = created;
	list = NULL;
	one = event_pool_enter(&list, context);
	other = event_pool_enter(&list, context);
	assert_ptr_not_equal(one, other);
	assert_ptr_equal(list, other);
	assert_ptr_equal(other->next, one);
	assert_null(one->next);
	assert_int_equal(created, before);
	assert_ptr_not_equal(event_pool_take(one), event_pool_take(other));
	event_pool_forget_spare(context);
	assert_null(context->spare);
	list = NULL;
	assert_int_equal(event_pool_enter(&list, context)->pairs, LATER_PAIRS);
	assert_int_equal(created, before + 2 * LATER_PAIRS);
}

TEST(a_context_that_is_not_current_is_made_so_meanwhile)
{
	driver.cuCtxGetCurrent = get_no_context;
	assert_int_equal(event_pool_enter(&list, context)->pairs, FIRST_PAIRS);
	assert_int_equal(pushed, 1);
	assert_int_equal(popped, 1);
	push_result = CUDA_ERROR_INVALID_CONTEXT;
	list = NULL;
	assert_int_equal(event_pool_enter(&list, context)->pairs, 0);
	assert_int_equal(pushed, 2);
	assert_int_equal(popped, 1);
	assert_int_equal(failures, 1);
}

TEST(with_cupti_there_are_few_and_for_all_calls_all)
{
	launch_state.cupti = true;
	assert_int_equal(event_pool_enter(&list, context)->pairs, 32);
	assert_int_equal(context->events, 2 * (32 + 60));
	list = NULL;
	assert_int_equal(event_pool_enter(&list, context)->pairs, 4);
	run.settings.events = EVENTS_ALL;
	list = NULL;
	assert_int_equal(event_pool_enter(&list, context)->pairs, POOL_PAIRS);
}

TEST(a_pool_grows_to_its_slots)
{
	struct event_pool *pool = event_pool_enter(&list, context);

	/* Half of them and no less is enough. */
	take(pool, FIRST_PAIRS / 2);
	look(2 * LOOKS);
	assert_int_equal(pool->pairs, FIRST_PAIRS);
	take(pool, 1);
	look(LOOKS);
	assert_int_equal(pool->pairs, POOL_PAIRS);
	take(pool, 767);
	look(2 * LOOKS);
	assert_int_equal(pool->pairs, POOL_PAIRS);
	assert_int_equal(pool->short_checks, 0);
}
