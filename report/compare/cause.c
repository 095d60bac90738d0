/* SPDX-License-Identifier: MIT */
#include "report/compare/cause.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/factors.h"
#include "report/compare/headline.h"
#include "report/findings/functions.h"
#include "report/names/cut_name.h"
#include "report/names/visible.h"
#include "report/session/estimate.h"
#include "report/session/text.h"

/* Causes of a change on the GPU that are told, and the part of it that the second has at least.
 * Chosen. */
#define CAUSES_MOST 2
#define LEAST_SHARE 0.1

/* Rows that changed less, beside the one that changed most, are not counted. Chosen. */
#define LEAST_ROW   0.01

/* The logarithm by which grids are alike. Chosen: what rounding up to whole blocks makes. */
#define SAME_GRID   0.01

/* A row of one side alone is one more kind of cause. */
enum { ALONE = FACTOR_COUNT, CAUSES };

/* GPU rows that changed to the side that all of them changed to, for one reason. */
struct cause {
	unsigned kind;
	const struct comparison_row *most; /* the one that changed most */
	double change, largest;		   /* of all, and of that one, ns, without their sign */
	size_t more;			   /* others whose verdict tells a change */
};

static unsigned kind_of(const struct comparison_row *row)
{
	struct factors factors;

	if (!row->a || !row->b)
		return ALONE;
	return factors_of(&factors, row) ? factors_most(&factors) : CAUSES;
}

/* Adds up the rows by their reason; the change of all of them. */
static double causes_of(const struct comparison *comparison, struct cause causes[CAUSES])
{
	const double sign = comparison->gpu.ratio < 1 ? -1 : 1;
	double all = 0;

	for (unsigned i = 0; i < CAUSES; i++)
		causes[i] = (struct cause){.kind = i};
	/* Rows come by their change. */
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		double change = sign * row->change;
		unsigned kind = kind_of(row);
		struct cause *cause = &causes[kind];

		if (kind == CAUSES || !(change > 0))
			continue;
		all += change;
		cause->change += change;
		if (!cause->most)
			*cause = (struct cause){kind, row, cause->change, change, 0};
		else
			cause->more += change >= LEAST_ROW * cause->largest &&
				       verdict_is_change(row->verdict);
	}
	return all;
}

/* A launch's, with one decimal where launches differ. */
static double blocks_of(const struct profile_row *row)
{
	return rint(10 * row->blocks / (double)row->launches) / 10;
}

/* "15.2 -> 13.5 GB/s" */
static void write_rates(const struct moved moved[2], FILE *file)
{
	char texts[2][NUMBER_SIZE];

	fprintf(file, "%s -> %s GB/s", number_rate(texts[0], moved[0].rate),
		number_rate(texts[1], moved[1].rate));
}

static void write_data(const struct moved moved[2], double threshold, FILE *file)
{
	const struct change rate = {.ratio = moved[1].rate / moved[0].rate};
	char texts[2][NUMBER_SIZE];

	fprintf(file, "%s data, %s -> %s at ", moved[1].bytes < moved[0].bytes ? "less" : "more",
		number_bytes_about(texts[0], to_unsigned(moved[0].bytes + 0.5)),
		number_bytes_about(texts[1], to_unsigned(moved[1].bytes + 0.5)));
	if (change_is_beyond(&rate, threshold))
		write_rates(moved, file);
	else
		fprintf(file, "%s GB/s as before", number_rate(texts[1], moved[1].rate));
}

/* How long a call takes, of which the grid is known or not. */
static void write_average(const struct comparison_row *row, FILE *file)
{
	char text[TIMES_SIZE];

	fprintf(file, "%s a call", times_text(text, row->a->average, row->b->average));
}

static void write_speed(const struct comparison_row *row, FILE *file)
{
	const bool longer = row->b->average > row->a->average;
	struct moved moved[2];

	if (comparison_moved(row, moved)) {
		fprintf(file, "%s GB/s, ", moved[1].rate < moved[0].rate ? "fewer" : "more");
		write_rates(moved, file);
		return;
	}
	fprintf(file, "%s calls, ", longer ? "longer" : "shorter");
	write_average(row, file);
	if (row->a->blocks > 0 && row->b->blocks > 0 &&
	    fabs(log(row->b->blocks / (double)row->b->launches * (double)row->a->launches /
		     row->a->blocks)) < SAME_GRID)
		fputs(" at equal grid size", file);
}

static void write_cause(const struct comparison *comparison, const struct cause *cause, FILE *file)
{
	const struct comparison_row *row = cause->most;
	struct moved moved[2];
	char text[NUMBER_SIZE];
	double a, b;

	switch (cause->kind) {
	case FACTOR_CALLS:
		a = row->calls[0];
		b = row->calls[1];
		fprintf(file, "%s calls, %.9g -> %.9g", b < a ? "fewer" : "more", a, b);
		break;
	case FACTOR_DATA:
		comparison_moved(row, moved);
		write_data(moved, comparison->threshold, file);
		break;
	case FACTOR_BLOCKS:
		a = blocks_of(row->a);
		b = blocks_of(row->b);
		fprintf(file, "%s grids, %.9g -> %.9g blocks and ", b < a ? "smaller" : "larger", a,
			b);
		write_average(row, file);
		break;
	case FACTOR_SPEED:
		write_speed(row, file);
		break;
	default:
		fprintf(file, "what only %c has, %s", row->a ? 'A' : 'B',
			number_about(text, row->times[0] + row->times[1], 3));
	}
	fputs(" in ", file);
	headline_write_name(row, file);
	if (cause->more)
		fprintf(file, " (and %zu more row%s)", cause->more, cause->more > 1 ? "s" : "");
}

/* "less data, 96 MB -> 48 MB at 15.2 GB/s as before in [CUDA memcpy DtoH], and ..." */
static void write_causes(const struct comparison *comparison, struct cause causes[CAUSES],
			 double all, FILE *file)
{
	for (unsigned told = 0; told < CAUSES_MOST; told++) {
		struct cause *most = causes;

		for (unsigned i = 1; i < CAUSES; i++)
			if (causes[i].change > most->change)
				most = &causes[i];
		if (!(most->change > 0) || most->change < LEAST_SHARE * all)
			break;
		fputs(told ? ", and " : "", file);
		write_cause(comparison, most, file);
		most->change = 0;
	}
}

/* How a cause of idle time is told as what the GPU waited for; whether it is the program's own
 * work.
 */
static const struct wait {
	enum idle_cause cause;
	const char *text;
	bool own_work;
} waits[] = {
	{IDLE_PROGRAM, "the program's own work between CUDA calls", true},
	{IDLE_AFTER_WAIT, "the program's own work after ", true},
	{IDLE_FIRST_LAUNCH, "the first launches of kernels, which load their code", false},
	{IDLE_LATENCY, "launches to reach it", false},
	{IDLE_DEPENDENCY, "other work on the device", false},
};

/* "7", or "7 -> 3" if B has another number. */
static void write_counts(double a, double b, FILE *file)
{
	fprintf(file, "%.9g", a);
	if (a != b)
		fprintf(file, " -> %.9g", b);
}

/* Calls of a run that synchronize, by their functions: as many as there are, or none is told. */
static void write_synchronizing(const struct comparison *comparison, FILE *file)
{
	const double all[2] = {comparison->a->synchronizing / (double)comparison->a->runs,
			       comparison->b->synchronizing / (double)comparison->b->runs};
	double sums[2] = {0};
	size_t names = 0;
	char *text = NULL;
	size_t size;
	FILE *list = open_memstream(&text, &size);

	for (size_t i = comparison->gpu_count; i < comparison->count && list; i++) {
		const struct comparison_row *row = &comparison->rows[i];
		const char *name = comparison_name(row);

		if (!function_is(FUNCTION_WAIT, name) && !function_is(FUNCTION_COPY, name))
			continue;
		sums[0] += row->calls[0];
		sums[1] += row->calls[1];
		fputs(names++ ? ", " : "", list);
		write_counts(row->calls[0], row->calls[1], list);
		fputc(' ', list);
		visible_write(name, list);
	}
	if (!text_close(list, &text) && names && names <= FUNCTIONS_MOST && sums[0] == all[0] &&
	    sums[1] == all[1]) {
		write_counts(all[0], all[1], file);
		fprintf(file, " synchronizing call%s (%s)", all[0] == 1 && all[1] == 1 ? "" : "s",
			text);
	} else {
		fputs("a synchronizing call", file);
	}
	free(text);
}

/* By its command, which is not known of several processes. */
static bool is_python(const struct profile *side)
{
	char name[64];

	program_name(side->command ?: "", name, sizeof(name));
	return !strncmp(name, "python", 6);
}

static const char *host_profiler(const struct comparison *comparison)
{
	return is_python(comparison->b) ? "py-spy" : "perf";
}

/* NULL: a cause whose name says it all. */
static const struct wait *wait_of(const char *cause)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (!strcmp(cause, idle_cause_texts[waits[i].cause]))
			return &waits[i];
	return NULL;
}

static void write_wait(const struct comparison *comparison, const char *cause, FILE *file)
{
	const struct wait *wait = wait_of(cause);

	visible_write(wait ? wait->text : cause, file);
	if (wait && wait->cause == IDLE_AFTER_WAIT)
		write_synchronizing(comparison, file);
	if (wait && wait->own_work)
		fprintf(file, ", which %s shows and ktime does not", host_profiler(comparison));
}

/* " (10 -> 2 calls)", or " (4.00 ms -> 800 us a call)", of a call that kept the GPU waiting. */
static void write_call(const struct comparison *comparison, const char *name, FILE *file)
{
	for (size_t i = comparison->gpu_count; i < comparison->count; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		if (!row->a || !row->b || strcmp(comparison_name(row), name))
			continue;
		fputs(" (", file);
		if (comparison_calls_vary(comparison, row))
			fprintf(file, "%.9g -> %.9g calls", row->calls[0], row->calls[1]);
		else
			write_average(row, file);
		fputc(')', file);
	}
}

/* Bytes of a name. Chosen, as a finding has it. */
#define NAME_MOST    48
/* From which part of the time on the longest gap is more than one of many. Chosen. */
#define LONGEST_PART 0.1

/* "[CUDA memcpy DtoH] and [CUDA memset]" */
static void write_pair(const struct idle_gaps *gaps, FILE *file)
{
	const char *names[] = {gaps->before, gaps->after};

	for (int i = 0; i < 2; i++) {
		char *name = strdup(names[i]);

		if (name)
			cut_middle(name, NAME_MOST);
		fprintf(file, "%s%s", i ? " and " : "", name ?: names[i]);
		free(name);
	}
}

/* "; in 6 gaps, the longest 26.0 ms -> 14.1 ms, between [CUDA memcpy DtoH] and [CUDA memset]" */
static void write_longest(const struct idle_change *change, FILE *file)
{
	const struct idle_gaps *a = &change->gaps[0], *b = &change->gaps[1];
	char text[TIMES_SIZE];

	if (!idle_knows_gaps(change) ||
	    (a->longest < LONGEST_PART * change->a && b->longest < LONGEST_PART * change->b))
		return;
	fputs("; in ", file);
	write_counts(a->count, b->count, file);
	fprintf(file, " gap%s, the longest %s", a->count == 1 && b->count == 1 ? "" : "s",
		times_text(text, a->longest, b->longest));
	if (!*a->before || !*a->after || !*b->before || !*b->after)
		return;
	fputs(", between ", file);
	write_pair(a, file);
	if (!strcmp(a->before, b->before) && !strcmp(a->after, b->after))
		return;
	fputs(" in A, ", file);
	write_pair(b, file);
	fputs(" in B", file);
}

/* "the GPU waited 71.1 ms -> 38.4 ms for ...", for one cause or, if several have the
 * change, for all of them. */
static void write_idle(const struct comparison *comparison, const char *cause, FILE *file)
{
	const struct idle_changes *idle = &comparison->idle;
	struct idle_change all = {.a = idle->a, .b = idle->b};
	char text[TIMES_SIZE];

	for (size_t i = 0; i < idle->count && cause; i++)
		if (!strcmp(idle->changes[i].cause, cause))
			all = idle->changes[i];
	fprintf(file, "the GPU waited %s for ", times_text(text, all.a, all.b));
	if (!all.cause) {
		fputs("several causes", file);
		return;
	}
	write_wait(comparison, all.cause, file);
	write_call(comparison, all.cause, file);
	write_longest(&all, file);
}

/* The part of the whole run that has most of its change. NULL: the run did not change, or its parts
 * are not known, or that one is the GPU's work. */
static const struct part *run_part(const struct comparison *comparison)
{
	const struct part *part = comparison_most_part(comparison);

	return comparison_run_changed(comparison) && part && part->kind != PART_BUSY ? part : NULL;
}

const char *cause_profiler(const struct comparison *comparison)
{
	const struct part *part = run_part(comparison);
	const struct wait *wait = part && part->cause ? wait_of(part->cause) : NULL;

	return wait && wait->own_work ? host_profiler(comparison) : NULL;
}

static void write_run(const struct comparison *comparison, const struct part *part, FILE *file)
{
	char text[TIMES_SIZE];

	if (part->kind == PART_IDLE)
		write_idle(comparison, part->cause, file);
	else
		fprintf(file, "%s passed %s%s", times_text(text, part->a, part->b), part->text,
			part->kind == PART_AFTER ? " operation" : "");
}

bool cause_write(const struct comparison *comparison, FILE *file)
{
	struct cause causes[CAUSES];
	const double all = causes_of(comparison, causes);
	const struct part *run = run_part(comparison);
	/* Means of another kind than the verdict's may not have changed to its side. */
	const bool gpu = verdict_is_of_speed(comparison->gpu_verdict) && all > 0;

	if (!gpu && !run)
		return false;
	fputs("Why: ", file);
	if (run)
		write_run(comparison, run, file);
	if (run && gpu)
		fputs("; on the GPU ", file);
	if (gpu)
		write_causes(comparison, causes, all, file);
	fputc('.', file);
	return true;
}
