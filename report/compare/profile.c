/* SPDX-License-Identifier: MIT */
#include "report/compare/compare.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/energy/energy.h"
#include "report/names/demangle.h"
#include "report/names/visible.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/session/files.h"
#include "report/session/items.h"
#include "report/session/layout.h"

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
	struct profile_row *added = profile_row(sum, row->api, row->entry.text, row->name);
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

/* What is known of the devices. */
static void add_devices(struct profile *sum, const struct profile *run)
{
	bool any = false;

	for (int device = 0; device < SESSION_DEVICES; device++) {
		any |= energy_is_known(&run->energies[device]);
		energy_join(&sum->energies[device], &run->energies[device]);
		if (run->memory_peaks[device] > sum->memory_peaks[device])
			sum->memory_peaks[device] = run->memory_peaks[device];
	}
	sum->energy_runs += any;
}

int profile_add_run(struct profile *sum, const struct profile *run)
{
	int error = 0;

	for (int i = 0; i < 2; i++) {
		entries_for_each(const struct profile_row, run->rows[i], row)
		{
			if (!error)
				error = add_row_run(sum, row);
		}
	}
	add_devices(sum, run);
	for (unsigned i = 0; i < ROW_FIGURE_COUNT; i++)
		sum->figures[i] += run->figures[i];
	sum->source = run->source;
	sum->runs++;
	return error;
}

void profile_free(struct profile *profile)
{
	for (int i = 0; i < 2; i++) {
		entries_for_each(struct profile_row, profile->rows[i], row)
		{
			free(row->name);
			free(row->runs);
		}
		text_entries_free(&profile->rows[i]);
	}
}

/* The table's row has its mangled name: two kinds of readable ones are made of it. */
static int import_row(struct profile *profile, struct table_row *row, bool api)
{
	char *key = row->kind == ROW_KERNEL ? nsys_demangle(row->name) : strdup(row->name);
	char *readable = row->kind == ROW_KERNEL ? demangle(row->name) : NULL;
	struct profile_row *imported = NULL;
	double average = row->counted ? (double)row->total / (double)row->counted : 0;

	if (key)
		imported = profile_row(profile, api, key, readable ? readable : row->name);
	free(key);
	free(readable);
	if (!imported)
		return -ENOMEM;
	profile_add_group(imported, row->calls, row->timed, (double)row->total, average,
			  table_variance(row), (double)row->minimum, (double)row->maximum);
	return 0;
}

static void import_memory(struct profile *profile, const struct session *session)
{
	const struct memory_use *use;

	session_for_each_memory_use(session, use) if (use->kind == ALLOCATION_TOTAL &&
						      use->device >= 0 &&
						      use->device < SESSION_DEVICES)
		profile->memory_peaks[use->device] = use->peak;
}

static void import_figures(struct profile *profile, const struct session *session)
{
	const struct figure *figures = figures_of(SCOPE_ROW)->figures;

	for (unsigned i = 0; i < ROW_FIGURE_COUNT; i++)
		if (figures[i].shown == SHOWN_LISTED)
			profile->figures[i] = figures_of_rows(session, &figures[i]);
}

static int import_session(struct profile *profile, const char *path, char *message, size_t size)
{
	static const enum table_section sections[] = {TABLE_GPU, TABLE_API};
	struct session *session;
	struct options options;
	int error;

	error = session_load(&session, path, message, size);
	if (error)
		return error;
	profile->source = "ktime profile";
	options_defaults(&options);
	options.demangling = false;
	for (size_t section = 0; section < 2 && !error; section++) {
		struct table table;

		error = table_collect(&table, session, &options, sections[section],
				      TABLE_ALL_DEVICES, false);
		for (size_t i = 0; i < table.count && !error; i++)
			error = import_row(profile, &table.rows[i], sections[section] == TABLE_API);
		table_free(&table);
	}
	for (int i = 0; i < SESSION_DEVICES; i++)
		energy_join(&profile->energies[i], &session_header(session)->devices[i].energy);
	import_memory(profile, session);
	import_figures(profile, session);
	if (error)
		snprintf(message, size, "%s: %s", path, strerror(-error));
	session_close(session);
	return error;
}

#define SQLITE_MAGIC "SQLite format 3"

/* How long a pipe may bring nothing: what writes to it may be a command on another machine. Chosen.
 */
#define PIPE_WAIT_MS 60000

static void say_waiting(const char *path)
{
	visible_line(stderr, "ktime: waiting for what the pipe %s brings", path);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

static int import_file(struct profile *profile, FILE *file, const char *path, char *message,
		       size_t size)
{
	const uint64_t session_magic = SESSION_MAGIC;
	char start[sizeof(SQLITE_MAGIC)] = "";
	bool is_session, is_database;
	const char *reason;
	struct stat status;

	errno = 0;
	if (fread(start, 1, sizeof(start), file) == 0) {
		reason = ferror(file) ? strerror(errno) : "empty";
		goto refuse;
	}
	rewind(file);
	is_session = !memcmp(start, &session_magic, sizeof(session_magic));
	is_database = !memcmp(start, SQLITE_MAGIC, sizeof(SQLITE_MAGIC));
	/* These are opened by their name once more. */
	if ((is_session || is_database) && (stat(path, &status) < 0 || !S_ISREG(status.st_mode))) {
		reason = "a pipe can bring CSV alone: name the file";
		goto refuse;
	}
	if (is_session)
		return import_session(profile, path, message, size);
	if (is_database)
		return import_sqlite(profile, path, message, size);
	if (!ends_with(path, ".nsys-rep"))
		return import_csv(profile, file, path, message, size);
	reason = "a report that only nsys reads: give what `nsys export --type sqlite` makes of it";
refuse:
	snprintf(message, size, "%s: %s", path, reason);
	return -EINVAL;
}

int import_profile(struct profile *profile, const char *path, char *message, size_t size)
{
	FILE *file;
	int error = input_open(&file, path, PIPE_WAIT_MS, say_waiting, message, size);

	*profile = (struct profile){0};
	if (error)
		return error;
	error = import_file(profile, file, path, message, size);
	fclose(file);
	return error;
}

static int load_file(struct profile *sum, const char *path, char *message, size_t size)
{
	struct profile run;
	int error = import_profile(&run, path, message, size);

	if (!error) {
		error = profile_add_run(sum, &run);
		if (error)
			snprintf(message, size, "%s: %s", path, strerror(-error));
	}
	profile_free(&run);
	return error;
}

static int is_profile(const struct dirent *entry)
{
	return ends_with(entry->d_name, RUNS_SUFFIX);
}

static int load_folder(struct profile *sum, const char *path, char *message, size_t size)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_profile, alphasort), error = 0;
	char *file;

	if (count <= 0) {
		error = count < 0 ? -errno : -ENOENT;
		snprintf(message, size, "%s: %s", path,
			 count < 0 ? strerror(-error)
				   : "a folder without profiles (*" RUNS_SUFFIX ")");
	}
	for (int i = 0; i < count; i++) {
		if (!error && asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0) {
			error = -ENOMEM;
			snprintf(message, size, "%s: %s", path, strerror(-error));
		} else if (!error) {
			error = load_file(sum, file, message, size);
			free(file);
		}
		free(entries[i]);
	}
	free(entries);
	return error;
}

int runs_load(struct profile *sum, const char *const *paths, size_t count, char *message,
	      size_t size)
{
	int error = 0;

	*sum = (struct profile){.files = paths, .file_count = count};
	for (size_t i = 0; i < count && !error; i++) {
		struct stat status;
		bool folder = stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode);

		error = folder ? load_folder(sum, paths[i], message, size)
			       : load_file(sum, paths[i], message, size);
	}
	return error;
}
