/* SPDX-License-Identifier: MIT */
/*
 * A session's trace in the trace event format: the program's threads with their API calls, each
 * device as a process of its own with its streams as threads, and an arrow from a call to what it
 * started. Categories, names and arguments are those of PyTorch's profiler, for which readers of
 * such files are made. Sources: "Trace Event Format", the Chromium project; Kineto's
 * output_json.cpp.
 */
#include <errno.h>
#include <string.h>

#include "report/export/export.h"
#include "report/export/json.h"
#include "report/export/timeline.h"
#include "report/names/nsys_names.h"

/*
 * A device's number is that of its process, and a stream's that of its thread. Where this number
 * has another meaning, one from here on takes its place: beyond any id that Linux gives, and within
 * 32 bits.
 */
#define FREE_NUMBERS 0x40000000

/* Which of the streams of one number has this number for its thread. */
struct stream_thread {
	struct entry entry; /* by process, device and stream */
	uint32_t context;
	bool taken;
};

struct chrome {
	struct timeline timeline;
	struct json json;
	struct entry *streams;	  /* struct stream_thread */
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

/* In a merged profile several processes have a device of the same number. */
static int64_t device_pid(const struct timeline *timeline, int32_t device)
{
	return timeline->process
		       ? FREE_NUMBERS + (int64_t)timeline->process * SESSION_DEVICES + device
		       : device;
}

/* Process numbers of several nodes may be the same; in a container they are small. */
static int64_t host_pid(const struct timeline *timeline)
{
	int64_t pid = timeline->process ? (int64_t)timeline->process : timeline->owner->pid;

	return timeline->process || pid >= SESSION_DEVICES ? pid : FREE_NUMBERS + pid;
}

/* Names a process, in a merged profile with whose it is, and puts it in its place: the program's
 * first, then its devices'. */
static void write_process_label(struct timeline *timeline, int64_t pid, int32_t place,
				const char *name)
{
	char label[420], owner[160];
	struct json *json;

	trace_owner_name(timeline->session, timeline->process ? timeline->owner : NULL, owner,
			 sizeof(owner));
	snprintf(label, sizeof(label), "%s%s", owner, name);
	write_label(timeline, "process_name", pid, 0, label);
	json = begin_event(timeline, "M", "process_sort_index", pid, 0);
	json_object(json, "args");
	json_unsigned(json, "sort_index",
		      (uint64_t)timeline->process * (SESSION_DEVICES + 1) + (uint64_t)place);
	json_end(json);
	json_end(json);
}

static void write_process(struct timeline *timeline)
{
	char name[256];

	trace_process_name(timeline->session, name, sizeof(name));
	write_process_label(timeline, host_pid(timeline), 0, name);
}

static void write_device(struct timeline *timeline, int32_t device)
{
	char name[256];

	snprintf(name, sizeof(name), "GPU %d: %.64s", device,
		 session_header(timeline->session)->devices[device].name);
	write_process_label(timeline, device_pid(timeline, device), device + 1, name);
}

static struct stream_thread *stream_thread(const struct timeline *timeline,
					   const struct track_key *key)
{
	struct chrome *chrome = (struct chrome *)timeline;
	const uint64_t numbers[ENTRY_NUMBERS] = {key->process, (uint32_t)key->device, key->id};

	return entry_of(&chrome->streams, numbers, sizeof(struct stream_thread));
}

/*
 * The number of a track within its process: the thread's or the stream's. What overlaps there, and
 * the stream of a further context, have the number of the track.
 */
static int64_t tid_of(const struct timeline *timeline, const struct track *track)
{
	const struct stream_thread *stream;

	if (track->lane)
		return (int64_t)FREE_NUMBERS + track->number;
	if (track->key.kind != TRACK_STREAM)
		return (int64_t)track->key.id;
	stream = stream_thread(timeline, &track->key);
	return stream && stream->context == track->key.context
		       ? (int64_t)track->key.id
		       : (int64_t)FREE_NUMBERS + track->number;
}

static int64_t pid_of(const struct timeline *timeline, const struct track *track)
{
	return track->key.kind == TRACK_STREAM ? device_pid(timeline, track->key.device)
					       : host_pid(timeline);
}

/* Streams have names; so have the further tracks of a thread. */
static void write_track(struct timeline *timeline, const struct track *track)
{
	struct stream_thread *stream;
	char label[TRACK_LABEL_SIZE];

	if (track->key.kind == TRACK_STREAM) {
		stream = stream_thread(timeline, &track->key);
		if (!stream) {
			timeline->error = -ENOMEM;
			return;
		}
		if (!stream->taken)
			*stream = (struct stream_thread){stream->entry, track->key.context, true};
	}
	if (track->key.kind == TRACK_STREAM || track->lane)
		write_label(timeline, "thread_name", pid_of(timeline, track),
			    tid_of(timeline, track), timeline_track_label(track, label));
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

/* PyTorch's categories. A graph that is timed as a whole is one kernel; ktime's own names stand for
 * what PyTorch has nothing for. */
static const char *category_of(enum row_kind kind)
{
	static const char *const categories[ROW_KINDS] = {
		[ROW_KERNEL] = "kernel",	  [ROW_GRAPH] = "kernel",
		[ROW_MEMCPY] = "gpu_memcpy",	  [ROW_MOVEMENT] = "gpu_memcpy",
		[ROW_MEMSET] = "gpu_memset",	  [ROW_RUNTIME_API] = "cuda_runtime",
		[ROW_DRIVER_API] = "cuda_driver", [ROW_RANGE] = "user_annotation",
	};

	return categories[kind] ? categories[kind] : json_kind_names[kind];
}

#define NAME_SIZE 80
#define MEMCPY	  "[CUDA memcpy "
#define UNIFIED	  "[CUDA unified memory "

/* "Pinned": as PyTorch writes it. */
static const char *memory_word(char word[16], unsigned kind)
{
	snprintf(word, 16, "%s", memory_kind_name(kind));
	word[0] = (char)(word[0] - 'a' + 'A');
	return word;
}

/* Of "HtoD]". */
static int label_length(const char *text)
{
	return (int)strcspn(text, "]");
}

/* "Memcpy HtoD (Pinned -> Device)" of "[CUDA memcpy HtoD]"; by the first word readers tell copies
 * from kernels. Other names are as they are. */
static const char *name_of(const struct timeline_slice *slice, char name[NAME_SIZE])
{
	const struct trace_record *record = slice->record;
	const char *text = slice->name->text;
	unsigned memory = record->destination_kind != MEMORY_UNKNOWN ? record->destination_kind
								     : record->source_kind;
	char from[16], to[16];

	if (!strncmp(text, MEMCPY, strlen(MEMCPY)))
		snprintf(name, NAME_SIZE, "Memcpy %.*s (%s -> %s)",
			 label_length(text + strlen(MEMCPY)), text + strlen(MEMCPY),
			 memory_word(from, record->source_kind),
			 memory_word(to, record->destination_kind));
	else if (record->kind == ROW_MOVEMENT && nsys_copy_kind(text))
		snprintf(name, NAME_SIZE, "Memcpy %.*s (Unified memory)",
			 label_length(text + strlen(UNIFIED)), text + strlen(UNIFIED));
	else if (record->kind == ROW_MEMSET)
		snprintf(name, NAME_SIZE, "Memset (%s)", memory_word(to, memory));
	else
		return text;
	return name;
}

static void put_argument(struct json *json, const struct argument *argument,
			 const struct timeline_slice *slice)
{
	const char *name = argument_names[argument->name];
	const struct trace_record *record = slice->record;

	switch (argument->type) {
	case ARGUMENT_NUMBER:
		json_unsigned(json,
			      argument->name == ARGUMENT_REGISTERS ? "registers per thread" : name,
			      argument->number);
		break;
	case ARGUMENT_WORD:
		json_text(json, name, argument_word((unsigned)argument->number));
		break;
	case ARGUMENT_TEXT:
		/* An extent, which is three numbers here. */
		json_extent(json, name,
			    argument->name == ARGUMENT_GRID ? record->grid : record->block);
		break;
	case ARGUMENT_OTHER:
		json_text(json, name, slice->other->text);
		break;
	case ARGUMENT_IN_RANGE:
		json_text(json, name, slice->range->text);
		break;
	}
}

/* Where an operation ran, and what is reckoned of it. */
static void put_place(struct json *json, const struct trace_record *record)
{
	const uint64_t duration = record_end(record) - record->start;

	if (!row_is_gpu(record->kind))
		return;
	json_unsigned(json, "device", (uint64_t)record->device);
	json_unsigned(json, "context", record->context);
	json_unsigned(json, "stream", record->stream);
	if (record->kind == ROW_KERNEL)
		json_unsigned(json, "shared memory",
			      (uint64_t)record->static_shared + record->dynamic_shared);
	if (row_is_memory(record->kind) && record->bytes && duration)
		json_real(json, "memory bandwidth (GB/s)",
			  (double)record->bytes / (double)duration);
}

/* The slice, and the arrow to it from the call that started it. */
static void write_slice(struct timeline *timeline, const struct timeline_slice *slice)
{
	const struct trace_record *record = slice->record;
	const int64_t pid = pid_of(timeline, slice->track), tid = tid_of(timeline, slice->track);
	struct argument arguments[ARGUMENT_COUNT];
	unsigned count = record_arguments(slice->record, slice->other, arguments);
	char name[NAME_SIZE];
	struct json *json = begin_event(timeline, "X", name_of(slice, name), pid, tid);

	json_text(json, "cat", category_of(record->kind));
	json_microseconds(json, "ts", record->start - timeline->zero);
	json_microseconds(json, "dur", record_end(record) - record->start);
	json_object(json, "args");
	put_place(json, record);
	for (unsigned i = 0; i < count; i++)
		put_argument(json, &arguments[i], slice);
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

		json_text(json, "cat", category_of(record->kind));
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

/* By this readers of a job's files know whose each is. */
static void put_rank(struct json *json, const struct session_header *header)
{
	if (header->processes || header->rank.rank < 0 || header->rank.world_size <= 0)
		return;
	json_object(json, "distributedInfo");
	json_unsigned(json, "rank", (uint64_t)header->rank.rank);
	json_unsigned(json, "world_size", (uint64_t)header->rank.world_size);
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
	put_rank(json, session_header(session));
	json_object(json, "otherData");
	json_text(json, "made by", "ktime " KTIME_VERSION);
	json_string(json, "command", session_header(session)->command);
	if (*chrome.timeline.clocks)
		json_text(json, "clocks", chrome.timeline.clocks);
	json_end(json);
	json_end(json);
	fputc('\n', file);
	entries_free(&chrome.streams);
	return error;
}
