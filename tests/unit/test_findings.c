/* SPDX-License-Identifier: MIT */
/* Each finding at its threshold and just below. */
#include "report/findings/findings.h"
#include "report/session/estimate.h"
#include "report/session/session_internal.h"
#include "tests/unit/one_session.h"
#include "tests/unit/printed.h"

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
	assert_string_equal(found(FINDING_OVERLAP)->what, "copies while no kernel ran");
	use->kernels = 820 * MS;
	assert_null(found(FINDING_OVERLAP));
	/* It is the shorter of the two. */
	use->kernels = 200 * MS;
	use->copies = 810 * MS;
	is_found(FINDING_OVERLAP, 0, 190 * MS, 19);
	assert_string_equal(found(FINDING_OVERLAP)->what, "kernels while no copy ran");
	use->copies = 0;
	assert_null(found(FINDING_OVERLAP));
}

static struct nvtx_range *range(const char *name, const struct nvtx_range *parent, uint64_t total)
{
	return session_add_item(
		session, SEGMENT_RANGES,
		&(struct nvtx_range){.name = session_intern(session, name),
				     .parent = parent ? session_offset(session, parent) : 0,
				     .calls = 1,
				     .total = total});
}

TEST(the_range_is_named_in_which_the_host_launched_least)
{
	struct row *kernel = session_row(session, ROW_KERNEL, "kernel", 0);
	struct nvtx_range *step = range("step", NULL, 700 * MS);
	struct nvtx_range *load = range("load", step, 300 * MS);
	struct nvtx_range *work = range("work", step, 350 * MS);
	struct nvtx_part *part = session_add_nvtx_part(session, work, kernel);
	const struct host_range *named;

	part->calls = 1;
	part->total = 51 * MS;
	header->uses[0].busy = 700 * MS;
	idle(IDLE_DEPENDENCY, NULL, 300 * MS)->gaps = 1;
	assert_null(found(FINDING_LOW_USE)->range.range);
	idle(IDLE_PROGRAM, NULL, 300 * MS + 1)->gaps = 1;
	named = &found(FINDING_LOW_USE)->range;
	assert_ptr_equal(named->range, load);
	assert_ptr_equal(named->in, step);
	assert_int_equal(named->time, 300 * MS);
	assert_int_equal(named->around, 700 * MS);
	assert_int_equal(named->gpu, 0);
	assert_int_equal(named->outside, 0);
	part->total = 49 * MS;
	named = &found(FINDING_LOW_USE)->range;
	assert_ptr_equal(named->range, work);
	assert_int_equal(named->gpu, 49 * MS);
	/* Another thread may have launched for it. */
	session_add_sample(session, &kernel->cupti, 60 * MS);
	header->counters[COUNTER_threads] = 2;
	assert_int_equal(found(FINDING_LOW_USE)->range.outside, 11 * MS);
}

static void record(enum row_kind kind, uint64_t name, uint64_t start, uint64_t end)
{
	const struct trace_record added = {.kind = kind,
					   .name = name,
					   .start = start * MS,
					   .end = end * MS,
					   .thread = kind == ROW_RANGE ? 7 : 0};

	assert_int_equal(session_trace(session, &added), 0);
}

static void launch(uint32_t thread, uint64_t start, uint32_t correlation)
{
	const struct trace_record added = {.kind = ROW_RUNTIME_API,
					   .start = start * MS,
					   .end = start * MS + 1000,
					   .thread = thread,
					   .correlation = correlation};

	assert_int_equal(session_trace(session, &added), 0);
}

static void work(uint64_t start, uint64_t end, uint32_t correlation)
{
	const struct trace_record added = {.kind = ROW_KERNEL,
					   .start = start * MS,
					   .end = end * MS,
					   .correlation = correlation};

	assert_int_equal(session_trace(session, &added), 0);
}

TEST(a_trace_tells_how_long_the_device_was_idle_in_the_range)
{
	struct nvtx_range *step = range("step", NULL, 500 * MS);
	struct nvtx_range *load = range("backward", step, 300 * MS);
	const uint64_t kernel = session_intern(session, "kernel");
	char *text;

	header->uses[0].busy = 700 * MS;
	idle(IDLE_PROGRAM, NULL, 300 * MS)->gaps = 1;
	record(ROW_KERNEL, kernel, 900, 1500);
	record(ROW_KERNEL, kernel, 500, 600);
	record(ROW_RANGE, step->name, 500, 1200);
	record(ROW_RANGE, load->name, 550, 750);
	/* A range of this name that is in no step is another one. */
	record(ROW_RANGE, load->name, 1300, 1400);
	assert_false(found(FINDING_LOW_USE)->range_times.known);
	record(ROW_RANGE, load->name, 800, 900);
	assert_true(found(FINDING_LOW_USE)->range_times.known);
	assert_int_equal(found(FINDING_LOW_USE)->range_times.idle, 250 * MS);
	assert_int_equal(found(FINDING_LOW_USE)->range_times.by_others, 0);
	/* What other threads launched meanwhile, as autograd does. */
	launch(7, 560, 1);
	launch(8, 570, 2);
	launch(8, 760, 3);
	work(1600, 1700, 1);
	work(1700, 1790, 2);
	work(1800, 1900, 3);
	assert_int_equal(found(FINDING_LOW_USE)->range_times.by_others, 90 * MS);
	assert_false(found(FINDING_LOW_USE)->range_times.several);
	text = printed(session, "");
	assert_non_null(strstr(text, " launched no GPU work there, another thread 90.0 ms of it."));
	free(text);
	header->command = session_intern(session, "python3 train.py");
	text = printed(session, "");
	assert_non_null(strstr(text, "; in those 300 ms the GPU was idle for 250 ms."));
	assert_non_null(strstr(text, " 90.0 ms of it: in PyTorch autograd's thread launches the "
				     "kernels of backward."));
	free(text);
	launch(9, 570, 4);
	work(1900, 1910, 4);
	assert_int_equal(found(FINDING_LOW_USE)->range_times.by_others, 100 * MS);
	assert_true(found(FINDING_LOW_USE)->range_times.several);
	/* Only a part of the range's records is left. */
	load->total = 350 * MS;
	assert_false(found(FINDING_LOW_USE)->range_times.known);
}

static void text_has(const char *text)
{
	char *report = printed(session, "");

	if (!strstr(report, text))
		fail_msg("not there: %s in: %s", text, report);
	free(report);
}

TEST(a_profile_of_a_part_of_the_run_tells_a_findings_part_of_the_run)
{
	header->uses[0].busy = 700 * MS;
	header->counters[COUNTER_wall_ns] = 40000 * MS;
	text_has("the GPU was idle, 300 ms of the GPU's 1.00 s: ");
	header->counters[COUNTER_operations_outside] = 1;
	text_has("the GPU was idle, 300 ms of the GPU's 1.00 s (0.8 % of the run): ");
	header->counters[COUNTER_wall_ns] = 400000 * MS;
	text_has("the GPU was idle, 300 ms of the GPU's 1.00 s (under 0.1 % of the run): ");
}

static struct nvtx_range *open_range(uint32_t thread, const char *name, struct nvtx_range *made,
				     uint64_t start, uint64_t end)
{
	struct nvtx_range *opened = made ?: range(name, NULL, 0);
	const struct trace_record added = {.kind = ROW_RANGE,
					   .name = opened->name,
					   .start = start * MS,
					   .end = end * MS,
					   .thread = thread};

	opened->total += (end - start) * MS;
	assert_int_equal(session_trace(session, &added), 0);
	return opened;
}

static const struct idle_by_range *split(void)
{
	return &found(FINDING_LOW_USE)->range_times.split;
}

/* A device that works for 10 ms of each 100 ms, and ranges of one thread. */
static struct nvtx_range *split_run(void)
{
	struct nvtx_range *load, *inner, *work_range;

	header->uses[0].busy = 100 * MS;
	header->uses[0].last = 1410 * MS;
	idle(IDLE_PROGRAM, NULL, 810 * MS)->gaps = 1;
	for (uint64_t start = 500; start < 1500; start += 100)
		work(start, start + 10, 0);
	load = open_range(7, "load", NULL, 510, 650);
	work_range = open_range(7, "work", NULL, 700, 950);
	/* No time of the range of this name that is in none. */
	inner = range("load", work_range, 0);
	open_range(7, NULL, inner, 720, 721);
	open_range(7, "save", NULL, 1000, 1020);
	open_range(7, NULL, load, 1020, 1021);
	open_range(7, "send", NULL, 1050, 1062);
	open_range(7, "log", NULL, 1070, 1080);
	open_range(7, "wait", NULL, 1080, 1081);
	return work_range;
}

TEST(a_trace_splits_idle_time_by_the_ranges_beside_one)
{
	struct nvtx_range *named = split_run();

	assert_ptr_equal(found(FINDING_LOW_USE)->range.range, named);
	assert_int_equal(split()->all, 810 * MS);
	assert_int_equal(split()->count, 4);
	assert_ptr_equal(split()->named[0].range, named);
	assert_int_equal(split()->named[0].time, 220 * MS);
	assert_int_equal(split()->named[0].host, 250 * MS);
	assert_int_equal(split()->named[1].time, 131 * MS);
	assert_int_equal(split()->others, 2);
	assert_int_equal(split()->in_others, 11 * MS);
	assert_int_equal(split()->elsewhere, (810 - 220 - 131 - 12 - 10 - 11) * MS);
	text_has(" Of the 810 ms without GPU work the host was in work for 220 ms (of its "
		 "250 ms), "
		 "in load for 131 ms, in send for 12 ms, in save for 10 ms, in 2 other ranges for "
		 "11 "
		 "ms, elsewhere for 426 ms.");
	/* What is in other threads' ranges is in these too. */
	open_range(8, "autograd", NULL, 710, 900);
	assert_int_equal(split()->count, 4);
	assert_int_equal(split()->elsewhere, 426 * MS);
	/* Two of several threads at once do not add up. */
	open_range(8, NULL, named, 1012, 1015);
	assert_int_equal(split()->count, 1);
	assert_int_equal(split()->named[0].time, 223 * MS);
	assert_int_equal(split()->elsewhere, 587 * MS);
	text_has("in work for 223 ms (of its 253 ms), elsewhere for 587 ms.");
}

TEST(idle_time_is_not_split_by_records_that_are_not_all_there)
{
	struct nvtx_range *named = split_run(), *other;

	/* A range that is open has no record yet. */
	other = range("evaluate", NULL, 5 * MS);
	assert_false(split()->count);
	assert_true(found(FINDING_LOW_USE)->range_times.known);
	text_has("; in those 249 ms the GPU was idle for 220 ms.");
	other->total = 4 * MS;
	assert_ptr_equal(split()->named[0].range, named);
	/* Nor is that of a device of whose time 9 ms are not in the trace. */
	header->uses[0].last += 9 * MS;
	assert_false(split()->count);
	header->uses[0].last -= MS;
	assert_ptr_equal(split()->named[0].range, named);
}

TEST(figures_of_split_idle_time_add_up_as_they_are_printed)
{
	static const char *const names[] = {"a", "b", "c"};
	struct nvtx_range *step = range("step", NULL, 0);

	header->uses[0].last = 2510 * MS;
	header->uses[0].busy = 30 * MS;
	idle(IDLE_PROGRAM, NULL, 1980 * MS)->gaps = 1;
	work(500, 510, 0);
	work(2490, 2510, 0);
	/* 204 ms each, in figures of 10 ms. */
	open_range(7, NULL, step, 600, 1220);
	for (uint64_t i = 0; i < 3; i++)
		open_range(7, NULL, range(names[i], step, 0), 600 + i * 204, 804 + i * 204);
	text_has(" Of the 1.98 s without GPU work the host was in a for 200 ms (of its "
		 "204 ms), in b for 210 ms, in c for 200 ms, elsewhere for 1.37 s.");
}

static void part_is(uint64_t idle_ms, uint64_t begin, uint64_t end)
{
	struct idle_part part;

	assert_true(idle_part_find(session, 0, &part));
	assert_int_equal(part.idle, idle_ms * MS);
	assert_int_equal(part.begin, begin * MS);
	assert_int_equal(part.end, end * MS);
}

TEST(a_trace_tells_where_most_idle_time_is)
{
	struct idle_part part;

	assert_false(idle_part_find(session, 0, &part));
	work(500, 600, 1);
	assert_false(idle_part_find(session, 0, &part));
	work(900, 1500, 2);
	work(600, 700, 3);
	part_is(100, 700, 800);
	work(1600, 2500, 4);
	part_is(200, 700, 900);
	assert_true(idle_part_find(session, 0, &part));
	assert_int_equal(part.all, 300 * MS);
	/* No three tenths in a row have half of 600 ms. */
	work(2600, 3300, 5);
	work(3500, 3600, 6);
	assert_true(idle_part_find(session, 0, &part));
	assert_int_equal(part.all, 600 * MS);
	assert_int_equal(part.idle, 0);
	/* Another device's work is no work. */
	assert_false(idle_part_find(session, 1, &part));
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
	pause->longest = 27000 * MS;
	assert_non_null(found(FINDING_LOW_USE));
	pause->longest += 1;
	assert_null(found(FINDING_LOW_USE));
	is_found(FINDING_GAP, 0, 27000 * MS + 1, 100 * (27000 * MS + 1.0) / (60000 * MS));
	/* Hardly any work at all, whatever the pauses are. */
	pause->longest = 0;
	assert_non_null(found(FINDING_LOW_USE));
	use->busy = 600 * MS;
	assert_non_null(found(FINDING_LOW_USE));
	use->busy--;
	assert_null(found(FINDING_LOW_USE));
}

TEST(low_use_names_its_largest_cause_and_advises_what_fits)
{
	struct idle_row *program;
	const struct finding *low;

	header->uses[0] = (struct device_use){.first = 0, .last = 1000 * MS, .busy = 100 * MS};
	assert_null(strstr(found(FINDING_LOW_USE)->advice, "CUDA graphs"));
	idle(IDLE_CALL, "cudaFree", 300 * MS)->gaps = 1;
	idle(IDLE_CALL, "cudaMalloc", 200 * MS)->gaps = 1;
	program = idle(IDLE_PROGRAM, NULL, 400 * MS);
	program->gaps = 1000;
	low = found(FINDING_LOW_USE);
	assert_int_equal(low->cause.cause, IDLE_PROGRAM);
	assert_int_equal(low->cause.time, 400 * MS);
	assert_non_null(strstr(low->advice, "CUDA graphs"));
	assert_null(strstr(low->advice, "torch.compile"));
	header->command = session_intern(session, "/usr/bin/python3 train.py");
	assert_non_null(strstr(found(FINDING_LOW_USE)->advice, "torch.compile"));
	/* Gaps of a millisecond are the program's own work. */
	program->gaps = 400;
	assert_non_null(strstr(found(FINDING_LOW_USE)->advice, "DataLoader"));
	header->command = session_intern(session, "./python/app");
	assert_non_null(strstr(found(FINDING_LOW_USE)->advice, "another thread"));
	program->total = 299 * MS;
	low = found(FINDING_LOW_USE);
	assert_int_equal(low->cause.cause, IDLE_CALL);
	assert_string_equal(session_string(session, low->cause.name), "cudaFree");
}

TEST(work_after_waiting_is_looked_at_and_many_short_waits_are_fewer)
{
	struct idle_row *waited = idle(IDLE_AFTER_WAIT, NULL, 200 * MS);

	header->totals.waiting_calls = 201;
	waited->gaps = 201;
	assert_non_null(strstr(found(FINDING_WAITING)->advice, "less often"));
	assert_null(strstr(found(FINDING_WAITING)->what, "worked"));
	waited->gaps = 200;
	assert_non_null(strstr(found(FINDING_WAITING)->advice, "CPU profiler"));
	assert_non_null(strstr(found(FINDING_WAITING)->what, "the program itself worked"));
}

static struct row *product(const char *name, uint64_t time)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);

	session_add_sample(session, &row->cupti, time);
	return row;
}

TEST(matrix_products_without_tensor_cores_are_found_by_certain_names)
{
	static const char *const others[] = {
		"cutlass_80_tensorop_s1688gemm_128x64_32x3_nn_align4",
		"sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize32x32x64_stage3_tensor16x8x8",
		"void implicit_convolve_sgemm<float, float, 128>(int)",
		"sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nhwckrsc_nchw_ffma_kernel",
		"my_sgemm",
		"void gemm<float>(int)"};

	header->devices[0].used = 1;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		product(others[i], 100 * MS);
	product("volta_sgemm_128x64_nn", 100 * MS);
	product("sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_ffma_aligna4_kernel",
		90 * MS);
	product("void Kernel2<cutlass_80_simt_sgemm_64x64_nt>(int)", 10 * MS - 1);
	assert_null(found(FINDING_FP32_MATRIX));
	product("volta_sgemm_128x64_nn", 1);
	is_found(FINDING_FP32_MATRIX, 4, 200 * MS, 20);
	assert_non_null(strstr(found(FINDING_FP32_MATRIX)->advice, "TF32"));
	header->command = session_intern(session, "python3 train.py");
	assert_non_null(strstr(found(FINDING_FP32_MATRIX)->advice, "float32_matmul_precision"));
	/* Turing has tensor cores without TF32, Pascal has none. */
	header->devices[0].compute_capability = 75;
	assert_null(strstr(found(FINDING_FP32_MATRIX)->advice, "TF32"));
	header->devices[0].compute_capability = 61;
	assert_null(found(FINDING_FP32_MATRIX));
}

TEST(low_use_is_left_out_where_another_finding_has_nearly_all_of_it)
{
	struct idle_row *waited;

	header->uses[0] = (struct device_use){.first = 0, .last = 1000 * MS, .busy = 100 * MS};
	header->totals.waiting_calls = 3;
	waited = idle(IDLE_AFTER_WAIT, NULL, 810 * MS);
	assert_null(found(FINDING_LOW_USE));
	assert_non_null(found(FINDING_WAITING));
	waited->total--;
	assert_non_null(found(FINDING_LOW_USE));
	/* On another device there is idle time that it does not explain. */
	waited->total++;
	header->uses[1] = (struct device_use){.first = 0, .last = 500 * MS, .busy = 100 * MS};
	assert_non_null(found(FINDING_LOW_USE));
}

static struct row *calls(const char *name, unsigned count, uint64_t time)
{
	struct row *row = session_row(session, ROW_RUNTIME_API, name, -1);

	for (unsigned i = 0; i < count; i++)
		session_add_sample(session, &row->cupti, time);
	return row;
}

static void has_functions(const struct finding *finding, const char *first, const char *second)
{
	assert_non_null(finding);
	assert_int_equal(finding->functions.count, !!first + !!second);
	if (first)
		assert_string_equal(session_string(session, finding->functions.of[0].name), first);
	if (second)
		assert_string_equal(session_string(session, finding->functions.of[1].name), second);
}

static void overlap_advises(const char *expected)
{
	const struct finding *finding = found(FINDING_OVERLAP);

	assert_non_null(finding);
	assert_string_equal(finding->advice, expected);
}

/* 60 MB at 7.5 GB/s of the 15.75 of PCIe 3 x16. */
static void add_slow_copies(void)
{
	struct row *row = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 0);

	header->devices[0].used = 1;
	header->devices[0].pcie_generation = 3;
	header->devices[0].pcie_lanes = 16;
	session_add_sample(session, &row->cupti, 8 * MS);
	row->cupti.size = 60 * MS;
}

static void looks_pageable(bool expected)
{
	char *text = printed(session, "--verbose");

	assert_int_equal(strstr(text, " At 48 % of PCIe 3 x16's peak their memory looks pageable: "
				      "pinned they would take 3.81 ms at best instead of 8.00 "
				      "ms.") != NULL,
			 expected);
	free(text);
}

/* What the copies have is not advised. */
TEST(copies_are_advised_what_they_lack)
{
	struct memory_use *use;

	header->uses[0].kernels = 800 * MS;
	header->uses[0].copies = 200 * MS;
	overlap_advises("copy in a stream of its own from pinned memory");
	calls("cudaMemcpy", 10, 30 * MS);
	overlap_advises("copy by cudaMemcpyAsync in a stream of its own, from pinned memory");
	header->totals.synchronous_calls = 10;
	header->totals.synchronous_ns = 300 * MS;
	assert_string_equal(found(FINDING_SYNCHRONOUS)->advice,
			    "the Async functions and pinned memory let the host go on");
	add_slow_copies();
	use = session_add_item(session, SEGMENT_MEMORY,
			       &(struct memory_use){.kind = ALLOCATION_DEVICE, .device = 0});
	looks_pageable(true);
	use = session_add_item(session, SEGMENT_MEMORY,
			       &(struct memory_use){.kind = ALLOCATION_PINNED, .device = -1});
	assert_non_null(use);
	use->peak = 1 << 20;
	overlap_advises("copy by cudaMemcpyAsync in a stream of its own");
	assert_string_equal(found(FINDING_SYNCHRONOUS)->advice,
			    "the Async functions let the host go on");
	looks_pageable(false);
	/* It copied other memory, too. */
	header->totals.pageable_calls = 1;
	overlap_advises("copy by cudaMemcpyAsync in a stream of its own, from pinned memory");
}

TEST(functions_are_named_if_they_made_all_the_calls)
{
	header->totals = (struct call_totals){
		.waiting_calls = 3, .synchronous_calls = 4, .synchronous_ns = 80 * MS};
	idle(IDLE_AFTER_WAIT, NULL, 100 * MS);
	calls("cudaMemcpyAsync", 9, 1 * MS);
	calls("cudaEventSynchronize", 3, 1 * MS);
	has_functions(found(FINDING_WAITING), NULL, NULL);
	/* Nobody can tell which calls were memsets. */
	assert_non_null(strstr(found(FINDING_SYNCHRONOUS)->what, "memsets"));
	calls("cudaMemcpy", 4, 20 * MS);
	has_functions(found(FINDING_WAITING), "cudaMemcpy", "cudaEventSynchronize");
	assert_int_equal(found(FINDING_WAITING)->count, 7);
	has_functions(found(FINDING_SYNCHRONOUS), "cudaMemcpy", NULL);
	assert_null(strstr(found(FINDING_SYNCHRONOUS)->what, "memsets"));
	/* One of them did not wait. */
	calls("cudaMemcpy", 1, 20 * MS);
	has_functions(found(FINDING_SYNCHRONOUS), NULL, NULL);
	assert_null(strstr(found(FINDING_SYNCHRONOUS)->what, "memsets"));
	calls("cudaMemset", 1, 20 * MS);
	assert_non_null(strstr(found(FINDING_SYNCHRONOUS)->what, "memsets"));
}

TEST(calls_are_said_to_be_in_the_range_that_has_most_of_them)
{
	struct nvtx_range *step = range("step", NULL, 700 * MS);
	struct nvtx_range *loss = range("loss", step, 300 * MS);
	struct row *wait = calls("cudaStreamSynchronize", 4, 1 * MS);

	header->totals = (struct call_totals){.waiting_calls = 4};
	idle(IDLE_AFTER_WAIT, NULL, 100 * MS);
	session_add_nvtx_part(session, step, wait)->calls = 1;
	assert_null(found(FINDING_WAITING)->calls_in.range);
	session_add_nvtx_part(session, loss, wait)->calls = 2;
	assert_ptr_equal(found(FINDING_WAITING)->calls_in.range, loss);
	assert_int_equal(found(FINDING_WAITING)->calls_in.calls, 2);
}

TEST(long_allocation_is_a_habit_or_the_first_call)
{
	/* A second before the device's. */
	header->counters[COUNTER_wall_ns] = 2000 * MS;
	calls("cudaMallocAsync", 9, 300 * MS);
	calls("cudaMalloc", 1, 200 * MS);
	assert_null(found(FINDING_HOST_MEMORY));
	calls("cudaFree", 1, 199 * MS);
	assert_null(found(FINDING_HOST_MEMORY));
	calls("cudaMalloc", 2, 100 * MS);
	is_found(FINDING_HOST_MEMORY, 2, 200 * MS, 10);
	has_functions(found(FINDING_HOST_MEMORY), "cudaMalloc", "cudaFree");
	/* Where the device waited for it, that is the other finding. */
	header->totals.memory_calls = 4;
	idle(IDLE_CALL, "cudaMalloc", 100 * MS);
	assert_null(found(FINDING_HOST_MEMORY));
	has_functions(found(FINDING_MEMORY), "cudaMalloc", NULL);
	/* While the device works, it is no time to gain. */
	header->totals.memory_calls = 0;
	header->counters[COUNTER_wall_ns] = 1599 * MS - 1;
	assert_null(found(FINDING_HOST_MEMORY));
}

/* A run of 2 s, of which 500 ms are before the GPU's work and 500 ms after it. */
static void run_longer(void)
{
	header->start_realtime = 0;
	header->counters[COUNTER_wall_ns] = 2000 * MS;
	header->counters[COUNTER_threads] = 1;
}

static void has_cause(enum finding_kind kind, const char *function, uint64_t time, bool possible)
{
	const struct finding *finding = found(kind);

	assert_non_null(finding);
	assert_int_equal(finding->cause.time, time);
	assert_int_equal(finding->possible, possible);
	if (function)
		assert_string_equal(session_string(session, finding->cause.name), function);
}

TEST(what_is_before_the_work_and_after_it_is_found_from_a_tenth_of_the_run_on)
{
	run_longer();
	is_found(FINDING_BEFORE, 0, 500 * MS, 25);
	is_found(FINDING_AFTER, 0, 500 * MS, 25);
	/* The start comes last, as nothing can be done about it. */
	assert_int_equal(findings[1].kind, FINDING_BEFORE);
	assert_true(findings_are_outside(findings, 2));
	header->start_realtime = 300 * MS;
	is_found(FINDING_BEFORE, 0, 200 * MS, 10);
	header->start_realtime++;
	assert_null(found(FINDING_BEFORE));
	run_longer();
	header->counters[COUNTER_wall_ns] = 1666 * MS;
	assert_null(found(FINDING_AFTER));
	/* Of a program that runs nobody knows what comes. */
	run_longer();
	header->finished = 0;
	assert_null(found(FINDING_AFTER));
	assert_non_null(found(FINDING_BEFORE));
	header->finished = RUN_UNTIL;
	assert_null(found(FINDING_AFTER));
	assert_non_null(found(FINDING_BEFORE));
	/* Operations that were only counted can have run at any time. */
	header->counters[COUNTER_operations_outside] = 1;
	assert_null(found(FINDING_BEFORE));
	/* A clock that was set. */
	run_longer();
	header->counters[COUNTER_operations_outside] = 0;
	header->start_realtime = 600 * MS;
	assert_null(found(FINDING_BEFORE));
}

TEST(short_starts_and_ends_are_those_of_every_program)
{
	run_longer();
	header->uses[0] =
		(struct device_use){.first = 100 * MS, .last = 200 * MS, .busy = 100 * MS};
	header->counters[COUNTER_wall_ns] = 225 * MS;
	assert_non_null(found(FINDING_BEFORE));
	assert_non_null(found(FINDING_AFTER));
	header->start_realtime = 1;
	header->counters[COUNTER_wall_ns] -= 2;
	assert_null(found(FINDING_BEFORE));
	assert_null(found(FINDING_AFTER));
}

TEST(the_call_that_took_the_start_is_named_if_it_can_only_have_been_there)
{
	run_longer();
	has_cause(FINDING_BEFORE, NULL, 0, true);
	/* Later there is no room for it, as the program worked for 1100 ms of the 1500 ms. */
	header->uses[0].busy = header->uses[0].kernels = 400 * MS;
	idle(IDLE_PROGRAM, NULL, 300 * MS);
	idle(IDLE_AFTER_WAIT, NULL, 300 * MS);
	header->counters[COUNTER_wall_ns] = 1520 * MS;
	calls("cudaSetDevice", 1, 421 * MS);
	has_cause(FINDING_BEFORE, "cudaSetDevice", 421 * MS, false);
	header->counters[COUNTER_wall_ns]++;
	header->counters[COUNTER_threads] = 2;
	has_cause(FINDING_BEFORE, "cudaSetDevice", 421 * MS, true);
	calls("cudaSetDevice", 1, 501 * MS);
	has_cause(FINDING_BEFORE, NULL, 0, true);
}

TEST(the_host_was_in_no_call_for_as_long_as_calls_do_not_fill)
{
	run_longer();
	assert_int_equal(found(FINDING_AFTER)->no_call, 0);
	calls("cudaMalloc", 1, 100 * MS);
	assert_int_equal(found(FINDING_BEFORE)->no_call, 400 * MS);
	assert_int_equal(found(FINDING_AFTER)->no_call, 400 * MS);
	assert_non_null(strstr(found(FINDING_AFTER)->advice, "perf shows"));
	/* What launches or waits is over when the GPU's work is. */
	calls("cudaMemcpy", 1, 200 * MS);
	assert_int_equal(found(FINDING_BEFORE)->no_call, 200 * MS);
	assert_int_equal(found(FINDING_AFTER)->no_call, 400 * MS);
	calls("cudaFree", 2, 125 * MS);
	has_cause(FINDING_AFTER, "cudaFree", 250 * MS, true);
	assert_non_null(strstr(found(FINDING_AFTER)->advice, "frees all"));
	header->command = session_intern(session, "python3 train.py");
	calls("cudaFree", 2, 50 * MS);
	has_cause(FINDING_AFTER, "cudaFree", 350 * MS, true);
	/* A call that is too long for it was elsewhere; one that ends something may have waited. */
	calls("cudaMalloc", 1, 501 * MS);
	assert_int_equal(found(FINDING_AFTER)->no_call, 50 * MS);
	/* Calls that were only counted can have taken any time. */
	session_row(session, ROW_RUNTIME_API, "cudaDeviceReset", -1)->calls = 1;
	assert_int_equal(found(FINDING_AFTER)->no_call, 0);
	calls("cudaDeviceReset", 1, 1 * MS);
	assert_int_equal(found(FINDING_AFTER)->no_call, 49 * MS);
	calls("cudaFree", 1, 600 * MS);
	assert_int_equal(found(FINDING_AFTER)->no_call, 0);
}

static struct job_process *process(uint64_t busy, uint64_t program, uint64_t after_wait)
{
	struct job_process *added =
		session_add_item(session, SEGMENT_PROCESSES,
				 &(struct job_process){.busy = busy, .device_time = 400 * MS});

	header->processes++;
	added->causes[IDLE_PROGRAM] = program;
	added->causes[IDLE_AFTER_WAIT] = after_wait;
	return added;
}

/* Rank 1 has a kernel of 200 ms, the others one of 100 ms; their GPUs wait 90 and 60 ms longer. */
TEST(idle_time_in_which_a_job_waits_for_the_slowest_is_its_own)
{
	struct job_row row = {.kind = ROW_KERNEL,
			      .processes = 3,
			      .total = 400e6,
			      .minimum = 100 * MS,
			      .known = MINIMUM_KNOWN,
			      .maximum = 200 * MS};
	const struct uneven *uneven;

	header->uses[0] = (struct device_use){
		.first = 0, .last = 1200 * MS, .busy = 700 * MS, .kernels = 700 * MS};
	header->totals.waiting_calls = 3;
	idle(IDLE_PROGRAM, NULL, 400 * MS)->gaps = 1000;
	idle(IDLE_AFTER_WAIT, NULL, 100 * MS)->gaps = 1000;
	process(200 * MS, 160 * MS, 40 * MS);
	row.slowest = session_offset(session, process(300 * MS, 90 * MS, 20 * MS));
	process(200 * MS, 150 * MS, 0);
	row.name = session_intern(session, "saxpy");
	session_add_item(session, SEGMENT_JOB_ROWS, &row);
	/* Of all times one process's. */
	is_found(FINDING_UNEVEN, 0, to_unsigned(200e6 - 400e6 / 3), found(FINDING_UNEVEN)->percent);
	uneven = &found(FINDING_UNEVEN)->uneven;
	assert_int_equal(uneven->more, 100 * MS);
	assert_int_equal(uneven->waited_each, 75 * MS);
	assert_null(uneven->other);
	/* 350 ms of 1200 are left, of them 270 ms of the program's own. */
	is_found(FINDING_LOW_USE, 0, 350 * MS / 3, 100 * 350.0 / 1200);
	assert_int_equal(found(FINDING_LOW_USE)->cause.time, 270 * MS / 3);
	assert_null(found(FINDING_WAITING));
	assert_non_null(strstr(found(FINDING_LOW_USE)->what, "GPUs"));
	/* One GPU of which all have the number. */
	header->devices[0].used = 1;
	header->devices[0].uuid[5] = 1;
	assert_non_null(strstr(found(FINDING_LOW_USE)->what, "all processes share"));
	assert_true(found(FINDING_UNEVEN)->shared);
	header->devices[1].used = 1;
	assert_null(strstr(found(FINDING_LOW_USE)->what, "all processes share"));
}

TEST(low_use_comes_last_and_others_by_their_time)
{
	header->uses[0].excluded = 200 * MS;
	header->uses[0].busy = 640 * MS;
	is_found(FINDING_LOW_USE, 0, 160 * MS, 20);
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
