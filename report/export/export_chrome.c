/* SPDX-License-Identifier: MIT */
/*
 * A session's trace in the trace event format: the program's threads with their API calls, each
 * device as a process of its own with its streams as threads, and an arrow from a call to what it
 * started. Source: "Trace Event Format", the Chromium project.
 */
#include "report/export/export.h"
#include "report/export/json.h"
#include "report/export/timeline.h"

/* The processes of the devices: beyond any id that Linux gives, and within 32 bits. */
#define DEVICE_PID 0x40000000

struct chrome {
	struct timeline timeline;
	struct json json;
	uint64_t arrows, started; /* so far: they are the ids */
};

static struct chrome *chrome_of(struct timeline *timeline)
{
	return (struct chrome *)timeline;
}

/* What every event has. The caller adds the rest, and ends it. */
static struct json *begin_event(struct timeline *timeline, const char *phase, const char *name,
				int64_t pid, int64_t tid)
{
	struct json *json = &chrome_of(timeline)->json;

	json_line(json);
	json_object(json, NULL);
	json_text(json, "ph", phase);
	json_text(json, "name", name);
	json_unsigned(json, "pid", (uint64_t)pid);
	json_unsigned(json, "tid", (uint64_t)tid);
	return json;
}

/* Names a process or a thread. */
static void write_label(struct timeline *timeline, const char *what, int64_t pid, int64_t tid,
			const char *label)
{
	struct json *json = begin_event(timeline, "M", what, pid, tid);

	json_object(json, "args");
	json_text(json, "name", label);
	json_end(json);
	json_end(json);
}

static int64_t device_pid(const struct timeline *timeline, int32_t device)
{
	return DEVICE_PID + (int64_t)timeline->process * SESSION_DEVICES + device;
}

/* Process numbers of several nodes may be the same. */
static int64_t host_pid(const struct timeline *timeline)
{
	return timeline->process ? (int64_t)timeline->process
				 : session_header(timeline->session)->pid;
}

static void write_process(struct timeline *timeline)
{
	char name[256], label[420], owner[160];

	trace_process_name(timeline->session, name, sizeof(name));
	trace_owner_name(timeline->session, timeline->owner, owner, sizeof(owner));
	snprintf(label, sizeof(label), "%s%s", owner, name);
	write_label(timeline, "process_name", host_pid(timeline), 0, label);
}

static void write_device(struct timeline *timeline, int32_t device)
{
	char label[256], owner[160];

	trace_owner_name(timeline->session, timeline->owner, owner, sizeof(owner));
	snprintf(label, sizeof(label), "%sGPU %d: %.64s", owner, device,
		 session_header(timeline->session)->devices[device].name);
	write_label(timeline, "process_name", device_pid(timeline, device), 0, label);
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

static int64_t pid_of(const struct timeline *timeline, const struct track *track)
{
	return track->key.kind == TRACK_STREAM ? device_pid(timeline, track->key.device)
					       : host_pid(timeline);
}

/* Streams have names; so have the further tracks of a thread. */
static void write_track(struct timeline *timeline, const struct track *track)
{
	char label[TRACK_LABEL_SIZE];

	if (track->key.kind == TRACK_STREAM || track->lane)
		write_label(timeline, "thread_name", pid_of(timeline, track), tid_of(track),
			    timeline_track_label(track, label));
}

/* One end of an arrow. The format pairs the ends by category, name and id. */
static void write_arrow_end(struct timeline *timeline, const char *phase, int64_t pid, int64_t tid,
			    uint64_t time)
{
	struct json *json = begin_event(timeline, phase, "launch", pid, tid);

	json_text(json, "cat", "launch");
	json_unsigned(json, "id", chrome_of(timeline)->arrows);
	json_microseconds(json, "ts", time - timeline->zero);
	/* Bound to the slice around it. */
	if (*phase == 'f')
		json_text(json, "bp", "e");
	json_end(json);
}

static void put_argument(struct json *json, const struct argument *argument,
			 const struct trace_name *other)
{
	const char *name = argument_names[argument->name];

	switch (argument->type) {
	case ARGUMENT_NUMBER:
		json_unsigned(json, name, argument->number);
		break;
	case ARGUMENT_WORD:
		json_text(json, name, argument_word((unsigned)argument->number));
		break;
	case ARGUMENT_TEXT:
		json_text(json, name, argument->text);
		break;
	case ARGUMENT_OTHER:
		json_text(json, name, other->text);
		break;
	}
}

/* The slice, and the arrow to it from the call that started it. */
static void write_slice(struct timeline *timeline, const struct timeline_slice *slice)
{
	const struct trace_record *record = slice->record;
	const int64_t pid = pid_of(timeline, slice->track), tid = tid_of(slice->track);
	struct argument arguments[ARGUMENT_COUNT];
	unsigned count = record_arguments(slice->record, slice->other, arguments);
	struct json *json = begin_event(timeline, "X", slice->name->text, pid, tid);

	json_text(json, "cat", json_kind_names[record->kind]);
	json_microseconds(json, "ts", record->start - timeline->zero);
	json_microseconds(json, "dur", record_end(record) - record->start);
	json_object(json, "args");
	if (!record->correlation)
		json_unsigned(json, argument_names[ARGUMENT_CORRELATION], 0);
	for (unsigned i = 0; i < count; i++)
		put_argument(json, &arguments[i], slice->other);
	json_end(json);
	json_end(json);
	if (!slice->launch)
		return;
	chrome_of(timeline)->arrows++;
	write_arrow_end(timeline, "s", host_pid(timeline), slice->launch->thread,
			slice->launch->start);
	write_arrow_end(timeline, "f", pid, tid, record->start);
}

/* A start/end range overlaps others and may end on another thread: it has a track of its own. */
static void write_started(struct timeline *timeline, const struct trace_record *record,
			  struct trace_name *name)
{
	chrome_of(timeline)->started++;
	for (int end = 0; end < 2; end++) {
		struct json *json = begin_event(timeline, end ? "e" : "b", name->text,
						host_pid(timeline), record->thread);

		json_text(json, "cat", json_kind_names[record->kind]);
		json_unsigned(json, "id", chrome_of(timeline)->started);
		json_microseconds(json, "ts",
				  (end ? record_end(record) : record->start) - timeline->zero);
		json_end(json);
	}
}

static void write_counter(struct timeline *timeline, enum timeline_counter counter, int32_t device,
			  uint64_t time, uint64_t bytes)
{
	struct json *json;

	if (counter != COUNTER_HELD)
		return;
	json = begin_event(timeline, "C", "Memory held", device_pid(timeline, device), 0);
	json_microseconds(json, "ts", time - timeline->zero);
	json_object(json, "args");
	json_unsigned(json, "bytes", bytes);
	json_end(json);
	json_end(json);
}

int export_chrome(struct session *session, const struct options *options, FILE *file, char *message,
		  size_t size)
{
	static const struct timeline_writer writer = {
		.process = write_process,
		.device = write_device,
		.track = write_track,
		.begin = write_slice,
		.counter = write_counter,
		.started = write_started,
	};
	struct chrome chrome = {.timeline.file = file, .json = {.file = file, .session = session}};
	struct json *json = &chrome.json;
	int error;

	json_object(json, NULL);
	json_array(json, "traceEvents");
	error = timeline_walk(&chrome.timeline, &writer, session, options, message, size);
	json_line(json);
	json_end(json);
	json_text(json, "displayTimeUnit", "ns");
	json_object(json, "otherData");
	json_text(json, "made by", "ktime " KTIME_VERSION);
	json_string(json, "command", session_header(session)->command);
	if (*chrome.timeline.clocks)
		json_text(json, "clocks", chrome.timeline.clocks);
	json_end(json);
	json_end(json);
	fputc('\n', file);
	return error;
}
