/* SPDX-License-Identifier: MIT */
/* The timeline of a page: its tracks, why its devices were idle, and what it leaves out. */
#include "report/html/gaps.h"
#include "report/html/pack.h"
#include "report/session/items.h"
#include "tests/unit/page_text.h"
#include "tests/unit/one_session.h"

#define US   1000ull
#define ZERO 5000000ull

static struct options options;
static struct filter filter;
static struct timeline timeline;

BEFORE_EACH
{
	options_defaults(&options);
}

AFTER_EACH
{
	tracks_free(&timeline);
	filter_free(&filter);
	options_free(&options);
}

static void add(const struct trace_record *rest, const char *name, uint64_t start, uint64_t end)
{
	struct trace_record record = *rest;

	record.name = session_intern(session, name);
	record.start = ZERO + start;
	record.end = ZERO + end;
	assert_int_equal(session_trace(session, &record), 0);
}

static void add_kernel(uint32_t correlation, uint64_t start, uint64_t end)
{
	add(&(struct trace_record){.kind = ROW_KERNEL, .stream = 7, .correlation = correlation},
	    "k", start, end);
}

static void add_call(const char *name, uint32_t correlation, uint64_t start, uint64_t end)
{
	add(&(struct trace_record){.kind = ROW_RUNTIME_API,
				   .device = -1,
				   .thread = 71,
				   .correlation = correlation},
	    name, start, end);
}

static void read_trace(void)
{
	assert_int_equal(filter_init(&filter, session, &options), 0);
	assert_int_equal(tracks_read(&timeline, session, &filter), 0);
	assert_int_equal(gaps_add(&timeline), 0);
}

/* The idle time of the first device: "CAUSE START END", the cause by its name or the call's. */
static void expect_idle(const char *expected)
{
	static const char *const keys[] = {
#define CAUSE_KEY(name, key, text) key,
		IDLE_CAUSES(CAUSE_KEY)
#undef CAUSE_KEY
	};
	char text[1000] = "";

	assert_int_equal(timeline.tracks[0].kind, TRACK_IDLE);
	for (size_t i = 0; i < timeline.tracks[0].count; i++) {
		const struct item *item = &timeline.tracks[0].items[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %llu %llu\n",
			 item->kind == ROW_KINDS ? keys[item->name]
						 : session_string(session, item->name),
			 (unsigned long long)item->start, (unsigned long long)item->end);
	}
	assert_string_equal(text, expected);
}

TEST(a_gap_is_split_by_what_the_host_did)
{
	add_call("cudaLaunchKernel", 1, 0, 2 * US);
	add_kernel(1, 4 * US, 20 * US);
	add_call("cudaDeviceSynchronize", 2, 3 * US, 21 * US);
	add_call("cudaMalloc", 3, 30 * US, 50 * US);
	add_call("cudaLaunchKernel", 4, 60 * US, 62 * US);
	add_kernel(4, 64 * US, 70 * US);
	read_trace();
	/* The call that waited began before the gap. */
	expect_idle("cudaDeviceSynchronize 20000 21000\n"
		    "program after waiting 21000 30000\n"
		    "cudaMalloc 30000 50000\n"
		    "program after waiting 50000 60000\n"
		    "launch latency 60000 64000\n");
}

TEST(the_program_s_own_time_is_told_from_that_after_waiting)
{
	add_call("cudaLaunchKernel", 1, 0, 2 * US);
	add_kernel(1, 4 * US, 10 * US);
	add_call("cudaMemcpyAsync", 2, 3 * US, 5 * US);
	add_call("cudaLaunchKernel", 3, 40 * US, 42 * US);
	add_kernel(3, 44 * US, 50 * US);
	/* A copy that the host waited for. */
	add_call("cudaMemcpy", 4, 50 * US, 55 * US);
	add_call("cudaLaunchKernel", 5, 65 * US, 66 * US);
	add_kernel(5, 67 * US, 68 * US);
	read_trace();
	expect_idle("program 10000 40000\nlaunch latency 40000 44000\n"
		    "cudaMemcpy 50000 55000\nprogram after waiting 55000 65000\n"
		    "launch latency 65000 67000\n");
}

TEST(what_the_device_waited_for_itself_is_no_fault_of_the_host)
{
	add_call("cudaLaunchKernel", 1, 0, 1 * US);
	add_call("cudaLaunchKernel", 2, 2 * US, 3 * US);
	add_call("cudaLaunchKernel", 3, 4 * US, 5 * US);
	add_call("cudaLaunchKernel", 4, 40 * US, 41 * US);
	add_kernel(1, 2 * US, 10 * US);
	/* Queued long before. */
	add_kernel(2, 12 * US, 20 * US);
	add_kernel(3, 30 * US, 39 * US);
	/* Shorter than the clocks may be apart. */
	add_kernel(4, 42 * US, 43 * US);
	/* A call that the trace does not have. */
	add_kernel(9, 60 * US, 61 * US);
	read_trace();
	expect_idle("dependency 10000 12000\ndependency 20000 30000\nshort 39000 42000\n"
		    "unresolved 43000 60000\n");
}

TEST(nodes_of_one_launch_are_inside_a_graph)
{
	struct trace_record node = {
		.kind = ROW_KERNEL, .stream = 7, .correlation = 5, .graph = 3, .graph_node = 1};

	add_call("cudaGraphLaunch", 5, 0, 2 * US);
	add(&node, "k", 4 * US, 5 * US);
	add(&node, "k", 25 * US, 30 * US);
	add_call("cudaGraphLaunch", 6, 50 * US, 52 * US);
	node.correlation = 6;
	add(&node, "k", 54 * US, 55 * US);
	read_trace();
	expect_idle("graph 5000 25000\nprogram 30000 50000\nlaunch latency 50000 54000\n");
}

TEST(a_device_is_busy_while_any_of_its_streams_is)
{
	add_kernel(1, 1 * US, 100 * US);
	add(&(struct trace_record){.kind = ROW_MEMCPY, .stream = 8}, "[CUDA memcpy HtoD]", 10 * US,
	    20 * US);
	add(&(struct trace_record){.kind = ROW_MEMCPY, .stream = 8}, "[CUDA memcpy HtoD]", 90 * US,
	    110 * US);
	add_kernel(2, 120 * US, 130 * US);
	read_trace();
	expect_idle("unresolved 109000 119000\n");
	assert_int_equal(timeline.track_count, 3);
	assert_int_equal(timeline.tracks[1].number, 7);
	assert_int_equal(timeline.tracks[2].number, 8);
	assert_int_equal(timeline.tracks[2].count, 2);
}

TEST(ranges_inside_of_others_have_a_track_below)
{
	struct trace_record range = {.kind = ROW_RANGE, .device = -1, .thread = 5};

	add(&range, "inner", 2 * US, 3 * US);
	add(&range, "inner", 4 * US, 5 * US);
	add(&range, "outer", 1 * US, 9 * US);
	add(&range, "next", 9 * US, 10 * US);
	read_trace();
	assert_int_equal(timeline.track_count, 2);
	assert_int_equal(timeline.tracks[0].level, 0);
	assert_int_equal(timeline.tracks[0].count, 2);
	assert_string_equal(session_string(session, timeline.tracks[0].items[0].name), "outer");
	assert_string_equal(session_string(session, timeline.tracks[0].items[1].name), "next");
	assert_int_equal(timeline.tracks[1].level, 1);
	assert_int_equal(timeline.tracks[1].count, 2);
}

TEST(a_page_has_each_record_of_a_long_trace)
{
	struct pack pack;
	char *page;

	for (uint64_t i = 0; i < 100000; i++)
		add_kernel(0, 10000 * i, 10000 * i + 3000 + i % 7);
	read_trace();
	assert_int_equal(pack_make(&pack, &timeline, 1000000), 0);
	assert_int_equal(pack.left_out, 0);
	assert_int_equal(pack.until, 0);
	pack_free(&pack);
	page = page_text(session, "");
	assert_true(strlen(page) < 1000000);
	assert_null(strstr(page, "<p class=\"left-out\">"));
	free(page);
}

TEST(what_has_no_room_is_the_trace_s_end)
{
	struct pack pack;
	uint64_t chance = 1;

	/* Times that no compression makes small. */
	for (uint64_t i = 0; i < 20000; i++) {
		chance = chance * 6364136223846793005ull + 1442695040888963407ull;
		add_kernel(0, 100 * US * i, 100 * US * i + (chance >> 48));
	}
	read_trace();
	assert_int_equal(pack_make(&pack, &timeline, 20000), 0);
	assert_in_range(pack.size, 10000, 20000);
	/* It begins at a moment, from which on all is left out. */
	assert_in_range(pack.left_out, 2000, 19000);
	assert_int_equal((pack.until + 100 * US - 1) / (100 * US), 20000 - pack.left_out);
	pack_free(&pack);
}

TEST(times_are_those_of_exports)
{
	struct trace_record before = {.kind = ROW_OVERHEAD, .device = -1};

	/* The trace begins with what has no track. */
	add(&before, "overhead", 1 * US, 2 * US);
	add_kernel(1, 5 * US, 20 * US);
	read_trace();
	assert_int_equal(timeline.zero, ZERO + 1 * US);
	assert_int_equal(timeline.begin, 4 * US);
	assert_int_equal(timeline.end, 19 * US);
	assert_int_equal(timeline.tracks[1].items[0].start, 4 * US);
}

TEST(a_device_s_streams_and_a_thread_s_calls_can_be_folded)
{
	struct trace_record range = {.kind = ROW_RANGE, .device = -1, .thread = 71};
	static const unsigned depths[] = {0, 1, 0, 1, 1};
	const struct job_process process = {.pid = 1};

	add_call("cudaLaunchKernel", 1, 0, 2 * US);
	add_kernel(1, 4 * US, 20 * US);
	add(&range, "outer", 0, 9 * US);
	add(&range, "inner", 1 * US, 2 * US);
	read_trace();
	assert_int_equal(timeline.track_count, 5);
	for (size_t i = 0; i < timeline.track_count; i++)
		assert_int_equal(track_depth(&timeline, i), depths[i]);
	/* Of a job below each process's first one. */
	for (size_t i = 0; i < timeline.track_count; i++)
		timeline.tracks[i].owner = &process;
	for (size_t i = 0; i < timeline.track_count; i++)
		assert_int_equal(track_depth(&timeline, i), i ? depths[i] + 1 : 0);
}

TEST(what_has_the_same_details_has_the_same_number)
{
	struct trace_record kernel = {.kind = ROW_KERNEL, .grid = {8, 1, 1}, .registers = 32};

	add(&kernel, "one", 0, 1 * US);
	add(&kernel, "other", 2 * US, 3 * US);
	kernel.grid[1] = 2;
	add(&kernel, "one", 4 * US, 5 * US);
	read_trace();
	assert_int_equal(timeline.tracks[1].count, 3);
	assert_int_equal(timeline.tracks[1].items[0].details, 1);
	assert_int_equal(timeline.tracks[1].items[1].details, 1);
	assert_int_equal(timeline.tracks[1].items[2].details, 2);
}

TEST(without_a_trace_there_is_no_timeline)
{
	char *page = page_text(session, "");

	assert_null(strstr(page, "timeline-data"));
	free(page);
}
