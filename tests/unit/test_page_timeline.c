/* SPDX-License-Identifier: MIT */
/* The timeline of a page: its tracks, when its devices were idle, and what it leaves out. */
#include "report/html/section.h"
#include "report/session/items.h"
#include "tests/unit/page_text.h"
#include "tests/unit/whole_profile.h"
#include "tests/unit/test.h"

#define US   1000ull
#define ZERO 5000000ull

static struct session *session;
static struct options options;
static struct filter filter;
static struct timeline timeline;

FIXTURE(set_up)
{
	options_defaults(&options);
	assert_int_equal(session_create(&session, NULL, 0), 0);
	return 0;
}

FIXTURE(tear_down)
{
	items_free(&timeline);
	filter_free(&filter);
	options_free(&options);
	session_close(session);
	return 0;
}

AROUND_EACH(set_up, tear_down);

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

static void read_trace(void)
{
	assert_int_equal(filter_init(&filter, session, &options), 0);
	assert_int_equal(items_read(&timeline, session, &filter), 0);
}

TEST(a_device_is_busy_while_any_of_its_streams_is)
{
	add_kernel(1, 1 * US, 100 * US);
	add(&(struct trace_record){.kind = ROW_MEMCPY, .stream = 8}, "[CUDA memcpy HtoD]", 10 * US,
	    20 * US);
	add(&(struct trace_record){.kind = ROW_MEMCPY, .stream = 8}, "[CUDA memcpy HtoD]", 90 * US,
	    110 * US);
	add_kernel(2, 120 * US, 130 * US);
	add_kernel(3, 131 * US, 132 * US);
	read_trace();
	assert_int_equal(timeline.track_count, 3);
	assert_int_equal(timeline.tracks[0].kind, TRACK_IDLE);
	assert_int_equal(timeline.tracks[0].count, 2);
	assert_int_equal(timeline.tracks[0].items[0].start, 109 * US);
	assert_int_equal(timeline.tracks[0].items[0].end, 119 * US);
	assert_int_equal(timeline.tracks[0].items[1].start, 129 * US);
	assert_int_equal(timeline.tracks[0].items[1].end, 130 * US);
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

TEST(records_that_are_close_together_are_one_block)
{
	struct item items[] = {{.start = 0, .end = 10, .name = 1},
			       {.start = 20, .end = 35, .name = 2},
			       {.start = 99, .end = 140, .name = 3},
			       {.start = 100, .end = 101, .name = 4},
			       {.start = 110, .end = 300, .name = 5}};
	const struct track track = {.items = items, .count = 5};
	static const struct timeline few = {.step = 100};
	struct block block;
	size_t next = 0;

	assert_true(items_block(&few, &track, &next, &block));
	assert_int_equal(block.start, 0);
	assert_int_equal(block.end, 140);
	assert_int_equal(block.items, 3);
	assert_int_equal(block.time, 10 + 15 + 41);
	assert_int_equal(block.longest->name, 3);
	assert_true(items_block(&few, &track, &next, &block));
	assert_int_equal(block.items, 1);
	assert_int_equal(block.longest->name, 4);
	/* Longer than a step. */
	assert_true(items_block(&few, &track, &next, &block));
	assert_int_equal(block.items, 1);
	assert_int_equal(block.end, 300);
	assert_false(items_block(&few, &track, &next, &block));
}

/* How many records the blocks of the first stream have. */
static uint64_t records_in_blocks(size_t *blocks)
{
	uint64_t records = 0;

	*blocks = 0;
	for (size_t i = 0; i < timeline.track_count; i++) {
		struct block block;
		size_t next = 0;

		while (items_block(&timeline, &timeline.tracks[i], &next, &block)) {
			++*blocks;
			if (timeline.tracks[i].kind == TRACK_STREAM)
				records += block.items;
		}
	}
	return records;
}

TEST(a_long_trace_has_as_many_blocks_as_a_page_has_room_for)
{
	size_t blocks;
	char *page;

	for (uint64_t i = 0; i < 100000; i++)
		add_kernel(0, 10000 * i, 10000 * i + 3000 + i % 7);
	read_trace();
	items_choose_step(&timeline);
	assert_true(timeline.step > 0);
	assert_int_equal(records_in_blocks(&blocks), 100000);
	assert_true(blocks <= 20000 && blocks > 9000);
	page = page_text(session, "");
	assert_true(strlen(page) < 1000000);
	assert_non_null(strstr(page, "<p class=\"remark\">Records shorter than "));
	free(page);
	/* Of a short one each record is a block. */
	timeline.step = 0;
	assert_int_equal(records_in_blocks(&blocks), 100000);
	assert_int_equal(blocks, 199999);
}

TEST(the_page_has_the_tracks_and_their_blocks)
{
	struct session *whole = whole_profile(WHOLE_CUPTI, NULL);
	char *page = page_text(whole, "");

	assert_non_null(strstr(page, "<th scope=\"row\">GPU 0 idle</th>"));
	assert_non_null(strstr(page, "<th scope=\"row\">GPU 1 stream 8</th>"));
	assert_non_null(strstr(page, "<th scope=\"row\">thread 71 ranges</th>"));
	/* Kernels from 49 us and a memset from 1199 us in stream 7, of 2099 us in all. */
	assert_non_null(strstr(page, "{\"label\":\"GPU 0 stream 7\",\"blocks\":[49000,20000,"));
	assert_non_null(strstr(
		page,
		"<path class=\"busy-kernels\" d=\"M11 6h1V10h-1zM12 0h4V10h-4zM16 5h1V10h-1z\"/>"));
	assert_non_null(strstr(page, "<path class=\"busy-copies\" d=\"M285 "));
	assert_non_null(strstr(page, "{\"end\":2099000,\"classes\":[\"busy-kernels\","));
	assert_null(strstr(page, "records are not in this timeline"));
	free(page);
	session_close(whole);
	session_create(&whole, NULL, 0);
	page = page_text(whole, "");
	assert_null(strstr(page, "timeline-data"));
	free(page);
	session_close(whole);
}
