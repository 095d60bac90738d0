/* SPDX-License-Identifier: MIT */
/*
 * A CUDA call that never returns: its thread leaves it by siglongjmp out of a signal's handler, as
 * interpreters do at Ctrl-C, or is cancelled in it. The call is made to block by SIM_FAULT. Before
 * it 10 kernels are launched, after it 100 from the same stack frame and 100 from below.
 *
 * usage: left_calls jump|cancel synchronize|copy
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/sim/programs/check.h"

static sigjmp_buf back;
static CUcontext context;
static CUdeviceptr memory;
static CUfunction kernel;
static pthread_t main_thread;

static void leave(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void *interrupt(void *unused)
{
	(void)unused;
	usleep(100000);
	pthread_kill(main_thread, SIGUSR1);
	return NULL;
}

static void *block(void *call)
{
	char bytes[64] = "";

	CHECK(cuCtxSetCurrent(context));
	if (strcmp(call, "copy") == 0)
		cuMemcpyHtoD(memory, bytes, sizeof(bytes));
	else
		cuStreamSynchronize(NULL);
	return NULL;
}

static void launch(int count)
{
	while (count--)
		check_launch(kernel, NULL);
}

/* What the left call had on the stack lies in an array that nothing is written to. */
static __attribute__((noinline)) void launch_below(int count)
{
	volatile char untouched[65536];

	__asm__ volatile("" : : "r"(untouched) : "memory");
	launch(count);
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc < 3)
		return 2;
	context = check_context();
	kernel = check_kernel("first");
	main_thread = pthread_self();
	CHECK(cuMemAlloc(&memory, 64));
	launch(10);
	if (strcmp(argv[1], "jump") == 0) {
		signal(SIGUSR1, leave);
		if (!sigsetjmp(back, 1)) {
			pthread_create(&other, NULL, interrupt, NULL);
			block(argv[2]);
			return 1;
		}
		pthread_join(other, NULL);
	} else {
		pthread_create(&other, NULL, block, argv[2]);
		usleep(100000);
		pthread_cancel(other);
		pthread_join(other, NULL);
	}
	launch_below(100);
	launch(100);
	return 0;
}
