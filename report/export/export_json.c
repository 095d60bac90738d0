/* SPDX-License-Identifier: MIT */
/* Everything that a session holds, as JSON. Times are nanoseconds. */
#include <errno.h>
#include <string.h>

#include "report/export/export.h"
#include "report/export/export_json_device.h"
#include "report/export/export_json_job.h"
#include "report/export/export_json_memory.h"
#include "report/export/export_json_range.h"
#include "report/export/export_json_row.h"
#include "report/export/export_trace.h"
#include "report/export/json.h"
#include "report/print/table.h"
#include "report/findings/findings.h"

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
		const struct device_use *use = &session_header(session)->uses[device];
		const struct idle_row *row;
		cJSON *object, *causes;

		if (!use->last)
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
