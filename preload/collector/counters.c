/* SPDX-License-Identifier: MIT */
#include "preload/collector/counters.h"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/library.h"
#include "preload/base/background_thread.h"
#include "preload/base/settings.h"
#include "preload/collector/calls.h"
#include "preload/collector/cost.h"
#include "preload/recording/rows.h"
#include "preload/collector/trace.h"
#include "preload/driver/driver.h"
#include "preload/events/event_pool.h"
#include "preload/handles/graph.h"
#include "preload/handles/stream.h"
#include "preload/launch/thread.h"
#include "preload/memory/allocations.h"
#include "preload/memory/holdings.h"
#include "preload/metrics/metrics.h"
#include "preload/timeline/timeline.h"

/* glibc's malloc() puts this much before each block. */
#define BLOCK_BYTES 16u
/* Pages for one call of mincore(): 16 MB. Chosen. */
#define PAGES_ASKED 4096u

static uint64_t resident(const void *start, size_t size)
{
	static unsigned char pages[PAGES_ASKED];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)start & ~(page - 1);
	uintptr_t end = (uintptr_t)start + size;
	uint64_t count = 0;

	while (start && at < end) {
		size_t left = (end - at + page - 1) / page;
		size_t asked = left < PAGES_ASKED ? left : PAGES_ASKED;

		if (mincore((void *)at, asked * page, pages) == 0)
			for (size_t i = 0; i < asked; i++)
				count += pages[i] & 1;
		at += asked * page;
	}
	return count * page;
}

/* Adds the resident part of libktime.so's writable segments. */
static int add_data(struct dl_phdr_info *info, size_t size, void *argument)
{
	uint64_t bytes = 0;
	bool is_ktime = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W))
			continue;
		is_ktime |= (uintptr_t)&thread_first >= info->dlpi_addr &&
			    (uintptr_t)&thread_first < start + segment->p_memsz;
		bytes += resident((const void *)start, segment->p_memsz);
		if (!is_ktime)
			return 0;
	}
	*(uint64_t *)argument += bytes;
	return is_ktime;
}

static uint64_t collector_stack(void)
{
	pthread_attr_t attributes;
	uint64_t bytes = 0;
	void *start;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		if (pthread_attr_getstack(&attributes, &start, &size) == 0)
			bytes = resident(start, size);
		pthread_attr_destroy(&attributes);
	}
	return bytes;
}

/* What only the kernel knows. */
static uint64_t all_resident(void)
{
	uint64_t bytes = collector_stack();
	const void *start;
	size_t size;

	dl_iterate_phdr(add_data, &bytes);
	for (struct thread *thread = thread_first(); thread; thread = thread->next)
		bytes += resident(thread, sizeof(*thread));
	session_range(rows_session, &start, &size);
	bytes += resident(start, size);
	buffers_range(&start, &size);
	bytes += resident(start, size);
	start = holdings_range(&size);
	return bytes + resident(start, size);
}

void memory_measure(void)
{
	static uint64_t last_resident;
	uint64_t *peak = &session_header(rows_session)->counters[COUNTER_memory_bytes];
	uint64_t bytes;

	if (sandbox_calls_begin()) {
		last_resident = all_resident();
		sandbox_calls_end();
	}
	bytes = last_resident;
	for (const struct event_pool *pool = event_pool_first(); pool; pool = pool->all_next)
		bytes += sizeof(*pool) + BLOCK_BYTES +
			 pool->pairs * (sizeof(struct event_pair) + BLOCK_BYTES);
	bytes += matcher_memory() + in_flight_memory() + timeline_memory();
	if (bytes > *peak)
		*peak = bytes;
}

/* How often ktime's memory is measured. Chosen: it takes some 50 us. */
#define MEMORY_PERIOD_NS  1000000000u
/* Over how long threads that launch count as launching at the same time: that of a sampling window
 * (sampling.c). In it one that waits for the driver among 15 others launches hundreds of times. */
#define THREADS_PERIOD_NS 20000000u

/* By nodes of graphs, each at every launch. */
static uint64_t graphs_allocations(void)
{
	uint64_t count = 0;

	for (const struct operation *graph = graph_allocating_first(); graph;
	     graph = graph->allocating) {
		const struct graph_contents *contents =
			atomic_load_explicit(&graph->contents, memory_order_acquire);

		for (int device = 0; device < SESSION_DEVICES; device++) {
			const struct row *row = graph->rows[device];

			if (row)
				count += (row->calls + row->calls_outside) * contents->allocations;
		}
	}
	return count;
}

/* How far the wall clock is from where it was at the start, by the monotonic one. */
static void watch_wall_clock(struct session_header *header)
{
	uint64_t offset = clock_realtime_offset(), start = header->clock_offset, moved;

	if (start == 0)
		header->clock_offset = start = offset;
	moved = offset > start ? offset - start : start - offset;
	if (moved > header->clock_moved)
		header->clock_moved = moved;
}

/* How many threads have launched in the last THREADS_PERIOD_NS; 0 until that is over. */
static unsigned threads_that_launch(uint64_t now)
{
	static uint64_t last;
	unsigned threads = 0;

	if (now - last < THREADS_PERIOD_NS)
		return 0;
	last = now;
	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		threads += thread->has_launched;
		thread->has_launched = false;
	}
	return threads;
}

void counters_update(void)
{
	static uint64_t last_memory_check;
	struct session_header *header = session_header(rows_session);
	uint64_t ticks = 0;

	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		uint64_t host = atomic_load_explicit(&thread->host_ticks, memory_order_relaxed);

		ticks += host - thread->host_ticks_seen;
		thread->host_ticks_seen = host;
	}
	rows_take_lost();
	header->counters[COUNTER_host_ns] += clock_ticks_to_ns(rows_scale, ticks);
	header->counters[COUNTER_wall_ns] = clock_ns(CLOCK_MONOTONIC) - rows_scale->monotonic;
	cost_update(threads_that_launch(header->counters[COUNTER_wall_ns]));
	header->counters[COUNTER_threads] = thread_count_entered();
	header->counters[COUNTER_collector_ns] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	header->counters[COUNTER_driver_errors] = driver_failures();
	header->counters[COUNTER_events_created] = 0;
	for (struct context *context = context_first(); context; context = context->next)
		header->counters[COUNTER_events_created] +=
			atomic_load_explicit(&context->events, memory_order_relaxed);
	if (header->counters[COUNTER_wall_ns] - last_memory_check >= MEMORY_PERIOD_NS) {
		last_memory_check = header->counters[COUNTER_wall_ns];
		memory_measure();
	}
	watch_wall_clock(header);
	metrics_update(rows_session);
	header->counters[COUNTER_memory_graphs] = graphs_allocations();
	memory_profile_update(rows_session, rows_scale);
	held_trace_update(rows_session, rows_scale, trace_wants_memory());
	if (cupti_active())
		header->counters[COUNTER_cupti_errors] += library_errors();
}
