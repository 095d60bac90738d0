/* SPDX-License-Identifier: MIT */
/*
 * Works the device and ends in a way after which no report is printed by the usual means:
 * raw        by the system call itself
 * overflow   by a fault for which there is no stack left
 * daemon     as a daemon, whose standard streams are /dev/null; the first process has ended before
 * goes_on    so, after two forks, some time apart, and once the file that is named next is there
 * data       after its standard error was closed and its data file has got the number
 * waits      after a line on its standard input
 * files      when it may open no file any more
 * cut        after its profile, the file named next, was cut to nothing, and more work
 * gives_up   after it gave up root's rights, and more work
 * other      by SIGKILL, having become another user before its work
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

static const char *profile; /* or another file */

static void work(void)
{
	CUfunction kernel;

	check_context();
	kernel = check_kernel("first");
	for (int i = 0; i < 10; i++)
		check_launch(kernel, NULL);
	CHECK(cuCtxSynchronize());
}

static void end_raw(void)
{
	work();
	wait_for_ktime_at_rest();
	syscall(SYS_exit_group, 3);
}

static int recurse(volatile char *above)
{
	volatile char here[4096];

	here[0] = above[0];
	return here[0] ? 0 : recurse(here) + here[0];
}

static void end_by_overflow(void)
{
	char start = 0;

	work();
	wait_for_ktime_at_rest();
	recurse(&start);
}

static void end_as_daemon(void)
{
	if (daemon(1, 0))
		exit(1);
	work();
}

static void end_as_daemon_of_two_forks(void)
{
	const char *file = profile;

	if (fork() > 0)
		_exit(3);
	setsid();
	/* ktime may see it, and must not take it for the daemon. */
	usleep(200000);
	if (fork() > 0)
		_exit(0);
	for (int stream = 0; stream < 3; stream++)
		close(stream);
	alarm(60); /* nobody else ends it where its test fails before the file is made */
	while (access(file, F_OK))
		usleep(10000);
	work();
}

static void end_with_data(void)
{
	close(STDERR_FILENO);
	if (open("data", O_CREAT | O_WRONLY, 0600) != STDERR_FILENO)
		exit(1);
	work();
}

static void end_after_a_line(void)
{
	char byte;

	work();
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
		;
}

static void end_without_descriptors(void)
{
	const struct rlimit none = {.rlim_cur = 0, .rlim_max = 0};

	work();
	if (setrlimit(RLIMIT_NOFILE, &none))
		exit(1);
}

static void end_after_a_cut(void)
{
	char path[4096];

	work();
	/* That of -o has no number. */
	snprintf(path, sizeof(path), "%s.%d", profile, (int)getpid());
	if (truncate(path, 0) && truncate(profile, 0))
		exit(1);
	for (int i = 0; i < 100; i++) {
		check_launch(check_kernel("first"), NULL);
		check_launch(check_kernel("second"), NULL);
	}
	CHECK(cuCtxSynchronize());
}

static void become_nobody(void)
{
	if (setgid(65534) || setuid(65534))
		exit(1);
}

static void end_without_rights(void)
{
	work();
	become_nobody();
	work();
}

static void end_as_other(void)
{
	become_nobody();
	work();
	wait_for_ktime_at_rest();
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*end)(void);
	} ways[] = {{"raw", end_raw},	       {"overflow", end_by_overflow},
		    {"daemon", end_as_daemon}, {"goes_on", end_as_daemon_of_two_forks},
		    {"data", end_with_data},   {"waits", end_after_a_line},
		    {"cut", end_after_a_cut},  {"gives_up", end_without_rights},
		    {"other", end_as_other},   {"files", end_without_descriptors}};

	profile = argc > 2 ? argv[2] : NULL;
	for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].end();
			return 0;
		}
	return 2;
}
