/* SPDX-License-Identifier: MIT */
#include "preload/collector/cost.h"

#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cupti/buffers.h"
#include "cupti/cupti.h"
#include "cupti/library.h"
#include "preload/base/background_thread.h"
#include "preload/base/run.h"
#include "preload/collector/records.h"
#include "preload/collector/trace.h"
#include "preload/driver/driver.h"
#include "preload/events/calibration.h"
#include "preload/events/event_pool.h"
#include "preload/handles/graph_contents.h"
#include "preload/handles/stream.h"
#include "preload/launch/thread.h"
#include "preload/memory/holdings.h"
#include "preload/metrics/metrics.h"
#include "preload/recording/rows.h"
#include "preload/timeline/timeline.h"

/* How many streams of a device are remembered; then the one that ended first is replaced.
 * Chosen. */
#define STREAMS 32

/* The latest operation of a stream. */
struct latest {
	uint64_t stream, start, end;
};

static struct device {
	struct latest streams[STREAMS];
	unsigned count, current; /* `current`: index of the last record's stream */
	struct latest last,
		second; /* `last` ended last; `second` ended last in the other streams */
} devices[SESSION_DEVICES];

/* A stream's entry; its `end` is 0 if it is new. */
static struct latest *latest_of(struct device *device, uint64_t stream)
{
	unsigned oldest = 0;

	if (device->count > 0 && device->streams[device->current].stream == stream)
		return &device->streams[device->current];
	for (unsigned i = 0; i < device->count; i++) {
		if (device->streams[i].stream == stream) {
			device->current = i;
			return &device->streams[i];
		}
		if (device->streams[i].end < device->streams[oldest].end)
			oldest = i;
	}
	device->current = device->count < STREAMS ? device->count++ : oldest;
	device->streams[device->current] = (struct latest){.stream = stream};
	return &device->streams[device->current];
}

static void note_end(struct device *device, const struct latest *current)
{
	if (current->stream == device->last.stream) {
		device->last = *current;
	} else if (current->end > device->last.end) {
		device->second = device->last;
		device->last = *current;
	} else if (current->stream == device->second.stream || current->end > device->second.end) {
		device->second = *current;
	}
}

struct concurrency concurrency_add(const struct activity *activity)
{
	uint64_t stream = (uint64_t)activity->context << 32 | activity->stream;
	unsigned number = activity->device < SESSION_DEVICES ? activity->device : 0;
	struct device *device = &devices[number];
	struct latest *current = latest_of(device, stream);
	const struct latest *other =
		device->last.stream == stream ? &device->second : &device->last;
	struct concurrency before = {
		.overlapped = other->end > activity->start && other->start < activity->end,
		.same_stream = device->last.stream == stream,
		.stream_end = current->end,
		.device_end = device->last.end,
	};

	current->start = activity->start;
	current->end = activity->end;
	note_end(device, current);
	return before;
}

/*
 * A gap before an operation that is longer than this means that the device was idle, waiting for
 * the host: between queued kernels there are at most 1.1 us, with CUPTI (H200). The program then
 * waited for the operation's call, which includes CUPTI's part of it.
 */
#define IDLE_NS		    2000u
/*
 * CUPTI's part of a launch call, which it makes longer (H200, driver 580, CUPTI 13.0): 0.17 to 0.28
 * in a loop of empty kernels, in seven runs of the benchmark (0.52 to 1.33 us of 3.0 to 4.7 us);
 * 0.14 to 0.27 in ResNet-50 at batch 1 (0.9 to 1.5 us of 5.6 to 7.4 us). Limited, as a call may
 * also wait for something else. The duration of a call that is not known is taken from the loop.
 */
#define CUPTI_PART	    0.2
#define CUPTI_HOST_MOST_NS  2000.0
#define UNKNOWN_CALL_NS	    4000u
/*
 * What CUPTI adds to queued work on the device, measured there: 0.2 to 0.7 us to kernels of 3, 10
 * and 100 us (0.3 in most runs), 0.36 to 0.5 to each node of a graph, 1.3 to copies of 4 KB, and
 * 0.08 to 0.23 to kernels of 16 threads in 16 streams, which run while others end.
 */
#define KERNEL_GPU_NS	    280u
#define NODE_GPU_NS	    380u
#define COPY_GPU_NS	    1300u
#define OTHER_STREAM_GPU_NS 200u

static struct {
	/* Operations that the device was idle before, and those that were queued. */
	uint64_t awaited, queued;
	/* In nanoseconds: the event pairs' time on the device, and the hooks' time on all threads
	 * that `hooks` includes. */
	uint64_t pairs_gpu, hooks_seen;
	double hooks; /* divided by the threads that ran them at once */
} spent;
/* How many threads are in hooks at once. The driver serialises the launches of a context, but much
 * of a call runs concurrently. */
unsigned cost_threads = 1;

static uint64_t on_host(const struct in_flight *call)
{
	uint64_t taken = call ? call->ended - call->started : UNKNOWN_CALL_NS;
	double part = CUPTI_PART * (double)taken;

	return (uint64_t)(part < CUPTI_HOST_MOST_NS ? part : CUPTI_HOST_MOST_NS);
}

static uint64_t on_device(const struct activity *activity, const struct concurrency *before)
{
	if (!before->same_stream)
		return OTHER_STREAM_GPU_NS;
	if (activity->graph_node)
		return NODE_GPU_NS;
	return activity->kind == ACTIVITY_MEMCPY || activity->kind == ACTIVITY_MEMCPY_PEER
		       ? COPY_GPU_NS
		       : KERNEL_GPU_NS;
}

void cost_take(const struct seen *seen)
{
	const struct activity *activity = seen->activity;
	const struct concurrency *before = &seen->before;
	/* A node of a graph has no call. */
	uint64_t host = activity->graph_node ? 0 : on_host(seen->call);

	run_count(COUNTER_cupti_ns, host);
	/* What comes before a node may be a kernel of its graph that is not recorded now. */
	if (!activity->graph_node && activity->start > before->device_end &&
	    activity->start - before->device_end > IDLE_NS) {
		spent.awaited++;
		run_count(COUNTER_cupti_added_ns, host / cost_threads);
	} else {
		uint64_t device = on_device(activity, before);

		spent.queued += !activity->graph_node;
		run_count(COUNTER_gpu_ns, device);
		run_count(COUNTER_cupti_added_ns, device);
	}
}

void cost_of_pair(void)
{
	spent.pairs_gpu += EVENT_PAIR_GPU_NS + (cost_threads - 1) * EVENT_PAIR_THREAD_NS;
	run_count(COUNTER_gpu_ns, EVENT_PAIR_GPU_NS);
}

void cost_update(unsigned threads)
{
	uint64_t *counters = run.header->counters;
	uint64_t host;

	if (threads > 0)
		cost_threads = threads;
	spent.hooks += (double)(counters[COUNTER_host_ns] - spent.hooks_seen) / cost_threads;
	spent.hooks_seen = counters[COUNTER_host_ns];
	host = (uint64_t)spent.hooks;
	/* Nobody waits for the hooks while the device has work to do. */
	if (spent.awaited + spent.queued > 0)
		host = (uint64_t)(spent.hooks * (double)spent.awaited /
				  (double)(spent.awaited + spent.queued));
	/* The host and the device work at the same time: the program waits for the slower one. */
	counters[COUNTER_added_ns] = counters[COUNTER_cupti_added_ns] +
				     (host > spent.pairs_gpu ? host : spent.pairs_gpu);
}

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

/* The resident bytes of those parts of ktime's memory for which the kernel must be asked. */
static uint64_t all_resident(void)
{
	uint64_t bytes = collector_stack();
	const void *start;
	size_t size;

	dl_iterate_phdr(add_data, &bytes);
	for (struct thread *thread = thread_first(); thread; thread = thread->next)
		bytes += resident(thread, sizeof(*thread));
	session_range(run.session, &start, &size);
	bytes += resident(start, size);
	buffers_range(&start, &size);
	bytes += resident(start, size);
	start = holdings_range(&size);
	return bytes + resident(start, size);
}

void memory_measure(void)
{
	static uint64_t last_resident;
	uint64_t *peak = &run.header->counters[COUNTER_memory_bytes];
	uint64_t bytes;

	if (sandbox_calls_begin()) {
		last_resident = all_resident();
		sandbox_calls_end();
	}
	bytes = last_resident;
	for (const struct event_pool *pool = event_pool_first(); pool; pool = pool->all_next)
		bytes += sizeof(*pool) + BLOCK_BYTES +
			 pool->pairs * (sizeof(struct event_pair) + BLOCK_BYTES);
	bytes += matcher_memory() + calls_memory() + timeline_memory();
	RAISE(*peak, bytes);
}

/* How often ktime's memory is measured. Chosen: it takes some 50 us. */
#define MEMORY_PERIOD_NS  1000000000u
/* Over how long threads that launch count as launching at the same time: that of a sampling window
 * (sampling.c). In it one that waits for the driver among 15 others launches hundreds of times. */
#define THREADS_PERIOD_NS 20000000u

/* The number of allocations that graphs' nodes have made, each at every launch. */
static uint64_t graphs_allocations(void)
{
	uint64_t count = 0;

	for (const struct operation *graph = graph_allocating_first(); graph;
	     graph = graph->allocating) {
		const struct graph_contents *contents = load_acquire(&graph->contents);

		for (int device = 0; device < SESSION_DEVICES; device++) {
			const struct row *row = graph->rows[device];

			if (row)
				count += (row->calls + row->calls_outside) * contents->allocations;
		}
	}
	return count;
}

/* How far the wall clock is from where it was at the start, by the monotonic one. */
static void watch_wall_clock(void)
{
	struct session_header *header = run.header;
	uint64_t offset = clock_realtime_offset(), start = header->clock_offset, moved;

	if (start == 0)
		header->clock_offset = start = offset;
	moved = offset > start ? offset - start : start - offset;
	RAISE(header->clock_moved, moved);
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
	struct session_header *header = run.header;
	uint64_t ticks = 0;

	for (struct thread *thread = thread_first(); thread; thread = thread->next) {
		uint64_t host = load_relaxed(&thread->host_ticks);

		ticks += host - thread->host_ticks_seen;
		thread->host_ticks_seen = host;
	}
	rows_take_lost();
	header->counters[COUNTER_host_ns] += clock_ticks_to_ns(&run.scale, ticks);
	header->counters[COUNTER_wall_ns] = clock_ns(CLOCK_MONOTONIC) - run.scale.monotonic;
	cost_update(threads_that_launch(header->counters[COUNTER_wall_ns]));
	header->counters[COUNTER_threads] = threads_entered;
	header->counters[COUNTER_collector_ns] = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	header->counters[COUNTER_driver_errors] = driver_failures;
	header->counters[COUNTER_events_created] = 0;
	for (struct context *context = context_first(); context; context = context->next)
		header->counters[COUNTER_events_created] += load_relaxed(&context->events);
	if (header->counters[COUNTER_wall_ns] - last_memory_check >= MEMORY_PERIOD_NS) {
		last_memory_check = header->counters[COUNTER_wall_ns];
		memory_measure();
	}
	watch_wall_clock();
	metrics_update();
	header->counters[COUNTER_memory_graphs] = graphs_allocations();
	memory_profile_update();
	held_trace_update(trace_wants_memory());
	if (cupti_active())
		header->counters[COUNTER_cupti_errors] += library_errors();
}
