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

static void thread_ended(void *argument)
{
	struct range_thread *thread = argument;

	self = NULL;
	/* Release: the collector frees this memory after it has seen the flag. */
	store_release(&thread->ended, true);
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
	thread->next = load_relaxed(&all.threads);
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
	return load_acquire(&all.threads);
}

static struct change *free_slot(struct range_thread *thread)
{
	uint32_t head = load_relaxed(&thread->head);

	if (head - thread->known_tail == CHANGE_RECORDS) {
		/* Acquire: the collector has read a slot before the thread overwrites it. */
		thread->known_tail = load_acquire(&thread->tail);
		if (head - thread->known_tail == CHANGE_RECORDS)
			return NULL;
	}
	return &thread->changes[head % CHANGE_RECORDS];
}

/* Tells the collector of a change. Until ktime runs, only the innermost open range is noted. */
static void publish(struct range_thread *thread, struct change change)
{
	struct change *slot;

	store_relaxed(&thread->now, change.now);
	if (!lifecycle_running()) {
		store_relaxed(&thread->at_start, change.now);
		return;
	}
	slot = free_slot(thread);
	change.lost_since = load_relaxed(&thread->lost_since);
	if (!slot) {
		add_relaxed(&thread->lost, 1);
		if (!change.lost_since)
			store_release(&thread->lost_since, change.time);
		return;
	}
	*slot = change;
	if (change.lost_since)
		store_relaxed(&thread->lost_since, 0);
	/* Release: the change is complete before the collector can see it. */
	store_release(&thread->head, load_relaxed(&thread->head) + 1);
}

static uint16_t innermost(const struct range_thread *thread, uint32_t open)
{
	return open ? load_relaxed(&thread->open[open - 1].path) : PATHS_OUTSIDE;
}

uint16_t range_now(void)
{
	return self ? load_relaxed(&self->now) : PATHS_OUTSIDE;
}

int range_push(uint8_t domain, uint16_t name)
{
	struct range_thread *thread = self ? self : enter();
	struct open_range *range;
	uint32_t open;
	uint64_t now;

	if (!thread)
		return -1;
	open = load_relaxed(&thread->open_count);
	if (open == OPEN_MOST) {
		thread->deeper++;
		add_relaxed(&range_counts.too_deep, 1);
		return (int)thread->levels[domain]++;
	}
	range = &thread->open[open];
	range->name = name;
	range->domain = domain;
	store_relaxed(&range->path, paths_enter(innermost(thread, open), name, RANGE_PUSH_POP));
	now = clock_ticks();
	store_relaxed(&range->started, now);
	/* Release: the collector reads the ranges that are open at the end. */
	store_release(&thread->open_count, open + 1);
	publish(thread, (struct change){.time = now, .now = innermost(thread, open + 1)});
	return (int)thread->levels[domain]++;
}

/* Removes an open range from among the others. Those that it encloses are of other domains; without
 * it they have other paths. */
static void close_range_at(struct range_thread *thread, uint32_t index)
{
	uint32_t last = load_relaxed(&thread->open_count) - 1;

	for (uint32_t i = index; i < last; i++) {
		struct open_range *range = &thread->open[i], *next = range + 1;

		range->name = next->name;
		range->domain = next->domain;
		store_relaxed(&range->started, load_relaxed(&next->started));
		store_relaxed(&range->path,
			      paths_enter(innermost(thread, i), next->name, RANGE_PUSH_POP));
	}
	store_release(&thread->open_count, last);
}

int range_pop(uint8_t domain)
{
	struct range_thread *thread = self;
	struct change change = {.time = clock_ticks()};
	uint32_t index;

	if (!thread || !thread->levels[domain]) {
		add_relaxed(&range_counts.unbalanced, 1);
		return -1;
	}
	thread->levels[domain]--;
	if (thread->deeper) {
		thread->deeper--;
		return (int)thread->levels[domain];
	}
	index = load_relaxed(&thread->open_count);
	while (index > 0 && thread->open[index - 1].domain != domain)
		index--;
	if (index > 0) {
		change.path = innermost(thread, index);
		change.started = load_relaxed(&thread->open[index - 1].started);
		close_range_at(thread, index - 1);
	}
	change.now = innermost(thread, load_relaxed(&thread->open_count));
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
	return load_relaxed(&all.started_paths[bit].path);
}

uint32_t range_started_now(void)
{
	uint32_t bits = 0;

	for (unsigned bit = 0; bit < STARTED_PATHS && started_path(bit); bit++)
		if (load_relaxed(&all.started_paths[bit].open))
			bits |= 1u << bit;
	return bits;
}

/* A range of a path is open from now on, or no longer. */
static void note_open(uint16_t path, uint32_t more)
{
	unsigned bit = started_bit(path);

	if (bit < STARTED_PATHS)
		add_relaxed(&all.started_paths[bit].open, more);
}

uint64_t range_start(uint16_t name)
{
	struct range_thread *thread = self ? self : enter();
	uint16_t path = paths_enter(PATHS_OUTSIDE, name, RANGE_START_END);
	uint64_t number = add_relaxed(&all.starts, 1) + 1;
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
		store_release(&range->started, now);
		store_release(&range->owner,
			      ((struct range_owner){thread->kernel_id, thread->pthread_id}));
		store_release(&range->path, path);
		store_release(&range->id, id);
		note_open(path, 1);
		publish(thread, (struct change){.time = now,
						.path = path,
						.now = load_relaxed(&thread->now),
						.kind = CHANGE_START,
						.place = place});
		return id;
	}
	add_relaxed(&range_counts.unstarted, 1);
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
		add_relaxed(&range_counts.unbalanced, 1);
		return;
	}
	change.started = load_relaxed(&range->started);
	change.path = load_relaxed(&range->path);
	change.now = load_relaxed(&thread->now);
	note_open(change.path, -1u);
	/* Published before the place is free: the collector sees the end before the next start. */
	publish(thread, change);
	store_release(&range->id, 0);
}

void range_each_started(void (*take)(struct range_owner, uint16_t, uint16_t, uint64_t))
{
	for (uint16_t place = 0; place < STARTED_MOST; place++) {
		struct started_range *range = &all.started_ranges[place];
		uint64_t id = load_acquire(&range->id);
		uint64_t started = load_acquire(&range->started);
		struct range_owner owner = load_acquire(&range->owner);
		uint16_t path = load_acquire(&range->path);

		if (id > STARTING && load_relaxed(&range->id) == id)
			take(owner, path, place, started);
	}
}

uint32_t range_starter(uint16_t place, uint64_t started)
{
	const struct started_range *range = &all.started_ranges[place];
	/* Acquire, and first: `started` is not older than the owner. */
	struct range_owner owner = load_acquire(&range->owner);

	return load_relaxed(&range->started) == started ? owner.kernel_id : 0;
}
