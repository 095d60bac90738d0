/* SPDX-License-Identifier: MIT */
#include "report/merge/merge_header.h"

#include <errno.h>
#include <string.h>

#include "report/session/figure_tables.h"

/* A device's time is that of all processes, from no moment of any clock. */
static void add_use(struct device_use *to, const struct device_use *from)
{
	if (!from->last)
		return;
	to->last += from->last > from->first ? from->last - from->first : 0;
	figures_merge(figures_of(SCOPE_USE), to, from);
}

/* What is said of all processes is taken from the first one. */
static void begin_header(struct session *merged, const struct session *session)
{
	struct session_header *to = session_header(merged);
	const struct session_header *from = session_header(session);

	to->pid = from->pid;
	to->start_realtime = from->start_realtime;
	to->command = session_intern(merged, session_string(session, from->command));
	to->driver_version = from->driver_version;
	to->cupti_version = from->cupti_version;
	to->timer = from->timer;
	to->budget_percent = from->budget_percent;
	to->budget_given = from->budget_given;
	to->events_fraction = from->events_fraction;
	memcpy(to->overheads, from->overheads, sizeof(to->overheads));
	to->queued = from->queued;
}

void merge_header(struct session *merged, const struct session *session)
{
	struct session_header *to = session_header(merged);
	const struct session_header *from = session_header(session);

	if (!to->processes)
		begin_header(merged, session);
	to->processes += from->processes ? from->processes : 1;
	/* No command is that of all. */
	if (strcmp(session_string(merged, to->command), session_string(session, from->command)))
		to->command = 0;
	to->cupti_active |= from->cupti_active;
	to->events_active |= from->events_active;
	if (from->start_realtime < to->start_realtime)
		to->start_realtime = from->start_realtime;
	figures_merge(figures_of(SCOPE_RUN), to->counters, from->counters);
	for (unsigned i = 0; i < SESSION_DEVICES; i++) {
		uint32_t used = to->devices[i].used || from->devices[i].used;

		if (from->devices[i].used && !to->devices[i].used)
			to->devices[i] = from->devices[i];
		/* Processes that share a device have all of its energy each. */
		to->devices[i].energy = (struct device_energy){0};
		to->devices[i].used = used;
		add_use(&to->uses[i], &from->uses[i]);
	}
	figures_merge(figures_of(SCOPE_TOTALS), &to->totals, &from->totals);
	for (uint32_t i = 0; i < from->note_count && i < SESSION_NOTES; i++)
		if (*session_string(session, from->notes[i]))
			session_note(merged, "%s", session_string(session, from->notes[i]));
}

void merge_trace_start(struct session *merged, const struct session *session, int64_t shift)
{
	uint64_t *to = &session_header(merged)->trace_start;
	uint64_t from = session_header(session)->trace_start;

	if (from && (!*to || from + (uint64_t)shift < *to))
		*to = from + (uint64_t)shift;
}

/* Their threads' numbers would say nothing. */
int merge_idle(struct session *merged, const struct session *session)
{
	const struct idle_row *row;

	session_for_each_idle (session, row) {
		struct idle_row key = {.cause = row->cause, .device = row->device}, *to;
		const char *name = session_string(session, row->name);
		const char *before = session_string(session, row->longest_before);
		const char *after = session_string(session, row->longest_after);

		key.name = *name ? session_intern(merged, name) : 0;
		to = session_idle_row(merged, &key);
		if (!to)
			return -ENOMEM;
		figures_merge(figures_of(SCOPE_IDLE), to, row);
		if (row->longest <= to->longest)
			continue;
		to->longest = row->longest;
		to->longest_before = *before ? session_intern(merged, before) : 0;
		to->longest_after = *after ? session_intern(merged, after) : 0;
	}
	return 0;
}
