/* SPDX-License-Identifier: MIT */
/*
 * A session's trace in the trace event format: the program's threads with their API calls, each
 * device as a process of its own with its streams as threads, and an arrow from a call to what it
 * started. Written without a tree of JSON: a trace has millions of events. Source: "Trace Event
 * Format", the Chromium project.
 */
#include <errno.h>
#include <string.h>

#include "report/export/export.h"
#include "report/export/export_json.h"
#include "report/export/export_timeline.h"
#include "report/export/json.h"

/* The processes of the devices: beyond any id that Linux gives, and within 32 bits. */
#define DEVICE_PID 0x40000000

struct chrome {
	struct timeline timeline;
	uint64_t arrows, started; /* so far: they are the ids */
	bool any;		  /* an event was written: a comma comes before the next */
};

static struct chrome *chrome_of(struct timeline *timeline)
{
	return (struct chrome *)timeline;
}

static void put(struct timeline *timeline, const char *text)
{
	fputs_unlocked(text, timeline->file);
}

/* What every event has; `name` is quoted. The caller adds the rest and "}". */
static void begin_event(struct timeline *timeline, const char *phase, const char *name, int64_t pid,
			int64_t tid)
{
	put(timeline, chrome_of(timeline)->any ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	chrome_of(timeline)->any = true;
	put(timeline, phase);
	put(timeline, "\",\"name\":");
	put(timeline, name);
	json_put_member(timeline->file, "pid", (uint64_t)pid);
	json_put_member(timeline->file, "tid", (uint64_t)tid);
}

static void put_time(struct timeline *timeline, uint64_t time)
{
	put(timeline, ",\"ts\":");
	json_put_microseconds(timeline->file, time - timeline->zero);
}

/* Names a process or a thread. */
static int write_label(struct timeline *timeline, const char *what, int64_t pid, int64_t tid,
		       const char *label)
{
	char *quoted = json_quoted(label);

	if (!quoted)
		return -ENOMEM;
	begin_event(timeline, "M", what, pid, tid);
	put(timeline, ",\"args\":{\"name\":");
	put(timeline, quoted);
	put(timeline, "}}");
	cJSON_free(quoted);
	return 0;
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

static int write_process(struct timeline *timeline)
{
	char name[256], label[420], owner[160];

	trace_process_name(timeline->session, name, sizeof(name));
	trace_owner_name(timeline->session, timeline->owner, owner, sizeof(owner));
	snprintf(label, sizeof(label), "%s%s", owner, name);
	return write_label(timeline, "\"process_name\"", host_pid(timeline), 0, label);
}

static int write_device(struct timeline *timeline, int32_t device)
{
	char label[256], owner[160];

	trace_owner_name(timeline->session, timeline->owner, owner, sizeof(owner));
	snprintf(label, sizeof(label), "%sGPU %d: %.64s", owner, device,
		 session_header(timeline->session)->devices[device].name);
	return write_label(timeline, "\"process_name\"", device_pid(timeline, device), 0, label);
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
static int write_track(struct timeline *timeline, const struct track *track)
{
	char label[TRACK_LABEL_SIZE];

	if (track->key.kind != TRACK_STREAM && !track->lane)
		return 0;
	return write_label(timeline, "\"thread_name\"", pid_of(timeline, track), tid_of(track),
			   timeline_track_label(track, label));
}

/* A name as a string of JSON; NULL where memory is out. */
static const char *quoted_name(struct trace_name *name)
{
	if (!name->written)
		name->written = json_quoted(name->text);
	return name->written;
}

static void put_argument(struct timeline *timeline, const struct argument *argument,
			 const char *other)
{
	const char *name = argument_names[argument->name];
	char text[40];

	switch (argument->type) {
	case ARGUMENT_NUMBER:
		json_put_member(timeline->file, name, argument->number);
		break;
	case ARGUMENT_WORD:
		json_put_word(timeline->file, name, argument_word((unsigned)argument->number));
		break;
	case ARGUMENT_EXTENT:
		snprintf(text, sizeof(text), "%ux%ux%u", argument->extent[0], argument->extent[1],
			 argument->extent[2]);
		json_put_word(timeline->file, name, text);
		break;
	case ARGUMENT_OTHER:
		put(timeline, ",\"");
		put(timeline, name);
		put(timeline, "\":");
		put(timeline, other);
		break;
	}
}

/* One end of an arrow. The format pairs the ends by category, name and id. */
static void write_arrow_end(struct timeline *timeline, const char *phase, int64_t pid, int64_t tid,
			    uint64_t time)
{
	begin_event(timeline, phase, "\"launch\"", pid, tid);
	json_put_word(timeline->file, "cat", "launch");
	json_put_member(timeline->file, "id", chrome_of(timeline)->arrows);
	put_time(timeline, time);
	/* Bound to the slice around it. */
	put(timeline, *phase == 'f' ? ",\"bp\":\"e\"}" : "}");
}

/* The slice, and the arrow to it from the call that started it. */
static int write_slice(struct timeline *timeline, const struct timeline_slice *slice)
{
	const struct trace_record *record = slice->record;
	const int64_t pid = pid_of(timeline, slice->track), tid = tid_of(slice->track);
	const char *name = quoted_name(slice->name);
	const char *other = slice->other ? quoted_name(slice->other) : NULL;
	struct argument arguments[ARGUMENTS_MOST];
	unsigned count = timeline_arguments(slice, arguments);

	if (!name || (slice->other && !other))
		return -ENOMEM;
	begin_event(timeline, "X", name, pid, tid);
	json_put_word(timeline->file, "cat", json_kind_name(record->kind));
	put_time(timeline, record->start);
	put(timeline, ",\"dur\":");
	json_put_microseconds(timeline->file, record_end(record) - record->start);
	put(timeline, ",\"args\":{\"correlation\":");
	json_put_unsigned(timeline->file, record->correlation);
	for (unsigned i = 0; i < count; i++)
		put_argument(timeline, &arguments[i], other);
	put(timeline, "}}");
	if (!slice->launch)
		return 0;
	chrome_of(timeline)->arrows++;
	write_arrow_end(timeline, "s", host_pid(timeline), slice->launch->thread,
			slice->launch->start);
	write_arrow_end(timeline, "f", pid, tid, record->start);
	return 0;
}

/* A start/end range overlaps others and may end on another thread: it has a track of its own. */
static int write_started(struct timeline *timeline, const struct trace_record *record,
			 struct trace_name *name)
{
	if (!quoted_name(name))
		return -ENOMEM;
	chrome_of(timeline)->started++;
	for (int end = 0; end < 2; end++) {
		begin_event(timeline, end ? "e" : "b", name->written, host_pid(timeline),
			    record->thread);
		json_put_word(timeline->file, "cat", json_kind_name(record->kind));
		json_put_member(timeline->file, "id", chrome_of(timeline)->started);
		put_time(timeline, end ? record_end(record) : record->start);
		put(timeline, "}");
	}
	return 0;
}

static int write_counter(struct timeline *timeline, enum timeline_counter counter, int32_t device,
			 uint64_t time, uint64_t bytes)
{
	if (counter != COUNTER_HELD)
		return 0;
	begin_event(timeline, "C", "\"Memory held\"", device_pid(timeline, device), 0);
	put_time(timeline, time);
	put(timeline, ",\"args\":{\"bytes\":");
	json_put_unsigned(timeline->file, bytes);
	put(timeline, "}}");
	return 0;
}

static int write_trailer(struct timeline *timeline)
{
	cJSON *data = cJSON_CreateObject();
	int error;

	json_add_text(data, "made by", "ktime " KTIME_VERSION);
	json_add_text(
		data, "command",
		session_string(timeline->session, session_header(timeline->session)->command));
	trace_add_clocks(data, timeline->session);
	fputs("\n],\"displayTimeUnit\":\"ns\",\"otherData\":", timeline->file);
	error = json_write(timeline->file, data);
	fputs("}\n", timeline->file);
	return error;
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
	struct chrome chrome = {.timeline = {.file = file}};
	int error;

	put(&chrome.timeline, "{\"traceEvents\":[");
	error = timeline_walk(&chrome.timeline, &writer, session, options, message, size);
	if (error)
		return error;
	error = write_trailer(&chrome.timeline);
	if (error)
		snprintf(message, size, "%s", strerror(-error));
	return error;
}
