/* SPDX-License-Identifier: MIT */
/* Which clock's times a row shows that both clocks have a sample of. */
#include <math.h>

#include "report/print/table.h"
#include "report/session/estimate.h"
#include "tests/unit/one_session.h"

#define CALLS  1000
#define TIMED  100
#define WEIGHT (CALLS / TIMED)

static struct row *row;

BEFORE_EACH
{
	header->cupti_active = 1;
	row = session_row(session, ROW_KERNEL, "kernel", 0);
	row->calls = CALLS;
	row_set_windows(row, 1e6, 0);
	for (int i = 0; i < TIMED; i++) {
		uint64_t took = i % 2 ? 900 : 1100;
		uint64_t place = estimate_call(&row->estimate, WEIGHT);

		session_add_sample(session, &row->cupti, 1000);
		session_add_weighted(session, &row->events, took,
				     estimate_whole_calls(&row->estimate, WEIGHT));
		estimate_timed(&row->estimate, place, WEIGHT, took);
	}
}

static enum clock_source shown(double times_the_events_error)
{
	enum clock_source clock;

	row_set_windows(row, row->windows_total,
			times_the_events_error * row_estimate(row, CLOCK_EVENTS).error);
	row_figures(session, row, &clock);
	return clock;
}

TEST(events_are_shown_if_they_say_twice_as_much_as_windows)
{
	assert_true(row_estimate(row, CLOCK_EVENTS).error > 0);
	assert_int_equal(shown(0.5), CLOCK_CUPTI);
	assert_int_equal(shown(1.9), CLOCK_CUPTI);
	assert_int_equal(shown(2.1), CLOCK_EVENTS);
	/* Or if windows say nothing. */
	assert_int_equal(shown(NAN), CLOCK_EVENTS);
}

TEST(of_nodes_of_graphs_and_of_all_records_cupti_speaks)
{
	row->node_calls = 1;
	assert_int_equal(shown(10), CLOCK_CUPTI);
	row->node_calls = 0;
	row->host_included = 1;
	assert_int_equal(shown(10), CLOCK_CUPTI);
	row->host_included = 0;
	assert_int_equal(shown(10), CLOCK_EVENTS);
	row_set_windows(row, 0, 0);
	assert_int_equal(shown(10), CLOCK_CUPTI);
}
