/* SPDX-License-Identifier: MIT */
/* The clocks of a job's processes: whose records are moved, and what is said of how exact they are.
 */
#include "report/merge/job.h"
#include "report/merge/merge.h"
#include "tests/unit/test.h"

#define REDUCE "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
#define ZERO   1700000000000000000u
#define OFFSET 1600000000000000000u

struct process {
	const char *boot, *hostname;
	uint64_t pid_namespace, offset, moved;
};

/* A profile with one record of `name` from 1000 to 1500 ns after its start. */
static struct session *profile(int rank, const struct process *process, const char *name)
{
	struct session *session;
	struct session_header *header;
	struct trace_record record = {.kind = ROW_KERNEL, .start = ZERO + 1000, .end = ZERO + 1500};
	struct row *row;

	assert_int_equal(session_create(&session, NULL, SESSION_TRACE), 0);
	header = session_header(session);
	header->pid = 100 + rank;
	header->cupti_active = header->finished = 1;
	header->rank = (struct process_rank){rank, rank, -1, .launcher = "PMI"};
	header->hostname = session_intern(session, process->hostname);
	memset(&header->owner, 0, sizeof(header->owner));
	strcpy(header->owner.boot, process->boot);
	header->owner.pid_namespace = process->pid_namespace;
	header->clock_offset = process->offset;
	header->clock_moved = process->moved;
	header->trace_start = ZERO;
	record.name = session_intern(session, name);
	row = session_row(session, ROW_KERNEL, name, 0);
	row->calls = 1;
	session_add_sample(session, &row->cupti, 500);
	assert_int_equal(session_trace(session, &record), 0);
	return session;
}

static struct merge *merged(struct session **sessions, size_t count)
{
	struct merge *merge;
	char message[128];

	assert_int_equal(merge_start(&merge, NULL, true), 0);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(merge_add(merge, sessions[i], message, sizeof(message)), 0);
		session_close(sessions[i]);
	}
	merge_finish(merge);
	return merge;
}

/* The starts of the processes' records, after ZERO. */
static void has_starts(const struct merge *merge, const int64_t *starts, size_t count)
{
	const struct trace_record *record;
	size_t i = 0;

	session_for_each_trace (merge_session(merge), record) {
		assert_true(i < count);
		assert_int_equal(record->start - ZERO, starts[i]);
		assert_int_equal(record->end - record->start, 500);
		i++;
	}
	assert_int_equal(i, count);
}

static void says(const struct merge *merge, const char *expected)
{
	char text[JOB_CLOCKS_SIZE];
	struct waits waits;

	assert_int_equal(waits_find(&waits, merge_session(merge)), 0);
	job_clocks_text(merge_session(merge), &waits, text);
	waits_free(&waits);
	assert_string_equal(text, expected);
}

/* The first two are of one node, whose clock was set ahead by 7 ms between their starts. */
static const struct process processes[] = {
	{"boot-a", "node1", 1, OFFSET, 0},
	{"boot-a", "node1", 1, OFFSET + 7000000, 0},
	{"boot-b", "node2", 1, OFFSET + 9000000, 0},
	{"boot-b", "node2", 1, OFFSET + 6000000, 250000},
	{"boot-b", "node2", 1, OFFSET + 9000000 + CLOCK_SET_LEAST_NS - 1, CLOCK_SET_LEAST_NS - 1},
	{"boot-b", "node2", 2, OFFSET + 6000000, 0},
	{"boot-b", "node2", 1, 0, 0},
	{"", "node3", 1, OFFSET + 77000000, 0},
	{"", "node3", 1, OFFSET + 88000000, 0},
	{"boot-b", "node2", 1, OFFSET + 9000000 + CLOCK_SET_LEAST_NS, 0},
};
#define PROCESSES (sizeof(processes) / sizeof(processes[0]))

static const int64_t starts[PROCESSES] = {
	1000, 1000 - 7000000, 1000, 3001000, 1000,
	1000, 1000,	      1000, 1000,    1000 - (int64_t)CLOCK_SET_LEAST_NS};

TEST(processes_of_a_node_lie_on_the_clock_of_its_first)
{
	struct session *sessions[PROCESSES];
	const struct job_process *process;
	struct merge *merge;
	size_t i = 0;

	for (size_t rank = 0; rank < PROCESSES; rank++)
		sessions[rank] = profile((int)rank, &processes[rank], "work");
	merge = merged(sessions, PROCESSES);
	has_starts(merge, starts, PROCESSES);
	session_for_each_process (merge_session(merge), process) {
		uint64_t by = (uint64_t)llabs(starts[i] - 1000);

		assert_int_equal(process->records_moved, by);
		assert_int_equal(process->clock_offset,
				 processes[i].offset + (uint64_t)(starts[i] - 1000));
		assert_int_equal(process->clock_moved, processes[i].moved);
		i++;
	}
	/* The zero of the trace is the earliest. */
	assert_int_equal(session_header(merge_session(merge))->trace_start, ZERO - 7000000);
	says(merge, "the wall clocks of 3 nodes; how far they are apart is not known, as no "
		    "collective is in all traces; records of 3 processes moved by up to 7.0 ms, by "
		    "which a node's clock was set between their starts; the clock of node2 was set "
		    "by 250 us during the run, by which its records before and after are off");
	merge_free(merge);
}

/* Here the process that the others were put onto the clock of comes last. */
TEST(merged_profiles_are_put_onto_one_clock)
{
	struct session *sessions[2];
	struct merge *parts, *merge;
	char message[128];

	sessions[0] = profile(1, &processes[1], "work");
	sessions[1] =
		profile(2, &(struct process){"boot-a", "node1", 1, OFFSET + 14000000, 0}, "work");
	parts = merged(sessions, 2);
	has_starts(parts, (int64_t[]){1000, 1000 - 7000000}, 2);
	sessions[0] = profile(0, &processes[0], "work");
	merge = merged(sessions, 1);
	assert_int_equal(merge_add(merge, merge_session(parts), message, sizeof(message)), 0);
	has_starts(merge, (int64_t[]){1000, 1000 - 7000000, 1000 - 14000000}, 3);
	assert_int_equal(session_header(merge_session(merge))->trace_start, ZERO - 14000000);
	says(merge, "the wall clock of one node; records of 2 processes moved by up to 14 ms, by "
		    "which a node's clock was set between their starts");
	merge_free(merge);
	merge_free(parts);
}

TEST(what_is_known_of_the_clocks_is_said)
{
	struct session *sessions[2];
	struct merge *merge;

	sessions[0] = profile(0, &processes[0], "work");
	merge = merged(sessions, 1);
	says(merge, "the wall clock of one node");
	merge_free(merge);
	sessions[0] = profile(0, &processes[0], "work");
	sessions[1] = profile(1, &processes[1], "work");
	merge = merged(sessions, 2);
	says(merge,
	     "the wall clock of one node; records of 1 process moved by up to 7.0 ms, by which "
	     "a node's clock was set between their starts");
	merge_free(merge);
	sessions[0] = profile(0, &processes[0], REDUCE);
	sessions[1] = profile(1, &processes[2], REDUCE);
	merge = merged(sessions, 2);
	says(merge,
	     "the ends of a collective on its processes lie 0 ns apart, 0 ns at most; waiting "
	     "times may be off by that");
	merge_free(merge);
	/* Without records there is nothing to say. */
	sessions[0] = profile(0, &processes[3], "work");
	session_header(sessions[0])->counters[COUNTER_trace_records] = 0;
	merge = merged(sessions, 1);
	says(merge, "");
	merge_free(merge);
}
