/* SPDX-License-Identifier: MIT */
/* `ktime diff`: the runs of two programs side by side. */
#include "report/compare/compare.h"

#include <math.h>
#include <string.h>

#include "report/export/output.h"
#include "report/names/visible.h"
#include "report/rates/rates.h"

#define MESSAGE_SIZE	  512
#define EXIT_ABOVE	  3
#define EXIT_CANNOT_TELL  4

/* Rows that take less of the GPU's time, on both sides, do not fail a comparison. */
#define SHARE_THAT_COUNTS 0.01

/* Whether a change is a slower one beyond the limit; says so. */
static bool is_above(const struct change *change, enum verdict verdict, double limit,
		     const char *name)
{
	double percent = (change->ratio - 1) * 100;

	if ((verdict != VERDICT_SLOWER && verdict != VERDICT_MORE_TIME &&
	     verdict != VERDICT_MORE_DATA) ||
	    percent <= limit)
		return false;
	fputs("ktime: ", stderr);
	visible_write(name, stderr);
	visible_line(stderr, " takes %.1f%% longer: above %g%%", percent, limit);
	return true;
}

/* Whether B is slower than the limit allows; says where. */
static bool any_above(const struct comparison *comparison, double limit)
{
	bool above = is_above(&comparison->gpu, comparison->gpu_verdict, limit,
			      "the total of GPU activities");

	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (!row->a || !row->b)
			continue;
		if (row->a->total <
			    comparison->gpu_a * (double)comparison->a->runs * SHARE_THAT_COUNTS &&
		    row->b->total <
			    comparison->gpu_b * (double)comparison->b->runs * SHARE_THAT_COUNTS)
			continue;
		above |= is_above(&row->total, row->verdict, limit, comparison_label(row));
	}
	return above;
}

/* Says what was not read of a side's files. */
static void say_unread(const struct profile *profile)
{
	for (size_t i = 0; i < profile->said_count; i++)
		visible_line(stderr, "ktime: %s", profile->said[i]);
}

/* Names the declarations of --bytes that no kernel of either side matches. 0 or -ENOMEM. */
static int say_unmatched(const struct comparison *comparison, const struct options *options)
{
	struct row_work work;
	int error = 0;

	for (size_t i = 0; i < comparison->gpu_count && !error; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (row->a)
			error = work_match(options->declared, row->a->name, false, &work);
		if (row->b && !error)
			error = work_match(options->declared, row->b->name, false, &work);
	}
	if (!error)
		work_warn_unmatched(options->declared, "ktime: ", stderr);
	return error;
}

/* The status of --fail-above. */
static int judge(const struct comparison *comparison, double limit)
{
	if (!comparison->a->damaged && !comparison->b->damaged)
		return any_above(comparison, limit) ? EXIT_ABOVE : 0;
	visible_line(stderr, "ktime: cannot tell whether B is slower: rows are missing");
	return EXIT_CANNOT_TELL;
}

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

/* Writes a form of the comparison to a file, "-" being standard output; NULL: to none. */
static int write_to(const char *path, enum sheet_form form, const struct comparison *comparison,
		    bool overwrite, char *message, size_t size)
{
	struct output output;
	int error = path ? output_open(&output, path, overwrite, false, message, size) : 0;

	if (!path || error)
		return error;
	comparison_print(comparison, form, output.file);
	return output_finish(&output, message, size);
}

static int write_all(const struct comparison *comparison, const struct options *options,
		     char *message, size_t size)
{
	const bool overwrite = options->force_overwrite;
	int error = 0;

	if (options->csv) {
		/* The table has no place for it. */
		fprintf(stderr, "ktime: %s\n", comparison->headline);
		error = write_to("-", SHEET_CSV, comparison, false, message, size);
	} else if (!is_stdout(options->json) && !is_stdout(options->markdown) &&
		   !is_stdout(options->html)) {
		error = write_to("-", SHEET_TEXT, comparison, false, message, size);
	}
	if (!error)
		error = write_to(options->json, SHEET_JSON, comparison, overwrite, message, size);
	if (!error)
		error = write_to(options->markdown, SHEET_MARKDOWN, comparison, overwrite, message,
				 size);
	return error || !options->html ? error
				       : comparison_page_write(comparison, options, message, size);
}

int command_diff(const struct options *options, const char *const *files, size_t count)
{
	struct profile profiles[2] = {{0}};
	struct comparison comparison = {0};
	char message[MESSAGE_SIZE] = "";
	size_t first_b = options->separator ? options->separator : 1;
	double threshold = options->threshold;
	int error, status = 1;

	if (first_b == count || (!options->separator && count > 2))
		return visible_fail(EXIT_BAD_USAGE,
				    "ktime diff: put -- between the runs of A and those of B");
	/* What fails a comparison has to be a verdict. */
	if (isnan(threshold) && !isnan(options->fail_above))
		threshold = options->fail_above;
	error = runs_load(&profiles[0], files, first_b,
			  &(struct import_options){options->part.a, options}, message,
			  sizeof(message));
	if (!error)
		error = runs_load(&profiles[1], files + first_b, count - first_b,
				  &(struct import_options){options->part.b, options}, message,
				  sizeof(message));
	if (!error) {
		say_unread(&profiles[0]);
		say_unread(&profiles[1]);
	}
	if (!error)
		error = compare_profiles(&comparison, &profiles[0], &profiles[1], threshold / 100);
	if (!error)
		error = say_unmatched(&comparison, options);
	if (!error)
		error = write_all(&comparison, options, message, sizeof(message));
	if (error)
		visible_line(stderr, "ktime: %s", *message ? message : strerror(-error));
	else
		status = isnan(options->fail_above) ? 0 : judge(&comparison, options->fail_above);
	comparison_free(&comparison);
	profile_free(&profiles[0]);
	profile_free(&profiles[1]);
	return status;
}
