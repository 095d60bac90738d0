/* SPDX-License-Identifier: MIT */
/*
 * How often the 95 % intervals of busy time and of the causes of idle time, which windows tell,
 * hold what it was: programs of a model, on a virtual clock (tests/unit/served_model.h).
 *
 * usage: use_coverage [RUNS [SEED]]
 * Exits with 1 if a bar is missed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/served_model.h"

#define SECONDS 10
#define BAR	0.95
/* Parts that are less of the time may be in no window. */
#define LEAST	0.001

struct launch_state launch_state = {.cupti = true};

bool window_changed_between(uint64_t start, uint64_t end)
{
	(void)start;
	(void)end;
	return false;
}

static const char *const shape_names[MODEL_SHAPES] = {
	"decodes", "phases", "serves", "queues", "polls", "floods", "threads",
};

/* A run in a process of its own. */
static void run_one(enum model_shape shape, uint64_t seed, struct model_outcome *outcome)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (model_run(shape, seed, SECONDS))
			_exit(2);
		*outcome = model.outcome;
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		exit(2);
}

/* In percent of the time. */
struct tally {
	double share, deviation, largest, width;
	int told, covered;
};

static void add(struct tally *tally, const struct model_outcome *outcome, unsigned part)
{
	double scale = 100 / (double)outcome->whole;
	double off = outcome->total[part] - outcome->truth[part];

	if (!outcome->told)
		return;
	tally->told++;
	tally->covered += fabs(off) <= outcome->error[part];
	tally->share += outcome->truth[part] * scale;
	tally->deviation += off * scale;
	tally->width += outcome->error[part] * scale;
	if (fabs(off) * scale > tally->largest)
		tally->largest = fabs(off) * scale;
}

static bool print(enum model_shape shape, const struct model_outcome *outcomes, int runs)
{
	bool good = true;

	for (unsigned part = 0; part < MODEL_PARTS; part++) {
		struct tally tally = {0};
		double coverage;

		for (int i = 0; i < runs; i++)
			add(&tally, &outcomes[i], part);
		if (!(tally.share > 100 * LEAST * tally.told))
			continue;
		coverage = (double)tally.covered / tally.told;
		good &= coverage >= BAR;
		printf("%-8s %-28s %5d %7.2f %9.3f %+8.3f %8.2f %8.2f  %s\n", shape_names[shape],
		       part == MODEL_BUSY ? "busy" : idle_cause_keys[part], tally.told,
		       tally.share / tally.told, coverage, tally.deviation / tally.told,
		       tally.largest, tally.width / tally.told, coverage >= BAR ? "ok" : "missed");
	}
	return good;
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 100;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct model_outcome *outcomes =
		mmap(NULL, (size_t)runs * sizeof(*outcomes), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool good = true;

	if (outcomes == MAP_FAILED)
		return 2;
	printf("%-8s %-28s %5s %7s %9s %8s %8s %8s\n", "shape", "part", "told", "share %",
	       "coverage", "bias %", "most %", "width %");
	for (int shape = 0; shape < MODEL_SHAPES; shape++) {
		for (int i = 0; i < runs; i++)
			run_one((enum model_shape)shape, seed + 104729 * (uint64_t)i, &outcomes[i]);
		good &= print((enum model_shape)shape, outcomes, runs);
	}
	return good ? 0 : 1;
}
