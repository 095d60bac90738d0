/* SPDX-License-Identifier: MIT */
#include "report/compare/headline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/why.h"
#include "report/names/demangle.h"
#include "report/names/visible.h"
#include "report/session/text.h"

/* Rows whose calls are said, of those that differ. Chosen. */
#define CALLS_SHOWN   3
/* Verdicts that the sentence counts the rows of. Chosen. */
#define PHRASES_SHOWN 3

/* The GPU, or a part, explains what the run changed by if it has so much of it. Chosen. */
#define MOST_OF	      0.5

/* Comparisons whose headline begins with the run by chance, of all: as many as have a verdict on
 * all GPU activities by chance. */
#define CHANCE_OF_RUN 0.002

/* Bytes of a name. Chosen. */
#define NAME_MOST     60

/* What is said of rows with a verdict, behind their number, and before and behind the verdict:
 * first where A takes longer, then where B does. It is said in this order, or from the second half
 * on if B is slower. */
#define PHRASES	      8
static const struct phrase {
	enum verdict verdict;
	const char *before, *behind;
} phrases[PHRASES] = {
	{VERDICT_LESS_TIME, "with ", " by fewer calls"},
	{VERDICT_FASTER, "", ""},
	{VERDICT_LESS_DATA, "with ", ""},
	{VERDICT_ONLY_A, "", ""},
	{VERDICT_MORE_TIME, "with ", " by more calls"},
	{VERDICT_SLOWER, "", ""},
	{VERDICT_MORE_DATA, "with ", ""},
	{VERDICT_ONLY_B, "", ""},
};

/* The GPU's rows, or those of API calls. */
struct rows {
	const struct comparison *comparison;
	const struct comparison_row *rows;
	size_t count;
	const size_t *verdicts; /* how many have each */
	size_t changed;		/* those that `phrases` speaks of */
	size_t unsure;		/* beyond the threshold, but perhaps by chance */
	bool slower;		/* whether the first of those that changed takes longer in B */
	const char *kind;
};

static struct rows rows_of(const struct comparison *comparison, bool api)
{
	struct rows rows = {comparison, comparison->rows, comparison->gpu_count,
			    comparison->verdicts[api], .kind = "GPU"};

	if (api) {
		rows.rows += comparison->gpu_count;
		rows.count = comparison->count - comparison->gpu_count;
		rows.kind = "API";
	}
	for (const struct comparison_row *row = rows.rows; row < rows.rows + rows.count; row++) {
		if (verdict_is_change(row->verdict) && rows.changed++ == 0)
			rows.slower = row->change > 0;
		rows.unsure += row->verdict == VERDICT_CANNOT_TELL &&
			       change_is_beyond(&row->total, comparison->threshold);
	}
	return rows;
}

void headline_write_name(const struct comparison_row *row, FILE *file)
{
	const char *whole = comparison_name(row);
	char *name;

	if (row->versions && strlen(row->versions) <= NAME_MOST) {
		visible_write(row->versions, file);
		return;
	}
	name = short_name(whole, false);

	if (name && strlen(name) > NAME_MOST) {
		free(name);
		name = short_name(whole, true);
	}
	visible_write(name ? name : whole, file);
	free(name);
}

/* The row that makes most of the change to that side; NULL: there is none. */
static const struct comparison_row *most_of(const struct rows *rows, bool slower)
{
	const struct comparison_row *row = rows->rows, *end = row + rows->count;

	while (row < end && (slower ? row->change <= 0 : row->change >= 0))
		row++;
	return row < end ? row : NULL;
}

/* "; most in axpy (3.20 ms -> 4.40 ms)" */
static void write_most(const struct rows *rows, bool slower, FILE *file)
{
	const struct comparison *comparison = rows->comparison;
	const struct comparison_row *row = most_of(rows, slower);
	char text[TIMES_SIZE];

	if (!row)
		return;
	fputs("; most in ", file);
	headline_write_name(row, file);
	if (!row->a || !row->b) {
		fprintf(file, " (%s, only in %c)",
			number_about(text, row->times[0] + row->times[1], 3), row->a ? 'A' : 'B');
		return;
	}
	fprintf(file, " (%s", times_text(text, row->times[0], row->times[1]));
	if (comparison_calls_vary(comparison, row))
		fprintf(file, ", %.9g -> %.9g calls", row->calls[0], row->calls[1]);
	fputc(')', file);
}

/* Of rows that differ, though not certainly by so much. */
static void write_others(const struct rows *rows, FILE *file)
{
	static const enum verdict others[] = {VERDICT_UNDER, VERDICT_CANNOT_TELL};
	char verdict[VERDICT_SIZE];

	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (rows->verdicts[others[i]])
			fprintf(file, ", %zu %s", rows->verdicts[others[i]],
				comparison_verdict(rows->comparison, others[i], verdict));
}

/* "4 of 17 GPU rows slower, 1 only in B, 2 cannot tell", and where most of it is. */
static void write_rows(const struct rows *rows, bool slower, FILE *file)
{
	unsigned said = 0;

	for (unsigned i = 0; i < PHRASES && said < PHRASES_SHOWN; i++) {
		const struct phrase *phrase = &phrases[(i + slower * PHRASES / 2) % PHRASES];
		size_t count = rows->verdicts[phrase->verdict];

		if (!count)
			continue;
		if (said++)
			fprintf(file, ", %zu", count);
		else
			fprintf(file, "%zu of %zu %s rows", count, rows->count, rows->kind);
		fprintf(file, " %s%s%s", phrase->before, verdict_text(phrase->verdict),
			phrase->behind);
	}
	if (said)
		write_others(rows, file);
	else
		fprintf(file, "cannot tell in which %s rows", rows->kind);
	write_most(rows, slower, file);
}

/* ", one run a side: may be chance)", which fewer calls and less data are not. */
static void write_runs(const struct comparison *comparison, bool is_fact, FILE *file)
{
	const size_t a = comparison->a->runs, b = comparison->b->runs;

	if (a == 1 && b == 1)
		fputs(", one run a side", file);
	else if (comparison_is_of_single_runs(comparison))
		fprintf(file, ", %zu and %zu runs", a, b);
	if (comparison_is_of_single_runs(comparison) && !is_fact)
		fputs(": may be chance", file);
	fputc(')', file);
}

/* Whether what makes most of a row's change is no time: its calls, or their data. */
static bool is_fact(const struct comparison_row *row)
{
	return row && verdict_is_change(row->verdict) && !verdict_is_of_speed(row->verdict);
}

static void write_gpu(const struct comparison *comparison, const struct rows *gpu, FILE *file)
{
	const double ratio = comparison->gpu.ratio;
	char factor[CHANGE_SIZE], text[TIMES_SIZE];

	fprintf(file, "B is %s on the GPU (%s", change_text(factor, ratio),
		times_text(text, comparison->gpu_a, comparison->gpu_b));
	/* The table has ratios of times, which are another number where B is faster. */
	if (ratio < 1)
		fprintf(file, ", ratio %s", number_ratio(text, ratio));
	write_runs(comparison, is_fact(most_of(gpu, ratio > 1)), file);
	fputs(": ", file);
	write_rows(gpu, ratio > 1, file);
}

/* The same behind what is said of the run, in short. */
static void write_gpu_short(const struct comparison *comparison, const struct rows *gpu, FILE *file)
{
	const struct comparison_row *most = most_of(gpu, comparison->gpu.ratio > 1);
	char factor[CHANGE_SIZE], text[TIMES_SIZE];

	fprintf(file, "on the GPU %s (%s)", change_text(factor, comparison->gpu.ratio),
		times_text(text, comparison->gpu_a, comparison->gpu_b));
	if (most) {
		fputs(", most in ", file);
		headline_write_name(most, file);
	}
}

/* Which rows changed, though the total did not, if any did. */
static void write_changed(const struct rows *rows, const char *before, FILE *file)
{
	if (!rows->changed)
		return;
	fputs(before, file);
	write_rows(rows, rows->slower, file);
}

/* All GPU activities take about as long. */
static void write_no_difference(const struct comparison *comparison, const struct rows *gpu,
				bool is_behind_run, FILE *file)
{
	struct rows api = rows_of(comparison, true);

	fprintf(file, "no difference beyond %g %%", comparison->threshold * 100);
	if (!is_behind_run && !gpu->changed && !gpu->unsure && !api.changed)
		return;
	fputs(!is_behind_run && (gpu->changed || gpu->unsure) ? " in total" : " on the GPU", file);
	write_changed(gpu->changed ? gpu : &api, ", but ", file);
	if (!gpu->changed && gpu->unsure)
		fprintf(file, "; cannot tell of %zu of %zu GPU rows", gpu->unsure, gpu->count);
}

static void write_without_times(const struct comparison *comparison, FILE *file)
{
	struct rows api = rows_of(comparison, true);
	bool a = comparison->gpu_a > 0, b = comparison->gpu_b > 0;

	fprintf(file, "cannot tell: %s has times of GPU activities",
		a   ? "A alone"
		: b ? "B alone"
		    : "neither A nor B");
	if (!comparison->gpu_count)
		write_changed(&api, "; ", file);
}

/* Whether the runs differ by more than the threshold, and by more than their GPU times do. */
static bool is_of_host(const struct comparison *comparison)
{
	return comparison_run_changed(comparison) &&
	       fabs(comparison->wall_b - comparison->wall_a) >
		       fabs(comparison->gpu_b - comparison->gpu_a);
}

/* Whether what differs most is not on the GPU, so that the run is told first. Several runs must
 * differ as surely as all GPU activities together. Single ones differ by chance, too: where their
 * GPU times do not differ, that comes first. */
static bool is_run_first(const struct comparison *comparison)
{
	const double gpu = comparison->gpu_b - comparison->gpu_a;
	const double wall = comparison->wall_b - comparison->wall_a;

	return is_of_host(comparison) && gpu / wall < MOST_OF &&
	       (comparison_is_of_single_runs(comparison)
			? verdict_is_of_speed(comparison->gpu_verdict)
			: comparison->wall.probability <= CHANCE_OF_RUN);
}

/* ": idle time -32.5 ms, mostly launch latency", if a part has most of the change; if it is not
 * known, nothing. */
static void write_most_part(const struct comparison *comparison, FILE *file)
{
	const struct part *part = comparison_most_part(comparison);
	char text[NUMBER_SIZE];

	if (!part || part->change / comparison->parts.whole < MOST_OF)
		return;
	fprintf(file, ": %s %c%s%s", part->text, part->change < 0 ? '-' : '+',
		number_about(text, fabs(part->change), 3), part->cause ? ", mostly " : "");
	visible_write(part->cause ?: "", file);
}

/* "B is 1.11 times faster (270 ms -> 243 ms, one run a side: may be chance): idle time -32.5 ms,
 * mostly launch latency; " */
static void write_run(const struct comparison *comparison, FILE *file)
{
	char factor[CHANGE_SIZE], text[TIMES_SIZE];

	fprintf(file, "B is %s (%s", change_text(factor, comparison->wall.ratio),
		times_text(text, comparison->wall_a, comparison->wall_b));
	write_runs(comparison, false, file);
	write_most_part(comparison, file);
	fputs("; ", file);
}

/* "; the whole run: 229 ms -> 275 ms", which the next line explains, or ", more than GPU time
 * explains" */
static void write_host(const struct comparison *comparison, FILE *file)
{
	char text[TIMES_SIZE];

	if (is_of_host(comparison))
		fprintf(file, "; the whole run: %s%s",
			times_text(text, comparison->wall_a, comparison->wall_b),
			comparison->parts.known ? "" : ", more than GPU time explains");
}

static void write_unsure(const struct comparison *comparison, const struct rows *gpu, FILE *file)
{
	const struct change *change = &comparison->gpu;

	fprintf(file,
		"cannot tell: all GPU activities together take %.3f to %.3f times as long in B, "
		"and more runs would tell",
		change->low, change->high);
	write_changed(gpu, "; ", file);
}

bool headline_in_doubt(const struct comparison *comparison)
{
	struct rows gpu = rows_of(comparison, false);

	if (comparison->a->damaged || comparison->b->damaged)
		return false;
	if (!comparison_is_of_single_runs(comparison))
		return comparison->gpu_verdict == VERDICT_CANNOT_TELL && comparison->gpu.ratio > 0;
	return is_of_host(comparison) || (verdict_is_of_speed(comparison->gpu_verdict) &&
					  !is_fact(most_of(&gpu, comparison->gpu.ratio > 1)));
}

static void write_headline(const struct comparison *comparison, FILE *file)
{
	struct rows gpu = rows_of(comparison, false);
	const bool is_behind_run = is_run_first(comparison);

	if (comparison->a->damaged || comparison->b->damaged) {
		fprintf(file, "cannot tell: rows of %s are missing",
			!comparison->b->damaged	  ? "A"
			: !comparison->a->damaged ? "B"
						  : "A and B");
		return;
	}
	if (is_behind_run)
		write_run(comparison, file);
	if (isnan(comparison->gpu.ratio))
		write_without_times(comparison, file);
	else if (verdict_is_of_speed(comparison->gpu_verdict))
		(is_behind_run ? write_gpu_short : write_gpu)(comparison, &gpu, file);
	else if (comparison->gpu_verdict == VERDICT_SAME || isnan(comparison->gpu.low))
		write_no_difference(comparison, &gpu, is_behind_run, file);
	else
		write_unsure(comparison, &gpu, file);
	if (!is_behind_run)
		write_host(comparison, file);
}

/* Whether each run of one side made more calls than each of the other. */
static bool are_apart(const struct profile_row *fewer, const struct profile_row *more)
{
	for (size_t i = 0; i < fewer->run_count; i++)
		for (size_t j = 0; j < more->run_count; j++)
			if (fewer->runs[i].calls >= more->runs[j].calls)
				return false;
	return true;
}

/* Calls that differ between the runs of a side, as those that poll do, differ between sides too. */
static bool calls_differ(const struct comparison *comparison, const struct comparison_row *row)
{
	struct change change = {.ratio = NAN};

	if (row->a && row->b)
		change.ratio = row->calls[1] / row->calls[0];
	return change_is_beyond(&change, comparison->threshold) &&
	       (change.ratio > 1 ? are_apart(row->a, row->b) : are_apart(row->b, row->a));
}

static void write_calls(const struct comparison *comparison, FILE *file)
{
	size_t count = 0, shown = 0;

	for (size_t i = 0; i < comparison->count; i++)
		count += calls_differ(comparison, &comparison->rows[i]);
	if (!count)
		return;
	fprintf(file,
		"Calls differ by more than %g %% in %zu of %zu rows: ", comparison->threshold * 100,
		count, comparison->count);
	for (size_t i = 0; i < comparison->count && shown < CALLS_SHOWN; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (!calls_differ(comparison, row))
			continue;
		fputs(shown++ ? ", " : "", file);
		headline_write_name(row, file);
		fprintf(file, " %.9g -> %.9g", row->calls[0], row->calls[1]);
	}
	if (count > shown)
		fprintf(file, " and %zu more", count - shown);
	fputc('.', file);
}

static char *text_of(const struct comparison *comparison,
		     void (*write)(const struct comparison *comparison, FILE *file))
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file)
		write(comparison, file);
	text_close(file, &text);
	return text;
}

int headline_make(struct comparison *comparison)
{
	comparison->headline = text_of(comparison, write_headline);
	comparison->why = text_of(comparison, why_write);
	comparison->calls = text_of(comparison, write_calls);
	return comparison->headline && comparison->why && comparison->calls ? 0 : -ENOMEM;
}
