/* SPDX-License-Identifier: MIT */
/*
 * signalled COUNTS THREADS [WAY]: each thread launches without end, each into a stream of its own,
 * and counts its launches in the file COUNTS (64-bit words, one a thread), after each has returned.
 * Ways: sleep (10 ms between launches), graph (launches of a graph of one kernel), self (the main
 * thread raises SIGTERM after 1000 launches), impatient (one thread holds the driver's lock for
 * good, see SIM_FAULT), signals (SIGUSR1 to all threads at once after 1000 launches), dispositions
 * (prints what signal and sigaction say of SIGTERM, then returns), main_ends (pthread_exit in
 * main), last_ends (the same, and the threads end after 1000 launches).
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/preload/programs/captured.h"

#define MOST_THREADS 64
#define ENOUGH	     1000

static _Atomic uint64_t *counts;
static const char *way = "";
static CUcontext context;
static pthread_t threads[MOST_THREADS];
static unsigned thread_count;
static pthread_barrier_t all_there;

static bool is(const char *name)
{
	return strcmp(way, name) == 0;
}

static void *launch(void *argument)
{
	_Atomic uint64_t *count = argument;
	CUgraphExec graph = NULL;
	CUfunction kernel;
	CUstream stream;

	CHECK(cuCtxSetCurrent(context));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	kernel = check_kernel("first");
	if (is("graph"))
		graph = captured_graph(stream, kernel);
	pthread_barrier_wait(&all_there);
	for (uint64_t launched = 1;; launched++) {
		if (graph)
			CHECK(cuGraphLaunch(graph, stream));
		else
			check_launch(kernel, stream);
		atomic_fetch_add(count, 1);
		if (is("sleep"))
			usleep(10000);
		if (launched == ENOUGH && is("self") && count == counts)
			raise(SIGTERM);
		if (launched == ENOUGH && is("signals") && count == counts)
			for (unsigned i = 0; i < thread_count; i++)
				pthread_kill(threads[i], SIGUSR1);
		if (launched == ENOUGH && is("last_ends"))
			return NULL;
	}
}

static void say_dispositions(void)
{
	struct sigaction action;

	sigaction(SIGTERM, NULL, &action);
	printf("%s", action.sa_handler == SIG_DFL && !action.sa_flags ? "default" : "other");
	printf(" %s", signal(SIGTERM, SIG_IGN) == SIG_DFL ? "default" : "other");
	printf(" %s", signal(SIGTERM, SIG_DFL) == SIG_IGN ? "ignored" : "other");
	printf(" %s\n", signal(SIGPIPE, SIG_DFL) == SIG_DFL ? "default" : "other");
}

int main(int argc, char **argv)
{
	int file = argc >= 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;

	thread_count = file < 0 ? 0 : (unsigned)atoi(argv[2]);
	if (thread_count < 1 || thread_count > MOST_THREADS || ftruncate(file, 4096))
		return 2;
	/* Ignored in what a shell without job control starts in the background. */
	signal(SIGINT, SIG_DFL);
	way = argc > 3 ? argv[3] : "";
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	check_context();
	CHECK(cuCtxGetCurrent(&context));
	if (is("dispositions")) {
		say_dispositions();
		return 0;
	}
	pthread_barrier_init(&all_there, NULL, thread_count);
	threads[0] = pthread_self();
	for (unsigned i = 1; i < thread_count; i++)
		pthread_create(&threads[i], NULL, launch, (void *)&counts[i]);
	if (is("main_ends") || is("last_ends")) {
		pthread_barrier_wait(&all_there);
		pthread_exit(NULL);
	}
	launch((void *)&counts[0]);
	return 0;
}
