/* SPDX-License-Identifier: MIT */
/* Everything that a session holds, as JSON. Times are nanoseconds. */
#include "report/export/export_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/devices/peaks.h"
#include "report/energy/energy.h"
#include "report/export/export.h"
#include "report/export/export_trace.h"
#include "report/export/json.h"
#include "report/findings/findings.h"
#include "report/merge/job.h"
#include "report/print/table.h"
#include "report/ranges/range_tree.h"
#include "report/rates/rates.h"
#include "report/session/device_info.h"
#include "report/session/estimate.h"
#include "report/session/memory_use.h"
#include "report/session/session.h"

static const char *const kind_names[ROW_KINDS] = {
	[ROW_KERNEL] = "kernel",       [ROW_MEMCPY] = "memcpy",	    [ROW_MEMSET] = "memset",
	[ROW_GRAPH] = "graph",	       [ROW_MOVEMENT] = "movement", [ROW_OTHER] = "other",
	[ROW_RUNTIME_API] = "runtime", [ROW_DRIVER_API] = "driver", [ROW_OVERHEAD] = "overhead",
	[ROW_RANGE] = "range",
};

static const char *const clock_names[] = {
	[CLOCK_NONE] = "none",
	[CLOCK_CUPTI] = "cupti",
	[CLOCK_EVENTS] = "events",
};

const char *json_kind_name(unsigned kind)
{
	return kind < ROW_KINDS ? kind_names[kind] : "unknown";
}

static const char *json_clock_name(unsigned clock)
{
	return clock <= CLOCK_EVENTS ? clock_names[clock] : "unknown";
}

static cJSON *histogram_object(const struct histogram *histogram)
{
	cJSON *buckets = cJSON_CreateArray();

	for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		cJSON *entry;

		if (!histogram->buckets[bucket])
			continue;
		entry = cJSON_CreateObject();
		json_add_unsigned(entry, "from", histogram_bucket_low(bucket));
		json_add_unsigned(entry, "to", histogram_bucket_high(bucket));
		json_add_unsigned(entry, "count", histogram->buckets[bucket]);
		cJSON_AddItemToArray(buckets, entry);
	}
	return buckets;
}

/* `all`: what the figures say of all calls, where they are a sample of `calls`; else NULL. */
static void add_figures(cJSON *object, const char *name, const struct session *session,
			const struct figures *figures, const struct estimated *all, uint64_t calls)
{
	static const struct {
		const char *name;
		double fraction;
	} percentiles[] = {
		{"median", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999},
	};
	const struct histogram *histogram = session_histogram(session, figures->histogram);
	double total = all ? all->total : (double)figures->total;
	cJSON *clock;

	if (!figures->count)
		return;
	if (!all)
		calls = figures->count;
	clock = cJSON_AddObjectToObject(object, name);
	json_add_unsigned(clock, "count", figures->count);
	json_add_unsigned(clock, "total", figures->total);
	cJSON_AddNumberToObject(clock, "average", total / (double)calls);
	json_add_unsigned(clock, "minimum", figures->minimum);
	json_add_unsigned(clock, "maximum", figures->maximum);
	cJSON_AddNumberToObject(
		clock, "deviation",
		sqrt(sample_variance(calls, total, all ? all->squares : figures->squares)));
	if (!histogram)
		return;
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++)
		json_add_unsigned(clock, percentiles[i].name,
				  histogram_percentile_within(histogram, percentiles[i].fraction,
							      figures->minimum, figures->maximum));
	cJSON_AddItemToObject(clock, "histogram", histogram_object(histogram));
}

static void add_bytes(cJSON *object, const struct session *session, const struct row *row)
{
	cJSON *bytes;

	if (!row->bytes)
		return;
	bytes = cJSON_AddObjectToObject(object, "bytes");
	json_add_figures(bytes, session, SCOPE_ROW, row, "bytes.");
	cJSON_AddNumberToObject(
		bytes, "deviation",
		sqrt(sample_variance(row->calls, (double)row->bytes, row->bytes_squares)));
}

/* Where both clocks timed the same calls: how far they agree. */
static void add_check(cJSON *object, const struct session *session, const struct row *row)
{
	const struct histogram *differences = session_histogram(session, row->difference_histogram);
	cJSON *check;

	if (!row->checked && !row->unmatched)
		return;
	check = cJSON_AddObjectToObject(object, "check");
	json_add_figures(check, session, SCOPE_ROW, row, "check.");
	if (differences)
		json_add_unsigned(check, "median_difference",
				  histogram_percentile(differences, 0.5));
}

/* Where a part of the calls was timed: the total of all, and half of its 95 % interval. */
static void add_estimate(cJSON *object, const struct estimated *estimated)
{
	cJSON *estimate = cJSON_AddObjectToObject(object, "estimate");

	cJSON_AddNumberToObject(estimate, "total", estimated->total);
	if (!isnan(estimated->error))
		cJSON_AddNumberToObject(estimate, "error", estimated->error);
}

static void add_rate_members(cJSON *object, const struct rate *rate)
{
	cJSON_AddNumberToObject(object, "average", rate->average);
	cJSON_AddNumberToObject(object, "minimum", rate->minimum);
	cJSON_AddNumberToObject(object, "maximum", rate->maximum);
}

/* False, and nothing is added, if the rate is not known. */
static bool add_rate(cJSON *object, const char *name, const struct rate *rate)
{
	if (!(rate->average > 0))
		return false;
	add_rate_members(cJSON_AddObjectToObject(object, name), rate);
	return true;
}

static void add_above_zero(cJSON *object, const char *name, double value)
{
	if (value > 0)
		cJSON_AddNumberToObject(object, name, value);
}

static void add_units(cJSON *rates, const struct row_work *work, const struct row_rates *of_row)
{
	cJSON *array = work->units[0] ? cJSON_AddArrayToObject(rates, "work") : NULL;

	for (int i = 0; i < WORK_UNITS && work->units[i]; i++) {
		cJSON *entry = cJSON_CreateObject();

		json_add_text(entry, "unit", work->units[i]->unit);
		if (of_row->units[i].average > 0)
			add_rate_members(entry, &of_row->units[i]);
		cJSON_AddItemToArray(array, entry);
	}
}

static void add_occupancy(cJSON *rates, const struct row_rates *of_row)
{
	cJSON *occupancy;

	if (!(of_row->occupancy_most > 0))
		return;
	occupancy = cJSON_AddObjectToObject(rates, "occupancy");
	cJSON_AddNumberToObject(occupancy, "least", of_row->occupancy_least);
	cJSON_AddNumberToObject(occupancy, "most", of_row->occupancy_most);
	json_add_text(occupancy, "limit", occupancy_limit_text(of_row->occupancy.limit));
	add_above_zero(occupancy, "waves", of_row->occupancy.waves);
}

/* GB/s and GFLOP/s beside the device's peaks; of kernels what was declared, and the occupancy. */
static void add_rates(cJSON *object, const struct session *session, const struct row *row,
		      const struct row_work *work)
{
	const struct device_info *device = rates_device(session, row);
	struct timed_row timed;
	struct row_rates of_row;
	char text[64];
	cJSON *rates;

	if ((row->kind != ROW_KERNEL && row->kind != ROW_MEMCPY && row->kind != ROW_MEMSET) ||
	    !row_timed(session, row, &timed))
		return;
	of_row = rates_of(&timed, session_string(session, row->name), work, device);
	rates = cJSON_AddObjectToObject(object, "rates");
	if (add_rate(rates, "bandwidth", &of_row.bandwidth)) {
		json_add_text(rates, "peak_of",
			      peak_text(of_row.peak_kind, device, text, sizeof(text)));
		add_above_zero(rates, "peak", of_row.peak);
		add_above_zero(rates, "percent", of_row.bandwidth_percent);
	}
	if (of_row.remark != REMARK_NONE)
		json_add_text(rates, "remark", rate_remark_text(of_row.remark));
	if (add_rate(rates, "flops", &of_row.flops)) {
		json_add_text(rates, "precision", precision_name(of_row.precision));
		add_above_zero(rates, "flops_peak", of_row.flops_peak);
		add_above_zero(rates, "flops_percent", of_row.flops_percent);
	}
	add_above_zero(rates, "bytes_per_flop", of_row.bytes_per_flop);
	add_above_zero(rates, "balance", of_row.balance);
	if (of_row.bound != BOUND_UNKNOWN)
		json_add_text(rates, "bound", rates_bound_text(of_row.bound));
	add_units(rates, work, &of_row);
	add_occupancy(rates, &of_row);
	if (rates && !rates->child)
		cJSON_Delete(cJSON_DetachItemViaPointer(object, rates));
}

/* `work`: what a kernel was declared to do. The caller deletes it; NULL where memory is out. */
static cJSON *json_row(const struct session *session, const struct row *row, const char *name,
		       const struct row_work *work)
{
	cJSON *object = cJSON_CreateObject();
	struct estimated estimated = {0};
	enum clock_source clock;

	row_figures(session, row, &clock);
	json_add_text(object, "kind", json_kind_name(row->kind));
	json_add_text(object, "name", name);
	if (row->kind == ROW_KERNEL)
		json_add_text(object, "mangled", session_string(session, row->name));
	if (row->device >= 0)
		json_add_unsigned(object, "device", row->device);
	json_add_unsigned(object, "calls", row_calls(row));
	json_add_figures(object, session, SCOPE_ROW, row, "");
	json_add_text(object, "clock", json_clock_name(clock));
	add_bytes(object, session, row);
	add_figures(object, "cupti", session, &row->cupti, NULL, 0);
	if (row_is_estimated(row, CLOCK_EVENTS))
		estimated = row_estimate(row, CLOCK_EVENTS);
	add_figures(object, "events", session, &row->events,
		    estimated.total > 0 ? &estimated : NULL, row_calls_of_clock(row, CLOCK_EVENTS));
	if (row_is_estimated(row, clock)) {
		estimated = row_estimate(row, clock);
		add_estimate(object, &estimated);
	}
	add_check(object, session, row);
	add_rates(object, session, row, work);
	json_add_figures(cJSON_AddObjectToObject(object, "untimed"), session, SCOPE_ROW, row,
			 "untimed.");
	return object;
}

static const char *json_range_style(unsigned style)
{
	return style == RANGE_START_END ? "start/end" : "push/pop";
}

static void add_sum(cJSON *object, const char *name, const struct range_sum *sum)
{
	cJSON *entry = cJSON_AddObjectToObject(object, name);

	cJSON_AddNumberToObject(entry, "operations", sum->operations);
	json_add_unsigned(entry, "time", sum->time);
	cJSON_AddBoolToObject(entry, "estimated", sum->estimated);
}

static void add_part(cJSON *parts, const struct session *session, const struct nvtx_part *part,
		     struct trace_name **names)
{
	const struct row *row = session_row_at(session, part->row);
	const struct trace_name *name = trace_name_get(names, session, row->kind, row->name);
	cJSON *entry;

	if (!name)
		return;
	entry = cJSON_CreateObject();
	json_add_text(entry, "kind", json_kind_name(row->kind));
	json_add_text(entry, "name", name->text);
	if (row->device >= 0)
		json_add_unsigned(entry, "device", row->device);
	json_add_figures(entry, session, SCOPE_PART, part, "");
	cJSON_AddItemToArray(parts, entry);
}

/* A node of the tree, with what was done in it; the caller's. `names` is the export's cache. */
static cJSON *json_range(const struct range_tree *tree, size_t index, const struct session *session,
			 struct trace_name **names)
{
	const struct range_node *node = &tree->nodes[index];
	cJSON *object = cJSON_CreateObject(), *parts;

	json_add_unsigned(object, "id", index);
	if (node->parent != RANGE_NO_PARENT)
		json_add_unsigned(object, "parent", node->parent);
	json_add_text(object, "name", session_string(session, node->range->name));
	json_add_text(object, "domain", session_string(session, node->range->domain));
	json_add_text(object, "style", json_range_style(node->range->style));
	json_add_unsigned(object, "thread", node->range->thread);
	json_add_unsigned(object, "calls", node->calls);
	json_add_unsigned(object, "open", node->open);
	if (node->calls) {
		json_add_unsigned(object, "total", node->total);
		json_add_unsigned(object, "minimum", node->minimum);
		json_add_unsigned(object, "maximum", node->maximum);
	}
	add_sum(object, "own", &node->own);
	add_sum(object, "all", &node->all);
	parts = cJSON_AddArrayToObject(object, "parts");
	for (size_t i = 0; i < node->part_count; i++)
		add_part(parts, session, tree->parts[node->first_part + i], names);
	return object;
}

static void add_place(cJSON *object, uint32_t kind, int32_t device)
{
	if (device >= 0)
		cJSON_AddNumberToObject(object, "device", device);
	json_add_text(object, "kind", allocation_key(kind));
}

/* An object for each kind of memory on each device; one for each origin of allocations. */
static cJSON *json_memory(const struct session *session)
{
	cJSON *array = cJSON_CreateArray();
	const struct memory_use *use;

	session_for_each_memory_use(session, use)
	{
		cJSON *object = cJSON_CreateObject();

		add_place(object, use->kind, use->device);
		json_add_figures(object, session, SCOPE_MEMORY, use, "");
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

static void add_name(const struct session *session, cJSON *object, const char *name,
		     uint64_t offset)
{
	const char *text = session_string(session, offset);

	if (*text)
		json_add_text(object, name, text);
}

static cJSON *json_memory_sites(const struct session *session)
{
	cJSON *array = cJSON_CreateArray();
	const struct memory_site *site;

	session_for_each_memory_site(session, site)
	{
		cJSON *object = cJSON_CreateObject();

		add_place(object, site->kind, site->device);
		if (site->size)
			json_add_unsigned(object, "size", site->size);
		if (site->thread)
			json_add_unsigned(object, "thread", site->thread);
		add_name(session, object, "range", site->range);
		add_name(session, object, "operation", site->operation);
		json_add_figures(object, session, SCOPE_SITE, site, "");
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

/* What a merged profile knows of its processes, as JSON. */

static cJSON *json_rank(const struct process_rank *rank)
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

/* The processes of a merged profile, which the caller deletes; NULL if memory is out. */
static cJSON *json_job(const struct session *session)
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

/* null: it is not known. */
static void add_known(cJSON *object, const char *name, double value)
{
	if (value > 0)
		cJSON_AddNumberToObject(object, name, value);
	else
		cJSON_AddNullToObject(object, name);
}

static void add_peaks(cJSON *object, const struct device_info *info)
{
	struct peaks peaks = peaks_of(info);
	cJSON *entry = cJSON_AddObjectToObject(object, "peaks");

	add_known(entry, "dram", peaks.dram);
	add_known(entry, "fp32", peaks.flops[PRECISION_FP32]);
	add_known(entry, "fp64", peaks.flops[PRECISION_FP64]);
	add_known(entry, "fp16_tensor", peaks.flops[PRECISION_FP16]);
	add_known(entry, "host_link", peaks.host);
	add_known(entry, "nvlink", peaks.nvlink);
}

static void add_clock(cJSON *object, const char *name, const struct clock_range *clock)
{
	cJSON *entry = clock->samples ? cJSON_AddObjectToObject(object, name)
				      : cJSON_AddNullToObject(object, name);

	if (!clock->samples)
		return;
	json_add_unsigned(entry, "minimum", clock->minimum);
	cJSON_AddNumberToObject(entry, "average", clock_average(clock));
	json_add_unsigned(entry, "maximum", clock->maximum);
}

cJSON *json_energy(const struct device_energy *energy)
{
	cJSON *object = cJSON_CreateObject(), *reasons;

	if (!energy_is_known(energy)) {
		json_add_text(object, "missing", energy_missing(energy));
		cJSON_AddNumberToObject(object, "nvml_result", energy->result);
		return object;
	}
	if (energy->duration) {
		cJSON_AddNumberToObject(object, "joules", energy->joules);
		json_add_unsigned(object, "duration", energy->duration);
		cJSON_AddNumberToObject(object, "watts", energy_power(energy));
		cJSON_AddBoolToObject(object, "from_power", energy->source == ENERGY_FROM_POWER);
	}
	json_add_unsigned(object, "samples", energy->samples);
	json_add_unsigned(object, "samples_idle", energy->idle);
	add_clock(object, "sm_mhz", &energy->sm);
	add_clock(object, "memory_mhz", &energy->memory);
	reasons = cJSON_AddObjectToObject(object, "clock_reasons");
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		cJSON_AddNumberToObject(reasons, clock_reason_key(i),
					clock_reason_share(energy, i));
	return object;
}

cJSON *json_device(const struct device_info *info, int ordinal)
{
	char name[sizeof(info->name) + 1], uuid[TRACE_UUID_SIZE], link[64];
	cJSON *object = cJSON_CreateObject();

	snprintf(name, sizeof(name), "%.*s", (int)sizeof(info->name), info->name);
	cJSON_AddNumberToObject(object, "ordinal", ordinal);
	json_add_text(object, "name", name);
	json_add_text(object, "uuid", trace_uuid(info->uuid, uuid));
	json_add_unsigned(object, "compute_capability", info->compute_capability);
	json_add_unsigned(object, "memory", info->memory);
	add_known(object, "multiprocessors", info->multiprocessors);
	add_known(object, "clock_khz", info->clock_khz);
	add_known(object, "memory_clock_khz", info->memory_clock_khz);
	add_known(object, "bus_bits", info->bus_bits);
	add_known(object, "l2_bytes", info->l2_bytes);
	if (info->ecc == ECC_UNKNOWN)
		cJSON_AddNullToObject(object, "ecc");
	else
		cJSON_AddBoolToObject(object, "ecc", info->ecc == ECC_ON);
	json_add_text(object, "link", host_link_text(info, link, sizeof(link)));
	json_add_unsigned(object, "nvlink_links", info->nvlink_links);
	add_peaks(object, info);
	if (info->energy.state != ENERGY_NOT_ASKED)
		cJSON_AddItemToObject(object, "energy", json_energy(&info->energy));
	return object;
}

/* Counts up where a member is changed or removed. */
#define JSON_FORMAT 2

static const char *const timer_names[] = {
	[TIMER_AUTO] = "auto",
	[TIMER_CUPTI] = "cupti",
	[TIMER_EVENTS] = "events",
	[TIMER_BOTH] = "both",
};

struct json_export {
	const struct session *session;
	bool demangling;
	struct work_patterns patterns;
	FILE *file;
	struct trace_name *names;
};

static void add_extent(cJSON *object, const char *name, const uint32_t extent[3])
{
	cJSON *array = cJSON_AddArrayToObject(object, name);

	for (int axis = 0; axis < 3; axis++)
		cJSON_AddItemToArray(array, cJSON_CreateNumber(extent[axis]));
}

static int write_record(struct json_export *export, const struct trace_record *record)
{
	const struct session *session = export->session;
	const struct trace_name *name =
		trace_name_get(&export->names, session, record->kind, record->name);
	cJSON *object;

	if (!name)
		return -ENOMEM;
	object = cJSON_CreateObject();

	json_add_text(object, "kind", json_kind_name(record->kind));
	json_add_text(object, "name", name->text);
	json_add_unsigned(object, "start", record->start);
	json_add_unsigned(object, "end", record->end);
	json_add_unsigned(object, "correlation", record->correlation);
	if (row_is_api(record->kind)) {
		json_add_unsigned(object, "thread", record->thread);
		json_add_unsigned(object, "result", record->result);
		if (record->kernel)
			json_add_text(object, "kernel", session_string(session, record->kernel));
		return json_write(export->file, object);
	}
	if (record->kind == ROW_RANGE) {
		json_add_unsigned(object, "thread", record->thread);
		json_add_text(object, "domain", session_string(session, record->kernel));
		json_add_text(object, "style", json_range_style(record->result));
		return json_write(export->file, object);
	}
	cJSON_AddNumberToObject(object, "device", record->device);
	json_add_unsigned(object, "context", record->context);
	json_add_unsigned(object, "stream", record->stream);
	json_add_unsigned(object, "bytes", record->bytes);
	if (record->kind == ROW_KERNEL) {
		add_extent(object, "grid", record->grid);
		add_extent(object, "block", record->block);
		json_add_unsigned(object, "registers", record->registers);
		json_add_unsigned(object, "static_shared", record->static_shared);
		json_add_unsigned(object, "dynamic_shared", record->dynamic_shared);
	}
	json_add_text(object, "from", memory_kind_name(record->source_kind));
	json_add_text(object, "to", memory_kind_name(record->destination_kind));
	json_add_text(object, "clock", json_clock_name(record->clock));
	json_add_unsigned(object, "graph", record->graph);
	json_add_unsigned(object, "graph_node", record->graph_node);
	return json_write(export->file, object);
}

static cJSON *session_object(const struct session *session)
{
	const struct session_header *header = session_header(session);
	cJSON *object = cJSON_CreateObject();

	cJSON_AddNumberToObject(object, "pid", header->pid);
	json_add_text(object, "command", session_string(session, header->command));
	json_add_text(object, "hostname", session_string(session, header->hostname));
	if (header->rank.rank >= 0)
		cJSON_AddItemToObject(object, "rank", json_rank(&header->rank));
	json_add_unsigned(object, "start_realtime", header->start_realtime);
	json_add_unsigned(object, "trace_start", header->trace_start);
	cJSON_AddBoolToObject(object, "finished", header->finished);
	json_add_unsigned(object, "driver_version", header->driver_version);
	json_add_unsigned(object, "cupti_version", header->cupti_version);
	json_add_text(object, "timer",
		      header->timer <= TIMER_BOTH ? timer_names[header->timer] : "unknown");
	cJSON_AddBoolToObject(object, "cupti_active", header->cupti_active);
	cJSON_AddBoolToObject(object, "events_active", header->events_active);
	json_add_unsigned(object, "events_fraction", header->events_fraction);
	cJSON_AddNumberToObject(object, "budget_percent", header->budget_percent);
	cJSON_AddBoolToObject(object, "budget_given", header->budget_given != 0);
	return object;
}

static cJSON *devices_array(const struct session *session)
{
	const struct session_header *header = session_header(session);
	cJSON *array = cJSON_CreateArray();

	for (int device = 0; device < SESSION_DEVICES; device++)
		if (header->devices[device].used)
			cJSON_AddItemToArray(array, json_device(&header->devices[device], device));
	return array;
}

static cJSON *cause_object(const struct session *session, const struct idle_row *row)
{
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "cause", idle_cause_keys[row->cause]);
	if (row->cause == IDLE_CALL)
		json_add_text(object, "function", session_string(session, row->name));
	if (row->thread)
		json_add_unsigned(object, "thread", row->thread);
	json_add_figures(object, session, SCOPE_IDLE, row, "");
	return object;
}

/* How busy each device was, and why it was idle. */
static cJSON *use_array(const struct session *session)
{
	cJSON *array = cJSON_CreateArray();

	for (int device = 0; device < SESSION_DEVICES && session_knows_use(session); device++) {
		const struct device_use *use = session_use(session, device);
		const struct idle_row *row;
		cJSON *object, *causes;

		if (!use)
			continue;
		object = cJSON_CreateObject();
		cJSON_AddNumberToObject(object, "device", device);
		json_add_figures(object, session, SCOPE_USE, use, "");
		cJSON_AddBoolToObject(object, "several_contexts", use->contexts > 1);
		causes = cJSON_AddArrayToObject(object, "causes");
		session_for_each_idle (session, row)
			if (row->device == device)
				cJSON_AddItemToArray(causes, cause_object(session, row));
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

static cJSON *findings_array(const struct session *session)
{
	cJSON *array = cJSON_CreateArray();
	struct finding findings[FINDING_COUNT];
	unsigned count = findings_of(session, UINT64_MAX, findings);

	for (unsigned i = 0; i < count; i++) {
		cJSON *object = cJSON_CreateObject();

		json_add_text(object, "finding", findings[i].key);
		if (findings[i].count)
			json_add_unsigned(object, "count", findings[i].count);
		json_add_unsigned(object, "time", findings[i].time);
		if (findings[i].percent > 0)
			cJSON_AddNumberToObject(object, "percent", findings[i].percent);
		if (findings[i].device >= 0) {
			cJSON_AddNumberToObject(object, "device", findings[i].device);
			cJSON_AddNumberToObject(object, "devices", findings[i].devices);
		}
		json_add_text(object, "advice", findings[i].advice);
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

static cJSON *counters_object(const struct session *session)
{
	cJSON *object = cJSON_CreateObject();

	json_add_figures(object, session, SCOPE_RUN, session_header(session)->counters, "");
	return object;
}

/* Which operations the event clock did not time, and why, over all rows. */
static cJSON *untimed_object(const struct session *session)
{
	uint64_t untimed[UNTIMED_COUNT] = {0};
	cJSON *object = cJSON_CreateObject();
	const struct row *row;

	session_for_each_row (session, row)
		for (int reason = 0; reason < UNTIMED_COUNT; reason++)
			untimed[reason] += row->untimed[reason];
#define ADD_REASON(name, text) json_add_unsigned(object, text, untimed[UNTIMED_##name]);
	UNTIMED_REASONS(ADD_REASON)
#undef ADD_REASON
	return object;
}

static void add_overhead(cJSON *object, const char *name, const struct event_overhead *overhead)
{
	cJSON *entry = cJSON_AddObjectToObject(object, name);

	json_add_unsigned(entry, "overhead", overhead->ns);
	json_add_unsigned(entry, "pairs", overhead->pairs);
	json_add_unsigned(entry, "standard_error", overhead->standard_error);
}

static cJSON *overheads_object(const struct session *session)
{
	const struct session_header *header = session_header(session);
	cJSON *object = cJSON_CreateObject();

	add_overhead(object, "kernel", &header->overheads[OVERHEAD_KERNEL]);
	add_overhead(object, "copy", &header->overheads[OVERHEAD_COPY]);
	if (header->queued.pairs > 0)
		add_overhead(object, "queued", &header->queued);
	return object;
}

static cJSON *notes_array(const struct session *session)
{
	const struct session_header *header = session_header(session);
	cJSON *array = cJSON_CreateArray();

	for (uint32_t i = 0; i < header->note_count && i < SESSION_NOTES; i++) {
		cJSON *holder = cJSON_CreateObject();

		json_add_text(holder, "note", session_string(session, header->notes[i]));
		cJSON_AddItemToArray(array, cJSON_DetachItemFromObject(holder, "note"));
		cJSON_Delete(holder);
	}
	return array;
}

static int write_member(FILE *file, const char *name, cJSON *item)
{
	fprintf(file, ",\n\"%s\":", name);
	return json_write(file, item);
}

static int row_write(struct json_export *export, const struct row *row, const char *name)
{
	struct row_work work = {.bytes = NULL};
	int error = 0;

	if (row->kind == ROW_KERNEL)
		error = work_patterns_match(&export->patterns,
					    session_string(export->session, row->name),
					    export->demangling, &work);
	return error ? error
		     : json_write(export->file, json_row(export->session, row, name, &work));
}

static int write_rows(struct json_export *export)
{
	const struct row *row;
	const char *separator = "\n";
	int error = 0;

	fputs(",\n\"rows\":[", export->file);
	session_for_each_row (export->session, row) {
		const struct trace_name *name =
			trace_name_get(&export->names, export->session, row->kind, row->name);

		if (!name)
			return -ENOMEM;
		fputs(separator, export->file);
		separator = ",\n";
		error = row_write(export, row, name->text);
		if (error)
			return error;
	}
	fputs("\n]", export->file);
	return 0;
}

static bool average_of(const struct row *row, double *average, void *session)
{
	*average = row_average(session, row);
	return true;
}

static int write_ranges(struct json_export *export)
{
	struct range_tree tree;
	const char *separator = "\n";
	int error =
		range_tree_build(&tree, export->session, true, average_of, (void *)export->session);

	fputs(",\n\"ranges\":[", export->file);
	for (size_t i = 0; i < tree.count && !error; i++) {
		fputs(separator, export->file);
		separator = ",\n";
		error = json_write(export->file,
				   json_range(&tree, i, export->session, &export->names));
	}
	fputs("\n]", export->file);
	range_tree_free(&tree);
	return error;
}

static int write_trace(struct json_export *export, const struct options *options)
{
	const struct trace_window window = trace_window(export->session, options);
	const struct trace_record *record;
	const char *separator = "\n";
	int error;

	fputs(",\n\"trace\":[", export->file);
	session_for_each_trace (export->session, record) {
		if (!trace_is_in(&window, record))
			continue;
		fputs(separator, export->file);
		separator = ",\n";
		error = write_record(export, record);
		if (error)
			return error;
	}
	fputs("\n]\n}\n", export->file);
	return 0;
}

int export_json(struct session *session, const struct options *options, FILE *file, char *message,
		size_t size)
{
	static const struct {
		const char *name;
		cJSON *(*make)(const struct session *session);
	} members[] = {
		{"session", session_object},
		{"devices", devices_array},
		{"use", use_array},
		{"findings", findings_array},
		{"counters", counters_object},
		{"untimed", untimed_object},
		{"overheads", overheads_object},
		{"notes", notes_array},
		{"memory", json_memory},
		{"memory_sites", json_memory_sites},
	};
	struct json_export export = {
		.session = session, .file = file, .demangling = options->demangling};
	int error = work_patterns_init(&export.patterns, options);

	if (error) {
		snprintf(message, size, "%s", strerror(-error));
		return error;
	}

	fprintf(file, "{\"format\":%d,\n\"made_by\":\"ktime %s\"", JSON_FORMAT, KTIME_VERSION);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members) && !error; i++)
		error = write_member(file, members[i].name, members[i].make(session));
	if (!error && session_header(session)->processes)
		error = write_member(file, "job", json_job(session));
	if (!error)
		error = write_rows(&export);
	if (!error)
		error = write_ranges(&export);
	if (!error)
		error = write_trace(&export, options);
	if (error)
		snprintf(message, size, "%s", strerror(-error));
	work_patterns_free(&export.patterns);
	trace_names_free(&export.names);
	return error;
}
