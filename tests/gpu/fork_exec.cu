/* SPDX-License-Identifier: MIT */
/*
 * After CUDA work: a child that only computes and ends by exit, one that ends by _exit, one that
 * executes this program again, whose work is its own; then more work in the parent.
 */
#include <cstring>

#include <sys/wait.h>
#include <unistd.h>

#include "check.cuh"

__global__ void parent_kernel(int *data)
{
	atomicAdd(data, 1);
}

__global__ void child_kernel(int *data)
{
	atomicAdd(data, 10);
}

static int work(void (*kernel)(int *), int launches)
{
	int host = 0, *data;

	CHECK(cudaMalloc(&data, sizeof(int)));
	CHECK(cudaMemset(data, 0, sizeof(int)));
	for (int i = 0; i < launches; i++)
		kernel<<<1, 1>>>(data);
	CHECK(cudaMemcpy(&host, data, sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(data));
	return host;
}

/* Forks; the child runs `act`, which does not return. Gives the child's exit status. */
static int child(void (*act)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		act();
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void compute_and_exit(void)
{
	exit(3);
}

static void compute_and_leave(void)
{
	_exit(4);
}

static void execute(void)
{
	execl("/proc/self/exe", "fork_exec", "child", (char *)nullptr);
	_exit(5);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "child")) {
		printf("child: %d\n", work(child_kernel, 7));
		return 6;
	}
	printf("parent: %d\n", work(parent_kernel, 5));
	printf("exit: %d\n", child(compute_and_exit));
	printf("_exit: %d\n", child(compute_and_leave));
	printf("exec: %d\n", child(execute));
	printf("parent: %d\n", work(parent_kernel, 6));
	return 0;
}
