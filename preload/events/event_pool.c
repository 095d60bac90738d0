/* SPDX-License-Identifier: MIT */
#include "preload/events/event_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "cupti/cupti.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/driver/driver.h"
#include "preload/events/event_queue.h"

/*
 * Pairs that the first thread in a context makes, at 1.6 us each: its own, and as many again for
 * the threads that come after it. A thread that makes them while others launch waits for the
 * driver's lock at each, which the others hardly leave to it (16 threads, H200: milliseconds at a
 * thread's first call). They have to last until the collector adds some.
 */
static const struct pairs {
	unsigned first, later, spare;
} pairs_shared = {LANE_PAIRS, LANE_PAIRS, 0}, pairs_alone = {256, 16, 256},
  pairs_beside_cupti = {32, 4, 60};

/*
 * The first calls of all operations have pairs, and then few have, once the budget has been
 * reckoned: that is no shortage yet. So many looks at the lanes are some 10 ms and more.
 */
#define SHORT_LOOKS 10

/* Of the spare pairs and of the list of lanes. No call is made while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct lane *_Atomic lanes;

struct lane *lane_first(void)
{
	return atomic_load_explicit(&lanes, memory_order_acquire);
}

static void add_lane(struct lane *lane)
{
	pthread_mutex_lock(&lock);
	/* `next` is the thread's own list; this one is linked through all_next. */
	lane->all_next = atomic_load_explicit(&lanes, memory_order_relaxed);
	/* Release: the collector goes through the list without the lock, as it alone takes lanes
	 * out of it. */
	atomic_store_explicit(&lanes, lane, memory_order_release);
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

void lane_forget_spare(struct context *context)
{
	struct event_pair *pair;

	while ((pair = take_spare(context, false)))
		free(pair);
}

static void add_pairs(struct lane *lane, unsigned count, bool wait)
{
	while (count-- && lane->pairs < LANE_PAIRS) {
		struct event_pair *pair = take_spare(lane->context, wait);

		if (!pair)
			pair = create_pair(lane->context);
		if (!pair)
			return;
		pair->lane = lane;
		lane->pairs++;
		lane_put(lane, pair);
	}
}

static const struct pairs *pairs_wanted(void)
{
	if (control_sharing)
		return &pairs_shared;
	return control_stream_ids ? &pairs_beside_cupti : &pairs_alone;
}

/* A lane that an ended thread left, or NULL. */
static struct lane *idle_lane(const struct context *context)
{
	struct lane *lane;
	bool idle;

	/* None is freed meanwhile. */
	pthread_mutex_lock(&lock);
	for (lane = lane_first(); lane; lane = lane->all_next) {
		idle = true;
		/* Acquire: the lane as its thread left it. */
		if (lane->context == context &&
		    atomic_compare_exchange_strong_explicit(
			    &lane->idle, &idle, false, memory_order_acquire, memory_order_relaxed))
			break;
	}
	pthread_mutex_unlock(&lock);
	return lane;
}

static struct lane *new_lane(struct context *context)
{
	struct lane *lane = aligned_alloc(64, sizeof(*lane));
	const struct pairs *pairs = pairs_wanted();
	CUcontext current = NULL;
	bool is_current;

	if (!lane)
		return NULL;
	*lane = (struct lane){.context = context};
	/* Most often it is current, and asking that takes no lock. */
	is_current = driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == context->handle;
	if (is_current || driver.cuCtxPushCurrent_v2(context->handle) == CUDA_SUCCESS) {
		if (!atomic_exchange_explicit(&context->has_lanes, true, memory_order_relaxed)) {
			add_pairs(lane, pairs->first, true);
			make_spare(context, pairs->spare);
		} else {
			add_pairs(lane, pairs->later, true);
		}
		if (!is_current)
			driver.cuCtxPopCurrent_v2(&current);
	} else {
		driver_failed();
	}
	add_lane(lane);
	return lane;
}

static bool has_ended(const struct lane *lane)
{
	return atomic_load_explicit(&lane->context->ended, memory_order_acquire);
}

static void let_go_of_ended(struct lane **link)
{
	struct lane *lane;

	while ((lane = *link)) {
		if (!has_ended(lane)) {
			link = &lane->next;
			continue;
		}
		*link = lane->next;
		/* Release: the collector finds it as this thread left it. */
		atomic_store_explicit(&lane->idle, true, memory_order_release);
	}
}

struct lane *lane_enter(struct lane **list, struct context *context)
{
	struct lane *lane;

	let_go_of_ended(list);
	lane = idle_lane(context);
	if (!lane)
		lane = new_lane(context);
	if (lane) {
		lane->next = *list;
		*list = lane;
	}
	return lane;
}

/*
 * Whether no thread has a lane of a context that has ended, and all its pairs are in it: a span
 * that names one, or a pair whose end another's start is, may be under way for long.
 */
static bool is_over(const struct lane *lane)
{
	uint32_t taken;

	/* Acquire: the lane as its thread left it. No other takes it over: the lock is held. */
	if (!has_ended(lane) || !atomic_load_explicit(&lane->idle, memory_order_acquire))
		return false;
	taken = atomic_load_explicit(&lane->taken, memory_order_relaxed);
	return atomic_load_explicit(&lane->put, memory_order_relaxed) - taken +
		       (lane->spare != NULL) ==
	       lane->pairs;
}

/* The events have ended with their context. */
static void free_lane(struct lane *lane)
{
	for (uint32_t i = atomic_load_explicit(&lane->taken, memory_order_relaxed);
	     i != atomic_load_explicit(&lane->put, memory_order_relaxed); i++)
		free(lane->free[i % LANE_PAIRS]);
	free(lane->spare);
	free(lane);
}

void lanes_free_ended(void)
{
	struct lane *previous = NULL, *over = NULL, *lane, *next;

	/* Not waited for: see take_spare(). */
	if (pthread_mutex_trylock(&lock))
		return;
	for (lane = lane_first(); lane; lane = next) {
		next = lane->all_next;
		if (!is_over(lane)) {
			previous = lane;
			continue;
		}
		if (previous)
			previous->all_next = next;
		else
			atomic_store_explicit(&lanes, next, memory_order_relaxed);
		lane->next = over;
		over = lane;
	}
	pthread_mutex_unlock(&lock);
	while ((lane = over)) {
		over = lane->next;
		free_lane(lane);
	}
}

/*
 * A lane that was more than half empty at so many looks in a row gets as many pairs again, at each
 * look until it is not. Not beside CUPTI: few calls have pairs once the budget has been reckoned,
 * and making events holds the driver's lock, which 16 launching threads feel (H200: 12 to 28 us
 * more a launch while lanes grew).
 */
void lanes_grow(void)
{
	if (collection_active() && control_options.events == EVENTS_AUTO)
		return;
	for (struct lane *lane = lane_first(); lane; lane = lane->all_next) {
		uint32_t put = atomic_load_explicit(&lane->put, memory_order_relaxed);
		uint32_t taken = atomic_load_explicit(&lane->taken, memory_order_acquire);

		if (has_ended(lane) || put - taken >= lane->pairs / 2 ||
		    2 * lane->pairs > LANE_PAIRS) {
			lane->short_looks = 0;
			continue;
		}
		if (++lane->short_looks >= SHORT_LOOKS && timing_use_context(lane->context))
			add_pairs(lane, lane->pairs, false);
	}
}

bool event_pair_is_pending(const struct event_pair *pair)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	bool pending;

	/* A query ends a capture that another thread makes in the global mode, unless the thread
	 * that asks is in the relaxed one. */
	if (driver.cuThreadExchangeStreamCaptureMode(&mode) != CUDA_SUCCESS)
		return false;
	pending = driver.cuEventQuery(pair->end) == CUDA_ERROR_NOT_READY;
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	return pending;
}
