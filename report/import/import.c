/* SPDX-License-Identifier: MIT */
#include "report/import/import.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/energy/energy.h"
#include "report/names/demangle.h"
#include "report/names/visible.h"
#include "report/print/filter.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/rates/rates.h"
#include "report/session/files.h"
#include "report/session/items.h"
#include "report/session/layout.h"

/* By which a row is found; the caller frees it. */
static char *key_of(enum row_kind kind, const char *name)
{
	return kind == ROW_KERNEL ? nsys_demangle(name) : strdup(name);
}

/* The table's row has its mangled name: two kinds of readable ones are made of it. */
static int import_row(struct profile *profile, struct table_row *row, bool api)
{
	char *key = key_of(row->kind, row->name);
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

static int import_rates(struct profile *profile, const struct session *session,
			const struct rates_table *table)
{
	for (const struct rates_row *row = table->rows; row < table->rows + table->count; row++) {
		const struct rate *rate = &row->rates.bandwidth;
		char *key = key_of(row->row->kind, session_string(session, row->row->name));
		struct profile_row *of = key ? text_entry_of(&profile->rows[false], key, 0) : NULL;

		free(key);
		if (!of)
			return -ENOMEM;
		if (row->total > 0)
			of->bytes += rate->average > 0 ? rate->average * row->total : NAN;
	}
	return 0;
}

/* How many blocks launches have. What is launched in more shapes than a row holds is not known. */
static int import_blocks(struct profile *profile, const struct session *session)
{
	const struct row *row;

	session_for_each_row (session, row) {
		const struct launch_shape *shape = row->shapes;
		struct profile_row *of;
		char *key;

		if (row->kind != ROW_KERNEL || !shape->threads)
			continue;
		key = key_of(row->kind, session_string(session, row->name));
		if (!key)
			return -ENOMEM;
		of = text_entry_of(&profile->rows[false], key, 0);
		free(key);
		if (!of)
			continue;
		for (; shape < row->shapes + ROW_SHAPES && shape->threads; shape++) {
			of->blocks += (double)shape->blocks;
			of->launches += shape->launches;
		}
		if (shape == row->shapes + ROW_SHAPES)
			of->blocks = NAN;
	}
	return 0;
}

/* What copies, memsets and kernels moved, by the rates that a report of the profile has. */
static int import_bytes(struct profile *profile, const struct session *session,
			const struct options *work)
{
	struct options options;
	struct filter filter;
	int error;

	options_defaults(&options);
	options.declared = work ? work->declared : NULL;
	error = filter_init(&filter, session, &options);
	if (error)
		return error;
	for (int kernels = 0; kernels < 2 && !error; kernels++) {
		struct rates_table table;

		if (kernels && !options.declared)
			break;
		error = rates_collect(&table, &filter, kernels, false);
		if (error)
			break;
		error = import_rates(profile, session, &table);
		rates_free(&table);
	}
	filter_free(&filter);
	return error;
}

static int add_idle_sum(struct profile *profile, const struct session *session,
			const struct idle_sum *sum)
{
	char *before = idle_plain_name(session_string(session, sum->before));
	char *after = idle_plain_name(session_string(session, sum->after));
	const struct idle_gaps gaps = {(double)sum->gaps, (double)sum->longest, before, after};
	int error = before && after ? 0 : -ENOMEM;

	if (!error)
		error = profile_add_idle(profile, sum->text, (double)sum->total, &gaps);
	free(before);
	free(after);
	return error;
}

/* Why the devices were idle, if all that ran on them was recorded. */
static int import_idle(struct profile *profile, const struct session *session)
{
	const struct session_header *header = session_header(session);
	const struct device_use *use;
	struct idle_sum sums[IDLE_SUMS];
	bool exact = true;
	int error = 0;

	if (!session_knows_use(session))
		return 0;
	session_for_each_use (session, UINT64_MAX, device, use) {
		unsigned count = idle_sums(session, device, 0, sums);

		/* What was lost seems idle. */
		if (use_is_incomplete(header, use)) {
			profile->idle_runs = 0;
			break;
		}
		for (unsigned i = 0; i < count && !error; i++)
			error = add_idle_sum(profile, session, &sums[i]);
		profile->idle_runs = 1;
		profile->busy = (double)use->busy;
		profile->before = (double)use->first - (double)header->start_realtime;
		/* Clocks that were set meanwhile tell nothing. */
		exact &= use->error == 0 && use->excluded == 0 && profile->before >= 0;
	}
	profile->synchronizing =
		(double)(header->totals.waiting_calls + header->totals.synchronous_calls);
	profile->busy_runs =
		profile->idle_runs && exact && devices_used(session) == 1 && !header->processes;
	return error;
}

/* The program, unless it was one of a job's, which its command alone does not start. */
static int import_run(struct profile *profile, const struct session *session, const char *path)
{
	const struct session_header *header = session_header(session);
	const char *command = session_string(session, header->command);
	const struct job_process *process;
	uint64_t wall = header->processes ? 0 : header->counters[COUNTER_wall_ns];

	/* Those of a job run side by side. */
	session_for_each_process (session, process)
		RAISE(wall, process->wall);
	/* A part of a run is as long as its user wanted it to be. */
	profile->wall = header->finished > RUN_WHOLE ? 0 : (double)wall;
	profile->traced = session_next_trace(session, NULL);
	profile->path = strdup(path);
	if (!profile->path)
		return -ENOMEM;
	if (header->processes || *header->rank.launcher || !*command)
		return 0;
	profile->command = strdup(command);
	return profile->command ? 0 : -ENOMEM;
}

static void import_memory(struct profile *profile, const struct session *session)
{
	const struct memory_use *use;

	session_for_each_memory_use (session, use)
		if (use->kind == ALLOCATION_TOTAL && use->device >= 0 &&
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

static int import_session(struct profile *profile, const char *path, const struct options *work,
			  char *message, size_t size)
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
	if (!error)
		error = import_bytes(profile, session, work);
	if (!error)
		error = import_blocks(profile, session);
	if (!error)
		error = import_run(profile, session, path);
	if (!error)
		error = import_idle(profile, session);
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

/* A text is held in memory twice: as it is read, and as UTF-8. */
#define TEXT_MOST    (1UL << 30)
#define TOO_LONG                                                                                   \
	"more than 1 GiB of text: give what `nsys export --type sqlite` makes of the report"

static void say_waiting(const char *path)
{
	visible_line(stderr, "ktime: waiting for what the pipe %s brings", path);
}

/* Reads the rest of the file; NULL with a reason. */
static char *read_all(FILE *file, size_t *length, const char **reason)
{
	char *bytes = NULL, *grown;
	size_t room = 0, got;

	*length = 0;
	do {
		if (*length == room) {
			room = room ? 2 * room : 1 << 16;
			grown = room > TEXT_MOST ? NULL : realloc(bytes, room);
			if (!grown) {
				*reason = room > TEXT_MOST ? TOO_LONG : strerror(ENOMEM);
				free(bytes);
				return NULL;
			}
			bytes = grown;
		}
		got = fread(bytes + *length, 1, room - *length, file);
		*length += got;
	} while (got);
	if (!ferror(file))
		return bytes;
	*reason = strerror(errno);
	free(bytes);
	return NULL;
}

/* nsys's own reports, which only nsys reads. One of another name is refused as no text. */
static bool is_nsys_report(const char *path)
{
	return !fnmatch("?*.nsys-rep", path, 0) || !fnmatch("?*.qdrep", path, 0) ||
	       !fnmatch("?*.qdstrm", path, 0);
}

static int import_file(struct profile *profile, FILE *file, const char *path,
		       const struct import_options *how, char *message, size_t size)
{
	char *bytes;
	size_t length;
	int error;
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
		reason = "a pipe can bring text alone: name the file";
		goto refuse;
	}
	if (is_session)
		return import_session(profile, path, how ? how->work : NULL, message, size);
	if (is_database)
		return import_sqlite(profile, path, message, size);
	reason = "a report that only nsys reads: give what `nsys export --type sqlite` makes of it";
	if (is_nsys_report(path))
		goto refuse;
	bytes = read_all(file, &length, &reason);
	if (!bytes)
		goto refuse;
	error = import_text(profile, bytes, length, how ? how->part : 0, path, message, size);
	free(bytes);
	return error;
refuse:
	snprintf(message, size, "%s: %s", path, reason);
	return -EINVAL;
}

int import_profile(struct profile *profile, const char *path, const struct import_options *how,
		   char *message, size_t size)
{
	FILE *file;
	int error = input_open(&file, path, PIPE_WAIT_MS, say_waiting, message, size);

	*profile = (struct profile){0};
	if (error)
		return error;
	error = import_file(profile, file, path, how, message, size);
	fclose(file);
	return error;
}
