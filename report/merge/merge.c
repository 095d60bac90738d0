/* SPDX-License-Identifier: MIT */
#include "report/merge/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/merge/job.h"
#include "report/merge/merge_rows.h"
#include "report/session/layout.h"
#include "report/session/items.h"
#include "report/session/session_internal.h"

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

static void merge_header(struct session *merged, const struct session *session)
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

static void merge_trace_start(struct session *merged, const struct session *session, int64_t shift)
{
	uint64_t *to = &session_header(merged)->trace_start;
	uint64_t from = session_header(session)->trace_start;

	if (from && (!*to || from + (uint64_t)shift < *to))
		*to = from + (uint64_t)shift;
}

/* Their threads' numbers would say nothing. */
static int merge_idle(struct session *merged, const struct session *session)
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

/* That of a kind on a device; a new one where there is none. */
static struct memory_use *find_use(struct session *merged, const struct memory_use *wanted)
{
	const struct memory_use *use;

	session_for_each_memory_use(
		merged, use) if (use->kind == wanted->kind &&
				 use->device == wanted->device) return (struct memory_use *)use;
	return session_add_item(
		merged, SEGMENT_MEMORY,
		&(struct memory_use){.kind = wanted->kind, .device = wanted->device});
}

static int merge_memory(struct session *merged, const struct session *session)
{
	const struct memory_use *use;

	session_for_each_memory_use(session, use)
	{
		struct memory_use *to = find_use(merged, use);

		if (!to)
			return -ENOMEM;
		if (use->peak > to->peak) {
			to->peak = use->peak;
			to->peak_time = use->peak_time;
		}
		figures_merge(figures_of(SCOPE_MEMORY), to, use);
	}
	return 0;
}

static void process_memory(struct job_process *process, const struct session *session)
{
	const struct memory_use *use;

	session_for_each_memory_use(session, use)
	{
		if (use->kind != ALLOCATION_TOTAL)
			continue;
		if (use->peak > process->memory_peak)
			process->memory_peak = use->peak;
		process->memory_held += use->held;
	}
}

struct clock_entry {
	struct entry entry;
	uint64_t offset;
};

static uint64_t intern_boot(struct merge *merge, const struct session_owner *owner)
{
	char boot[sizeof(owner->boot)];

	snprintf(boot, sizeof(boot), "%.39s", owner->boot);
	return *boot ? session_intern(merge->session, boot) : 0;
}

/*
 * By how much (ns) the records of a process are to be moved, so that they lie on the clock of its
 * node, which is that of the first process; `offset` as in its header. Processes of one node share
 * the wall clock, unless it was set between their starts: the monotonic clock tells by how much.
 */
static int node_clock_shift(struct merge *merge, const struct session_owner *owner, uint64_t offset,
			    int64_t *shift)
{
	/* Containers may have a monotonic clock of their own. */
	const uint64_t key[ENTRY_NUMBERS] = {intern_boot(merge, owner), owner->pid_namespace};
	struct clock_entry *clock;
	uint64_t apart;

	*shift = 0;
	if (!offset || !*owner->boot)
		return 0;
	clock = key[0] ? entry_of(&merge->clocks, key, sizeof(*clock)) : NULL;
	if (!clock)
		return -ENOMEM;
	if (!clock->offset)
		clock->offset = offset;
	apart = clock->offset > offset ? clock->offset - offset : offset - clock->offset;
	if (apart >= CLOCK_SET_LEAST_NS)
		*shift = (int64_t)(clock->offset - offset);
	return 0;
}

int merge_start(struct merge **result, const char *path, bool whole_trace)
{
	struct merge *merge = calloc(1, sizeof(*merge));
	int error = merge ? 0 : -ENOMEM;

	*result = NULL;
	if (!error)
		error = session_create(&merge->session, path,
				       SESSION_KEPT | SESSION_TRACE | SESSION_REPLACES);
	if (error) {
		free(merge);
		return error;
	}
	merge->whole_trace = whole_trace;
	session_header(merge->session)->trace_on = 0;
	*result = merge;
	return 0;
}

void merge_free(struct merge *merge)
{
	struct entry **tables[] = {&merge->starts,  &merge->clocks, &merge->sums,  &merge->spreads,
				   &merge->metrics, &merge->ranges, &merge->parts, &merge->moved};

	if (!merge)
		return;
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		entries_free(tables[i]);
	session_close(merge->session);
	free(merge);
}

struct session *merge_session(const struct merge *merge)
{
	return merge->session;
}

/* One start of a process, wherever it ran: as entry_of(). */
static struct entry *start_of(struct merge *merge, const struct session_owner *owner,
			      uint64_t start, int32_t pid, size_t size)
{
	const uint64_t key[ENTRY_NUMBERS] = {intern_boot(merge, owner), owner->started,
					     owner->pid_namespace, start, (uint64_t)pid};

	return entry_of(&merge->starts, key, *owner->boot && !key[0] ? 0 : size);
}

static bool is_other_job(const struct process_rank *job, const struct process_rank *other)
{
	if (!*job->launcher || !*other->launcher)
		return false;
	if (*job->job && *other->job && strcmp(job->job, other->job) != 0)
		return true;
	return job->world_size >= 0 && other->world_size >= 0 &&
	       job->world_size != other->world_size;
}

/* Why a profile may not be added; NULL: it may. */
static const char *refusal(struct merge *merge, const struct session *session)
{
	const struct session_header *header = session_header(session);
	const struct job_process *process;

	if (is_other_job(&merge->job, &header->rank))
		return "of another job";
	/* Records without a process are known by nothing. */
	if (header->pid && !header->processes &&
	    start_of(merge, &header->owner, header->start_realtime, header->pid, 0))
		return "given twice";
	session_for_each_process(session, process)
	{
		if (start_of(merge, &process->owner, process->start_realtime, process->pid, 0))
			return "holds a process that was given already";
	}
	return NULL;
}

static void fill_use(struct job_process *process, const struct session *session)
{
	const struct session_header *header = session_header(session);
	const struct idle_row *idle;

	for (unsigned i = 0; i < SESSION_DEVICES; i++) {
		const struct device_use *use = &header->uses[i];

		process->device_time += use_time(use);
		process->busy += use->busy;
	}
	session_for_each_idle (session, idle)
		process->causes[idle->cause] += idle->total;
}

/* Adds a process, on the clock of its node if that was set before it began; `shift` is what its
 * records move by. */
static int note_process(struct merge *merge, struct job_process *added, struct job_process **there,
			int64_t *shift)
{
	int error = node_clock_shift(merge, &added->owner, added->clock_offset, shift);

	if (error)
		return error;
	added->clock_offset += (uint64_t)*shift;
	added->records_moved += *shift < 0 ? 0 - (uint64_t)*shift : (uint64_t)*shift;
	*there = session_add_item(merge->session, SEGMENT_PROCESSES, added);
	return *there && start_of(merge, &added->owner, added->start_realtime, added->pid,
				  sizeof(struct entry))
		       ? 0
		       : -ENOMEM;
}

static int add_process(struct merge *merge, const struct session *session,
		       struct job_process **process, int64_t *shift)
{
	const struct session_header *header = session_header(session);
	const uint64_t *counters = header->counters;
	struct job_process added = {
		.pid = header->pid,
		.owner = header->owner,
		.rank = header->rank,
		.hostname =
			session_intern(merge->session, session_string(session, header->hostname)),
		.command = session_intern(merge->session, session_string(session, header->command)),
		.start_realtime = header->start_realtime,
		.clock_offset = header->clock_offset,
		.clock_moved = header->clock_moved,
		.finished = header->finished,
		.wall = counters[COUNTER_wall_ns],
		.trace_records = counters[COUNTER_trace_lost] ? 0 : counters[COUNTER_trace_records],
	};

	fill_use(&added, session);
	process_memory(&added, session);
	return note_process(merge, &added, process, shift);
}

/* Those of a profile that is a merged one. */
static int add_processes(struct merge *merge, const struct session *session, int64_t *earliest)
{
	const struct job_process *process;
	int error = 0;

	*earliest = 0;
	session_for_each_process(session, process)
	{
		const uint64_t key[ENTRY_NUMBERS] = {session_offset(session, process)};
		struct job_process added = *process, *there;
		struct moved_entry *moved = entry_of(&merge->moved, key, sizeof(*moved));

		added.hostname = merge_string(merge, session, process->hostname);
		added.command = merge_string(merge, session, process->command);
		error = moved ? note_process(merge, &added, &there, &moved->shift) : -ENOMEM;
		if (error)
			return error;
		*earliest = moved->shift < *earliest ? moved->shift : *earliest;
		moved->to = session_offset(merge->session, there);
	}
	return 0;
}

static bool is_merged(const struct merge *merge, const struct session *session,
		      const struct trace_record *record)
{
	if (merge->whole_trace)
		return record->kind < ROW_KINDS || record->kind == TRACE_HELD;
	return record->kind < ROW_KINDS &&
	       row_is_collective(record->kind, session_string(session, record->name));
}

/* The records of a part, all of one process, moved by `shift` ns. */
static int add_part(struct merge *merge, const struct session *session,
		    const struct trace_part *part, int64_t shift)
{
	for (size_t i = 0; i < part->count; i++) {
		const struct trace_record *record = &part->records[i];
		struct trace_record moved = *record;

		if (!is_merged(merge, session, record))
			continue;
		moved.name = merge_string(merge, session, record->name);
		moved.kernel = merge_string(merge, session, record->kernel);
		moved.start += (uint64_t)shift;
		moved.end += (uint64_t)shift;
		moved.overhead = 0;
		if (session_trace(merge->session, &moved))
			return -ENOMEM;
		session_header(merge->session)->trace_on = 1;
	}
	return 0;
}

/* `process`: whose records they are, and by how much they move; 0 in a merged profile, which tells.
 */
static int add_trace(struct merge *merge, const struct session *session, uint64_t process,
		     int64_t shift)
{
	uint64_t records = session_header(session)->counters[COUNTER_trace_records];
	struct trace_part part = {.records = NULL};
	uint64_t last = 0;
	int error = 0;

	while (!error && session_next_trace_part(session, &part)) {
		const uint64_t key[ENTRY_NUMBERS] = {
			part.process ? session_offset(session, part.process) : 0};
		const struct moved_entry *of_job = entry_of(&merge->moved, key, 0);
		uint64_t of = of_job ? of_job->to : process;

		if (of != last)
			session_trace_of(merge->session, of, records);
		last = of;
		error = add_part(merge, session, &part, of_job ? of_job->shift : shift);
		session_release_trace_part(session, &part);
	}
	return error;
}

int merge_add(struct merge *merge, const struct session *session, char *message, size_t size)
{
	const struct session_header *header = session_header(session);
	const char *reason = refusal(merge, session);
	struct job_process *process = NULL;
	int64_t shift = 0;
	int error;

	if (reason) {
		snprintf(message, size, "%s", reason);
		return -EXDEV;
	}
	if (!*merge->job.launcher)
		merge->job = header->rank;
	merge_header(merge->session, session);
	if (*merge->job.launcher) {
		session_header(merge->session)->rank = merge->job;
		session_header(merge->session)->rank.rank = -1;
	}
	error = header->processes ? add_processes(merge, session, &shift)
				  : add_process(merge, session, &process, &shift);
	merge_trace_start(merge->session, session, shift);
	if (!error)
		error = merge_rows_add(merge, session, process);
	if (!error)
		error = merge_idle(merge->session, session);
	if (!error)
		error = merge_memory(merge->session, session);
	if (!error)
		error = add_trace(merge, session,
				  process ? session_offset(merge->session, process) : 0, shift);
	entries_free(&merge->moved);
	return error;
}

void merge_finish(struct merge *merge)
{
	struct session_header *header = session_header(merge->session);

	header->finished = 1;
	/* What it has of traces is for waiting times alone. */
	if (!merge->whole_trace)
		header->counters[COUNTER_trace_records] = 0;
	header->reported = 1;
}
