/* SPDX-License-Identifier: MIT */
/* What is taken off the times of event pairs: their overhead, and what pairs of queued operations
 * hold more. */
#include <math.h>

#include "report/session/estimate.h"
#include "report/session/items.h"
#include "tests/unit/one_session.h"

BEFORE_EACH
{
	header->overheads[OVERHEAD_KERNEL] = (struct event_overhead){2900, 16, 300};
	header->overheads[OVERHEAD_COPY] = (struct event_overhead){1300, 16, 20};
	header->queued = (struct event_overhead){700, 16, 800};
	header->trace_on = 1;
}

/* A row whose pairs took 10,000 ns, 11,000 and so on; that many of them were queued. */
static struct row *row_of(enum overhead_kind kind, uint64_t pairs, uint64_t queued)
{
	struct row *row = session_row(session, ROW_KERNEL, "k", 0);

	assert_non_null(row);
	row->overhead = kind;
	row->calls = pairs;
	row->queued = queued;
	for (uint64_t i = 0; i < pairs; i++) {
		uint64_t time = 10000 + 1000 * i;

		session_add_weighted(session, &row->events, time, 1);
		session_add_size(&row->events, 4, time);
		session_add_difference(session, row, time - 6000);
		estimate_timed(&row->estimate, estimate_call(&row->estimate, 1), 1, time);
	}
	return row;
}

TEST(what_queued_pairs_hold_more_is_taken_off_by_their_part)
{
	struct row *row = row_of(OVERHEAD_KERNEL, 10, 5);
	const struct histogram *times = session_histogram(session, row->events.histogram);
	const struct histogram *differences = session_histogram(session, row->difference_histogram);

	row->checked = 4;
	row->checked_raw = 50000;
	assert_true(row_overhead(header, row) == 2900 + 350);
	assert_true(row_overhead_error(header, row) == 500);
	session_subtract_overheads(session);
	assert_int_equal(row->events.total, 145000 - 10 * 3250);
	assert_int_equal(row->events.minimum, 10000 - 3250);
	assert_int_equal(row->events.maximum, 19000 - 3250);
	assert_int_equal(row->events.slowest.ns, 19000 - 3250);
	assert_int_equal(row->events.fastest.ns, 10000 - 3250);
	/* The spread stays. */
	assert_true(fabs(sample_variance(10, (double)row->events.total, row->events.squares) -
			 1000.0 * 1000 * 82.5 / 9) < 1);
	assert_int_equal(row->checked_events, 50000 - 4 * 3250);
	assert_true(estimate_of(&row->estimate, 10).total == 145000 - 10 * 3250);
	assert_true(row->estimate.standard_error == 500);
	/* Each within 3 %: the least, and the one in the middle. */
	assert_in_range(histogram_percentile(times, 0), 6600, 6900);
	assert_in_range(histogram_percentile(times, 0.5), 10500, 11000);
	assert_in_range(histogram_percentile(differences, 0), 730, 770);
}

/* 233 ns a pair would be 699. */
TEST(the_total_is_not_rounded_call_by_call)
{
	struct row *row = row_of(OVERHEAD_KERNEL, 3, 1);

	session_subtract_overheads(session);
	assert_int_equal(row->events.total, 33000 - 3 * 2900 - 700);
	assert_int_equal(row->events.minimum, 10000 - 2900 - 233);
}

TEST(pairs_that_were_not_queued_hold_no_more)
{
	struct row *row = row_of(OVERHEAD_KERNEL, 10, 0);

	session_subtract_overheads(session);
	assert_int_equal(row->events.total, 145000 - 10 * 2900);
	assert_true(row->estimate.standard_error == 300);
}

/* A copy engine does not care what it did before. */
TEST(queued_copies_hold_no_more)
{
	struct row *row = row_of(OVERHEAD_COPY, 10, 10);

	session_subtract_overheads(session);
	assert_int_equal(row->events.total, 145000 - 10 * 1300);
	assert_int_equal(row->events.minimum, 10000 - 1300);
	assert_true(row->estimate.standard_error == 20);
}

TEST(pairs_that_hold_the_hosts_work_keep_all)
{
	struct row *row = row_of(OVERHEAD_KERNEL, 10, 10);

	row->host_included = 1;
	session_subtract_overheads(session);
	assert_int_equal(row->events.total, 145000);
}

static struct nvtx_part *part_of(const struct row *row, double calls, double by_events)
{
	const struct nvtx_range named = {.name = session_intern(session, "range"), .calls = 1};
	struct nvtx_part *part = session_add_nvtx_part(
		session, session_add_item(session, SEGMENT_RANGES, &named), row);

	assert_non_null(part);
	part->calls = calls;
	part->event_calls = by_events;
	part->total = 40000;
	part->minimum = 9000;
	part->maximum = 12000;
	return part;
}

TEST(what_ran_in_ranges_loses_what_its_row_does)
{
	struct row *row = row_of(OVERHEAD_KERNEL, 10, 5);
	struct nvtx_part *by_events = part_of(row, 4, 4), *mixed = part_of(row, 4, 2);

	session_subtract_overheads(session);
	assert_int_equal(by_events->total, 40000 - 4 * 3250);
	assert_int_equal(by_events->minimum, 9000 - 3250);
	assert_int_equal(by_events->maximum, 12000 - 3250);
	assert_int_equal(mixed->total, 40000 - 2 * 3250);
	assert_int_equal(mixed->minimum, 9000);
	assert_int_equal(mixed->maximum, 12000);
}

/* 10 of 20 calls were timed, all in ranges: six of those in one and four in the other. A first
 * launch that was left out is in one of them already. */
TEST(what_ran_in_ranges_adds_to_what_the_row_is_estimated_to)
{
	struct row *row = row_of(OVERHEAD_KERNEL, 10, 0);
	struct nvtx_part *six = part_of(row, 6, 6), *four = part_of(row, 4, 4);
	double total;

	row->calls = 20;
	row->untimed[UNTIMED_FIRST_LAUNCH] = 1;
	six->total = 145000 - four->total;
	session_subtract_overheads(session);
	total = estimate_of(&row->estimate, 20).total;
	assert_true(fabs((double)(six->total + four->total) - total * 19 / 20) < 2);
	assert_true(fabs(six->calls + four->calls - 19) < 1e-6);
	assert_true(six->estimated && four->estimated);
	assert_true(six->calls == six->event_calls);
}

/* The trace has no word of which pairs were queued. */
TEST(records_lose_what_all_pairs_hold)
{
	const struct trace_record record = {
		.name = 1, .start = 100, .end = 10100, .overhead = 1 + OVERHEAD_KERNEL};

	row_of(OVERHEAD_KERNEL, 10, 10);
	assert_int_equal(session_trace(session, &record), 0);
	session_subtract_overheads(session);
	assert_int_equal(session_next_trace(session, NULL)->end, 10100 - 2900);
}

TEST(damaged_figures_break_nothing)
{
	struct row *row = row_of(OVERHEAD_KERNEL, 10, 11);

	/* More than all are all. */
	assert_true(row_overhead(header, row) == 3600);
	row->queued = UINT64_MAX;
	assert_true(row_overhead(header, row) == 3600);
	row->events.count = 0;
	assert_true(row_overhead(header, row) == 2900);
	assert_true(row_overhead_error(header, row) == 300);
	row->events.count = 10;
	row->overhead = OVERHEAD_KINDS;
	assert_true(row_overhead(header, row) == 0);
	assert_true(row_overhead_error(header, row) == 0);
	row->overhead = UINT32_MAX;
	assert_true(row_overhead(header, row) == 0);
	row->overhead = OVERHEAD_KERNEL;
	row->events.count = row->checked = row->checked_raw = UINT64_MAX;
	header->overheads[OVERHEAD_KERNEL] = header->queued =
		(struct event_overhead){UINT64_MAX, UINT64_MAX, UINT64_MAX};
	part_of(row, INFINITY, INFINITY);
	session_subtract_overheads(session);
	assert_int_equal(row->events.total, 0);
	assert_int_equal(row->events.minimum, 0);
	assert_int_equal(row->events.maximum, 0);
	assert_int_equal(row->checked_events, 0);
}
