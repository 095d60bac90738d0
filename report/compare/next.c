/* SPDX-License-Identifier: MIT */
#include "report/compare/next.h"

#include <string.h>

#include "report/compare/cause.h"
#include "report/names/shell_word.h"

const char *next_why_unsure(const struct comparison *comparison)
{
	if (!(comparison->gpu_verdict == VERDICT_CANNOT_TELL && comparison->gpu.ratio > 0) &&
	    !comparison->verdicts[false][VERDICT_CANNOT_TELL] &&
	    !comparison->verdicts[true][VERDICT_CANNOT_TELL])
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

static void write_host(const struct comparison *comparison, FILE *file)
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

static void write_more_runs(const struct comparison *comparison, FILE *file)
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

static void write_page(const struct profile *side, char name, FILE *file)
{
	fprintf(file, "ktime show --html %c.html ", name);
	shell_word_write(side->path, file);
}

static void write_trace(const struct profile *side, char name, FILE *file)
{
	fprintf(file, "ktime --keep-trace all -o trace.%c.ktime %s", name, side->command);
}

static void write_trace_page(const struct profile *side, char name, FILE *file)
{
	(void)side;
	fprintf(file, "ktime show --html trace.%c.html trace.%c.ktime", name, name);
}

/* What is open of some sides, with a command for each of them. */
static const struct {
	const char *what;
	bool names_sides;
	bool (*is_open)(const struct profile *side);
	void (*write)(const struct profile *side, char name, FILE *file);
} of_sides[] = {
	[NEXT_PAGES] = {"More on why, by the findings of ", true, has_findings, write_page},
	[NEXT_TRACES] = {"When: needs a trace of ", true, lacks_trace, write_trace},
	[NEXT_TRACE_PAGES] = {"Then, to look at it", false, lacks_trace, write_trace_page},
};

const char *next_what(const struct comparison *comparison, enum next next, char text[NEXT_SIZE])
{
	const char *why = next_why_unsure(comparison);
	bool a, b;

	if (next == NEXT_HOST)
		return knows_commands(comparison) && cause_profiler(comparison)
			       ? "Next, what the program itself does"
			       : NULL;
	if (next == NEXT_RUNS) {
		snprintf(text, NEXT_SIZE, "Cannot tell: %s. More runs tell", why ?: "");
		return why ? text : NULL;
	}
	a = of_sides[next].is_open(comparison->a);
	b = of_sides[next].is_open(comparison->b);
	snprintf(text, NEXT_SIZE, "%s%s", of_sides[next].what,
		 !of_sides[next].names_sides ? ""
		 : a && b		     ? "each side"
		 : a			     ? "A"
					     : "B");
	return a || b ? text : NULL;
}

void next_write(const struct comparison *comparison, enum next next, FILE *file)
{
	const char *separator = "";

	if (next == NEXT_HOST || next == NEXT_RUNS) {
		(next == NEXT_HOST ? write_host : write_more_runs)(comparison, file);
		return;
	}
	for (int i = 0; i < 2; i++) {
		const struct profile *side = i ? comparison->b : comparison->a;

		if (!of_sides[next].is_open(side))
			continue;
		fputs(separator, file);
		of_sides[next].write(side, i ? 'b' : 'a', file);
		separator = "; ";
	}
}
