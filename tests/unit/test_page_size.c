/* SPDX-License-Identifier: MIT */
/* How large a page becomes, and what is left out of it. */
#include "report/session/items.h"
#include "tests/unit/page_text.h"
#include "tests/unit/one_session.h"

#define US	  1000ull
/* What a page without a trace may take. */
#define PAGE_MOST 1000000

static char *page;

BEFORE_EACH
{
	header->cupti_active = header->finished = 1;
	header->devices[0].used = 1;
}

AFTER_EACH
{
	free(page);
	page = NULL;
}

/* Kernels, each faster than the one before, whose names have `length` letters and a number of four
 * digits; their times lie far apart, so that each histogram has as many bars as there can be. */
static void add_kernels(unsigned count, unsigned length)
{
	char *name = malloc(length + 32);

	assert_non_null(name);
	for (unsigned i = 0; i < count; i++) {
		struct row *row;
		int at = sprintf(name, "_Z%u", length + 4);

		memset(name + at, 'k', length);
		sprintf(name + at + length, "%04uv", i);
		row = session_row(session, ROW_KERNEL, name, 0);
		assert_non_null(row);
		for (unsigned sample = 0; sample < 60; sample++) {
			row->calls++;
			session_add_sample(session, &row->cupti,
					   (20000 - i) * US * (sample + 1) / 4);
		}
	}
	free(name);
}

static void add_calls_and_sites(unsigned count)
{
	char name[300];

	for (unsigned i = 0; i < count; i++) {
		struct memory_site site = {.kind = ALLOCATION_POOL, .size = i + 1};
		struct memory_use use = {.kind = ALLOCATION_POOL};
		struct row *row;

		snprintf(name, sizeof(name), "call%0250u", i);
		row = session_row(session, ROW_RUNTIME_API, name, -1);
		assert_non_null(row);
		row->calls = 1;
		session_add_sample(session, &row->cupti, 5 * US);
		site.operation = session_intern(session, name);
		assert_non_null(session_add_item(session, SEGMENT_MEMORY_SITES, &site));
		if (!i)
			assert_non_null(session_add_item(session, SEGMENT_MEMORY, &use));
	}
}

/* Ranges with a kernel each, all wide enough to be drawn. */
static void add_ranges(unsigned count)
{
	struct row *row = session_row(session, ROW_KERNEL, "_Z6rangedv", 0);
	char name[300];

	assert_non_null(row);
	for (unsigned i = 0; i < count; i++) {
		struct nvtx_range range = {.calls = 1};
		struct nvtx_part *part;

		snprintf(name, sizeof(name), "<range>%0250u", i);
		range.name = session_intern(session, name);
		part = session_add_nvtx_part(
			session, session_add_item(session, SEGMENT_RANGES, &range), row);
		assert_non_null(part);
		part->calls = 1;
		part->total = 100000000 * US;
		row->calls++;
		session_add_sample(session, &row->cupti, part->total);
	}
}

static unsigned count_of(const char *text)
{
	unsigned count = 0;

	for (const char *at = page; (at = strstr(at, text)); at += strlen(text))
		count++;
	return count;
}

static void has(const char *text)
{
	if (!strstr(page, text))
		fail_msg("the page has no %s", text);
}

TEST(a_page_has_all_of_500_kernels_with_long_names)
{
	unsigned histograms;
	char expected[96];

	add_kernels(500, 200);
	add_calls_and_sites(20);
	page = page_text(session, "");
	assert_true(strlen(page) < PAGE_MOST);
	/* Rows of the whole table have a summary each: those of the GPU and of the API. */
	assert_int_equal(count_of("<summary>kkkk"), 500);
	assert_int_equal(count_of("<summary>call"), 20);
	assert_null(strstr(page, "are not in this page"));
	/* Those with most time have their distribution, and a line says which have not. */
	histograms = count_of("<svg class=\"histogram\"") - 20;
	assert_in_range(histograms, 100, 499);
	snprintf(expected, sizeof(expected), "Rows behind the first %u are without a histogram.",
		 histograms);
	has(expected);
}

TEST(a_small_page_has_a_histogram_of_each_row)
{
	add_kernels(30, 10);
	page = page_text(session, "");
	assert_int_equal(count_of("<svg class=\"histogram\""), 30);
	assert_null(strstr(page, "class=\"left-out\""));
}

TEST(what_does_not_fit_is_counted)
{
	unsigned kernels, calls, sites;
	char expected[96];

	add_kernels(4000, 600);
	add_calls_and_sites(1000);
	add_ranges(600);
	page = page_text(session, "");
	assert_in_range(strlen(page), PAGE_MOST / 2, PAGE_MOST);
	kernels = count_of("<summary>kkkk");
	calls = count_of("<summary>call");
	/* The name of what was launched before. */
	sites = count_of("<td class=\"name\">call");
	assert_in_range(kernels, 200, 3999);
	assert_in_range(calls, 20, 999);
	assert_in_range(sites, 20, 999);
	snprintf(expected, sizeof(expected), "<p class=\"left-out\">%u more rows, with ",
		 4000 - kernels);
	has(expected);
	snprintf(expected, sizeof(expected), "<p class=\"left-out\">%u more rows, with ",
		 1000 - calls);
	has(expected);
	snprintf(expected, sizeof(expected), "<p class=\"left-out\">%u more are not in this page.",
		 1000 - sites);
	has(expected);
	assert_in_range(count_of("<title>&#60;range&#62;0"), 200, 500);
}

/* Tracks and names of their own, and times that are all different. */
TEST(a_page_has_60000_records_in_less_than_a_megabyte)
{
	char name[300];

	add_kernels(2000, 200);
	session_header(session)->trace_on = 1;
	for (unsigned i = 0; i < 60000; i++) {
		struct trace_record record = {.kind = ROW_KERNEL,
					      .stream = i % 16,
					      .start = 5000 + 100000ull * i,
					      .end = 95000 + 100000ull * i + i % 977};

		snprintf(name, sizeof(name), "a_kernel_of_a_long_trace_%0250u", i % 4000);
		record.name = session_intern(session, name);
		assert_int_equal(session_trace(session, &record), 0);
	}
	page = page_text(session, "");
	assert_null(strstr(page, "The pictures are of the whole trace."));
	assert_in_range(strlen(page), PAGE_MOST, 2 * PAGE_MOST);
}
