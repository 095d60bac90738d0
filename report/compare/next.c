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

static bool has_findings(const struct profile *side)
{
	return side->path;
}

static bool lacks_trace(const struct profile *side)
{
	return !side->traced && side->path && side->command && shell_reads(side->command);
}

static const char *which(const struct comparison *comparison,
			 bool (*is)(const struct profile *side))
{
	const bool a = is(comparison->a), b = is(comparison->b);

	return a && b ? "each side" : a ? "A" : b ? "B" : NULL;
}

const char *next_with_findings(const struct comparison *comparison)
{
	return which(comparison, has_findings);
}

const char *next_without_trace(const struct comparison *comparison)
{
	return which(comparison, lacks_trace);
}

/* A command for each side that it is for. */
static void write_each(const struct comparison *comparison, bool (*is)(const struct profile *side),
		       void (*write)(const struct profile *side, char name, FILE *file), FILE *file)
{
	const bool both = is(comparison->a) && is(comparison->b);

	if (is(comparison->a))
		write(comparison->a, 'a', file);
	fputs(both ? "; " : "", file);
	if (is(comparison->b))
		write(comparison->b, 'b', file);
}

static void write_page(const struct profile *side, char name, FILE *file)
{
	fprintf(file, "ktime show --html %c.html ", name);
	shell_word_write(side->path, file);
}

void next_write_pages(const struct comparison *comparison, FILE *file)
{
	write_each(comparison, has_findings, write_page, file);
}

static void write_trace(const struct profile *side, char name, FILE *file)
{
	fprintf(file, "ktime --keep-trace all -o trace.%c.ktime %s", name, side->command);
}

void next_write_traces(const struct comparison *comparison, FILE *file)
{
	write_each(comparison, lacks_trace, write_trace, file);
}

static void write_trace_page(const struct profile *side, char name, FILE *file)
{
	(void)side;
	fprintf(file, "ktime show --html trace.%c.html trace.%c.ktime", name, name);
}

void next_write_trace_pages(const struct comparison *comparison, FILE *file)
{
	write_each(comparison, lacks_trace, write_trace_page, file);
}
