/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "workloads/saxpy.h"

/*
 * A stream takes about 1000 commands before the next call waits for the device, streams may share
 * a queue of the device, and a profiler may add two events to a launch: this many launches fit
 * beside each other whatever the options.
 */
#define HELD_LAUNCHES	128
/* Where launches wait for their kernels (CUDA_LAUNCH_BLOCKING=1, a debugger), none gets further. */
#define LONGEST_HOLD_NS 20000000

static const char usage[] =
	"usage: %s [--n N] [--repetitions R] [--streams S] [--threads T]\n"
	"y = a*x + y over N floats (default 20*2^20). Each of T threads (1) launches R kernels "
	"(1),\n"
	"in turn on its own S streams (default: all on the default stream). The vectors are split\n"
	"among the streams of all threads.\n";

static int parse_count(const char *program, const char *name, const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || end == text || value < 1 || value > INT_MAX) {
		fprintf(stderr, "%s: --%s wants a whole number from 1, not '%s'\n", program, name,
			text);
		exit(2);
	}
	return value;
}

void saxpy_parse(struct saxpy_options *options, int argc, char **argv)
{
	static const struct option names[] = {
		{"n", required_argument, NULL, 0},
		{"repetitions", required_argument, NULL, 1},
		{"streams", required_argument, NULL, 2},
		{"threads", required_argument, NULL, 3},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	int *const values[] = {&options->n, &options->repetitions, &options->streams,
			       &options->threads};
	int option;

	*options = (struct saxpy_options){.n = 20 << 20, .repetitions = 1, .threads = 1};
	while ((option = getopt_long(argc, argv, "h", names, NULL)) != -1) {
		if (option == 'h') {
			printf(usage, argv[0]);
			exit(0);
		}
		if (option == '?') {
			fprintf(stderr, usage, argv[0]);
			exit(2);
		}
		*values[option] = parse_count(argv[0], names[option].name, optarg);
	}
	if (optind < argc) {
		fprintf(stderr, usage, argv[0]);
		exit(2);
	}
}

struct saxpy_slice saxpy_slice(const struct saxpy_options *options, int thread, int stream)
{
	int streams = options->streams ? options->streams : 1;
	long slices = (long)options->threads * streams;
	long index = (long)thread * streams + stream;
	struct saxpy_slice slice = {
		.first = options->n * index / slices,
		.launches =
			options->repetitions / streams + (stream < options->repetitions % streams),
	};

	slice.count = options->n * (index + 1) / slices - slice.first;
	return slice;
}

/*
 * The default stream is one for all threads: a second thread's hold would lie between the first
 * one's events.
 */
int saxpy_held_launches(const struct saxpy_options *options)
{
	return options->streams || options->threads == 1 ? HELD_LAUNCHES / options->threads : 0;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void saxpy_hold(void *argument)
{
	struct saxpy_hold *hold = argument;
	int64_t until = now_ns() + LONGEST_HOLD_NS;

	while (!__atomic_load_n(&hold->released, __ATOMIC_ACQUIRE) && now_ns() < until)
		sched_yield();
}

void saxpy_release(struct saxpy_hold *hold)
{
	__atomic_store_n(&hold->released, 1, __ATOMIC_RELEASE);
}

void saxpy_fill(const struct saxpy_options *options, float *x, float *y)
{
	for (int i = 0; i < options->n; i++) {
		x[i] = SAXPY_X;
		y[i] = SAXPY_Y;
	}
}

int saxpy_report(const struct saxpy_options *options, const float *y, float kernel_ms)
{
	long launches = (long)options->repetitions * options->threads;
	int streams = options->streams ? options->streams : 1;
	double elements = 0, seconds = kernel_ms / 1e3;
	float error = 0;

	for (int thread = 0; thread < options->threads; thread++) {
		for (int stream = 0; stream < streams; stream++) {
			struct saxpy_slice slice = saxpy_slice(options, thread, stream);
			float expected = SAXPY_Y;

			for (int i = 0; i < slice.launches; i++)
				expected = SAXPY_A * SAXPY_X + expected;
			for (int i = 0; i < slice.count; i++)
				error = fmaxf(error, fabsf(y[slice.first + i] - expected));
			elements += (double)slice.count * slice.launches;
		}
	}
	printf("Max error: %f\n", error);
	printf("Kernel launches: %ld (threads: %d, streams per thread: %d%s)\n", launches,
	       options->threads, streams, options->streams ? "" : ", the default one");
	printf("Kernel time by events (us): %.3f in all, %.3f per launch\n", seconds * 1e6,
	       seconds * 1e6 / options->repetitions);
	printf("Effective bandwidth (GB/s): %.3f\n", 12 * elements / seconds / 1e9);
	printf("Throughput (GFLOP/s): %.3f\n", 2 * elements / seconds / 1e9);
	return error != 0;
}

struct thread {
	pthread_t id;
	int index;
	void (*body)(int thread, void *argument);
	void *argument;
};

static void *run(void *argument)
{
	struct thread *thread = argument;

	thread->body(thread->index, thread->argument);
	return NULL;
}

void saxpy_threads(const struct saxpy_options *options, void (*body)(int thread, void *argument),
		   void *argument)
{
	struct thread *threads = calloc(options->threads, sizeof(*threads));

	if (!threads) {
		perror("saxpy");
		exit(1);
	}
	for (int i = 0; i < options->threads; i++)
		threads[i] = (struct thread){.index = i, .body = body, .argument = argument};
	for (int i = 1; i < options->threads; i++) {
		if (pthread_create(&threads[i].id, NULL, run, &threads[i])) {
			fprintf(stderr, "saxpy: cannot start %d threads\n", options->threads);
			exit(1);
		}
	}
	run(&threads[0]);
	for (int i = 1; i < options->threads; i++)
		pthread_join(threads[i].id, NULL);
	free(threads);
}
