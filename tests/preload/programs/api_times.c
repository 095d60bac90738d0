/* SPDX-License-Identifier: MIT */
/*
 * api_times driver|runtime: one copy to the host, which waits for a host function of 20 ms, by the
 * driver's call or the runtime's. Prints the least and the most nanoseconds that the call took:
 * what passed while it was seen waiting, and what passed from before it to after it.
 */
#include <cuda_runtime_api.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

static char status_file[64];
static uint64_t least;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Whether the program's thread sleeps: it does so nowhere but in the copy. */
static int is_waiting(void)
{
	FILE *file = fopen(status_file, "r");
	char state = 0;

	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		exit(3);
	fclose(file);
	return state == 'S';
}

static void hold_the_copy(void *unused)
{
	uint64_t seen;

	(void)unused;
	while (!is_waiting())
		;
	seen = now();
	usleep(20000);
	least = now() - seen;
}

int main(int argc, char **argv)
{
	CUdeviceptr there;
	uint64_t before, most;
	int runtime = argc == 2 && !strcmp(argv[1], "runtime");
	char here[64];

	check_context();
	CHECK(cuMemAlloc_v2(&there, sizeof(here)));
	snprintf(status_file, sizeof(status_file), "/proc/self/task/%ld/stat", syscall(SYS_gettid));
	/* What the first call of its kind brings with it is over then. */
	CHECK(cuMemcpyHtoD_v2(there, here, sizeof(here)));
	CHECK(cuLaunchHostFunc(NULL, hold_the_copy, NULL));
	before = now();
	if (runtime)
		EXPECT(cudaSuccess,
		       cudaMemcpy(here, (void *)there, sizeof(here), cudaMemcpyDeviceToHost));
	else
		CHECK(cuMemcpyDtoH_v2(here, there, sizeof(here)));
	most = now() - before;
	printf("%llu %llu\n", (unsigned long long)least, (unsigned long long)most);
	return 0;
}
