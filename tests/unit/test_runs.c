/* SPDX-License-Identifier: MIT */
/*
 * How often a comparison of 5 runs a side, or of single runs, is wrong, on profiles whose truth is
 * known: 25 kernels and 8 API calls, each with a run-to-run noise of 1 % and 1 % between the calls
 * of a run. test_runs [COMPARISONS] compares as often as it is told.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/compare/compare.h"
#include "report/session/session.h"

#define KERNELS	      25
#define API_CALLS     8
#define RUNS	      5
#define RUN_NOISE     0.01
#define CALL_NOISE    0.01

/* The kernel that is slower in B, or has more calls there: it takes a fifth of the GPU's time. */
#define SLOWER_KERNEL "kernel 1"

/* What is different in B, and how many runs a side has. */
struct trial {
	double slower;
	unsigned more_calls;
	size_t runs;
};

static unsigned comparisons = 100;
static uint64_t random_state;

/* Marsaglia's xorshift64*, so that every machine draws the same numbers. */
static double draw_uniform(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return ((double)(random_state * 0x2545f4914f6cdd1dULL >> 11) + 0.5) / 0x1p53;
}

static double draw_normal(void)
{
	double radius = sqrt(-2 * log(draw_uniform()));

	return radius * cos(2 * M_PI * draw_uniform());
}

static void write_row(struct session *session, enum row_kind kind, const char *name, unsigned calls,
		      double nanoseconds)
{
	struct row *row = session_row(session, kind, name, row_is_api(kind) ? -1 : 0);
	double run = exp(RUN_NOISE * draw_normal());

	assert_non_null(row);
	for (unsigned call = 0; call < calls; call++) {
		double time = nanoseconds * run * exp(CALL_NOISE * draw_normal());

		session_add_sample(session, &row->cupti, (uint64_t)(time + 0.5));
		row->calls++;
	}
}

/* Writes a run's profile. */
static void write_run(const char *path, const struct trial *trial)
{
	struct session *session;
	char name[32];

	assert_int_equal(session_create(&session, path, 0), 0);
	session_header(session)->finished = 1;
	session_header(session)->cupti_active = 1;
	for (int i = 0; i < KERNELS; i++) {
		bool changed;

		snprintf(name, sizeof(name), "kernel %d", i);
		changed = !strcmp(name, SLOWER_KERNEL);
		write_row(session, ROW_KERNEL, name,
			  (20 + (unsigned)i) * (changed ? trial->more_calls : 1),
			  400e3 * pow(0.7, i) * (changed ? trial->slower : 1));
	}
	for (int i = 0; i < API_CALLS; i++) {
		/* A program that polls calls some functions more often in one run than in another.
		 */
		unsigned more = i < 2 ? (unsigned)(draw_uniform() * 3) : 0;

		snprintf(name, sizeof(name), "cudaCall%d", i);
		write_row(session, ROW_RUNTIME_API, name, 50 + more, 100e3 * pow(0.5, i));
	}
	session_close(session);
}

static void load_side(struct profile *side, const char *folder, const struct trial *trial)
{
	char paths[RUNS][64], message[256];
	const char *files[RUNS];

	for (size_t run = 0; run < trial->runs; run++) {
		snprintf(paths[run], sizeof(paths[run]), "%s/%zu.ktime", folder, run);
		write_run(paths[run], trial);
		files[run] = paths[run];
	}
	if (runs_load(side, files, trial->runs, NULL, message, sizeof(message)))
		fail_msg("%s", message);
	for (size_t run = 0; run < trial->runs; run++)
		unlink(paths[run]);
}

static bool is_difference(enum verdict verdict)
{
	return verdict == VERDICT_FASTER || verdict == VERDICT_SLOWER ||
	       verdict == VERDICT_LESS_TIME || verdict == VERDICT_MORE_TIME;
}

struct counts {
	unsigned wrong;	 /* comparisons with a verdict that is not true */
	unsigned found;	 /* comparisons where the changed kernel was found */
	unsigned same;	 /* rows */
	unsigned unsure; /* rows */
};

static void count_comparison(struct counts *counts, const char *folder, const struct trial *trial)
{
	const struct trial unchanged = {1, 1, trial->runs};
	const enum verdict right = trial->more_calls > 1 ? VERDICT_MORE_TIME : VERDICT_SLOWER;
	const bool differs = trial->more_calls > 1 || trial->slower > 1;
	struct profile a, b;
	struct comparison comparison;
	bool wrong;

	load_side(&a, folder, &unchanged);
	load_side(&b, folder, trial);
	assert_int_equal(compare_profiles(&comparison, &a, &b, NAN), 0);
	assert_int_equal(comparison.count, KERNELS + API_CALLS);
	wrong = is_difference(comparison.gpu_verdict) && !differs;
	for (size_t i = 0; i < comparison.count; i++) {
		const struct comparison_row *row = &comparison.rows[i];
		bool changed = differs && !strcmp(comparison_name(row), SLOWER_KERNEL);

		if (changed)
			counts->found += row->verdict == right;
		else
			wrong |= is_difference(row->verdict);
		counts->same += row->verdict == VERDICT_SAME;
		counts->unsure += row->verdict == VERDICT_CANNOT_TELL;
	}
	counts->wrong += wrong;
	comparison_free(&comparison);
	profile_free(&a);
	profile_free(&b);
}

static struct counts simulate(const struct trial trial)
{
	const char *temporary = getenv("TMPDIR");
	struct counts counts = {0};
	char folder[40];

	random_state = 20240229;
	/* Short, as paths are here. */
	if (!temporary || chdir(temporary) < 0)
		assert_int_equal(chdir("/tmp"), 0);
	strcpy(folder, "ktime-runs-XXXXXX");
	assert_non_null(mkdtemp(folder));
	for (unsigned i = 0; i < comparisons; i++)
		count_comparison(&counts, folder, &trial);
	rmdir(folder);
	print_message(
		"%u comparisons of %zu runs a side, one kernel %g times slower, of %u times the "
		"calls: wrong %u, found %u; rows: %u same, %u cannot tell\n",
		comparisons, trial.runs, trial.slower, trial.more_calls, counts.wrong, counts.found,
		counts.same, counts.unsure);
	return counts;
}

static void runs_of_one_program_get_no_verdict(void **state)
{
	struct counts counts = simulate((struct trial){1, 1, RUNS});

	(void)state;
	assert_true(counts.wrong * 100 <= 2 * comparisons);
}

static void a_kernel_that_is_5_percent_slower_is_found(void **state)
{
	struct counts counts = simulate((struct trial){1.05, 1, RUNS});

	(void)state;
	assert_true(counts.found * 100 >= 95 * comparisons);
	assert_true(counts.wrong * 100 <= 2 * comparisons);
}

static void single_runs_of_one_program_get_no_verdict(void **state)
{
	struct counts counts = simulate((struct trial){1, 1, 1});

	(void)state;
	assert_true(counts.wrong * 100 <= 2 * comparisons);
}

static void ten_times_the_calls_of_a_single_run_are_found(void **state)
{
	struct counts counts = simulate((struct trial){1, 10, 1});

	(void)state;
	assert_int_equal(counts.found, comparisons);
	assert_int_equal(counts.wrong, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_one_program_get_no_verdict),
		cmocka_unit_test(a_kernel_that_is_5_percent_slower_is_found),
		cmocka_unit_test(single_runs_of_one_program_get_no_verdict),
		cmocka_unit_test(ten_times_the_calls_of_a_single_run_are_found),
	};

	if (argc > 1)
		comparisons = (unsigned)strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
