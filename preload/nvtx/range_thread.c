/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/range_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"

/*
 * A start/end range; its number among all of them is its generation here. The collector reads it
 * while it may be ended and started again: its members are written after STARTING, and hold if the
 * id is the same before and after they are read.
 */
struct started_range {
	_Atomic uint64_t id;	  /* 0: free */
	_Atomic uint64_t started; /* ticks */
	_Atomic struct range_owner owner;
	_Atomic uint16_t path;
};
/* A range that is being started or ended; no range's id: these begin with STARTED_MOST. */
#define STARTING 1u

static __thread struct range_thread *self __attribute__((tls_model("initial-exec")));
/* What all threads share: their list, the key whose destructor runs as a thread ends, and the
 * start/end ranges. */
static struct {
	struct range_thread *_Atomic threads;
	pthread_key_t end_key;
	pthread_once_t key_once;
	bool key_made;
	struct started_range started_ranges[STARTED_MOST];
	_Atomic uint64_t starts;
	/* By their bits; path 0: none yet. */
	struct {
		_Atomic uint16_t path;
		_Atomic uint32_t open; /* ranges */
	} started_paths[STARTED_PATHS];
} all = {
	.key_once = PTHREAD_ONCE_INIT,
};
struct range_counts range_counts;

static void count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void thread_ended(void *argument)
{
	struct range_thread *thread = argument;

	self = NULL;
	/* Release: the collector frees this memory after it has seen the flag. */
	atomic_store_explicit(&thread->ended, true, memory_order_release);
}

static void make_key(void)
{
	all.key_made = pthread_key_create(&all.end_key, thread_ended) == 0;
}

static struct range_thread *enter(void)
{
	struct range_thread *thread;
	int saved_errno = errno;

	pthread_once(&all.key_once, make_key);
	/* mmap: the pages are zero, and take memory only as far as they are used. */
	thread = mmap(NULL, sizeof(*thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (thread == MAP_FAILED) {
		errno = saved_errno;
		return NULL;
	}
	thread->kernel_id = (uint32_t)syscall(SYS_gettid);
	thread->pthread_id = (uint32_t)pthread_self();
	thread->next = atomic_load_explicit(&all.threads, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&all.threads, &thread->next, thread,
						      memory_order_release, memory_order_relaxed))
		;
	if (all.key_made)
		pthread_setspecific(all.end_key, thread);
	errno = saved_errno;
	return self = thread;
}

struct range_thread *range_threads(void)
{
	return atomic_load_explicit(&all.threads, memory_order_acquire);
}

static struct change *free_slot(struct range_thread *thread)
{
	uint32_t head = atomic_load_explicit(&thread->head, memory_order_relaxed);

	if (head - thread->known_tail == CHANGE_RECORDS) {
		/* Acquire: the collector has read a slot before the thread overwrites it. */
		thread->known_tail = atomic_load_explicit(&thread->tail, memory_order_acquire);
		if (head - thread->known_tail == CHANGE_RECORDS)
			return NULL;
	}
	return &thread->changes[head % CHANGE_RECORDS];
}

/* Tells the collector of a change. Until ktime runs, only the innermost open range is noted. */
static void publish(struct range_thread *thread, struct change change)
{
	struct change *slot;

	atomic_store_explicit(&thread->now, change.now, memory_order_relaxed);
	if (!lifecycle_running()) {
		atomic_store_explicit(&thread->at_start, change.now, memory_order_relaxed);
		return;
	}
	slot = free_slot(thread);
	change.lost_since = atomic_load_explicit(&thread->lost_since, memory_order_relaxed);
	if (!slot) {
		count(&thread->lost);
		if (!change.lost_since)
			atomic_store_explicit(&thread->lost_since, change.time,
					      memory_order_release);
		return;
	}
	*slot = change;
	if (change.lost_since)
		atomic_store_explicit(&thread->lost_since, 0, memory_order_relaxed);
	/* Release: the change is complete before the collector can see it. */
	atomic_store_explicit(&thread->head,
			      atomic_load_explicit(&thread->head, memory_order_relaxed) + 1,
			      memory_order_release);
}

static uint16_t innermost(const struct range_thread *thread, uint32_t open)
{
	return open ? atomic_load_explicit(&thread->open[open - 1].path, memory_order_relaxed)
		    : PATHS_OUTSIDE;
}

uint16_t range_now(void)
{
	return self ? atomic_load_explicit(&self->now, memory_order_relaxed) : PATHS_OUTSIDE;
}

int range_push(uint8_t domain, uint16_t name)
{
	struct range_thread *thread = self ? self : enter();
	struct open_range *range;
	uint32_t open;
	uint64_t now;

	if (!thread)
		return -1;
	open = atomic_load_explicit(&thread->open_count, memory_order_relaxed);
	if (open == OPEN_MOST) {
		thread->deeper++;
		count(&range_counts.too_deep);
		return (int)thread->levels[domain]++;
	}
	range = &thread->open[open];
	range->name = name;
	range->domain = domain;
	atomic_store_explicit(&range->path,
			      paths_enter(innermost(thread, open), name, RANGE_PUSH_POP),
			      memory_order_relaxed);
	now = clock_ticks();
	atomic_store_explicit(&range->started, now, memory_order_relaxed);
	/* Release: the collector reads the ranges that are open at the end. */
	atomic_store_explicit(&thread->open_count, open + 1, memory_order_release);
	publish(thread, (struct change){.time = now, .now = innermost(thread, open + 1)});
	return (int)thread->levels[domain]++;
}

/* Removes an open range from among the others. Those that it encloses are of other domains; without
 * it they have other paths. */
static void close_range_at(struct range_thread *thread, uint32_t index)
{
	uint32_t last = atomic_load_explicit(&thread->open_count, memory_order_relaxed) - 1;

	for (uint32_t i = index; i < last; i++) {
		struct open_range *range = &thread->open[i], *next = range + 1;

		range->name = next->name;
		range->domain = next->domain;
		atomic_store_explicit(&range->started,
				      atomic_load_explicit(&next->started, memory_order_relaxed),
				      memory_order_relaxed);
		atomic_store_explicit(&range->path,
				      paths_enter(innermost(thread, i), next->name, RANGE_PUSH_POP),
				      memory_order_relaxed);
	}
	atomic_store_explicit(&thread->open_count, last, memory_order_release);
}

int range_pop(uint8_t domain)
{
	struct range_thread *thread = self;
	struct change change = {.time = clock_ticks()};
	uint32_t index;

	if (!thread || !thread->levels[domain]) {
		count(&range_counts.unbalanced);
		return -1;
	}
	thread->levels[domain]--;
	if (thread->deeper) {
		thread->deeper--;
		return (int)thread->levels[domain];
	}
	index = atomic_load_explicit(&thread->open_count, memory_order_relaxed);
	while (index > 0 && thread->open[index - 1].domain != domain)
		index--;
	if (index > 0) {
		change.path = innermost(thread, index);
		change.started = atomic_load_explicit(&thread->open[index - 1].started,
						      memory_order_relaxed);
		close_range_at(thread, index - 1);
	}
	change.now =
		innermost(thread, atomic_load_explicit(&thread->open_count, memory_order_relaxed));
	publish(thread, change);
	return (int)thread->levels[domain];
}

unsigned started_bit(uint16_t path)
{
	for (unsigned bit = 0; bit < STARTED_PATHS; bit++) {
		uint16_t there = started_path(bit);

		if (there == path ||
		    (!there && (atomic_compare_exchange_strong_explicit(
					&all.started_paths[bit].path, &there, path,
					memory_order_relaxed, memory_order_relaxed) ||
				there == path)))
			return bit;
	}
	return STARTED_PATHS;
}

uint16_t started_path(unsigned bit)
{
	return atomic_load_explicit(&all.started_paths[bit].path, memory_order_relaxed);
}

uint32_t range_started_now(void)
{
	uint32_t bits = 0;

	for (unsigned bit = 0; bit < STARTED_PATHS && started_path(bit); bit++)
		if (atomic_load_explicit(&all.started_paths[bit].open, memory_order_relaxed))
			bits |= 1u << bit;
	return bits;
}

/* A range of a path is open from now on, or no longer. */
static void note_open(uint16_t path, uint32_t more)
{
	unsigned bit = started_bit(path);

	if (bit < STARTED_PATHS)
		atomic_fetch_add_explicit(&all.started_paths[bit].open, more, memory_order_relaxed);
}

uint64_t range_start(uint16_t name)
{
	struct range_thread *thread = self ? self : enter();
	uint16_t path = paths_enter(PATHS_OUTSIDE, name, RANGE_START_END);
	uint64_t number = atomic_fetch_add_explicit(&all.starts, 1, memory_order_relaxed) + 1;
	uint64_t now, id;

	for (unsigned tries = 0; thread && path && tries < STARTED_MOST; tries++) {
		uint16_t place = (uint16_t)((number + tries) % STARTED_MOST);
		struct started_range *range = &all.started_ranges[place];
		uint64_t none = 0;

		id = number * STARTED_MOST + place;
		if (!atomic_compare_exchange_strong_explicit(&range->id, &none, STARTING,
							     memory_order_acquire,
							     memory_order_relaxed))
			continue;
		now = clock_ticks();
		/* Release: a reader that sees one of the new members also sees the changed id. */
		atomic_store_explicit(&range->started, now, memory_order_release);
		atomic_store_explicit(&range->owner,
				      ((struct range_owner){thread->kernel_id, thread->pthread_id}),
				      memory_order_release);
		atomic_store_explicit(&range->path, path, memory_order_release);
		atomic_store_explicit(&range->id, id, memory_order_release);
		note_open(path, 1);
		publish(thread, (struct change){.time = now,
						.path = path,
						.now = atomic_load_explicit(&thread->now,
									    memory_order_relaxed),
						.kind = CHANGE_START,
						.place = place});
		return id;
	}
	count(&range_counts.unstarted);
	return 0;
}

void range_end(uint64_t id)
{
	struct range_thread *thread = self ? self : enter();
	uint16_t place = (uint16_t)(id % STARTED_MOST);
	struct started_range *range = &all.started_ranges[place];
	struct change change = {.time = clock_ticks(), .kind = CHANGE_END, .place = place};
	uint64_t ending = id;

	if (!id)
		return; /* range_start() had no room for it */
	/* Of two threads that end it one does. */
	if (!thread || id == STARTING ||
	    !atomic_compare_exchange_strong_explicit(&range->id, &ending, STARTING,
						     memory_order_acquire, memory_order_relaxed)) {
		count(&range_counts.unbalanced);
		return;
	}
	change.started = atomic_load_explicit(&range->started, memory_order_relaxed);
	change.path = atomic_load_explicit(&range->path, memory_order_relaxed);
	change.now = atomic_load_explicit(&thread->now, memory_order_relaxed);
	note_open(change.path, -1u);
	/* Published before the place is free: the collector sees the end before the next start. */
	publish(thread, change);
	atomic_store_explicit(&range->id, 0, memory_order_release);
}

void range_each_started(void (*take)(struct range_owner, uint16_t, uint16_t, uint64_t))
{
	for (uint16_t place = 0; place < STARTED_MOST; place++) {
		struct started_range *range = &all.started_ranges[place];
		uint64_t id = atomic_load_explicit(&range->id, memory_order_acquire);
		uint64_t started = atomic_load_explicit(&range->started, memory_order_acquire);
		struct range_owner owner =
			atomic_load_explicit(&range->owner, memory_order_acquire);
		uint16_t path = atomic_load_explicit(&range->path, memory_order_acquire);

		if (id > STARTING && atomic_load_explicit(&range->id, memory_order_relaxed) == id)
			take(owner, path, place, started);
	}
}
