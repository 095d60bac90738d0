/* SPDX-License-Identifier: MIT */
#include "report/import/profile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/energy/energy.h"

struct profile_row *profile_row(struct profile *profile, bool api, const char *key,
				const char *name)
{
	struct profile_row *row = text_entry_of(&profile->rows[api], key, sizeof(*row));

	if (!row || row->name)
		return row;
	row->api = api;
	row->name = strdup(name);
	return row->name ? row : NULL;
}

void profile_add_group(struct profile_row *row, uint64_t calls, uint64_t timed, double total,
		       double average, double variance, double minimum, double maximum)
{
	double before = (double)row->timed, added = (double)timed, all = before + added;
	double distance = average - row->average;

	row->calls += calls;
	row->total += total;
	if (!timed)
		return;
	if (!row->timed || minimum < row->minimum)
		row->minimum = minimum;
	RAISE(row->maximum, maximum);
	/* Chan, Golub and LeVeque: sums of squares of two groups, without cancellation. */
	if (all > 1)
		row->variance = ((before > 1 ? row->variance * (before - 1) : 0) +
				 (added > 1 ? variance * (added - 1) : 0) +
				 distance * distance * before * added / all) /
				(all - 1);
	row->average += distance * added / all;
	row->timed += timed;
}

void profile_add_sample(struct profile_row *row, uint64_t nanoseconds)
{
	double time = (double)nanoseconds;

	profile_add_group(row, 1, 1, time, time, 0, time, time);
}

double profile_variance_bound(double average, double minimum, double maximum, uint64_t calls)
{
	/* Bhatia and Davis's inequality, for a sample. */
	if (calls < 2)
		return 0;
	return (maximum - average) * (average - minimum) * (double)calls / (double)(calls - 1);
}

void profile_say(struct profile *profile, const char *format, ...)
{
	char **said = realloc(profile->said, (profile->said_count + 1) * sizeof(*said));
	va_list arguments;

	if (!said)
		return;
	profile->said = said;
	va_start(arguments, format);
	if (vasprintf(&said[profile->said_count], format, arguments) >= 0)
		profile->said_count++;
	va_end(arguments);
}

static int add_row_run(struct profile *sum, const struct profile_row *row)
{
	struct profile_row *added = profile_row(sum, row->api, row->entry.text, row->name);
	struct row_run *runs;

	if (!added)
		return -ENOMEM;
	profile_add_group(added, row->calls, row->timed, row->total, row->average, row->variance,
			  row->minimum, row->maximum);
	added->blocks += row->blocks;
	added->launches += row->launches;
	if (!row->timed)
		return 0;
	runs = realloc(added->runs, (added->run_count + 1) * sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	added->runs = runs;
	runs[added->run_count++] = (struct row_run){.run = sum->runs,
						    .calls = row->calls,
						    .total = row->total,
						    .average = row->average,
						    .bytes = row->bytes};
	return 0;
}

/* What is known of the devices. */
static void add_devices(struct profile *sum, const struct profile *run)
{
	bool any = false;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		any |= energy_is_known(&run->energies[device]);
		energy_join(&sum->energies[device], &run->energies[device]);
		RAISE(sum->memory_peaks[device], run->memory_peaks[device]);
	}
	sum->energy_runs += any;
}

static int add_whole(struct profile *sum, const struct profile *run)
{
	double *walls = realloc(sum->walls, (sum->runs + 1) * sizeof(*walls));

	if (!walls)
		return -ENOMEM;
	sum->walls = walls;
	walls[sum->runs] = run->wall;
	if (sum->runs > 0)
		return 0;
	sum->traced = run->traced;
	sum->command = run->command ? strdup(run->command) : NULL;
	sum->path = run->path ? strdup(run->path) : NULL;
	return (run->command && !sum->command) || (run->path && !sum->path) ? -ENOMEM : 0;
}

/* A name that lives as long as the profile; NULL if memory is out. */
static const char *name_of(struct profile *profile, const char *name)
{
	const struct text_entry *entry = text_entry_of(&profile->names, name, sizeof(*entry));

	return entry ? entry->text : NULL;
}

int profile_add_idle(struct profile *profile, const char *cause, double total,
		     const struct idle_gaps *gaps)
{
	struct profile_idle *idle = text_entry_of(&profile->idle, cause, sizeof(*idle));

	if (!idle)
		return -ENOMEM;
	idle->total += total;
	if (!gaps)
		return 0;
	idle->gaps.count += gaps->count;
	if (gaps->longest <= idle->gaps.longest)
		return 0;
	idle->gaps.longest = gaps->longest;
	idle->gaps.before = name_of(profile, gaps->before);
	idle->gaps.after = name_of(profile, gaps->after);
	return idle->gaps.before && idle->gaps.after ? 0 : -ENOMEM;
}

static int add_idle_run(struct profile *sum, const struct profile *run)
{
	int error = 0;

	entries_for_each (const struct profile_idle, run->idle, idle)
		if (!error)
			error = profile_add_idle(sum, idle->entry.text, idle->total, &idle->gaps);
	sum->idle_runs += run->idle_runs;
	sum->synchronizing += run->synchronizing;
	sum->busy += run->busy;
	sum->before += run->before;
	sum->busy_runs += run->busy_runs;
	return error;
}

int profile_add_run(struct profile *sum, const struct profile *run)
{
	int error = 0;

	for (int i = 0; i < 2; i++) {
		entries_for_each (const struct profile_row, run->rows[i], row)
			if (!error)
				error = add_row_run(sum, row);
	}
	if (!error)
		error = add_whole(sum, run);
	if (!error)
		error = add_idle_run(sum, run);
	add_devices(sum, run);
	for (unsigned i = 0; i < ROW_FIGURE_COUNT; i++)
		sum->figures[i] += run->figures[i];
	for (size_t i = 0; i < run->said_count; i++)
		profile_say(sum, "%s", run->said[i]);
	sum->damaged |= run->damaged;
	sum->source = run->source;
	sum->runs++;
	return error;
}

void profile_free(struct profile *profile)
{
	for (int i = 0; i < 2; i++) {
		entries_for_each (struct profile_row, profile->rows[i], row) {
			free(row->name);
			free(row->runs);
		}
		text_entries_free(&profile->rows[i]);
	}
	for (size_t i = 0; i < profile->said_count; i++)
		free(profile->said[i]);
	free(profile->said);
	free(profile->walls);
	free(profile->command);
	free(profile->path);
	text_entries_free(&profile->idle);
	text_entries_free(&profile->names);
	profile->walls = NULL;
	profile->command = profile->path = NULL;
	profile->said = NULL;
	profile->said_count = 0;
}
