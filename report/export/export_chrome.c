/* SPDX-License-Identifier: MIT */
/*
 * A session's trace in the trace event format: the program's threads with their API calls, each
 * device as a process of its own with its streams as threads, and an arrow from a call to what it
 * started. Written without a tree of JSON: a trace has millions of events. Source: "Trace Event
 * Format", the Chromium project.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/export.h"
#include "report/export/export_json_row.h"
#include "report/export/export_trace.h"
#include "report/export/json.h"
#include "report/merge/progress.h"
#include "report/session/session_nvtx.h"
#include "report/timeline/held_memory.h"
#include "report/timeline/launches.h"
#include "report/timeline/order.h"
#include "report/timeline/tracks.h"

/* The processes of the devices: beyond any id that Linux gives, and within 32 bits. */
#define DEVICE_PID 0x40000000

struct chrome {
	const struct session *session;
	FILE *file;
	struct tracks tracks;
	struct trace_name *names, *raw; /* to read, and as the session has them */
	struct launches launches;
	struct held_memory held;
	uint64_t zero;
	uint64_t arrows, started; /* so far: they are the ids */
	uint64_t devices;	  /* bit for each of the process's that was named */
	/* In a merged profile: the process whose records are written, and its number; else 0. */
	const struct job_process *owner;
	uint32_t process;
	bool any; /* an event was written: a comma comes before the next */
};

static void put(struct chrome *chrome, const char *text)
{
	fputs_unlocked(text, chrome->file);
}

/* What every event has; `name` is quoted. The caller adds the rest and "}". */
static void begin_event(struct chrome *chrome, const char *phase, const char *name, int64_t pid,
			int64_t tid)
{
	put(chrome, chrome->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	chrome->any = true;
	put(chrome, phase);
	put(chrome, "\",\"name\":");
	put(chrome, name);
	json_put_member(chrome->file, "pid", (uint64_t)pid);
	json_put_member(chrome->file, "tid", (uint64_t)tid);
}

/* Names a process or a thread. */
static int write_label(struct chrome *chrome, const char *what, int64_t pid, int64_t tid,
		       const char *label)
{
	char *quoted = json_quoted(label);

	if (!quoted)
		return -ENOMEM;
	begin_event(chrome, "M", what, pid, tid);
	put(chrome, ",\"args\":{\"name\":");
	put(chrome, quoted);
	put(chrome, "}}");
	cJSON_free(quoted);
	return 0;
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
	return write_label(chrome, "\"process_name\"", device_pid(chrome, device), 0, label);
}

/* A name as a string of JSON; NULL where memory is out. */
static const char *quoted_name(struct trace_name *name)
{
	if (name && !name->written)
		name->written = json_quoted(name->text);
	return name ? name->written : NULL;
}

/*
 * The number of a track within its process. A thread's own is its id; what overlaps there, and
 * streams, have the number of the track, which no thread has: threads' numbers are below PID_MAX.
 */
static int64_t tid_of(const struct track *track)
{
	if (track->key.kind == TRACK_STREAM)
		return track->number;
	return track->lane ? (int64_t)DEVICE_PID + track->number : (int64_t)track->key.id;
}

/* Streams have names; so have the further tracks of a thread. */
static int name_track(struct chrome *chrome, const struct track *track)
{
	char label[64];
	int error;

	if (track->key.kind != TRACK_STREAM && !track->lane)
		return 0;
	if (track->key.kind != TRACK_STREAM) {
		snprintf(label, sizeof(label), "Thread %u, overlapping", track->key.id);
		return write_label(chrome, "\"thread_name\"", host_pid(chrome), tid_of(track),
				   label);
	}
	snprintf(label, sizeof(label), "Stream %u (context %u)", track->key.id, track->key.context);
	error = write_device(chrome, track->key.device);
	return error ? error
		     : write_label(chrome, "\"thread_name\"", device_pid(chrome, track->key.device),
				   tid_of(track), label);
}

/* The number of the track that a record's slice belongs on; negative: -errno. */
static int64_t place_slice(struct chrome *chrome, const struct trace_record *record)
{
	struct track *track;
	uint64_t closed;
	bool added;
	int error = tracks_place(&chrome->tracks, record, chrome->process, &track, &added);

	if (!error && added)
		error = name_track(chrome, track);
	if (error)
		return error;
	while (track_close(track, record->start, &closed))
		continue;
	error = track_open(track, record_end(record));
	return error ? error : tid_of(track);
}

static void put_extent(struct chrome *chrome, const char *name, const uint32_t extent[3])
{
	char text[40];

	snprintf(text, sizeof(text), "%ux%ux%u", extent[0], extent[1], extent[2]);
	json_put_word(chrome->file, name, text);
}

/* What comes after `"correlation"`; `other` is quoted, and NULL if there is none. */
static void put_arguments(struct chrome *chrome, const struct trace_record *record,
			  const char *other)
{
	switch (record->kind) {
	case ROW_KERNEL:
		put_extent(chrome, "grid", record->grid);
		put_extent(chrome, "block", record->block);
		json_put_member(chrome->file, "registers", record->registers);
		json_put_member(chrome->file, "static shared memory", record->static_shared);
		json_put_member(chrome->file, "dynamic shared memory", record->dynamic_shared);
		put(chrome, ",\"mangled\":");
		put(chrome, other);
		break;
	case ROW_MEMCPY:
	case ROW_MOVEMENT:
		json_put_word(chrome->file, "from", memory_kind_name(record->source_kind));
		json_put_word(chrome->file, "to", memory_kind_name(record->destination_kind));
		/* fall through */
	case ROW_MEMSET:
		json_put_member(chrome->file, "bytes", record->bytes);
		break;
	case ROW_RUNTIME_API:
	case ROW_DRIVER_API:
		json_put_member(chrome->file, "result", record->result);
		if (other)
			put(chrome, ",\"kernel\":");
		break;
	case ROW_RANGE:
		if (other)
			put(chrome, ",\"domain\":");
		break;
	default:
		break;
	}
	if (other && record->kind != ROW_KERNEL)
		put(chrome, other);
	if (record->graph)
		json_put_member(chrome->file, "graph", record->graph);
	if (record->graph_node)
		json_put_member(chrome->file, "graph node", record->graph_node);
	if (record->clock == CLOCK_EVENTS)
		json_put_word(chrome->file, "clock", "events");
}

/* The record's second name, quoted: see put_arguments(). 0 or -ENOMEM. */
static int other_name(struct chrome *chrome, const struct trace_record *record, const char **other)
{
	struct trace_name *name;

	*other = NULL;
	if (!trace_other_name(&chrome->names, &chrome->raw, chrome->session, record, &name))
		return 0;
	*other = quoted_name(name);
	return *other ? 0 : -ENOMEM;
}

/* One end of an arrow. The format pairs the ends by category, name and id. */
static void write_arrow_end(struct chrome *chrome, const char *phase, int64_t pid, int64_t tid,
			    uint64_t time)
{
	begin_event(chrome, phase, "\"launch\"", pid, tid);
	json_put_word(chrome->file, "cat", "launch");
	json_put_member(chrome->file, "id", chrome->arrows);
	put(chrome, ",\"ts\":");
	json_put_microseconds(chrome->file, time - chrome->zero);
	/* Bound to the slice around it. */
	put(chrome, *phase == 'f' ? ",\"bp\":\"e\"}" : "}");
}

/* The arrow from the call that started an operation, where that call was recorded. */
static void write_arrow(struct chrome *chrome, const struct trace_record *record, int64_t tid)
{
	const struct launch *launch = launches_find(&chrome->launches, record, chrome->process);

	if (!launch)
		return;
	chrome->arrows++;
	write_arrow_end(chrome, "s", host_pid(chrome), launch->thread, launch->start);
	write_arrow_end(chrome, "f", device_pid(chrome, record->device), tid, record->start);
}

/* A start/end range overlaps others and may end on another thread: it has a track of its own. */
static void write_started(struct chrome *chrome, const struct trace_record *record,
			  const char *name)
{
	chrome->started++;
	for (int end = 0; end < 2; end++) {
		begin_event(chrome, end ? "e" : "b", name, host_pid(chrome), record->thread);
		json_put_word(chrome->file, "cat", json_kind_name(record->kind));
		json_put_member(chrome->file, "id", chrome->started);
		put(chrome, ",\"ts\":");
		json_put_microseconds(chrome->file,
				      (end ? record_end(record) : record->start) - chrome->zero);
		put(chrome, "}");
	}
}

static int write_record(struct chrome *chrome, const struct trace_record *record)
{
	const bool gpu = row_is_gpu(record->kind);
	const int64_t pid = gpu ? device_pid(chrome, record->device) : host_pid(chrome);
	const char *name = quoted_name(
		trace_name_get(&chrome->names, chrome->session, record->kind, record->name));
	const char *other;
	int64_t tid;
	int error;

	if (!name)
		return -ENOMEM;
	if (record->kind == ROW_RANGE && record->result == RANGE_START_END) {
		write_started(chrome, record, name);
		return 0;
	}
	error = other_name(chrome, record, &other);
	if (error)
		return error;
	tid = place_slice(chrome, record);
	if (tid < 0)
		return (int)tid;
	begin_event(chrome, "X", name, pid, tid);
	json_put_word(chrome->file, "cat", json_kind_name(record->kind));
	put(chrome, ",\"ts\":");
	json_put_microseconds(chrome->file, record->start - chrome->zero);
	put(chrome, ",\"dur\":");
	json_put_microseconds(chrome->file, record_end(record) - record->start);
	put(chrome, ",\"args\":{\"correlation\":");
	json_put_unsigned(chrome->file, record->correlation);
	put_arguments(chrome, record, other);
	put(chrome, "}}");
	if (gpu)
		write_arrow(chrome, record, tid);
	return row_is_api(record->kind) ? launches_note(&chrome->launches, record, chrome->process)
					: 0;
}

/* What the devices hold; `record` is the next one, NULL behind a process's last. */
static int write_held(struct chrome *chrome, const struct trace_record *record)
{
	struct held_value value;

	while (held_memory_next(&chrome->held, record, &value)) {
		int error = write_device(chrome, value.device);

		if (error)
			return error;
		begin_event(chrome, "C", "\"Memory held\"", device_pid(chrome, value.device), 0);
		put(chrome, ",\"ts\":");
		json_put_microseconds(chrome->file, value.time - chrome->zero);
		put(chrome, ",\"args\":{\"bytes\":");
		json_put_unsigned(chrome->file, value.bytes);
		put(chrome, "}}");
	}
	return 0;
}

static int write_process(struct chrome *chrome)
{
	char name[256], label[420], owner[160];

	trace_process_name(chrome->session, name, sizeof(name));
	trace_owner_name(chrome->session, chrome->owner, owner, sizeof(owner));
	snprintf(label, sizeof(label), "%s%s", owner, name);
	return write_label(chrome, "\"process_name\"", host_pid(chrome), 0, label);
}

static int write_trailer(struct chrome *chrome)
{
	cJSON *data = cJSON_CreateObject();
	int error;

	json_add_text(data, "made by", "ktime " KTIME_VERSION);
	json_add_text(data, "command",
		      session_string(chrome->session, session_header(chrome->session)->command));
	trace_add_clocks(data, chrome->session);
	fputs("\n],\"displayTimeUnit\":\"ns\",\"otherData\":", chrome->file);
	error = json_write(chrome->file, data);
	fputs("}\n", chrome->file);
	return error;
}

static int write_records(struct chrome *chrome, struct trace_order *order)
{
	struct progress progress = {.what = "Exporting", .least = TRACE_BAR_LEAST};
	const struct job_process *owner;
	const struct trace_record *record;
	uint32_t process, last = UINT32_MAX;
	int error;

	while (!(error = trace_order_next(order, &record)) && record && !ferror(chrome->file)) {
		progress_show(&progress, trace_order_done(order), trace_order_count(order));
		process = trace_order_process(order, &owner);
		if (process != last) {
			/* What is left of the last one. */
			error = write_held(chrome, NULL);
			last = chrome->process = process;
			chrome->owner = owner;
			chrome->devices = 0;
			if (!error)
				error = write_process(chrome);
		}
		if (!error)
			error = write_held(chrome, record);
		if (!error && record->kind != TRACE_HELD)
			error = write_record(chrome, record);
		if (error)
			break;
	}
	progress_wipe(&progress);
	return error ? error : write_held(chrome, NULL);
}

int export_chrome(struct session *session, const struct options *options, FILE *file, char *message,
		  size_t size)
{
	const struct trace_window window = trace_window(session, options);
	struct chrome chrome = {.session = session, .file = file, .zero = window.zero};
	struct trace_order *order;
	int error = trace_order_open(&order, session, window.from, window.to);

	chrome.held.from = window.from > window.zero ? window.from : window.zero;
	if (!error) {
		put(&chrome, "{\"traceEvents\":[");
		error = write_records(&chrome, order);
	}
	if (!error)
		error = write_trailer(&chrome);
	if (error)
		trace_error(error, message, size);
	trace_order_close(order);
	tracks_free(&chrome.tracks);
	launches_free(&chrome.launches);
	trace_names_free(&chrome.names);
	trace_names_free(&chrome.raw);
	return error;
}
