/* SPDX-License-Identifier: MIT */
#include "report/compare/next.h"

#include <stdlib.h>
#include <string.h>

#include "report/compare/cause.h"
#include "report/names/shell_word.h"

const char *next_why_unsure(const struct comparison *comparison)
{
	bool any = comparison->gpu_verdict == VERDICT_CANNOT_TELL && comparison->gpu.ratio > 0;

	for (size_t i = 0; i < comparison->count; i++)
		any |= comparison->rows[i].verdict == VERDICT_CANNOT_TELL;
	if (!any)
		return NULL;
	return comparison_is_of_single_runs(comparison)
		       ? "one call says nothing of chance, and calls that differ much say little"
		       : "runs differ too much; a short row must differ more clearly than a long "
			 "one";
}

/* How many runs to make: twice as many as there are. */
static size_t runs_to_make(const struct comparison *comparison)
{
	size_t a = comparison->a->runs, b = comparison->b->runs, most = a > b ? a : b;

	return most > 2 ? 2 * most : 5;
}

/* The files of a side, and where those of further runs go. */
static void write_files(const struct profile *side, FILE *file)
{
	const size_t last = side->file_count - 1;

	shell_word_write(side->files[0], file);
	if (last > 0) {
		fputs(last > 1 ? " ... " : " ", file);
		shell_word_write(side->files[last], file);
	}
	fputs(" MORE", file);
}

static bool knows_commands(const struct comparison *comparison)
{
	const struct profile *a = comparison->a, *b = comparison->b;

	return a->command && b->command && shell_reads(a->command) && shell_reads(b->command);
}

bool next_needs_host(const struct comparison *comparison)
{
	return knows_commands(comparison) && cause_profiler(comparison);
}

void next_write_host(const struct comparison *comparison, FILE *file)
{
	const char *a = comparison->a->command, *b = comparison->b->command;

	if (!strcmp(cause_profiler(comparison), "perf"))
		fprintf(file,
			"perf record -g -o a.data %s; perf record -g -o b.data %s; "
			"perf diff a.data b.data",
			a, b);
	else
		fprintf(file, "py-spy record -o a.svg -- %s; py-spy record -o b.svg -- %s", a, b);
}

void next_write_more_runs(const struct comparison *comparison, FILE *file)
{
	const struct profile *a = comparison->a, *b = comparison->b;

	if (knows_commands(comparison) && strcmp(a->command, b->command) != 0) {
		fprintf(file, "ktime bench -n %zu -- %s -- %s", runs_to_make(comparison),
			a->command, b->command);
		return;
	}
	fputs("ktime diff ", file);
	write_files(a, file);
	fputs(" -- ", file);
	write_files(b, file);
}

bool next_write_profile(const struct comparison *comparison, FILE *file)
{
	if (!comparison->b->path)
		return false;
	shell_word_write(comparison->b->path, file);
	return true;
}

bool next_needs_trace(const struct comparison *comparison)
{
	const struct profile *b = comparison->b;

	return !b->traced && b->path && b->command && shell_reads(b->command);
}

void next_write_trace(const struct comparison *comparison, FILE *file)
{
	fprintf(file, "ktime --keep-trace all -o trace.ktime %s", comparison->b->command);
}
