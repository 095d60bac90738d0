/* SPDX-License-Identifier: MIT */
/*
 * How often the 95 % interval of a graph's kernels, recorded in windows, holds the true total: the
 * library's windows and sums on a virtual clock, with a model of a program that launches a graph.
 *
 * usage: window_coverage [RUNS [SEED]]
 * Exits with 1 if a bar is missed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/handles/graph.h"
#include "preload/recording/recording.h"
#include "preload/recording/rows.h"
#include "preload/recording/sums.h"
#include "tests/unit/made_run.h"

/* As in recording.c. */
#define BUDGET	      0.05
#define CREDIT_NS     (BUDGET * 200e6)
#define SHARE	      0.3
#define POLL_NS	      500000.0	/* of an open window */
#define PERIOD_NS     5000000.0 /* of the collector */
/* Runs of a process: what the sums have known they go through at each window. */
#define CHUNK	      25
/* Of an updated graph. */
#define MOST_VERSIONS 3
/* Recorded launches of a window. */
#define MOST_OPEN     4096

enum shape { EVEN, LOGNORMAL, DRIFT, STEP, PHASES, SPIKES, VERSIONS, RARE_VERSIONS, SHAPES };
static const char *const shape_names[SHAPES] = {
	"even", "lognormal", "drift", "step", "phases", "spikes", "versions", "rare",
};

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

/* How long the kernels of a launch take, nanoseconds. */
struct program {
	enum shape shape;
	double seconds, base, factor, noise, at, period, left, level;
	double node_cost; /* what recording a launch adds */
	int version;	  /* the present one, which takes factors[version] times as long */
	double factors[MOST_VERSIONS];
};

static struct program make_program(enum shape shape)
{
	struct program program = {.shape = shape, .level = 1};

	program.seconds = log_uniform(1, 20);
	program.base = log_uniform(60e3, 3e6);
	program.factor = log_uniform(1.1, 4);
	program.noise = log_uniform(0.001, 0.05);
	program.at = uniform(0.1, 0.9);
	program.period = log_uniform(0.03, 3) * 1e9;
	if (shape == VERSIONS || shape == RARE_VERSIONS)
		for (int i = 0; i < MOST_VERSIONS; i++)
			program.factors[i] = log_uniform(1, 6);
	program.node_cost = program.base * uniform(0.3, 2);
	return program;
}

/* The last version lives a twentieth of the others' time. */
static bool shape_is_rare(const struct program *program)
{
	return program->shape == RARE_VERSIONS && program->version == MOST_VERSIONS - 1;
}

static double launch_time(struct program *program, double now)
{
	double value = program->base, part = now / (program->seconds * 1e9);

	switch (program->shape) {
	case LOGNORMAL:
		value *= exp(0.5 * normal());
		break;
	case DRIFT:
		value *= 1 + (program->factor - 1) * part;
		break;
	case STEP:
		value *= part < program->at ? 1 : program->factor;
		break;
	case PHASES:
		if (now >= program->left) {
			program->level = program->level > 1 ? 1 : program->factor;
			program->left = now + program->period * uniform(0.5, 1.5);
		}
		value *= program->level;
		break;
	case VERSIONS:
	case RARE_VERSIONS:
		if (now >= program->left) {
			program->version = (program->version + 1) % MOST_VERSIONS;
			program->left = now + program->period * uniform(0.5, 1.5) *
						      (shape_is_rare(program) ? 0.05 : 1);
		}
		value *= program->factors[program->version];
		break;
	case SPIKES:
		value *= uniform(0, 1) < 0.02 ? 1 + program->factor : 1;
		break;
	default:
		break;
	}
	return value * (1 + program->noise * normal());
}

static struct operation operations[(1 + MOST_VERSIONS) * CHUNK], *newest;
static struct row rows[(1 + MOST_VERSIONS) * CHUNK];

struct operation *operation_first(void)
{
	return newest;
}

struct row *rows_of(struct operation *operation, int device)
{
	return operation->rows[device];
}

static struct operation *new_operation(enum row_kind kind)
{
	static unsigned count;
	struct operation *operation = &operations[count];

	*operation = (struct operation){.index = count, .kind = kind, .rows = {&rows[count]}};
	operation->next = newest;
	newest = operation;
	count++;
	return operation;
}

static struct operation *new_graph(struct operation *kernel)
{
	struct graph_contents *contents = calloc(1, sizeof(*contents) + sizeof(struct graph_part));
	struct operation *graph = new_operation(ROW_GRAPH);

	contents->parts[contents->part_count++] =
		(struct graph_part){.operation = kernel, .count = 1};
	contents->nodes = contents->recorded = 1;
	contents->kernels = graph_contents_kernel_mark(kernel);
	atomic_store(&graph->contents, contents);
	return graph;
}

static struct operation *new_version(struct operation *of)
{
	struct operation *version = new_operation(ROW_GRAPH);

	version->version_of = of;
	version->rows[0] = of->rows[0];
	atomic_store(&version->contents, atomic_load(&of->contents));
	return version;
}

static void add(struct operation *kernel, double taken)
{
	const struct launch_part part = {kernel, 1, (uint64_t)(taken + 0.5)};
	struct operation *graph;

	sums_add_launch(graph_contents_kernel_mark(kernel), 0, &part, 1, &graph);
}

struct outcome {
	double truth, total, error;
};

static struct outcome simulate(enum shape shape)
{
	struct program program = make_program(shape);
	struct operation *kernel = new_operation(ROW_KERNEL), *graph = new_graph(kernel);
	struct operation *versions[MOST_VERSIONS] = {graph};
	struct row *row = graph->rows[0];
	double now = 1e9, credit = CREDIT_NS, opened = 0, poll = 0, spent = 0, work = 0;
	double held[MOST_OPEN];
	struct outcome outcome = {0};
	bool on = true, windows = false;
	int count = 0;

	for (int i = 1; program.factors[0] > 0 && i < MOST_VERSIONS; i++)
		versions[i] = new_version(graph);
	window_times_start((uint64_t)now, SHARE * BUDGET, next_random());
	while (now < program.seconds * 1e9 + 1e9) {
		double taken = launch_time(&program, now - 1e9);

		outcome.truth += taken;
		if (on && count < MOST_OPEN)
			held[count++] = taken;
		spent += on ? program.node_cost : 0;
		now += taken + (on ? program.node_cost : 0);
		work += program.node_cost;
		row->calls++;
		versions[program.version]->calls++;
		if (now < poll)
			continue;
		window_times_pass((uint64_t)now, work);
		windows = windows || spent > credit + BUDGET * (now - 1e9);
		if (on && windows &&
		    (!opened || window_times_are_over((uint64_t)(now - opened), work, spent))) {
			/* The last one loses its ends. */
			versions_window_was_closed();
			for (int i = 0; i + 1 < count; i++)
				add(kernel, held[i]);
			sums_close_window(opened > 0);
			if (opened > 0)
				window_times_adapt(spent);
			on = false;
			window_times_plan((uint64_t)now, work, spent);
			count = 0;
		} else if (!on && window_times_are_due((uint64_t)now, work)) {
			on = true;
			opened = now;
			versions_window_opens();
			spent = 0;
		}
		poll = now + (on ? POLL_NS : PERIOD_NS);
	}
	for (int i = 0; i + 1 < count; i++)
		add(kernel, held[i]);
	sums_close_window(opened > 0);
	sums_update_rows();
	outcome.total = kernel->rows[0]->windows_total;
	outcome.error =
		figure_get(kernel->rows[0]->windows_error, kernel->rows[0]->known, ERROR_KNOWN);
	return outcome;
}

struct tally {
	int runs, intervals, covered;
	double bias, width;
};

static void tally_add(struct tally *tally, const struct outcome *outcome)
{
	if (!(outcome->total > 0))
		return;
	tally->runs++;
	if (isnan(outcome->error))
		return;
	tally->intervals++;
	tally->covered += fabs(outcome->total - outcome->truth) <= outcome->error;
	tally->bias += outcome->total / outcome->truth - 1;
	tally->width += outcome->error / outcome->truth;
}

/* Runs in a process of their own, whose tally comes by a pipe. */
static struct tally simulate_chunk(enum shape shape)
{
	struct tally tally = {0};
	int ends[2];
	pid_t child;

	if (pipe(ends))
		exit(2);
	next_random();
	child = fork();
	if (child == 0) {
		if (make_run(0))
			_exit(2);
		sums_start();
		for (int i = 0; i < CHUNK; i++) {
			struct outcome outcome = simulate(shape);

			tally_add(&tally, &outcome);
		}
		session_close(run.session);
		_exit(write(ends[1], &tally, sizeof(tally)) != sizeof(tally));
	}
	close(ends[1]);
	if (read(ends[0], &tally, sizeof(tally)) != sizeof(tally))
		exit(2);
	close(ends[0]);
	waitpid(child, NULL, 0);
	return tally;
}

static bool print(const char *name, const struct tally *tally, double bar)
{
	double coverage = (double)tally->covered / tally->intervals;
	double bias = 100 * tally->bias / tally->intervals;
	bool good = coverage >= bar && fabs(bias) <= 3.5;

	printf("%-10s %6d %10d %9.3f %+8.2f %8.2f  %s\n", name, tally->runs, tally->intervals,
	       coverage, bias, 100 * tally->width / tally->intervals, good ? "ok" : "missed");
	return good;
}

/* Of rare long launches many runs have none in their windows, which then say nothing of them. */
static double bar_of(enum shape shape)
{
	return shape == SPIKES || shape == RARE_VERSIONS ? 0.68 : 0.93;
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 500;
	bool good = true;

	state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	printf("%-10s %6s %10s %9s %8s %8s\n", "shape", "runs", "intervals", "coverage", "bias %",
	       "width %");
	for (int shape = 0; shape < SHAPES; shape++) {
		struct tally tally = {0};

		while (tally.runs < runs) {
			struct tally added = simulate_chunk((enum shape)shape);

			state += 0x1234567;
			tally.runs += added.runs;
			tally.intervals += added.intervals;
			tally.covered += added.covered;
			tally.bias += added.bias;
			tally.width += added.width;
		}
		good &= print(shape_names[shape], &tally, bar_of((enum shape)shape));
	}
	return good ? 0 : 1;
}
