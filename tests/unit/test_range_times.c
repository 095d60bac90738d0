/* SPDX-License-Identifier: MIT */
/* How long ranges were open, and on which threads: on a clock of the test's own. */
/* clang-format off: before all that reads the clock. */
#include "tests/sim/clock/virtual_clock.h"
/* clang-format on */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/plan.h"
#include "preload/base/lifecycle_state.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"
#include "preload/nvtx/ranges.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

#define KEEP_NS 2000000000u /* see ranges.c */

struct launch_state launch_state = {.needs = NEEDS_KTIME, .lifecycle = LIFECYCLE_STARTING};

/* A tick is 2 ns long, and tick 1000 is at 50,000 ns. */
static uint64_t ticks = 1000, asked;
static bool is_reported = true;
static uint64_t before_start, between;

uint64_t clock_ticks(void)
{
	return ticks;
}

static bool counts(uint64_t time)
{
	asked = time;
	return is_reported;
}

static uint64_t counter(enum session_counter number)
{
	return run.header->counters[number];
}

static void push_at(uint64_t time, const char *name)
{
	ticks = time;
	range_push(0, names_range(0, name));
}

static void pop_at(uint64_t time)
{
	ticks = time;
	range_pop(0);
}

static uint64_t start_at(uint64_t time, const char *name)
{
	ticks = time;
	return range_start(names_range(0, name));
}

static void end_at(uint64_t time, uint64_t id)
{
	ticks = time;
	range_end(id);
}

/* The one of a name, or NULL. */
static const struct nvtx_range *named(const char *name)
{
	const struct nvtx_range *range;

	session_for_each_nvtx_range (run.session, range)
		if (strcmp(session_string(run.session, range->name), name) == 0)
			return range;
	return NULL;
}

static void has_times(const char *name, uint64_t calls, uint64_t total, uint64_t minimum,
		      uint64_t maximum, uint32_t open)
{
	const struct nvtx_range *range = named(name);

	assert_non_null(range);
	assert_int_equal(range->calls, calls);
	assert_int_equal(range->total, total);
	assert_int_equal(range->minimum, minimum);
	assert_int_equal(range->maximum, maximum);
	assert_int_equal(range->open, open);
}

/* The last record of a trace. */
static const struct trace_record *traced(void)
{
	const struct trace_record *record, *last = NULL;

	session_for_each_trace (run.session, record)
		last = record;
	return last;
}

static uint32_t here(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

static const char *name_at(uint64_t time)
{
	const struct nvtx_range *range = ranges_numbered(ranges_at(here(), time).range);

	return range ? session_string(run.session, range->name) : "none";
}

/* Ranges begin before ktime collects, of which the threads tell nothing; they last for all tests.
 */
BEFORE_EACH
{
	if (run.session)
		return;
	run.scale = (struct clock_scale){.ticks = 1000, .realtime = 50000, .ns_per_tick = 2};
	assert_int_equal(make_run(0), 0);
	before_start = start_at(1010, "before start");
	push_at(1020, "around");
	ranges_start(counts);
	between = start_at(1030, "between");
	launch_state.lifecycle = LIFECYCLE_RUNNING;
}

TEST(ranges_that_were_begun_before_are_known)
{
	struct range_place place;

	/* ktime does not run. */
	assert_int_equal(launch_state.needs, NEEDS_KTIME);
	assert_false(ranges_are_chosen());
	ticks = 1100;
	ranges_drain();
	assert_string_equal(name_at(1005), "around");
	place = ranges_at(here(), 1029);
	assert_int_equal(place.started, 1);
	place = ranges_at(here(), 1030);
	assert_int_equal(place.started, 3);
	end_at(1110, before_start);
	end_at(1130, between);
	pop_at(1220);
	ranges_drain();
	assert_int_equal(asked, 50000 + 2 * 220);
	has_times("before start", 1, 200, 200, 200, 0);
	has_times("between", 1, 200, 200, 200, 0);
	has_times("around", 1, 400, 400, 400, 0);
	assert_int_equal(named("around")->thread, (uint32_t)pthread_self());
	assert_int_equal(named("around")->style, RANGE_PUSH_POP);
	assert_int_equal(named("between")->thread, (uint32_t)pthread_self());
	assert_int_equal(named("between")->style, RANGE_START_END);
	assert_int_equal(counter(COUNTER_ranges), 3);
	assert_int_equal(counter(COUNTER_ranges_lost), 0);
	assert_string_equal(name_at(1219), "around");
	assert_string_equal(name_at(1220), "none");
}

TEST(a_range_has_the_times_that_it_was_open)
{
	const struct nvtx_range *inner;

	push_at(2000, "outer");
	push_at(2100, "inner");
	pop_at(2300);
	push_at(2400, "inner");
	pop_at(2450);
	pop_at(2600);
	ranges_drain();
	has_times("outer", 1, 1200, 1200, 1200, 0);
	has_times("inner", 2, 500, 100, 400, 0);
	inner = named("inner");
	assert_ptr_equal(session_nvtx_range_at(run.session, inner->parent), named("outer"));
	assert_int_equal(named("outer")->parent, 0);
}

TEST(what_ends_where_nothing_is_reported_does_not_count)
{
	uint64_t before = counter(COUNTER_ranges);

	push_at(2700, "unseen");
	is_reported = false;
	pop_at(2800);
	ranges_drain();
	is_reported = true;
	assert_int_equal(asked, 50000 + 2 * 1800);
	assert_int_equal(named("unseen")->calls, 0);
	assert_int_equal(counter(COUNTER_ranges), before);
}

/* Between two drains, so that only the change after it tells of the loss. */
TEST(what_was_lost_before_a_change_is_in_no_known_range)
{
	uint64_t lost = counter(COUNTER_ranges_lost);

	push_at(2900, "known");
	atomic_store(&range_threads()->lost_since, 2910);
	push_at(2930, "known again");
	ranges_drain();
	assert_string_equal(name_at(2909), "known");
	assert_string_equal(name_at(2910), "none");
	assert_string_equal(name_at(2929), "none");
	assert_string_equal(name_at(2930), "known again");
	assert_int_equal(counter(COUNTER_ranges_lost), lost + 2);
	pop_at(2940);
	pop_at(2950);
	ranges_drain();
	assert_string_equal(name_at(2949), "known");
	run.header->counters[COUNTER_ranges_lost] = lost;
}

TEST(a_call_that_cupti_recorded_is_where_its_middle_lies)
{
	struct range_place place;

	push_at(3000, "recorded");
	ranges_drain();
	place = ranges_of_record(here(), 53990, 54011);
	assert_ptr_equal(ranges_numbered(place.range), named("recorded"));
	place = ranges_of_record(here(), 53989, 54008);
	assert_int_equal(place.range, 0);
	pop_at(3100);
	/* A thread that nobody knows is in none. */
	place = ranges_at(here() + 1, 3050);
	assert_int_equal(place.range, 0);
	assert_true(place.included);
}

static void *start_and_push(void *id)
{
	*(uint64_t *)id = start_at(4000, "of another thread");
	push_at(4010, "left open");
	return NULL;
}

TEST(a_started_range_is_of_the_thread_that_began_it)
{
	const struct trace_record *record;
	pthread_t thread;
	uint64_t id;

	run.header->trace_on = 1;
	pthread_create(&thread, NULL, start_and_push, &id);
	pthread_join(thread, NULL);
	ranges_drain();
	end_at(4100, id);
	ranges_drain();
	has_times("of another thread", 1, 200, 200, 200, 0);
	assert_int_equal(named("of another thread")->thread, (uint32_t)thread);
	record = traced();
	assert_int_equal(record->start, 56000);
	assert_int_equal(record->end, 56200);
	assert_int_equal(record->device, -1);
	assert_int_equal(record->kind, ROW_RANGE);
	assert_int_equal(record->correlation, id % STARTED_MOST + 1);
	assert_int_equal(record->thread, range_threads()->kernel_id);
	assert_int_not_equal(record->thread, here());
	assert_int_equal(record->result, RANGE_START_END);
	assert_string_equal(session_string(run.session, record->name), "of another thread");
	run.header->trace_on = 0;
}

TEST(a_trace_has_a_range_with_its_domain_and_thread)
{
	const struct trace_record *record;
	uint8_t domain = names_domain("library");

	run.header->trace_on = 1;
	push_at(4200, "enclosing");
	ticks = 4210;
	range_push(domain, names_range(domain, "enclosed"));
	ticks = 4230;
	range_pop(domain);
	ranges_drain();
	record = traced();
	assert_string_equal(session_string(run.session, record->name), "enclosed");
	assert_string_equal(session_string(run.session, record->kernel), "library");
	assert_int_equal(record->start, 50000 + 2 * 3210);
	assert_int_equal(record->correlation, 0);
	assert_int_equal(record->thread, here());
	assert_int_equal(record->result, RANGE_PUSH_POP);
	assert_string_equal(session_string(run.session, named("enclosed")->domain), "library");
	run.header->trace_on = 0;
	pop_at(4240);
	ranges_drain();
}

static void *push_alone(void *unused)
{
	(void)unused;
	push_at(4500, "newest");
	pop_at(4510);
	return NULL;
}

/* The thread of the test before is not the newest one any more, which stays. */
TEST(a_thread_that_has_ended_is_kept_for_two_seconds)
{
	uint32_t ended = range_threads()->kernel_id;
	pthread_t thread;

	pthread_create(&thread, NULL, push_alone, NULL);
	pthread_join(thread, NULL);
	ticks = 4600;
	ranges_reclaim(7000);
	has_times("left open", 1, 1180, 1180, 1180, 1);
	ranges_reclaim(7000 + KEEP_NS - 1);
	assert_int_not_equal(ranges_at(ended, 4200).range, 0);
	ranges_reclaim(7000 + KEEP_NS);
	assert_int_equal(ranges_at(ended, 4200).range, 0);
	/* The thread of the test goes on. */
	assert_string_equal(name_at(3050), "recorded");
}

TEST(what_is_open_at_the_end_lasts_until_then)
{
	assert_int_equal(run.header->note_count, 0);
	push_at(5000, "open outside");
	push_at(5100, "open inside");
	push_at(5200, "just begun");
	/* A clock of another processor may be ahead. */
	push_at(5300, "not begun yet");
	start_at(5150, "open for all");
	ticks = 5200;
	ranges_finish();
	has_times("open outside", 1, 400, 400, 400, 1);
	has_times("open inside", 1, 200, 200, 200, 1);
	has_times("open for all", 1, 100, 100, 100, 1);
	has_times("just begun", 1, 0, 0, 0, 1);
	assert_true(!named("not begun yet") || named("not begun yet")->calls == 0);
	assert_int_equal(counter(COUNTER_ranges_lost), 0);
	assert_int_equal(counter(COUNTER_ranges_unbalanced), 0);
	assert_int_equal(run.header->note_count, 0);
	for (int i = 0; i < 4; i++)
		pop_at(5310);
}

TEST(what_did_not_fit_and_was_not_open_is_said)
{
	const struct session_header *header = run.header;

	pop_at(6000);
	end_at(6010, STARTED_MOST);
	atomic_store(&range_threads()->lost, 4);
	ranges_finish();
	assert_int_equal(counter(COUNTER_ranges_unbalanced), 2);
	assert_int_equal(counter(COUNTER_ranges_lost), 4);
	assert_int_equal(run.header->note_count, 2);
	assert_non_null(strstr(session_string(run.session, header->notes[0]), ": 4 did not fit ("));
	assert_string_equal(session_string(run.session, header->notes[1]),
			    "NVTX ranges ended that had not begun: 2.");
}
