/* SPDX-License-Identifier: MIT */
#include "report/live/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/live/processes.h"
#include "report/print/table.h"

static void free_reading(struct reading *reading)
{
	session_close(reading->before);
	session_close(reading->now);
	free(reading->path);
	free(reading->command);
}

/* Reads a profile once more; the last readings stay if it fails. */
static int take(struct reading *reading)
{
	struct session *session;
	int error = session_open(&session, reading->path);

	if (error)
		return error;
	session_close(reading->before);
	reading->before = reading->now;
	reading->now = session;
	reading->number++;
	/* What the end changes, as estimates become final, is no work of the last second. */
	reading->ended = session_header(session)->finished != 0;
	return 0;
}

static struct reading *find(const struct readings *readings, const struct left_profile *profile)
{
	for (size_t i = 0; i < readings->count; i++)
		if (readings->of[i].path && readings->of[i].pid == profile->pid &&
		    strcmp(readings->of[i].path, profile->path) == 0)
			return &readings->of[i];
	return NULL;
}

/* Takes the reading of a profile over from `old`, or begins one; its strings are taken over. */
static void adopt(struct reading *reading, const struct readings *old, struct left_profile *profile)
{
	struct reading *known = find(old, profile);

	if (known) {
		*reading = *known;
		*known = (struct reading){.path = NULL};
		return;
	}
	*reading = (struct reading){.path = profile->path,
				    .command = profile->command,
				    .pid = profile->pid,
				    .user = profile->user};
	profile->path = profile->command = NULL;
}

int readings_take(struct readings *readings, const struct options *options,
		  const char *const *numbers, size_t number_count, char *message, size_t size)
{
	struct readings old = *readings;
	struct left_profile *profiles;
	size_t count;
	int error =
		processes_find(&profiles, &count, options, numbers, number_count, message, size);

	/* A process that was there and is gone has ended. */
	if (error && old.count == 0) {
		left_profiles_free(profiles, count);
		return error;
	}
	error = 0;
	*readings = (struct readings){calloc(count + 1, sizeof(*readings->of)), 0};
	if (!readings->of) {
		error = -ENOMEM;
		snprintf(message, size, "%s", strerror(ENOMEM));
	}
	for (size_t i = 0; i < count && !error; i++) {
		struct reading *reading = &readings->of[readings->count];

		adopt(reading, &old, &profiles[i]);
		if (take(reading) == 0 && !reading->ended)
			readings->count++;
		else
			free_reading(reading);
	}
	readings_free(&old);
	left_profiles_free(profiles, count);
	return error;
}

void readings_free(struct readings *readings)
{
	for (size_t i = 0; i < readings->count; i++)
		free_reading(&readings->of[i]);
	free(readings->of);
	*readings = (struct readings){.of = NULL};
}

static uint64_t counter(const struct session *session, enum session_counter counter)
{
	return session ? session_header(session)->counters[counter] : 0;
}

static uint64_t less(uint64_t now, uint64_t before)
{
	/* An estimate may become smaller. */
	return now > before ? now - before : 0;
}

double reading_run_seconds(const struct reading *reading)
{
	return (double)counter(reading->now, COUNTER_wall_ns) / 1e9;
}

double reading_seconds(const struct reading *reading)
{
	return (double)less(counter(reading->now, COUNTER_wall_ns),
			    counter(reading->before, COUNTER_wall_ns)) /
	       1e9;
}

static int compare_names(const void *left, const void *right)
{
	const struct table_row *a = left, *b = right;

	return a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : strcmp(a->name, b->name);
}

static int by_number(uint64_t left, uint64_t right)
{
	return left > right ? -1 : left < right;
}

static int compare_rows(const void *left, const void *right, void *argument)
{
	const struct reading_row *a = left, *b = right;
	const struct options *options = argument;
	int order = 0;

	if (options->top_sort == TOP_NAME)
		order = strcmp(a->name, b->name);
	else if (options->top_sort == TOP_CALLS)
		order = by_number(a->calls, b->calls);
	else if (options->top_sort == TOP_RUN)
		order = by_number(a->run_total, b->run_total);
	if (order == 0)
		order = by_number(a->total, b->total);
	if (order == 0)
		order = by_number(a->run_total, b->run_total);
	return order ? order : strcmp(a->name, b->name);
}

/* The rows of now, less those of before; the names are taken over. */
static void subtract(struct reading_rows *rows, struct table *now, struct table *before)
{
	if (before->collected > 0)
		qsort(before->rows, before->collected, sizeof(*before->rows), compare_names);
	for (size_t i = 0; i < now->collected; i++) {
		struct table_row *row = &now->rows[i];
		const struct table_row *old =
			before->collected > 0 ? bsearch(row, before->rows, before->collected,
							sizeof(*before->rows), compare_names)
					      : NULL;
		struct reading_row *result = &rows->rows[rows->count++];

		*result = (struct reading_row){
			.name = row->name,
			.kind = row->kind,
			.calls = less(row->calls, old ? old->calls : 0),
			.run_calls = row->calls,
			.total = less(row->total, old ? old->total : 0),
			.run_total = row->total,
			.estimated = row->estimated,
		};
		row->name = NULL;
		rows->calls += result->calls;
		rows->run_calls += result->run_calls;
		rows->total += result->total;
		rows->run_total += result->run_total;
	}
}

static int collect(struct table *table, const struct session *session,
		   const struct options *options, bool api)
{
	struct options all = *options;

	*table = (struct table){.rows = NULL};
	all.top = 0;
	return session ? table_collect(table, session, &all, api ? TABLE_API : TABLE_GPU,
				       TABLE_ALL_DEVICES, false)
		       : 0;
}

int reading_rows(const struct reading *reading, const struct options *options, bool api,
		 struct reading_rows *rows)
{
	struct table now, before = {.rows = NULL};
	int error = collect(&now, reading->now, options, api);

	*rows = (struct reading_rows){.rows = NULL};
	if (!error)
		error = collect(&before, reading->before, options, api);
	if (!error)
		rows->rows = calloc(now.collected + 1, sizeof(*rows->rows));
	if (!error && !rows->rows)
		error = -ENOMEM;
	if (!error) {
		subtract(rows, &now, &before);
		qsort_r(rows->rows, rows->count, sizeof(*rows->rows), compare_rows,
			(void *)options);
	}
	for (; options->top > 0 && rows->count > options->top; rows->count--)
		free(rows->rows[rows->count - 1].name);
	table_free(&now);
	table_free(&before);
	return error;
}

void reading_rows_free(struct reading_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->rows[i].name);
	free(rows->rows);
	*rows = (struct reading_rows){.rows = NULL};
}

static double share(double part, double whole)
{
	double result = whole > 0 ? part / whole : -1;

	return result > 1 ? 1 : result;
}

static void idle_totals(const struct session *session, int device,
			uint64_t totals[IDLE_CAUSE_COUNT])
{
	const struct idle_row *row;

	memset(totals, 0, IDLE_CAUSE_COUNT * sizeof(*totals));
	if (!session)
		return;
	session_for_each_idle (session, row)
		if (row->device == device && row->cause < IDLE_CAUSE_COUNT)
			totals[row->cause] += row->total;
}

bool reading_use(const struct reading *reading, int device, struct reading_use *result)
{
#define CAUSE_TEXT(name, key, text) text,
	static const char *const texts[] = {IDLE_CAUSES(CAUSE_TEXT)};
	const struct device_use *use = &session_header(reading->now)->uses[device];
	uint64_t before = reading->before ? session_header(reading->before)->uses[device].busy : 0;
	uint64_t now_idle[IDLE_CAUSE_COUNT], before_idle[IDLE_CAUSE_COUNT], largest = 0;
	double interval = reading_seconds(reading) * 1e9;

	*result = (struct reading_use){.busy = -1, .run_busy = -1};
	/* Events say how long an operation took and not when, windows leave most of it out. */
	if (!use->last || counter(reading->now, COUNTER_windows) > 0)
		return false;
	result->busy = share((double)less(use->busy, before), interval);
	result->run_busy = share((double)use->busy, reading_run_seconds(reading) * 1e9);
	idle_totals(reading->now, device, now_idle);
	idle_totals(reading->before, device, before_idle);
	for (unsigned cause = 0; cause < IDLE_CAUSE_COUNT; cause++) {
		uint64_t added = less(now_idle[cause], before_idle[cause]);

		if (added <= largest)
			continue;
		largest = added;
		result->cause = texts[cause];
		result->cause_share = share((double)added, interval);
	}
	return true;
}
