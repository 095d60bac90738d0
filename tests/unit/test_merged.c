/* SPDX-License-Identifier: MIT */
/*
 * What comes out of several processes' profiles as one: each figure is the sum, the most or the
 * first one's, and each process's line says what it did. tests/golden/merged_*.txt have it; see
 * golden.h where a change of it is wanted.
 */
#include <ctype.h>
#include <errno.h>
#include <locale.h>

#include "report/export/export.h"
#include "report/merge/job.h"
#include "report/merge/merge.h"
#include "report/print/report.h"
#include "tests/unit/golden.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

#define US     1000ull
#define MS     1000000ull
#define REDUCE "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
#define GATHER "ncclDevKernel_AllGather_RING_LL"
#define SEND   "ncclDevKernel_SendRecv"

/* A call of a collective, with its record. */
static void call(struct session *session, const char *name, uint64_t start, uint64_t end)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);
	const struct trace_record record = {.kind = ROW_KERNEL,
					    .start = start,
					    .end = end,
					    .overhead = 1,
					    .clock = CLOCK_CUPTI,
					    .name = session_intern(session, name)};

	assert_non_null(row);
	row->calls++;
	session_add_sample(session, &row->cupti, end - start);
	assert_int_equal(session_trace(session, &record), 0);
	session_count(session, COUNTER_trace_records, 1);
}

/* One of three processes of a job of eight ranks. */
static struct session *process_of(int number)
{
	static const enum whole_profile kinds[] = {WHOLE_CUPTI, WHOLE_EVENTS, WHOLE_WINDOWS};
	static const int ranks[] = {4, 0, 6};
	struct session *session = whole_profile(kinds[number], NULL);
	struct session_header *header = session_header(session);

	header->pid += number;
	header->start_realtime -= (uint64_t)number * MS;
	header->trace_start += 5 * MS * (uint64_t)(number == 2);
	header->rank = (struct process_rank){.rank = ranks[number],
					     .local_rank = number % 2,
					     .world_size = 8,
					     .launcher = "Open MPI",
					     .job = "one"};
	header->owner = (struct session_owner){"boot", 100 + (uint64_t)number, 7};
	header->finished = number != 2;
	if (number == 2)
		strcpy(header->devices[2].name, "NVIDIA B200");
	header->devices[3 + number].used = 1;
	snprintf(header->devices[3 + number].name, sizeof(header->devices[0].name), "Device %d",
		 number);
	header->budget_given = number == 0;
	header->counters[COUNTER_trace_lost] = 0;
	for (int i = 0; number && i < 3; i++) {
		const struct idle_row key = {
			.cause = i ? IDLE_CALL : IDLE_PROGRAM,
			.thread = 90,
			.name = i ? session_intern(session, i > 1 ? "cudaMalloc" : "cudaFree") : 0};
		struct idle_row *idle = session_idle_row(session, &key);

		assert_non_null(idle);
		session_add_idle(idle, (number == 1 ? 300 : 4) * MS + (uint64_t)i,
				 session_intern(session, i ? "earlier" : ""),
				 session_intern(session, i ? "later" : ""));
	}
	header->uses[2].contexts = number == 1 ? 2 : header->uses[2].contexts;
	if (number == 2)
		header->uses[0] = (struct device_use){
			.first = 9 * MS, .last = 8 * MS, .busy = MS, .contexts = 1};
	if (number == 1) {
		header->hostname = session_intern(session, "node8");
		header->uses[0] = (struct device_use){.first = 20 * MS,
						      .last = 1020 * MS,
						      .excluded = 11 * MS,
						      .busy = 420 * MS,
						      .kernels = 333 * MS,
						      .copies = 95 * MS,
						      .late = 3,
						      .contexts = 4};
	}
	for (unsigned i = 0; i < 3; i++) {
		uint64_t late = (unsigned)number == i ? 30 * US : (unsigned)number * 7 * US;

		call(session, REDUCE, (100 + i) * MS + late,
		     (100 + i) * MS + 90 * US + (unsigned)number * 100);
	}
	call(session, number == 2 ? GATHER : SEND, 200 * MS, 201 * MS);
	return session;
}

static void add(struct merge *merge, struct session *session)
{
	char message[128] = "";

	assert_int_equal(merge_add(merge, session, message, sizeof(message)), 0);
	assert_string_equal(message, "");
	session_close(session);
}

/* What is written of the processes; after the report, or without. */
static void write_report(struct session *session, const char *words, unsigned slowest, bool alone,
			 FILE *file)
{
	char message[256] = "";
	struct options options;

	options_defaults(&options);
	assert_int_equal(options_parse_string(&options, words, message, sizeof(message)), 0);
	options.slowest = slowest;
	fprintf(file, "$ ktime merge %s --slowest %u\n", words, slowest);
	if (!alone)
		assert_int_equal(report_write(session, &options, file), 0);
	assert_int_equal(job_write(session, &options, file), 0);
	options_free(&options);
}

/* As JSON, an object a line, but the parts of a histogram on one: all, or the rows, the devices'
 * use and the processes. */
static void write_json(struct session *session, bool all, FILE *file)
{
	static const char *const parts[] = {"\"use\"", "\"untimed\"", "\"job\"", "\"rows\""};
	char *text = NULL, message[256] = "";
	struct options options;
	unsigned digits = 0;
	bool shown = all;
	size_t size;
	FILE *json = open_memstream(&text, &size);

	assert_non_null(json);
	options_defaults(&options);
	assert_int_equal(export_json(session, &options, json, message, sizeof(message)), 0);
	options_free(&options);
	fclose(json);
	for (size_t i = 0; i < size; i++) {
		/* A part has a line of its own. */
		if (!all && i > 0 && text[i] == '"' && text[i - 1] == '\n') {
			shown = false;
			for (size_t part = 0; part < 4; part++)
				shown |= strncmp(text + i, parts[part], strlen(parts[part])) == 0;
		}
		/* Of a fraction the digits that every machine gets. */
		digits = text[i] == '.' ? 1 : isdigit(text[i]) && digits ? digits + 1 : 0;
		if (digits > 9 || !shown)
			continue;
		fputc(text[i], file);
		if (i > 0 && text[i] == ',' && (text[i - 1] == '}' || text[i - 1] == ']') &&
		    strncmp(text + i + 1, "{\"from\"", strlen("{\"from\"")) != 0)
			fputc('\n', file);
	}
	fputc('\n', file);
	free(text);
}

/* What is written of a merged profile: all of it, or what its processes have to do with. */
static void write_forms(struct session *session, bool all, FILE *file)
{
	static const char *const words[] = {
		"",
		"--verbose --percentiles --histogram --idle --cross-check --bandwidth",
		"--csv --verbose --percentiles --idle --cross-check --bandwidth",
		"--quiet --print-gpu-trace",
		"--quiet --kernels reduce|nccl",
		"--quiet --csv --percentiles --print-summary",
		"--quiet --top 2 --print-gpu-summary --names short",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		write_report(session, words[i], (unsigned)i, !all && i < 4, file);
	write_json(session, all, file);
}

static char *written(struct session *session)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	write_forms(session, true, file);
	fclose(file);
	return text;
}

TEST(each_figure_is_merged)
{
	struct merge *merge;

	assert_int_equal(merge_start(&merge, NULL, true), 0);
	for (int i = 0; i < 3; i++)
		add(merge, process_of(i));
	merge_finish(merge);
	write_forms(merge_session(merge), false, golden_begin());
	golden_end("merged_job");
	merge_free(merge);
}

/* Two and then the third are as much as all three. */
TEST(a_merged_profile_can_be_merged)
{
	for (int whole = 0; whole < 2; whole++) {
		struct merge *all, *some, *again;
		char *expected, *text, message[128];

		assert_int_equal(merge_start(&all, NULL, whole), 0);
		assert_int_equal(merge_start(&some, NULL, whole), 0);
		assert_int_equal(merge_start(&again, NULL, whole), 0);
		for (int i = 0; i < 3; i++) {
			add(all, process_of(i));
			if (i < 2)
				add(some, process_of(i));
		}
		assert_int_equal(merge_add(again, merge_session(some), message, sizeof(message)),
				 0);
		add(again, process_of(2));
		assert_int_equal(merge_add(again, merge_session(some), message, sizeof(message)),
				 -EXDEV);
		assert_string_equal(message, "holds a process that was given already");
		merge_finish(all);
		merge_finish(again);
		assert_int_equal(session_header(merge_session(all))->reported, 1);
		assert_int_equal(
			session_header(merge_session(all))->counters[COUNTER_trace_records] > 0,
			whole);
		expected = written(merge_session(all));
		text = written(merge_session(again));
		assert_string_equal(text, expected);
		free(text);
		free(expected);
		merge_free(some);
		merge_free(again);
		merge_free(all);
	}
}

/* A process of a tree, which has no rank: `kernels` calls of a kernel of 10 us. */
static struct session *child(int pid, unsigned kernels, bool timed, bool finished)
{
	char command[64];
	struct session *session;
	struct session_header *header;
	struct row *row;

	assert_int_equal(session_create(&session, NULL, SESSION_TRACE), 0);
	header = session_header(session);
	header->pid = pid;
	header->cupti_active = timed;
	header->finished = finished;
	header->rank = (struct process_rank){.rank = -1, .local_rank = -1, .world_size = -1};
	header->hostname = session_intern(session, "node7");
	snprintf(command, sizeof(command), "./worker \"%d\" --with-a-long-line-of-arguments-it-has",
		 pid);
	header->command = session_intern(session, command);
	header->uses[0] = (struct device_use){
		.first = MS, .last = 3 * MS, .busy = 10 * US * kernels, .contexts = 1};
	row = session_row(session, ROW_KERNEL, "_Z4workv", 0);
	assert_non_null(row);
	for (unsigned i = 0; i < kernels; i++) {
		row->calls++;
		if (timed)
			session_add_sample(session, &row->cupti, 10 * US);
	}
	return session;
}

static void add_idle(struct session *session, enum idle_cause cause, uint64_t time)
{
	struct idle_row *row =
		session_idle_row(session, &(struct idle_row){.cause = cause, .device = 0});

	assert_non_null(row);
	session_add_idle(row, time, 0, 0);
}

/* Ten that were killed, ten that only counted, and two that are alike. */
TEST(a_tree_of_processes_is_listed)
{
	static const char *const words[] = {"", "--top 1", "--quiet --csv"};
	struct merge *merge;
	FILE *file = golden_begin();

	assert_int_equal(merge_start(&merge, NULL, false), 0);
	for (int i = 0; i < 10; i++)
		add(merge, child(300 + i, 5 + (unsigned)i, false, true));
	for (int i = 0; i < 10; i++) {
		struct session *session = child(120 - i, 50 + (unsigned)(i % 9), true, false);

		if (i < 3)
			add_idle(session, IDLE_PROGRAM, 700 * US);
		if (i < 2)
			add_idle(session, IDLE_LATENCY, 200 * US);
		if (i < 1)
			add_idle(session, IDLE_GRAPH, 300 * US);
		add(merge, session);
	}
	add(merge, child(500, 0, false, true));
	merge_finish(merge);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		write_report(merge_session(merge), words[i], 30 - 9 * (unsigned)i, true, file);
	write_json(merge_session(merge), false, file);
	golden_end("merged_tree");
	merge_free(merge);
}

/* Of `ranks` ranks every second is there. */
static void is_missing(int ranks, const char *expected)
{
	locale_t locale = uselocale((locale_t)0);
	struct merge *merge;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct options options;

	assert_non_null(file);
	assert_int_equal(merge_start(&merge, NULL, false), 0);
	for (int i = 0; i < (ranks + 1) / 2; i++) {
		struct session *session = child(100 + i, 3, true, true);

		session_header(session)->rank = (struct process_rank){
			.rank = 2 * i, .local_rank = -i, .world_size = ranks, .launcher = "Slurm"};
		add(merge, session);
	}
	options_defaults(&options);
	assert_int_equal(job_write(merge_session(merge), &options, file), 0);
	options_free(&options);
	fclose(file);
	assert_true(uselocale((locale_t)0) == locale);
	assert_non_null(strstr(text, expected));
	/* All are as slow: by rank. */
	assert_true(strstr(text, "\n       0  ") < strstr(text, "\n       2  "));
	free(text);
	merge_free(merge);
}

TEST(missing_ranks_are_named_up_to_eight)
{
	is_missing(40, "Processes: 20 on 1 node, of 40 ranks (Slurm); times");
	is_missing(40, "No profile of ranks 1, 3, 5, 7, 9, 11, 13, 15 and more.\n");
	is_missing(16, "No profile of ranks 1, 3, 5, 7, 9, 11, 13, 15.\n");
	is_missing(3, "No profile of rank 1.\n");
}

TEST(a_profile_of_one_process_has_no_lines_of_a_job)
{
	struct session *session = child(1, 2, true, true);
	struct options options;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	options_defaults(&options);
	assert_int_equal(job_write(session, &options, file), 0);
	options_free(&options);
	fclose(file);
	assert_string_equal(text, "");
	free(text);
	session_close(session);
}
