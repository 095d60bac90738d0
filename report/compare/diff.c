/* SPDX-License-Identifier: MIT */
/* `ktime diff`: two runs side by side. */
#include "report/compare/diff.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/compare_print.h"
#include "report/compare/import.h"
#include "report/print/number.h"

#define MESSAGE_SIZE	  512
#define EXIT_USAGE	  2
#define EXIT_ABOVE	  3

/* Rows that take less of the GPU's time, in both runs, do not fail a run. */
#define SHARE_THAT_COUNTS 0.01

#define NOISE_PERCENT	  1.0

static const char usage[] =
	"Usage: ktime diff [--csv] [--noise PERCENT] [--fail-above PERCENT] A B\n"
	"Compares two runs row by row. A and B: ktime's session files, nsys's\n"
	"SQLite exports or CSV summaries, nvprof's CSV summaries.\n"
	"  --csv                  comma-separated values; times in ns\n"
	"  --noise PERCENT        differences of averages that count as none (1)\n"
	"  --fail-above PERCENT   end with status 3 where B's GPU activities take more than that\n"
	"                         longer in all, or one does that takes a hundredth of the time\n"
	"Status: 0, 1 where a file cannot be read, 2 for a wrong usage, 3 as above.\n";

const struct option diff_options[] = {
	{"csv", no_argument, NULL, 'c'},
	{"noise", required_argument, NULL, 'n'},
	{"fail-above", required_argument, NULL, 'f'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

struct arguments {
	const char *paths[2];
	double noise, limit; /* percent; limit is NAN where none was given */
	bool csv;
};

static bool parse_percent(const char *text, double *percent)
{
	char *end;

	*percent = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	return end != text && !*end && *percent >= 0 && isfinite(*percent);
}

/* 0; -EINVAL after saying why; 1 where the usage was asked for. */
static int parse_arguments(struct arguments *arguments, int argc, char **argv)
{
	int letter;

	*arguments = (struct arguments){.noise = NOISE_PERCENT, .limit = NAN};
	optind = 1;
	while ((letter = getopt_long(argc, argv, "h", diff_options, NULL)) != -1) {
		double *percent = letter == 'n' ? &arguments->noise : &arguments->limit;

		switch (letter) {
		case 'c':
			arguments->csv = true;
			break;
		case 'n':
		case 'f':
			if (parse_percent(optarg, percent))
				break;
			fprintf(stderr, "ktime: '%s' is no percentage\n", optarg);
			return -EINVAL;
		case 'h':
			fputs(usage, stdout);
			return 1;
		default:
			return -EINVAL;
		}
	}
	if (optind != argc - 2) {
		fprintf(stderr, "ktime: diff takes two files\n%s", usage);
		return -EINVAL;
	}
	arguments->paths[0] = argv[optind];
	arguments->paths[1] = argv[optind + 1];
	return 0;
}

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
	size_t i;

	if (comparison->gpu_b > comparison->gpu_a * (1 + limit / 100)) {
		fprintf(stderr, "ktime: all GPU activities take %.1f%% longer: above %g%%\n",
			comparison->gpu_a > 0 ? (comparison->gpu_b / comparison->gpu_a - 1) * 100
					      : INFINITY,
			limit);
		above = true;
	}
	for (i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		bool counts = row->a && row->b &&
			      (row->a->total >= comparison->gpu_a * SHARE_THAT_COUNTS ||
			       row->b->total >= comparison->gpu_b * SHARE_THAT_COUNTS);
		bool slower = row->verdict == VERDICT_SLOWER ||
			      (row->verdict == VERDICT_OUTLIERS && row->ratio > 1);

		if (!counts || !slower || slowdown(row) <= limit)
			continue;
		fprintf(stderr, "ktime: %s takes %.1f%% longer: above %g%%\n", comparison_name(row),
			slowdown(row), limit);
		above = true;
	}
	return above;
}

int command_diff(int argc, char **argv)
{
	struct profile profiles[2] = {{0}};
	struct comparison comparison = {0};
	char message[MESSAGE_SIZE] = "";
	struct arguments arguments;
	int error, status = 1, i;

	error = parse_arguments(&arguments, argc, argv);
	if (error)
		return error > 0 ? 0 : EXIT_USAGE;
	for (i = 0; i < 2 && !error; i++)
		error = import_profile(&profiles[i], arguments.paths[i], message, sizeof(message));
	if (error) {
		fprintf(stderr, "ktime: %s\n", message);
		goto out;
	}
	error = compare_profiles(&comparison, &profiles[0], &profiles[1], arguments.noise / 100);
	if (error) {
		fprintf(stderr, "ktime: %s\n", strerror(-error));
		goto out;
	}
	if (arguments.csv) {
		comparison_print_csv(&comparison, stdout);
	} else {
		for (i = 0; i < 2; i++)
			printf("%c: %s (%s)\n", "AB"[i], arguments.paths[i], profiles[i].source);
		putchar('\n');
		comparison_print_text(&comparison, stdout);
	}
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "ktime: standard output: %s\n", strerror(errno));
		goto out;
	}
	status = !isnan(arguments.limit) && is_above(&comparison, arguments.limit) ? EXIT_ABOVE : 0;
out:
	comparison_free(&comparison);
	profile_free(&profiles[0]);
	profile_free(&profiles[1]);
	return status;
}
