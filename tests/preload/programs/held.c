/* SPDX-License-Identifier: MIT */
/*
 * Launches while ktime's own threads get no further. What the argument names:
 *
 * full    20000 launches of `first`, which is more than a thread's ring holds, and one of `second`
 * turns   two threads that launch in turns into one stream, 10 x 10 times: `first` and `second`
 * ended   1000 threads, one after the other, that launch once and end; prints by how many KB the
 *         process has grown for each
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/preload/programs/ktime_threads.h"
#include "tests/sim/programs/check.h"

enum {
	FULL = 20000,
	TURNS = 10,
	LAUNCHES = 10,
	ENDED = 1000,
};

static void full(void)
{
	CUfunction first, second;

	check_context();
	first = check_kernel("first");
	second = check_kernel("second");
	check_launch(first, NULL);
	hold_ktime();
	for (int i = 1; i < FULL; i++)
		check_launch(first, NULL);
	check_launch(second, NULL);
	release_ktime();
	CHECK(cuCtxSynchronize());
}

struct turn_taker {
	pthread_barrier_t *turn;
	CUcontext context;
	CUfunction kernel;
	int number;
};

static void *launch_in_turn(void *argument)
{
	const struct turn_taker *taker = argument;

	CHECK(cuCtxSetCurrent(taker->context));
	for (int turn = 0; turn < 2 * TURNS; turn++) {
		pthread_barrier_wait(taker->turn);
		for (int i = 0; turn % 2 == taker->number && i < LAUNCHES; i++)
			check_launch(taker->kernel, NULL);
	}
	return NULL;
}

static void turns(void)
{
	static const char *const names[] = {"first", "second"};
	CUcontext context = check_context();
	struct turn_taker takers[2];
	pthread_barrier_t turn;
	pthread_t others[2];

	pthread_barrier_init(&turn, NULL, 2);
	for (int i = 0; i < 2; i++)
		takers[i] = (struct turn_taker){&turn, context, check_kernel(names[i]), i};
	check_launch(takers[0].kernel, NULL);
	check_launch(takers[1].kernel, NULL);
	hold_ktime();
	for (int i = 0; i < 2; i++)
		pthread_create(&others[i], NULL, launch_in_turn, &takers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	release_ktime();
	CHECK(cuCtxSynchronize());
	pthread_barrier_destroy(&turn);
}

static CUcontext shared;

static void *launch_once(void *kernel)
{
	CHECK(cuCtxSetCurrent(shared));
	check_launch(kernel, NULL);
	return NULL;
}

static void one_thread(CUfunction kernel)
{
	pthread_t thread;

	pthread_create(&thread, NULL, launch_once, kernel);
	pthread_join(thread, NULL);
}

/* In KB. */
static long resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all, pages = 0;

	if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void ended(void)
{
	CUfunction kernel;
	long before;

	shared = check_context();
	kernel = check_kernel("first");
	one_thread(kernel);
	hold_ktime();
	one_thread(kernel);
	before = resident();
	for (int i = 0; i < ENDED; i++)
		one_thread(kernel);
	printf("%ld\n", (resident() - before) / ENDED);
	release_ktime();
	CHECK(cuCtxSynchronize());
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"full", full}, {"turns", turns}, {"ended", ended}};

	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].run();
			return 0;
		}
	return 2;
}
