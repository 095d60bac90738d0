/* SPDX-License-Identifier: MIT */
/* --cross-check: where the clocks are said to agree, and the reason given where they do not. */
#include "tests/unit/printed.h"
#include "tests/unit/one_session.h"

BEFORE_EACH
{
	header->overheads[OVERHEAD_KERNEL] = (struct event_overhead){2900, 16, 10};
}

/* A row of four calls that both clocks timed; a pair as it was read holds 2.9 us more. */
static struct row *checked_row(const char *name, uint64_t cupti, uint64_t events)
{
	struct row *row = session_row(session, ROW_KERNEL, name, 0);

	assert_non_null(row);
	for (int i = 0; i < 4; i++) {
		session_add_sample(session, &row->cupti, cupti);
		session_add_sample(session, &row->events, events);
		session_add_difference(session, row,
				       events > cupti ? events - cupti : cupti - events);
	}
	row->calls = 5;
	row->checked = 4;
	row->checked_cupti = 4 * cupti;
	row->checked_raw = 4 * (events + 2900);
	row->checked_events = 4 * events;
	return row;
}

static void prints(const char *words, const char *expected)
{
	char *text = printed(session, words), *table = strstr(text, "Clocks");

	while (table && table > text && table[-1] != '\n')
		table--;
	assert_non_null(table);
	assert_string_equal(table, expected);
	free(text);
}

TEST(reasons_are_given_by_most_of_the_calls)
{
	struct row *row = checked_row("most overlapped", 100000, 150000);

	row->checked_overlapped = 3;
	row->host_included = 1;
	row = checked_row("host work", 100000, 150000);
	row->checked_overlapped = 2;
	row->host_included = 1;
	checked_row("some overlapped", 100000, 150000)->checked_overlapped = 1;
	checked_row("some waited", 100000, 150000)->waited = 1;
	row = checked_row("most beside", 100000, 150000);
	row->checked_overlapped = 1;
	row->beside = row->events.count / 2 + 1;
	checked_row("half beside", 100000, 150000)->beside = row->events.count / 2;
	row = session_row(session, ROW_KERNEL, "all waited", 0);
	row->calls = row->waited = 2;
	checked_row("overhead not known", 100000, 150000)->overhead = OVERHEAD_COPY;
	prints("--quiet --print-gpu-summary --csv --cross-check",
	       "\"Clocks\",\"Calls\",\"Checked\",\"CUPTI Avg\",\"Events Raw\",\"Events "
	       "Avg\",\"Difference\",\"Median Difference\",\"Name\",\"Reason\"\n"
	       ",,,ns,ns,ns,ns,ns,,\n"
	       "\"disagree\",5,4,100000,152900,150000,50000,49663,\"most overlapped\",\"operations "
	       "overlapped; the events' time includes waiting for others\"\n"
	       "\"disagree\",5,4,100000,152900,150000,50000,49663,\"host work\",\"the events' time "
	       "includes the host's part of the copy\"\n"
	       "\"disagree\",5,4,100000,152900,150000,50000,49663,\"some overlapped\",\"operations "
	       "overlapped; the events' time includes waiting for others\"\n"
	       "\"disagree\",5,4,100000,152900,150000,50000,49663,\"some waited\",\"reason "
	       "unknown\"\n"
	       "\"disagree\",5,4,100000,152900,150000,50000,49663,\"most beside\",\"other streams "
	       "had calls at the same time; the events' time includes waiting for them\"\n"
	       "\"disagree\",5,4,100000,152900,150000,50000,49663,\"half beside\",\"reason "
	       "unknown\"\n"
	       "\"unchecked\",2,0,,,,,,\"all waited\",\"event pairs include "
	       "a wait for the host or another engine\"\n"
	       "\"unchecked\",5,4,100000,152900,150000,50000,49663,\"overhead not known\",\"the "
	       "event-pair overhead was not measured\"\n");
}

/* Pairs that hold more than was taken off, as nobody knows by how much. */
TEST(queued_pairs_are_the_reason_if_what_they_hold_is_not_known)
{
	static const char reason[] =
		"\"operations were queued behind others; how much longer that makes their event "
		"pairs was not measured\"\n";
	char expected[512], *text;
	struct row *row;

	checked_row("most queued", 10000, 10700)->queued = 3;
	checked_row("half queued", 10000, 10700)->queued = 2;
	checked_row("events shorter", 10000, 9300)->queued = 4;
	row = checked_row("copies", 10000, 10700);
	row->overhead = OVERHEAD_COPY;
	row->queued = 4;
	session_header(session)->overheads[OVERHEAD_COPY] = (struct event_overhead){2900, 16, 10};
	row = checked_row("some overlapped", 10000, 10700);
	row->checked_overlapped = 1;
	row->queued = 4;
	row = checked_row("beside too", 10000, 10700);
	row->beside = 3;
	row->queued = 4;
	snprintf(expected, sizeof(expected),
		 "\"disagree\",5,4,10000,13600,10700,700,695,\"most queued\",%s"
		 "\"disagree\",5,4,10000,13600,10700,700,695,\"half queued\",\"reason unknown",
		 reason);
	text = printed(session, "--quiet --print-gpu-summary --csv --cross-check");
	assert_non_null(strstr(text, expected));
	assert_non_null(strstr(text, "\"events shorter\",\"reason unknown"));
	assert_non_null(strstr(text, "\"copies\",\"reason unknown"));
	assert_non_null(strstr(text, "\"beside too\",\"other streams"));
	snprintf(expected, sizeof(expected), "\"some overlapped\",%s", reason);
	assert_non_null(strstr(text, expected));
	free(text);
	session_header(session)->queued = (struct event_overhead){700, 16, 10};
	text = printed(session, "--quiet --print-gpu-summary --csv --cross-check");
	assert_null(strstr(text, "queued behind"));
	free(text);
}

TEST(clocks_agree_up_to_a_fifth_of_a_microsecond_or_two_percent)
{
	checked_row("a fifth", 100, 300);
	checked_row("more than that", 100, 301);
	checked_row("two percent", 100000, 102000);
	checked_row("two percent less", 100000, 98000);
	checked_row("more than two", 100000, 102001);
	checked_row("more than two less", 100000, 97999);
	session_row(session, ROW_KERNEL, "not checked", 0)->calls = 7;
	prints("--quiet --print-gpu-summary --csv --cross-check",
	       "\"Clocks\",\"Calls\",\"Checked\",\"CUPTI Avg\",\"Events Raw\",\"Events "
	       "Avg\",\"Difference\",\"Median Difference\",\"Name\",\"Reason\"\n"
	       ",,,ns,ns,ns,ns,ns,,\n"
	       "\"agree\",5,4,100,3200,300,200,201,\"a fifth\",\"\"\n"
	       "\"disagree\",5,4,100,3201,301,201,201,\"more than that\",\"reason unknown\"\n"
	       "\"agree\",5,4,100000,104900,102000,2000,1999,\"two percent\",\"\"\n"
	       "\"agree\",5,4,100000,100900,98000,2000,1999,\"two percent less\",\"\"\n"
	       "\"disagree\",5,4,100000,104901,102001,2001,1999,\"more than two\",\"reason "
	       "unknown\"\n"
	       "\"disagree\",5,4,100000,100899,97999,2001,1999,\"more than two less\",\"reason "
	       "unknown\"\n"
	       "\"unchecked\",7,0,,,,,,\"not checked\",\"\"\n");
}

TEST(the_difference_in_the_middle_is_shown)
{
	static const uint64_t differences[] = {10, 20, 30, 4000};
	struct row *row = session_row(session, ROW_KERNEL, "k", 0);
	char *text;

	for (int i = 0; i < 4; i++) {
		session_add_sample(session, &row->cupti, 10000);
		session_add_sample(session, &row->events, 10000 + differences[i]);
		session_add_difference(session, row, differences[i]);
	}
	row->calls = row->checked = 4;
	row->checked_cupti = 40000;
	row->checked_raw = 55660;
	row->checked_events = 44060;
	session_header(session)->counters[COUNTER_operations] = 4;
	prints("--quiet --print-gpu-summary --csv --cross-check",
	       "\"Clocks\",\"Calls\",\"Checked\",\"CUPTI Avg\",\"Events Raw\",\"Events "
	       "Avg\",\"Difference\",\"Median Difference\",\"Name\",\"Reason\"\n"
	       ",,,ns,ns,ns,ns,ns,,\n"
	       "\"disagree\",4,4,10000,13915,11015,1015,20,\"k\",\"reason unknown\"\n");
	text = printed(session, "--verbose --print-gpu-summary");
	assert_non_null(strstr(
		text,
		"4 operations timed by both CUPTI and CUDA events, median difference 20 ns.\n"));
	assert_non_null(strstr(text, "largest difference 1.0 us (10 %), k (reason unknown); the "
				     "table has CUPTI's time.\n"));
	free(text);
}
