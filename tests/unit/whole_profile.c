/* SPDX-License-Identifier: MIT */
#include "tests/unit/whole_profile.h"

#include <math.h>

#include "report/session/items.h"
#include "report/session/estimate.h"
#include "tests/unit/devices.h"
#include "tests/unit/test.h"

#define US 1000ull
#define MS 1000000ull

static struct session *session;

static const struct device_info devices[] = {
	{.name = "NVIDIA H200",
	 .uuid = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 1, 2, 3, 4, 5, 6, 7, 8},
	 .used = 1,
	 .memory = 150110011392,
	 DEVICES_H200,
	 .nvlink_links = 18,
	 .nvlink_mbps = 26562},
	{.name = "NVIDIA L40S",
	 .used = 1,
	 .compute_capability = 89,
	 .memory = 47704637440,
	 .multiprocessors = 142,
	 .clock_khz = 2520000,
	 .memory_clock_khz = 9001000,
	 .bus_bits = 384,
	 .l2_bytes = 100663296,
	 .ecc = ECC_OFF,
	 .most_threads = 1536,
	 .most_blocks = 24,
	 .most_registers = 65536,
	 .most_shared = 102400,
	 .reserved_shared = 1024,
	 .pcie_generation = 4,
	 .pcie_lanes = 8},
	{.name = "NVIDIA GH200",
	 .used = 1,
	 .compute_capability = 90,
	 .multiprocessors = 66,
	 .clock_khz = 1755000,
	 .integrated = 0,
	 .coherent = 1,
	 .c2c_mbps = 450000},
};

/* Calls by one clock, each longer than the one before it by a little more. */
static void add_times(struct figures *figures, unsigned calls, uint64_t from, uint64_t step,
		      uint64_t size)
{
	for (unsigned i = 0; i < calls; i++) {
		uint64_t duration = from + step * i * i;

		session_add_sample(session, figures, duration);
		if (size)
			session_add_size(figures, size * (1 + i % 3), duration);
	}
}

/* Calls by events, one in `weight` of which was timed. */
static void add_sample(struct row *row, unsigned timed, unsigned weight, uint64_t from,
		       uint64_t step)
{
	for (unsigned i = 0; i < timed; i++) {
		uint64_t duration = from + step * (i * 7 % 11);
		uint64_t place = estimate_call(&row->estimate, weight);

		session_add_weighted(session, &row->events, duration, weight);
		estimate_timed(&row->estimate, place, weight, duration);
	}
	row->calls += (uint64_t)timed * weight;
	row->untimed[UNTIMED_SAMPLED_OUT] += (uint64_t)timed * (weight - 1);
}

static struct row *row_of(enum row_kind kind, const char *name, int device)
{
	struct row *row = session_row(session, kind, name, device);

	assert_non_null(row);
	return row;
}

/* Calls timed by CUPTI. */
static struct row *add_row(enum row_kind kind, const char *name, int device, unsigned calls,
			   uint64_t from, uint64_t step, uint64_t size)
{
	struct row *row = row_of(kind, name, device);

	row->calls += calls;
	add_times(&row->cupti, calls, from, step, size);
	if (kind == ROW_MEMCPY || kind == ROW_MEMSET)
		for (unsigned i = 0; i < calls; i++)
			session_add_bytes(row, size * (1 + i % 3));
	return row;
}

/* The same calls by both clocks; the events take `longer`. */
static void add_check(struct row *row, unsigned calls, uint64_t from, uint64_t step,
		      uint64_t longer)
{
	for (unsigned i = 0; i < calls; i++) {
		uint64_t duration = from + step * i * i;

		session_add_sample(session, &row->events, duration + longer);
		row->checked++;
		row->checked_cupti += duration;
		row->checked_raw += duration + longer + 2900;
		row->checked_events += duration + longer;
		session_add_difference(session, row, longer + i % 4 * 10);
	}
}

static void add_kernels(void)
{
	struct row *row;

	row = add_row(ROW_KERNEL, "_Z5saxpyifPKfPf", 0, 40, 20 * US, 23, 1 << 20);
	add_check(row, 31, 20 * US, 23, 150);
	session_add_shape(row, &(struct launch_shape){256, 32, 0, 0, 1, 4096});
	session_add_shape(row, &(struct launch_shape){256, 32, 0, 0, 1, 8192});
	row->untimed[UNTIMED_NO_EVENT] = 5;
	row->untimed[UNTIMED_RING_FULL] = 4;
	row->failed = 2;
	row->calls_outside = 17;
	row = add_row(ROW_KERNEL, "_Z5saxpyifPKfPf", 1, 7, 31 * US, 41, 1 << 21);
	session_add_shape(row, &(struct launch_shape){512, 40, 16384, 0, 1, 3000});
	row = add_row(ROW_KERNEL, "_ZN4math6reduceILi4EdEEvPKT0_PS1_m", 0, 12, 410 * US, 7,
		      1 << 18);
	add_check(row, 12, 410 * US, 7, 60 * US);
	row->checked_overlapped = 9;
	row->waited = 3;
	row->unmatched = 1;
	row->gated = 6;
	session_add_shape(row, &(struct launch_shape){1024, 64, 49152, 0, 1, 264});
	session_add_shape(row, &(struct launch_shape){128, 64, 0, 0, 1, 132});
	row = add_row(ROW_KERNEL, "_ZN4math6reduceILi8EfEEvPKT0_PS1_m", 0, 9, 205 * US, 11,
		      1 << 17);
	session_add_shape(row, &(struct launch_shape){1024, 255, 0, 0, 1, 66});
	row = add_row(ROW_KERNEL, "plain_c_kernel", 2, 3, 1 * MS, 13, 0);
	row->more_calls = 1;
	row = add_row(ROW_KERNEL, "_Z4tinyv", 1, 1100, 2100, 0, 32);
	session_add_shape(row, &(struct launch_shape){32, 16, 0, 0, 1, 1});
	row = row_of(ROW_KERNEL, "_Z7untimedv", 0);
	row->calls = 19;
	row->untimed[UNTIMED_CONTEXT_LOST] = 8;
	row->untimed[UNTIMED_NOT_FINISHED] = 11;
	row = row_of(ROW_KERNEL, "_Z9by_eventsv", 0);
	row->calls = 21;
	add_times(&row->events, 21, 77 * US, 3, 0);
	row->overhead = OVERHEAD_KERNEL;
	row->may_wait = 14;
	row->beside = 9;
	row->queued = 15;
}

static void add_copies(void)
{
	struct row *row;

	row = add_row(ROW_MEMCPY, "[CUDA memcpy HtoD]", 0, 11, 1100 * US, 1000, 48 << 20);
	add_check(row, 8, 1100 * US, 1000, 90);
	row->host_included = 4;
	add_row(ROW_MEMCPY, "[CUDA memcpy DtoH]", 0, 6, 300 * US, 500, 10 << 20);
	add_row(ROW_MEMCPY, "[CUDA memcpy DtoD]", 0, 8, 66 * US, 300, 80 << 20);
	add_row(ROW_MEMCPY, "[CUDA memcpy PtoP]", 0, 5, 900 * US, 200, 64 << 20);
	add_row(ROW_MEMCPY, "[CUDA memcpy HtoD]", 1, 4, 5 * MS, 2000, 60 << 20);
	add_row(ROW_MEMCPY, "[CUDA memcpy HtoD]", 2, 2, 7 * MS, 3000, 70 << 20);
	add_row(ROW_MEMSET, "[CUDA memset]", 0, 10, 9 * US, 90, 4 << 10);
	add_row(ROW_MEMSET, "[CUDA memset]", 1, 2, 700 * US, 90, 300 << 20);
	row = add_row(ROW_GRAPH, "[CUDA graph step/3]", 0, 5, 800 * US, 4000, 0);
	row->nodes = 4;
	row->graph_records = 20;
	row->kernels_listed = session_intern(session, "_Z5saxpyifPKfPf\n_Z4tinyv");
	add_row(ROW_MOVEMENT, "[CUDA prefetch]", 0, 2, 40 * US, 70, 0);
	add_row(ROW_OTHER, "[CUDA stream write]", 0, 3, 1500, 30, 0);
}

static void add_api(void)
{
	struct row *row;

	row = add_row(ROW_RUNTIME_API, "cudaLaunchKernel", -1, 1190, 3000, 0, 0);
	row->failed = 2;
	add_row(ROW_RUNTIME_API, "cudaMemcpy", -1, 17, 1200 * US, 9000, 0);
	add_row(ROW_RUNTIME_API, "cudaDeviceSynchronize", -1, 13, 2 * MS, 70 * US, 0);
	add_row(ROW_DRIVER_API, "cuGraphLaunch", -1, 5, 8 * US, 400, 0);
	row = row_of(ROW_DRIVER_API, "cuStreamQuery", -1);
	row->calls = 23;
	add_row(ROW_OVERHEAD, "Buffer Flush", -1, 3, 50 * US, 600, 0);
}

static void add_idle(int device, enum idle_cause cause, const char *call, uint32_t thread,
		     unsigned gaps, uint64_t each, const char *before, const char *after)
{
	struct idle_row key = {.cause = cause,
			       .device = device,
			       .thread = thread,
			       .name = call ? session_intern(session, call) : 0};
	struct idle_row *row = session_idle_row(session, &key);

	assert_non_null(row);
	for (unsigned i = 0; i < gaps; i++)
		session_add_idle(row, each + i, session_intern(session, before),
				 session_intern(session, after));
}

static void add_use(void)
{
	struct session_header *header = session_header(session);

	header->uses[0] = (struct device_use){.first = 1000 * MS,
					      .last = 3000 * MS,
					      .excluded = 250 * MS,
					      .busy = 640 * MS,
					      .kernels = 530 * MS,
					      .copies = 150 * MS,
					      .contexts = 2};
	header->uses[1] = (struct device_use){.first = 1100 * MS,
					      .last = 1500 * MS,
					      .busy = 90 * MS,
					      .kernels = 30 * MS,
					      .copies = 61 * MS,
					      .late = 7,
					      .contexts = 1};
	header->uses[2] = (struct device_use){.first = 1 * MS,
					      .last = 21 * MS,
					      .busy = 17 * MS,
					      .copies = 17 * MS,
					      .contexts = 1};
	add_idle(0, IDLE_PROGRAM, NULL, 71, 3, 160 * MS, "_Z5saxpyifPKfPf", "[CUDA memset]");
	add_idle(0, IDLE_PROGRAM, NULL, 72, 2, 25 * MS, "[CUDA memset]", "_Z4tinyv");
	add_idle(0, IDLE_AFTER_WAIT, NULL, 71, 4, 30 * MS, "_Z4tinyv", "plain_c_kernel");
	add_idle(0, IDLE_CALL, "cudaMalloc", 71, 5, 9 * MS, "_Z4tinyv", "_Z5saxpyifPKfPf");
	add_idle(0, IDLE_CALL, "cuModuleLoadData", 72, 2, 60 * MS, "", "_Z4tinyv");
	add_idle(0, IDLE_CALL, "", 71, 1, 3 * MS, "_Z4tinyv", "_Z4tinyv");
	add_idle(0, IDLE_FIRST_LAUNCH, NULL, 71, 6, 8 * MS, "_Z4tinyv", "_Z9by_eventsv");
	add_idle(0, IDLE_LATENCY, NULL, 71, 50, 44 * US, "_Z4tinyv", "_Z4tinyv");
	add_idle(0, IDLE_DEPENDENCY, NULL, 73, 3, 700 * US, "[CUDA memset]", "_Z4tinyv");
	add_idle(0, IDLE_GRAPH, NULL, 71, 20, 41 * US, "_Z4tinyv", "_Z5saxpyifPKfPf");
	add_idle(0, IDLE_SHORT, NULL, 71, 90, 3 * US, "_Z4tinyv", "_Z4tinyv");
	add_idle(0, IDLE_UNRESOLVED, NULL, 0, 2, 2 * MS, "_Z4tinyv", "_Z4tinyv");
	add_idle(1, IDLE_PROGRAM, NULL, 72, 2, 120 * MS, "_Z4tinyv", "[CUDA memcpy HtoD]");
	add_idle(1, IDLE_LATENCY, NULL, 72, 10, 5 * MS, "_Z4tinyv", "_Z4tinyv");
	add_idle(2, IDLE_AFTER_WAIT, NULL, 73, 2, 1 * MS, "plain_c_kernel", "plain_c_kernel");
	header->totals = (struct call_totals){.pageable_calls = 12,
					      .pageable_ns = 31 * MS,
					      .synchronous_calls = 17,
					      .synchronous_ns = 45 * MS,
					      .waiting_calls = 13,
					      .waiting_ns = 52 * MS,
					      .memory_calls = 6,
					      .memory_ns = 46 * MS};
}

static struct nvtx_range *add_range(const char *domain, const char *name,
				    const struct nvtx_range *parent, uint32_t thread,
				    unsigned calls, uint64_t each)
{
	struct nvtx_range *range = session_add_item(
		session, SEGMENT_RANGES,
		&(struct nvtx_range){
			.name = session_intern(session, name),
			.domain = session_intern(session, domain),
			.parent = parent ? (uint64_t)((const char *)parent -
						      (const char *)session_header(session))
					 : 0,
			.thread = thread});

	assert_non_null(range);
	range->calls = calls;
	range->total = calls * each + calls;
	range->minimum = each - 3;
	range->known = MINIMUM_KNOWN;
	range->maximum = each + 5;
	return range;
}

static void add_part(const struct nvtx_range *range, const struct row *row, double calls,
		     uint64_t each)
{
	struct nvtx_part *part = session_add_nvtx_part(session, range, row);

	assert_non_null(part);
	part->calls = calls;
	part->total = (uint64_t)calls * each + 2;
	part->minimum = each - 1;
	part->known = MINIMUM_KNOWN;
	part->maximum = each + 2;
}

static void add_ranges(void)
{
	const struct row *saxpy = row_of(ROW_KERNEL, "_Z5saxpyifPKfPf", 0);
	const struct row *copy = row_of(ROW_MEMCPY, "[CUDA memcpy HtoD]", 0);
	const struct row *launch = row_of(ROW_RUNTIME_API, "cudaLaunchKernel", -1);
	struct nvtx_range *epoch = add_range("", "epoch", NULL, 81, 2, 900 * MS), *forward, *range;
	struct nvtx_part *part;

	add_part(epoch, copy, 4, 1103 * US);
	forward = add_range("", "forward", epoch, 81, 20, 14 * MS);
	add_part(forward, saxpy, 18, 21 * US);
	add_part(forward, launch, 18, 3 * US);
	forward->open = 1;
	range = add_range("", "forward", epoch, 82, 6, 15 * MS);
	add_part(range, saxpy, 5, 22 * US);
	range = add_range("torch", "linear", forward, 81, 40, 2 * MS);
	add_part(range, row_of(ROW_KERNEL, "_Z4tinyv", 1), 36, 2100);
	part = session_add_nvtx_part(session, range, row_of(ROW_KERNEL, "_Z9by_eventsv", 0));
	*part = (struct nvtx_part){.range = part->range,
				   .row = part->row,
				   .committed = 1,
				   .calls = 15,
				   .event_calls = 15,
				   .untimed = 3,
				   .total = 15 * 78 * US,
				   .minimum = 77 * US,
				   .known = MINIMUM_KNOWN,
				   .maximum = 80 * US,
				   .estimated = 1};
	range = add_range("", "", NULL, 82, 3, 30 * MS);
	add_part(range, row_of(ROW_MEMSET, "[CUDA memset]", 0), 6, 9 * US);
	range = add_range("io", "load", NULL, 0, 5, 70 * MS);
	range->style = RANGE_START_END;
	add_part(range, row_of(ROW_MEMCPY, "[CUDA memcpy DtoH]", 0), 3, 301 * US);
	add_part(range, row_of(ROW_GRAPH, "[CUDA graph step/3]", 0), 2, 801 * US);
}

static void add_record(const struct trace_record *rest, const char *name)
{
	struct trace_record record = *rest;

	record.name = session_intern(session, name);
	assert_int_equal(session_trace(session, &record), 0);
	session_count(session, COUNTER_trace_records, 1);
}

static void add_trace(void)
{
	const uint64_t zero = 1000 * MS;
	struct trace_record record = {.kind = ROW_KERNEL,
				      .start = zero + 50 * US,
				      .end = zero + 70 * US,
				      .device = 0,
				      .context = 1,
				      .stream = 7,
				      .correlation = 101,
				      .grid = {4096, 2, 3},
				      .block = {256, 4, 1},
				      .registers = 32,
				      .static_shared = 1024,
				      .dynamic_shared = 2048,
				      .clock = CLOCK_CUPTI};

	add_record(&record, "_Z5saxpyifPKfPf");
	record.device = 1;
	record.context = 2;
	record.stream = 8;
	record.start += 15 * US;
	record.end += 45 * US;
	record.correlation = 102;
	record.graph = 3;
	record.graph_node = 12;
	record.clock = CLOCK_EVENTS;
	add_record(&record, "_ZN4math6reduceILi4EdEEvPKT0_PS1_m");
	add_record(&(struct trace_record){.kind = ROW_MEMCPY,
					  .start = zero + 10 * US,
					  .end = zero + 1110 * US,
					  .bytes = 48 << 20,
					  .context = 1,
					  .stream = 9,
					  .correlation = 100,
					  .source_kind = MEMORY_PAGEABLE,
					  .destination_kind = MEMORY_DEVICE,
					  .clock = CLOCK_CUPTI},
		   "[CUDA memcpy HtoD]");
	add_record(&(struct trace_record){.kind = ROW_MEMSET,
					  .start = zero + 1200 * US,
					  .end = zero + 1209 * US,
					  .bytes = 4 << 10,
					  .context = 1,
					  .stream = 7,
					  .correlation = 103,
					  .destination_kind = MEMORY_DEVICE,
					  .clock = CLOCK_CUPTI},
		   "[CUDA memset]");
	add_record(&(struct trace_record){.kind = ROW_GRAPH,
					  .start = zero + 1300 * US,
					  .end = zero + 2100 * US,
					  .context = 1,
					  .stream = 7,
					  .correlation = 104,
					  .graph = 3,
					  .clock = CLOCK_CUPTI},
		   "[CUDA graph step/3]");
	add_record(&(struct trace_record){.kind = ROW_RUNTIME_API,
					  .start = zero + 2 * US,
					  .end = zero + 5 * US,
					  .device = -1,
					  .correlation = 101,
					  .thread = 71,
					  .kernel = session_intern(session, "_Z5saxpyifPKfPf")},
		   "cudaLaunchKernel");
	add_record(&(struct trace_record){.kind = ROW_RUNTIME_API,
					  .start = zero + 6 * US,
					  .end = zero + 1206 * US,
					  .device = -1,
					  .correlation = 100,
					  .thread = 72,
					  .result = 700},
		   "cudaMemcpy");
	add_record(&(struct trace_record){.kind = ROW_DRIVER_API,
					  .start = zero + 1250 * US,
					  .end = zero + 1258 * US,
					  .device = -1,
					  .correlation = 104,
					  .thread = 71},
		   "cuGraphLaunch");
	add_record(&(struct trace_record){.kind = ROW_RANGE,
					  .start = zero + 1 * US,
					  .end = zero + 1400 * US,
					  .device = -1,
					  .thread = 71,
					  .result = RANGE_PUSH_POP,
					  .kernel = session_intern(session, "torch")},
		   "forward");
	add_record(&(struct trace_record){.kind = ROW_OVERHEAD,
					  .start = zero + 2200 * US,
					  .end = zero + 2250 * US,
					  .device = -1,
					  .thread = 73},
		   "Buffer Flush");
}

static void add_use_of(enum allocation_kind kind, int device, uint64_t held, uint64_t peak,
		       uint64_t allocations)
{
	struct memory_use *use = session_add_item(
		session, SEGMENT_MEMORY, &(struct memory_use){.kind = kind, .device = device});

	assert_non_null(use);
	use->held = held;
	use->held_count = held > 0;
	use->peak = peak;
	use->peak_time = session_header(session)->start_realtime + 12345678 * (kind + 1);
	use->allocations = allocations;
	use->allocated = allocations * 1000003;
	use->frees = allocations - (held > 0);
}

static void add_site_of(enum allocation_kind kind, int device, uint64_t size, const char *range,
			const char *operation, uint32_t thread)
{
	struct memory_site *site = session_add_item(
		session, SEGMENT_MEMORY_SITES,
		&(struct memory_site){.kind = kind,
				      .device = device,
				      .thread = thread,
				      .size = size,
				      .range = session_intern(session, range),
				      .operation = session_intern(session, operation)});

	assert_non_null(site);
	site->held = size;
	site->held_count = 1;
	site->at_peak = 3 * size + 77;
	site->at_peak_count = 3;
	site->allocations = 5;
	site->allocated = 5 * size + 77;
}

static void add_memory(void)
{
	add_use_of(ALLOCATION_DEVICE, 0, 96 << 20, 130 << 20, 1200);
	add_use_of(ALLOCATION_TOTAL, 0, 96 << 20, 200 << 20, 1300);
	add_use_of(ALLOCATION_POOL, 0, 0, 70 << 20, 100);
	add_use_of(ALLOCATION_PINNED, -1, 0, 4096, 2);
	add_use_of(ALLOCATION_MANAGED, 1, 8192, 8192, 1);
	add_site_of(ALLOCATION_DEVICE, 0, 32 << 20, "train/forward", "saxpy", 4711);
	add_site_of(ALLOCATION_DEVICE, 0, 48 << 20, "", "", 4711);
	add_site_of(ALLOCATION_PINNED, -1, 0, "with, \"quotes\"", "", 0);
	for (unsigned i = 0; i < 21; i++)
		add_site_of(ALLOCATION_POOL, 0, 1000 + i, "", "[CUDA memset]", 4712);
}

static void fill_header(enum whole_profile kind)
{
	struct session_header *header = session_header(session);

	/* Another process's, so that nothing depends on this one. */
	header->pid = 4321;
	header->finished = 1;
	header->start_realtime = 1700000000123456789;
	header->trace_start = 1000 * MS;
	header->command = session_intern(session, "./train --epochs 3");
	header->hostname = session_intern(session, "node7");
	header->driver_version = 13000;
	header->cupti_version = 28;
	header->timer = kind == WHOLE_EVENTS ? TIMER_EVENTS : TIMER_BOTH;
	header->cupti_active = kind != WHOLE_EVENTS;
	header->events_active = 1;
	header->events_fraction = 9;
	header->budget_percent = 2.5;
	header->trace_on = 1;
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		header->counters[i] = 1000 + 10 * i;
	header->counters[COUNTER_windows] = kind == WHOLE_WINDOWS ? 41 : 0;
	header->counters[COUNTER_windows_ns] = kind == WHOLE_WINDOWS ? 205 * MS : 0;
	header->counters[COUNTER_cupti_late_ns] = 0;
	/* Tested where the line of memory is. */
	header->counters[COUNTER_memory_graphs] = 0;
	header->counters[COUNTER_wall_ns] = 3200 * MS;
	header->counters[COUNTER_added_ns] = 111 * MS;
	header->counters[COUNTER_cupti_added_ns] = kind == WHOLE_EVENTS ? 1 * MS : 97 * MS;
	header->counters[COUNTER_host_ns] = 15 * MS;
	header->counters[COUNTER_collector_ns] = 44 * MS;
	header->counters[COUNTER_cupti_ns] = 23 * MS;
	header->counters[COUNTER_gpu_ns] = 6 * MS;
	header->counters[COUNTER_memory_bytes] = 12345678;
	header->counters[COUNTER_threads] = 16;
	header->counters[COUNTER_trace_records] = 0;
	header->counters[COUNTER_trace_lost] = 5;
	header->counters[COUNTER_cupti_dropped] = kind == WHOLE_CUPTI ? 3 : 0;
	header->overheads[OVERHEAD_KERNEL] = (struct event_overhead){2900, 16, 10};
	header->overheads[OVERHEAD_COPY] = (struct event_overhead){3700, 12, 21};
	header->queued = (struct event_overhead){700, 16, 8};
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		header->devices[i] = devices[i];
	header->devices[0].energy = (struct device_energy){
		.state = ENERGY_READ,
		.source = ENERGY_FROM_COUNTER,
		.duration = 2000 * MS,
		.joules = 609,
		.samples = 23,
		.idle = 3,
		.sm = {.samples = 20,
		       .sum = 35100,
		       .minimum = 1410,
		       .maximum = 1980,
		       .known = MINIMUM_KNOWN},
		.memory = {.samples = 20,
			   .sum = 64020,
			   .minimum = 3201,
			   .maximum = 3201,
			   .known = MINIMUM_KNOWN},
		.reasons = {[CLOCK_REASON_POWER_CAP] = 11, [CLOCK_REASON_SYNC_BOOST] = 2}};
	header->devices[1].energy = (struct device_energy){.state = ENERGY_MIG};
	session_note(session, "A first line.");
	session_note(session, "A second line.");
}

static void fill_by_events(void)
{
	struct row *row;

	row = row_of(ROW_KERNEL, "_Z5saxpyifPKfPf", 0);
	add_sample(row, 40, 1, 21 * US, 110);
	add_sample(row, 60, 50, 25 * US, 170);
	row->untimed[UNTIMED_FIRST_LAUNCH] = 1;
	row->untimed[UNTIMED_GATE_FORCED] = 2;
	row->estimate.standard_error = 10;
	row = row_of(ROW_KERNEL, "_Z4tinyv", 0);
	add_sample(row, 5, 100, 2 * US, 20);
	row = row_of(ROW_MEMCPY, "[CUDA memcpy HtoD]", 0);
	row->overhead = OVERHEAD_COPY;
	row->estimate.by_size = 1;
	for (unsigned i = 0; i < 30; i++) {
		uint64_t bytes = i % 2 ? 3 << 20 : 1 << 12,
			 duration = (i % 2 ? 90 : 5) * US + 17 * i;
		uint64_t place = estimate_sized_call(&row->estimate, bytes);

		row->calls++;
		session_add_bytes(row, bytes);
		if (i % 3 == 0) {
			row->untimed[UNTIMED_SAMPLED_OUT]++;
			continue;
		}
		session_add_sample(session, &row->events, duration);
		session_add_size(&row->events, bytes, duration);
		estimate_timed(&row->estimate, place, 1, duration);
	}
	row = row_of(ROW_MEMSET, "[CUDA memset]", 0);
	row->calls = 4;
	add_times(&row->events, 4, 8 * US, 10, 1 << 16);
	/* Without its bit it says nothing. */
	row->bytes_minimum = UINT64_MAX;
	row = row_of(ROW_GRAPH, "[CUDA graph 5]", 0);
	row->calls = 9;
	row->nodes = 1;
	add_times(&row->events, 9, 1 * MS, 100, 0);
	row = row_of(ROW_OTHER, "[CUDA stream wait]", 0);
	row->calls = 2;
	row->untimed[UNTIMED_EVENTS_OFF] = 2;
	add_row(ROW_RUNTIME_API, "cudaLaunchKernel", -1, 31, 3100, 3, 0);
}

/* What windows tell of one device, and of another one nothing. */
static void estimate_use(void)
{
	struct session_header *header = session_header(session);
	struct idle_row *row;

	header->uses[2] = (struct device_use){.first = 1000 * MS,
					      .last = 3000 * MS,
					      .busy = 1300 * MS,
					      .kernels = 1290 * MS,
					      .copies = 40 * MS,
					      .error = 25 * MS,
					      .contexts = 1};
	header->uses[1] = (struct device_use){
		.first = 1100 * MS, .last = 1500 * MS, .busy = 90 * MS, .error = INFINITY};
	add_idle(2, IDLE_PROGRAM, NULL, 71, 3, 150 * MS, "_Z5saxpyifPKfPf", "[CUDA memset]");
	add_idle(2, IDLE_CALL, "cudaMalloc", 71, 5, 9 * MS, "_Z4tinyv", "_Z5saxpyifPKfPf");
	add_idle(2, IDLE_GRAPH, NULL, 71, 2000, 100 * US, "_Z4tinyv", "_Z5saxpyifPKfPf");
	session_for_each_idle (session, row)
		row->error = (double)row->total / 25;
}

static void fill_in_windows(void)
{
	struct row *row;

	row = add_row(ROW_KERNEL, "_Z5saxpyifPKfPf", 0, 40, 20 * US, 23, 1 << 20);
	row->calls = 900;
	row_set_windows(row, 21e6, 0.4e6);
	row = add_row(ROW_KERNEL, "_Z4tinyv", 0, 33, 2 * US, 2, 1 << 10);
	row->node_calls = 700;
	row->node_calls_estimated = 667;
	row->graph_records = 33;
	row_set_windows(row, 1.5e6, NAN);
	row = add_row(ROW_KERNEL, "_Z4rarev", 0, 2, 55 * US, 2, 0);
	row_set_windows(row, 5.7e6, NAN);
	add_sample(row, 20, 9, 57 * US, 30);
	row = add_row(ROW_GRAPH, "[CUDA graph 5]", 0, 3, 900 * US, 1000, 0);
	row->calls = 10;
	row->nodes = 10;
	add_sample(row, 12, 7, 850 * US, 900);
	add_row(ROW_MEMCPY, "[CUDA memcpy DtoH]", 0, 6, 300 * US, 500, 10 << 20);
	estimate_use();
}

struct session *whole_profile(enum whole_profile kind, const char *path)
{
	assert_int_equal(session_create(&session, path, SESSION_TRACE), 0);
	fill_header(kind);
	if (kind == WHOLE_EVENTS) {
		fill_by_events();
		session_subtract_overheads(session);
	} else if (kind == WHOLE_WINDOWS) {
		fill_in_windows();
	} else {
		add_kernels();
		add_copies();
		add_api();
		add_use();
		add_ranges();
		add_memory();
		add_trace();
	}
	return session;
}
