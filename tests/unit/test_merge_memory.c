/* SPDX-License-Identifier: MIT */
/* Memory of merged profiles: what is held is summed, and the peak is that of a process. */
#include "report/session/items.h"
#include "report/merge/job.h"
#include "report/print/report.h"
#include "tests/unit/one_merge.h"

#define MB (1ull << 20)
#define S  1000000000ull

static struct session *of_rank(int rank)
{
	struct session *session = process_of(rank, 4);
	struct session_header *header = session_header(session);

	header->start_realtime = 1000 * S;
	header->counters[COUNTER_wall_ns] = 2 * S;
	if (rank >= 2)
		header->hostname = session_intern(session, "second\n");
	return session;
}

/* Of 10 allocations, of 5 MB more than the peak, those that are held are not freed. */
static void add_use(struct session *session, enum allocation_kind kind, int device, uint64_t peak,
		    uint64_t held)
{
	struct memory_use *use = session_add_item(
		session, SEGMENT_MEMORY, &(struct memory_use){.kind = kind, .device = device});

	assert_non_null(use);
	use->peak = peak;
	use->peak_time = 1001 * S + peak;
	use->held = held;
	use->held_count = held / MB;
	use->allocations = 10;
	use->allocated = peak + 5 * MB;
	use->frees = 10 - use->held_count;
}

static void add_three(void)
{
	struct session *session = of_rank(0);

	add_use(session, ALLOCATION_DEVICE, 0, 80 * MB, 2 * MB);
	add_use(session, ALLOCATION_TOTAL, 0, 80 * MB, 2 * MB);
	add_use(session, ALLOCATION_PINNED, -1, 3 * MB, 0);
	add(session);
	session = of_rank(2);
	add_use(session, ALLOCATION_PINNED, -1, 2 * MB, 1 * MB);
	add_use(session, ALLOCATION_DEVICE, 0, 100 * MB, 4 * MB);
	add_use(session, ALLOCATION_TOTAL, 0, 100 * MB, 4 * MB);
	add_use(session, ALLOCATION_DEVICE, 1, 90 * MB, 1 * MB);
	add_use(session, ALLOCATION_TOTAL, 1, 90 * MB, 1 * MB);
	add(session);
	add(of_rank(3));
}

static const struct memory_use *use_of(enum allocation_kind kind, int device)
{
	const struct memory_use *use, *found = NULL;

	session_for_each_memory_use (merged, use) {
		if (use->kind != kind || use->device != device)
			continue;
		assert_null(found);
		found = use;
	}
	assert_non_null(found);
	return found;
}

static void is_merged(void)
{
	const struct memory_use *use = use_of(ALLOCATION_DEVICE, 0);

	assert_int_equal(use->peak, 100 * MB);
	assert_int_equal(use->peak_time, 1001 * S + 100 * MB);
	assert_int_equal(use->held, 6 * MB);
	assert_int_equal(use->held_count, 6);
	assert_int_equal(use->allocations, 20);
	assert_int_equal(use->allocated, 190 * MB);
	assert_int_equal(use->frees, 14);
	assert_int_equal(use_of(ALLOCATION_TOTAL, 0)->peak, 100 * MB);
	assert_int_equal(use_of(ALLOCATION_DEVICE, 1)->peak, 90 * MB);
	/* The first has more, the second holds more. */
	use = use_of(ALLOCATION_PINNED, -1);
	assert_int_equal(use->peak, 3 * MB);
	assert_int_equal(use->peak_time, 1001 * S + 3 * MB);
	assert_int_equal(use->held, 1 * MB);
}

TEST(what_is_held_is_summed_and_the_largest_peak_stays)
{
	add_three();
	is_merged();
}

TEST(merged_profiles_are_merged_as_well)
{
	const struct job_process *process;
	struct merge *first = merge;
	char message[128];

	add_three();
	assert_int_equal(merge_start(&merge, NULL, false), 0);
	merged = merge_session(merge);
	add(of_rank(1));
	assert_int_equal(merge_add(merge, merge_session(first), message, sizeof(message)), 0);
	merge_free(first);
	is_merged();
	process = session_next_item(merged, SEGMENT_PROCESSES, NULL);
	process = session_next_item(merged, SEGMENT_PROCESSES, process);
	assert_int_equal(process->memory_peak, 80 * MB);
}

TEST(a_process_has_the_most_of_one_device_and_what_it_holds_of_all)
{
	const struct job_process *process;

	add_three();
	process = session_next_item(merged, SEGMENT_PROCESSES, NULL);
	assert_int_equal(process->memory_peak, 80 * MB);
	assert_int_equal(process->memory_held, 2 * MB);
	process = session_next_item(merged, SEGMENT_PROCESSES, process);
	assert_int_equal(process->memory_peak, 100 * MB);
	assert_int_equal(process->memory_held, 5 * MB);
	process = session_next_item(merged, SEGMENT_PROCESSES, process);
	assert_int_equal(process->memory_peak, 0);
	assert_int_equal(process->memory_held, 0);
}

TEST(what_a_damaged_file_holds_is_left_out)
{
	struct session *session = of_rank(0);
	const struct memory_use *use;

	add_use(session, ALLOCATION_KIND_COUNT, 0, MB, MB);
	add_use(session, ALLOCATION_DEVICE, -2, MB, MB);
	add_use(session, ALLOCATION_DEVICE, SESSION_DEVICES, MB, MB);
	add_use(session, ALLOCATION_KIND_COUNT - 1, SESSION_DEVICES - 1, MB, MB);
	add(session);
	use = session_next_item(merged, SEGMENT_MEMORY, NULL);
	assert_non_null(use);
	assert_int_equal(use->device, SESSION_DEVICES - 1);
	assert_null(session_next_item(merged, SEGMENT_MEMORY, use));
}

static char *printed(bool csv, bool line)
{
	struct options options;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	options_defaults(&options);
	options.csv = csv;
	options.slowest = 4;
	if (line)
		memory_line_write(merged, "", file);
	else
		assert_int_equal(job_write(merged, &options, file), 0);
	fclose(file);
	options_free(&options);
	return text;
}

static void has(char *text, const char *expected)
{
	if (!strstr(text, expected))
		fail_msg("%s\nhas no %s", text, expected);
	free(text);
}

TEST(the_line_names_the_process_with_the_most)
{
	char *text;

	add_three();
	merge_finish(merge);
	text = printed(false, true);
	assert_string_equal(
		text,
		"Memory: of one process at most 100 MB on device 0 (rank 2 on second\\x0a), 90 MB "
		"on "
		"device 1, 3.0 MB of pinned host memory; in all 8 of 50 allocations held at exit, "
		"8.0 "
		"MB; 8 allocations a second in each.\n");
	free(text);
}

TEST(processes_with_as_much_are_counted)
{
	for (int rank = 2; rank >= 0; rank--) {
		struct session *session = of_rank(rank);

		add_use(session, ALLOCATION_DEVICE, 0, 80 * MB, 0);
		add_use(session, ALLOCATION_TOTAL, 0, 80 * MB, 0);
		add(session);
	}
	merge_finish(merge);
	has(printed(false, true), "at most 80 MB on device 0 (rank 0 on first and 2 more); all 30 "
				  "allocations freed");
}

TEST(processes_without_ranks_have_their_number)
{
	struct session *session = of_rank(0);

	session_header(session)->rank = (struct process_rank){.rank = -1};
	add_use(session, ALLOCATION_DEVICE, 0, 80 * MB, 0);
	add_use(session, ALLOCATION_TOTAL, 0, 80 * MB, 0);
	add(session);
	merge_finish(merge);
	has(printed(false, true),
	    "at most 80 MB on device 0 (process 100 on first); all 10 allocations freed");
}

TEST(the_slowest_have_theirs)
{
	add_three();
	merge_finish(merge);
	has(printed(false, false), "    Idle    Memory  Node ");
	has(printed(false, false), "     0ns     80 MB  first ");
	has(printed(false, false), "     0ns    100 MB  second");
	has(printed(false, false), "     0ns         -  second");
	has(printed(true, false), "\"Idle(ns)\",\"Memory Peak\",\"Memory Held\"\n");
	has(printed(true, false), "2,\"second?\",0,0,\"\",0,0,0,104857600,5242880\n");
}
