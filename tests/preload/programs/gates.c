/* SPDX-License-Identifier: MIT */
/*
 * Work that ktime can gate. What the argument names:
 *
 * kinds     each kind of work in a stream of its own, 10 times, waited for each time
 * legacy    10 launches in the legacy stream at a time: alone; while streams exist that are not in
 *           use, or do not wait for it; while a blocking stream is in use; after that one's end;
 *           and while a thread's own default stream is in use
 * legacy_and_blocking
 *           4 threads with a blocking stream each, which they begin to use while the main thread
 *           launches into the legacy stream
 * unseen LIBRARY
 *           10 launches in the legacy stream beside a non-blocking one that the library has made,
 *           past what is preloaded
 * behind    a launch behind 50 others, 10 times
 * deep      3 launches of a long kernel, and once ktime has seen that they are not done 10 of a
 *           short one
 * launches  60 launches, each waited for
 * turns     10 launches in each of two streams, in turns
 * blocked   the same; launches 20, 30 and 40 may wait for the device (SIM_FAULT), and have their
 *           gates opened
 * not_held  the same; any gate may be opened
 * waiting   launches without a pause until ktime has tested its gates
 * stuck     3 launches, the last of which may never return; another thread waits for its stream
 * threads   4 threads with a stream each and one in common, 100 launches of each
 * contexts  10 launches of a kernel in each of two contexts, in turns
 *
 * Where nothing waits for the device, no gate is opened by the reporter, however slow the machine.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

enum {
	TIMES = 10,
	BEHIND = 50,
	LAUNCHES = 60,
	THREADS = 4,
	THREAD_LAUNCHES = 100,
	BYTES = 100000,
	FEW_BYTES = 1000, /* the simulated device sets them one by one */
};

static CUcontext context;
static CUfunction kernel;
static CUstream stream;

/* The first launch of all. ktime has what it needs for gates in the context behind it, not before:
 * the next call tries them. */
static void begin_in(CUstream first)
{
	check_launch(kernel, first);
	CHECK(cuCtxSynchronize());
	release_ktime();
	wait_for_ktime();
}

static void begin(void)
{
	context = check_context();
	hold_ktime();
	kernel = check_kernel("first");
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	begin_in(stream);
}

static void kinds(void)
{
	static char pageable[BYTES];
	CUdeviceptr device, second;
	void *pinned;

	begin();
	CHECK(cuMemAlloc(&device, BYTES));
	CHECK(cuMemAlloc(&second, BYTES));
	CHECK(cuMemAllocHost(&pinned, BYTES));
	for (int i = 0; i < TIMES; i++) {
		check_launch(kernel, stream);
		CHECK(cuStreamSynchronize(stream));
		CHECK(cuMemcpyHtoDAsync(device, pinned, BYTES, stream));
		CHECK(cuStreamSynchronize(stream));
		CHECK(cuMemcpyDtoHAsync(pageable, device, BYTES, stream));
		CHECK(cuStreamSynchronize(stream));
		CHECK(cuMemcpyDtoDAsync(second, device, BYTES, stream));
		CHECK(cuStreamSynchronize(stream));
		CHECK(cuMemsetD8Async(device, 0, FEW_BYTES, stream));
		CHECK(cuStreamSynchronize(stream));
	}
}

static void launch_into_legacy(void)
{
	for (int i = 0; i < TIMES; i++) {
		check_launch(kernel, NULL);
		CHECK(cuCtxSynchronize());
	}
}

static void legacy(void)
{
	CUstream apart;

	CHECK(cuInit(0));
	context = check_context();
	hold_ktime();
	kernel = check_kernel("first");
	begin_in(NULL);
	launch_into_legacy();
	CHECK(cuStreamCreate(&apart, CU_STREAM_NON_BLOCKING));
	check_launch(check_kernel("second"), apart);
	CHECK(cuStreamCreateWithPriority(&stream, CU_STREAM_DEFAULT, 0));
	launch_into_legacy();
	check_launch(check_kernel("second"), stream);
	launch_into_legacy();
	CHECK(cuStreamDestroy(stream));
	launch_into_legacy();
	check_launch(check_kernel("second"), CU_STREAM_PER_THREAD);
	launch_into_legacy();
}

static void unseen(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
	CUresult (*make)(CUstream *);

	if (!library)
		exit(2);
	*(void **)&make = dlsym(library, "hidden_stream");
	begin();
	CHECK(make(&stream));
	check_launch(kernel, stream);
	launch_into_legacy();
}

static _Atomic bool both_ready;

/* Uses its blocking stream for the first time while the main thread launches into the legacy one.
 */
static void *launch_into_blocking(void *unused)
{
	CUstream own;

	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuStreamCreate(&own, CU_STREAM_DEFAULT));
	while (!atomic_load(&both_ready))
		;
	for (int i = 0; i < THREAD_LAUNCHES; i++)
		check_launch(kernel, own);
	CHECK(cuStreamSynchronize(own));
	return NULL;
}

static void legacy_and_blocking(void)
{
	pthread_t others[THREADS];

	begin();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&others[i], NULL, launch_into_blocking, NULL);
	for (int i = 0; i < TIMES; i++)
		check_launch(kernel, NULL);
	atomic_store(&both_ready, true);
	for (int i = 0; i < THREAD_LAUNCHES; i++)
		check_launch(kernel, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(others[i], NULL);
	CHECK(cuCtxSynchronize());
}

static void behind(void)
{
	CUfunction long_kernel;

	begin();
	long_kernel = check_kernel("second");
	for (int i = 0; i < TIMES; i++) {
		for (int j = 0; j < BEHIND; j++)
			check_launch(long_kernel, stream);
		check_launch(kernel, stream);
		CHECK(cuStreamSynchronize(stream));
	}
}

static void deep(void)
{
	CUfunction long_kernel;

	begin();
	check_launch(kernel, stream);
	CHECK(cuStreamSynchronize(stream));
	long_kernel = check_kernel("second");
	for (int i = 0; i < 3; i++)
		check_launch(long_kernel, stream);
	CHECK(cuStreamSynchronize(stream));
	wait_for_ktime();
	for (int i = 0; i < 3; i++)
		check_launch(long_kernel, stream);
	wait_for_ktime();
	for (int i = 0; i < TIMES; i++)
		check_launch(kernel, stream);
	CHECK(cuStreamSynchronize(stream));
}

static void launch_and_wait(bool some_block)
{
	for (int i = 2; i <= LAUNCHES; i++) {
		bool blocks = some_block && (i == 20 || i == 30 || i == 40);

		if (blocks)
			release_gates();
		check_launch(kernel, stream);
		if (blocks)
			hold_gates();
		CHECK(cuStreamSynchronize(stream));
	}
	printf("%d launches done\n", LAUNCHES);
}

static _Atomic bool launching;

static void *launch_for_ever(void *unused)
{
	(void)unused;
	CHECK(cuCtxSetCurrent(context));
	check_launch(kernel, stream);
	CHECK(cuStreamSynchronize(stream));
	atomic_store(&launching, true);
	check_launch(kernel, stream);
	return NULL;
}

static void launches(void)
{
	begin();
	launch_and_wait(false);
}

static void blocked(void)
{
	begin();
	launch_and_wait(true);
}

static void not_held(void)
{
	release_gates();
	begin();
	launch_and_wait(false);
}

static void waiting(void)
{
	unsigned first = atomic_load(&collector_turns);

	release_gates();
	context = check_context();
	kernel = check_kernel("first");
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	do
		check_launch(kernel, stream);
	while (atomic_load(&collector_turns) - first < 40);
	puts("launches done");
}

/* The third launch does not return; what was queued for it before does not hold the stream. */
static void stuck(void)
{
	pthread_t other;

	begin();
	pthread_create(&other, NULL, launch_for_ever, NULL);
	while (!atomic_load(&launching))
		usleep(100);
	release_gates();
	usleep(1000);
	CHECK(cuStreamSynchronize(stream));
	puts("the stream went on");
	exit(0);
}

static CUstream streams[THREADS];

static void *launch_on_thread(void *argument)
{
	const int *number = argument;

	CHECK(cuCtxSetCurrent(context));
	for (int i = 0; i < THREAD_LAUNCHES; i++) {
		check_launch(kernel, streams[*number]);
		check_launch(kernel, stream);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t others[THREADS];
	int numbers[THREADS];

	begin();
	for (int i = 0; i < THREADS; i++)
		CHECK(cuStreamCreate(&streams[i], CU_STREAM_DEFAULT));
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&others[i], NULL, launch_on_thread, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(others[i], NULL);
	CHECK(cuCtxSynchronize());
}

static void turns(void)
{
	CUstream second;

	begin();
	CHECK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < 2 * TIMES; i++)
		check_launch(kernel, i % 2 ? second : stream);
	CHECK(cuCtxSynchronize());
}

static void contexts(void)
{
	CUcontext both[2];
	CUfunction kernels[2];
	CUstream own[2];

	for (int i = 0; i < 2; i++) {
		CHECK(cuInit(0));
		CHECK(cuDevicePrimaryCtxRetain(&both[i], i));
		CHECK(cuCtxSetCurrent(both[i]));
		kernels[i] = check_kernel("first");
		CHECK(cuStreamCreate(&own[i], CU_STREAM_NON_BLOCKING));
		check_launch(kernels[i], own[i]);
	}
	wait_for_ktime();
	for (int i = 0; i < 2 * TIMES; i++) {
		CHECK(cuCtxSetCurrent(both[i % 2]));
		check_launch(kernels[i % 2], own[i % 2]);
		CHECK(cuStreamSynchronize(own[i % 2]));
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"kinds", kinds},
		    {"legacy", legacy},
		    {"legacy_and_blocking", legacy_and_blocking},
		    {"behind", behind},
		    {"deep", deep},
		    {"launches", launches},
		    {"blocked", blocked},
		    {"not_held", not_held},
		    {"waiting", waiting},
		    {"stuck", stuck},
		    {"threads", threads},
		    {"turns", turns},
		    {"contexts", contexts}};

	hold_gates();
	if (argc == 3 && strcmp(argv[1], "unseen") == 0) {
		unseen(argv[2]);
		release_gates();
		return 0;
	}
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].run();
			release_gates();
			return 0;
		}
	return 2;
}
