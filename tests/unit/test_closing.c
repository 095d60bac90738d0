/* SPDX-License-Identifier: MIT */
/* The lines below the table, where a figure is at the limit that decides what they say. */
#include <math.h>

#include "report/session/estimate.h"
#include "tests/unit/printed.h"
#include "tests/unit/one_session.h"

/* A kernel's row of which each clock timed a part of the calls. */
static struct row *add_row(const char *name, uint64_t calls, uint64_t cupti, uint64_t events)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);

	assert_non_null(row);
	row->calls = calls;
	while (cupti--)
		session_add_sample(session, &row->cupti, 1000);
	while (events--) {
		session_add_weighted(session, &row->events, 1000, 1);
		estimate_timed(&row->estimate, estimate_call(&row->estimate, 1), 1, 1000);
	}
	return row;
}

/* Takes lines out that begin so. */
static void leave_out(char *text, const char *begin)
{
	for (char *line = strstr(text, begin); line; line = strstr(text, begin))
		memmove(line, strchr(line, '\n') + 1, strlen(strchr(line, '\n')));
}

/* What stands below the table with --verbose; where the words do not have it, without the lines
 * that divide the overhead and tell of the other clock. */
static void closes(const char *words, const char *expected)
{
	char all[256], *text;

	snprintf(all, sizeof(all), "--print-gpu-summary --verbose %s", words);
	text = printed(session, all);
	assert_non_null(strstr(text, "======== Timing: "));
	if (!strstr(words, "--verbose")) {
		leave_out(text, "======== Overhead on the program's threads");
		leave_out(text, "======== Timed by CUDA events too: ");
		leave_out(text, "======== Not timed by events: ");
		leave_out(text, "======== Upper bound: ");
	}
	assert_string_equal(strstr(text, "======== Timing: "), expected);
	free(text);
}

TEST(nothing_to_time_and_nothing_timed)
{
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	add_row("k", 1, 0, 0);
	closes("", "======== Timing: none of 1 GPU operation timed.\n"
		   "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	add_row("k", 2, 0, 0)->untimed[UNTIMED_RING_FULL] = 2;
	closes("", "======== Timing: none of 2 GPU operations timed.\n"
		   "======== Not timed: ring full (2).\n"
		   "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
}

TEST(one_operation_of_each_clock)
{
	add_row("by both", 1, 1, 1);
	closes("--verbose", "======== Timing: CUPTI; 1 GPU operation timed.\n"
			    "======== Timed by CUDA events too: 1 of 1 operations.\n"
			    "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	add_row("by events", 1, 0, 1)->overhead = OVERHEAD_COPY;
	header->overheads[OVERHEAD_COPY] = (struct event_overhead){2700, 16, 100};
	closes("--verbose",
	       "======== Timing: CUPTI (1 row by CUDA events); all 2 GPU operations timed.\n"
	       "======== Timed by CUDA events too: 2 of 2 operations.\n"
	       "======== Event-pair overhead taken off: copies to and from the host 2.70 ± 0.20 "
	       "us.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	add_row("by events too", 3, 0, 2)->untimed[UNTIMED_SAMPLED_OUT] = 1;
	header->overheads[OVERHEAD_KERNEL] = (struct event_overhead){2900, 16, 500};
	session_row(session, ROW_KERNEL, "by events too", 0)->may_wait = 1;
	session_row(session, ROW_KERNEL, "by events too", 0)->beside = 2;
	closes("",
	       "======== Timing: CUPTI (2 rows by CUDA events); 4 of 5 GPU operations "
	       "timed.\n"
	       "======== Not timed: left out by sampling (1).\n"
	       "======== Event-pair overhead taken off: kernels, memsets and device copies 2.90 ± "
	       "0.98 "
	       "us; copies to and from the host 2.70 ± 0.20 us.\n"
	       "======== Upper bounds: 1 of 2 rows by CUDA events; their times may include "
	       "host time, or waits for another engine or stream.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	closes("--verbose",
	       "======== Timing: CUPTI (2 rows by CUDA events); 4 of 5 GPU operations "
	       "timed.\n"
	       "======== Not timed: left out by sampling (1).\n"
	       "======== Timed by CUDA events too: 4 of 5 operations.\n"
	       "======== Not timed by events: left out by sampling (1).\n"
	       "======== Event-pair overhead taken off: kernels, memsets and device copies 2.90 ± "
	       "0.98 "
	       "us; copies to and from the host 2.70 ± 0.20 us.\n"
	       "======== Upper bounds: 1 of 2 rows by CUDA events; their times may include "
	       "host time, or waits for another engine or stream.\n"
	       "======== Upper bound: by events too\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	add_row("by neither", 1, 0, 0)->untimed[UNTIMED_NO_EVENT] = 1;
	closes("",
	       "======== Timing: CUPTI (2 rows by CUDA events); 4 of 6 GPU operations timed.\n"
	       "======== Not timed: left out by sampling (1), no free event (1).\n"
	       "======== Time(%) leaves out 1 operation of rows without times.\n"
	       "======== Event-pair overhead taken off: kernels, memsets and device copies 2.90 ± "
	       "0.98 "
	       "us; copies to and from the host 2.70 ± 0.20 us.\n"
	       "======== Upper bounds: 1 of 2 rows by CUDA events; their times may include "
	       "host time, or waits for another engine or stream.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
}

TEST(a_row_that_holds_host_time_is_an_upper_bound)
{
	add_row("pageable copies", 1, 0, 1)->host_included = 1;
	closes("",
	       "======== Timing: CUDA events; 1 GPU operation timed.\n"
	       "======== Upper bounds: 1 of 1 rows by CUDA events; their times may include host "
	       "time, or waits for another engine or stream.\n"
	       "======== GPU busy and idle: not known, as CUDA events say how long an operation "
	       "took and not when.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
}

/* The line is there for the rows that are shown by events; the figure for their queued pairs. */
TEST(by_how_much_queued_pairs_are_longer_is_said)
{
	static const char
		alone[] = "taken off: kernels, memsets and device copies 2.90 ± 0.06 us.",
		*more = "taken off: kernels, memsets and device copies 2.90 ± 0.06 us "
			"(and 700 ± 20 ns more for those queued behind other work); copies "
			"to and from the host 2.70 ± 0.20 us.";
	struct row *row = add_row("by events", 2, 0, 2);
	char *text;

	header->overheads[OVERHEAD_KERNEL] = (struct event_overhead){2900, 16, 30};
	header->queued = (struct event_overhead){700, 16, 10};
	/* Those of a row that CUPTI timed, and of one that holds the host's work, are not shown. */
	add_row("by CUPTI", 2, 2, 2)->queued = 2;
	text = printed(session, "--print-gpu-summary --verbose");
	assert_non_null(strstr(text, alone));
	free(text);
	row->queued = 1;
	add_row("copy", 2, 0, 2)->overhead = OVERHEAD_COPY;
	header->overheads[OVERHEAD_COPY] = (struct event_overhead){2700, 16, 100};
	text = printed(session, "--print-gpu-summary --verbose");
	assert_non_null(strstr(text, more));
	free(text);
	header->queued.pairs = 0;
	text = printed(session, "--print-gpu-summary --verbose");
	assert_null(strstr(text, "queued behind"));
	free(text);
	/* Of a program that runs it is not known yet: said where that holds for most pairs of a
	 * row. */
	row->queued = 2;
	text = printed(session, "--print-gpu-summary --verbose");
	assert_non_null(strstr(text, "Times of kernels queued behind other work by CUDA events are "
				     "too long by what such a pair of events adds, which has not "
				     "been measured."));
	free(text);
	/* Not of a row that holds the host's part, whatever rows come before it. */
	row->queued = 1;
	row = add_row("host's part", 2, 0, 2);
	row->queued = row->host_included = 2;
	text = printed(session, "--print-gpu-summary --verbose");
	assert_null(strstr(text, "queued behind"));
	free(text);
}

TEST(too_few_windows_are_not_called_too_few_calls)
{
	struct row *row = add_row("nodes", 40000, 28780, 0);

	row_set_windows(row, 40e6, NAN);
	closes("",
	       "======== Timing: CUPTI; 28,780 of 40,000 GPU operations timed; rows marked ~ are "
	       "estimates.\n"
	       "======== ~ nodes: 40.0 ms, from 28,780 of 40,000 calls; no interval: too few "
	       "recording windows.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
}

/* By events a kernel's total is that of its own launches: those of graphs are in the graphs' rows.
 */
TEST(an_estimate_says_which_calls_its_total_is_of)
{
	add_row("k", 3, 0, 2)->node_calls = 40;
	header->counters[COUNTER_graph_node_calls] = 40;
	closes("",
	       "======== Timing: CUDA events on 2 of 43 operations; rows marked ~ are estimates.\n"
	       "======== Times of kernels, memsets and device copies include the event-pair "
	       "overhead, which was not measured (a running program's is, at its end).\n"
	       "======== ~ k: 3.00 us, from 2 of 3 calls; no interval: too few samples.\n"
	       "======== Nodes of graphs: 40 launched, counted and not timed; their time is in the "
	       "graphs' rows.\n"
	       "======== GPU busy and idle: not known, as CUDA events say how long an operation "
	       "took and not when.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
}

TEST(only_so_many_estimates_are_named)
{
	char name[8];

	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "k%d", i);
		/* One runs in the body of a conditional node. */
		add_row(name, 2, 0, 1)->node_calls_estimated = i == 3;
	}
	closes("",
	       "======== Timing: CUDA events on 10 of 20 operations; rows marked ~ are estimates.\n"
	       "======== Times of kernels, memsets and device copies include the event-pair "
	       "overhead, which was not measured (a running program's is, at its end).\n"
	       "======== ~ k0: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k1: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k2: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k3: 2.00 us, from 1 of about 2 calls; no interval: too few samples.\n"
	       "======== ~ k4: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k5: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k6: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k7: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k8: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k9: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== GPU busy and idle: not known, as CUDA events say how long an operation "
	       "took and not when.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	add_row("k10", 2, 0, 1);
	closes("--top 3",
	       "======== Timing: CUDA events on 11 of 22 operations; rows marked ~ are estimates.\n"
	       "======== Times of kernels, memsets and device copies include the event-pair "
	       "overhead, which was not measured (a running program's is, at its end).\n"
	       "======== ~ k0: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k1: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k10: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== GPU busy and idle: not known, as CUDA events say how long an operation "
	       "took and not when.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	closes("",
	       "======== Timing: CUDA events on 11 of 22 operations; rows marked ~ are estimates.\n"
	       "======== Times of kernels, memsets and device copies include the event-pair "
	       "overhead, which was not measured (a running program's is, at its end).\n"
	       "======== ~ k0: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k1: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k10: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k2: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k3: 2.00 us, from 1 of about 2 calls; no interval: too few samples.\n"
	       "======== ~ k4: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k5: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k6: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k7: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ k8: 2.00 us, from 1 of 2 calls; no interval: too few samples.\n"
	       "======== ~ 1 more row.\n"
	       "======== GPU busy and idle: not known, as CUDA events say how long an operation "
	       "took and not when.\n"
	       "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
}

TEST(kept_and_lost_records_are_counted)
{
	header->counters[COUNTER_trace_records] = 1;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Trace: 1 record kept, 120 B.\n"
		   "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
	header->counters[COUNTER_trace_records] = 0;
	header->counters[COUNTER_trace_lost] = 2;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Trace: 0 of 2 records kept, 0 B.\n"
		   "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
}

TEST(the_budget_may_be_used_up_and_not_passed)
{
	header->budget_percent = 1;
	header->counters[COUNTER_wall_ns] = 100000000;
	header->counters[COUNTER_added_ns] = 1000000;
	header->counters[COUNTER_cupti_added_ns] = 1000000;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Overhead: the run took about 1.0 ms longer (1 % of 100 ms), 0 ns of "
		   "CPU in the background, 0 B.\n");
	header->counters[COUNTER_added_ns] = 1000001;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Overhead: the run took about 1.0 ms longer (1 % of 100 ms), 0 ns of "
		   "CPU in the background, 0 B.\n"
		   "======== Overhead: over the budget of 1 %.\n");
	header->counters[COUNTER_cupti_added_ns] = 1000001;
	closes("",
	       "======== Timing: no GPU operations.\n"
	       "======== Overhead: the run took about 1.0 ms longer (1 % of 100 ms), 0 ns of CPU "
	       "in the background, 0 B.\n"
	       "======== Overhead: CUPTI alone is over the budget of 1 %; with --budget CUPTI is "
	       "started only if its cost fits.\n");
	header->budget_percent = 0;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Overhead: the run took about 1.0 ms longer (1 % of 100 ms), 0 ns of "
		   "CPU in the background, 0 B.\n");
}

TEST(a_budget_of_the_users_is_accounted_for)
{
	header->budget_percent = 2;
	header->budget_given = 1;
	header->counters[COUNTER_wall_ns] = 100000000;
	header->counters[COUNTER_added_ns] = 1500000;
	header->counters[COUNTER_cupti_added_ns] = 300000;
	header->counters[COUNTER_host_ns] = 700000;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Overhead: the run took about 1.5 ms longer (1.5 % of 100 ms), 0 ns of "
		   "CPU in the background, 0 B.\n"
		   "======== Budget: 2 %; spent about 1.5 %: 0.3 % by CUPTI, 1.2 % by hooks and "
		   "event pairs; measured in the program's calls: 0.7 %.\n");
}

TEST(nodes_without_times_are_said_to_be_in_their_graphs)
{
	header->counters[COUNTER_graph_node_calls] = 1200;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Nodes of graphs: 1,200 launched, counted and not timed; their time is "
		   "in the graphs' rows.\n"
		   "======== Overhead: 0 ns of CPU in the background, 0 B.\n");
}

TEST(the_overhead_is_of_the_wall_time)
{
	header->counters[COUNTER_wall_ns] = 100000000;
	header->counters[COUNTER_added_ns] = 9460000;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Overhead: the run took about 9.5 ms longer (9.5 % of 100 ms), 0 ns of "
		   "CPU in the background, 0 B.\n");
	header->counters[COUNTER_added_ns] = 123456789;
	closes("", "======== Timing: no GPU operations.\n"
		   "======== Overhead: the run took about 123 ms longer (123 % of 100 ms), 0 ns of "
		   "CPU in the background, 0 B.\n");
	header->counters[COUNTER_added_ns] = 1200000;
	header->counters[COUNTER_host_ns] = 1500000;
	header->counters[COUNTER_threads] = 1;
	closes("--verbose",
	       "======== Timing: no GPU operations.\n"
	       "======== Overhead: the run took about 1.2 ms longer (1.2 % of 100 ms), 0 ns of CPU "
	       "in the background, 0 B.\n"
	       "======== Overhead on the program's threads: 1.5 ms in ktime, measured. Of "
	       "this about 1.2 ms delayed the run; the rest passed beside its other "
	       "work.\n");
	header->counters[COUNTER_threads] = 2;
	header->counters[COUNTER_cupti_ns] = 1500000;
	header->counters[COUNTER_cupti_standing_ns] = 100000;
	header->counters[COUNTER_gpu_ns] = 582000;
	closes("--verbose",
	       "======== Timing: no GPU operations.\n"
	       "======== Overhead: the run took about 1.2 ms longer (1.2 % of 100 ms), 0 ns of CPU "
	       "in the background, 0 B.\n"
	       "======== Overhead on the program's threads (2): 1.5 ms in ktime, measured, and 1.6 "
	       "ms in CUPTI, assumed; on the GPU: 582 us, assumed. Of this about 1.2 ms "
	       "delayed the run, in the GPU's idle time; the rest passed beside its other work.\n");
}

TEST(the_overhead_is_of_the_profiled_part_too)
{
	char *text;

	header->counters[COUNTER_wall_ns] = 4820000000;
	header->counters[COUNTER_added_ns] = 1200000;
	header->counters[COUNTER_operations_outside] = 24;
	header->uses[1] = (struct device_use){
		.first = 1000000, .last = 91000000, .excluded = 20000000, .busy = 40000000};
	text = printed(session, "--print-gpu-summary --verbose");
	assert_non_null(strstr(text, "the run took about 1.2 ms longer (0.025 % of 4.82 s; 1.7 % "
				     "of the 70.0 ms profiled), "));
	free(text);
}

TEST(as_many_notes_as_there_are)
{
	char *text, note[16];

	for (int i = 1; i <= SESSION_NOTES; i++)
		session_note(session, "note %d.", i);
	text = printed(session, "--print-gpu-summary --verbose");
	for (int i = 1; i <= SESSION_NOTES; i++) {
		snprintf(note, sizeof(note), "= note %d.\n", i);
		assert_non_null(strstr(text, note));
	}
	free(text);
}

/* What a report says below the table by default. */
static void briefly(const char *expected)
{
	char *text = printed(session, "--print-gpu-summary"),
	     *line = strstr(text, "======== Note: ");

	assert_string_equal(line ? line : "", expected);
	free(text);
}

TEST(a_run_in_order_has_no_note)
{
	add_row("k", 2, 2, 0);
	header->counters[COUNTER_wall_ns] = 100000000;
	header->counters[COUNTER_added_ns] = 999999;
	briefly("");
	header->counters[COUNTER_added_ns] = 1000000;
	briefly("======== Note: ktime made the run about 1 % longer.\n");
	header->counters[COUNTER_added_ns] = 6000000;
	header->budget_percent = 5;
	briefly("======== Note: ktime made the run about 6 % longer, more than its budget.\n");
}

TEST(what_is_not_as_it_should_be_is_one_line)
{
	add_row("lost", 1200, 0, 0)->untimed[UNTIMED_RING_FULL] = 1200;
	briefly("======== Note: 1,200 of 1,200 operations not timed (ring full).\n");
	header->counters[COUNTER_cupti_dropped] = 3;
	session_note(session, "CUPTI was late.");
	session_note(session, "Nobody knows why.");
	briefly("======== Note: 1,200 of 1,200 operations not timed (ring full); activity records "
		"dropped by CUPTI (3). CUPTI was late. (1 more: --verbose)\n");
}

TEST(a_sample_has_an_interval_and_a_bound_has_none)
{
	struct row *row = add_row("sampled", 100, 0, 50);
	char *text;

	row->overhead = OVERHEAD_KINDS;
	add_row("bound", 100, 0, 50)->overhead = OVERHEAD_KINDS;
	session_row(session, ROW_KERNEL, "bound", 0)->may_wait = 50;
	text = printed(session, "--print-gpu-summary");
	assert_non_null(strstr(text, "~100.00us         ?       100  1.0000us"));
	assert_non_null(strstr(text, "≤100.00us                 100  1.0000us"));
	assert_non_null(strstr(text,
			       "======== Note: ~ marks estimates from a sample, ± half their 95 % "
			       "interval; ≤ marks upper bounds: times by events that may "
			       "include host time or waits (exact ones: "));
	free(text);
	text = printed(session, "--print-gpu-summary --format nvprof");
	assert_null(strstr(text, "±"));
	free(text);
}
