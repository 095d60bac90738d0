/* SPDX-License-Identifier: MIT */
/* What a timeline's writer is told: on one track slices follow or contain each other, of streams
 * and of threads; an operation finds its call; what copies move and what devices hold is counted.
 */
#include <errno.h>

#include "report/export/timeline.h"
#include "report/session/items.h"
#include "tests/unit/one_session.h"

static struct options options;
static uint32_t tracks[TRACK_KINDS], devices, processes;
/* "START-END:LANE ", with "<THREAD@START" before the blank if the call is known; the ends of
 * slices; "DEVICE@TIME:BYTES " of what is held. */
static char slices[200000], ends[200000], held[512];
/* What copies move, as it changes. */
static struct {
	uint64_t time, bytes;
} copied[64];
static size_t copied_count;

static void process(struct timeline *timeline)
{
	const bool merged = session_header(timeline->session)->processes > 0;

	processes++;
	assert_int_equal(timeline->process, merged ? processes : 0);
	assert_non_null(timeline->owner);
}

static void device(struct timeline *timeline, int32_t number)
{
	(void)timeline;
	(void)number;
	devices++;
}

static void track(struct timeline *timeline, const struct track *track)
{
	assert_int_equal(track->key.process, timeline->process);
	assert_int_equal(track->number, ++tracks[track->key.kind]);
}

static char *after(char *text)
{
	return text + strlen(text);
}

static void begin(struct timeline *timeline, const struct timeline_slice *slice)
{
	static char *end;

	(void)timeline;
	if (!*slices)
		end = slices;
	end += sprintf(end, "%u-%u:%u", (unsigned)slice->record->start,
		       (unsigned)slice->record->end, slice->track->lane);
	if (slice->launch)
		end += sprintf(end, "<%u@%u%s", slice->launch->thread,
			       (unsigned)slice->launch->start, slice->launch->used ? "!" : "");
	if (slice->launch)
		slice->launch->used = true;
	end += sprintf(end, " ");
}

static void counter(struct timeline *timeline, enum timeline_counter counter, int32_t number,
		    uint64_t time, uint64_t bytes)
{
	(void)timeline;
	if (counter == COUNTER_HELD) {
		sprintf(after(held), "%d@%u:%u ", number, (unsigned)time, (unsigned)bytes);
		return;
	}
	assert_true(copied_count < sizeof(copied) / sizeof(*copied));
	copied[copied_count].time = time;
	copied[copied_count++].bytes = bytes;
}

static void end(struct timeline *timeline, const struct track *track, uint64_t time)
{
	static char *last;

	(void)timeline;
	(void)track;
	if (!*ends)
		last = ends;
	last += sprintf(last, "%u ", (unsigned)time);
}

BEFORE_EACH
{
	options_defaults(&options);
	header->trace_start = 1;
}

static void add(struct trace_record record)
{
	assert_int_equal(session_trace(session, &record), 0);
}

static void add_of(enum row_kind kind, uint64_t from, uint64_t to)
{
	add((struct trace_record){.kind = kind, .start = from, .end = to});
}

static int walk(void)
{
	static const struct timeline_writer writer = {
		.process = process,
		.device = device,
		.track = track,
		.begin = begin,
		.counter = counter,
		.end = end,
	};
	struct timeline timeline = {.file = stderr};
	char message[256] = "";
	int error;

	memset(tracks, 0, sizeof(tracks));
	devices = processes = 0;
	*slices = *ends = *held = '\0';
	copied_count = 0;
	error = timeline_walk(&timeline, &writer, session, &options, message, sizeof(message));
	assert_int_equal(!error, !*message);
	return error;
}

static void slices_are(const char *expected)
{
	assert_int_equal(walk(), 0);
	assert_string_equal(slices, expected);
}

TEST(operations_of_a_stream_do_not_contain_each_other)
{
	add_of(ROW_KERNEL, 10, 20);
	add_of(ROW_KERNEL, 20, 40);
	add_of(ROW_KERNEL, 39, 40);
	add_of(ROW_KERNEL, 39, 50);
	add_of(ROW_KERNEL, 40, 41);
	add_of(ROW_KERNEL, 41, 41);
	add_of(ROW_KERNEL, 41, 42);
	add_of(ROW_KERNEL, 41, 42);
	slices_are("10-20:0 20-40:0 39-50:1 39-40:2 40-41:0 41-42:0 41-42:2 41-41:3 ");
	assert_int_equal(tracks[TRACK_STREAM], 4);
	assert_int_equal(tracks[TRACK_THREAD], 0);
	assert_int_equal(devices, 1);
}

TEST(calls_of_a_thread_do)
{
	add_of(ROW_RUNTIME_API, 10, 100);
	add_of(ROW_RUNTIME_API, 10, 50);
	add_of(ROW_RUNTIME_API, 20, 50);
	add_of(ROW_RUNTIME_API, 49, 51);
	add_of(ROW_RUNTIME_API, 50, 100);
	add_of(ROW_RUNTIME_API, 99, 101);
	add_of(ROW_RUNTIME_API, 100, 200);
	slices_are("10-100:0 10-50:0 20-50:0 49-51:1 50-100:0 99-101:1 100-200:0 ");
	assert_int_equal(tracks[TRACK_THREAD], 2);
	assert_int_equal(devices, 0);
}

TEST(an_end_before_the_start_is_the_start)
{
	add_of(ROW_KERNEL, 10, 5);
	add_of(ROW_KERNEL, 10, 20);
	add_of(ROW_RUNTIME_API, 10, 5);
	add_of(ROW_RUNTIME_API, 10, 20);
	slices_are("10-20:0 10-20:0 10-5:0 10-5:1 ");
	assert_string_equal(ends, "10 20 20 10 ");
}

TEST(ends_come_from_the_inside_and_each_once)
{
	add_of(ROW_RUNTIME_API, 10, 90);
	add_of(ROW_RUNTIME_API, 20, 80);
	add_of(ROW_RUNTIME_API, 30, 70);
	add_of(ROW_DRIVER_API, 70, 76);
	add_of(ROW_DRIVER_API, 79, 80);
	slices_are("10-90:0 20-80:0 30-70:0 70-76:0 79-80:0 ");
	assert_string_equal(ends, "70 76 80 80 90 ");
}

TEST(each_stream_thread_and_process_has_its_own)
{
	const struct trace_record records[] = {
		{.kind = ROW_KERNEL, .start = 1, .end = 9},
		{.kind = ROW_MEMCPY, .start = 1, .end = 9, .device = 1},
		{.kind = ROW_MEMSET, .start = 1, .end = 9, .context = 1},
		{.kind = ROW_GRAPH, .start = 1, .end = 9, .stream = 1},
		{.kind = ROW_RUNTIME_API, .start = 1, .end = 9, .correlation = 5},
		{.kind = ROW_DRIVER_API, .start = 1, .end = 9, .thread = 1},
		{.kind = ROW_RANGE, .start = 1, .end = 9, .thread = 2, .result = RANGE_PUSH_POP},
		{.kind = ROW_OVERHEAD, .start = 1, .end = 9, .thread = 3},
		{.kind = ROW_RANGE, .start = 1, .end = 9, .thread = 2, .result = RANGE_START_END},
	};
	const size_t count = sizeof(records) / sizeof(*records);

	session_header(session)->processes = 2;
	for (int i = 0; i < 2; i++) {
		const struct job_process process = {.pid = i + 1};
		const char *added = session_add_item(session, SEGMENT_PROCESSES, &process);

		session_trace_of(session, (uint64_t)(added - (char *)session_header(session)),
				 2 * count + 1);
		for (size_t j = 0; j < 2 * count; j++) {
			struct trace_record record = records[j / 2];

			record.start += j % 2 * 10;
			record.end += j % 2 * 10;
			/* The other process's call did not start this one's operations. */
			if (i == 1 && record.correlation)
				record.correlation = 6;
			add(record);
		}
		add((struct trace_record){.kind = ROW_KERNEL, .start = 30, .correlation = 5});
	}
	assert_int_equal(walk(), 0);
	assert_int_equal(processes, 2);
	assert_int_equal(tracks[TRACK_STREAM], 8);
	assert_int_equal(tracks[TRACK_THREAD], 8);
	assert_int_equal(tracks[TRACK_STARTED], 2);
	assert_int_equal(devices, 4);
	assert_null(strstr(slices, ":1"));
	assert_non_null(strstr(slices, "30-0:0<0@11 "));
	assert_string_equal(after(slices) - strlen("30-0:0 "), "30-0:0 ");
}

TEST(calls_and_ranges_of_one_thread_share_a_track)
{
	add_of(ROW_RANGE, 1, 9);
	add_of(ROW_RUNTIME_API, 2, 3);
	add((struct trace_record){
		.kind = ROW_RANGE, .result = RANGE_START_END, .start = 4, .end = 12});
	add((struct trace_record){
		.kind = ROW_RANGE, .result = RANGE_START_END, .start = 5, .end = 6});
	slices_are("1-9:0 2-3:0 4-12:0 5-6:1 ");
	assert_int_equal(tracks[TRACK_THREAD], 1);
	assert_int_equal(tracks[TRACK_STARTED], 2);
}

TEST(there_are_only_so_many_at_once)
{
	for (uint32_t i = 0; i < TRACK_LANES; i++)
		add_of(ROW_KERNEL, 1, 10);
	add_of(ROW_KERNEL, 10, 11);
	assert_int_equal(walk(), 0);
	assert_int_equal(tracks[TRACK_STREAM], TRACK_LANES);
	assert_non_null(strstr(slices, "1-10:4095 10-11:0 "));
	add_of(ROW_KERNEL, 9, 11);
	assert_int_equal(walk(), -E2BIG);
}

static void add_call(uint64_t from, uint32_t correlation)
{
	add((struct trace_record){.kind = ROW_RUNTIME_API,
				  .start = from,
				  .end = from + 1,
				  .thread = 5,
				  .correlation = correlation});
}

static void add_operation(uint64_t from, uint32_t correlation)
{
	add((struct trace_record){
		.kind = ROW_KERNEL, .start = from, .end = from + 1, .correlation = correlation});
}

TEST(an_operation_finds_the_call_of_its_id_that_began_before)
{
	add_operation(99, 7);
	add_call(100, 7);
	add_call(101, 0);
	add_operation(102, 0);
	add_operation(103, 7);
	add_operation(104, 8);
	add_operation(105, 7 + LAUNCHES_KNOWN);
	add_operation(106, 7);
	/* So many calls later nobody waits for it any more. */
	add_call(107, 7 + LAUNCHES_KNOWN - 1);
	add_operation(108, 7);
	add_call(109, 7 + LAUNCHES_KNOWN);
	add_operation(110, 7);
	add_operation(111, 7 + LAUNCHES_KNOWN);
	slices_are("99-100:0 100-101:0 101-102:0 102-103:0 103-104:0<5@100 104-105:0 105-106:0 "
		   "106-107:0<5@100! 107-108:0 108-109:0<5@100! 109-110:0 110-111:0 "
		   "111-112:0<5@109 ");
}

TEST(bytes_are_in_flight_until_their_copy_ends)
{
	static const uint64_t times[] = {50, 20, 90, 20, 70, 60, 10, 80, 40, 30, 100};
	const size_t count = sizeof(times) / sizeof(*times);
	uint64_t left = 0;

	for (uint32_t i = 0; i < count; i++) {
		add((struct trace_record){.kind = i % 2 ? ROW_MEMCPY : ROW_MOVEMENT,
					  .start = 1,
					  .end = times[i],
					  .bytes = times[i] * 1000,
					  .stream = i});
		left += times[i] * 1000;
	}
	add((struct trace_record){.kind = ROW_MEMCPY, .start = 25, .end = 26, .stream = 99});
	add((struct trace_record){
		.kind = ROW_MEMCPY, .start = 25, .end = 26, .bytes = 5, .device = -1});
	add((struct trace_record){
		.kind = ROW_MEMCPY, .start = 25, .end = 28, .bytes = 5000, .stream = 99});
	assert_int_equal(walk(), 0);
	assert_int_equal(copied_count, 2 * (count + 1));
	assert_int_equal(copied[count - 1].bytes, left);
	assert_int_equal(copied[count - 1].time, 1);
	/* Three have ended when the next begins. */
	assert_int_equal(copied[count + 2].bytes, left - 50000);
	assert_int_equal(copied[count + 2].time, 20);
	assert_int_equal(copied[count + 3].bytes, left - 45000);
	assert_int_equal(copied[count + 3].time, 25);
	for (size_t i = count + 4; i < copied_count; i++) {
		assert_true(copied[i].time >= copied[i - 1].time);
		assert_int_equal(copied[i - 1].bytes - copied[i].bytes,
				 copied[i].time == 28 ? 5000 : copied[i].time * 1000);
	}
	assert_int_equal(copied[copied_count - 1].time, 100);
	assert_int_equal(copied[copied_count - 1].bytes, 0);
}

static void add_held(int32_t number, uint64_t time, uint64_t bytes)
{
	add((struct trace_record){
		.kind = TRACE_HELD, .device = number, .start = time, .end = time, .bytes = bytes});
}

static void held_is(uint64_t from, const char *expected)
{
	/* From the trace's begin, which is 1. */
	options.from = from ? from - 1 : 0;
	assert_int_equal(walk(), 0);
	assert_string_equal(held, expected);
}

TEST(each_record_is_a_value_at_its_time)
{
	add_held(0, 10, 100);
	add_held(63, 10, 7);
	held_is(0, "0@10:100 63@10:7 ");
	assert_int_equal(devices, 2);
}

TEST(a_timeline_begins_with_the_last_values_before_it)
{
	add_held(0, 10, 100);
	add_held(5, 20, 50);
	add_held(0, 30, 200);
	add_held(0, 40, 300);
	/* It began before, and others may come that did. */
	add_of(ROW_KERNEL, 25, 90);
	held_is(40, "5@40:50 0@40:300 ");
}

TEST(an_operation_of_the_timeline_or_its_end_brings_them_too)
{
	add_held(1, 10, 9);
	add_of(ROW_KERNEL, 10, 90);
	held_is(40, "1@40:9 ");
	add_of(ROW_KERNEL, 40, 41);
	held_is(40, "1@40:9 ");
}

TEST(devices_that_there_are_not_have_none)
{
	add_held(-1, 10, 100);
	add_held(64, 10, 50);
	add_of(ROW_RUNTIME_API, 10, 90);
	held_is(0, "");
	held_is(11, "");
}
