/* SPDX-License-Identifier: MIT */
/* NVTX ranges by themselves: which range a time is in, whatever the rings had room for. */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/plan.h"
#include "preload/base/clock.h"
#include "preload/base/lifecycle_state.h"
#include "preload/nvtx/names.h"
#include "preload/nvtx/range_thread.h"
#include "preload/nvtx/ranges.h"
#include "report/ranges/range_tree.h"
#include "report/session/session_internal.h"
#include "tests/unit/made_run.h"
#include "tests/unit/test.h"

struct launch_state launch_state = {.needs = NEEDS_KTIME, .lifecycle = LIFECYCLE_RUNNING};

static const struct row *row;

static bool always(uint64_t time)
{
	(void)time;
	return true;
}

/* For all tests. */
BEFORE_EACH
{
	if (run.session)
		return;
	clock_scale_start(&run.scale);
	assert_int_equal(make_run(0), 0);
	row = session_row(run.session, ROW_KERNEL, "kernel", 0);
	ranges_start(always);
}

static struct range_place here(uint64_t time)
{
	return ranges_at((uint32_t)syscall(SYS_gettid), time);
}

static const char *name_at(uint64_t ticks)
{
	const struct nvtx_range *range = ranges_numbered(here(ticks).range);

	return range ? session_string(run.session, range->name) : "none";
}

static void push(const char *name)
{
	range_push(0, names_range(0, name));
}

TEST(a_time_is_in_the_range_that_was_innermost_then)
{
	uint64_t before = clock_ticks(), outer, inner, after, end;

	push("outer");
	outer = clock_ticks();
	push("inner");
	inner = clock_ticks();
	range_pop(0);
	after = clock_ticks();
	range_pop(0);
	end = clock_ticks();
	ranges_drain();
	assert_string_equal(name_at(before), "none");
	assert_string_equal(name_at(outer), "outer");
	assert_string_equal(name_at(inner), "inner");
	assert_string_equal(name_at(after), "outer");
	assert_string_equal(name_at(end), "none");
}

/* The thread makes more changes than its ring holds, and nobody reads them meanwhile. */
TEST(changes_that_are_lost_leave_no_wrong_range)
{
	uint64_t known, lost, now, lost_before;

	ranges_drain();
	push("known");
	known = clock_ticks();
	for (unsigned i = 0; i < CHANGE_RECORDS; i++) {
		push("short");
		range_pop(0);
	}
	push("lost");
	lost = clock_ticks();
	ranges_drain();
	now = clock_ticks();
	lost_before = run.header->counters[COUNTER_ranges_lost];
	assert_string_equal(name_at(known), "known");
	assert_string_equal(name_at(lost), "none");
	assert_int_equal(run.header->counters[COUNTER_ranges_lost], lost_before + 1);
	/* From the drain on it is known again, although no change came. */
	assert_string_equal(name_at(now), "lost");
	/* And it stays so in later periods, and once the next change has come. */
	ranges_drain();
	now = clock_ticks();
	assert_string_equal(name_at(now), "lost");
	ranges_drain();
	assert_string_equal(name_at(now), "lost");
	range_pop(0);
	range_pop(0);
	ranges_drain();
	assert_string_equal(name_at(now), "lost");
	assert_string_equal(name_at(clock_ticks()), "none");
}

TEST(what_is_older_than_the_history_is_not_known)
{
	struct range_history history = {.size = 0};

	assert_int_equal(history_at(&history, 5, 7), 7);
	for (uint64_t i = 1; i <= 32768; i++)
		history_add(&history, 10 * i, (uint16_t)(i % 100 + 1));
	assert_int_equal(history_at(&history, 9, 7), 7);
	assert_int_equal(history_at(&history, 10, 7), 2);
	assert_int_equal(history_at(&history, 19, 7), 2);
	history_add(&history, 400000, 50);
	assert_int_equal(history_at(&history, 9, 7), PATHS_UNKNOWN);
	assert_int_equal(history_at(&history, 10, 7), PATHS_UNKNOWN);
	assert_int_equal(history_at(&history, 20, 7), 3);
	assert_int_equal(history_at(&history, 500000, 7), 50);
	history_free(&history);
}

TEST(a_name_has_one_number_in_each_domain)
{
	uint8_t library = names_domain("library");

	assert_int_equal(names_domain("library"), library);
	assert_int_equal(names_range(0, "name"), names_range(0, "name"));
	assert_int_not_equal(names_range(0, "name"), names_range(library, "name"));
	assert_string_equal(names_of(names_range(library, "name")).text, "name");
	assert_int_equal(names_of(names_range(library, "name")).domain, library);
	assert_int_equal(names_range(0, "op, seq = 7"), names_range(0, "op"));
	assert_int_equal(names_range(0, "op, op_id = 12"), names_range(0, "op"));
	assert_int_not_equal(names_range(0, "op, seq = x"), names_range(0, "op"));
}

TEST(further_domains_share_a_number)
{
	char name[16];
	uint8_t last = 0;

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "domain %d", i);
		last = names_domain(name);
		assert_true(last < NAMES_DOMAINS);
	}
	assert_string_equal(names_domain_text(last), "(further domains)");
}

static void *push_and_pop(void *unused)
{
	char name[16];

	(void)unused;
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "shared %d", i % 50);
		assert_true(names_range(0, name) == names_range(0, name));
		push(name);
		push("inside");
		range_pop(0);
		range_pop(0);
	}
	return NULL;
}

/* Names and paths are found without a lock while others add them. */
TEST(threads_that_open_the_same_ranges_find_the_same_paths)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, push_and_pop, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 50; i++) {
		char name[16];
		uint16_t outer, number;

		snprintf(name, sizeof(name), "shared %d", i);
		number = names_range(0, name);
		assert_string_equal(names_of(number).text, name);
		outer = paths_enter(PATHS_OUTSIDE, number, RANGE_PUSH_POP);
		assert_int_equal(paths_of(outer).name, number);
		assert_int_equal(outer, paths_enter(PATHS_OUTSIDE, number, RANGE_PUSH_POP));
	}
}

static bool of_500_ns(const struct row *any, double *average, void *unused)
{
	(void)any;
	(void)unused;
	*average = 500;
	return true;
}

TEST(a_sample_stands_for_the_calls_that_were_not_timed)
{
	struct range_place place;
	struct range_tree tree;

	push("sampled");
	ranges_drain();
	place = here(clock_ticks());
	ranges_add(&place, row, 1000, 10, CLOCK_EVENTS);
	ranges_add(&place, row, 2000, 1, CLOCK_EVENTS);
	range_pop(0);
	ranges_add_untimed(&place, row);
	assert_int_equal(range_tree_build(&tree, run.session, false, of_500_ns, NULL), 0);
	for (size_t i = 0; i < tree.count; i++) {
		const struct range_node *node = &tree.nodes[i];

		if (strcmp(session_string(run.session, node->range->name), "sampled") != 0)
			continue;
		assert_int_equal((int)node->own.operations, 12);
		assert_int_equal(node->own.time, 12500);
		assert_true(node->own.estimated);
	}
	range_tree_free(&tree);
}

static uint64_t add_range(const char *name, uint64_t parent, uint64_t calls)
{
	const struct nvtx_range range = {
		.name = session_intern(run.session, name), .parent = parent, .calls = calls};

	return session_offset(run.session, session_add_item(run.session, SEGMENT_RANGES, &range));
}

/* Those of a warm-up, before profiling began. */
TEST(ranges_in_which_nothing_was_recorded_are_not_in_the_tree)
{
	uint64_t warm_up = add_range("warm-up", 0, 0), steps = add_range("steps", 0, 0), still;
	const struct range_node *inner = NULL;
	struct range_tree tree;

	add_range("first step", warm_up, 0);
	add_range("second step", steps, 0);
	/* One that was closed in the window, but not those around it. */
	still = add_range("third step", steps, 0);
	add_range("forward", still, 1);
	assert_int_equal(range_tree_build(&tree, run.session, false, of_500_ns, NULL), 0);
	for (size_t i = 0; i < tree.count; i++) {
		const char *name = session_string(run.session, tree.nodes[i].range->name);

		assert_string_not_equal(name, "warm-up");
		assert_string_not_equal(name, "first step");
		assert_string_not_equal(name, "second step");
		if (strcmp(name, "forward") == 0)
			inner = &tree.nodes[i];
	}
	assert_non_null(inner);
	assert_int_equal(inner->depth, 2);
	assert_ptr_equal(tree.nodes[inner->parent].range,
			 session_nvtx_range_at(run.session, still));
	assert_ptr_equal(tree.nodes[tree.nodes[inner->parent].parent].range,
			 session_nvtx_range_at(run.session, steps));
	range_tree_free(&tree);
}

/* As in a file that somebody damaged. */
TEST(a_range_that_is_inside_of_itself_is_not_shown)
{
	struct nvtx_range *bad =
		session_add_item(run.session, SEGMENT_RANGES, &(struct nvtx_range){.name = 0});
	const struct nvtx_range *range;
	const void *base;
	size_t size;

	session_range(run.session, &base, &size);
	bad->parent = (uint64_t)((const char *)bad - (const char *)base);
	session_for_each_nvtx_range (run.session, range)
		assert_ptr_not_equal(range, bad);
	bad->parent = 12345;
	session_for_each_nvtx_range (run.session, range)
		assert_ptr_not_equal(range, bad);
	bad->parent = 0;
	bad->style = 77;
	session_for_each_nvtx_range (run.session, range)
		assert_ptr_not_equal(range, bad);
	assert_null(session_nvtx_range_at(run.session, 1));
	assert_null(session_row_at(run.session, UINT64_MAX - 63));
}

static const struct nvtx_range *named(const char *name)
{
	const struct nvtx_range *range;

	session_for_each_nvtx_range (run.session, range)
		if (strcmp(session_string(run.session, range->name), name) == 0)
			return range;
	return NULL;
}

/* The part of a row in the range of this name, which is there. */
static const struct nvtx_part *part_in(const char *name, const struct row *of)
{
	const struct nvtx_part *part;

	session_for_each_nvtx_part (run.session, part)
		if (session_nvtx_range_at(run.session, part->range) == named(name) &&
		    session_row_at(run.session, part->row) == of)
			return part;
	fail();
	return NULL;
}

TEST(started_ranges_hold_what_any_thread_calls)
{
	const char *const names[] = {"holds", "pushed"};
	uint64_t id = range_start(names_range(0, "holds"));
	struct range_place place;

	push("pushed");
	ranges_drain();
	place = here(clock_ticks());
	ranges_add(&place, row, 300, 2, CLOCK_EVENTS);
	ranges_add(&place, row, 100, 1, CLOCK_CUPTI);
	ranges_add_untimed(&place, row);
	for (int i = 0; i < 2; i++) {
		const struct nvtx_part *part = part_in(names[i], row);

		assert_int_equal((int)part->calls, 3);
		assert_int_equal((int)part->event_calls, 2);
		assert_int_equal((int)part->untimed, 1);
		assert_int_equal(part->total, 700);
		assert_int_equal(part->minimum, 100);
		assert_int_equal(part->maximum, 300);
		assert_int_equal(part->estimated, 1);
	}
	range_pop(0);
	range_end(id);
	ranges_drain();
}

/* As the row leaves it out; calls that CUPTI has timed stay. */
TEST(a_first_launch_that_is_left_out_has_no_time_in_its_ranges)
{
	struct row *loaded = session_row(run.session, ROW_KERNEL, "loaded", 0);
	struct row *other = session_row(run.session, ROW_KERNEL, "by both clocks", 0);
	uint64_t id = range_start(names_range(0, "around"));
	const struct nvtx_part *part;
	struct range_place place;

	push("first");
	ranges_drain();
	place = here(clock_ticks());
	assert_true(loaded && other);
	ranges_add(&place, loaded, 5000000, 1, CLOCK_EVENTS);
	ranges_forget_first(&place, loaded);
	ranges_add(&place, loaded, 2000, 1, CLOCK_EVENTS);
	ranges_add(&place, other, 100, 1, CLOCK_CUPTI);
	ranges_add(&place, other, 5000000, 1, CLOCK_EVENTS);
	ranges_forget_first(&place, other);
	for (int i = 0; i < 2; i++) {
		part = part_in(i ? "around" : "first", loaded);
		assert_true(part->calls == 1 && part->event_calls == 1 && part->untimed == 1);
		assert_int_equal(part->total, 2000);
		assert_int_equal(part->minimum, 2000);
		assert_int_equal(part->maximum, 2000);
		part = part_in(i ? "around" : "first", other);
		assert_true(part->calls == 2 && part->untimed == 0);
		assert_int_equal(part->total, 5000100);
	}
	range_pop(0);
	range_end(id);
	ranges_drain();
}

TEST(a_call_without_a_row_is_lost)
{
	const uint64_t *lost = &run.header->counters[COUNTER_ranges_lost];
	uint64_t before = *lost;
	struct range_place place;

	push("of one call");
	ranges_drain();
	place = here(clock_ticks());
	ranges_add(&place, row, 300, 1, CLOCK_CUPTI);
	ranges_add(&place, NULL, 300, 1, CLOCK_CUPTI);
	assert_int_equal(*lost, before + 1);
	ranges_add_untimed(&place, NULL);
	assert_int_equal(*lost, before + 2);
	assert_int_equal(part_in("of one call", row)->total, 300);
	assert_int_equal(part_in("of one call", row)->estimated, 0);
	assert_int_equal((int)part_in("of one call", row)->event_calls, 0);
	range_pop(0);
	ranges_drain();
}

/* The last test: from here on only what is called in some ranges is reported. */
TEST(calls_outside_the_ranges_that_were_asked_for_are_left_out)
{
	static char wanted[] = "wanted/", started[] = "started";
	uint64_t in, inside, after, in_another, id;

	run.settings.nvtx_include[0] = wanted;
	run.settings.nvtx_include[1] = started;
	/* ktime does not run. */
	assert_int_equal(launch_state.needs, NEEDS_KTIME);
	ranges_start(always);
	assert_true(ranges_are_chosen());
	assert_int_equal(launch_state.needs, NEEDS_KTIME | NEEDS_ITS_RANGE);
	push("wanted");
	in = clock_ticks();
	push("inside of it");
	inside = clock_ticks();
	range_pop(0);
	range_pop(0);
	after = clock_ticks();
	push("another");
	in_another = clock_ticks();
	ranges_drain();
	assert_true(here(in).included);
	assert_true(here(inside).included);
	assert_false(here(after).included);
	assert_false(here(in_another).included);
	assert_false(ranges_at((uint32_t)getpid() + 1, in).included);
	id = range_start(names_range(0, "started"));
	ranges_drain();
	assert_true(here(clock_ticks()).included);
	assert_true(ranges_at((uint32_t)getpid() + 1, clock_ticks()).included);
	assert_false(here(in_another).included);
	range_end(id);
	range_pop(0);
}
