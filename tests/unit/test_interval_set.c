/* SPDX-License-Identifier: MIT */
/* The union of intervals, held to a union that keeps them all. */
#include "preload/timeline/timeline.h"
#include "tests/unit/test.h"

#define TIMES 4000

static struct interval_set set;
static bool covered[TIMES];
static uint64_t gaps, gap_total;

static void note_gap(const struct interval *before, const struct interval *after, void *argument)
{
	assert_ptr_equal(argument, &gaps);
	assert_true(before->end < after->start);
	gaps++;
	gap_total += after->start - before->end;
	/* The operations at the gap's edges are those that were there. */
	assert_int_equal(before->last.name, before->end);
	assert_int_equal(after->first.name, after->start);
}

static void start(void)
{
	set = (struct interval_set){.gap = note_gap, .argument = &gaps};
	memset(covered, 0, sizeof(covered));
	gaps = gap_total = 0;
}

BEFORE_EACH
{
	start();
}

AFTER_EACH
{
	free(set.intervals);
}

static void add(uint64_t from, uint64_t to)
{
	interval_set_add(&set, &(struct interval){.start = from,
						  .end = to,
						  .first = {.name = from},
						  .last = {.name = to}});
	for (uint64_t i = from; i < to && i < TIMES; i++)
		covered[i] = true;
}

static uint64_t covered_total(void)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < TIMES; i++)
		total += covered[i];
	return total;
}

TEST(intervals_in_any_order_have_the_union_of_all)
{
	srand(1);
	for (unsigned round = 0; round < 200; round++) {
		uint64_t first = TIMES, last = 0;

		start();
		for (unsigned i = 0; i < 100; i++) {
			uint64_t from = 1 + (uint64_t)rand() % (TIMES - 100);
			uint64_t to = from + 1 + (uint64_t)rand() % 60;

			add(from, to);
			first = from < first ? from : first;
			last = to > last ? to : last;
		}
		assert_int_equal(set.total, covered_total());
		interval_set_settle(&set, UINT64_MAX);
		assert_int_equal(set.total, covered_total());
		assert_int_equal(gap_total, last - first - set.total);
		assert_int_equal(set.late, 0);
		free(set.intervals);
		set.intervals = NULL;
	}
}

/* What starts at the time up to which it is settled, or later, may still come. */
TEST(what_is_settled_on_the_way_changes_nothing)
{
	srand(2);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t from = 100 + i + (uint64_t)rand() % 50;

		add(from, from + 1 + (uint64_t)rand() % 4 * (i % 7 == 0));
		interval_set_settle(&set, 100 + i + 1);
	}
	assert_int_equal(set.late, 0);
	assert_int_equal(set.total, covered_total());
	assert_true(interval_set_kept(&set) < 60);
}

TEST(an_interval_that_comes_too_late_is_counted_as_late)
{
	add(10, 20);
	add(100, 110);
	add(200, 210);
	interval_set_settle(&set, 150);
	assert_int_equal(gaps, 1);
	assert_int_equal(gap_total, 80);
	add(30, 120);
	assert_int_equal(set.late, 70);
	assert_int_equal(set.total, 10 + 20 + 10);
}

/* The oldest give way, as if no earlier record were due. */
TEST(memory_is_bounded)
{
	for (uint64_t i = 0; i < 10 * INTERVALS_KEPT; i++)
		interval_set_add(&set, &(struct interval){.start = 10 * i,
							  .end = 10 * i + 4,
							  .first = {.name = 10 * i},
							  .last = {.name = 10 * i + 4}});
	assert_true(interval_set_kept(&set) <= INTERVALS_KEPT);
	assert_true(set.room <= 2 * INTERVALS_KEPT);
	assert_int_equal(set.total, 4 * 10 * INTERVALS_KEPT);
	interval_set_settle(&set, UINT64_MAX);
	assert_int_equal(gap_total, 6 * (10 * INTERVALS_KEPT - 1));
}
