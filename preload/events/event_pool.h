/* SPDX-License-Identifier: MIT */
/* Event pairs, and the event pools that launching threads take them from: one pool for each thread
 * in each context, so that no thread waits for another. */
#ifndef KTIME_PRELOAD_EVENTS_EVENT_POOL_H
#define KTIME_PRELOAD_EVENTS_EVENT_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/base/atomics.h"
#include "preload/handles/stream.h"

struct event_pair {
	CUevent start, end;
	struct event_pool *pool;
	bool gated;  /* by its present call */
	bool queued; /* gated; the device was busy with the stream when the gate opened,
			and no gated pair was directly before it */
	/* If its pool thins: the thread's operation before was in the same stream, and ran on
	 * another engine. */
	bool follows, follows_other;
	uint32_t sampled_below;	 /* how likely the call was to get a pair, as its operation's
				    sample_below */
	uint64_t counted;	 /* count-only launches of the operation by its thread before the
				    call, if its pool thins */
	struct event_pair *next; /* of a context's spare pairs */
};

/*
 * The free event pairs of one thread in one context, in a ring: the collector puts pairs back, the
 * thread takes them. When the thread ends, the next one takes the pool over. When the context has
 * ended, the collector frees it.
 */
#define POOL_PAIRS	  1024u /* a stream holds at most 1021 launches that are not finished (H200) */
#define POOL_CERTAIN_PART 64u  /* of a pool each operation has at once. Chosen. */
#define POOL_FIRST_PART	  20u  /* of a pool is taken before the chance falls. Chosen. */
#define POOL_LAST_PART	  4u   /* of a pool is for when no pair comes back for long. Chosen. */
#define POOL_OPERATIONS	  128u /* operations of the same index modulo this share a count. Chosen. */
/* The chance of a pair in an empty pool, as sample_below. Chosen. */
#define POOL_LEAST_CHANCE (UINT32_MAX / 1024)
struct event_pool {
	_Atomic uint32_t put __attribute__((aligned(CACHE_LINE))); /* for the collector to write */
	uint32_t pairs;	       /* pairs made for this pool; written by the thread first, then by the
				  collector */
	uint32_t short_checks; /* for the collector: in how many checks in a row pairs were short */
	_Atomic uint32_t taken __attribute__((aligned(CACHE_LINE))); /* for the thread to write */
	uint32_t known_put;	  /* for the thread: `put` when it was last read */
	struct event_pair *spare; /* for the thread: taken but not used; the next to use */
	bool thins; /* fewer calls get a pair as the pool gets empty, unless all are to */
	struct context *context;
	/* Pairs taken for certain since some were last put back, by operation. */
	uint8_t taken_by[POOL_OPERATIONS];
	_Atomic bool idle;	     /* its thread has left it, so another may take it over */
	struct event_pool *next;     /* of the thread's pools, or of those to be freed */
	struct event_pool *all_next; /* of all threads' pools */
	struct event_pair *free[POOL_PAIRS];
};

/* Limits a context's events, and so the device memory that they take. Chosen: 16 threads with full
 * pools. */
#define CONTEXT_EVENTS 32768u

/*
 * Adds to a thread's list the pool that an ended thread has left in a context, or a new one with
 * its first pairs; NULL if memory is out. Removes the pools of ended contexts from the list; the
 * thread must not use them, or their pairs, any more. To be called by the thread itself.
 */
struct event_pool *event_pool_enter(struct event_pool **list, struct context *context);
/* All pools, newest first, linked by all_next. For the collector only, as the next three. */
struct event_pool *event_pool_first(void);
/* Frees the pools that nothing refers to any more. Once per period of the collector. */
void event_pools_free_ended(void);
/* Frees the spare pairs of a context that has ended, and with it their events. */
void event_pool_forget_spare(struct context *context);
/* Adds pairs to pools that are short of them. Once per period of the collector. */
void event_pools_grow(void);

/*
 * The most that the chance of a call to get a pair may be in a pool that thins, as sample_below.
 * Otherwise one frequent kernel would take all pairs at once, many calls in a row would have none,
 * and rows with few calls none at all. So each operation has a few pairs for certain each time that
 * the collector puts pairs back. Then the chance is inverse to how many pairs are taken, which
 * grows as the root of the number of calls: whenever the run ends, calls of its beginning and of
 * its end have chances that differ little, and the sample says as much as three quarters of its
 * size drawn with one chance. The last pairs are for a collector that comes late: they last for
 * some 25,000 calls, where the others last for 3,000. For the thread that owns the pool.
 */
static inline uint32_t event_pool_chance(struct event_pool *pool, uint32_t operation)
{
	uint32_t first = pool->pairs / POOL_FIRST_PART + 1, last = pool->pairs / POOL_LAST_PART;
	uint32_t chance, used, taken = load_relaxed(&pool->taken);
	/* Acquire: as in event_pool_take(). */
	uint32_t put = load_acquire(&pool->put);
	uint8_t *taken_by = &pool->taken_by[operation % POOL_OPERATIONS];

	if (put != pool->known_put) {
		pool->known_put = put;
		memset(pool->taken_by, 0, sizeof(pool->taken_by));
	}
	if (put == taken)
		return pool->pairs ? POOL_LEAST_CHANCE : UINT32_MAX;
	used = pool->pairs - (put - taken);
	if (*taken_by <= pool->pairs / POOL_CERTAIN_PART) {
		++*taken_by;
		return UINT32_MAX;
	}
	if (used <= first)
		return UINT32_MAX;
	chance = UINT32_MAX / used * first;
	if (put - taken < last)
		chance = chance / (last * last) * ((put - taken) * (put - taken));
	return chance > POOL_LEAST_CHANCE ? chance : POOL_LEAST_CHANCE;
}

/* Takes a pair; NULL if there is none. For the thread that owns the pool. */
static inline struct event_pair *event_pool_take(struct event_pool *pool)
{
	struct event_pair *pair = pool->spare;
	uint32_t taken;

	if (pair) {
		pool->spare = NULL;
		return pair;
	}
	taken = load_relaxed(&pool->taken);
	if (taken == pool->known_put) {
		/* Acquire: the collector wrote the slot before it moved `put`. */
		pool->known_put = load_acquire(&pool->put);
		if (taken == pool->known_put)
			return NULL;
	}
	pair = pool->free[taken % POOL_PAIRS];
	/* Release: the slot is read before the collector may overwrite it. */
	store_release(&pool->taken, taken + 1);
	return pair;
}

/* Gives a pair back. For the collector only. There is always room: a pool has no more pairs than
 * slots. */
static inline void event_pool_put(struct event_pool *pool, struct event_pair *pair)
{
	uint32_t put = load_relaxed(&pool->put);

	pool->free[put % POOL_PAIRS] = pair;
	store_release(&pool->put, put + 1);
}

/* What fraction of each operation's calls gets an event pair, so that pairs stay within their part
 * of the budget (base/budget.h). For the collector thread only; launching threads read the
 * thresholds. */

/* To be called before the first call. `now` is CLOCK_MONOTONIC in nanoseconds. */
void sampling_start(uint64_t now);
/* Sets the thresholds at the end of each sampling window. To be called once per period of the
 * collector. `threads` launch at the same time. */
void sampling_update(uint64_t now, unsigned threads);

#endif
