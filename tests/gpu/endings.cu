/* SPDX-License-Identifier: MIT */
/* endings WAY: the same work, and then the end by `return`, `exit`, `_exit`, a signal … */
#include <csignal>
#include <cstring>
#include <thread>

#include <unistd.h>

#include "check.cuh"

__global__ void last_kernel(int *data)
{
	atomicAdd(data, 1);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "return";
	int host = 0, *data;

	CHECK(cudaMalloc(&data, sizeof(int)));
	CHECK(cudaMemset(data, 0, sizeof(int)));
	for (int i = 0; i < 157; i++)
		last_kernel<<<1, 1>>>(data);
	CHECK(cudaMemcpy(&host, data, sizeof(int), cudaMemcpyDeviceToHost));
	printf("sum %d\n", host);
	fflush(stdout);
	if (!strcmp(way, "exit"))
		exit(3);
	if (!strcmp(way, "quick_exit"))
		quick_exit(4);
	if (!strcmp(way, "_exit"))
		_exit(5);
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "segv"))
		raise(SIGSEGV);
	if (!strcmp(way, "term"))
		raise(SIGTERM);
	if (!strcmp(way, "thread"))
		std::thread([] { exit(7); }).join();
	if (!strcmp(way, "reset"))
		CHECK(cudaDeviceReset());
	return 0;
}
