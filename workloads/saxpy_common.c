/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "workloads/saxpy.h"
#include "workloads/workload.h"

static const char usage[] =
	"[--n N] [--repetitions R] [--streams S] [--threads T]\n"
	"       [--variant plain|grid-stride|float4] [--block B]\n"
	"y = a*x + y over N floats (default 20*2^20). Each of T threads (1) launches R kernels "
	"(1),\n"
	"in turn on its own S streams (default: all on the default stream). The vectors are split\n"
	"among the streams of all threads. The kernel is the plain one, one with fewer threads "
	"that\n"
	"run through the vectors, or one that takes four floats at a time, in blocks of B (256)\n"
	"threads.\n";

enum {
	/* Threads that a multiprocessor of most GPUs holds at a time. */
	RESIDENT_THREADS = 2048,
	BLOCK_MAX = 1024,
};

void saxpy_parse(struct saxpy_options *options, int argc, char **argv)
{
	static const char *const variants[] = {"plain", "grid-stride", "float4", NULL};
	const struct workload_option table[] = {
		WORKLOAD_COUNT("n", &options->n, 0),
		WORKLOAD_COUNT("repetitions", &options->repetitions, 0),
		WORKLOAD_COUNT("streams", &options->streams, 0),
		WORKLOAD_COUNT("threads", &options->threads, 0),
		WORKLOAD_CHOICE("variant", &options->variant, variants),
		WORKLOAD_COUNT("block", &options->block, BLOCK_MAX),
		WORKLOAD_END,
	};

	*options =
		(struct saxpy_options){.n = 20 << 20, .repetitions = 1, .threads = 1, .block = 256};
	workload_parse(usage, table, argc, argv);
}

static int slice_start(const struct saxpy_options *options, long index, long slices)
{
	long start = options->n * index / slices;

	return options->variant == SAXPY_FLOAT4 && index < slices ? start / 4 * 4 : start;
}

struct saxpy_slice saxpy_slice(const struct saxpy_options *options, int thread, int stream)
{
	int streams = options->streams ? options->streams : 1;
	long slices = (long)options->threads * streams;
	long index = (long)thread * streams + stream;
	struct saxpy_slice slice = {
		.first = slice_start(options, index, slices),
		.launches =
			options->repetitions / streams + (stream < options->repetitions % streams),
	};

	slice.count = slice_start(options, index + 1, slices) - slice.first;
	return slice;
}

/*
 * The default stream is one for all threads: a second thread's hold would lie between the first
 * one's events.
 */
int saxpy_held_launches(const struct saxpy_options *options)
{
	return options->streams || options->threads == 1 ? WORKLOAD_HELD_LAUNCHES / options->threads
							 : 0;
}

int saxpy_blocks(const struct saxpy_options *options, int count, int multiprocessors)
{
	int threads = options->variant == SAXPY_FLOAT4 ? count / 4 + count % 4 : count;
	int blocks = threads / options->block + (threads % options->block != 0);
	int resident = multiprocessors * (RESIDENT_THREADS / options->block);

	return options->variant == SAXPY_GRID_STRIDE && resident < blocks ? resident : blocks;
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
