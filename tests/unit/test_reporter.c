/* SPDX-License-Identifier: MIT */
/* What the second thread does after a signal: how long the collector has for its report, who prints
 * otherwise, and how the process ends. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/base/background_thread.h"
#include "preload/base/default_action.h"
#include "preload/base/lifecycle_state.h"
#include "preload/collector/collector.h"
#include "preload/events/gates.h"
#include "preload/reporter/reporter.h"

#define MS 1000000ull

/* What was done, in order; one word each. Shared with the processes that the tests make. */
static char done[500];
static void *(*run)(void *);
static int thread_error;
static void (*gates_wake)(void);
/* How often the collector is asked before it has finished; and whether the report is written. */
static unsigned unfinished;
static bool written, gates_in_use;
static uint64_t limits[4];
static unsigned limit_count;

static void note(const char *word)
{
	strcat(done, *done ? " " : "");
	strcat(done, word);
}

static void is(const char *expected)
{
	assert_string_equal(done, expected);
	done[0] = '\0';
}

int background_thread_start(void *(*the_run)(void *), const char *name)
{
	assert_true(strncmp(name, "ktime", 5) == 0);
	run = the_run;
	return thread_error;
}

void gate_start_watch(void (*wake)(void))
{
	gates_wake = wake;
}

static void (*at_watch)(void);

bool gate_watch(uint64_t now)
{
	assert_true(now > 0);
	note("watch");
	if (at_watch)
		at_watch();
	return gates_in_use;
}

void gate_open_all(void)
{
	note("open");
}

void collector_ask_finish(bool soon)
{
	note(soon ? "soon" : "late");
}

bool collector_wait_finished(uint64_t end)
{
	note("wait");
	if (limit_count < 4)
		limits[limit_count++] = end;
	if (!unfinished)
		return true;
	unfinished--;
	return false;
}

static const struct log_file log;
static const struct reporter_output *written_to;
static uint64_t written_until;

void last_report_write(const struct reporter_output *output, uint64_t end)
{
	written_to = output;
	written_until = end;
	note("print");
}

bool last_report_is_written(void)
{
	return written;
}

void prometheus_file_end(void)
{
	note("prometheus_end");
}

void lifecycle_survived(void)
{
	note("survived");
}

/* In place of log_file_is_stream(), which knows descriptor 2 by what it was at the start. */
bool __wrap_log_file_is_stream(int descriptor);
static bool is_stream = true;

bool __wrap_log_file_is_stream(int descriptor)
{
	assert_int_equal(descriptor, STDERR_FILENO);
	return is_stream;
}

static int pipe_ends[2];

static const char *said(void)
{
	static char text[600];
	ssize_t length = read(pipe_ends[0], text, sizeof(text) - 1);

	text[length > 0 ? length : 0] = '\0';
	return text;
}

static void start(const char *kept)
{
	const struct reporter_output output = {.log = &log, .kept = kept};

	assert_int_equal(reporter_start(&output), 0);
}

/* Each test has a process of its own; the signal that ends it, or 0. */
static int end_of(void (*body)(void))
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	assert_int_equal(WEXITSTATUS(status), 0);
	return 0;
}

#define TEST(name, signal)                                                                         \
	static void name##_body(void);                                                             \
	static void name(void **state)                                                             \
	{                                                                                          \
		(void)state;                                                                       \
		assert_int_equal(end_of(name##_body), signal);                                     \
	}                                                                                          \
	static void name##_body(void)

static unsigned milliseconds;

TEST(only_the_first_signal_is_taken, 0)
{
	start(NULL);
	/* A wait for the report has an end. */
	reporter_wait(1);
	assert_true(reporter_ask(SIGTERM, &milliseconds));
	milliseconds = 99;
	assert_false(reporter_ask(SIGINT, &milliseconds));
	assert_true(milliseconds < 60000);
	poll(NULL, 0, 30);
	assert_false(reporter_ask(SIGINT, &milliseconds));
	assert_true(milliseconds >= 30);
}

/* A fault ends the process in its handler: the thread's function returns. */
TEST(the_collector_has_300_ms_for_its_report, 0)
{
	start(NULL);
	assert_true(reporter_ask(SIGSEGV, &milliseconds));
	run(NULL);
	is("open soon wait survived");
	/* Whoever waits goes on at once. */
	reporter_wait(1000000);
	assert_int_equal(limit_count, 1);
	assert_true(reporter_claim());
	assert_false(reporter_claim());
}

TEST(then_the_reporter_prints_for_the_rest_of_a_second, 0)
{
	start("kept");
	unfinished = 1;
	written = true;
	assert_true(reporter_ask(SIGSEGV, &milliseconds));
	run(NULL);
	is("open soon wait print prometheus_end survived");
	assert_int_equal(written_until - limits[0], 700 * MS);
	assert_ptr_equal(written_to->log, &log);
}

TEST(a_report_that_the_collector_has_begun_is_waited_for, 0)
{
	start(NULL);
	unfinished = 1;
	assert_true(reporter_claim());
	assert_true(reporter_ask(SIGSEGV, &milliseconds));
	run(NULL);
	is("open soon wait wait survived");
	assert_int_equal(limits[1] - limits[0], 700 * MS);
}

TEST(without_a_report_the_profile_that_is_kept_is_named, 0)
{
	char expected[200];

	assert_int_equal(pipe2(pipe_ends, O_NONBLOCK), 0);
	assert_int_equal(dup2(pipe_ends[1], STDERR_FILENO), STDERR_FILENO);
	start("/tmp/profile");
	reporter_print();
	is("print prometheus_end");
	snprintf(expected, sizeof(expected),
		 "==%d== ktime: no report could be printed; the profile is kept: ktime show "
		 "/tmp/profile\n",
		 getpid());
	assert_string_equal(said(), expected);
	/* So too if it is another's and hangs. */
	unfinished = 1;
	reporter_print();
	is("wait");
	assert_string_equal(said(), expected);
	reporter_print();
	is("wait");
	assert_string_equal(said(), "");
	unfinished = 1;
	written = true;
	reporter_print();
	assert_string_equal(said(), "");
	/* What the program has opened as descriptor 2 is not written into. */
	unfinished = 1;
	written = is_stream = false;
	reporter_print();
	assert_string_equal(said(), "");
}

TEST(a_signal_ends_the_process_as_it_would_have, SIGTERM)
{
	start(NULL);
	assert_true(reporter_ask(SIGTERM, &milliseconds));
	run(NULL);
}

static void *ask_and_end(void *unused)
{
	(void)unused;
	reporter_ask(SIGUSR1, &milliseconds);
	return NULL;
}

TEST(also_where_the_thread_that_it_came_to_has_ended, SIGUSR1)
{
	pthread_t thread;

	start(NULL);
	assert_int_equal(pthread_create(&thread, NULL, ask_and_end, NULL), 0);
	pthread_join(thread, NULL);
	run(NULL);
	_exit(1);
}

/* As if the thread had blocked it since. */
TEST(also_where_the_thread_that_it_came_to_blocks_it, SIGUSR1)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	start(NULL);
	assert_true(reporter_ask(SIGUSR1, &milliseconds));
	run(NULL);
	_exit(1);
}

static unsigned watches;

static void ask_at_the_third(void)
{
	if (++watches < 3)
		gates_wake();
	else
		reporter_ask(SIGSEGV, &milliseconds);
}

TEST(gates_wake_it, 0)
{
	start(NULL);
	assert_non_null(gates_wake);
	at_watch = ask_at_the_third;
	run(NULL);
	is("watch watch watch open soon wait survived");
}

static void ask_at_the_tenth(void)
{
	if (++watches == 10)
		reporter_ask(SIGSEGV, &milliseconds);
}

TEST(while_gates_are_in_use_it_watches_by_itself, 0)
{
	start(NULL);
	gates_in_use = true;
	at_watch = ask_at_the_tenth;
	run(NULL);
	assert_int_equal(watches, 10);
}

TEST(without_its_thread_gates_are_not_watched, 0)
{
	thread_error = -EAGAIN;
	assert_int_equal(reporter_start(&(struct reporter_output){.log = &log}), -EAGAIN);
	assert_null(gates_wake);
}

static void which_signals_end_a_process_by_default(void **state)
{
	(void)state;
	assert_true(default_action_ends(SIGHUP));
	assert_true(default_action_ends(SIGSYS));
	assert_false(default_action_ends(SIGCHLD));
	assert_false(default_action_ends(0));
	assert_true(default_action_ends(SIGPOLL) && default_action_ends(SIGXFSZ));
	/* glibc has 32 and 33. */
	assert_false(default_action_ends(33));
	assert_true(default_action_ends(SIGRTMIN) && default_action_ends(SIGRTMAX));
	assert_false(default_action_ends(SIGRTMAX + 1));
	assert_false(default_action_ends(SIGPIPE) || default_action_ends(SIGTRAP));
	assert_false(default_action_ends(SIGPROF) || default_action_ends(SIGVTALRM));
	assert_true(default_action_is_fault(SIGSEGV) && default_action_is_fault(SIGBUS));
	assert_true(default_action_is_fault(SIGILL) && default_action_is_fault(SIGFPE));
	assert_true(default_action_is_fault(SIGABRT) && default_action_is_fault(SIGSYS));
	assert_false(default_action_is_fault(SIGTERM));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_first_signal_is_taken),
		cmocka_unit_test(the_collector_has_300_ms_for_its_report),
		cmocka_unit_test(then_the_reporter_prints_for_the_rest_of_a_second),
		cmocka_unit_test(a_report_that_the_collector_has_begun_is_waited_for),
		cmocka_unit_test(without_a_report_the_profile_that_is_kept_is_named),
		cmocka_unit_test(a_signal_ends_the_process_as_it_would_have),
		cmocka_unit_test(also_where_the_thread_that_it_came_to_has_ended),
		cmocka_unit_test(also_where_the_thread_that_it_came_to_blocks_it),
		cmocka_unit_test(gates_wake_it),
		cmocka_unit_test(while_gates_are_in_use_it_watches_by_itself),
		cmocka_unit_test(without_its_thread_gates_are_not_watched),
		cmocka_unit_test(which_signals_end_a_process_by_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
