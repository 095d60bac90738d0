/* SPDX-License-Identifier: MIT */
/* Everything that a session holds, as JSON. Times are nanoseconds. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/devices/describe.h"
#include "report/devices/peaks.h"
#include "report/energy/energy.h"
#include "report/export/export.h"
#include "report/export/json.h"
#include "report/findings/findings.h"
#include "report/names/demangle.h"
#include "report/print/report.h"
#include "report/print/table.h"
#include "report/ranges/range_tree.h"
#include "report/rates/rates.h"
#include "report/session/estimate.h"
#include "report/session/items.h"
#include "report/session/layout.h"

/* Counts up where a member is changed or removed. */
#define JSON_FORMAT 2

struct json_export {
	struct json json;
	uint64_t sums[TABLE_SECTIONS]; /* of what the table shows, ns */
	const struct options *options;
	struct entry *names;
};

static struct json_export *export_of(struct json *json)
{
	return (struct json_export *)json;
}

/* Adds a name to read. */
static void add_name(struct json *json, enum row_kind kind, uint64_t offset)
{
	const struct trace_name *name =
		trace_name_get(&export_of(json)->names, json->session, kind, offset);

	if (name)
		json_text(json, "name", name->text);
	else
		json->error = -ENOMEM;
}

/* The name of an operation to read; NULL: memory is out. */
static char *operation_text(const char *name, size_t length)
{
	char *copy = strndup(name, length), *text = copy;

	if (copy && strncmp(copy, "_Z", 2) == 0) {
		text = nsys_demangle(copy);
		free(copy);
	}
	return text;
}

/* Names of operations, one a line, kernels spelled as in `rows`. */
static void add_operations(struct json *json, const char *member, uint64_t offset)
{
	const char *name = session_string(json->session, offset);
	char *text = strdup("");

	while (text && *name) {
		size_t length = strcspn(name, "\n");
		char *one = operation_text(name, length), *longer = NULL;

		name += length + (name[length] == '\n');
		if (!one || asprintf(&longer, "%s%s%s", text, one, *name ? "\n" : "") < 0)
			longer = NULL;
		free(one);
		free(text);
		text = longer;
	}
	if (text)
		json_text(json, member, text);
	else
		json->error = -ENOMEM;
	free(text);
}

/*
 * The figures of a structure that JSON has, in the table's order: those whose key is this object's,
 * which is "" or the key of the object with a point behind it.
 */
static void add_structure(struct json *json, enum figure_scope scope, const void *structure,
			  const char *key)
{
	const struct figure_table *table = figures_of(scope);

	for (const struct figure *figure = table->figures; figure < table->figures + table->count;
	     figure++) {
		const char *name = figure->key ? figure->key : figure->name;

		if (figure->shown == SHOWN_NEVER || strncmp(name, key, strlen(key)) != 0 ||
		    strchr(name + strlen(key), '.') || !figure_is_known(figure, structure) ||
		    (figure->shown != SHOWN_ALWAYS && !(figure_value(figure, structure) > 0)))
			continue;
		name += strlen(key);
		if (figure->shown == SHOWN_TRUE)
			json_bool(json, name, true);
		else if (figure->type == FIGURE_TEXT)
			add_operations(json, name, figure_unsigned(figure, structure));
		else if (figure->type == FIGURE_REAL)
			json_real(json, name, figure_value(figure, structure));
		else
			json_unsigned(json, name, figure_unsigned(figure, structure));
	}
}

const char *const json_kind_names[ROW_KINDS] = {
	[ROW_KERNEL] = "kernel",       [ROW_MEMCPY] = "memcpy",	    [ROW_MEMSET] = "memset",
	[ROW_GRAPH] = "graph",	       [ROW_MOVEMENT] = "movement", [ROW_OTHER] = "other",
	[ROW_RUNTIME_API] = "runtime", [ROW_DRIVER_API] = "driver", [ROW_OVERHEAD] = "overhead",
	[ROW_RANGE] = "range",
};

static void add_clock_name(struct json *json, unsigned clock)
{
	static const char *const names[] = {
		[CLOCK_NONE] = "none",
		[CLOCK_CUPTI] = "cupti",
		[CLOCK_EVENTS] = "events",
	};

	json_text(json, "clock", clock <= CLOCK_EVENTS ? names[clock] : "unknown");
}

static void add_range_style(struct json *json, unsigned style)
{
	json_text(json, "style", style == RANGE_START_END ? "start/end" : "push/pop");
}

/* What is known if it is not negative, as the numbers of devices and ranks are. */
static void add_number(struct json *json, const char *name, int32_t number)
{
	if (number >= 0)
		json_unsigned(json, name, (uint32_t)number);
}

static void add_above_zero(struct json *json, const char *name, double value)
{
	if (value > 0)
		json_real(json, name, value);
}

/* null: it is not known. */
static void add_known(struct json *json, const char *name, double value)
{
	json_real(json, name, value > 0 ? value : NAN);
}

static void add_rank(struct json *json, const struct process_rank *rank)
{
	char text[sizeof(rank->job) + 1];

	if (rank->rank < 0)
		return;
	json_object(json, "rank");
	add_number(json, "number", rank->rank);
	add_number(json, "local_rank", rank->local_rank);
	add_number(json, "world_size", rank->world_size);
	/* A damaged file may hold anything. */
	snprintf(text, sizeof(text), "%.*s", (int)sizeof(rank->launcher) - 1, rank->launcher);
	json_text(json, "launcher", text);
	snprintf(text, sizeof(text), "%.*s", (int)sizeof(rank->job) - 1, rank->job);
	json_text(json, "job", text);
	json_end(json);
}

static void write_session(struct json *json)
{
	static const char *const timers[] = {
		[TIMER_AUTO] = "auto",
		[TIMER_CUPTI] = "cupti",
		[TIMER_EVENTS] = "events",
		[TIMER_BOTH] = "both",
	};
	const struct session_header *header = session_header(json->session);

	json_real(json, "pid", header->pid);
	json_string(json, "command", header->command);
	json_string(json, "hostname", header->hostname);
	add_rank(json, &header->rank);
	json_unsigned(json, "start_realtime", header->start_realtime);
	json_unsigned(json, "trace_start", header->trace_start);
	json_bool(json, "finished", header->finished);
	json_unsigned(json, "driver_version", header->driver_version);
	json_unsigned(json, "cupti_version", header->cupti_version);
	json_text(json, "timer", header->timer <= TIMER_BOTH ? timers[header->timer] : "unknown");
	json_bool(json, "cupti_active", header->cupti_active);
	json_bool(json, "events_active", header->events_active);
	json_unsigned(json, "events_fraction", header->events_fraction);
	json_real(json, "budget_percent", header->budget_percent);
	json_bool(json, "budget_given", header->budget_given);
}

static void add_clock(struct json *json, const char *name, const struct clock_range *clock)
{
	if (!clock->samples) {
		json_null(json, name);
		return;
	}
	json_object(json, name);
	json_unsigned(json, "minimum", clock->minimum);
	json_real(json, "average", clock_average(clock));
	json_unsigned(json, "maximum", clock->maximum);
	json_end(json);
}

void json_energy(struct json *json, const char *name, const struct device_energy *energy)
{
	json_object(json, name);
	if (!energy_is_known(energy)) {
		json_text(json, "missing", energy_missing(energy));
		json_real(json, "nvml_result", energy->result);
		json_end(json);
		return;
	}
	if (energy->duration) {
		json_real(json, "joules", energy->joules);
		json_unsigned(json, "duration", energy->duration);
		json_real(json, "watts", energy_power(energy));
		json_bool(json, "from_power", energy->source == ENERGY_FROM_POWER);
	}
	json_unsigned(json, "samples", energy->samples);
	json_unsigned(json, "samples_idle", energy->idle);
	add_clock(json, "sm_mhz", &energy->sm);
	add_clock(json, "memory_mhz", &energy->memory);
	json_object(json, "clock_reasons");
	for (unsigned i = 0; i < CLOCK_REASON_COUNT; i++)
		json_real(json, clock_reason_keys[i], clock_reason_share(energy, i));
	json_end(json);
	json_end(json);
}

static void add_steps(struct json *json, const char *name, const struct energy_curve *curve,
		      double (*of_step)(const struct energy_step *step))
{
	json_array(json, name);
	for (unsigned i = 0; i < energy_curve_steps(curve); i++)
		json_real(json, NULL, of_step(&curve->steps[i]));
	json_end(json);
}

static void add_over_time(struct json *json, int ordinal)
{
	const struct energy_curve *curve =
		json->session ? energy_curve_of(json->session, ordinal) : NULL;

	if (!curve)
		return;
	json_object(json, "energy_over_time");
	json_unsigned(json, "step", curve->length);
	add_steps(json, "watts", curve, energy_step_watts);
	add_steps(json, "sm_mhz", curve, energy_step_sm_mhz);
	json_end(json);
}

void json_device(struct json *json, const struct device_info *info, int ordinal)
{
	char text[96];
	struct peaks peaks = peaks_of(info);

	json_object(json, NULL);
	json_real(json, "ordinal", ordinal);
	json_text(json, "name", info->name);
	json_text(json, "uuid", device_uuid(text, "", info->uuid));
	json_unsigned(json, "compute_capability", info->compute_capability);
	json_unsigned(json, "memory", info->memory);
	add_known(json, "multiprocessors", info->multiprocessors);
	add_known(json, "clock_khz", info->clock_khz);
	add_known(json, "memory_clock_khz", info->memory_clock_khz);
	add_known(json, "bus_bits", info->bus_bits);
	add_known(json, "l2_bytes", info->l2_bytes);
	if (info->ecc == ECC_UNKNOWN)
		json_null(json, "ecc");
	else
		json_bool(json, "ecc", info->ecc == ECC_ON);
	json_text(json, "link", host_link_text(info, text, sizeof(text)));
	json_unsigned(json, "nvlink_links", info->nvlink_links);
	json_object(json, "peaks");
	add_known(json, "dram", peaks.dram);
	add_known(json, "fp32", peaks.flops[PRECISION_FP32]);
	add_known(json, "fp64", peaks.flops[PRECISION_FP64]);
	add_known(json, "fp16_tensor", peaks.flops[PRECISION_FP16]);
	add_known(json, "host_link", peaks.host);
	add_known(json, "nvlink", peaks.nvlink);
	json_end(json);
	if (info->energy.state != ENERGY_NOT_ASKED)
		json_energy(json, "energy", &info->energy);
	add_over_time(json, ordinal);
	json_end(json);
}

static void write_devices(struct json *json)
{
	const struct session_header *header = session_header(json->session);

	for (int device = 0; device < SESSION_DEVICES; device++)
		if (header->devices[device].used)
			json_device(json, &header->devices[device], device);
}

static void add_cause(struct json *json, const struct idle_row *row)
{

	json_object(json, NULL);
	json_text(json, "cause", idle_cause_keys[row->cause]);
	if (row->cause == IDLE_CALL)
		json_string(json, "function", row->name);
	if (row->thread)
		json_unsigned(json, "thread", row->thread);
	add_structure(json, SCOPE_IDLE, row, "");
	json_end(json);
}

/* How busy each device was, and why it was idle. */
static void write_use(struct json *json)
{
	const struct session *session = json->session;
	const struct device_use *use;
	const struct idle_row *row;

	if (!session_knows_use(session))
		return;
	session_for_each_use (session, UINT64_MAX, device, use) {
		json_object(json, NULL);
		add_number(json, "device", device);
		add_structure(json, SCOPE_USE, use, "");
		json_bool(json, "several_contexts", use->contexts > 1);
		json_array(json, "causes");
		session_for_each_idle (session, row)
			if (row->device == device)
				add_cause(json, row);
		json_end(json);
		json_end(json);
	}
}

static void add_if_any(struct json *json, const char *name, uint64_t offset)
{
	const char *text = session_string(json->session, offset);

	if (*text)
		json_text(json, name, text);
}

static void write_idle_by_range(struct json *json, const struct idle_by_range *split)
{
	json_object(json, "idle_by_range");
	json_unsigned(json, "idle", split->all);
	json_array(json, "ranges");
	for (unsigned i = 0; i < split->count; i++) {
		json_object(json, NULL);
		json_text(json, "range",
			  session_string(json->session, split->named[i].range->name));
		json_unsigned(json, "idle", split->named[i].time);
		json_unsigned(json, "host", split->named[i].host);
		json_end(json);
	}
	json_end(json);
	json_unsigned(json, "others", split->others);
	json_unsigned(json, "in_others", split->in_others);
	json_unsigned(json, "elsewhere", split->elsewhere);
	json_end(json);
}

/* Where a finding is: functions, operations, the range that the host was in, the slow process. */
static void write_place(struct json *json, const struct finding *finding)
{
	const struct functions *functions = &finding->functions;
	const struct job_process *slowest;

	if (functions->count) {
		json_array(json, "functions");
		for (unsigned i = 0; i < functions->count; i++)
			if (*session_string(json->session, functions->of[i].name))
				json_text(json, NULL,
					  session_string(json->session, functions->of[i].name));
		json_end(json);
	}
	/* What may have been elsewhere is no place. */
	if (finding->cause.time && !finding->possible) {
		json_text(json, "cause", idle_cause_keys[finding->cause.cause]);
		add_if_any(json, "function", finding->cause.name);
		json_unsigned(json, "cause_time", finding->cause.time);
	}
	if (finding->no_call)
		json_unsigned(json, "no_call", finding->no_call);
	if (finding->gaps)
		json_unsigned(json, "gaps", finding->gaps);
	if (finding->gap.time) {
		json_unsigned(json, "longest", finding->gap.time);
		add_if_any(json, "before", finding->gap.before);
		add_if_any(json, "after", finding->gap.after);
	}
	if (finding->range.range) {
		add_if_any(json, "range", finding->range.range->name);
		json_unsigned(json, "range_host", finding->range.time);
		json_unsigned(json, "range_gpu", finding->range.gpu);
		if (finding->range_times.known)
			json_unsigned(json, "range_idle", finding->range_times.idle);
		if (finding->range_times.by_others)
			json_unsigned(json, "range_gpu_of_others", finding->range_times.by_others);
		if (finding->range_times.split.count)
			write_idle_by_range(json, &finding->range_times.split);
	}
	if (finding->uneven.row) {
		slowest = finding->uneven.slowest;
		add_if_any(json, "row", finding->uneven.row->name);
		json_unsigned(json, "more", finding->uneven.more);
		json_unsigned(json, "waited", finding->uneven.waited_each);
		if (finding->uneven.calls) {
			json_unsigned(json, "calls", finding->uneven.calls);
			json_real(json, "others_calls", finding->uneven.others_calls);
		}
		if (slowest && slowest->rank.rank >= 0)
			json_unsigned(json, "rank", (uint64_t)slowest->rank.rank);
	}
}

static void write_findings(struct json *json)
{
	struct finding findings[FINDING_COUNT];
	unsigned count = findings_of(json->session, UINT64_MAX, findings);

	for (struct finding *finding = findings; finding < findings + count; finding++) {
		json_object(json, NULL);
		json_text(json, "finding", finding->key);
		if (finding->count)
			json_unsigned(json, "count", finding->count);
		json_unsigned(json, "time", finding->time);
		add_above_zero(json, "percent", finding->percent);
		add_number(json, "device", finding->device);
		if (finding->device >= 0)
			json_unsigned(json, "devices", finding->devices);
		json_text(json, "advice", finding->advice);
		write_place(json, finding);
		json_end(json);
	}
}

/* What of the run, or of the GPU's time, would be left without them. */
static void write_savings(struct json *json)
{
	struct finding findings[FINDING_COUNT];
	unsigned count = findings_of(json->session, UINT64_MAX, findings);
	struct savings savings;

	if (!savings_find(json->session, findings, count, &savings))
		return;
	json_text(json, "of", savings.of_run ? "run" : "gpu");
	json_unsigned(json, "whole", savings.whole);
	json_unsigned(json, "idle", savings.idle);
	json_unsigned(json, "end", savings.end);
	json_unsigned(json, "start", savings.start);
	json_unsigned(json, "left", savings.whole - savings.idle - savings.end - savings.start);
}

static void write_counters(struct json *json)
{
	add_structure(json, SCOPE_RUN, session_header(json->session)->counters, "");
}

/* Which operations the event clock did not time, and why, over all rows. */
static void write_untimed(struct json *json)
{
	uint64_t untimed[UNTIMED_COUNT] = {0};
	const struct row *row;

	session_for_each_row (json->session, row)
		for (int reason = 0; reason < UNTIMED_COUNT; reason++)
			untimed[reason] += row->untimed[reason];
	for (int reason = 0; reason < UNTIMED_COUNT; reason++)
		json_unsigned(json, untimed_texts[reason], untimed[reason]);
}

static void add_overhead(struct json *json, const char *name, const struct event_overhead *overhead)
{
	json_object(json, name);
	json_unsigned(json, "overhead", overhead->ns);
	json_unsigned(json, "pairs", overhead->pairs);
	json_unsigned(json, "standard_error", overhead->standard_error);
	json_end(json);
}

static void write_overheads(struct json *json)
{
	const struct session_header *header = session_header(json->session);

	add_overhead(json, "kernel", &header->overheads[OVERHEAD_KERNEL]);
	add_overhead(json, "copy", &header->overheads[OVERHEAD_COPY]);
	if (header->queued.pairs > 0)
		add_overhead(json, "queued", &header->queued);
}

static void write_notes(struct json *json)
{
	const struct session_header *header = session_header(json->session);

	for (uint32_t i = 0; i < header->note_count && i < SESSION_NOTES; i++)
		json_string(json, NULL, header->notes[i]);
}

/* Each kind of memory on each device. */
static void write_memory(struct json *json)
{
	const struct memory_use *use;

	session_for_each_memory_use (json->session, use) {
		json_object(json, NULL);
		add_number(json, "device", use->device);
		json_text(json, "kind", allocation_keys[use->kind]);
		add_structure(json, SCOPE_MEMORY, use, "");
		json_end(json);
	}
}

/* Each origin of allocations. */
static void write_memory_sites(struct json *json)
{
	const struct memory_site *site;

	session_for_each_memory_site (json->session, site) {
		json_object(json, NULL);
		add_number(json, "device", site->device);
		json_text(json, "kind", allocation_keys[site->kind]);
		if (site->size)
			json_unsigned(json, "size", site->size);
		if (site->thread)
			json_unsigned(json, "thread", site->thread);
		add_if_any(json, "range", site->range);
		if (*session_string(json->session, site->operation))
			add_operations(json, "operation", site->operation);
		add_structure(json, SCOPE_SITE, site, "");
		json_end(json);
	}
}

static void add_process(struct json *json, const struct job_process *process,
			const struct process_wait *wait)
{
	static const uint8_t unknown[sizeof(process->gpu_uuid)];
	char uuid[DEVICE_UUID_SIZE];

	json_object(json, NULL);
	json_real(json, "pid", process->pid);
	json_string(json, "command", process->command);
	json_string(json, "hostname", process->hostname);
	add_rank(json, &process->rank);
	json_bool(json, "finished", process->finished);
	json_bool(json, "timed", process->timed);
	json_unsigned(json, "operations", process->operations);
	json_unsigned(json, "gpu", process->gpu);
	json_unsigned(json, "collectives", process->collectives);
	json_unsigned(json, "waiting_least", to_unsigned(wait->least > 0 ? wait->least : 0));
	if (wait->is_exact)
		json_unsigned(json, "waiting", to_unsigned(wait->exact));
	json_unsigned(json, "wall", process->wall);
	json_unsigned(json, "device_time", process->device_time);
	json_unsigned(json, "busy", process->busy);
	json_unsigned(json, "memory_peak", process->memory_peak);
	json_unsigned(json, "memory_held", process->memory_held);
	if (memcmp(process->gpu_uuid, unknown, sizeof(unknown)) != 0)
		json_text(json, "gpu_uuid", device_uuid(uuid, "", process->gpu_uuid));
	json_object(json, "causes");
	for (unsigned i = 0; i < IDLE_CAUSE_COUNT; i++)
		if (process->causes[i])
			json_unsigned(json, idle_cause_keys[i], process->causes[i]);
	json_end(json);
	json_end(json);
}

static void add_job_row(struct json *json, const struct job_row *row)
{
	const struct job_process *slowest = session_process_at(json->session, row->slowest);

	json_object(json, NULL);
	json_text(json, "kind", json_kind_names[row->kind]);
	json_string(json, "name", row->name);
	json_unsigned(json, "processes", row->processes);
	json_unsigned(json, "minimum", row->minimum);
	json_unsigned(json, "mean", to_unsigned(row->total / (double)row->processes + 0.5));
	json_unsigned(json, "maximum", row->maximum);
	json_real(json, "imbalance", job_imbalance(row));
	if (row->calls && row->kind != ROW_RANGE) {
		json_real(json, "mean_calls", (double)row->calls / (double)row->processes);
		json_unsigned(json, "slowest_calls", row->slowest_calls);
	}
	add_number(json, "slowest_rank", slowest->rank.rank);
	json_real(json, "slowest_pid", slowest->pid);
	json_string(json, "slowest_hostname", slowest->hostname);
	json_end(json);
}

static int add_missing(struct json *json)
{
	struct rank_range *ranges;
	size_t count;
	int error = job_missing(json->session, &ranges, &count);

	if (error)
		return error;
	json_array(json, "missing_ranks");
	for (size_t i = 0; i < count; i++)
		for (int rank = ranges[i].first; rank <= ranges[i].last; rank++)
			json_real(json, NULL, rank);
	json_end(json);
	free(ranges);
	return 0;
}

/* What a merged profile knows of its processes. */
static void write_job(struct json *json)
{
	const struct job_process *process;
	char clocks[JOB_CLOCKS_SIZE];
	const struct job_row *row;
	struct waits waits;
	size_t i = 0;

	json->error = waits_find(&waits, json->session);
	if (json->error)
		return;
	json_unsigned(json, "nodes", job_nodes(json->session));
	json_array(json, "processes");
	session_for_each_process (json->session, process)
		if (i < waits.count)
			add_process(json, process, &waits.processes[i++]);
	json_end(json);
	json_array(json, "rows");
	session_for_each_job_row (json->session, row)
		add_job_row(json, row);
	json_end(json);
	json->error = add_missing(json);
	if (waits.calls) {
		json_unsigned(json, "ends_apart_mean", waits.ends_mean);
		json_unsigned(json, "ends_apart_maximum", waits.ends_most);
	}
	job_clocks_text(json->session, &waits, clocks);
	if (*clocks)
		json_text(json, "clocks", clocks);
	waits_free(&waits);
}

/* `all`: what the figures say of all calls, where they are a sample of `calls`; else NULL. */
static void add_figures(struct json *json, const char *name, const struct figures *figures,
			const struct estimated *all, uint64_t calls)
{
	static const struct {
		const char *name;
		double fraction;
	} percentiles[] = {
		{"median", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999},
	};
	const struct histogram *histogram = session_histogram(json->session, figures->histogram);
	const struct samples known = {figures->count, figures->total, figures->minimum,
				      figures->maximum};
	double total = all ? all->total : (double)figures->total;

	if (!figures->count)
		return;
	if (!all)
		calls = figures->count;
	json_object(json, name);
	json_unsigned(json, "count", figures->count);
	json_unsigned(json, "total", figures->total);
	json_real(json, "average", total / (double)calls);
	json_unsigned(json, "minimum", figures->minimum);
	json_unsigned(json, "maximum", figures->maximum);
	json_real(json, "deviation",
		  sqrt(sample_variance(calls, total, all ? all->squares : figures->squares)));
	if (histogram) {
		for (size_t i = 0; i < sizeof(percentiles) / sizeof(*percentiles); i++)
			json_unsigned(json, percentiles[i].name,
				      histogram_percentile_of(histogram, percentiles[i].fraction,
							      &known, NULL));
		json_array(json, "histogram");
		for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
			if (!histogram->buckets[bucket])
				continue;
			json_object(json, NULL);
			json_unsigned(json, "from", histogram_bucket_low(bucket));
			json_unsigned(json, "to", histogram_bucket_high(bucket));
			json_unsigned(json, "count", histogram->buckets[bucket]);
			json_end(json);
		}
		json_end(json);
	}
	json_end(json);
}

static void add_bytes(struct json *json, const struct row *row)
{

	if (!row->bytes)
		return;
	json_object(json, "bytes");
	add_structure(json, SCOPE_ROW, row, "bytes.");
	json_real(json, "deviation",
		  sqrt(sample_variance(row->calls, (double)row->bytes, row->bytes_squares)));
	json_end(json);
}

/* Where both clocks timed the same calls: how far they agree. */
static void add_check(struct json *json, const struct row *row)
{
	const struct histogram *differences =
		session_histogram(json->session, row->difference_histogram);

	if (!row->checked && !row->unmatched)
		return;
	json_object(json, "check");
	add_structure(json, SCOPE_ROW, row, "check.");
	if (differences)
		json_unsigned(json, "median_difference", histogram_percentile(differences, 0.5));
	json_end(json);
}

/* Where a part of the calls was timed: the total of all, and half of its 95 % interval. */
static void add_estimate(struct json *json, struct estimated estimated)
{
	json_object(json, "estimate");
	json_real(json, "total", estimated.total);
	if (!isnan(estimated.error))
		json_real(json, "error", estimated.error);
	json_end(json);
}

static void add_rate_members(struct json *json, const struct rate *rate)
{
	json_real(json, "average", rate->average);
	json_real(json, "minimum", rate->minimum);
	json_real(json, "maximum", rate->maximum);
}

/* False, and nothing is added, if the rate is not known. */
static bool add_rate(struct json *json, const char *name, const struct rate *rate)
{
	if (!(rate->average > 0))
		return false;
	json_object(json, name);
	add_rate_members(json, rate);
	json_end(json);
	return true;
}

static void add_units(struct json *json, const struct row_work *work,
		      const struct row_rates *of_row)
{
	if (!work->units[0])
		return;
	json_array(json, "work");
	for (int i = 0; i < WORK_UNITS && work->units[i]; i++) {
		json_object(json, NULL);
		json_text(json, "unit", work->units[i]->unit);
		if (of_row->units[i].average > 0)
			add_rate_members(json, &of_row->units[i]);
		json_end(json);
	}
	json_end(json);
}

static void add_occupancy(struct json *json, const struct row_rates *of_row)
{
	if (!(of_row->occupancy_most > 0))
		return;
	json_object(json, "occupancy");
	json_real(json, "least", of_row->occupancy_least);
	json_real(json, "most", of_row->occupancy_most);
	json_text(json, "limit", occupancy_limit_texts[of_row->occupancy.limit]);
	add_above_zero(json, "waves", of_row->occupancy.waves);
	json_end(json);
}

/* GB/s and GFLOP/s beside the device's peaks; of kernels what was declared, and the occupancy. */
static void add_rates(struct json *json, const struct row *row, const struct row_work *work)
{
	const struct device_info *device = rates_device(json->session, row);
	struct timed_row timed;
	struct row_rates of_row;
	char text[64];

	if ((row->kind != ROW_KERNEL && row->kind != ROW_MEMCPY && row->kind != ROW_MEMSET) ||
	    !row_timed(json->session, row, &timed))
		return;
	of_row = rates_of(&timed, session_string(json->session, row->name), work, device);
	json_object_if_any(json, "rates");
	if (add_rate(json, "bandwidth", &of_row.bandwidth)) {
		json_text(json, "peak_of", peak_text(of_row.peak_kind, device, text, sizeof(text)));
		add_above_zero(json, "peak", of_row.peak);
		add_above_zero(json, "percent", of_row.bandwidth_percent);
	}
	if (of_row.remark != REMARK_NONE)
		json_text(json, "remark", rate_remarks[of_row.remark].text);
	if (add_rate(json, "flops", &of_row.flops)) {
		json_text(json, "precision", precision_names[of_row.precision]);
		add_above_zero(json, "flops_peak", of_row.flops_peak);
		add_above_zero(json, "flops_percent", of_row.flops_percent);
	}
	add_above_zero(json, "bytes_per_flop", of_row.bytes_per_flop);
	add_above_zero(json, "balance", of_row.balance);
	if (of_row.bound != BOUND_UNKNOWN)
		json_text(json, "bound", rates_bound_texts[of_row.bound]);
	add_units(json, work, &of_row);
	add_occupancy(json, &of_row);
	json_end(json);
}

/* The part of the table that the row is in, its time there, and how much of that part's it is. */
static void add_shown(struct json *json, const struct row *row)
{
	static const char *const tables[TABLE_SECTIONS] = {
		[TABLE_GPU] = "gpu", [TABLE_GRAPHS] = "graphs", [TABLE_API] = "api"};
	enum table_section section = table_section_of(json->session, row);
	struct timed_row timed;
	uint64_t time;

	if (section == TABLE_SECTIONS)
		return;
	json_text(json, "table", tables[section]);
	if (!row_timed(json->session, row, &timed))
		return;
	time = to_unsigned(timed.total + 0.5);
	json_unsigned(json, "time", time);
	json_real(json, "average", (double)time / (double)timed.calls);
	json_real(json, "percent", time_percent(time, export_of(json)->sums[section]));
	if (timed.clock == CLOCK_EVENTS && row_is_upper_bound(row))
		json_bool(json, "upper_bound", true);
}

static void add_row(struct json *json, const struct row *row)
{
	struct json_export *export = export_of(json);
	struct row_work work = {.bytes = NULL};
	struct estimated estimated = {0};
	enum clock_source clock;

	row_figures(json->session, row, &clock);
	json_line(json);
	json_object(json, NULL);
	json_text(json, "kind", json_kind_names[row->kind]);
	add_name(json, row->kind, row->name);
	if (row->kind == ROW_KERNEL) {
		json_string(json, "mangled", row->name);
		if (work_match(export->options->declared, session_string(json->session, row->name),
			       export->options->demangling, &work))
			json->error = -ENOMEM;
	}
	add_number(json, "device", row->device);
	json_unsigned(json, "calls", row_calls(row));
	add_structure(json, SCOPE_ROW, row, "");
	add_clock_name(json, clock);
	add_shown(json, row);
	add_bytes(json, row);
	add_figures(json, "cupti", &row->cupti, NULL, 0);
	if (row_is_estimated(row, CLOCK_EVENTS))
		estimated = row_estimate(row, CLOCK_EVENTS);
	add_figures(json, "events", &row->events, estimated.total > 0 ? &estimated : NULL,
		    row_calls_of_clock(row, CLOCK_EVENTS));
	if (row_is_estimated(row, clock))
		add_estimate(json, row_estimate(row, clock));
	add_check(json, row);
	add_rates(json, row, &work);
	json_object(json, "untimed");
	add_structure(json, SCOPE_ROW, row, "untimed.");
	json_end(json);
	json_end(json);
}

static void write_rows(struct json *json)
{
	uint64_t *sums = export_of(json)->sums;
	const struct row *row;
	struct timed_row timed;

	session_for_each_row (json->session, row) {
		enum table_section section = table_section_of(json->session, row);

		if (section != TABLE_SECTIONS && row_timed(json->session, row, &timed))
			sums[section] += to_unsigned(timed.total + 0.5);
	}
	session_for_each_row (json->session, row)
		if (!json->error)
			add_row(json, row);
}

static void add_sum(struct json *json, const char *name, const struct range_sum *sum)
{
	json_object(json, name);
	json_real(json, "operations", sum->operations);
	json_unsigned(json, "time", sum->time);
	json_bool(json, "estimated", sum->estimated);
	if (sum->variance > 0)
		json_real(json, "error", sqrt(sum->variance));
	json_end(json);
}

static void add_part(struct json *json, const struct nvtx_part *part)
{
	const struct row *row = session_row_at(json->session, part->row);

	json_object(json, NULL);
	json_text(json, "kind", json_kind_names[row->kind]);
	add_name(json, row->kind, row->name);
	add_number(json, "device", row->device);
	add_structure(json, SCOPE_PART, part, "");
	json_end(json);
}

/* A node of the tree, with what was done in it. */
static void add_range(struct json *json, const struct range_tree *tree, size_t index)
{
	const struct range_node *node = &tree->nodes[index];

	json_line(json);
	json_object(json, NULL);
	json_unsigned(json, "id", index);
	if (node->parent != RANGE_NO_PARENT)
		json_unsigned(json, "parent", node->parent);
	json_string(json, "name", node->range->name);
	json_string(json, "domain", node->range->domain);
	add_range_style(json, node->range->style);
	json_unsigned(json, "thread", node->range->thread);
	json_unsigned(json, "calls", node->calls);
	json_unsigned(json, "open", node->open);
	if (node->calls) {
		json_unsigned(json, "total", node->total);
		if (node->known & MINIMUM_KNOWN)
			json_unsigned(json, "minimum", node->minimum);
		json_unsigned(json, "maximum", node->maximum);
	}
	if (node->launches)
		json_unsigned(json, "graph_launches", node->launches);
	add_sum(json, "own", &node->own);
	add_sum(json, "all", &node->all);
	json_array(json, "parts");
	for (size_t i = 0; i < node->part_count; i++)
		add_part(json, tree->parts[node->first_part + i]);
	json_end(json);
	json_end(json);
}

static bool average_of(const struct row *row, double *average, void *session)
{
	*average = row_average(session, row);
	return true;
}

static void write_ranges(struct json *json)
{
	struct range_tree tree;

	json->error =
		range_tree_build(&tree, json->session, true, average_of, (void *)json->session);
	for (size_t i = 0; i < tree.count && !json->error; i++)
		add_range(json, &tree, i);
	range_tree_free(&tree);
}

/* What an operation on a device has besides. */
static void add_operation(struct json *json, const struct trace_record *record)
{
	json_real(json, "device", record->device);
	json_unsigned(json, "context", record->context);
	json_unsigned(json, "stream", record->stream);
	json_unsigned(json, "bytes", record->bytes);
	if (record->kind == ROW_KERNEL) {
		json_extent(json, "grid", record->grid);
		json_extent(json, "block", record->block);
		json_unsigned(json, "registers", record->registers);
		json_unsigned(json, "static_shared", record->static_shared);
		json_unsigned(json, "dynamic_shared", record->dynamic_shared);
	}
	json_text(json, "from", memory_kind_name(record->source_kind));
	json_text(json, "to", memory_kind_name(record->destination_kind));
	add_clock_name(json, record->clock);
	json_unsigned(json, "graph", record->graph);
	json_unsigned(json, "graph_node", record->graph_node);
}

static void add_record(struct json *json, const struct trace_record *record)
{
	json_line(json);
	json_object(json, NULL);
	json_text(json, "kind", json_kind_names[record->kind]);
	add_name(json, record->kind, record->name);
	json_unsigned(json, "start", record->start);
	json_unsigned(json, "end", record->end);
	json_unsigned(json, "correlation", record->correlation);
	if (row_is_api(record->kind)) {
		json_unsigned(json, "thread", record->thread);
		json_unsigned(json, "result", record->result);
		if (record->kernel)
			json_string(json, "kernel", record->kernel);
	} else if (record->kind == ROW_RANGE) {
		json_unsigned(json, "thread", record->thread);
		json_string(json, "domain", record->kernel);
		add_range_style(json, record->result);
	} else {
		add_operation(json, record);
		if (record->kernel)
			json_string(json, "range", record->kernel);
	}
	json_end(json);
}

static void write_trace(struct json *json)
{
	const struct trace_window window = trace_window(json->session, export_of(json)->options);
	const struct trace_record *record;

	session_for_each_trace (json->session, record) {
		if (trace_is_in(&window, record))
			add_record(json, record);
		if (json->error || ferror(json->file))
			return;
	}
}

/* The members of the document, in their order. */
static const struct member {
	const char *name;
	void (*begin)(struct json *json, const char *name);
	void (*write)(struct json *json);
	enum { ON_ONE_LINE, ON_LINES, OF_A_MERGED_PROFILE } shape;
} members[] = {
	{"session", json_object, write_session, ON_ONE_LINE},
	{"devices", json_array, write_devices, ON_ONE_LINE},
	{"use", json_array, write_use, ON_ONE_LINE},
	{"findings", json_array, write_findings, ON_ONE_LINE},
	{"without_findings", json_object, write_savings, ON_ONE_LINE},
	{"counters", json_object, write_counters, ON_ONE_LINE},
	{"untimed", json_object, write_untimed, ON_ONE_LINE},
	{"overheads", json_object, write_overheads, ON_ONE_LINE},
	{"notes", json_array, write_notes, ON_ONE_LINE},
	{"memory", json_array, write_memory, ON_ONE_LINE},
	{"memory_sites", json_array, write_memory_sites, ON_ONE_LINE},
	{"job", json_object, write_job, OF_A_MERGED_PROFILE},
	{"rows", json_array, write_rows, ON_LINES},
	{"ranges", json_array, write_ranges, ON_LINES},
	{"trace", json_array, write_trace, ON_LINES},
};

int export_json(struct session *session, const struct options *options, FILE *file, char *message,
		size_t size)
{
	struct json_export export = {.json = {.file = file, .session = session},
				     .options = options};
	struct json *json = &export.json;

	json_object(json, NULL);
	json_unsigned(json, "format", JSON_FORMAT);
	json_line(json);
	json_text(json, "made_by", "ktime " KTIME_VERSION);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members) && !json->error; i++) {
		if (members[i].shape == OF_A_MERGED_PROFILE && !session_header(session)->processes)
			continue;
		json_line(json);
		members[i].begin(json, members[i].name);
		members[i].write(json);
		if (members[i].shape == ON_LINES)
			json_line(json);
		json_end(json);
	}
	json_line(json);
	json_end(json);
	fputc('\n', file);
	if (json->error)
		snprintf(message, size, "%s", strerror(-json->error));
	trace_names_free(&export.names);
	return json->error;
}
