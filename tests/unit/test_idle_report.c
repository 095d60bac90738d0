/* SPDX-License-Identifier: MIT */
/* The lines and the table that say how busy the devices were, and why they were idle. */
#include "tests/unit/printed.h"
#include "tests/unit/one_session.h"

#define MS 1000000ull

static void cause(enum idle_cause cause, const char *function, uint32_t thread, uint64_t gaps,
		  uint64_t each)
{
	struct idle_row key = {.cause = cause,
			       .name = *function ? session_intern(session, function) : 0,
			       .thread = thread};
	struct idle_row *row = session_idle_row(session, &key);

	assert_non_null(row);
	for (uint64_t i = 0; i < gaps; i++)
		session_add_idle(row, each, session_intern(session, "_Z5saxpyifPKfPf"),
				 session_intern(session, "[CUDA memcpy HtoD]"));
}

BEFORE_EACH
{
	header->counters[COUNTER_wall_ns] = 1000 * MS;
	header->uses[0] = (struct device_use){.first = 50 * MS,
					      .last = 1050 * MS,
					      .busy = 631 * MS,
					      .kernels = 602 * MS,
					      .copies = 41 * MS,
					      .contexts = 1};
	cause(IDLE_PROGRAM, "", 10, 100, 21 * MS / 10);
	cause(IDLE_AFTER_WAIT, "", 10, 1, 94 * MS);
	cause(IDLE_LATENCY, "", 10, 50, 41 * MS / 50);
	cause(IDLE_CALL, "cudaMalloc", 10, 2, 12 * MS);
}

static void prints(const char *words, const char *expected)
{
	char *text = printed(session, words);

	if (!strstr(text, expected))
		assert_string_equal(text, expected);
	free(text);
}

TEST(the_share_of_a_longer_run_and_several_contexts_are_said)
{
	struct session_header *header = session_header(session);

	header->counters[COUNTER_wall_ns] = 2000 * MS;
	header->uses[0].contexts = 2;
	header->uses[0].copies = 0;
	header->uses[0].kernels = header->uses[0].busy;
	prints("--verbose",
	       "======== GPU 0: busy 63.1 % of 1.00 s (kernels 63.1 %); idle 36.9 %; of the whole "
	       "run (2.00 s) busy 31.6 %.\n"
	       "======== GPU 0: several contexts share it, which take turns: busy is the time in "
	       "which any of them worked.\n");
}

/* 0.05 % are shown as 0.1 %. */
TEST(causes_that_are_not_named_are_said_from_half_a_tenth_of_a_percent_on)
{
	struct device_use *use = &session_header(session)->uses[0];

	use->busy -= MS / 4;
	prints("", ", 2.4 % cudaMalloc.\n");
	use->busy -= MS / 2;
	prints("", ", 2.4 % cudaMalloc, 0.1 % other causes.\n");
}

TEST(a_name_reaches_the_terminal_as_text_alone)
{
	cause(IDLE_CALL, "cuda\033[31mFree", 10, 1, 20 * MS);
	prints("", ", 2.4 % cudaMalloc, 2.0 % cuda\\x1b[31mFree.\n");
}

TEST(what_lost_records_leave_out_is_a_bound)
{
	session_header(session)->counters[COUNTER_cupti_dropped] = 3;
	prints("--verbose", "======== GPU 0: busy at least 63.1 % of 1.00 s (");
}

TEST(time_outside_the_profiling_window_is_no_part_of_it)
{
	session_header(session)->uses[0].excluded = 200 * MS;
	prints("--verbose", "======== GPU 0: busy 78.9 % of 800 ms (");
}

TEST(the_table_says_which_thread_is_the_main_one)
{
	struct session_header *header = session_header(session);
	char expected[64];

	cause(IDLE_LATENCY, "", (uint32_t)header->pid, 1, MS);
	snprintf(expected, sizeof(expected), "\nbefore operations of thread %d (main):\n",
		 (int)header->pid);
	prints("--idle", "\nbefore operations of thread 10:\n");
	prints("--idle", expected);
}

TEST(what_is_not_known_of_idle_time_is_said_and_what_tells_it)
{
	struct session_header *header = session_header(session);

	header->uses[1] = header->uses[0];
	prints("--idle",
	       "\nGPU 1 idle: 369 ms of 1.00 s\n"
	       "  The causes are not known yet: ktime works them out some operations later.\n");
	header->counters[COUNTER_windows] = 1;
	header->cupti_active = 1;
	prints("--idle", "\nIdle time: not known, as CUPTI's recording windows tell too little. "
			 "What tells it: of a "
			 "program that runs, ktime window PID 5s --trace gpu,api -o FILE.\n");
	header->timer = TIMER_EVENTS;
	prints("--idle", " What tells it: a run without --timer events.\n");
}

TEST(by_default_one_line_says_how_busy_and_why_not)
{
	prints("",
	       "======== Finding: the GPU was idle, 369 ms of the GPU's 1.00 s, 210 ms of it while "
	       "the "
	       "program was between CUDA calls: do the program's own work in another thread, or "
	       "larger batches. (1 more: --verbose)\n"
	       "======== GPU 0: busy 63.1 % of 1.00 s; idle 36.9 %: 30.4 % the program between "
	       "CUDA calls (9.4 % after a synchronizing call), 4.1 % launch latency, 2.4 % "
	       "cudaMalloc.\n");
	header->uses[1] = header->uses[0];
	header->uses[1].busy = 1000 * MS;
	prints("", "======== GPU 0 busy 63.1 %, 1 busy 100.0 % (--verbose: why they were idle).\n");
}
