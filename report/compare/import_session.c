/* SPDX-License-Identifier: MIT */
#include "report/compare/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/memory_use.h"
#include "report/names/demangle.h"
#include "report/print/table.h"
#include "report/session/session.h"

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

int import_session(struct profile *profile, const char *path, char *message, size_t size)
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
	for (int i = 0; i < SESSION_DEVICES && !error; i++)
		error = profile_add_energy(profile, i, &session_header(session)->devices[i].energy);
	import_memory(profile, session);
	if (error)
		snprintf(message, size, "%s: %s", path, strerror(-error));
	session_close(session);
	return error;
}
