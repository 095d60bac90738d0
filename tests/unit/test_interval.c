/* SPDX-License-Identifier: MIT */
/* What happened between two copies of a program's profile, exactly. */
#include <errno.h>

#include "report/live/live.h"
#include "report/session/estimate.h"
#include "tests/unit/test.h"

static struct session *earlier, *later;

static struct row *kernel(struct session *session)
{
	return session_row(session, ROW_KERNEL, "kernel", 0);
}

/* Calls of 100 ns, then as many of 1000 ns as are given besides. */
static void run(struct session *session, uint64_t short_calls, uint64_t long_calls)
{
	struct row *row = kernel(session);

	assert_non_null(row);
	for (uint64_t i = 0; i < short_calls + long_calls; i++) {
		uint64_t took = i < short_calls ? 100 : 1000;

		row->calls++;
		row->bytes += 4;
		session_add_sample(session, &row->cupti, took);
		estimate_timed(&row->estimate, estimate_call(&row->estimate, 1), 1, took);
	}
}

BEFORE_EACH
{
	struct session_header *header;

	assert_int_equal(session_create(&earlier, NULL, 0), 0);
	assert_int_equal(session_create(&later, NULL, 0), 0);
	for (int i = 0; i < 2; i++) {
		header = session_header(i ? later : earlier);
		header->pid = 7;
		header->start_realtime = 1000;
		header->counters[COUNTER_wall_ns] = i ? 900 : 300;
	}
}

AFTER_EACH
{
	session_close(earlier);
	session_close(later);
}

static double estimated_calls(const struct row *row)
{
	double calls = 0;

	for (unsigned i = 0; i < ESTIMATE_STRATA; i++)
		calls += row->estimate.strata[i].calls;
	return calls;
}

/* A bucket of 98304 to 100351 ns is moved by its middle, whatever its times are. */
TEST(the_least_and_the_most_are_within_those_of_the_run)
{
	struct row *rows[] = {session_row(later, ROW_KERNEL, "low", 0),
			      session_row(later, ROW_KERNEL, "high", 0)};

	session_add_sample(later, &rows[0]->events, 98304);
	session_add_sample(later, &rows[1]->events, 100351);
	session_header(later)->overheads[0].ns = 98000;
	session_subtract_overheads(later);
	assert_int_equal(interval_subtract(later, earlier), 0);
	assert_int_equal(rows[0]->events.minimum, 304);
	assert_int_equal(rows[0]->events.maximum, 304);
	assert_int_equal(rows[1]->events.minimum, 2351);
	assert_int_equal(rows[1]->events.maximum, 2351);
}

/* Pairs of 10,000 ns, of which these were queued, as a reader finds them. */
static void run_by_events(struct session *session, uint64_t pairs, uint64_t queued)
{
	struct row *row = kernel(session);

	for (uint64_t i = 0; i < pairs; i++)
		session_add_sample(session, &row->events, 10000);
	row->calls = pairs;
	row->queued = queued;
	session_header(session)->overheads[OVERHEAD_KERNEL].ns = 2900;
	session_header(session)->queued.ns = 700;
	session_subtract_overheads(session);
}

/* By the mean of all of them until then, another one each time. */
static void are_as_many(bool less_queued)
{
	const struct row *row = kernel(later);
	const struct histogram *histogram;

	run_by_events(earlier, 1000, less_queued ? 1000 : 0);
	run_by_events(later, 1500, less_queued ? 1000 : 500);
	assert_int_equal(interval_subtract(later, earlier), 0);
	histogram = session_histogram(later, row->events.histogram);
	assert_int_equal(row->events.count, 500);
	assert_int_equal(row->queued, less_queued ? 0 : 500);
	assert_int_equal(row->events.total, 500 * (less_queued ? 7100 : 6400));
	assert_int_equal(histogram_count(histogram), 500);
	assert_in_range(histogram_percentile(histogram, 0.5), 6400, 7100);
}

TEST(calls_since_are_as_many_whatever_was_taken_off_each)
{
	are_as_many(false);
}

TEST(calls_since_are_as_many_if_fewer_were_queued)
{
	are_as_many(true);
}

/* A damaged one. */
TEST(an_empty_histogram_says_nothing)
{
	struct row *row = kernel(later);

	run(later, 2, 2);
	*session_histogram(later, row->cupti.histogram) = (struct histogram){.used = {0}};
	assert_int_equal(interval_subtract(later, earlier), 0);
	assert_int_equal(row->cupti.minimum, 100);
	assert_int_equal(row->cupti.maximum, 1000);
}

TEST(what_was_before_is_taken_off)
{
	struct row *row = kernel(later);

	run(earlier, 10, 0);
	run(later, 10, 5);
	assert_int_equal(interval_subtract(later, earlier), 0);
	assert_int_equal(row->calls, 5);
	assert_int_equal(row->bytes, 20);
	assert_int_equal(row->cupti.count, 5);
	assert_int_equal(row->cupti.total, 5000);
	/* By the histogram, to 3 %. */
	assert_in_range(row->cupti.minimum, 970, 1000);
	assert_int_equal(row->cupti.maximum, 1000);
	assert_int_equal(session_header(later)->start_realtime, 1300);
	assert_int_equal(session_header(later)->counters[COUNTER_wall_ns], 600);
}

TEST(a_row_without_calls_since_has_no_times)
{
	struct row *row = kernel(later);

	run(earlier, 10, 5);
	run(later, 10, 5);
	assert_int_equal(interval_subtract(later, earlier), 0);
	assert_int_equal(row->calls, 0);
	assert_int_equal(row->cupti.known, 0);
	assert_int_equal(row->cupti.maximum, 0);
}

TEST(stretches_that_became_wider_are_taken_off_as_such)
{
	struct row *row = kernel(later);

	run(earlier, ESTIMATE_STRATA, 0);
	run(later, ESTIMATE_STRATA, 3 * ESTIMATE_STRATA);
	assert_int_equal(kernel(earlier)->estimate.shift, 0);
	assert_int_equal(row->estimate.shift, 2);
	assert_int_equal(interval_subtract(later, earlier), 0);
	assert_true(estimated_calls(row) == 3 * ESTIMATE_STRATA);
	assert_true(row->estimate.strata[ESTIMATE_STRATA / 4 - 1].calls == 0);
	assert_true(row->estimate.strata[ESTIMATE_STRATA / 4].calls == 4);
}

TEST(a_damaged_width_of_the_stretches_ends)
{
	run(earlier, 10, 0);
	run(later, 20, 0);
	kernel(later)->estimate.shift = UINT32_MAX;
	assert_int_equal(interval_subtract(later, earlier), 0);
	assert_int_equal(kernel(later)->calls, 10);
}

TEST(another_programs_copy_is_refused)
{
	struct session_header *header = session_header(earlier);

	header->pid++;
	assert_int_equal(interval_subtract(later, earlier), -EINVAL);
	header->pid--;
	header->start_realtime++;
	assert_int_equal(interval_subtract(later, earlier), -EINVAL);
	header->start_realtime--;
	header->counters[COUNTER_wall_ns] = 901;
	assert_int_equal(interval_subtract(later, earlier), -EINVAL);
	header->counters[COUNTER_wall_ns] = 900;
	run(earlier, 1, 0);
	assert_int_equal(interval_subtract(later, earlier), -EINVAL);
}

static struct device_energy energy_of(uint64_t part)
{
	struct device_energy energy = {.state = ENERGY_READ,
				       .source = ENERGY_FROM_COUNTER,
				       .duration = part * 1000,
				       .joules = (double)part * 10,
				       .samples = part * 7,
				       .idle = part * 2};

	energy.sm = (struct clock_range){part * 5, part * 8000, 1500, 1700, MINIMUM_KNOWN};
	energy.memory = (struct clock_range){part * 4, part * 4000, 900, 1100, MINIMUM_KNOWN};
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		energy.reasons[i] = part * i;
	return energy;
}

TEST(energy_and_clocks_are_those_since_then)
{
	const struct device_energy *energy = &session_header(later)->devices[63].energy;

	session_header(earlier)->devices[63].energy = energy_of(3);
	session_header(later)->devices[63].energy = energy_of(5);
	assert_int_equal(interval_subtract(later, earlier), 0);
	assert_int_equal(energy->state, ENERGY_READ);
	assert_int_equal(energy->duration, 2000);
	assert_int_equal((int)(energy->joules + 0.5), 20);
	assert_int_equal(energy->samples, 14);
	assert_int_equal(energy->idle, 4);
	assert_int_equal(energy->sm.samples, 10);
	assert_int_equal(energy->sm.sum, 16000);
	assert_int_equal(energy->sm.minimum, 1500);
	assert_int_equal(energy->memory.samples, 8);
	assert_int_equal(energy->memory.sum, 8000);
	assert_int_equal(energy->reasons[7], 14);
	assert_int_equal(energy->reasons[1], 2);
}
