/* SPDX-License-Identifier: MIT */
/*
 * Writes the profiles whose pages the browser is shown to a folder, the same each time: a small
 * program's (plain), those that hold something of everything (sampled, trace), two ranks of a job
 * (rank0, rank1), one with a long trace (long), and one with many streams (streams).
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/session/items.h"
#include "tests/unit/whole_profile.h"

#define US 1000ull
#define MS 1000000ull

static const char *folder;
static unsigned trace_records = 50000; /* of the long trace */

static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void add(struct session *session, enum row_kind kind, const char *name, unsigned calls,
		uint64_t each, uint64_t bytes)
{
	struct row *row = session_row(session, kind, name, row_is_api(kind) ? -1 : 0);

	assert_non_null(row);
	for (unsigned i = 0; i < calls; i++) {
		row->calls++;
		session_add_sample(session, &row->cupti, each + i * each / (10 * calls));
		if (!bytes)
			continue;
		session_add_bytes(row, bytes);
		session_add_size(&row->cupti, bytes, each + i * each / (10 * calls));
	}
}

static void add_memory(struct session *session, enum allocation_kind kind, int device,
		       uint64_t peak, uint64_t held)
{
	struct memory_use *use = session_add_item(
		session, SEGMENT_MEMORY, &(struct memory_use){.kind = kind, .device = device});

	assert_non_null(use);
	use->peak = peak;
	use->peak_time = session_header(session)->start_realtime + 40 * MS;
	use->held = held;
	use->held_count = held > 0;
	use->allocations = 7;
	use->allocated = peak + held;
	use->frees = 7 - use->held_count;
}

/* 120 ms of a program that trains something, and the GPU busy for 69 of them and `more`. */
static struct session *small_program(const char *path, uint64_t more)
{
	struct session *session;
	struct session_header *header;
	struct idle_row *idle;

	assert_int_equal(session_create(&session, path, SESSION_KEPT), 0);
	header = session_header(session);
	header->pid = 4321;
	header->start_realtime = 1700000000 * (1000 * MS);
	header->command = session_intern(session, "./train --epochs 3 --data 'my data'");
	header->hostname = session_intern(session, "node1");
	header->driver_version = header->cupti_version = 13000;
	header->budget_percent = 5;
	header->cupti_active = header->events_active = header->finished = 1;
	header->devices[0] = (struct device_info){.name = "NVIDIA H200",
						  .used = 1,
						  .compute_capability = 90,
						  .memory = 150110011392,
						  .multiprocessors = 132,
						  .clock_khz = 1980000,
						  .memory_clock_khz = 3201000,
						  .bus_bits = 6016,
						  .l2_bytes = 60 << 20,
						  .pcie_generation = 5,
						  .pcie_lanes = 16};
	header->devices[0].energy =
		(struct device_energy){.state = ENERGY_READ,
				       .source = ENERGY_FROM_COUNTER,
				       .duration = 130 * MS,
				       .joules = 61.25,
				       .samples = 2,
				       .sm = {2, 3960, 1980, 1980, MINIMUM_KNOWN},
				       .memory = {2, 6402, 3201, 3201, MINIMUM_KNOWN}};
	header->uses[0] = (struct device_use){.first = 100 * MS,
					      .last = 220 * MS,
					      .busy = 69 * MS + more,
					      .kernels = 56 * MS + more,
					      .copies = 14 * MS,
					      .contexts = 1};
	header->counters[COUNTER_wall_ns] = 130 * MS;
	header->counters[COUNTER_operations] = 670;
	header->counters[COUNTER_cupti_records] = 620;
	header->counters[COUNTER_threads] = 1;
	header->counters[COUNTER_host_ns] = 600 * US;
	header->counters[COUNTER_cupti_ns] = 250 * US;
	header->counters[COUNTER_gpu_ns] = 110 * US;
	header->counters[COUNTER_added_ns] = 700 * US;
	header->counters[COUNTER_collector_ns] = 2 * MS;
	header->counters[COUNTER_memory_bytes] = 3 << 20;
	add(session, ROW_KERNEL, "_Z5saxpyifPKfPf", 300, 150 * US, 0);
	add(session, ROW_KERNEL, "_ZN4math6reduceILi8EfEEvPKT0_PS1_m", 200, 40 * US, 0);
	add(session, ROW_KERNEL, "plain_c_kernel", 100, 9 * US, 0);
	add(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 12, 900 * US, 32 << 20);
	add(session, ROW_MEMCPY, "[CUDA memcpy DtoH]", 6, 500 * US, 16 << 20);
	add(session, ROW_MEMSET, "[CUDA memset]", 2, 15 * US, 1 << 20);
	add(session, ROW_RUNTIME_API, "cudaLaunchKernel", 600, 4 * US, 0);
	add(session, ROW_RUNTIME_API, "cudaMemcpy", 18, 800 * US, 0);
	add(session, ROW_RUNTIME_API, "cudaDeviceSynchronize", 3, 9 * MS, 0);
	add_memory(session, ALLOCATION_DEVICE, 0, 160 << 20, 64 << 20);
	add_memory(session, ALLOCATION_TOTAL, 0, 160 << 20, 64 << 20);
	add_memory(session, ALLOCATION_PINNED, -1, 32 << 20, 0);
	idle = session_idle_row(session, &(struct idle_row){.cause = IDLE_PROGRAM, .thread = 7});
	assert_non_null(idle);
	session_add_idle(idle, 41 * MS - more, session_intern(session, "_Z5saxpyifPKfPf"),
			 session_intern(session, "[CUDA memcpy HtoD]"));
	idle = session_idle_row(session, &(struct idle_row){.cause = IDLE_LATENCY, .thread = 7});
	assert_non_null(idle);
	session_add_idle(idle, 10 * MS, session_intern(session, "_Z5saxpyifPKfPf"),
			 session_intern(session, "plain_c_kernel"));
	return session;
}

static void trace(struct session *session, const struct trace_record *rest, const char *name,
		  uint64_t start, uint64_t length)
{
	struct trace_record record = *rest;

	record.name = session_intern(session, name);
	record.start = 7 * MS + start;
	record.end = record.start + length;
	assert_int_equal(session_trace(session, &record), 0);
}

/* A program that launches a kernel or a copy every 20 us or so on two streams, in ranges, from one
 * thread; now and then it prepares something. No two of a name are alike in a row. */
static void long_trace(struct session *session)
{
	static const char *const kernels[] = {
		"_Z5saxpyifPKfPf", "_ZN4math6reduceILi8EfEEvPKT0_PS1_m", "plain_c_kernel"};
	const unsigned needle = trace_records / 4 + 1; /* one that is looked for */
	uint64_t now = 0, free_at[2] = {0, 0}, chance = 1, range = 0;

	session_header(session)->trace_on = 1;
	session_header(session)->trace_start = 7 * MS;
	for (unsigned i = 1; i <= trace_records / 2; i++) {
		struct trace_record operation = {.kind = ROW_KERNEL,
						 .stream = 7 + i % 2,
						 .context = 1,
						 .correlation = i,
						 .grid = {1 + i % 5, 1, 1},
						 .block = {256, 1, 1},
						 .registers = 32};
		struct trace_record call = {
			.kind = ROW_RUNTIME_API, .device = -1, .thread = 71, .correlation = i};
		uint64_t begin, length;

		chance = chance * 6364136223846793005ull + 1442695040888963407ull;
		length = 2 * US + (chance >> 40) % (i % 7 ? 20 * US : 60 * US);
		now += 9 * US + (chance >> 52) + (i % 997 ? 0 : 2 * MS);
		begin = now + 6 * US > free_at[i % 2] ? now + 6 * US : free_at[i % 2];
		free_at[i % 2] = begin + length + 700;
		if (i % 50 == 0) {
			operation.kind = ROW_MEMCPY;
			operation.bytes = 4096 + i % 3;
			operation.source_kind = MEMORY_PINNED;
			operation.destination_kind = MEMORY_DEVICE;
		}
		if (i == needle) {
			operation.block[0] = 96;
			operation.dynamic_shared = 1024;
			length = 12345;
		}
		trace(session, &call, i % 50 ? "cudaLaunchKernel" : "cudaMemcpyAsync", now, 3 * US);
		trace(session, &operation,
		      i == needle ? "_Z6needlePf"
		      : i % 50	  ? kernels[(chance >> 45) % 3]
				  : "[CUDA memcpy HtoD]",
		      begin, length);
		if (i % 1000 == 0) {
			trace(session,
			      &(struct trace_record){.kind = ROW_RANGE, .device = -1, .thread = 71},
			      "step", range, now - range);
			range = now + 1;
		}
	}
}

/* A kernel on each of fifty streams, one after the other. */
static void trace_of_streams(struct session *session)
{
	session_header(session)->trace_on = 1;
	session_header(session)->trace_start = 7 * MS;
	for (unsigned i = 0; i < 50; i++) {
		struct trace_record kernel = {.kind = ROW_KERNEL, .stream = 7 + i, .context = 1};

		trace(session, &kernel, i == 40 ? "_Z6needlePf" : "_Z5saxpyifPKfPf", i * 20 * US,
		      10 * US);
	}
}

/* Memory that grows in steps, and is freed. */
static void hold_memory(struct session *session)
{
	const struct trace_record *record = session_next_trace(session, NULL);
	uint64_t start = record->start;

	for (unsigned i = 0; i < 10; i++) {
		struct trace_record held = {.kind = TRACE_HELD,
					    .start = start + i * 500 * US,
					    .bytes = (uint64_t)(i < 8 ? 20 * i : 40) << 20};

		held.end = held.start;
		assert_int_equal(session_trace(session, &held), 0);
	}
}

static void rank_of(struct session *session, int rank)
{
	struct session_header *header = session_header(session);

	header->pid += rank;
	header->devices[0].uuid[0] = (uint8_t)(1 + rank);
	header->rank = (struct process_rank){.rank = rank,
					     .local_rank = rank,
					     .world_size = 2,
					     .launcher = "Open MPI",
					     .job = "7"};
}

static void the_profiles_are_written(void **state)
{
	struct session *session;

	(void)state;
	session_close(small_program(path_of("plain"), 0));
	session_close(whole_profile(WHOLE_EVENTS, path_of("sampled")));
	session = whole_profile(WHOLE_CUPTI, path_of("trace"));
	hold_memory(session);
	session_close(session);
	session = small_program(path_of("long"), 0);
	add(session, ROW_KERNEL, "_Z6needlePf", 1, 12345, 0);
	long_trace(session);
	session_close(session);
	session = small_program(path_of("streams"), 0);
	add(session, ROW_KERNEL, "_Z6needlePf", 1, 12345, 0);
	trace_of_streams(session);
	session_close(session);
	session = small_program(path_of("rank0"), 0);
	rank_of(session, 0);
	session_close(session);
	session = small_program(path_of("rank1"), 31 * MS);
	rank_of(session, 1);
	add(session, ROW_KERNEL, "_Z5saxpyifPKfPf", 100, 300 * US, 0);
	add(session, ROW_RUNTIME_API, "cudaLaunchKernel", 100, 4 * US, 0);
	session_close(session);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_profiles_are_written)};

	if (argc < 2) {
		fprintf(stderr, "usage: %s FOLDER [RECORDS OF THE LONG TRACE]\n", argv[0]);
		return 2;
	}
	folder = argv[1];
	if (argc > 2)
		trace_records = (unsigned)strtoul(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
