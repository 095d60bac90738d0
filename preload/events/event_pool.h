/* SPDX-License-Identifier: MIT */
/*
 * Event pairs, and the pools that launching threads take them from: a pool for each thread in each
 * context, so that no thread waits for another.
 */
#ifndef KTIME_PRELOAD_EVENTS_EVENT_POOL_H
#define KTIME_PRELOAD_EVENTS_EVENT_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/handles/stream.h"

struct event_pair {
	CUevent start, end;
	struct event_pool *pool;
	uint32_t sampled_below;	 /* the chance that its call had of one, as in struct operation */
	struct event_pair *next; /* of the spare ones of a context */
};

/*
 * The free event pairs of one thread in one context: the collector puts back, the thread takes. A
 * thread that ends leaves them to the next that comes, and those of a context that has ended are
 * left to the collector, which frees them.
 */
#define POOL_PAIRS 1024u
struct event_pool {
	_Atomic uint32_t put __attribute__((aligned(64))); /* the collector's */
	uint32_t pairs;	      /* made for this pool; the collector's after the first */
	uint32_t short_looks; /* how often in a row it has found them short: the same */
	_Atomic uint32_t taken __attribute__((aligned(64))); /* the thread's */
	uint32_t known_put;
	struct event_pair *spare; /* taken and not used: the thread's, used first */
	struct context *context;
	_Atomic bool idle;	     /* its thread has let go of it: another may take it over */
	struct event_pool *next;     /* of the thread's pools; of those that are freed */
	struct event_pool *all_next; /* of all threads' */
	struct event_pair *free[POOL_PAIRS];
};

/* Bounds a context's events, and with them the device memory they take. */
#define CONTEXT_EVENTS 32768u

/*
 * Adds to a thread's list the pool that an ended thread left in a context, or a new one with its
 * first pairs; NULL where memory is out. Those of contexts that have ended go from the list: the
 * thread must not use one, or a pair of one, from then on. The thread itself.
 */
struct event_pool *event_pool_enter(struct event_pool **list, struct context *context);
/* All pools, newest first, through all_next. The collector alone. */
struct event_pool *event_pool_first(void);
/* Once in a period of the collector's: frees the pools that nothing will name any more. */
void event_pools_free_ended(void);
/* Frees the pairs of a context that has ended and are in no pool; their events died with it. */
void event_pool_forget_spare(struct context *context);
/* Once in a period of the collector's: adds pairs where they ran short. */
void event_pools_grow(void);

static inline struct event_pair *event_pool_take(struct event_pool *pool)
{
	struct event_pair *pair = pool->spare;
	uint32_t taken;

	if (pair) {
		pool->spare = NULL;
		return pair;
	}
	taken = atomic_load_explicit(&pool->taken, memory_order_relaxed);
	if (taken == pool->known_put) {
		/* Acquire: the collector wrote the slot before it moved `put`. */
		pool->known_put = atomic_load_explicit(&pool->put, memory_order_acquire);
		if (taken == pool->known_put)
			return NULL;
	}
	pair = pool->free[taken % POOL_PAIRS];
	/* Release: the slot is read before the collector may fill it again. */
	atomic_store_explicit(&pool->taken, taken + 1, memory_order_release);
	return pair;
}

/* The collector alone; a pool never has more pairs than slots, so there is always room. */
static inline void event_pool_put(struct event_pool *pool, struct event_pair *pair)
{
	uint32_t put = atomic_load_explicit(&pool->put, memory_order_relaxed);

	pool->free[put % POOL_PAIRS] = pair;
	atomic_store_explicit(&pool->put, put + 1, memory_order_release);
}

#endif
