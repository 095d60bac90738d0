/* SPDX-License-Identifier: MIT */
#include "report/merge/waits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/merge/merge_rows.h"
#include "report/session/estimate.h"
#include "report/session/session_internal.h"

/* The processes that made as many calls of one collective. */
struct group_key {
	uint64_t row, calls;
};

struct group {
	struct group_key key;
	double least, error;
	UT_hash_handle hh;
};

/* The calls of one collective: the latest start and the ends of each. */
struct call_times {
	uint64_t latest, first_end, last_end;
};

struct collective {
	uint64_t name; /* offset of a string */
	struct call_times *calls;
	size_t count, capacity;
	size_t next;	   /* of the process that is read */
	size_t calls_each; /* of every process so far that made any */
	UT_hash_handle hh;
};

static struct process_wait *find_process(const struct waits *waits, uint64_t process)
{
	size_t low = 0, high = waits->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (waits->processes[middle].process == process)
			return &waits->processes[middle];
		if (waits->processes[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static int list_processes(struct waits *waits, const struct session *session)
{
	const struct job_process *process;
	size_t count = 0;

	session_for_each_process(session, process) count++;
	waits->processes = calloc(count + 1, sizeof(*waits->processes));
	if (!waits->processes)
		return -ENOMEM;
	session_for_each_process(session, process) if (waits->count < count)
		waits->processes[waits->count++]
			.process = session_offset(session, process);
	return 0;
}

static struct group *find_group(struct group **groups, const struct job_part *part)
{
	struct group_key key = {part->row, part->calls};
	struct group *group;

	HASH_FIND(hh, *groups, &key, sizeof(key), group);
	if (group)
		return group;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->key = key;
	group->least = INFINITY;
	HASH_ADD(hh, *groups, key, sizeof(key), group);
	if (group->hh.tbl)
		return group;
	free(group);
	return NULL;
}

static int find_least(struct waits *waits, const struct session *session)
{
	struct group *groups = NULL, *group, *next;
	const struct job_part *part;
	int error = 0;

	session_for_each_job_part(session, part)
	{
		group = find_group(&groups, part);
		if (!group) {
			error = -ENOMEM;
			break;
		}
		if (part->total < group->least) {
			group->least = part->total;
			group->error = part->error;
		}
	}
	session_for_each_job_part(session, part)
	{
		struct process_wait *wait = find_process(waits, part->process);
		double sure;

		group = error ? NULL : find_group(&groups, part);
		/* NAN where an estimate's error is not known. */
		sure = group ? part->total - group->least - part->error - group->error : 0;
		if (wait && sure > 0)
			wait->least += sure;
	}
	HASH_ITER (hh, groups, group, next) {
		HASH_DEL(groups, group);
		free(group);
	}
	return error;
}

static struct collective *find_collective(struct collective **all, uint64_t name)
{
	struct collective *collective;

	HASH_FIND(hh, *all, &name, sizeof(name), collective);
	if (collective)
		return collective;
	collective = calloc(1, sizeof(*collective));
	if (!collective)
		return NULL;
	collective->name = name;
	HASH_ADD(hh, *all, name, sizeof(name), collective);
	if (collective->hh.tbl)
		return collective;
	free(collective);
	return NULL;
}

static int add_call(struct collective *collective, const struct trace_record *record)
{
	struct call_times *call;

	if (collective->next == collective->capacity) {
		size_t capacity = collective->capacity ? 2 * collective->capacity : 256;

		call = realloc(collective->calls, capacity * sizeof(*call));
		if (!call)
			return -ENOMEM;
		collective->calls = call;
		collective->capacity = capacity;
	}
	call = &collective->calls[collective->next++];
	if (collective->next > collective->count) {
		*call = (struct call_times){record->start, record->end, record->end};
		collective->count = collective->next;
		return 0;
	}
	if (record->start > call->latest)
		call->latest = record->start;
	if (record->end < call->first_end)
		call->first_end = record->end;
	if (record->end > call->last_end)
		call->last_end = record->end;
	return 0;
}

/* Whether every process that timed has the whole trace. */
static bool is_traced(const struct session *session)
{
	const struct job_process *process;
	bool any = false;

	session_for_each_process(session, process)
	{
		if (process->timed && !process->trace_records)
			return false;
		any |= process->timed;
	}
	return any;
}

/* The next process begins. False: the one before has another number of calls than the others, which
 * so cannot be told call by call. */
static bool end_process(struct collective *all)
{
	bool even = true;

	for (; all; all = all->hh.next) {
		if (all->next && !all->calls_each)
			all->calls_each = all->next;
		even &= !all->next || all->next == all->calls_each;
		all->next = 0;
	}
	return even;
}

/* One pass over the records, process by process: first for the latest starts, then for the waits.
 */
static int pass(struct waits *waits, const struct session *session, struct collective **all,
		bool counts, bool *uneven)
{
	const struct job_process *process, *before = NULL;
	const struct trace_record *record;
	struct process_wait *wait = NULL;
	int error = 0;

	session_for_each_trace (session, record) {
		struct collective *collective;

		if (!row_is_collective(record->kind, session_string(session, record->name)))
			continue;
		process = session_trace_process(session, record);
		if (process != before) {
			*uneven |= !end_process(*all);
			wait = process ? find_process(waits, session_offset(session, process))
				       : NULL;
		}
		before = process;
		collective = find_collective(all, record->name);
		if (!collective)
			return -ENOMEM;
		if (counts) {
			error = add_call(collective, record);
		} else if (wait && collective->next < collective->count) {
			uint64_t latest = collective->calls[collective->next++].latest;

			if (latest > record->end)
				latest = record->end;
			wait->exact +=
				latest > record->start ? (double)(latest - record->start) : 0;
		}
		if (error)
			return error;
	}
	*uneven |= !end_process(*all);
	return 0;
}

static void find_ends(struct waits *waits, const struct collective *all)
{
	double sum = 0;

	for (; all; all = all->hh.next)
		for (size_t i = 0; i < all->count; i++) {
			uint64_t apart = all->calls[i].last_end - all->calls[i].first_end;

			sum += (double)apart;
			waits->ends_most = apart > waits->ends_most ? apart : waits->ends_most;
			waits->calls++;
		}
	waits->ends_mean = waits->calls ? to_unsigned(sum / (double)waits->calls) : 0;
}

static int find_exact(struct waits *waits, const struct session *session)
{
	struct collective *all = NULL, *collective, *next;
	bool uneven = false;
	int error;

	if (!is_traced(session))
		return 0;
	error = pass(waits, session, &all, true, &uneven);
	if (!error && all && !uneven) {
		bool again = false;

		error = pass(waits, session, &all, false, &again);
		find_ends(waits, all);
		for (size_t i = 0; i < waits->count; i++)
			waits->processes[i].is_exact = !error;
	}
	HASH_ITER (hh, all, collective, next) {
		HASH_DEL(all, collective);
		free(collective->calls);
		free(collective);
	}
	return error;
}

int waits_find(struct waits *waits, const struct session *session)
{
	int error;

	*waits = (struct waits){.processes = NULL};
	error = list_processes(waits, session);
	if (!error)
		error = find_least(waits, session);
	if (!error)
		error = find_exact(waits, session);
	if (error)
		waits_free(waits);
	return error;
}

void waits_free(struct waits *waits)
{
	free(waits->processes);
	*waits = (struct waits){.processes = NULL};
}

const struct process_wait *waits_of(const struct waits *waits, const struct session *session,
				    const struct job_process *process)
{
	const char *start;
	uint64_t offset;
	size_t size;

	session_range(session, (const void **)&start, &size);
	offset = (uint64_t)((const char *)process - start);
	for (size_t i = 0; i < waits->count; i++)
		if (waits->processes[i].process == offset)
			return &waits->processes[i];
	return NULL;
}
