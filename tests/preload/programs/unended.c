/* SPDX-License-Identifier: MIT */
/*
 * Launches until a signal comes, which does not end it as it would have, and launches again; a
 * status of 4 if it comes so far. Ways:
 * first NUMBER   a child sends the signal NUMBER, which the first process of a container survives
 * blocks         SIGALRM interrupts a wait, after which the thread blocks it
 * refused        SIGALRM comes, and a filter refuses tgkill and kill
 * traced         a tracer lets the first SIGALRM through, and no other
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

static CUfunction kernel;

static void work(void)
{
	for (int i = 0; i < 10; i++)
		check_launch(kernel, NULL);
	CHECK(cuCtxSynchronize());
}

static void be_first(const char *number)
{
	pid_t child = fork();

	if (child == 0) {
		kill(getppid(), atoi(number));
		_exit(0);
	}
	waitpid(child, NULL, 0);
	/* A signal that it does not survive has ended it by then. */
	usleep(50000);
}

static void block(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGALRM);
	ualarm(1000, 0);
	pause();
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	sleep(60);
}

static void be_refused(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	EXPECT(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	/* For ktime's threads as well. */
	EXPECT(0,
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
	ualarm(1000, 0);
	sleep(60);
}

/* The tracer of a child, which returns here. */
static void be_traced(void)
{
	int status, alarms = 0;
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		return;
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
	ptrace(PTRACE_CONT, child, NULL, 0);
	for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
		int number = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (thread == child && !number)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
		/* Threads begin with a stop, and are told of by a trap. */
		if (number == SIGSTOP || number == SIGTRAP || (number == SIGALRM && alarms++))
			number = 0;
		ptrace(PTRACE_CONT, thread, NULL, number);
	}
	_exit(1);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	if (strcmp(way, "traced") == 0)
		be_traced();
	check_context();
	kernel = check_kernel("first");
	work();
	if (strcmp(way, "first") == 0 && argc == 3)
		be_first(argv[2]);
	else if (strcmp(way, "blocks") == 0)
		block();
	else if (strcmp(way, "refused") == 0)
		be_refused();
	else if (strcmp(way, "traced") == 0)
		raise(SIGALRM);
	else
		return 2;
	work();
	puts("went on");
	return 4;
}
