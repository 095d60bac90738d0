/* SPDX-License-Identifier: MIT */
#include "preload/events/event_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/driver/driver.h"

/*
 * Pairs that the first thread in a context makes, at 1.6 us each: its own, and as many again for
 * the threads that come after it. A thread that makes them while others launch waits for the
 * driver's lock at each, which the others hardly leave to it (16 threads, H200: milliseconds at a
 * thread's first call). They have to last until the collector adds some.
 */
static const struct pairs {
	unsigned first, later, spare;
} pairs_for_all = {POOL_PAIRS, POOL_PAIRS, 0}, pairs_alone = {256, 16, 256},
  pairs_beside_cupti = {32, 4, 60};

/*
 * The first calls of all operations have pairs, and then few have, once the budget has been
 * reckoned: that is no shortage yet. So many looks at the pools are some 10 ms and more.
 */
#define SHORT_LOOKS 10

/* Of the spare pairs and of the list of pools. No call is made while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event_pool *_Atomic pools;

struct event_pool *event_pool_first(void)
{
	return atomic_load_explicit(&pools, memory_order_acquire);
}

static void add_pool(struct event_pool *pool)
{
	pthread_mutex_lock(&lock);
	/* `next` is the thread's own list; this one is linked through all_next. */
	pool->all_next = atomic_load_explicit(&pools, memory_order_relaxed);
	/* Release: the collector goes through the list without the lock, as it alone takes pools
	 * out of it. */
	atomic_store_explicit(&pools, pool, memory_order_release);
	pthread_mutex_unlock(&lock);
}

/* NULL where the driver refuses or the bound is reached. The context must be current in the calling
 * thread. */
static struct event_pair *create_pair(struct context *context)
{
	struct event_pair *pair = NULL;
	CUresult result;

	if (atomic_fetch_add_explicit(&context->events, 2, memory_order_relaxed) >= CONTEXT_EVENTS)
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

/*
 * The collector does not wait for the lock: who holds it may be in a signal's handler that waits
 * for the collector. It has no spare pair then.
 */
static struct event_pair *take_spare(struct context *context, bool wait)
{
	struct event_pair *pair;

	if (wait)
		pthread_mutex_lock(&lock);
	else if (pthread_mutex_trylock(&lock))
		return NULL;
	pair = context->spare;
	if (pair)
		context->spare = pair->next;
	pthread_mutex_unlock(&lock);
	return pair;
}

static void make_spare(struct context *context, unsigned count)
{
	struct event_pair *pair;

	while (count-- && (pair = create_pair(context))) {
		pthread_mutex_lock(&lock);
		pair->next = context->spare;
		context->spare = pair;
		pthread_mutex_unlock(&lock);
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

static const struct pairs *pairs_wanted(void)
{
	if (settings.events == EVENTS_ALL)
		return &pairs_for_all;
	return mode_is_cupti() ? &pairs_beside_cupti : &pairs_alone;
}

/* A pool that an ended thread left, or NULL. */
static struct event_pool *idle_pool(const struct context *context)
{
	struct event_pool *pool;
	bool idle;

	/* None is freed meanwhile. */
	pthread_mutex_lock(&lock);
	for (pool = event_pool_first(); pool; pool = pool->all_next) {
		idle = true;
		/* Acquire: the pool as its thread left it. */
		if (pool->context == context &&
		    atomic_compare_exchange_strong_explicit(
			    &pool->idle, &idle, false, memory_order_acquire, memory_order_relaxed))
			break;
	}
	pthread_mutex_unlock(&lock);
	return pool;
}

static struct event_pool *new_pool(struct context *context)
{
	struct event_pool *pool = aligned_alloc(64, sizeof(*pool));
	const struct pairs *pairs = pairs_wanted();
	CUcontext current = NULL;
	bool is_current;

	if (!pool)
		return NULL;
	*pool = (struct event_pool){.context = context};
	/* Most often it is current, and asking that takes no lock. */
	is_current = driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context->handle;
	if (is_current || driver.cuCtxPushCurrent_v2(context->handle) == CUDA_SUCCESS) {
		if (!atomic_exchange_explicit(&context->has_pools, true, memory_order_relaxed)) {
			add_pairs(pool, pairs->first, true);
			make_spare(context, pairs->spare);
		} else {
			add_pairs(pool, pairs->later, true);
		}
		if (!is_current)
			driver.cuCtxPopCurrent_v2(&current);
	} else {
		driver_failed();
	}
	add_pool(pool);
	return pool;
}

static bool has_ended(const struct event_pool *pool)
{
	return atomic_load_explicit(&pool->context->ended, memory_order_acquire);
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
		/* Release: the collector finds it as this thread left it. */
		atomic_store_explicit(&pool->idle, true, memory_order_release);
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

/*
 * Whether no thread has a pool of a context that has ended, and all its pairs are in it: a span
 * that names one, or a pair whose end another's start is, may be under way for long.
 */
static bool is_over(const struct event_pool *pool)
{
	uint32_t taken;

	/* Acquire: the pool as its thread left it. No other takes it over: the lock is held. */
	if (!has_ended(pool) || !atomic_load_explicit(&pool->idle, memory_order_acquire))
		return false;
	taken = atomic_load_explicit(&pool->taken, memory_order_relaxed);
	return atomic_load_explicit(&pool->put, memory_order_relaxed) - taken +
		       (pool->spare != NULL) ==
	       pool->pairs;
}

/* The events have ended with their context. */
static void free_pool(struct event_pool *pool)
{
	for (uint32_t i = atomic_load_explicit(&pool->taken, memory_order_relaxed);
	     i != atomic_load_explicit(&pool->put, memory_order_relaxed); i++)
		free(pool->free[i % POOL_PAIRS]);
	free(pool->spare);
	free(pool);
}

void event_pools_free_ended(void)
{
	struct event_pool *previous = NULL, *over = NULL, *pool, *next;

	/* Not waited for: see take_spare(). */
	if (pthread_mutex_trylock(&lock))
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
			atomic_store_explicit(&pools, next, memory_order_relaxed);
		pool->next = over;
		over = pool;
	}
	pthread_mutex_unlock(&lock);
	while ((pool = over)) {
		over = pool->next;
		free_pool(pool);
	}
}

/*
 * A pool that was more than half empty at so many looks in a row gets as many pairs again, at each
 * look until it is not. Not beside CUPTI: few calls have pairs once the budget has been reckoned,
 * and making events holds the driver's lock, which 16 launching threads feel (H200: 12 to 28 us
 * more a launch while pools grew).
 */
void event_pools_grow(void)
{
	if (mode_is_cupti() && settings.events == EVENTS_AUTO)
		return;
	for (struct event_pool *pool = event_pool_first(); pool; pool = pool->all_next) {
		uint32_t put = atomic_load_explicit(&pool->put, memory_order_relaxed);
		uint32_t taken = atomic_load_explicit(&pool->taken, memory_order_acquire);

		if (has_ended(pool) || put - taken >= pool->pairs / 2 ||
		    2 * pool->pairs > POOL_PAIRS) {
			pool->short_looks = 0;
			continue;
		}
		if (++pool->short_looks >= SHORT_LOOKS && context_use(pool->context))
			add_pairs(pool, pool->pairs, false);
	}
}
