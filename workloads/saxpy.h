/* SPDX-License-Identifier: MIT */
/* What the three builds of saxpy share: options, work split, and the figures they print. */
#ifndef WORKLOADS_SAXPY_H
#define WORKLOADS_SAXPY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which of saxpy_kernel.h's kernels. */
enum saxpy_variant {
	SAXPY_PLAIN,
	SAXPY_GRID_STRIDE,
	SAXPY_FLOAT4,
};

#define SAXPY_A 2.0f
#define SAXPY_X 1.0f
#define SAXPY_Y 2.0f

struct saxpy_options {
	int n;		 /* elements of x and y */
	int repetitions; /* launches of each thread */
	int streams;	 /* of each thread; 0: the default stream */
	int threads;
	int variant; /* enum saxpy_variant */
	int block;   /* threads of a block */
};

/* Elements [first, first + count) of the vectors, all a slice's launches work on. */
struct saxpy_slice {
	int first;
	int count;
	int launches;
};

/* Exits with 0 after --help and with 2 on a bad option. */
void saxpy_parse(struct saxpy_options *options, int argc, char **argv);

/* Each stream of each thread has a slice of its own, so that launches never race. */
struct saxpy_slice saxpy_slice(const struct saxpy_options *options, int thread, int stream);

/*
 * Prints the largest error of y and the figures for kernel_ms, the time of all launches by the
 * program's own events, the slowest thread's. Returns the exit code: 1 where y is wrong.
 */
int saxpy_report(const struct saxpy_options *options, const float *y, float kernel_ms);

/* The blocks of a launch on count elements; the GPU's multiprocessors bound a grid-stride one. */
int saxpy_blocks(const struct saxpy_options *options, int count, int multiprocessors);

void saxpy_fill(const struct saxpy_options *options, float *x, float *y);

/* How many launches of a thread may be enqueued behind its hold; 0: nothing may be held. */
int saxpy_held_launches(const struct saxpy_options *options);

/* Runs body(thread, argument) on options->threads threads, the calling one being the first. */
void saxpy_threads(const struct saxpy_options *options, void (*body)(int thread, void *argument),
		   void *argument);

#ifdef __cplusplus
}
#endif
#endif
