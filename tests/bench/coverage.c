/* SPDX-License-Identifier: MIT */
/*
 * How often the 95 % interval of an estimated total holds the true one: the sampling and the
 * estimator of the library on a virtual clock, with a model of the device and of the event pool.
 *
 * usage: coverage [RUNS [SEED]]
 * Exits with 1 if a bar is missed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti/cupti.h"
#include "preload/base/mode.h"
#include "preload/base/settings.h"
#include "preload/events/event_pool.h"
#include "preload/events/sampling.h"
#include "preload/handles/operation.h"
#include "report/session/estimate.h"

#define CALLS_MOST   50000
#define CALLS_LEAST  20
#define PERIOD_NS    5000000.0 /* of the collector */
#define QUEUE	     1021      /* launches in a stream that are not finished */
#define SHORT_CHECKS 10

/* What the library's sampling reads. */
struct options settings;
bool mode_events = true;
_Atomic bool mode_cupti;

bool cupti_active(void)
{
	return false;
}
static struct operation operation;

struct operation *operation_first(void)
{
	return &operation;
}

void operation_first_sampling(uint32_t sample_below)
{
	operation.sample_below = sample_below;
}

enum shape { STEP, WARM_UP, BIMODAL, LOGNORMAL, BURSTS, SHAPES };
static const char *const shape_names[SHAPES] = {"step", "warm-up", "bimodal", "lognormal",
						"bursts"};

static uint64_t state;

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t next_random(void)
{
	uint64_t x = state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static double uniform(double low, double high)
{
	return low + (high - low) * ((double)(next_random() >> 11) + 0.5) / 9007199254740992.0;
}

static double log_uniform(double low, double high)
{
	return exp(uniform(log(low), log(high)));
}

static double normal(void)
{
	return sqrt(-2 * log(uniform(0, 1))) * cos(uniform(0, 6.283185307179586));
}

/* The durations of a run's calls, ns. */
static void make_durations(enum shape shape, double *durations, int calls)
{
	double base = log_uniform(2000, 100000), factor = log_uniform(1.2, 4);
	double at = uniform(0.1, 0.9), share = uniform(0.2, 0.8), sigma = uniform(0.2, 0.8);
	double length = uniform(0.02, 0.3) * calls, left = 0;
	bool burst = false;

	for (int i = 0; i < calls; i++) {
		double value = base;

		switch (shape) {
		case STEP:
			value *= i < at * calls ? 1 : factor;
			break;
		case WARM_UP:
			value *= 1 + factor * exp(-i / length);
			break;
		case BIMODAL:
			value *= uniform(0, 1) < share ? 1 : factor;
			break;
		case LOGNORMAL:
			value *= exp(sigma * normal());
			break;
		case BURSTS:
			if (left-- <= 0) {
				burst = !burst;
				left = -log(uniform(0, 1)) * (length < 8 ? 8 : length);
			}
			value *= burst ? factor : 1;
			break;
		default:
			break;
		}
		durations[i] = value * (1 + 0.02 * normal());
		if (durations[i] < 100)
			durations[i] = 100;
	}
}

struct run {
	enum shape shape;
	int calls;
	int timed;
	double truth, deviation; /* of all calls, and of one */
	struct estimated estimated;
};

/* A call as the collector takes it. */
struct taken {
	double finished;
	uint64_t place;
	double weight;
	double duration;
	struct event_pair *pair;
};

static struct session *session;
static double durations[CALLS_MOST], finished[CALLS_MOST];
static struct taken queue[CALLS_MOST];
static struct event_pair pairs[POOL_PAIRS];

struct device {
	struct estimate estimate;
	int head, tail; /* of `queue` */
	struct event_pool pool;
	uint64_t counted; /* calls without a record since the last period */
};

static void add_pairs(struct event_pool *pool, unsigned count)
{
	while (count--)
		event_pool_put(pool, &pairs[pool->pairs++]);
}

/* As event_pools_grow() does. */
static void grow(struct event_pool *pool)
{
	if (pool->put - pool->taken >= pool->pairs / 2 || 2 * pool->pairs > POOL_PAIRS) {
		pool->short_checks = 0;
	} else if (++pool->short_checks >= SHORT_CHECKS) {
		add_pairs(pool, pool->pairs);
		pool->short_checks = 0;
	}
}

/* One period of the collector, as in preload/collector: records, counts, event pairs, sampling. */
static void collect(struct device *device, double now)
{
	operation.window_calls += device->counted;
	device->counted = 0;
	for (; device->tail < device->head && queue[device->tail].finished <= now; device->tail++) {
		const struct taken *taken = &queue[device->tail];

		estimate_timed(&device->estimate, taken->place, taken->weight,
			       (uint64_t)(taken->duration + 0.5));
		event_pool_put(&device->pool, taken->pair);
	}
	grow(&device->pool);
	sampling_update(session, (uint64_t)now, 1);
}

static void launch(struct device *device, double start, double end)
{
	uint32_t below = operation.sample_below, thinning;
	struct event_pair *pair;
	double weight;
	uint64_t place;

	if (below != SAMPLE_ALL && (uint32_t)next_random() >= below) {
		device->counted++;
		return;
	}
	/* Its record is taken at the end of the period; the order of the calls is the same. */
	operation.window_calls++;
	thinning = event_pool_thinning(&device->pool, 0);
	if (next_random() & ((1u << thinning) - 1))
		return;
	weight = (double)SAMPLE_ALL / below * (1u << thinning);
	place = estimate_call(&device->estimate, weight);
	pair = event_pool_take(&device->pool);
	if (!pair)
		return;
	operation.pairs++;
	queue[device->head++] = (struct taken){end, place, weight, end - start, pair};
}

static void simulate(struct run *run)
{
	struct device device = {.pool.thins = true};
	double host = 1e9, gpu = 0, next_period = 1e9 + PERIOD_NS;
	double interval = log_uniform(2700, 30000), squares = 0, chance = uniform(0, 1);

	operation = (struct operation){.sample_below = SAMPLE_ALL};
	settings = (struct options){.events = EVENTS_AUTO, .budget = 5};
	if (chance < 0.3) {
		settings.events = EVENTS_FRACTION;
		settings.events_fraction = chance < 0.1 ? 3 : chance < 0.2 ? 10 : 50;
	}
	/* Those of the first thread in a context, and of later ones. */
	add_pairs(&device.pool, uniform(0, 1) < 0.7 ? 256 : 16);
	sampling_start((uint64_t)host);
	make_durations(run->shape, durations, run->calls);
	for (int i = 0; i < run->calls; i++) {
		double start;

		host += interval * uniform(0.8, 1.2);
		if (i >= QUEUE && finished[i - QUEUE] > host)
			host = finished[i - QUEUE];
		for (; next_period <= host; next_period += PERIOD_NS)
			collect(&device, next_period);
		start = gpu > host ? gpu : host;
		gpu = start + durations[i];
		finished[i] = gpu;
		launch(&device, start, gpu);
		run->truth += durations[i];
		squares += durations[i] * durations[i];
	}
	collect(&device, gpu + PERIOD_NS);
	run->timed = device.head;
	run->deviation = sqrt(sample_variance((uint64_t)run->calls, run->truth, squares));
	run->estimated = estimate_of(&device.estimate, (uint64_t)run->calls);
}

struct tally {
	int runs, intervals, covered;
	double bias, ratios[CALLS_MOST];
	int ratio_count;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Whole runs have no interval to speak of: nothing is estimated. */
static void tally_add(struct tally *tally, const struct run *run)
{
	double n = run->timed, calls = run->calls, ideal;

	if (run->timed == run->calls)
		return;
	tally->runs++;
	if (isnan(run->estimated.error))
		return;
	tally->intervals++;
	tally->covered +=
		fabs(run->estimated.total - run->truth) <= run->estimated.error + 0.5 * calls;
	tally->bias += run->estimated.total / run->truth - 1;
	ideal = 1.96 * calls * run->deviation * sqrt((1 - n / calls) / n);
	tally->ratios[tally->ratio_count++] = run->estimated.error / ideal;
}

static bool tally_print(struct tally *tally, const char *name, double bar)
{
	double coverage = (double)tally->covered / tally->intervals;
	double bias = 100 * tally->bias / tally->intervals, ratio;
	bool good;

	qsort(tally->ratios, (size_t)tally->ratio_count, sizeof(*tally->ratios), compare);
	ratio = tally->ratios[tally->ratio_count / 2];
	good = coverage >= bar && fabs(bias) <= 1 && ratio <= 1.5;
	printf("%-10s %6d %10d %9.3f %+8.2f %8.2f  %s\n", name, tally->runs, tally->intervals,
	       coverage, bias, ratio, good ? "ok" : "missed");
	return good;
}

int main(int argc, char **argv)
{
	static struct tally tallies[SHAPES + 1];
	int runs = argc > 1 ? atoi(argv[1]) : 5000;
	bool good = true;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	if (runs < 1 || runs > CALLS_MOST || session_create(&session, NULL, 0))
		return 2;
	for (int i = 0; i < runs;) {
		struct run run = {.shape = (enum shape)(i % SHAPES)};

		run.calls = (int)log_uniform(CALLS_LEAST, CALLS_MOST);
		simulate(&run);
		if (run.timed == run.calls)
			continue;
		if (getenv("COVERAGE_RUNS"))
			printf("%s %d %d %g %g %g\n", shape_names[run.shape], run.calls, run.timed,
			       run.truth, run.estimated.total, run.estimated.error);
		tally_add(&tallies[run.shape], &run);
		tally_add(&tallies[SHAPES], &run);
		i++;
	}
	session_close(session);
	printf("%-10s %6s %10s %9s %8s %8s\n", "shape", "runs", "intervals", "coverage", "bias %",
	       "width");
	for (int shape = 0; shape < SHAPES; shape++)
		good &= tally_print(&tallies[shape], shape_names[shape], 0.90);
	good &= tally_print(&tallies[SHAPES], "all", 0.93);
	return good ? 0 : 1;
}
