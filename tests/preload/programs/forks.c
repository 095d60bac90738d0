/* SPDX-License-Identifier: MIT */
/*
 * Forks after CUDA was initialised, and does what the argument names in the child.
 *
 * usage: forks exit|_exit|exec|vfork|signal|cuda|before
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

static CUfunction kernel;

static void work(int launches)
{
	check_context();
	kernel = check_kernel("first");
	for (int i = 0; i < launches; i++)
		check_launch(kernel, NULL);
}

static void run_child(const char *what, char **argv)
{
	if (!strcmp(what, "exit"))
		exit(5);
	if (!strcmp(what, "_exit") || !strcmp(what, "vfork"))
		_exit(5);
	if (!strcmp(what, "exec"))
		execl(argv[0], argv[0], "work", NULL);
	if (!strcmp(what, "signal"))
		raise(SIGTERM);
	/* A child of a process that has initialised CUDA cannot use it. */
	if (!strcmp(what, "cuda"))
		_exit(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CUDA_SUCCESS
			      ? 1
			      : 6);
	_exit(9);
}

int main(int argc, char **argv)
{
	pid_t child;
	int status;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "work")) {
		work(3);
		return 5;
	}
	if (!strcmp(argv[1], "before")) {
		child = fork();
		if (child == 0) {
			work(3);
			exit(5);
		}
		work(5);
	} else {
		work(5);
		child = strcmp(argv[1], "vfork") ? fork() : vfork();
		if (child == 0)
			run_child(argv[1], argv);
	}
	waitpid(child, &status, 0);
	check_launch(kernel, NULL);
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
