/* SPDX-License-Identifier: MIT */
#include "preload/collector/counters.h"

#include "cupti/cupti.h"
#include "preload/base/mode.h"
#include "preload/collector/cost.h"
#include "preload/collector/memory.h"
#include "preload/collector/rows.h"
#include "preload/collector/trace.h"
#include "preload/driver/driver.h"
#include "preload/handles/graph_contents.h"
#include "preload/handles/graph_shapes.h"
#include "preload/handles/stream.h"
#include "preload/launch/thread.h"
#include "preload/memory/allocations.h"
#include "preload/memory/held_changes.h"
#include "preload/metrics/metrics.h"

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

void counters_update(struct session *session, const struct clock_scale *scale)
{
	static uint64_t last_memory_check;
	struct session_header *header = session_header(session);
	uint64_t ticks = 0;

	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		uint64_t host = atomic_load_explicit(&thread->host_ticks, memory_order_relaxed);

		ticks += host - thread->host_ticks_seen;
		thread->host_ticks_seen = host;
	}
	rows_take_lost();
	header->counters[COUNTER_host_ns] += clock_ticks_to_ns(scale, ticks);
	header->counters[COUNTER_wall_ns] = clock_ns(CLOCK_MONOTONIC) - scale->monotonic;
	cost_update(session, threads_that_launch(header->counters[COUNTER_wall_ns]));
	header->counters[COUNTER_threads] = thread_count_entered();
	header->counters[COUNTER_collector_ns] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	header->counters[COUNTER_driver_errors] = driver_failures();
	header->counters[COUNTER_events_created] = 0;
	for (struct context *context = context_first(); context; context = context->next)
		header->counters[COUNTER_events_created] +=
			atomic_load_explicit(&context->events, memory_order_relaxed);
	if (header->counters[COUNTER_wall_ns] - last_memory_check >= MEMORY_PERIOD_NS) {
		last_memory_check = header->counters[COUNTER_wall_ns];
		memory_measure(session);
	}
	watch_wall_clock(header);
	metrics_update(session);
	header->counters[COUNTER_memory_graphs] = graphs_allocations();
	memory_profile_update(session, scale);
	held_trace_update(session, scale, trace_wants_memory());
	if (cupti_active())
		header->counters[COUNTER_cupti_errors] += cupti_errors();
}
