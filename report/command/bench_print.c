/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/command/bench.h"
#include "report/compare/compare.h"
#include "report/export/output.h"
#include "report/names/shell_word.h"
#include "report/names/visible.h"

bool bench_takes_stdout(const struct options *options)
{
	return options->csv || (options->json && strcmp(options->json, "-") == 0);
}

/* The wall times of two programs. */
static int print_walls(const struct bench *bench, FILE *file)
{
	size_t runs = bench->options->runs;
	double *walls = calloc(2 * runs, sizeof(*walls));
	char text[NUMBER_SIZE];
	struct change change;

	if (!walls)
		return -ENOMEM;
	for (size_t i = 0; i < 2 * runs; i++)
		walls[i] = bench->sides[i / runs].means.times[i % runs].wall;
	change = change_between(walls, runs, walls + runs, runs);
	free(walls);
	fprintf(file, "Wall time: ratio %s", number_ratio(text, change.ratio));
	if (!isnan(change.low))
		fprintf(file, " (95 %%: %s)%s", change_interval(text, &change),
			change.low <= 1 && change.high >= 1 ? ": cannot tell" : "");
	fputc('\n', file);
	return 0;
}

static int print_text(const struct bench *bench, const struct comparison *comparison, FILE *file)
{
	static const char *const prefixes[] = {"", "A: ", "B: "};
	int error = 0;

	if (comparison) {
		comparison_print(comparison, SHEET_TEXT, file);
		error = print_walls(bench, file);
	} else {
		error = means_print_table(&bench->sides[0].means, SHEET_TEXT, file);
		if (bench->options->runs > 1)
			fprintf(file,
				"Means of %u runs, and the standard deviation between runs.\n",
				bench->options->runs);
	}
	for (unsigned i = 0; i < bench->count; i++)
		means_print_times(&bench->sides[i].means, prefixes[i + !!comparison], file);
	fputs(comparison ? "Next: ktime diff --html diff.html" : "Next: ktime diff", file);
	for (unsigned i = 0; i < bench->count; i++) {
		fputc(' ', file);
		shell_word_write(bench->sides[i].name, file);
	}
	fputs(comparison ? "\n" : " OTHER, the folder of another bench\n", file);
	return error;
}

static int print_json(const struct bench *bench, const struct comparison *comparison, FILE *file)
{
	struct json json = {.file = file};
	int error = 0;

	json_object(&json, NULL);
	json_unsigned(&json, "format", 1);
	json_array(&json, "results");
	for (unsigned i = 0; i < bench->count && !error; i++)
		error = means_add_json(&bench->sides[i].means, &json);
	json_end(&json);
	if (comparison)
		comparison_add_json(comparison, "comparison", &json);
	json_end(&json);
	fputc('\n', file);
	return error;
}

static int print_csv(const struct bench *bench, const struct comparison *comparison, FILE *file)
{
	if (!comparison)
		return means_print_table(&bench->sides[0].means, SHEET_CSV, file);
	fprintf(stderr, "ktime bench: %s\n", comparison->headline);
	comparison_print(comparison, SHEET_CSV, file);
	return 0;
}

/* Writes a form to a file, "-" being standard output. 0, or -errno with a message. */
static int write_form(const struct bench *bench, const struct comparison *comparison,
		      const char *path,
		      int (*print)(const struct bench *, const struct comparison *, FILE *))
{
	char message[512] = "";
	struct output output;
	int error = output_open(&output, path, bench->options->force_overwrite, false, message,
				sizeof(message));

	if (!error) {
		error = print(bench, comparison, output.file);
		if (error)
			output_abandon(&output);
		else
			error = output_finish(&output, message, sizeof(message));
	}
	if (error)
		visible_line(stderr, "ktime bench: %s", *message ? message : strerror(-error));
	return error;
}

int bench_print(struct bench *bench)
{
	const struct options *options = bench->options;
	struct comparison compared = {0}, *comparison = bench->count > 1 ? &compared : NULL;
	int error = 0;

	if (comparison)
		error = compare_profiles(comparison, &bench->sides[0].profile,
					 &bench->sides[1].profile, NAN);
	if (!error && !bench_takes_stdout(options))
		error = print_text(bench, comparison, stderr);
	if (error)
		visible_line(stderr, "ktime bench: %s", strerror(-error));
	if (!error && options->csv)
		error = write_form(bench, comparison, "-", print_csv);
	if (!error && options->json)
		error = write_form(bench, comparison, options->json, print_json);
	comparison_free(&compared);
	return error;
}
