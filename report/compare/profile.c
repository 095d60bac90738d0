/* SPDX-License-Identifier: MIT */
#include "report/compare/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/energy/energy.h"

static void row_free(struct profile_row *row)
{
	free(row->name);
	free(row->key);
	free(row->runs);
	free(row);
}

struct profile_row *profile_row(struct profile *profile, bool api, const char *key,
				const char *name)
{
	struct profile_row **rows = api ? &profile->api : &profile->gpu;
	struct profile_row *row;

	HASH_FIND_STR(*rows, key, row);
	if (row)
		return row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->api = api;
	row->name = strdup(name);
	row->key = strdup(key);
	if (row->name && row->key)
		HASH_ADD_KEYPTR(hh, *rows, row->key, strlen(row->key), row);
	if (row->hh.tbl)
		return row;
	row_free(row);
	return NULL;
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
	if (maximum > row->maximum)
		row->maximum = maximum;
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

static int add_row_run(struct profile *sum, const struct profile_row *row)
{
	struct profile_row *added = profile_row(sum, row->api, row->key, row->name);
	struct row_run *runs;

	if (!added)
		return -ENOMEM;
	profile_add_group(added, row->calls, row->timed, row->total, row->average, row->variance,
			  row->minimum, row->maximum);
	if (!row->timed)
		return 0;
	runs = realloc(added->runs, (added->run_count + 1) * sizeof(*runs));
	if (!runs)
		return -ENOMEM;
	added->runs = runs;
	runs[added->run_count++] = (struct row_run){.run = sum->runs,
						    .calls = row->calls,
						    .total = row->total,
						    .average = row->average};
	return 0;
}

int profile_add_energy(struct profile *profile, int device, const struct device_energy *energy)
{
	if (!energy_is_known(energy))
		return 0;
	if (!profile->energies)
		profile->energies = calloc(1, sizeof(*profile->energies));
	if (!profile->energies)
		return -ENOMEM;
	energy_join(&profile->energies->devices[device], energy);
	return 0;
}

/* Those of a single run, which was read before. */
static int add_energies(struct profile *sum, const struct profile_energies *energies)
{
	int error = 0;

	for (int device = 0; device < SESSION_DEVICES && energies && !error; device++)
		error = profile_add_energy(sum, device, &energies->devices[device]);
	if (energies && !error)
		sum->energies->runs++;
	return error;
}

int profile_add_run(struct profile *sum, const struct profile *run)
{
	const struct profile_row *sections[] = {run->gpu, run->api};
	int error = 0;

	for (int i = 0; i < 2; i++)
		for (const struct profile_row *row = sections[i]; row && !error; row = row->hh.next)
			error = add_row_run(sum, row);
	if (!error)
		error = add_energies(sum, run->energies);
	for (int device = 0; device < SESSION_DEVICES; device++)
		if (run->memory_peaks[device] > sum->memory_peaks[device])
			sum->memory_peaks[device] = run->memory_peaks[device];
	sum->source = run->source;
	sum->runs++;
	return error;
}

static void rows_free(struct profile_row **rows)
{
	struct profile_row *row, *next;

	HASH_ITER (hh, *rows, row, next) {
		HASH_DEL(*rows, row);
		row_free(row);
	}
}

void profile_free(struct profile *profile)
{
	rows_free(&profile->gpu);
	rows_free(&profile->api);
	free(profile->energies);
}
