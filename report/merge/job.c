/* SPDX-License-Identifier: MIT */
#include "report/merge/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/session/entries.h"
#include "report/sheet/number.h"
#include "report/session/estimate.h"
#include "report/session/memory.h"
#include "report/session/session_internal.h"

size_t job_nodes(const struct session *session)
{
	const struct job_process *process;
	struct entry *nodes = NULL;
	size_t count;

	session_for_each_process (session, process) {
		const uint64_t key[ENTRY_NUMBERS] = {process->hostname};

		entry_of(&nodes, key, sizeof(*nodes));
	}
	count = HASH_COUNT(nodes);
	entries_free(&nodes);
	return count;
}

const char *job_gpus_text(const struct session *session, char text[JOB_GPUS_SIZE])
{
	const struct job_process *process;
	struct entry *gpus = NULL;
	size_t processes = 0, count;
	bool known = true;

	session_for_each_process (session, process) {
		uint64_t key[ENTRY_NUMBERS] = {0};

		memcpy(key, process->gpu_uuid, sizeof(process->gpu_uuid));
		/* What used no GPU shares none. */
		if (!process->operations)
			continue;
		known &= key[0] || key[1];
		processes++;
		entry_of(&gpus, key, sizeof(*gpus));
	}
	count = HASH_COUNT(gpus);
	entries_free(&gpus);
	if (!known || processes < 2)
		*text = '\0';
	else if (count == processes)
		strcpy(text, ", each with a GPU of its own");
	else if (count == 1)
		strcpy(text, ", which share one GPU");
	else
		snprintf(text, JOB_GPUS_SIZE, ", on %zu GPUs", count);
	return text;
}

const char *job_wall_text(const struct session *session, char text[JOB_WALL_SIZE])
{
	const struct job_process *process;
	uint64_t least = UINT64_MAX, most = 0;
	char times[2][NUMBER_SIZE];

	session_for_each_process (session, process) {
		LOWER(least, process->wall);
		RAISE(most, process->wall);
	}
	number_about(times[0], (double)least, 3);
	number_about(times[1], (double)most, 3);
	if (!least)
		snprintf(text, JOB_WALL_SIZE, "%s in all processes together",
			 number_about(times[0],
				      (double)session_header(session)->counters[COUNTER_wall_ns],
				      3));
	else if (strcmp(times[0], times[1]) != 0)
		snprintf(text, JOB_WALL_SIZE, "%s to %s in each process", times[0], times[1]);
	else
		snprintf(text, JOB_WALL_SIZE, "%s in each process", times[1]);
	return text;
}

const char *job_without_collectives(const struct session *session)
{
	const struct job_process *process;

	session_for_each_process (session, process)
		if (process->collectives)
			return " without collectives";
	return "";
}

int job_missing(const struct session *session, struct rank_range **ranges, size_t *count)
{
	/* A damaged file may claim any size. */
	int32_t size = session_header(session)->rank.world_size;
	const struct job_process *process;
	unsigned char *there;

	*ranges = NULL;
	*count = 0;
	if (size <= 0 || size > 1 << 24)
		return 0;
	there = calloc((size_t)size, 1);
	*ranges = there ? calloc((size_t)size / 2 + 1, sizeof(**ranges)) : NULL;
	if (!*ranges) {
		free(there);
		return -ENOMEM;
	}
	session_for_each_process (session, process)
		if (process->rank.rank >= 0 && process->rank.rank < size)
			there[process->rank.rank] = 1;
	for (int rank = 0; rank < size; rank++) {
		if (there[rank])
			continue;
		if (rank == 0 || there[rank - 1])
			(*ranges)[(*count)++].first = rank;
		(*ranges)[*count - 1].last = rank;
	}
	free(there);
	return 0;
}

uint64_t job_idle(const struct job_process *process)
{
	return process->device_time > process->busy ? process->device_time - process->busy : 0;
}

double job_imbalance(const struct job_row *row)
{
	return row->total > 0 ? (double)row->maximum * (double)row->processes / row->total : 1;
}

static int compare_own_work(const void *left, const void *right)
{
	const struct job_process *a = *(const struct job_process *const *)left;
	const struct job_process *b = *(const struct job_process *const *)right;

	return IN_ORDER(process_own_work(b), process_own_work(a))
		       ?: IN_ORDER(a->rank.rank, b->rank.rank) ?: IN_ORDER(a->pid, b->pid);
}

const struct job_process **job_slowest_first(const struct session *session, size_t *count)
{
	const struct job_process **processes = session_items(session, SEGMENT_PROCESSES, count);

	if (*count > 0)
		qsort(processes, *count, sizeof(*processes), compare_own_work);
	return processes;
}

/* The processes that made as many calls of one collective: its row, calls. */
struct group {
	struct entry entry;
	bool is_known;
	double least, error;
};

/* The calls of one collective: the latest start and the ends of each. */
struct call_times {
	uint64_t latest, first_end, last_end;
};

/* By the offset of its name. */
struct collective {
	struct entry entry;
	struct call_times *calls;
	size_t count, capacity;
	size_t next;	   /* of the process that is read */
	size_t calls_each; /* of every process so far that made any */
};

static int compare_offsets(const void *left, const void *right)
{
	const struct process_wait *a = left, *b = right;

	return IN_ORDER(a->process, b->process);
}

static struct process_wait *find_process(const struct waits *waits, uint64_t process)
{
	const struct process_wait wanted = {.process = process};

	return bsearch(&wanted, waits->processes, waits->count, sizeof(wanted), compare_offsets);
}

static int list_processes(struct waits *waits, const struct session *session)
{
	const struct job_process **processes =
		session_items(session, SEGMENT_PROCESSES, &waits->count);

	int error = 0;

	waits->processes = calloc(waits->count + 1, sizeof(*waits->processes));
	if (!processes || !waits->processes)
		error = -ENOMEM;
	for (size_t i = 0; i < waits->count && !error; i++)
		waits->processes[i].process = session_offset(session, processes[i]);
	free(processes);
	return error;
}

static int find_least(struct waits *waits, const struct session *session)
{
	struct entry *groups = NULL;
	const struct job_part *part;
	int error = 0;

	session_for_each_job_part (session, part) {
		const uint64_t key[ENTRY_NUMBERS] = {part->row, part->calls};
		struct group *group = entry_of(&groups, key, sizeof(*group));

		if (!group) {
			error = -ENOMEM;
			break;
		}
		if (!group->is_known || part->total < group->least) {
			group->is_known = true;
			group->least = part->total;
			group->error = figure_get(part->error, part->known, ERROR_KNOWN);
		}
	}
	session_for_each_job_part (session, part) {
		const uint64_t key[ENTRY_NUMBERS] = {part->row, part->calls};
		const struct group *group = entry_of(&groups, key, 0);
		struct process_wait *wait = find_process(waits, part->process);
		/* NAN where an estimate's error is not known. */
		double error = figure_get(part->error, part->known, ERROR_KNOWN);
		double sure = group ? part->total - group->least - error - group->error : 0;

		if (wait && sure > 0)
			wait->least += sure;
	}
	entries_free(&groups);
	return error;
}

static int add_call(struct collective *collective, const struct trace_record *record)
{
	struct call_times *call;

	if (!LIST_HAS_ROOM(collective->calls, collective->next, collective->capacity))
		return -ENOMEM;
	call = &collective->calls[collective->next++];
	if (collective->next > collective->count) {
		*call = (struct call_times){record->start, record->end, record->end};
		collective->count = collective->next;
		return 0;
	}
	RAISE(call->latest, record->start);
	LOWER(call->first_end, record->end);
	RAISE(call->last_end, record->end);
	return 0;
}

/* Whether every process that timed has the whole trace. */
static bool is_traced(const struct session *session)
{
	const struct job_process *process;
	bool any = false;

	session_for_each_process (session, process) {
		if (process->timed && !process->trace_records)
			return false;
		any |= process->timed;
	}
	return any;
}

/* The next process begins. False: the one before has another number of calls than the others, which
 * so cannot be told call by call. */
static bool end_process(const struct entry *all)
{
	bool even = true;

	for (; all; all = all->hh.next) {
		struct collective *collective = (struct collective *)all;

		if (collective->next && !collective->calls_each)
			collective->calls_each = collective->next;
		even &= !collective->next || collective->next == collective->calls_each;
		collective->next = 0;
	}
	return even;
}

/* One pass over the records, process by process: first for the latest starts, then for the waits.
 */
static int pass(struct waits *waits, const struct session *session, struct entry **all, bool counts,
		bool *uneven)
{
	const struct job_process *process, *before = NULL;
	const struct trace_record *record;
	struct process_wait *wait = NULL;
	int error = 0;

	session_for_each_trace (session, record) {
		const uint64_t key[ENTRY_NUMBERS] = {record->name};
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
		collective = entry_of(all, key, sizeof(*collective));
		if (!collective)
			return -ENOMEM;
		if (counts) {
			error = add_call(collective, record);
		} else if (wait && collective->next < collective->count) {
			uint64_t latest = collective->calls[collective->next++].latest;

			LOWER(latest, record->end);
			wait->exact +=
				latest > record->start ? (double)(latest - record->start) : 0;
		}
		if (error)
			return error;
	}
	*uneven |= !end_process(*all);
	return 0;
}

static void find_ends(struct waits *waits, const struct entry *all)
{
	double sum = 0;

	for (; all; all = all->hh.next) {
		const struct collective *collective = (const struct collective *)all;

		for (size_t i = 0; i < collective->count; i++) {
			const struct call_times *call = &collective->calls[i];
			uint64_t apart = call->last_end - call->first_end;

			sum += (double)apart;
			RAISE(waits->ends_most, apart);
			waits->calls++;
		}
	}
	waits->ends_mean = waits->calls ? to_unsigned(sum / (double)waits->calls) : 0;
}

static int find_exact(struct waits *waits, const struct session *session)
{
	struct entry *all = NULL;
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
	for (struct entry *entry = all; entry; entry = entry->hh.next)
		free(((struct collective *)entry)->calls);
	entries_free(&all);
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
	return find_process(waits, session_offset(session, process));
}

struct set_clocks {
	size_t moved;		       /* processes whose records were moved */
	uint64_t moved_most;	       /* ns */
	const struct job_process *set; /* while it ran; NULL: none */
};

static bool find_set(const struct session *session, struct set_clocks *found)
{
	const struct job_process *process;
	bool traced = false;

	session_for_each_process (session, process) {
		traced |= process->trace_records > 0;
		found->moved += process->records_moved > 0;
		RAISE(found->moved_most, process->records_moved);
		if (process->clock_moved >= CLOCK_SET_LEAST_NS &&
		    (!found->set || process->clock_moved > found->set->clock_moved))
			found->set = process;
	}
	return traced;
}

void job_clocks_text(const struct session *session, const struct waits *waits,
		     char text[JOB_CLOCKS_SIZE])
{
	struct set_clocks found = {.set = NULL};
	size_t nodes = job_nodes(session), length;
	char number[2][NUMBER_SIZE];

	*text = '\0';
	if (!find_set(session, &found))
		return;
	if (waits->calls)
		snprintf(text, JOB_CLOCKS_SIZE,
			 "the ends of a collective on its processes lie %s apart, %s at most; "
			 "waiting times may be off by that",
			 number_about(number[0], (double)waits->ends_mean, 2),
			 number_about(number[1], (double)waits->ends_most, 2));
	else if (nodes > 1)
		snprintf(text, JOB_CLOCKS_SIZE,
			 "the wall clocks of %zu nodes; how far they are apart is not known, as no "
			 "collective is in all traces",
			 nodes);
	else
		snprintf(text, JOB_CLOCKS_SIZE, "the wall clock of one node");
	length = strlen(text);
	if (found.moved)
		snprintf(
			text + length, JOB_CLOCKS_SIZE - length,
			"; records of %zu process%s moved by up to %s, by which a node's clock was "
			"set between their starts",
			found.moved, found.moved == 1 ? "" : "es",
			number_about(number[0], (double)found.moved_most, 2));
	length = strlen(text);
	if (found.set)
		snprintf(text + length, JOB_CLOCKS_SIZE - length,
			 "; the clock of %.64s was set by %s during the run, by which its records "
			 "before and after are off",
			 session_string(session, found.set->hostname),
			 number_about(number[0], (double)found.set->clock_moved, 2));
}
