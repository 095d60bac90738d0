/* SPDX-License-Identifier: MIT */
/* `ktime diff`: two runs side by side. */
#include "report/compare/diff.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/compare/compare_print.h"
#include "report/compare/import.h"
#include "report/names/visible.h"
#include "report/print/number.h"

#define MESSAGE_SIZE	  512
#define EXIT_ABOVE	  3

/* Rows that take less of the GPU's time, in both runs, do not fail a run. */
#define SHARE_THAT_COUNTS 0.01

/* By how much a row's calls take longer in B: the larger of what averages and medians say. */
static double slowdown(const struct comparison_row *row)
{
	double ratio = row->ratio;

	if (row->verdict == VERDICT_SLOWER && row->median_ratio > ratio)
		ratio = row->median_ratio;
	return (ratio - 1) * 100;
}

/* Whether B is slower than the limit allows; says where. */
static bool is_above(const struct comparison *comparison, double limit)
{
	bool above = false;

	if (comparison->gpu_b > comparison->gpu_a * (1 + limit / 100)) {
		fprintf(stderr, "ktime: all GPU activities take %.1f%% longer: above %g%%\n",
			comparison->gpu_a > 0 ? (comparison->gpu_b / comparison->gpu_a - 1) * 100
					      : INFINITY,
			limit);
		above = true;
	}
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		bool counts = row->a && row->b &&
			      (row->a->total >= comparison->gpu_a * SHARE_THAT_COUNTS ||
			       row->b->total >= comparison->gpu_b * SHARE_THAT_COUNTS);
		bool slower = row->verdict == VERDICT_SLOWER ||
			      (row->verdict == VERDICT_OUTLIERS && row->ratio > 1);

		if (!counts || !slower || slowdown(row) <= limit)
			continue;
		fputs("ktime: ", stderr);
		visible_write(comparison_name(row), stderr);
		fprintf(stderr, " takes %.1f%% longer: above %g%%\n", slowdown(row), limit);
		above = true;
	}
	return above;
}

int command_diff(const struct options *options, const char *const *files, size_t count)
{
	struct profile profiles[2] = {{0}};
	struct comparison comparison = {0};
	char message[MESSAGE_SIZE] = "";
	int error = 0, status = 1;

	(void)count;
	for (int i = 0; i < 2 && !error; i++)
		error = import_profile(&profiles[i], files[i], message, sizeof(message));
	if (error) {
		fprintf(stderr, "ktime: %s\n", message);
		goto out;
	}
	error = compare_profiles(&comparison, &profiles[0], &profiles[1], options->noise / 100);
	if (error) {
		fprintf(stderr, "ktime: %s\n", strerror(-error));
		goto out;
	}
	if (options->csv) {
		comparison_print_csv(&comparison, stdout);
	} else {
		for (int i = 0; i < 2; i++)
			printf("%c: %s (%s)\n", "AB"[i], files[i], profiles[i].source);
		putchar('\n');
		comparison_print_text(&comparison, stdout);
	}
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ktime: standard output: %s\n", strerror(errno));
		goto out;
	}
	status = !isnan(options->fail_above) && is_above(&comparison, options->fail_above)
			 ? EXIT_ABOVE
			 : 0;
out:
	comparison_free(&comparison);
	profile_free(&profiles[0]);
	profile_free(&profiles[1]);
	return status;
}
