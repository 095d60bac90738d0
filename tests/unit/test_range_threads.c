/* SPDX-License-Identifier: MIT */
/* What a thread notes of the ranges that it opens and closes. */
/* clang-format off: before all that reads the clock. */
#include "tests/sim/clock/virtual_clock.h"
/* clang-format on */
#include <errno.h>

#include "preload/base/lifecycle_state.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"
#include "tests/unit/test.h"

#define STARTING 1u /* see range_thread.c */

struct launch_state launch_state = {.needs = 1, .lifecycle = LIFECYCLE_RUNNING};

static uint64_t ticks;

uint64_t clock_ticks(void)
{
	return ticks;
}

/* The change that was made as the one of this number; the collector has read those before. */
static const struct change *change(uint32_t number)
{
	return &range_threads()->changes[number % CHANGE_RECORDS];
}

static uint32_t changes(void)
{
	return range_threads()->head;
}

static uint16_t path_of(uint16_t parent, const char *name)
{
	return paths_enter(parent, names_range(0, name), RANGE_PUSH_POP);
}

TEST(a_push_and_a_pop_are_told_with_their_times)
{
	uint16_t outer = path_of(PATHS_OUTSIDE, "outer"), inner = path_of(outer, "inner");

	assert_int_equal(range_now(), PATHS_OUTSIDE);
	assert_int_equal(range_pop(0), -1);
	assert_int_equal(range_counts.unbalanced, 1);
	ticks = 100;
	errno = 77;
	assert_int_equal(range_push(0, names_range(0, "outer")), 0);
	assert_int_equal(errno, 77);
	assert_int_equal(range_now(), outer);
	ticks = 200;
	assert_int_equal(range_push(0, names_range(0, "inner")), 1);
	assert_int_equal(range_now(), inner);
	ticks = 300;
	assert_int_equal(range_pop(0), 1);
	assert_int_equal(range_now(), outer);
	ticks = 400;
	assert_int_equal(range_pop(0), 0);
	assert_int_equal(range_now(), PATHS_OUTSIDE);
	assert_int_equal(changes(), 4);
	assert_int_equal(change(0)->time, 100);
	assert_int_equal(change(0)->started, 0);
	assert_int_equal(change(0)->now, outer);
	assert_int_equal(change(1)->now, inner);
	assert_int_equal(change(2)->kind, CHANGE_PATH);
	assert_int_equal(change(2)->time, 300);
	assert_int_equal(change(2)->started, 200);
	assert_int_equal(change(2)->path, inner);
	assert_int_equal(change(2)->now, outer);
	assert_int_equal(change(3)->started, 100);
	assert_int_equal(change(3)->path, outer);
	assert_int_equal(change(3)->now, PATHS_OUTSIDE);
	assert_int_equal(range_pop(0), -1);
	assert_int_equal(range_counts.unbalanced, 2);
	assert_int_equal(changes(), 4);
}

/* A pop closes the innermost range of its domain, whatever was opened in others since. */
TEST(each_domain_has_levels_of_its_own)
{
	uint8_t other = names_domain("other");
	uint16_t a = path_of(PATHS_OUTSIDE, "a");
	uint32_t first = changes();

	ticks = 1000;
	assert_int_equal(range_push(0, names_range(0, "a")), 0);
	ticks = 1100;
	assert_int_equal(range_push(other, names_range(other, "b")), 0);
	ticks = 1200;
	assert_int_equal(range_push(0, names_range(0, "c")), 1);
	ticks = 1300;
	assert_int_equal(range_push(other, names_range(other, "d")), 1);
	/* b goes from between a and c; c and d move up, with their begins. */
	ticks = 1400;
	assert_int_equal(range_pop(0), 1);
	ticks = 1500;
	assert_int_equal(range_pop(other), 1);
	ticks = 1600;
	assert_int_equal(range_pop(other), 0);
	assert_int_equal(range_pop(other), -1);
	assert_int_equal(range_now(), a);
	assert_int_equal(change(first + 4)->started, 1200);
	assert_int_equal(change(first + 5)->started, 1300);
	assert_int_equal(change(first + 6)->started, 1100);
	assert_int_equal(names_of(paths_of(change(first + 4)->path).name).domain, 0);
	assert_string_equal(names_of(paths_of(change(first + 4)->path).name).text, "c");
	assert_string_equal(names_of(paths_of(change(first + 4)->now).name).text, "d");
	/* Without c, d is inside of b. */
	assert_string_equal(names_of(paths_of(paths_of(change(first + 4)->now).parent).name).text,
			    "b");
	assert_string_equal(names_of(paths_of(change(first + 5)->path).name).text, "d");
	assert_string_equal(names_of(paths_of(change(first + 5)->now).name).text, "b");
	assert_string_equal(names_of(paths_of(change(first + 6)->path).name).text, "b");
	assert_int_equal(change(first + 6)->now, a);
	assert_int_equal(range_pop(0), 0);
	assert_int_equal(change(first + 7)->started, 1000);
	range_threads()->tail = changes();
}

TEST(what_is_too_deep_is_in_the_deepest_range_that_is_kept)
{
	uint32_t first;
	uint16_t deepest;

	for (int i = 0; i < (int)OPEN_MOST; i++)
		assert_int_equal(range_push(0, names_range(0, "deep")), i);
	deepest = range_now();
	first = changes();
	assert_int_equal(range_push(0, names_range(0, "deeper")), OPEN_MOST);
	assert_int_equal(range_push(0, names_range(0, "deeper")), OPEN_MOST + 1);
	assert_int_equal(range_counts.too_deep, 2);
	assert_int_equal(range_now(), deepest);
	assert_int_equal(range_pop(0), OPEN_MOST + 1);
	assert_int_equal(range_pop(0), OPEN_MOST);
	assert_int_equal(range_now(), deepest);
	assert_int_equal(changes(), first);
	for (int i = (int)OPEN_MOST - 1; i >= 0; i--)
		assert_int_equal(range_pop(0), i);
	assert_int_equal(range_now(), PATHS_OUTSIDE);
	assert_int_equal(changes(), first + OPEN_MOST);
	assert_int_equal(range_counts.too_deep, 2);
	range_threads()->tail = changes();
}

TEST(before_ktime_collects_only_the_innermost_range_is_noted)
{
	uint16_t early = path_of(PATHS_OUTSIDE, "early");
	uint32_t first = changes();

	launch_state.lifecycle = LIFECYCLE_STARTING;
	range_push(0, names_range(0, "early"));
	assert_int_equal(range_threads()->at_start, early);
	assert_int_equal(range_now(), early);
	assert_int_equal(changes(), first);
	launch_state.lifecycle = LIFECYCLE_RUNNING;
	range_pop(0);
	assert_int_equal(range_threads()->at_start, early);
	assert_int_equal(changes(), first + 1);
	range_threads()->tail = changes();
}

/* The ring takes no more until the collector has read. */
TEST(a_change_after_a_loss_says_since_when)
{
	struct range_thread *thread = range_threads();
	uint32_t first = changes();

	for (unsigned i = 0; i < CHANGE_RECORDS / 2; i++) {
		range_push(0, names_range(0, "short"));
		range_pop(0);
	}
	assert_int_equal(changes(), first + CHANGE_RECORDS);
	assert_int_equal(thread->lost, 0);
	ticks = 5000;
	range_push(0, names_range(0, "lost"));
	ticks = 5100;
	range_push(0, names_range(0, "lost too"));
	assert_int_equal(changes(), first + CHANGE_RECORDS);
	assert_int_equal(thread->lost, 2);
	assert_int_equal(thread->lost_since, 5000);
	assert_int_equal(thread->now, range_now());
	thread->tail = first + 1;
	ticks = 5200;
	range_pop(0);
	assert_int_equal(changes(), first + CHANGE_RECORDS + 1);
	assert_int_equal(change(first + CHANGE_RECORDS)->lost_since, 5000);
	assert_int_equal(thread->lost_since, 0);
	thread->tail = changes();
	range_pop(0);
	assert_int_equal(change(first + CHANGE_RECORDS + 1)->lost_since, 0);
	assert_int_equal(thread->lost, 2);
	thread->tail = changes();
}

static unsigned taken;
static uint16_t taken_path, taken_place;
static uint64_t taken_time;
static struct range_owner taken_owner;

static void take(struct range_owner owner, uint16_t path, uint16_t place, uint64_t started)
{
	taken++;
	taken_owner = owner;
	taken_path = path;
	taken_place = place;
	taken_time = started;
}

TEST(a_started_range_is_open_until_its_end)
{
	struct range_thread *thread = range_threads();
	uint32_t first = changes();
	uint16_t path = paths_enter(PATHS_OUTSIDE, names_range(0, "s"), RANGE_START_END);
	uint64_t unbalanced = range_counts.unbalanced, id;

	range_push(0, names_range(0, "around"));
	ticks = 6000;
	id = range_start(names_range(0, "s"));
	assert_true(id > STARTED_MOST);
	assert_int_equal(change(first + 1)->kind, CHANGE_START);
	assert_int_equal(change(first + 1)->time, 6000);
	assert_int_equal(change(first + 1)->path, path);
	assert_int_equal(change(first + 1)->now, range_now());
	assert_int_equal(change(first + 1)->place, id % STARTED_MOST);
	range_each_started(take);
	assert_int_equal(taken, 1);
	assert_int_equal(taken_path, path);
	assert_int_equal(taken_place, id % STARTED_MOST);
	assert_int_equal(taken_time, 6000);
	assert_int_equal(taken_owner.kernel_id, thread->kernel_id);
	assert_int_equal(taken_owner.pthread_id, thread->pthread_id);
	ticks = 6100;
	range_end(id);
	assert_int_equal(range_starter(id % STARTED_MOST, 6000), thread->kernel_id);
	assert_int_equal(range_starter(id % STARTED_MOST, 6001), 0);
	assert_int_equal(change(first + 2)->kind, CHANGE_END);
	assert_int_equal(change(first + 2)->time, 6100);
	assert_int_equal(change(first + 2)->started, 6000);
	assert_int_equal(change(first + 2)->path, path);
	assert_int_equal(change(first + 2)->now, range_now());
	assert_int_equal(change(first + 2)->place, id % STARTED_MOST);
	range_each_started(take);
	assert_int_equal(taken, 1);
	/* Ended already, none that fitted, and none. */
	range_end(id);
	assert_int_equal(range_counts.unbalanced, unbalanced + 1);
	range_end(0);
	assert_int_equal(range_counts.unbalanced, unbalanced + 1);
	range_end(STARTING);
	assert_int_equal(range_counts.unbalanced, unbalanced + 2);
	assert_int_equal(changes(), first + 3);
	range_pop(0);
	thread->tail = changes();
}

TEST(the_started_ranges_that_are_open_now_have_their_bits)
{
	uint16_t name = names_range(0, "first open"), other = names_range(0, "other open");
	uint64_t one = range_start(name), same = range_start(name), another = range_start(other);
	unsigned bit = started_bit(paths_enter(PATHS_OUTSIDE, name, RANGE_START_END));

	assert_int_equal(started_path(bit), paths_enter(PATHS_OUTSIDE, name, RANGE_START_END));
	assert_int_equal(range_started_now(), 3u << bit);
	range_end(one);
	range_end(one);
	assert_int_equal(range_started_now(), 3u << bit);
	range_end(same);
	assert_int_equal(range_started_now(), 2u << bit);
	range_end(another);
	assert_int_equal(range_started_now(), 0);
	/* Names beyond the most that are told apart. */
	for (uint16_t i = 0; i < STARTED_PATHS; i++)
		started_bit((uint16_t)(60000 + i));
	assert_int_equal(started_bit(60000 + STARTED_PATHS - 1), STARTED_PATHS);
	range_end(range_start(names_range(0, "one more")));
	assert_int_equal(range_started_now(), 0);
	range_threads()->tail = changes();
}

TEST(starts_beyond_the_most_that_are_open_are_counted)
{
	uint64_t ids[STARTED_MOST], again;

	for (unsigned i = 0; i < STARTED_MOST; i++) {
		ids[i] = range_start(names_range(0, "many"));
		assert_int_not_equal(ids[i], 0);
	}
	assert_int_equal(range_counts.unstarted, 0);
	assert_int_equal(range_start(names_range(0, "many")), 0);
	assert_int_equal(range_counts.unstarted, 1);
	taken = 0;
	range_each_started(take);
	assert_int_equal(taken, STARTED_MOST);
	/* The one place that is free is found, wherever it is. */
	range_end(ids[500]);
	again = range_start(names_range(0, "many"));
	assert_int_equal(again % STARTED_MOST, ids[500] % STARTED_MOST);
	assert_int_not_equal(again, ids[500]);
	range_end(again);
	for (unsigned i = 0; i < STARTED_MOST; i++)
		if (i != 500)
			range_end(ids[i]);
	taken = 0;
	range_each_started(take);
	assert_int_equal(taken, 0);
	range_threads()->tail = changes();
}

/* The last test: no further path fits. */
TEST(paths_that_do_not_fit_are_those_around_them)
{
	uint16_t before = 0, path = path_of(PATHS_OUTSIDE, "first");

	assert_int_equal(paths_lost(), 0);
	while (!paths_lost()) {
		before = path;
		path = path_of(path, "one deeper");
	}
	assert_int_equal(path, before);
	assert_int_equal(path, PATHS_MOST - 1);
	assert_int_equal(path_of(PATHS_OUTSIDE, "another"), PATHS_OUTSIDE);
	assert_int_equal(paths_lost(), 2);
	assert_int_not_equal(path_of(PATHS_OUTSIDE, "first"), PATHS_OUTSIDE);
	assert_int_equal(paths_lost(), 2);
}
