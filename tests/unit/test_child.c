/* SPDX-License-Identifier: MIT */
/* The ktime command stands for the program that it runs: signals, terminal, status. */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/command/commands.h"
#include "tests/unit/test.h"

static int events[2]; /* a byte for each signal that the program got, 0 once it is ready */

static void note_signal(int number)
{
	char byte = (char)number;

	if (write(events[1], &byte, 1) != 1)
		_exit(99);
	/* So that no program stays behind. */
	if (number == SIGTERM)
		_exit(0);
}

static void wait_for_signals(void)
{
	note_signal(0);
	for (;;)
		pause();
}

/* One after the other: of two handlers at once the later one would write first. */
static void handle(const int *signals)
{
	struct sigaction action = {.sa_handler = note_signal};

	sigfillset(&action.sa_mask);
	for (; *signals; signals++)
		sigaction(*signals, &action, NULL);
}

/* What ktime does around a program; never returns. */
static void stand_for(void (*program)(void))
{
	struct child child;
	int forked = child_fork(&child);

	if (forked == 0) {
		program();
		_exit(98);
	}
	_exit(forked < 0 ? 97 : child_end_alike(child_wait(&child)));
}

static pid_t start(void (*program)(void))
{
	pid_t ktime = fork();

	assert_true(ktime >= 0);
	if (ktime == 0)
		stand_for(program);
	return ktime;
}

static int next_event(void)
{
	char byte;

	assert_int_equal(read(events[0], &byte, 1), 1);
	return byte;
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

BEFORE_EACH
{
	assert_int_equal(pipe(events), 0);
}

AFTER_EACH
{
	assert_int_equal(close(events[0]) || close(events[1]), 0);
}

static void leave_with_37(void)
{
	_exit(37);
}

static void die_by_SIGKILL(void)
{
	raise(SIGKILL);
}

static void die_by_SIGSEGV(void)
{
	const struct rlimit none = {0};

	setrlimit(RLIMIT_CORE, &none);
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

TEST(the_end_is_the_programs)
{
	int status;

	status = status_of(start(leave_with_37));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 37);
	status = status_of(start(die_by_SIGKILL));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	status = status_of(start(die_by_SIGSEGV));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_false(WCOREDUMP(status));
}

static const int passed_on[] = {SIGHUP,	  SIGINT,  SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT,
				SIGWINCH, SIGTSTP, SIGALRM, SIGPOLL, SIGPWR,  35,
				64,	  SIGTERM, 0}; /* the last ends it; 35 and 64 are real-time
							  signals */

static void count_all(void)
{
	handle(passed_on);
	wait_for_signals();
}

TEST(a_signal_to_ktime_reaches_the_program_once)
{
	pid_t ktime = start(count_all);

	assert_int_equal(next_event(), 0);
	for (const int *signal = passed_on; *signal; signal++) {
		assert_int_equal(kill(ktime, *signal), 0);
		assert_int_equal(next_event(), *signal);
	}
	assert_int_equal(status_of(ktime), 0);
}

static void wait_by_default(void)
{
	wait_for_signals();
}

TEST(a_signal_ends_both)
{
	pid_t ktime = start(wait_by_default);
	int status;

	assert_int_equal(next_event(), 0);
	assert_int_equal(kill(ktime, SIGTERM), 0);
	status = status_of(ktime);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void tell_parent(void)
{
	handle(passed_on);
	kill(getppid(), SIGUSR1);
	wait_for_signals();
}

TEST(what_the_program_sends_does_not_come_back)
{
	pid_t ktime = start(tell_parent);

	assert_int_equal(next_event(), 0);
	kill(ktime, SIGUSR2);
	assert_int_equal(next_event(), SIGUSR2);
	kill(ktime, SIGTERM);
	assert_int_equal(next_event(), SIGTERM);
	assert_int_equal(status_of(ktime), 0);
}

static void check_actions(void)
{
	struct sigaction action;
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	if (!sigismember(&mask, SIGUSR1) || sigismember(&mask, SIGTERM) ||
	    sigismember(&mask, SIGCHLD) || sigismember(&mask, SIGTTOU))
		_exit(1);
	if (sigaction(SIGHUP, NULL, &action) || action.sa_handler != SIG_IGN)
		_exit(2);
	if (sigaction(SIGCHLD, NULL, &action) || action.sa_handler != SIG_IGN)
		_exit(3);
	if (sigaction(SIGTERM, NULL, &action) || action.sa_handler != SIG_DFL)
		_exit(4);
	_exit(5);
}

TEST(the_program_has_its_signals_as_they_were)
{
	pid_t ktime = fork();
	sigset_t blocked;
	int status;

	assert_true(ktime >= 0);
	if (ktime == 0) {
		/* As nohup and some shells leave them. */
		signal(SIGHUP, SIG_IGN);
		signal(SIGCHLD, SIG_IGN);
		sigemptyset(&blocked);
		sigaddset(&blocked, SIGUSR1);
		sigprocmask(SIG_BLOCK, &blocked, NULL);
		stand_for(check_actions);
	}
	status = status_of(ktime);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
}

static const int counted[] = {SIGINT, SIGUSR1, 0};

static void count_interrupts(void)
{
	handle(counted);
	wait_for_signals();
}

/*
 * As a shell with job control: the program in a process group of its own, in the foreground of a
 * terminal. Returns in a child whose exit status says how it went.
 */
static pid_t start_on_terminal(int *terminal, void (*program)(void))
{
	int slave;
	pid_t ktime;

	*terminal = posix_openpt(O_RDWR | O_NOCTTY);
	if (*terminal < 0 || grantpt(*terminal) || unlockpt(*terminal) || setsid() < 0)
		_exit(10);
	/* The first terminal that a leader of a session opens is its own. */
	slave = open(ptsname(*terminal), O_RDWR);
	if (slave < 0)
		_exit(11);
	signal(SIGTTOU, SIG_IGN);
	ktime = fork();
	if (ktime == 0) {
		signal(SIGTTOU, SIG_DFL);
		setpgid(0, 0);
		stand_for(program);
	}
	setpgid(ktime, ktime);
	if (ktime < 0 || tcsetpgrp(slave, ktime))
		_exit(12);
	return ktime;
}

static void expect_event(int expected, int failure)
{
	char byte;

	if (read(events[0], &byte, 1) != 1 || byte != expected)
		_exit(failure);
}

static void interrupt_on_terminal(void)
{
	int terminal;
	pid_t ktime = start_on_terminal(&terminal, count_interrupts);

	expect_event(0, 13);
	/* ktime sees the interrupt only after the program has handled it: two would not become one.
	 */
	kill(ktime, SIGSTOP);
	waitpid(ktime, NULL, WUNTRACED);
	if (write(terminal, "\003", 1) != 1)
		_exit(14);
	expect_event(SIGINT, 15);
	kill(ktime, SIGCONT);
	/* Had ktime passed the interrupt on, that would come first. */
	kill(ktime, SIGUSR1);
	expect_event(SIGUSR1, 16);
	kill(-ktime, SIGKILL);
	waitpid(ktime, NULL, 0);
	_exit(0);
}

static void stop_on_terminal(void)
{
	int terminal, status;
	pid_t ktime = start_on_terminal(&terminal, count_interrupts);

	expect_event(0, 13);
	if (write(terminal, "\032", 1) != 1)
		_exit(14);
	if (waitpid(ktime, &status, WUNTRACED) != ktime || !WIFSTOPPED(status))
		_exit(15);
	kill(-ktime, SIGCONT);
	kill(ktime, SIGUSR1);
	expect_event(SIGUSR1, 16);
	kill(ktime, SIGTERM);
	if (waitpid(ktime, &status, WUNTRACED) != ktime || !WIFSIGNALED(status))
		_exit(17);
	_exit(0);
}

static void in_a_session(void (*driver)(void))
{
	pid_t session = fork();

	assert_true(session >= 0);
	if (session == 0)
		driver();
	assert_int_equal(status_of(session), 0);
}

TEST(a_terminals_interrupt_comes_once)
{
	in_a_session(interrupt_on_terminal);
}

TEST(ktime_stops_with_the_program_and_goes_on)
{
	in_a_session(stop_on_terminal);
}
