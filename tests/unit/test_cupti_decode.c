/* SPDX-License-Identifier: MIT */
/* Records of each CUPTI version, written byte by byte as that version's headers lay them out. */
#include <limits.h>

#include "cupti/activity.h"
#include "tests/unit/test.h"

/* A record and, behind it, what is not its own. */
struct record {
	uint8_t bytes[256];
	size_t size;
};

static void put(struct record *record, size_t offset, size_t size, uint64_t value)
{
	assert_true(offset + size <= record->size);
	memcpy(record->bytes + offset, &value, size);
}

static struct record make_record(uint32_t kind, size_t size)
{
	struct record record = {.size = size};

	/* What a version does not have is not zero in memory: it belongs to the next record. */
	memset(record.bytes, 0xee, sizeof(record.bytes));
	memset(record.bytes, 0, size);
	put(&record, 0, 4, kind);
	return record;
}

enum {
	KIND_MEMCPY = 1,
	KIND_MEMSET = 2,
	KIND_KERNEL = 3,
	KIND_DRIVER = 4,
	KIND_RUNTIME = 5,
	KIND_CONCURRENT_KERNEL = 10,
	KIND_OVERHEAD = 17,
	KIND_MEMCPY2 = 22,
	KIND_UNIFIED_MEMORY = 25,
	KIND_SYNCHRONIZATION = 38,
	KIND_GRAPH_TRACE = 51
};

static const char kernel_name[] = "_Z5saxpyfPKfPf";

static struct record make_kernel(uint32_t kind, size_t size)
{
	struct record record = make_record(kind, size);

	put(&record, 6, 2, 42); /* registers */
	put(&record, 16, 8, 1700000000000000123);
	put(&record, 24, 8, 1700000000000002623);
	put(&record, 32, 8, 1700000000000002700); /* completed */
	put(&record, 40, 4, 1);
	put(&record, 44, 4, 2);
	put(&record, 48, 4, 13);
	put(&record, 52, 4, 4096);
	put(&record, 56, 4, 5);
	put(&record, 60, 4, 6);
	put(&record, 64, 4, 256);
	put(&record, 68, 4, 2);
	put(&record, 72, 4, 1);
	put(&record, 76, 4, 1024);
	put(&record, 80, 4, 2048);
	put(&record, 92, 4, 77);
	put(&record, 104, 8, (uintptr_t)kernel_name);
	return record;
}

static void assert_kernel(const struct activity *activity)
{
	assert_int_equal(activity->kind, ACTIVITY_KERNEL);
	assert_true(activity->valid);
	assert_int_equal(activity->start, 1700000000000000123);
	assert_int_equal(activity->end, 1700000000000002623);
	assert_int_equal(activity->device, 1);
	assert_int_equal(activity->context, 2);
	assert_int_equal(activity->stream, 13);
	assert_int_equal(activity->correlation, 77);
	assert_int_equal(activity->grid[0], 4096);
	assert_int_equal(activity->grid[1], 5);
	assert_int_equal(activity->grid[2], 6);
	assert_int_equal(activity->block[0], 256);
	assert_int_equal(activity->block[1], 2);
	assert_int_equal(activity->block[2], 1);
	assert_int_equal(activity->registers, 42);
	assert_int_equal(activity->static_shared, 1024);
	assert_int_equal(activity->dynamic_shared, 2048);
	assert_ptr_equal(activity->name, kernel_name);
}

TEST(kernels_of_every_version_are_read)
{
	static const size_t sizes[] = {200, 208, 216}; /* of CUpti_ActivityKernel8 to 10 */
	struct activity activity;
	unsigned i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct record record = make_kernel(KIND_CONCURRENT_KERNEL, sizes[i]);

		put(&record, 144, 8, 0x500000003);
		put(&record, 156, 4, 5);
		decode_activity(record.bytes, &activity);
		assert_kernel(&activity);
		assert_int_equal(activity.graph_node, 0x500000003);
		assert_int_equal(activity.graph, 5);
	}
}

TEST(the_serialising_kernel_kind_is_a_kernel_too)
{
	struct record record = make_kernel(KIND_KERNEL, 216);
	struct activity activity;

	decode_activity(record.bytes, &activity);
	assert_kernel(&activity);
	assert_int_equal(activity.cupti_kind, KIND_KERNEL);
}

TEST(copies_of_every_version_are_read)
{
	static const size_t sizes[] = {88, 96}; /* of CUpti_ActivityMemcpy5 and 6 */
	struct activity activity;
	unsigned i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct record record = make_record(KIND_MEMCPY, sizes[i]);

		put(&record, 4, 1, COPY_HTOD);
		put(&record, 5, 1, 2);
		put(&record, 6, 1, 6); /* device memory of a __device__ variable */
		put(&record, 8, 8, 1ull << 33);
		put(&record, 16, 8, 1000);
		put(&record, 24, 8, 4000);
		put(&record, 32, 4, 3);
		put(&record, 36, 4, 4);
		put(&record, 40, 4, 5);
		put(&record, 44, 4, 6);
		put(&record, 64, 8, 9);
		put(&record, 72, 4, 8);
		decode_activity(record.bytes, &activity);
		assert_int_equal(activity.kind, ACTIVITY_MEMCPY);
		assert_true(activity.valid);
		assert_int_equal(activity.copy_kind, COPY_HTOD);
		assert_int_equal(activity.source_kind, MEMORY_PINNED);
		assert_int_equal(activity.destination_kind, MEMORY_DEVICE);
		assert_int_equal(activity.bytes, 1ull << 33);
		assert_int_equal(activity.start, 1000);
		assert_int_equal(activity.end, 4000);
		assert_int_equal(activity.device, 3);
		assert_int_equal(activity.context, 4);
		assert_int_equal(activity.stream, 5);
		assert_int_equal(activity.correlation, 6);
		assert_int_equal(activity.graph_node, 9);
		assert_int_equal(activity.graph, 8);
	}
}

TEST(a_peer_copy_names_both_devices)
{
	struct record record = make_record(KIND_MEMCPY2, 96);
	struct activity activity;

	put(&record, 4, 1, COPY_PTOP);
	put(&record, 8, 8, 512);
	put(&record, 16, 8, 10);
	put(&record, 24, 8, 20);
	put(&record, 32, 4, 1);
	put(&record, 44, 4, 2);
	put(&record, 52, 4, 3);
	put(&record, 60, 4, 99);
	decode_activity(record.bytes, &activity);
	assert_int_equal(activity.kind, ACTIVITY_MEMCPY_PEER);
	assert_int_equal(activity.copy_kind, COPY_PTOP);
	assert_int_equal(activity.bytes, 512);
	assert_int_equal(activity.source_device, 2);
	assert_int_equal(activity.destination_device, 3);
	assert_int_equal(activity.correlation, 99);
}

TEST(a_memset_has_its_bytes_and_memory)
{
	struct record record = make_record(KIND_MEMSET, 88);
	struct activity activity;

	put(&record, 4, 4, 0xff); /* the value that is set */
	put(&record, 8, 8, 4096);
	put(&record, 16, 8, 10);
	put(&record, 24, 8, 10);
	put(&record, 44, 4, 12);
	put(&record, 48, 2, 1); /* asynchronous */
	put(&record, 50, 2, 5);
	decode_activity(record.bytes, &activity);
	assert_int_equal(activity.kind, ACTIVITY_MEMSET);
	assert_true(activity.valid); /* of no duration, but with a time */
	assert_int_equal(activity.bytes, 4096);
	assert_int_equal(activity.destination_kind, MEMORY_MANAGED);
	assert_int_equal(activity.copy_kind, COPY_UNKNOWN);
	assert_int_equal(activity.correlation, 12);
}

TEST(a_whole_graph_has_its_id_and_stream)
{
	struct record record = make_record(KIND_GRAPH_TRACE, 48);
	struct activity activity;

	put(&record, 4, 4, 31);
	put(&record, 8, 8, 100);
	put(&record, 16, 8, 151);
	put(&record, 24, 4, 1);
	put(&record, 28, 4, 6);
	put(&record, 32, 4, 2);
	put(&record, 36, 4, 17);
	decode_activity(record.bytes, &activity);
	assert_int_equal(activity.kind, ACTIVITY_GRAPH);
	assert_int_equal(activity.correlation, 31);
	assert_int_equal(activity.end - activity.start, 51);
	assert_int_equal(activity.device, 1);
	assert_int_equal(activity.graph, 6);
	assert_int_equal(activity.context, 2);
	assert_int_equal(activity.stream, 17);
}

static struct activity decode_unified_memory(uint32_t counter, uint64_t value, uint64_t end)
{
	struct record record = make_record(KIND_UNIFIED_MEMORY, 64);
	struct activity activity;

	put(&record, 4, 4, counter);
	put(&record, 8, 8, value);
	put(&record, 16, 8, 1000);
	put(&record, 24, 8, end);
	put(&record, 40, 4, UINT32_MAX);
	put(&record, 44, 4, 0);
	put(&record, 52, 4, 4321);
	put(&record, 56, 4, MIGRATION_COHERENCE);
	decode_activity(record.bytes, &activity);
	assert_int_equal(activity.kind, ACTIVITY_UNIFIED_MEMORY);
	assert_int_equal(activity.unified_memory_kind, counter);
	assert_int_equal(activity.process, 4321);
	return activity;
}

TEST(a_migration_has_bytes_and_a_cause)
{
	struct activity activity = decode_unified_memory(UNIFIED_MEMORY_HTOD, 65536, 3000);

	assert_true(activity.valid);
	assert_int_equal(activity.bytes, 65536);
	assert_int_equal(activity.source_device, ACTIVITY_HOST);
	assert_int_equal(activity.destination_device, 0);
	assert_int_equal(activity.migration_cause, MIGRATION_COHERENCE);
}

TEST(page_faults_are_counts_not_bytes)
{
	struct activity activity = decode_unified_memory(UNIFIED_MEMORY_GPU_PAGE_FAULT, 7, 2500);

	assert_int_equal(activity.count, 7);
	assert_int_equal(activity.bytes, 0);
	assert_int_equal(activity.migration_cause, MIGRATION_UNKNOWN);

	/* The value is an address in the program, and there is no end. */
	activity = decode_unified_memory(UNIFIED_MEMORY_CPU_PAGE_FAULT, 0x401000, 0);
	assert_true(activity.valid);
	assert_int_equal(activity.count, 1);
	assert_int_equal(activity.bytes, 0);
	assert_int_equal(activity.end, activity.start);
}

TEST(overheads_have_a_kind_and_a_name)
{
	struct record record = make_record(KIND_OVERHEAD, 40); /* the shortest: CUDA 12.0 */
	struct activity activity;

	put(&record, 4, 4, 2 << 16);
	put(&record, 24, 8, 100);
	put(&record, 32, 8, 350);
	decode_activity(record.bytes, &activity);
	assert_int_equal(activity.kind, ACTIVITY_OVERHEAD);
	assert_int_equal(activity.end - activity.start, 250);
	assert_string_equal(overhead_kind_name(activity.overhead_kind), "CUPTI instrumentation");
	assert_string_equal(overhead_kind_name(1), "driver compiler");
	assert_string_equal(overhead_kind_name(99u << 16), "other");
}

TEST(api_calls_have_callback_thread_and_result)
{
	struct activity activity;
	unsigned i;

	for (i = 0; i < 2; i++) {
		struct record record = make_record(i ? KIND_DRIVER : KIND_RUNTIME, 40);

		put(&record, 4, 4, 20);
		put(&record, 8, 8, 100);
		put(&record, 16, 8, 900);
		put(&record, 24, 4, 1234);
		put(&record, 28, 4, 5678);
		put(&record, 32, 4, 3);
		put(&record, 36, 4, 2);
		decode_activity(record.bytes, &activity);
		assert_int_equal(activity.kind, i ? ACTIVITY_DRIVER_API : ACTIVITY_RUNTIME_API);
		assert_int_equal(activity.callback, 20);
		assert_int_equal(activity.end - activity.start, 800);
		assert_int_equal(activity.thread, 5678);
		assert_int_equal(activity.correlation, 3);
		assert_int_equal(activity.result, 2);
	}
}

TEST(times_that_say_nothing_are_invalid)
{
	struct record record = make_kernel(KIND_CONCURRENT_KERNEL, 216);
	struct activity activity;

	put(&record, 16, 8, 0);
	put(&record, 24, 8, 0);
	decode_activity(record.bytes, &activity);
	assert_int_equal(activity.kind, ACTIVITY_KERNEL);
	assert_false(activity.valid);

	put(&record, 16, 8, 2000);
	put(&record, 24, 8, 1999);
	decode_activity(record.bytes, &activity);
	assert_false(activity.valid);

	/* A clock that stands still. */
	put(&record, 24, 8, 2000);
	decode_activity(record.bytes, &activity);
	assert_false(activity.valid);
}

TEST(unknown_kinds_and_numbers_are_said_to_be_unknown)
{
	struct record record = make_record(KIND_SYNCHRONIZATION, 48);
	struct activity activity;

	decode_activity(record.bytes, &activity);
	assert_int_equal(activity.kind, ACTIVITY_UNKNOWN);
	assert_int_equal(activity.cupti_kind, KIND_SYNCHRONIZATION);
	assert_false(activity.valid);

	record = make_record(KIND_MEMCPY, 88);
	put(&record, 4, 1, 200);
	put(&record, 5, 1, 200);
	decode_activity(record.bytes, &activity);
	assert_int_equal(activity.copy_kind, COPY_UNKNOWN);
	assert_int_equal(activity.source_kind, MEMORY_UNKNOWN);
}
