/* SPDX-License-Identifier: MIT */
/* Each finding at its threshold and just below. */
#include "report/findings/findings.h"
#include "tests/unit/one_session.h"

#define MS 1000000ull

static struct finding findings[FINDING_COUNT];

/* A device that is busy with kernels for all of 1000 ms. */
BEFORE_EACH
{
	header->uses[0] = (struct device_use){
		.first = 500 * MS, .last = 1500 * MS, .busy = 1000 * MS, .kernels = 1000 * MS};
}

static struct idle_row *idle(enum idle_cause cause, const char *function, uint64_t total)
{
	struct idle_row *row = session_idle_row(
		session,
		&(struct idle_row){.cause = cause,
				   .name = function ? session_intern(session, function) : 0});

	assert_non_null(row);
	row->total = total;
	row->longest = 0;
	return row;
}

static const struct finding *found(enum finding_kind kind)
{
	unsigned count = findings_of(session, UINT64_MAX, findings);

	for (unsigned i = 0; i < count; i++)
		if (findings[i].kind == kind)
			return &findings[i];
	return NULL;
}

static void is_found(enum finding_kind kind, uint64_t count, uint64_t time, double percent)
{
	const struct finding *finding = found(kind);

	assert_non_null(finding);
	assert_int_equal(finding->count, count);
	assert_int_equal(finding->time, time);
	assert_true(finding->percent == percent);
}

TEST(calls_are_a_finding_from_their_part_of_the_time_on)
{
	struct call_totals *totals = &header->totals;

	assert_int_equal(findings_of(session, UINT64_MAX, findings), 0);
	*totals = (struct call_totals){.pageable_calls = 3, .pageable_ns = 10 * MS};
	is_found(FINDING_PAGEABLE, 3, 10 * MS, 1);
	totals->pageable_ns--;
	assert_null(found(FINDING_PAGEABLE));
	/* One call is no habit. */
	*totals = (struct call_totals){.pageable_calls = 1, .pageable_ns = 10 * MS};
	assert_null(found(FINDING_PAGEABLE));
	*totals = (struct call_totals){.synchronous_calls = 2, .synchronous_ns = 50 * MS};
	is_found(FINDING_SYNCHRONOUS, 2, 50 * MS, 5);
	totals->synchronous_ns--;
	assert_null(found(FINDING_SYNCHRONOUS));
	/* Several threads waited: that is no part of the device's time. */
	totals->synchronous_ns = 1000 * MS;
	is_found(FINDING_SYNCHRONOUS, 2, 1000 * MS, 100);
	totals->synchronous_ns++;
	is_found(FINDING_SYNCHRONOUS, 2, 1000 * MS + 1, 0);
	/* Of waiting calls the time counts that the device was idle after them. */
	*totals = (struct call_totals){.waiting_calls = 4, .waiting_ns = 900 * MS};
	assert_null(found(FINDING_WAITING));
	idle(IDLE_AFTER_WAIT, NULL, 100 * MS);
	is_found(FINDING_WAITING, 4, 100 * MS, 10);
}

TEST(less_than_a_millisecond_is_never_one)
{
	header->uses[0] = (struct device_use){.first = 0, .last = 2 * MS, .busy = 2 * MS};
	header->totals = (struct call_totals){.pageable_calls = 3, .pageable_ns = 1 * MS};
	is_found(FINDING_PAGEABLE, 3, 1 * MS, 50);
	header->totals.pageable_ns--;
	assert_null(found(FINDING_PAGEABLE));
}

TEST(memory_and_loading_are_told_by_their_functions)
{
	static const char *const memory[] = {"cudaMalloc",	   "cuMemFree_v2", "cudaHostAlloc",
					     "cudaHostRegister",   "cuMemCreate",  "cuMemRelease",
					     "cudaHostUnregister", "cuMemMap",	   "cuMemUnmap",
					     "cuMemSetAccess"};

	header->totals.memory_calls = 7;
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		idle(IDLE_CALL, memory[i], 1 * MS);
	idle(IDLE_CALL, "cuModuleLoadData", 60 * MS);
	idle(IDLE_CALL, "cuLibraryLoadData", 30 * MS);
	idle(IDLE_CALL, "cuMemcpyHtoD_v2", 70 * MS);
	is_found(FINDING_MEMORY, 7, 10 * MS, 1);
	assert_null(found(FINDING_LOADING));
	idle(IDLE_FIRST_LAUNCH, NULL, 10 * MS);
	is_found(FINDING_LOADING, 0, 100 * MS, 10);
	idle(IDLE_FIRST_LAUNCH, NULL, 10 * MS - 1);
	assert_null(found(FINDING_LOADING));
}

TEST(the_longest_gap_is_the_programs)
{
	struct idle_row *row = idle(IDLE_CALL, "cudaMalloc", 0);

	header->uses[0].last = 9500 * MS;
	row->longest = 900 * MS;
	assert_null(found(FINDING_GAP));
	row = idle(IDLE_PROGRAM, NULL, 0);
	row->longest = 500 * MS;
	is_found(FINDING_GAP, 0, 500 * MS, 500.0 / 90);
	row->longest--;
	assert_null(found(FINDING_GAP));
	row = idle(IDLE_AFTER_WAIT, NULL, 0);
	row->longest = 600 * MS;
	is_found(FINDING_GAP, 0, 600 * MS, 600.0 / 90);
}

TEST(many_short_kernels_that_wait_are_launch_bound)
{
	struct row *row = session_row(session, ROW_KERNEL, "short", 0);
	struct row *other = session_row(session, ROW_KERNEL, "long", 0);
	struct row *copy = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 0);

	idle(IDLE_LATENCY, NULL, 70 * MS);
	idle(IDLE_SHORT, NULL, 30 * MS);
	for (int i = 0; i < 999; i++)
		session_add_sample(session, &row->cupti, 3000);
	for (int i = 0; i < 5000; i++)
		session_add_sample(session, &copy->cupti, 3000);
	assert_null(found(FINDING_LAUNCH_BOUND));
	session_add_sample(session, &row->cupti, 3000);
	is_found(FINDING_LAUNCH_BOUND, 1000, 100 * MS, 10);
	for (int i = 0; i < 1000; i++)
		session_add_sample(session, &other->cupti, 5500);
	is_found(FINDING_LAUNCH_BOUND, 1000, 100 * MS, 10);
	session_add_sample(session, &other->cupti, 5500);
	assert_null(found(FINDING_LAUNCH_BOUND));
	/* Nodes of graphs are no launches. */
	other->graph_records = 1;
	is_found(FINDING_LAUNCH_BOUND, 1000, 100 * MS, 10);
	row->graph_records = 1;
	other->graph_records = 1001;
	assert_null(found(FINDING_LAUNCH_BOUND));
	row->graph_records = 5000;
	assert_null(found(FINDING_LAUNCH_BOUND));
}

TEST(copies_beside_kernels_overlap_from_a_tenth_on)
{
	struct device_use *use = &header->uses[0];

	/* 200 ms of copies, of which 19 ran beside kernels. */
	use->kernels = 819 * MS;
	use->copies = 200 * MS;
	is_found(FINDING_OVERLAP, 0, 181 * MS, 18.1);
	use->kernels = 820 * MS;
	assert_null(found(FINDING_OVERLAP));
	/* It is the shorter of the two. */
	use->kernels = 200 * MS;
	use->copies = 810 * MS;
	is_found(FINDING_OVERLAP, 0, 190 * MS, 19);
	use->copies = 0;
	assert_null(found(FINDING_OVERLAP));
}

/* A second of work in a minute in which a script loads and compiles. */
TEST(loading_and_pauses_are_no_low_use)
{
	struct device_use *use = &header->uses[0];
	struct idle_row *pause;

	use->last = use->first + 60000 * MS;
	is_found(FINDING_LOW_USE, 0, 59000 * MS, 100 * 59.0 / 60);
	idle(IDLE_CALL, "cuLibraryLoadData", 20000 * MS);
	is_found(FINDING_LOADING, 0, 20000 * MS, 100 / 3.0);
	assert_non_null(found(FINDING_LOW_USE));
	pause = idle(IDLE_PROGRAM, NULL, 39000 * MS);
	pause->longest = 9000 * MS;
	assert_non_null(found(FINDING_LOW_USE));
	pause->longest += 1;
	assert_null(found(FINDING_LOW_USE));
	is_found(FINDING_GAP, 0, 9000 * MS + 1, 100 * (9000 * MS + 1.0) / (60000 * MS));
	/* Hardly any work at all, whatever the pauses are. */
	pause->longest = 0;
	assert_non_null(found(FINDING_LOW_USE));
	use->busy = 600 * MS;
	assert_non_null(found(FINDING_LOW_USE));
	use->busy--;
	assert_null(found(FINDING_LOW_USE));
}

TEST(low_use_names_what_other_findings_have_of_it_and_advises_what_fits)
{
	const struct finding *low;

	header->uses[0] = (struct device_use){.first = 0, .last = 1000 * MS, .busy = 100 * MS};
	header->totals.waiting_calls = 3;
	idle(IDLE_AFTER_WAIT, NULL, 820 * MS);
	idle(IDLE_LATENCY, NULL, 80 * MS);
	low = found(FINDING_LOW_USE);
	assert_non_null(low);
	assert_string_equal(low->part, "after synchronizing calls");
	assert_int_equal(low->part_time, 820 * MS);
	/* Fewer launches would save a twelfth of it. */
	assert_null(strstr(low->advice, "CUDA graphs"));
	idle(IDLE_SHORT, NULL, 10 * MS);
	low = found(FINDING_LOW_USE);
	assert_non_null(strstr(low->advice, "CUDA graphs"));
	assert_null(strstr(low->advice, "torch.compile"));
	header->command = session_intern(session, "/usr/bin/python3 train.py");
	assert_non_null(strstr(found(FINDING_LOW_USE)->advice, "torch.compile"));
	header->command = session_intern(session, "./python/app");
	assert_null(strstr(found(FINDING_LOW_USE)->advice, "torch.compile"));
}

TEST(low_use_comes_last_and_others_by_their_time)
{
	header->uses[0].excluded = 200 * MS;
	header->uses[0].busy = 400 * MS;
	is_found(FINDING_LOW_USE, 0, 400 * MS, 50);
	header->uses[0].busy++;
	assert_null(found(FINDING_LOW_USE));
	header->uses[0].busy = 10 * MS;
	/* Of several devices the one where it is longest counts, and how many have it. */
	header->uses[1] = (struct device_use){.first = 0, .last = 200 * MS, .busy = 40 * MS};
	is_found(FINDING_LOW_USE, 0, 790 * MS, 98.75);
	assert_int_equal(found(FINDING_LOW_USE)->device, 0);
	assert_int_equal(found(FINDING_LOW_USE)->devices, 2);
	assert_int_equal(findings_of(session, 2, findings), 1);
	assert_int_equal(findings[0].device, 1);
	assert_int_equal(findings[0].devices, 1);
	header->totals = (struct call_totals){.pageable_calls = 2,
					      .pageable_ns = 60 * MS,
					      .synchronous_calls = 2,
					      .synchronous_ns = 70 * MS,
					      .memory_calls = 3};
	idle(IDLE_CALL, "cudaFree", 60 * MS);
	assert_int_equal(findings_of(session, UINT64_MAX, findings), 4);
	assert_int_equal(findings[0].kind, FINDING_SYNCHRONOUS);
	assert_int_equal(findings[1].kind, FINDING_PAGEABLE);
	assert_int_equal(findings[2].kind, FINDING_MEMORY);
	assert_int_equal(findings[3].kind, FINDING_LOW_USE);
	/* A damaged file may hold anything. */
	header->uses[0] = (struct device_use){.first = 10, .last = 5, .busy = 9};
	header->uses[1] = (struct device_use){.first = 5, .last = 10, .excluded = 9, .busy = 9};
	assert_int_equal(findings_of(session, UINT64_MAX, findings), 0);
}
