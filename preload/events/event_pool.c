/* SPDX-License-Identifier: MIT */
#include "preload/events/event_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "preload/base/budget.h"
#include "preload/base/plan.h"
#include "preload/base/run.h"
#include "preload/driver/driver.h"

/*
 * How many pairs a thread makes at its first call, at 1.6 us each (H200): the first thread in a
 * context for itself and, as `spare`, for later ones, which take them from there. A thread that
 * makes pairs while others launch waits for the driver's lock at each (16 threads, H200:
 * milliseconds at the first call). The pairs must last until the collector adds some. Numbers
 * chosen by that benchmark.
 */
static const struct pairs {
	unsigned first, later, spare;
} pairs_for_every_call = {POOL_PAIRS, POOL_PAIRS, 0}, pairs_without_cupti = {512, 16, 256},
  pairs_with_cupti = {32, 4, 60},
  /* For each percent of a budget of the user's: they take 48 us to make, of 250 that it allows in
   * the first 25 ms, and the first 16 use 110. */
	pairs_within_budget = {16, 2, 14};

/* For this many checks, some 10 ms, a pool may be short of pairs: each operation's first calls have
 * one, and few calls once the budget has been computed. */
#define SHORT_CHECKS 3

/* Of all threads. The lock guards the contexts' spare pairs too; no driver call is made while it is
 * held. */
static struct {
	pthread_mutex_t lock;
	struct event_pool *_Atomic first;
} pools = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

struct event_pool *event_pool_first(void)
{
	return load_acquire(&pools.first);
}

/* NULL if the driver refuses or the limit of events is reached. The context must be current in the
 * calling thread. */
static struct event_pair *create_pair(struct context *context)
{
	struct event_pair *pair = NULL;
	CUresult result;

	if (add_relaxed(&context->events, 2) >= CONTEXT_EVENTS)
		goto out;
	pair = calloc(1, sizeof(*pair));
	if (!pair)
		goto out;
	result = driver.cuEventCreate(&pair->start, CU_EVENT_DEFAULT);
	if (result == CUDA_SUCCESS)
		result = driver.cuEventCreate(&pair->end, CU_EVENT_DEFAULT);
	if (result == CUDA_SUCCESS)
		return pair;
	driver_failed();
	if (pair->start)
		driver.cuEventDestroy_v2(pair->start);
out:
	atomic_fetch_sub_explicit(&context->events, 2, memory_order_relaxed);
	free(pair);
	return NULL;
}

/* With `wait` false, as in the collector, NULL if another thread holds the lock: that thread may be
 * in a signal handler that waits for the collector. */
static struct event_pair *take_spare(struct context *context, bool wait)
{
	struct event_pair *pair;

	if (wait)
		pthread_mutex_lock(&pools.lock);
	else if (pthread_mutex_trylock(&pools.lock))
		return NULL;
	pair = context->spare;
	if (pair)
		context->spare = pair->next;
	pthread_mutex_unlock(&pools.lock);
	return pair;
}

static void make_spare(struct context *context, unsigned count)
{
	struct event_pair *pair;

	while (count-- && (pair = create_pair(context))) {
		pthread_mutex_lock(&pools.lock);
		pair->next = context->spare;
		context->spare = pair;
		pthread_mutex_unlock(&pools.lock);
	}
}

void event_pool_forget_spare(struct context *context)
{
	struct event_pair *pair;

	while ((pair = take_spare(context, false)))
		free(pair);
}

static void add_pairs(struct event_pool *pool, unsigned count, bool wait)
{
	while (count-- && pool->pairs < POOL_PAIRS) {
		struct event_pair *pair = take_spare(pool->context, wait);

		if (!pair)
			pair = create_pair(pool->context);
		if (!pair)
			return;
		pair->pool = pool;
		pool->pairs++;
		event_pool_put(pool, pair);
	}
}

static unsigned times(unsigned pairs, double percent, unsigned most)
{
	double wanted = pairs * (percent > 1 ? percent : 1);

	return wanted < most ? (unsigned)wanted : most;
}

static struct pairs pairs_wanted(void)
{
	const struct pairs *most = &pairs_without_cupti, *each = &pairs_within_budget;

	if (run.settings.events == EVENTS_ALL)
		return pairs_for_every_call;
	if (plan_is_cupti())
		return pairs_with_cupti;
	if (run.settings.events != EVENTS_AUTO || !budget_is_given())
		return pairs_without_cupti;
	return (struct pairs){
		times(each->first, budget_percent(), most->first),
		times(each->later, budget_percent(), most->later),
		times(each->spare, budget_percent(), most->spare),
	};
}

/* A pool that an ended thread has left, or NULL. */
static struct event_pool *idle_pool(const struct context *context)
{
	struct event_pool *pool;
	bool idle;

	/* The lock keeps the collector from freeing pools meanwhile. */
	pthread_mutex_lock(&pools.lock);
	for (pool = event_pool_first(); pool; pool = pool->all_next) {
		idle = true;
		/* Acquire: the last owner's changes are visible. */
		if (pool->context == context &&
		    atomic_compare_exchange_strong_explicit(
			    &pool->idle, &idle, false, memory_order_acquire, memory_order_relaxed))
			break;
	}
	pthread_mutex_unlock(&pools.lock);
	return pool;
}

static struct event_pool *new_pool(struct context *context)
{
	struct event_pool *pool = aligned_alloc(CACHE_LINE, sizeof(*pool));
	struct pairs pairs = pairs_wanted();
	CUcontext current = NULL;
	bool is_current;

	if (!pool)
		return NULL;
	*pool = (struct event_pool){
		.context = context,
		.thins = !run_wants_every_pair(),
	};
	/* The context is usually current, and cuCtxGetCurrent takes no lock. */
	is_current = driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context->handle;
	if (is_current || driver.cuCtxPushCurrent_v2(context->handle) == CUDA_SUCCESS) {
		if (!atomic_exchange_explicit(&context->has_pools, true, memory_order_relaxed)) {
			add_pairs(pool, pairs.first, true);
			make_spare(context, pairs.spare);
		} else {
			add_pairs(pool, pairs.later, true);
		}
		if (!is_current)
			driver.cuCtxPopCurrent_v2(&current);
	} else {
		driver_failed();
	}
	pthread_mutex_lock(&pools.lock);
	/* `next` links the thread's pools, all_next those of all threads. */
	pool->all_next = load_relaxed(&pools.first);
	/* Release: the collector walks the list without the lock, as it alone removes pools. */
	store_release(&pools.first, pool);
	pthread_mutex_unlock(&pools.lock);
	return pool;
}

static bool has_ended(const struct event_pool *pool)
{
	return load_acquire(&pool->context->ended);
}

static void let_go_of_ended(struct event_pool **link)
{
	struct event_pool *pool;

	while ((pool = *link)) {
		if (!has_ended(pool)) {
			link = &pool->next;
			continue;
		}
		*link = pool->next;
		/* Release: the next owner, or the collector, sees this thread's changes. */
		store_release(&pool->idle, true);
	}
}

struct event_pool *event_pool_enter(struct event_pool **list, struct context *context)
{
	struct event_pool *pool;

	let_go_of_ended(list);
	pool = idle_pool(context);
	if (!pool)
		pool = new_pool(context);
	if (pool) {
		pool->next = *list;
		*list = pool;
	}
	return pool;
}

/* Whether a pool can be freed: its context has ended, no thread owns it, and all its pairs have
 * come back from the call records that held them. */
static bool is_over(const struct event_pool *pool)
{
	uint32_t taken;

	/* Acquire: the last owner's changes are visible. The lock keeps other threads from taking
	 * the pool. */
	if (!has_ended(pool) || !load_acquire(&pool->idle))
		return false;
	taken = load_relaxed(&pool->taken);
	return load_relaxed(&pool->put) - taken + (pool->spare != NULL) == pool->pairs;
}

/* Without cuEventDestroy: the driver has destroyed the events with their context. */
static void free_pool(struct event_pool *pool)
{
	for (uint32_t i = load_relaxed(&pool->taken); i != load_relaxed(&pool->put); i++)
		free(pool->free[i % POOL_PAIRS]);
	free(pool->spare);
	free(pool);
}

void event_pools_free_ended(void)
{
	struct event_pool *previous = NULL, *over = NULL, *pool, *next;

	/* Not waiting for the lock: see take_spare(). */
	if (pthread_mutex_trylock(&pools.lock))
		return;
	for (pool = event_pool_first(); pool; pool = next) {
		next = pool->all_next;
		if (!is_over(pool)) {
			previous = pool;
			continue;
		}
		if (previous)
			previous->all_next = next;
		else
			store_relaxed(&pools.first, next);
		pool->next = over;
		over = pool;
	}
	pthread_mutex_unlock(&pools.lock);
	while ((pool = over)) {
		over = pool->next;
		free_pool(pool);
	}
}

/*
 * Doubles a pool that was more than half empty in SHORT_CHECKS checks in a row. Not if CUPTI is on:
 * few calls get pairs once the budget has been computed, and creating events holds the driver's
 * lock, which 16 launching threads feel (H200: 12 to 28 us more per launch while pools grew).
 */
void event_pools_grow(void)
{
	if (plan_is_cupti() && run.settings.events == EVENTS_AUTO)
		return;
	for (struct event_pool *pool = event_pool_first(); pool; pool = pool->all_next) {
		uint32_t put = load_relaxed(&pool->put);
		uint32_t taken = load_acquire(&pool->taken);

		if (has_ended(pool) || put - taken >= pool->pairs / 2 ||
		    2 * pool->pairs > POOL_PAIRS) {
			pool->short_checks = 0;
			continue;
		}
		if (++pool->short_checks >= SHORT_CHECKS && context_use(pool->context))
			add_pairs(pool, pool->pairs, false);
	}
}
