/* SPDX-License-Identifier: MIT */
/*
 * ranked COUNT [FILE]: as a rank of a training job: COUNT times a copy to the device, a kernel of
 * its own and an all-reduce. With FILE it is killed, once that file is there.
 * ranked COUNT exec OTHER…: it becomes "ranked OTHER…" then.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

#define COPIED	4096
#define POLL_US 10000
#define PTX                                                                                        \
	".version 8.0\n.target sm_80\n.visible .entry work()\n"                                    \
	".visible .entry ncclDevKernel_AllReduce_Sum_f32_RING_LL()\n"

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1;
	static char host[COPIED];
	CUfunction work, reduce;
	CUdeviceptr device;
	CUmodule module;

	check_context();
	CHECK(cuModuleLoadData(&module, PTX));
	CHECK(cuModuleGetFunction(&work, module, "work"));
	CHECK(cuModuleGetFunction(&reduce, module, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
	CHECK(cuMemAlloc(&device, sizeof(host)));
	while (count--) {
		CHECK(cuMemcpyHtoD(device, host, sizeof(host)));
		check_launch(work, NULL);
		check_launch(reduce, NULL);
	}
	CHECK(cuCtxSynchronize());
	if (argc > 3) {
		argv[2] = argv[0];
		execv("/proc/self/exe", argv + 2);
	}
	if (argc > 2) {
		wait_for_ktime_at_rest();
		while (access(argv[2], F_OK) < 0)
			usleep(POLL_US);
		raise(SIGKILL);
	}
	return 0;
}
