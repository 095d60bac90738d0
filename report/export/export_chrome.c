/* SPDX-License-Identifier: MIT */
/*
 * A session's trace in the trace event format: the program's threads with their API calls, each
 * device as a process of its own with its streams as threads, and an arrow from a call to what it
 * started. One event is in memory at a time. Source: "Trace Event Format", the Chromium project.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "report/export/export.h"
#include "report/export/export_json_row.h"
#include "report/export/export_trace.h"
#include "report/export/json.h"
#include "report/session/session_nvtx.h"

/* The processes of the devices: beyond any id that Linux gives, and within 32 bits. */
#define DEVICE_PID 0x40000000

/* A stream's place in the trace. Its number there is its own: one id can name several streams. */
struct lane {
	struct {
		int32_t device;
		uint32_t context, stream, process;
	} key;
	int tid;
	UT_hash_handle hh;
};

/* An API call, where arrows begin. */
struct call {
	uint32_t process, correlation, thread;
	uint64_t start;
};

struct chrome {
	const struct session *session;
	FILE *file;
	struct lane *lanes;
	struct trace_name *names;
	struct call *calls; /* by process and correlation id */
	size_t call_count;
	uint64_t zero;
	uint64_t arrows, started; /* so far: they are the ids */
	uint64_t devices;	  /* bit for each of the process's that was named */
	/* In a merged profile: the process whose records are written, and its number; else 0. */
	const struct job_process *owner;
	uint32_t process;
	bool any; /* an event was written: a comma comes before the next */
};

/* What every event has. NULL where memory is out. */
static cJSON *event_create(const char *phase, const char *name, int64_t pid, int64_t tid)
{
	cJSON *event = cJSON_CreateObject();

	if (json_add_text(event, "ph", phase) && json_add_text(event, "name", name) &&
	    json_add_unsigned(event, "pid", pid) && json_add_unsigned(event, "tid", tid))
		return event;
	cJSON_Delete(event);
	return NULL;
}

static int event_write(struct chrome *chrome, cJSON *event)
{
	fputs(chrome->any ? ",\n" : "\n", chrome->file);
	chrome->any = true;
	return json_write(chrome->file, event);
}

/* Names a process or a thread. */
static int write_label(struct chrome *chrome, const char *what, int64_t pid, int64_t tid,
		       const char *label)
{
	cJSON *event = event_create("M", what, pid, tid);

	json_add_text(cJSON_AddObjectToObject(event, "args"), "name", label);
	return event_write(chrome, event);
}

static int64_t device_pid(const struct chrome *chrome, int32_t device)
{
	return DEVICE_PID + (int64_t)chrome->process * SESSION_DEVICES + device;
}

/* Process numbers of several nodes may be the same. */
static int64_t host_pid(const struct chrome *chrome)
{
	return chrome->process ? (int64_t)chrome->process : session_header(chrome->session)->pid;
}

static int write_device(struct chrome *chrome, int32_t device)
{
	char label[256], owner[160];

	if (device < 0 || device >= SESSION_DEVICES || chrome->devices & 1ULL << device)
		return 0;
	chrome->devices |= 1ULL << device;
	trace_owner_name(chrome->session, chrome->owner, owner, sizeof(owner));
	snprintf(label, sizeof(label), "%sGPU %d: %.64s", owner, device,
		 session_header(chrome->session)->devices[device].name);
	return write_label(chrome, "process_name", device_pid(chrome, device), 0, label);
}

/* The number of a record's stream in the trace; negative: -errno. */
static int stream_tid(struct chrome *chrome, const struct trace_record *record)
{
	struct lane *lane, *known;
	char label[64];
	int error;

	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return -ENOMEM;
	lane->key.device = record->device;
	lane->key.context = record->context;
	lane->key.stream = record->stream;
	lane->key.process = chrome->process;
	HASH_FIND(hh, chrome->lanes, &lane->key, sizeof(lane->key), known);
	if (known) {
		free(lane);
		return known->tid;
	}
	lane->tid = (int)HASH_COUNT(chrome->lanes) + 1;
	HASH_ADD(hh, chrome->lanes, key, sizeof(lane->key), lane);
	if (!lane->hh.tbl) {
		free(lane);
		return -ENOMEM;
	}
	snprintf(label, sizeof(label), "Stream %u (context %u)", record->stream, record->context);
	error = write_device(chrome, record->device);
	if (!error)
		error = write_label(chrome, "thread_name", device_pid(chrome, record->device),
				    lane->tid, label);
	return error ? error : lane->tid;
}

static void add_extent(cJSON *arguments, const char *name, const uint32_t extent[3])
{
	char text[40];

	snprintf(text, sizeof(text), "%ux%ux%u", extent[0], extent[1], extent[2]);
	json_add_text(arguments, name, text);
}

static void add_arguments(cJSON *event, struct chrome *chrome, const struct trace_record *record)
{
	cJSON *arguments = cJSON_AddObjectToObject(event, "args");
	const struct trace_name *kernel;

	json_add_unsigned(arguments, "correlation", record->correlation);
	switch (record->kind) {
	case ROW_KERNEL:
		add_extent(arguments, "grid", record->grid);
		add_extent(arguments, "block", record->block);
		json_add_unsigned(arguments, "registers", record->registers);
		json_add_unsigned(arguments, "static shared memory", record->static_shared);
		json_add_unsigned(arguments, "dynamic shared memory", record->dynamic_shared);
		json_add_text(arguments, "mangled", session_string(chrome->session, record->name));
		break;
	case ROW_MEMCPY:
	case ROW_MOVEMENT:
		json_add_text(arguments, "from", memory_kind_name(record->source_kind));
		json_add_text(arguments, "to", memory_kind_name(record->destination_kind));
		/* fall through */
	case ROW_MEMSET:
		json_add_unsigned(arguments, "bytes", record->bytes);
		break;
	case ROW_RUNTIME_API:
	case ROW_DRIVER_API:
		json_add_unsigned(arguments, "result", record->result);
		kernel = record->kernel ? trace_name_get(&chrome->names, chrome->session,
							 ROW_KERNEL, record->kernel)
					: NULL;
		if (kernel)
			json_add_text(arguments, "kernel", kernel->text);
		break;
	case ROW_RANGE:
		if (*session_string(chrome->session, record->kernel))
			json_add_text(arguments, "domain",
				      session_string(chrome->session, record->kernel));
		break;
	default:
		break;
	}
	if (record->graph)
		json_add_unsigned(arguments, "graph", record->graph);
	if (record->graph_node)
		json_add_unsigned(arguments, "graph node", record->graph_node);
	if (record->clock == CLOCK_EVENTS)
		json_add_text(arguments, "clock", "events");
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* Whether a record is the first of another process's; a process's come one after the other. */
static bool is_next_process(const struct session *session, const struct trace_record *record,
			    const struct job_process **owner)
{
	const struct job_process *process = session_trace_process(session, record);

	if (process == *owner)
		return false;
	*owner = process;
	return true;
}

static int calls_collect(struct chrome *chrome)
{
	const struct job_process *owner = NULL;
	const struct trace_record *record;
	size_t capacity = 0;
	uint32_t process = 0;

	session_for_each_trace (chrome->session, record) {
		process += is_next_process(chrome->session, record, &owner);
		if (!row_is_api(record->kind))
			continue;
		if (chrome->call_count == capacity) {
			struct call *calls;

			capacity = capacity * 2 + 1024;
			calls = realloc(chrome->calls, capacity * sizeof(*calls));
			if (!calls)
				return -ENOMEM;
			chrome->calls = calls;
		}
		chrome->calls[chrome->call_count++] = (struct call){
			.process = process,
			.correlation = record->correlation,
			.thread = record->thread,
			.start = record->start,
		};
	}
	if (chrome->call_count)
		qsort(chrome->calls, chrome->call_count, sizeof(*chrome->calls), compare_calls);
	return 0;
}

/* One end of an arrow. The format pairs the ends by category, name and id. */
static int write_arrow_end(struct chrome *chrome, const char *phase, int64_t pid, int64_t tid,
			   uint64_t time)
{
	cJSON *event = event_create(phase, "launch", pid, tid);

	json_add_text(event, "cat", "launch");
	json_add_unsigned(event, "id", chrome->arrows);
	json_add_microseconds(event, "ts", time - chrome->zero);
	if (*phase == 'f')
		json_add_text(event, "bp", "e"); /* bound to the slice around it */
	return event_write(chrome, event);
}

/* The arrow from the call that started an operation, where that call was recorded. */
static int write_arrow(struct chrome *chrome, const struct trace_record *record, int tid)
{
	const struct call key = {.process = chrome->process, .correlation = record->correlation};
	const struct call *call;
	int error;

	if (!record->correlation || !chrome->call_count)
		return 0;
	call = bsearch(&key, chrome->calls, chrome->call_count, sizeof(*call), compare_calls);
	if (!call || call->start > record->start)
		return 0;
	chrome->arrows++;
	error = write_arrow_end(chrome, "s", host_pid(chrome), call->thread, call->start);
	if (error)
		return error;
	return write_arrow_end(chrome, "f", device_pid(chrome, record->device), tid, record->start);
}

/* A start/end range overlaps others and may end on another thread: it has a track of its own. */
static int write_started(struct chrome *chrome, const struct trace_record *record, const char *name)
{
	static const char *const phases[] = {"b", "e"};
	int error = 0;

	chrome->started++;
	for (int end = 0; end < 2 && !error; end++) {
		cJSON *event = event_create(phases[end], name, host_pid(chrome), record->thread);

		json_add_text(event, "cat", json_kind_name(record->kind));
		json_add_unsigned(event, "id", chrome->started);
		json_add_microseconds(event, "ts",
				      (end ? record->end : record->start) - chrome->zero);
		error = event_write(chrome, event);
	}
	return error;
}

static int write_record(struct chrome *chrome, const struct trace_record *record)
{
	bool api = row_is_api(record->kind) || record->kind == ROW_OVERHEAD ||
		   record->kind == ROW_RANGE;
	int64_t pid = api ? host_pid(chrome) : device_pid(chrome, record->device);
	int64_t tid = api ? (int64_t)record->thread : stream_tid(chrome, record);
	const struct trace_name *name;
	cJSON *event;
	int error;

	if (tid < 0)
		return tid;
	name = trace_name_get(&chrome->names, chrome->session, record->kind, record->name);
	if (!name)
		return -ENOMEM;
	if (record->kind == ROW_RANGE && record->result == RANGE_START_END)
		return write_started(chrome, record, name->text);
	event = event_create("X", name->text, pid, tid);
	json_add_text(event, "cat", json_kind_name(record->kind));
	json_add_microseconds(event, "ts", record->start - chrome->zero);
	json_add_microseconds(event, "dur", record->end - record->start);
	add_arguments(event, chrome, record);
	error = event_write(chrome, event);
	return error || api ? error : write_arrow(chrome, record, tid);
}

static int write_process(struct chrome *chrome)
{
	char name[256], label[420], owner[160];

	trace_process_name(chrome->session, name, sizeof(name));
	trace_owner_name(chrome->session, chrome->owner, owner, sizeof(owner));
	snprintf(label, sizeof(label), "%s%s", owner, name);
	return write_label(chrome, "process_name", host_pid(chrome), 0, label);
}

static int write_trailer(struct chrome *chrome)
{
	cJSON *data = cJSON_CreateObject();
	int error;

	json_add_text(data, "made by", "ktime " KTIME_VERSION);
	json_add_text(data, "command",
		      session_string(chrome->session, session_header(chrome->session)->command));
	fputs("\n],\"displayTimeUnit\":\"ns\",\"otherData\":", chrome->file);
	error = json_write(chrome->file, data);
	fputs("}\n", chrome->file);
	return error;
}

int export_chrome(struct session *session, const struct options *options, FILE *file, char *message,
		  size_t size)
{
	struct chrome chrome = {.session = session, .file = file};
	const struct trace_record *record;
	struct lane *lane, *next;
	uint64_t end;
	int error;

	(void)options;
	trace_span(session, &chrome.zero, &end);
	error = calls_collect(&chrome);
	fputs("{\"traceEvents\":[", file);
	if (!error && !session_header(session)->processes)
		error = write_process(&chrome);
	session_for_each_trace (session, record) {
		if (error || ferror(file))
			break;
		if (is_next_process(session, record, &chrome.owner)) {
			chrome.process++;
			chrome.devices = 0;
			error = write_process(&chrome);
		}
		if (!error && record->kind < ROW_KINDS)
			error = write_record(&chrome, record);
	}
	if (!error)
		error = write_trailer(&chrome);
	if (error)
		snprintf(message, size, "%s", strerror(-error));
	HASH_ITER (hh, chrome.lanes, lane, next) {
		HASH_DEL(chrome.lanes, lane);
		free(lane);
	}
	trace_names_free(&chrome.names);
	free(chrome.calls);
	return error;
}
