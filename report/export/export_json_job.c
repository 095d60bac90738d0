/* SPDX-License-Identifier: MIT */
/* What a merged profile knows of its processes, as JSON. */
#include "report/export/export_json_job.h"

#include <stdlib.h>

#include "report/export/export_json_row.h"
#include "report/export/json.h"
#include "report/merge/job.h"
#include "report/session/estimate.h"

cJSON *json_rank(const struct process_rank *rank)
{
	cJSON *object = cJSON_CreateObject();

	if (rank->rank >= 0)
		cJSON_AddNumberToObject(object, "number", rank->rank);
	if (rank->local_rank >= 0)
		cJSON_AddNumberToObject(object, "local_rank", rank->local_rank);
	if (rank->world_size >= 0)
		cJSON_AddNumberToObject(object, "world_size", rank->world_size);
	json_add_text(object, "launcher", rank->launcher);
	json_add_text(object, "job", rank->job);
	return object;
}

static cJSON *causes_object(const struct job_process *process)
{
	cJSON *object = cJSON_CreateObject();

	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++)
		if (process->causes[i])
			json_add_unsigned(object, idle_cause_keys[i], process->causes[i]);
	return object;
}

static cJSON *process_object(const struct session *session, const struct job_process *process,
			     const struct process_wait *wait)
{
	cJSON *object = cJSON_CreateObject();
	struct process_rank rank = process->rank;

	/* A damaged file may hold anything. */
	rank.launcher[sizeof(rank.launcher) - 1] = '\0';
	rank.job[sizeof(rank.job) - 1] = '\0';
	cJSON_AddNumberToObject(object, "pid", process->pid);
	json_add_text(object, "command", session_string(session, process->command));
	json_add_text(object, "hostname", session_string(session, process->hostname));
	if (rank.rank >= 0)
		cJSON_AddItemToObject(object, "rank", json_rank(&rank));
	cJSON_AddBoolToObject(object, "finished", process->finished);
	cJSON_AddBoolToObject(object, "timed", process->timed);
	json_add_unsigned(object, "operations", process->operations);
	json_add_unsigned(object, "gpu", process->gpu);
	json_add_unsigned(object, "collectives", process->collectives);
	json_add_unsigned(object, "waiting_least", to_unsigned(wait->least > 0 ? wait->least : 0));
	if (wait->is_exact)
		json_add_unsigned(object, "waiting", to_unsigned(wait->exact));
	json_add_unsigned(object, "wall", process->wall);
	json_add_unsigned(object, "device_time", process->device_time);
	json_add_unsigned(object, "busy", process->busy);
	json_add_unsigned(object, "memory_peak", process->memory_peak);
	json_add_unsigned(object, "memory_held", process->memory_held);
	cJSON_AddItemToObject(object, "causes", causes_object(process));
	return object;
}

static cJSON *row_object(const struct session *session, const struct job_row *row)
{
	const struct job_process *slowest = session_process_at(session, row->slowest);
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "kind", json_kind_name(row->kind));
	json_add_text(object, "name", session_string(session, row->name));
	json_add_unsigned(object, "processes", row->processes);
	json_add_unsigned(object, "minimum", row->minimum);
	json_add_unsigned(object, "mean", to_unsigned(row->total / (double)row->processes + 0.5));
	json_add_unsigned(object, "maximum", row->maximum);
	cJSON_AddNumberToObject(object, "imbalance", job_imbalance(row));
	if (slowest->rank.rank >= 0)
		cJSON_AddNumberToObject(object, "slowest_rank", slowest->rank.rank);
	cJSON_AddNumberToObject(object, "slowest_pid", slowest->pid);
	json_add_text(object, "slowest_hostname", session_string(session, slowest->hostname));
	return object;
}

static void add_missing(cJSON *job, const struct session *session)
{
	cJSON *array = cJSON_AddArrayToObject(job, "missing_ranks");
	struct rank_range *ranges;
	size_t count;

	if (job_missing(session, &ranges, &count))
		return;
	for (size_t i = 0; i < count; i++)
		for (int rank = ranges[i].first; rank <= ranges[i].last; rank++)
			cJSON_AddItemToArray(array, cJSON_CreateNumber(rank));
	free(ranges);
}

cJSON *json_job(const struct session *session)
{
	cJSON *object = cJSON_CreateObject(), *processes, *rows;
	const struct job_process *process;
	const struct job_row *row;
	char clocks[JOB_CLOCKS_SIZE];
	struct waits waits;
	size_t i = 0;

	if (waits_find(&waits, session)) {
		cJSON_Delete(object);
		return NULL;
	}
	cJSON_AddNumberToObject(object, "nodes", (double)job_nodes(session));
	processes = cJSON_AddArrayToObject(object, "processes");
	session_for_each_process(session, process) if (i < waits.count) cJSON_AddItemToArray(
		processes, process_object(session, process, &waits.processes[i++]));
	rows = cJSON_AddArrayToObject(object, "rows");
	session_for_each_job_row(session, row) cJSON_AddItemToArray(rows, row_object(session, row));
	add_missing(object, session);
	if (waits.calls) {
		json_add_unsigned(object, "ends_apart_mean", waits.ends_mean);
		json_add_unsigned(object, "ends_apart_maximum", waits.ends_most);
	}
	job_clocks_text(session, &waits, clocks);
	if (*clocks)
		json_add_text(object, "clocks", clocks);
	waits_free(&waits);
	return object;
}
