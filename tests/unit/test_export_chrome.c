/* SPDX-License-Identifier: MIT */
/* A Chrome trace keeps the rules of the trace event format, and its arrows lead to what was
 * launched. */
#include <cjson/cJSON.h>

#include "report/export/export.h"
#include "tests/unit/records.h"
#include "tests/unit/one_trace.h"

/* Numbers of processes and threads from here on are nothing's. */
#define FREE_NUMBERS 0x40000000

static struct options options;
static cJSON *document, *events;

BEFORE_EACH
{
	options_defaults(&options);
	header->pid = 321;
	header->command = session_intern(session, "/usr/bin/saxpy");
	strcpy(header->devices[1].name, "NVIDIA H200");
}

AFTER_EACH
{
	cJSON_Delete(document);
	document = events = NULL;
}

static void export(void)
{
	char *text = NULL, message[256] = "";
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(export_chrome(session, &options, file, message, sizeof(message)), 0);
	fclose(file);
	document = cJSON_Parse(text);
	assert_non_null(document);
	free(text);
	events = cJSON_GetObjectItem(document, "traceEvents");
	assert_true(cJSON_IsArray(events));
}

static const char *text_of(const cJSON *event, const char *member)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, member);

	return cJSON_IsString(item) ? item->valuestring : "";
}

static double number_of(const cJSON *event, const char *member)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(event, member);

	assert_true(cJSON_IsNumber(item));
	return item->valuedouble;
}

/* The n-th event of a phase. */
static const cJSON *find(const char *phase, int n)
{
	const cJSON *event;

	cJSON_ArrayForEach(event, events) if (!strcmp(text_of(event, "ph"), phase) &&
					      n-- == 0) return event;
	return NULL;
}

static const char *label_of(const char *what, double pid, double tid)
{
	const cJSON *event;

	cJSON_ArrayForEach(event, events)
	{
		if (!strcmp(text_of(event, "name"), what) && number_of(event, "pid") == pid &&
		    number_of(event, "tid") == tid)
			return text_of(cJSON_GetObjectItem(event, "args"), "name");
	}
	return "";
}

/* What the format asks of every event of a kind. */
static void check_rules(void)
{
	const cJSON *event;

	cJSON_ArrayForEach(event, events)
	{
		const char *phase = text_of(event, "ph");

		assert_int_equal(strlen(phase), 1);
		assert_non_null(strchr("MXsf", *phase));
		assert_string_not_equal(text_of(event, "name"), "");
		assert_true(number_of(event, "pid") >= 0);
		assert_true(number_of(event, "tid") >= 0);
		if (*phase == 'M')
			continue;
		assert_true(number_of(event, "ts") >= 0);
		assert_string_not_equal(text_of(event, "cat"), "");
		if (*phase == 'X') {
			assert_true(number_of(event, "dur") >= 0);
			assert_string_not_equal(
				label_of("process_name", number_of(event, "pid"), 0), "");
		} else {
			assert_true(number_of(event, "id") > 0);
		}
	}
}

/* Whether a slice of a pool holds a time. */
static bool slice_holds(double pid, double tid, double time)
{
	const cJSON *event;
	int n;

	for (n = 0; (event = find("X", n)); n++)
		if (number_of(event, "pid") == pid && number_of(event, "tid") == tid &&
		    number_of(event, "ts") <= time &&
		    time <= number_of(event, "ts") + number_of(event, "dur"))
			return true;
	return false;
}

static void check_arrows(int expected)
{
	const cJSON *start, *finish;
	int n;

	for (n = 0; (start = find("s", n)); n++) {
		finish = find("f", n);
		assert_non_null(finish);
		assert_true(number_of(start, "id") == number_of(finish, "id"));
		assert_string_equal(text_of(start, "cat"), text_of(finish, "cat"));
		assert_string_equal(text_of(start, "name"), text_of(finish, "name"));
		assert_string_equal(text_of(finish, "bp"), "e");
		assert_true(number_of(start, "ts") <= number_of(finish, "ts"));
		assert_true(slice_holds(number_of(start, "pid"), number_of(start, "tid"),
					number_of(start, "ts")));
		assert_true(slice_holds(number_of(finish, "pid"), number_of(finish, "tid"),
					number_of(finish, "ts")));
	}
	assert_int_equal(n, expected);
}

TEST(a_launch_points_to_its_kernel)
{
	const cJSON *slice;

	/* CUPTI delivers the kernel's record before the call's. */
	record(ROW_KERNEL, "_Z3addIiEvPT_", 3000, 5500,
	       (struct trace_record){.device = 1,
				     .context = 2,
				     .stream = 13,
				     .correlation = 9,
				     .grid = {8, 2, 1},
				     .block = {256, 1, 1}});
	record(ROW_RUNTIME_API, "cudaLaunchKernel", 1000, 1501,
	       (struct trace_record){.device = -1, .thread = 322, .correlation = 9});
	export();
	check_rules();
	check_arrows(1);
	slice = find("X", 1);
	assert_string_equal(text_of(slice, "name"), "void add<int>(T1 *)");
	assert_string_equal(text_of(slice, "cat"), "kernel");
	assert_true(number_of(slice, "ts") == 2.0);
	assert_true(number_of(slice, "dur") == 2.5);
	assert_true(number_of(slice, "pid") == 1);
	assert_true(number_of(slice, "tid") == 13);
	assert_string_equal(label_of("process_name", 1, 0), "GPU 1: NVIDIA H200");
	assert_string_equal(label_of("thread_name", 1, 13), "Stream 13 (context 2)");
	slice = find("X", 0);
	assert_true(number_of(slice, "pid") == 321);
	assert_true(number_of(slice, "tid") == 322);
	assert_true(number_of(slice, "ts") == 0);
	assert_true(number_of(slice, "dur") == 0.501);
	assert_string_equal(label_of("process_name", 321, 0), "saxpy");
}

/* The arguments of the n-th slice, no two of which are equal. */
static void has_arguments(int n, const char *expected)
{
	char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(find("X", n), "args"));

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

#define AT "{\"device\":1,\"context\":3,\"stream\":21"

TEST(each_kind_has_its_arguments)
{
	struct trace_record every = {.device = 1,
				     .context = 3,
				     .stream = 21,
				     .correlation = 9,
				     .bytes = 8192,
				     .grid = {1, 2, 3},
				     .block = {4, 5, 6},
				     .registers = 10,
				     .static_shared = 11,
				     .dynamic_shared = 12,
				     .source_kind = MEMORY_PINNED,
				     .destination_kind = MEMORY_DEVICE,
				     .clock = CLOCK_EVENTS,
				     .result = 13,
				     .graph = 14,
				     .graph_node = 15};
	struct trace_record call = {
		.device = -1, .thread = 322, .correlation = 7, .clock = CLOCK_CUPTI, .result = 700};

	every.kernel = session_intern(session, "layer/mlp");
	record(ROW_KERNEL, "_Z1kv", 3000, 5500, every);
	every.kernel = 0;
	record(ROW_MEMCPY, "[CUDA memcpy HtoD]", 6000, 6500, every);
	record(ROW_MEMSET, "[CUDA memset]", 7000, 7500, every);
	record(ROW_MOVEMENT, "[CUDA prefetch]", 8000, 8500, every);
	record(ROW_OTHER, "[CUDA other]", 9000, 9500, every);
	record(ROW_DRIVER_API, "cuCtxSynchronize", 9600, 9700, call);
	call.kernel = session_intern(session, "_Z1kv");
	record(ROW_RUNTIME_API, "cudaLaunchKernel", 9800, 9900, call);
	export();
	has_arguments(0, AT
		      ",\"shared memory\":23,\"correlation\":9,\"grid\":[1,2,3],\"block\":[4,5,6],"
		      "\"registers per thread\":10,\"static shared memory\":11,\"dynamic "
		      "shared memory\":12,\"mangled\":\"_Z1kv\",\"graph\":14,\"graph "
		      "node\":15,\"clock\":\"events\",\"range\":\"layer/mlp\"}");
	has_arguments(1, AT ",\"memory bandwidth (GB/s)\":16.384,\"correlation\":9,\"from\":"
			    "\"pinned\",\"to\":\"device\",\"bytes\":8192,\"graph\":14,\"graph "
			    "node\":15,\"clock\":\"events\"}");
	has_arguments(2, AT ",\"memory bandwidth (GB/s)\":16.384,\"correlation\":9,\"bytes\":8192,"
			    "\"graph\":14,\"graph node\":15,\"clock\":\"events\"}");
	has_arguments(3, AT ",\"memory bandwidth (GB/s)\":16.384,\"correlation\":9,\"from\":"
			    "\"pinned\",\"to\":\"device\",\"bytes\":8192,\"graph\":14,\"graph "
			    "node\":15,\"clock\":\"events\"}");
	has_arguments(4,
		      AT ",\"correlation\":9,\"graph\":14,\"graph node\":15,\"clock\":\"events\"}");
	has_arguments(5, "{\"correlation\":7,\"result\":700}");
	has_arguments(6, "{\"correlation\":7,\"result\":700,\"kernel\":\"k()\"}");
}

/* As PyTorch's profiler has them: by these names readers tell copies from kernels. */
TEST(categories_and_names_are_those_of_pytorch)
{
	static const struct {
		enum row_kind kind;
		const char *name, *category, *written;
	} kinds[] = {
		{ROW_KERNEL, "k", "kernel", "k"},
		{ROW_GRAPH, "[CUDA graph 3]", "kernel", "[CUDA graph 3]"},
		{ROW_MEMCPY, "[CUDA memcpy DtoH]", "gpu_memcpy",
		 "Memcpy DtoH (Device -> Pageable)"},
		{ROW_MOVEMENT, "[CUDA unified memory HtoD]", "gpu_memcpy",
		 "Memcpy HtoD (Unified memory)"},
		{ROW_MOVEMENT, "[CUDA prefetch]", "gpu_memcpy", "[CUDA prefetch]"},
		{ROW_MEMSET, "[CUDA memset]", "gpu_memset", "Memset (Pageable)"},
		{ROW_RUNTIME_API, "cudaMalloc", "cuda_runtime", "cudaMalloc"},
		{ROW_DRIVER_API, "cuInit", "cuda_driver", "cuInit"},
		{ROW_RANGE, "step", "user_annotation", "step"},
		{ROW_OVERHEAD, "Buffer Flush", "overhead", "Buffer Flush"},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		record(kinds[i].kind, kinds[i].name, 100 * i + 1, 100 * i + 50,
		       (struct trace_record){.source_kind = MEMORY_DEVICE,
					     .destination_kind = MEMORY_PAGEABLE});
	export();
	check_rules();
	for (int i = 0; i < (int)(sizeof(kinds) / sizeof(*kinds)); i++) {
		assert_string_equal(text_of(find("X", i), "cat"), kinds[i].category);
		assert_string_equal(text_of(find("X", i), "name"), kinds[i].written);
	}
}

/* In a container numbers of processes are as small as those of devices. */
TEST(a_process_is_no_device)
{
	header->pid = 1;
	record(ROW_KERNEL, "k", 100, 200, (struct trace_record){.device = 1});
	record(ROW_RUNTIME_API, "cudaMalloc", 300, 400, (struct trace_record){.thread = 1});
	export();
	check_rules();
	assert_string_equal(label_of("process_name", 1, 0), "GPU 1: NVIDIA H200");
	assert_string_equal(label_of("process_name", FREE_NUMBERS + 1, 0), "saxpy");
	assert_true(number_of(find("X", 1), "pid") == FREE_NUMBERS + 1);
}

TEST(a_rank_is_told)
{
	const cJSON *info;

	header->rank.rank = 3;
	header->rank.world_size = 8;
	record(ROW_KERNEL, "k", 100, 200, (struct trace_record){.device = 1});
	export();
	info = cJSON_GetObjectItem(document, "distributedInfo");
	assert_true(number_of(info, "rank") == 3);
	assert_true(number_of(info, "world_size") == 8);
}

TEST(each_node_of_a_graph_has_an_arrow_of_its_own)
{
	record(ROW_RUNTIME_API, "cudaGraphLaunch", 1000, 1500,
	       (struct trace_record){.device = -1, .thread = 322, .correlation = 9});
	record(ROW_KERNEL, "a", 3000, 3500, (struct trace_record){.device = 1, .correlation = 9});
	record(ROW_KERNEL, "b", 3600, 3700, (struct trace_record){.device = 1, .correlation = 9});
	export();
	check_rules();
	check_arrows(2);
	assert_true(number_of(find("s", 0), "id") != number_of(find("s", 1), "id"));
}

TEST(what_no_call_started_has_no_arrow)
{
	record(ROW_RUNTIME_API, "cudaMalloc", 1000, 1500,
	       (struct trace_record){.device = -1, .thread = 322, .correlation = 8});
	record(ROW_KERNEL, "a", 3000, 3500, (struct trace_record){.device = 1, .correlation = 9});
	export();
	check_rules();
	check_arrows(0);
}

TEST(streams_of_one_number_in_two_contexts_are_two)
{
	record(ROW_KERNEL, "a", 100, 200,
	       (struct trace_record){.device = 1, .context = 1, .stream = 7});
	record(ROW_KERNEL, "b", 150, 250,
	       (struct trace_record){.device = 1, .context = 2, .stream = 7});
	record(ROW_MEMSET, "[CUDA memset]", 300, 310,
	       (struct trace_record){.device = 1, .context = 1, .stream = 7});
	export();
	check_rules();
	assert_string_equal(label_of("thread_name", 1, 7), "Stream 7 (context 1)");
	assert_string_equal(label_of("thread_name", 1, FREE_NUMBERS + 2), "Stream 7 (context 2)");
	assert_true(number_of(find("X", 2), "tid") == 7);
}

TEST(what_overlaps_in_a_stream_has_a_track_of_its_own)
{
	record(ROW_KERNEL, "a", 100, 200, (struct trace_record){.device = 1, .stream = 7});
	record(ROW_KERNEL, "b", 150, 250, (struct trace_record){.device = 1, .stream = 7});
	record(ROW_KERNEL, "c", 200, 201, (struct trace_record){.device = 1, .stream = 7});
	record(ROW_RUNTIME_API, "d", 100, 200, (struct trace_record){.device = -1, .thread = 9});
	record(ROW_RUNTIME_API, "e", 150, 250, (struct trace_record){.device = -1, .thread = 9});
	export();
	check_rules();
	assert_true(number_of(find("X", 1), "tid") == 7); /* a */
	assert_true(number_of(find("X", 3), "tid") == FREE_NUMBERS + 2);
	assert_true(number_of(find("X", 4), "tid") == 7);
	assert_string_equal(label_of("thread_name", 1, FREE_NUMBERS + 2), "Stream 7 (context 0)");
	assert_true(number_of(find("X", 0), "tid") == 9); /* d */
	assert_true(number_of(find("X", 2), "tid") == FREE_NUMBERS + 2);
	assert_string_equal(label_of("thread_name", 321, FREE_NUMBERS + 2),
			    "Thread 9, overlapping");
}

TEST(a_part_has_what_runs_in_it)
{
	session_header(session)->trace_start = 1000;
	options.from = 500;
	options.to = 600;
	record(ROW_KERNEL, "a", 1000, 1499, (struct trace_record){.device = 1});
	record(ROW_KERNEL, "b", 1400, 1500, (struct trace_record){.device = 1});
	record(ROW_KERNEL, "c", 1600, 1700, (struct trace_record){.device = 1});
	record(ROW_KERNEL, "d", 1601, 1700, (struct trace_record){.device = 1});
	export();
	check_rules();
	assert_string_equal(text_of(find("X", 0), "name"), "b");
	assert_true(number_of(find("X", 0), "ts") == 0.4);
	assert_string_equal(text_of(find("X", 1), "name"), "c");
	assert_null(find("X", 2));
}

TEST(a_program_of_many_calls_keeps_the_rules)
{
	char message[256];
	int n = 0;

	session_close(session);
	assert_int_equal(records_read(&session, "tests/golden/nsys_many.records.tsv", NULL, message,
				      sizeof(message)),
			 0);
	export();
	check_rules();
	check_arrows(0);
	while (find("X", n))
		n++;
	assert_int_equal(n, 240);
}
