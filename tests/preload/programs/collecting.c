/* SPDX-License-Identifier: MIT */
/*
 * Works the device with and without the profiler switched on. What the argument names:
 *
 * windows   3 launches of `first` that are not waited for, 5 of `second` between cuProfilerStart
 *           and cuProfilerStop, then 2 of `first`
 * late      under ktime a second's pause between the driver's initialisation and 4 launches
 * devices   1 launch on device 0, 2 on device 1
 * shape     1 launch of 2 x 3 x 4 blocks of 5 x 6 x 7 threads with 2048 bytes of shared memory
 * many      40000 launches
 * killed    100 launches, and once ktime has seen to them SIGKILL
 * outlived  2000 launches of `first` half a second later, and a thread beside them that goes on for
 * two seconds after the main one has ended, launches `second` 3 times and says that it is done
 */
#include <cudaProfiler.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

static void launch(const char *name, int count)
{
	CUfunction kernel = check_kernel(name);

	while (count--)
		check_launch(kernel, NULL);
}

static void windows(void)
{
	check_context();
	launch("first", 3);
	CHECK(cuProfilerStart());
	launch("second", 5);
	CHECK(cuProfilerStop());
	launch("first", 2);
	CHECK(cuCtxSynchronize());
}

static void late(void)
{
	check_context();
	/* Without ktime there is nothing to give time to. */
	if (getenv("LD_PRELOAD"))
		sleep(1);
	/* What was due meanwhile is done. */
	wait_for_a_turn_of_ktime();
	launch("first", 4);
}

static void devices(void)
{
	CUcontext second;

	check_context();
	launch("first", 1);
	CHECK(cuDevicePrimaryCtxRetain(&second, 1));
	CHECK(cuCtxSetCurrent(second));
	launch("second", 2);
	CHECK(cuCtxSynchronize());
}

static void shape(void)
{
	check_context();
	CHECK(cuLaunchKernel(check_kernel("first"), 2, 3, 4, 5, 6, 7, 2048, NULL, NULL, NULL));
	CHECK(cuCtxSynchronize());
}

static void many(void)
{
	check_context();
	launch("first", 40000);
	CHECK(cuCtxSynchronize());
}

static void killed(void)
{
	check_context();
	launch("first", 100);
	CHECK(cuCtxSynchronize());
	wait_for_ktime_at_rest();
	raise(SIGKILL);
}

static void *outlive(void *context)
{
	CHECK(cuCtxSetCurrent(context));
	sleep(2);
	launch("second", 3);
	CHECK(cuCtxSynchronize());
	puts("done");
	return NULL;
}

static void outlived(void)
{
	CUcontext context = check_context();
	CUfunction kernel = check_kernel("first");
	pthread_t thread;

	usleep(500000);
	EXPECT(0, pthread_create(&thread, NULL, outlive, context));
	for (int i = 0; i < 2000; i++) {
		check_launch(kernel, NULL);
		usleep(100);
	}
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"windows", windows},  {"late", late}, {"devices", devices},
		    {"shape", shape},	   {"many", many}, {"killed", killed},
		    {"outlived", outlived}};

	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].run();
			return 0;
		}
	return 2;
}
