/* SPDX-License-Identifier: MIT */
/* A trace for Perfetto, packet by packet. What it means to a reader is in
 * tests/command/perfetto.bats. */
#include <errno.h>

#include "report/export/export.h"
#include "report/session/items.h"
#include "tests/unit/perfetto_text.h"
#include "tests/unit/one_trace.h"

static struct options options;
static char *lines, *place;

BEFORE_EACH
{
	options_defaults(&options);
	header->pid = 321;
	header->start_realtime = 7;
	header->rank.rank = -1;
	header->hostname = session_intern(session, "node7");
	header->command = session_intern(session, "/usr/bin/saxpy 5");
	strcpy(header->devices[1].name, "NVIDIA H200");
}

AFTER_EACH
{
	free(lines);
	lines = NULL;
}

static void export(void)
{
	char *bytes = NULL, message[256] = "";
	size_t size, text_size;
	FILE *file = open_memstream(&bytes, &size), *text = open_memstream(&lines, &text_size);

	assert_int_equal(export_perfetto(session, &options, file, message, sizeof(message)), 0);
	fclose(file);
	perfetto_text(bytes, size, text);
	fclose(text);
	free(bytes);
	place = lines;
}

/* The next packet. Each begins with the sequence, #1, and what it needs. */
static void next_is(const char *expected)
{
	char *end = strchr(place, '\n');

	assert_non_null(end);
	*end = '\0';
	assert_string_equal(place, expected);
	place = end + 1;
}

static void has_no_more(void)
{
	assert_string_equal(place, "");
}

/* The texts that everything refers to, and the process: #2. */
static void process_is(const char *expected)
{
	next_is("10:#1 13:1 12{"
		"1{1:1 2:\"kernel\"} 1{1:2 2:\"memcpy\"} 1{1:3 2:\"memset\"} 1{1:4 2:\"graph\"} "
		"1{1:5 2:\"movement\"} 1{1:6 2:\"other\"} 1{1:7 2:\"runtime\"} "
		"1{1:8 2:\"driver\"} 1{1:9 2:\"overhead\"} 1{1:10 2:\"range\"} "
		"3{1:1 2:\"correlation\"} 3{1:2 2:\"grid\"} 3{1:3 2:\"block\"} "
		"3{1:4 2:\"registers\"} 3{1:5 2:\"static shared memory\"} "
		"3{1:6 2:\"dynamic shared memory\"} 3{1:7 2:\"mangled\"} 3{1:8 2:\"from\"} "
		"3{1:9 2:\"to\"} 3{1:10 2:\"bytes\"} 3{1:11 2:\"result\"} 3{1:12 2:\"kernel\"} "
		"3{1:13 2:\"domain\"} 3{1:14 2:\"graph\"} 3{1:15 2:\"graph node\"} "
		"3{1:16 2:\"clock\"} 3{1:17 2:\"range\"} "
		"29{1:1 2:\"unknown\"} 29{1:2 2:\"pageable\"} 29{1:3 2:\"pinned\"} "
		"29{1:4 2:\"device\"} 29{1:5 2:\"array\"} 29{1:6 2:\"managed\"} "
		"29{1:7 2:\"events\"}}");
	next_is(expected);
}

#define SAXPY "10:#1 13:2 60{1:#2 2:\"saxpy\" 3{1:321 2:\"/usr/bin/saxpy 5\" 6:\"saxpy\"}}"

TEST(a_launch_leads_to_its_kernel)
{
	record(ROW_KERNEL, "_Z3addIiEvPT_", 3000, 5500,
	       (struct trace_record){.device = 1,
				     .context = 2,
				     .stream = 13,
				     .correlation = 9,
				     .grid = {8, 2, 1},
				     .block = {256, 1, 1},
				     .registers = 10,
				     .static_shared = 11,
				     .dynamic_shared = 12});
	record(ROW_RUNTIME_API, "cudaLaunchKernel", 1000, 1501,
	       (struct trace_record){.device = -1,
				     .thread = 322,
				     .correlation = 9,
				     .kernel = session_intern(session, "_Z3addIiEvPT_")});
	export();
	process_is(SAXPY);
	next_is("10:#1 13:2 60{1:#3 2:\"Thread 322\" 4{1:321 2:322 5:\"Thread 322\"}}");
	next_is("10:#1 13:2 12{2{1:8 2:\"cudaLaunchKernel\"}}");
	next_is("10:#1 13:2 12{29{1:9 2:\"void add<int>(T1 *)\"}}");
	next_is("10:#1 13:2 8:1000 11{9:1 11:#3 3:7 10:8 47=#4 4{1:1 3:9} 4{1:11 3:0} "
		"4{1:12 17:9}}");
	next_is("10:#1 13:2 60{1:#5 5:#2 2:\"GPU 1: NVIDIA H200\"}");
	next_is("10:#1 13:2 60{1:#6 5:#5 2:\"Stream 13 (context 2)\"}");
	next_is("10:#1 13:2 12{2{1:9 2:\"void add<int>(T1 *)\"}}");
	next_is("10:#1 13:2 12{29{1:10 2:\"_Z3addIiEvPT_\"}}");
	next_is("10:#1 13:2 8:3000 11{9:1 11:#6 3:1 10:9 48=#4 4{1:1 3:9} 4{1:2 6:\"8x2x1\"} "
		"4{1:3 6:\"256x1x1\"} 4{1:4 3:10} 4{1:5 3:11} 4{1:6 3:12} 4{1:7 17:10}}");
	next_is("10:#1 13:2 8:1501 11{9:2 11:#3}");
	next_is("10:#1 13:2 8:5500 11{9:2 11:#6}");
	has_no_more();
}

TEST(the_first_node_of_a_graph_ends_the_arrow)
{
	const struct trace_record node = {.device = 1, .correlation = 9, .graph = 3};

	record(ROW_DRIVER_API, "cuGraphLaunch", 1000, 1500,
	       (struct trace_record){.device = -1, .thread = 5, .correlation = 9});
	record(ROW_OTHER, "a", 2000, 2100, node);
	record(ROW_OTHER, "a", 2100, 2200, node);
	/* No call has this id. */
	record(ROW_OTHER, "a", 2200, 2300,
	       (struct trace_record){.device = 1, .correlation = 8, .graph_node = 4});
	record(ROW_OTHER, "a", 2300, 2400, (struct trace_record){.device = 1});
	export();
	process_is(SAXPY);
	next_is("10:#1 13:2 60{1:#3 2:\"Thread 5\" 4{1:321 2:5 5:\"Thread 5\"}}");
	next_is("10:#1 13:2 12{2{1:8 2:\"cuGraphLaunch\"}}");
	next_is("10:#1 13:2 8:1000 11{9:1 11:#3 3:8 10:8 47=#4 4{1:1 3:9} 4{1:11 3:0}}");
	next_is("10:#1 13:2 60{1:#5 5:#2 2:\"GPU 1: NVIDIA H200\"}");
	next_is("10:#1 13:2 60{1:#6 5:#5 2:\"Stream 0 (context 0)\"}");
	next_is("10:#1 13:2 12{2{1:9 2:\"a\"}}");
	next_is("10:#1 13:2 8:2000 11{9:1 11:#6 3:6 10:9 48=#4 4{1:1 3:9} 4{1:14 3:3}}");
	next_is("10:#1 13:2 8:2100 11{9:2 11:#6}");
	next_is("10:#1 13:2 8:2100 11{9:1 11:#6 3:6 10:9 4{1:1 3:9} 4{1:14 3:3}}");
	next_is("10:#1 13:2 8:2200 11{9:2 11:#6}");
	next_is("10:#1 13:2 8:2200 11{9:1 11:#6 3:6 10:9 4{1:1 3:8} 4{1:15 3:4}}");
	next_is("10:#1 13:2 8:2300 11{9:2 11:#6}");
	next_is("10:#1 13:2 8:2300 11{9:1 11:#6 3:6 10:9}");
	next_is("10:#1 13:2 8:1500 11{9:2 11:#3}");
	next_is("10:#1 13:2 8:2400 11{9:2 11:#6}");
	has_no_more();
}

TEST(a_node_of_a_graph_has_the_range_that_it_was_made_in)
{
	record(ROW_MEMSET, "a", 2000, 2100,
	       (struct trace_record){.graph_node = 4,
				     .kernel = session_intern(session, "layer/mlp")});
	export();
	process_is(SAXPY);
	next_is("10:#1 13:2 60{1:#3 5:#2 2:\"GPU 0: \"}");
	next_is("10:#1 13:2 60{1:#4 5:#3 2:\"Stream 0 (context 0)\"}");
	next_is("10:#1 13:2 12{2{1:8 2:\"a\"}}");
	next_is("10:#1 13:2 12{29{1:9 2:\"layer/mlp\"}}");
	next_is("10:#1 13:2 8:2000 11{9:1 11:#4 3:3 10:8 4{1:10 3:0} 4{1:15 3:4} 4{1:17 17:9}}");
	next_is("10:#1 13:2 8:2100 11{9:2 11:#4}");
	has_no_more();
}

TEST(copies_count_in_flight_until_they_end)
{
	record(ROW_MEMCPY, "copy", 100, 200,
	       (struct trace_record){.device = 1,
				     .bytes = 4096,
				     .source_kind = MEMORY_PINNED,
				     .destination_kind = MEMORY_DEVICE});
	record(ROW_MOVEMENT, "copy", 150, 160,
	       (struct trace_record){
		       .device = 1, .stream = 1, .bytes = 1000, .source_kind = MEMORY_KINDS});
	/* Of these none is a copy that moves something on a device that there is. */
	record(ROW_MEMSET, "set", 200, 210, (struct trace_record){.device = 1, .bytes = 7});
	record(ROW_MEMCPY, "copy", 210, 220, (struct trace_record){.device = 1});
	record(ROW_MEMCPY, "copy", 210, 220,
	       (struct trace_record){.device = SESSION_DEVICES, .bytes = 9});
	record(ROW_MEMCPY, "copy", 210, 220, (struct trace_record){.device = -1, .bytes = 9});
	export();
	process_is(SAXPY);
	next_is("10:#1 13:2 60{1:#3 5:#2 2:\"GPU 1: NVIDIA H200\"}");
	next_is("10:#1 13:2 60{1:#4 5:#3 2:\"Stream 0 (context 0)\"}");
	next_is("10:#1 13:2 12{2{1:8 2:\"copy\"}}");
	next_is("10:#1 13:2 8:100 11{9:1 11:#4 3:2 10:8 4{1:8 17:3} 4{1:9 17:4} 4{1:10 3:4096}}");
	next_is("10:#1 13:2 60{1:#5 5:#3 2:\"Bytes in flight\" 8{3:3}}");
	next_is("10:#1 13:2 8:100 11{9:4 11:#5 30:4096}");
	next_is("10:#1 13:2 60{1:#6 5:#3 2:\"Stream 1 (context 0)\"}");
	next_is("10:#1 13:2 8:150 11{9:1 11:#6 3:5 10:8 4{1:8 17:1} 4{1:9 17:1} 4{1:10 3:1000}}");
	next_is("10:#1 13:2 8:150 11{9:4 11:#5 30:5096}");
	next_is("10:#1 13:2 8:200 11{9:2 11:#4}");
	next_is("10:#1 13:2 12{2{1:9 2:\"set\"}}");
	next_is("10:#1 13:2 8:200 11{9:1 11:#4 3:3 10:9 4{1:10 3:7}}");
	next_is("10:#1 13:2 8:210 11{9:2 11:#4}");
	next_is("10:#1 13:2 8:210 11{9:1 11:#4 3:2 10:8 4{1:8 17:1} 4{1:9 17:1} 4{1:10 3:0}}");
	next_is("10:#1 13:2 60{1:#7 5:#2 2:\"Stream 0 (context 0)\"}");
	next_is("10:#1 13:2 8:210 11{9:1 11:#7 3:2 10:8 4{1:8 17:1} 4{1:9 17:1} 4{1:10 3:9}}");
	next_is("10:#1 13:2 60{1:#8 5:#2 2:\"Stream 0 (context 0)\"}");
	next_is("10:#1 13:2 8:210 11{9:1 11:#8 3:2 10:8 4{1:8 17:1} 4{1:9 17:1} 4{1:10 3:9}}");
	next_is("10:#1 13:2 8:220 11{9:2 11:#4}");
	next_is("10:#1 13:2 8:160 11{9:2 11:#6}");
	next_is("10:#1 13:2 8:220 11{9:2 11:#7}");
	next_is("10:#1 13:2 8:220 11{9:2 11:#8}");
	next_is("10:#1 13:2 8:160 11{9:4 11:#5 30:4096}");
	next_is("10:#1 13:2 8:200 11{9:4 11:#5 30:0}");
	has_no_more();
}

TEST(ranges_contain_calls_and_what_overlaps_is_beside)
{
	const uint64_t domain = session_intern(session, "torch");

	record(ROW_RUNTIME_API, "call", 100, 300,
	       (struct trace_record){.thread = 5, .result = 700, .clock = CLOCK_EVENTS});
	record(ROW_RUNTIME_API, "call", 250, 350, (struct trace_record){.thread = 5});
	record(ROW_RANGE, "step", 100, 400,
	       (struct trace_record){.thread = 5, .kernel = domain, .result = RANGE_PUSH_POP});
	record(ROW_RANGE, "request", 120, 500,
	       (struct trace_record){.thread = 5, .result = RANGE_START_END});
	record(ROW_OVERHEAD, "flush", 600, 700, (struct trace_record){.device = -1});
	export();
	process_is(SAXPY);
	next_is("10:#1 13:2 60{1:#3 2:\"Thread 5\" 4{1:321 2:5 5:\"Thread 5\"}}");
	next_is("10:#1 13:2 12{2{1:8 2:\"step\"}}");
	next_is("10:#1 13:2 12{29{1:9 2:\"torch\"}}");
	next_is("10:#1 13:2 8:100 11{9:1 11:#3 3:10 10:8 4{1:13 17:9}}");
	next_is("10:#1 13:2 12{2{1:10 2:\"call\"}}");
	next_is("10:#1 13:2 8:100 11{9:1 11:#3 3:7 10:10 4{1:11 3:700} 4{1:16 17:7}}");
	next_is("10:#1 13:2 60{1:#4 5:#2 2:\"Start/end ranges of thread 5\"}");
	next_is("10:#1 13:2 12{2{1:11 2:\"request\"}}");
	next_is("10:#1 13:2 8:120 11{9:1 11:#4 3:10 10:11}");
	next_is("10:#1 13:2 60{1:#5 5:#2 2:\"Thread 5, overlapping\"}");
	next_is("10:#1 13:2 8:250 11{9:1 11:#5 3:7 10:10 4{1:11 3:0}}");
	next_is("10:#1 13:2 60{1:#6 5:#2 2:\"Thread 0\"}");
	next_is("10:#1 13:2 12{2{1:12 2:\"flush\"}}");
	next_is("10:#1 13:2 8:600 11{9:1 11:#6 3:9 10:12}");
	next_is("10:#1 13:2 8:300 11{9:2 11:#3}");
	next_is("10:#1 13:2 8:400 11{9:2 11:#3}");
	next_is("10:#1 13:2 8:350 11{9:2 11:#5}");
	next_is("10:#1 13:2 8:500 11{9:2 11:#4}");
	next_is("10:#1 13:2 8:700 11{9:2 11:#6}");
	has_no_more();
}

TEST(a_rank_has_its_number_and_its_node_in_the_name)
{
	struct session_header *header = session_header(session);

	header->rank.rank = 3;
	header->pid = (5 << 22) + 321;
	header->command = 0;
	options.from = 5;
	options.to = 10;
	header->trace_start = 1000;
	record(ROW_KERNEL, "late", 1011, 1012, (struct trace_record){.device = 1});
	record(ROW_RANGE, "b\xff", 1010, 1012, (struct trace_record){.thread = 5});
	export();
	process_is("10:#1 13:2 60{1:#2 2:\"rank 3 on node7: process 20971841\" "
		   "3{1:12583233 6:\"rank 3 on node7: process 20971841\"}}");
	next_is("10:#1 13:2 60{1:#3 2:\"Thread 5\" 4{1:12583233 2:5 5:\"Thread 5\"}}");
	next_is("10:#1 13:2 12{2{1:8 2:\"b\xef\xbf\xbd\"}}");
	next_is("10:#1 13:2 8:1010 11{9:1 11:#3 3:10 10:8}");
	next_is("10:#1 13:2 8:1012 11{9:2 11:#3}");
	has_no_more();
}

static uint64_t add_process(int32_t pid, const char *hostname, int32_t rank)
{
	struct job_process process = {.pid = pid,
				      .hostname = session_intern(session, hostname),
				      .command = session_intern(session, "train"),
				      .rank.rank = rank};
	struct job_process *added = session_add_item(session, SEGMENT_PROCESSES, &process);

	assert_non_null(added);
	return (uint64_t)((char *)added - (char *)session_header(session));
}

/* Two processes of one number, on two nodes, without ranks: nothing of them is the same. */
TEST(processes_share_no_number)
{
	const char *const nodes[] = {"node1", "node2"};

	session_header(session)->processes = 2;
	for (int i = 0; i < 2; i++) {
		session_trace_of(session, add_process(321, nodes[i], -1), 2);
		record(ROW_DRIVER_API, "call", 10, 20,
		       (struct trace_record){.thread = 5, .correlation = 1});
		record(ROW_MEMCPY, "copy", 30, 40,
		       (struct trace_record){.device = 1, .correlation = 1, .bytes = 64});
	}
	export();
	process_is("10:#1 13:2 60{1:#2 2:\"process 321 on node1: saxpy\" "
		   "3{1:321 2:\"train\" 6:\"process 321 on node1: saxpy\"}}");
	next_is("10:#1 13:2 60{1:#3 2:\"Thread 5\" 4{1:321 2:5 5:\"Thread 5\"}}");
	next_is("10:#1 13:2 12{2{1:8 2:\"call\"}}");
	next_is("10:#1 13:2 8:10 11{9:1 11:#3 3:8 10:8 47=#4 4{1:1 3:1} 4{1:11 3:0}}");
	next_is("10:#1 13:2 60{1:#5 5:#2 2:\"GPU 1: NVIDIA H200\"}");
	next_is("10:#1 13:2 60{1:#6 5:#5 2:\"Stream 0 (context 0)\"}");
	next_is("10:#1 13:2 12{2{1:9 2:\"copy\"}}");
	next_is("10:#1 13:2 8:30 11{9:1 11:#6 3:2 10:9 48=#4 4{1:1 3:1} 4{1:8 17:1} 4{1:9 17:1} "
		"4{1:10 3:64}}");
	next_is("10:#1 13:2 60{1:#7 5:#5 2:\"Bytes in flight\" 8{3:3}}");
	next_is("10:#1 13:2 8:30 11{9:4 11:#7 30:64}");
	next_is("10:#1 13:2 8:20 11{9:2 11:#3}");
	next_is("10:#1 13:2 8:40 11{9:2 11:#6}");
	next_is("10:#1 13:2 8:40 11{9:4 11:#7 30:0}");
	/* Another sequence has its own texts. */
	assert_memory_equal(place, "10:#8 13:1 12{", strlen("10:#8 13:1 12{"));
	place = strchr(place, '\n') + 1;
	next_is("10:#8 13:2 60{1:#9 2:\"process 321 on node2: saxpy\" "
		"3{1:4194625 2:\"train\" 6:\"process 321 on node2: saxpy\"}}");
	next_is("10:#8 13:2 60{1:#10 2:\"Thread 5\" 4{1:4194625 2:5 5:\"Thread 5\"}}");
	next_is("10:#8 13:2 12{2{1:8 2:\"call\"}}");
	next_is("10:#8 13:2 8:10 11{9:1 11:#10 3:8 10:8 47=#11 4{1:1 3:1} 4{1:11 3:0}}");
	next_is("10:#8 13:2 60{1:#12 5:#9 2:\"GPU 1: NVIDIA H200\"}");
	next_is("10:#8 13:2 60{1:#13 5:#12 2:\"Stream 0 (context 0)\"}");
	next_is("10:#8 13:2 12{2{1:9 2:\"copy\"}}");
	next_is("10:#8 13:2 8:30 11{9:1 11:#13 3:2 10:9 48=#11 4{1:1 3:1} 4{1:8 17:1} "
		"4{1:9 17:1} 4{1:10 3:64}}");
	next_is("10:#8 13:2 60{1:#14 5:#12 2:\"Bytes in flight\" 8{3:3}}");
	next_is("10:#8 13:2 8:30 11{9:4 11:#14 30:64}");
	next_is("10:#8 13:2 8:20 11{9:2 11:#10}");
	next_is("10:#8 13:2 8:40 11{9:2 11:#13}");
	next_is("10:#8 13:2 8:40 11{9:4 11:#14 30:0}");
	has_no_more();
}

TEST(more_at_once_than_there_are_tracks_is_told)
{
	char *bytes = NULL, message[256] = "";
	size_t size;
	FILE *file = open_memstream(&bytes, &size);

	for (int i = 0; i < 4097; i++)
		record(ROW_KERNEL, "a", 1, 2, (struct trace_record){.device = 1});
	assert_int_equal(export_perfetto(session, &options, file, message, sizeof(message)),
			 -E2BIG);
	assert_string_equal(message, "more than 4096 operations of a stream or ranges of a thread "
				     "at once: export a part of the trace with --from and --to");
	assert_int_equal(export_chrome(session, &options, file, message, sizeof(message)), -E2BIG);
	fclose(file);
	free(bytes);
}
