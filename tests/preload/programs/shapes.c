/* SPDX-License-Identifier: MIT */
/*
 * Launches one kernel many times, with durations of a shape, and prints their sum in nanoseconds:
 * on the simulated device a kernel takes 1,000 ns and 1 for each block of 256.
 *
 * usage: shapes CALLS PACE_NS SHAPE SEED
 *
 * A launch is made each PACE_NS of the host's time.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/sim/programs/check.h"

/* How far the run has come, from 0 to 1, and the number of the call. */
struct place {
	double part;
	long call;
};

static double uniform(void)
{
	return drand48();
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

static double constant(struct place place)
{
	(void)place;
	return 10000;
}

static double step(struct place place)
{
	return place.part < 0.5 ? 10000 : 28000;
}

static double ramp(struct place place)
{
	return 10000 + 30000 * place.part;
}

static double alternating(struct place place)
{
	return place.call % 2 ? 8000 : 24000;
}

static double warm_up(struct place place)
{
	return place.call < 200 ? 91000 : 10000;
}

/* Seven waves in a run, by half of the mean. */
static double periodic(struct place place)
{
	return 20000 + 10000 * sin(7 * 6.283185307179586 * place.part);
}

/* Long ones come in a row, of a fiftieth of a run on average, for a quarter of it. */
static double bursts(struct place place)
{
	static double until;
	static bool is_long;

	if (place.part >= until) {
		is_long = !is_long;
		until = place.part - log(1 - uniform()) * (is_long ? 0.02 : 0.06);
	}
	return is_long ? 40000 : 10000;
}

static double rare(struct place place)
{
	(void)place;
	return uniform() < 0.1 ? 91000 : 10000;
}

static double heavy_tail(struct place place)
{
	(void)place;
	return 1000 + 9000 * exp(normal());
}

static const struct shape {
	const char *name;
	double (*duration)(struct place place);
} shapes[] = {
	{"constant", constant},	      {"step", step},	    {"ramp", ramp},
	{"alternating", alternating}, {"warm-up", warm_up}, {"periodic", periodic},
	{"bursts", bursts},	      {"rare", rare},	    {"heavy-tail", heavy_tail},
};

static const struct shape *shape_named(const char *name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (strcmp(name, shapes[i].name) == 0)
			return &shapes[i];
	fprintf(stderr, "shapes: no shape %s\n", name);
	exit(2);
}

static double host_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
	const struct shape *shape;
	CUcontext context;
	CUmodule module;
	CUfunction kernel;
	double pace, start;
	uint64_t sum = 0;
	long calls;

	if (argc != 5)
		return 2;
	calls = atol(argv[1]);
	pace = atof(argv[2]);
	shape = shape_named(argv[3]);
	srand48(atol(argv[4]));
	CHECK(cuInit(0));
	CHECK(cuDevicePrimaryCtxRetain(&context, 0));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuModuleLoadData(&module, ".version 8.0\n.target sm_80\n.visible .entry kernel()\n"));
	CHECK(cuModuleGetFunction(&kernel, module, "kernel"));
	start = host_ns();
	for (long i = 0; i < calls; i++) {
		struct place place = {(double)i / (double)calls, i};
		double more = shape->duration(place) - 1000;
		unsigned blocks = more > 1 ? (unsigned)more : 1;

		CHECK(cuLaunchKernel(kernel, blocks, 1, 1, 256, 1, 1, 0, NULL, NULL, NULL));
		sum += 1000 + blocks;
		while (host_ns() < start + (double)(i + 1) * pace)
			;
	}
	CHECK(cuCtxSynchronize());
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
