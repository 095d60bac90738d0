/* SPDX-License-Identifier: MIT */
/* The page of a profile: its figures are those of the report, and what a program calls its kernels
 * stays text. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/html/html.h"
#include "report/merge/merge.h"
#include "report/options/metrics.h"
#include "report/session/items.h"
#include "tests/unit/page_text.h"
#include "tests/unit/printed.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

#define HOSTILE "</script><img src=x onerror=alert(1)>\"'`&\x1b[2J\xff<!--"

static char *page_of(struct session *session)
{
	return page_text(session, "");
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

TEST(a_histogram_shows_each_bucket)
{
	struct session *session;
	struct row *row;
	char *page;

	assert_int_equal(session_create(&session, NULL, 0), 0);
	row = session_row(session, ROW_KERNEL, "k", 0);
	row->calls = 4;
	/* Three calls in one bucket, one in the second bucket after it. */
	session_add_sample(session, &row->cupti, 32);
	session_add_sample(session, &row->cupti, 32);
	session_add_sample(session, &row->cupti, 32);
	session_add_sample(session, &row->cupti, 34);
	page = page_of(session);
	assert_non_null(strstr(page,
			       "aria-label=\"Histogram of 4 calls from 32ns to 34ns, at most 3 "
			       "in a bar\""));
	assert_non_null(strstr(page, "viewBox=\"0 0 30 60\""));
	assert_non_null(strstr(page, "<path d=\"M0 60v-60h9v60zM20 60v-20h9v20z\"/>"));
	assert_non_null(strstr(page, "<figure class=\"busy-kernels\" style="));
	assert_non_null(strstr(page, "<span>32ns</span><span>up to 3 calls</span>"));
	assert_non_null(strstr(page, "<dt>Med</dt><dd>32ns</dd>"));
	assert_non_null(strstr(page, "<dt>p99.9</dt><dd>34ns</dd>"));
	assert_non_null(strstr(page, "<dt>Max</dt><dd>34ns</dd>"));
	free(page);
	session_close(session);
}

TEST(a_histogram_leaves_out_what_is_empty)
{
	struct session *session;
	struct row *row;
	char *page;

	assert_int_equal(session_create(&session, NULL, 0), 0);
	row = session_row(session, ROW_KERNEL, "k", 0);
	row->calls = 3;
	/* Neighbours, and one 30,000 times as long. */
	session_add_sample(session, &row->cupti, 32);
	session_add_sample(session, &row->cupti, 33);
	session_add_sample(session, &row->cupti, 1000000);
	page = page_of(session);
	assert_non_null(strstr(page, "viewBox=\"0 0 40 60\""));
	assert_non_null(strstr(page, "<path d=\"M0 60v-60h9v60zM10 60v-60h9v60zM30 60v-60h9v60z\"/>"
				     "<rect class=\"gap\" x=\"20\" width=\"10\" height=\"60\">"
				     "<title>no calls from 34ns to 999"));
	free(page);
	session_close(session);
}

static void add_part(struct session *session, const struct nvtx_range *range, const struct row *row,
		     unsigned calls, uint64_t total)
{
	struct nvtx_part *part = session_add_nvtx_part(session, range, row);

	assert_non_null(part);
	part->calls = calls;
	part->total = total;
}

/* The block of a name, and its class. */
static bool has_block(const char *page, const char *place, const char *title, const char *class)
{
	char block[256];

	snprintf(block, sizeof(block), "<svg %s height=\"22\"><title>%s</title><rect class=\"%s\" ",
		 place, title, class);
	return strstr(page, block);
}

TEST(ranges_have_their_kernels_below_them)
{
	struct session *session;
	struct nvtx_range *step;
	struct row *kernel, *copy;
	char *page;

	assert_int_equal(session_create(&session, NULL, 0), 0);
	kernel = session_row(session, ROW_KERNEL, "k", 0);
	copy = session_row(session, ROW_MEMCPY, "[CUDA memcpy HtoD]", 0);
	kernel->calls = copy->calls = 1;
	session_add_sample(session, &kernel->cupti, 6000);
	session_add_sample(session, &copy->cupti, 4000);
	/* Two threads, which are one range here. */
	for (uint32_t thread = 1; thread <= 2; thread++) {
		step = session_add_item(
			session, SEGMENT_RANGES,
			&(struct nvtx_range){.name = session_intern(session, "step"),
					     .thread = thread});
		assert_non_null(step);
		add_part(session, step, kernel, 1, 2000);
	}
	add_part(session, step, copy, 1, 1000);
	page = page_of(session);
	assert_true(has_block(page, "x=\"0.000%\" y=\"0\" width=\"50.000%\"",
			      "step: 50.0 % of the GPU time, 5.00 us", "block-range"));
	assert_true(has_block(page, "x=\"0.000%\" y=\"22\" width=\"40.000%\"",
			      "k: 40.0 % of the GPU time, 4.00 us", "busy-kernels"));
	assert_true(has_block(page, "x=\"40.000%\" y=\"22\" width=\"10.000%\"",
			      "[CUDA memcpy HtoD]: 10.0 % of the GPU time, 1.00 us",
			      "busy-copies"));
	assert_true(has_block(page, "x=\"50.000%\" y=\"0\" width=\"50.000%\"",
			      "outside of ranges: 50.0 % of the GPU time, 5.00 us", "outside"));
	assert_true(has_block(page, "x=\"50.000%\" y=\"22\" width=\"30.000%\"",
			      "[CUDA memcpy HtoD]: 30.0 % of the GPU time, 3.00 us",
			      "busy-copies"));
	assert_true(has_block(page, "x=\"80.000%\" y=\"22\" width=\"20.000%\"",
			      "k: 20.0 % of the GPU time, 2.00 us", "busy-kernels"));
	free(page);
	session_close(session);
}

static void add_timed(struct session *session, const char *name, uint64_t time)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);

	row->calls = 1;
	session_add_sample(session, &row->cupti, time);
}

/* A rank with work of its own and a collective, in microseconds. */
static void add_rank(struct merge *merge, int rank, unsigned own, unsigned collective)
{
	char message[128] = "";
	struct session *session;

	assert_int_equal(session_create(&session, NULL, 0), 0);
	session_header(session)->pid = 4000 + rank;
	session_header(session)->hostname = session_intern(session, "node<1>");
	session_header(session)->rank = (struct process_rank){
		.rank = rank, .local_rank = rank, .world_size = 3, .launcher = "PMI"};
	add_timed(session, "k", 1000 * own);
	add_timed(session, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1000 * collective);
	assert_int_equal(merge_add(merge, session, message, sizeof(message)), 0);
	session_close(session);
}

TEST(ranks_stand_side_by_side)
{
	struct merge *merge;
	char *page;

	assert_int_equal(merge_start(&merge, NULL, false), 0);
	add_rank(merge, 0, 300, 700);
	merge_finish(merge);
	page = page_of(merge_session(merge));
	assert_null(strstr(page, "GPU time of"));
	free(page);
	add_rank(merge, 2, 600, 400);
	merge_finish(merge);
	page = page_of(merge_session(merge));
	assert_non_null(strstr(page,
			       "aria-label=\"GPU time of 2 ranks. Rank 2 has most work of its "
			       "own: 600 us, 1.33 times the mean\""));
	assert_non_null(strstr(
		page, "<title>rank 0 on node&#60;1&#62;: GPU time 1.00 ms; work of its own 300 us, "
		      "collectives 400 us, waiting for others in collectives at "
		      "least 300 us; busy "));
	assert_non_null(strstr(
		page, "<title>rank 2 on node&#60;1&#62;: GPU time 1.00 ms; work of its own 600 us, "
		      "collectives 400 us; busy "));
	assert_non_null(strstr(page, ">most work: rank 2</text>"));
	free(page);
	merge_free(merge);
}

static void hold(struct session *session, uint64_t time, uint64_t bytes)
{
	assert_int_equal(session_trace(session, &(struct trace_record){.kind = TRACE_HELD,
								       .start = time,
								       .end = time,
								       .bytes = bytes}),
			 0);
}

TEST(memory_over_time_has_its_peak)
{
	struct session *session;
	char *page;

	assert_int_equal(session_create(&session, NULL, 0), 0);
	session_header(session)->devices[0].used = 1;
	session_header(session)->start_realtime = 1000;
	assert_non_null(session_add_item(session, SEGMENT_MEMORY,
					 &(struct memory_use){.kind = ALLOCATION_TOTAL,
							      .peak = 80 << 20,
							      .allocations = 1}));
	/* From 1 ms to 5 ms after the start: half of the peak, the peak, nothing. */
	hold(session, 1001000, 40 << 20);
	hold(session, 3001000, 80 << 20);
	hold(session, 4001000, 0);
	hold(session, 5001000, 0);
	page = page_of(session);
	assert_non_null(
		strstr(page, "aria-label=\"Memory held on GPU 0 over time, at most 80 MB\""));
	assert_non_null(strstr(page, "<text x=\"4\" y=\"70.0\">50 MB</text>"));
	assert_non_null(strstr(page, ">peak 80 MB at 3.00 ms</text>"));
	assert_non_null(strstr(page, ">Memory held on GPU 0 during the trace; times"));
	assert_non_null(
		strstr(page, "<path class=\"area\" d=\"M0 160H0V90H300V20H451V160H600V160z\"/>"));
	free(page);
	session_header(session)->counters[COUNTER_operations_outside] = 1;
	page = page_of(session);
	assert_non_null(
		strstr(page, ">Memory held on GPU 0, outside of the profiling window too; times"));
	free(page);
	session_close(session);
}

/* A kernel of 1 us that moves 2,000 bytes and does 8,000 FLOP, by its counters. */
static void count_work(struct session *session)
{
	static const struct {
		const char *name;
		double total;
	} counters[] = {
		{"dram_read_bytes", 3000}, {"dram_write_bytes", 1000}, {"flop_count_sp", 16000}};
	struct row *row = session_row(session, ROW_KERNEL, "k", 0);

	row->calls = 1;
	session_add_sample(session, &row->cupti, 1000);
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		struct metric_values *metric =
			session_add_metric(session, row, counters[i].name, "", METRIC_WHOLE);

		assert_non_null(metric);
		metric->count = 2;
		metric->total = counters[i].total;
	}
}

TEST(a_roofline_is_drawn_of_kernels_whose_counters_were_read)
{
	struct session *session;
	char *page;

	assert_int_equal(session_create(&session, NULL, 0), 0);
	session_header(session)->devices[0].used = 1;
	page = page_of(session);
	assert_null(strstr(page, "id=\"rates\""));
	free(page);
	count_work(session);
	page = page_of(session);
	/* 8 GFLOP/s, 2 GB/s and 4 FLOP for each byte; the peaks of the device are not known. */
	assert_non_null(strstr(page, "<title>8 GFLOP/s, 4 FLOP/byte: k</title>"));
	/* The axes are from 1 to 10, and from 1 to 100. */
	assert_non_null(strstr(page, "cx=\"60.21%\" cy=\"153.6\""));
	assert_non_null(strstr(page, "data-value=\"8\">8.000</td>"));
	assert_non_null(strstr(page, "<td>counters</td>"));
	assert_null(strstr(page, "class=\"roof\""));
	free(page);
	session_close(session);
}

TEST(hostile_names_stay_text)
{
	struct idle_row key = {.cause = IDLE_CALL, .device = 0};
	struct session_header *header;
	struct session *session;
	struct idle_row *idle;
	struct row *row;
	char *page, *clean;
	struct nvtx_range range = {.parent = 0};

	session = whole_profile(WHOLE_CUPTI, NULL);
	clean = page_of(session);
	header = session_header(session);
	header->command = session_intern(session, HOSTILE);
	header->hostname = session_intern(session, HOSTILE);
	snprintf(header->devices[0].name, sizeof(header->devices[0].name), "%s", HOSTILE);
	key.name = session_intern(session, HOSTILE);
	idle = session_idle_row(session, &key);
	session_add_idle(idle, 500000000, key.name, key.name);
	session_note(session, "%s", HOSTILE);
	range.name = range.domain = key.name;
	assert_non_null(session_add_item(session, SEGMENT_RANGES, &range));
	for (enum row_kind kind = ROW_KERNEL; kind <= ROW_DRIVER_API; kind++) {
		row = session_row(session, kind, HOSTILE, kind < ROW_RUNTIME_API ? 0 : -1);
		row->calls = 1;
		session_add_sample(session, &row->cupti, 5000000000);
	}
	page = page_of(session);
	assert_true(count_of(page, "&#60;/script&#62;&#60;img src=x onerror=alert(1)&#62;&#34;&#39;"
				   "&#96;&#38;\\x1b[2J\\xff&#60;!--") > 10);
	assert_null(strstr(page, "<img"));
	assert_null(strstr(page, "<!--"));
	assert_null(strchr(page, '\x1b'));
	assert_int_equal(count_of(page, "</script"), count_of(clean, "</script"));
	free(clean);
	free(page);
	session_close(session);
}

TEST(json_in_a_script_ends_no_element)
{
	char *text = NULL;
	size_t size;
	struct html html = {.file = open_memstream(&text, &size)};

	html_json_text(&html, HOSTILE "\\n");
	fclose(html.file);
	assert_int_equal(html.error, 0);
	assert_string_equal(text,
			    "\"\\u003c/script\\u003e\\u003cimg src=x onerror=alert(1)\\u003e"
			    "\\u0022\\u0027`\\u0026\\u005cx1b[2J\\u005cxff\\u003c!--\\u005cn\"");
	free(text);
}

TEST(the_page_asks_no_network)
{
	struct session *session = whole_profile(WHOLE_CUPTI, NULL);
	char *page = page_of(session);

	assert_non_null(strstr(page, "content=\"default-src 'none'; "));
	/* The name of SVG's elements, which nobody asks for. */
	assert_int_equal(count_of(page, "http://"), count_of(page, "http://www.w3.org/2000/svg"));
	assert_null(strstr(page, "https://"));
	assert_null(strstr(page, " src="));
	assert_null(strstr(page, "@import"));
	assert_null(strstr(page, "url("));
	free(page);
	session_close(session);
}

TEST(a_page_that_exists_is_replaced_only_on_request)
{
	struct session *session = whole_profile(WHOLE_CUPTI, NULL);
	char directory[] = "/tmp/ktime-html-XXXXXX", path[64], message[256];
	struct options options;
	struct stat status;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/page.html", directory);
	options_defaults(&options);
	assert_int_equal(profile_page_write(session, &options, path, message, sizeof(message)), 0);
	assert_int_equal(profile_page_write(session, &options, path, message, sizeof(message)),
			 -EEXIST);
	assert_non_null(strstr(message, "page.html: File exists (-f replaces it)"));
	assert_int_equal(truncate(path, 0), 0);
	options.force_overwrite = true;
	assert_int_equal(profile_page_write(session, &options, path, message, sizeof(message)), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_true(status.st_size > 10000);
	unlink(path);
	assert_int_equal(profile_page_write(session, &options, directory, message, sizeof(message)),
			 -EISDIR);
	rmdir(directory);
	options_free(&options);
	session_close(session);
}
