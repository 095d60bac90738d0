/* SPDX-License-Identifier: MIT */
#include "preload/launch/thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/events/event_pool.h"
#include "preload/events/gates.h"
#include "preload/handles/instantiation.h"
#include "preload/launch/runtime_call.h"

__thread struct thread *thread_self;

/* The list, to which each thread adds itself, and what is called as one ends. */
static struct {
	struct thread *_Atomic threads;
	pthread_key_t end_key;
	pthread_once_t key_once;
	bool key_made;
} all = {
	.key_once = PTHREAD_ONCE_INIT,
};
_Atomic uint32_t threads_entered;

static void thread_ended(void *argument)
{
	struct thread *thread = argument;

	runtime_call_publish_earlier(thread); /* if it ended inside a runtime call */
	/* If it was cancelled inside of a call. */
	store_relaxed(&thread->in_call, 0);
	instantiation_end();
	for (struct event_pool *pool = thread->pools, *next; pool; pool = next) {
		/* Another thread may take the pool over from the next line on, and then changes
		 * `next`. Release: that thread sees this one's changes. */
		next = pool->next;
		store_release(&pool->idle, true);
	}
	thread->pools = thread->last_pool = NULL;
	if (thread->gate)
		gate_give(thread->gate);
	thread->gate = NULL;
	stream_list_ending(thread->default_streams);
	thread->default_streams = NULL;
	thread_self = NULL;
	/* Release: the collector frees this memory after it has seen the flag. */
	store_release(&thread->ended, true);
}

static void make_key(void)
{
	all.key_made = pthread_key_create(&all.end_key, thread_ended) == 0;
}

struct thread *thread_first(void)
{
	return load_acquire(&all.threads);
}

struct thread *thread_enter(void)
{
	struct thread *thread;

	pthread_once(&all.key_once, make_key);
	/* mmap: the pages are zero, and take memory only as far as they are used. */
	thread = mmap(NULL, sizeof(*thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (thread == MAP_FAILED)
		return NULL;
	thread->error = &errno;
	thread->ring.records = thread->records;
	thread->ring.tail = &thread->ring_tail;
	thread->gate = context_gates_allowed() ? gate_take() : NULL;
	thread->calls_to_count = RECORDED_CALLS - 1;
	thread->turn = FIRST_TURN;
	thread->kernel_id = (uint32_t)syscall(SYS_gettid);
	thread->pthread_id = (uint32_t)pthread_self();
	/* Different for each thread (Knuth's multiplicative hash), and never 0, as Xorshift needs.
	 */
	thread->random = thread->kernel_id * 2654435761u | 1;
	thread->next = load_relaxed(&all.threads);
	while (!atomic_compare_exchange_weak_explicit(&all.threads, &thread->next, thread,
						      memory_order_release, memory_order_relaxed))
		;
	add_relaxed(&threads_entered, 1);
	thread_self = thread;
	/* May call the program's malloc, and that a wrapped function. */
	if (all.key_made)
		pthread_setspecific(all.end_key, thread);
	return thread;
}

static bool is_done(struct thread *thread)
{
	return load_acquire(&thread->ended) &&
	       load_acquire(&thread->ring.head) == load_relaxed(&thread->ring_tail);
}

void thread_reap(void (*last)(struct thread *thread))
{
	struct thread *previous = NULL;
	struct thread *thread = thread_first();

	while (thread) {
		struct thread *next = thread->next;

		/* The head of the list is left to thread_enter(); it is freed when another thread
		 * has been put before it. */
		if (previous && is_done(thread)) {
			previous->next = next;
			last(thread);
			pointer_map_free(&thread->streams);
			pointer_map_free(&thread->kernels);
			pointer_map_free(&thread->graphs);
			pointer_map_free(&thread->launched);
			munmap(thread, sizeof(*thread));
		} else {
			previous = thread;
		}
		thread = next;
	}
}
