/* SPDX-License-Identifier: MIT */
#include "report/export/export_timeline.h"

#include <errno.h>
#include <string.h>

#include "report/merge/progress.h"
#include "report/session/session_nvtx.h"
#include "report/timeline/order.h"

struct walk {
	struct timeline *timeline;
	const struct timeline_writer *writer;
	struct trace_name *names, *raw; /* to read, and as the session has them */
	struct tracks tracks;
	struct launches launches;
	struct running_copies running[SESSION_DEVICES];
	struct held_memory held;
	uint64_t devices; /* bit for each of the process's that was described */
};

#define ARGUMENT_TEXT(name, text) text,
const char *const argument_names[ARGUMENT_COUNT] = {ARGUMENTS(ARGUMENT_TEXT)};

const char *argument_word(unsigned word)
{
	return word < MEMORY_KINDS ? memory_kind_name(word) : "events";
}

const char *timeline_track_label(const struct track *track, char label[TRACK_LABEL_SIZE])
{
	const struct track_key *key = &track->key;

	if (key->kind == TRACK_STREAM)
		snprintf(label, TRACK_LABEL_SIZE, "Stream %u (context %u)", key->id, key->context);
	else
		snprintf(label, TRACK_LABEL_SIZE,
			 key->kind == TRACK_STARTED ? "Start/end ranges of thread %u"
			 : track->lane		    ? "Thread %u, overlapping"
						    : "Thread %u",
			 key->id);
	return label;
}

static struct argument number(enum argument_name name, uint64_t value)
{
	return (struct argument){name, ARGUMENT_NUMBER, value, NULL};
}

static struct argument extent(enum argument_name name, const uint32_t value[3])
{
	return (struct argument){name, ARGUMENT_EXTENT, 0, value};
}

static struct argument memory_word(enum argument_name name, unsigned kind)
{
	kind = kind < MEMORY_KINDS ? kind : MEMORY_UNKNOWN;
	return (struct argument){name, ARGUMENT_WORD, kind, NULL};
}

static struct argument other_name(enum argument_name name)
{
	return (struct argument){name, ARGUMENT_OTHER, 0, NULL};
}

unsigned timeline_arguments(const struct timeline_slice *slice,
			    struct argument arguments[ARGUMENTS_MOST])
{
	const struct trace_record *record = slice->record;
	unsigned count = 0;

	switch (record->kind) {
	case ROW_KERNEL:
		arguments[count++] = extent(ARGUMENT_GRID, record->grid);
		arguments[count++] = extent(ARGUMENT_BLOCK, record->block);
		arguments[count++] = number(ARGUMENT_REGISTERS, record->registers);
		arguments[count++] = number(ARGUMENT_STATIC_SHARED, record->static_shared);
		arguments[count++] = number(ARGUMENT_DYNAMIC_SHARED, record->dynamic_shared);
		arguments[count++] = other_name(ARGUMENT_MANGLED);
		break;
	case ROW_MEMCPY:
	case ROW_MOVEMENT:
		arguments[count++] = memory_word(ARGUMENT_FROM, record->source_kind);
		arguments[count++] = memory_word(ARGUMENT_TO, record->destination_kind);
		/* fall through */
	case ROW_MEMSET:
		arguments[count++] = number(ARGUMENT_BYTES, record->bytes);
		break;
	case ROW_RUNTIME_API:
	case ROW_DRIVER_API:
		arguments[count++] = number(ARGUMENT_RESULT, record->result);
		if (slice->other)
			arguments[count++] = other_name(ARGUMENT_KERNEL);
		break;
	case ROW_RANGE:
		if (slice->other)
			arguments[count++] = other_name(ARGUMENT_DOMAIN);
		break;
	default:
		break;
	}
	if (record->graph)
		arguments[count++] = number(ARGUMENT_GRAPH, record->graph);
	if (record->graph_node)
		arguments[count++] = number(ARGUMENT_GRAPH_NODE, record->graph_node);
	if (record->clock == CLOCK_EVENTS)
		arguments[count++] =
			(struct argument){ARGUMENT_CLOCK, ARGUMENT_WORD, WORD_EVENTS, NULL};
	return count;
}

static int describe_device(struct walk *walk, int32_t device)
{
	if (device < 0 || device >= SESSION_DEVICES || walk->devices & 1ULL << device)
		return 0;
	walk->devices |= 1ULL << device;
	return walk->writer->device(walk->timeline, device);
}

static int describe_track(struct walk *walk, const struct track *track)
{
	int error = track->key.kind == TRACK_STREAM ? describe_device(walk, track->key.device) : 0;

	return error ? error : walk->writer->track(walk->timeline, track);
}

/* Ends what ended on a track by `time`. */
static int end_slices(struct walk *walk, struct track *track, uint64_t time)
{
	uint64_t end;
	int error = 0;

	while (!error && track_close(track, time, &end))
		if (walk->writer->end)
			error = walk->writer->end(walk->timeline, track, end);
	return error;
}

static int count_copied(struct walk *walk, int32_t device, uint64_t time)
{
	return walk->writer->counter(walk->timeline, COUNTER_COPIED, device, time,
				     walk->running[device].bytes);
}

/* What copies that ended by `time` no longer move. */
static int end_copies(struct walk *walk, int32_t device, uint64_t time)
{
	uint64_t end;
	int error = 0;

	while (!error && running_copies_end(&walk->running[device], time, &end))
		error = count_copied(walk, device, end);
	return error;
}

static int begin_copy(struct walk *walk, const struct trace_record *record)
{
	int error;

	if ((record->kind != ROW_MEMCPY && record->kind != ROW_MOVEMENT) || !record->bytes ||
	    record->device < 0 || record->device >= SESSION_DEVICES)
		return 0;
	error = end_copies(walk, record->device, record->start);
	if (!error)
		error = running_copies_begin(&walk->running[record->device], record_end(record),
					     record->bytes);
	return error ? error : count_copied(walk, record->device, record->start);
}

static int begin_slice(struct walk *walk, struct timeline_slice *slice)
{
	struct timeline *timeline = walk->timeline;
	const struct trace_record *record = slice->record;
	int error;

	if (trace_other_name(&walk->names, &walk->raw, timeline->session, record, &slice->other) &&
	    !slice->other)
		return -ENOMEM;
	if (row_is_gpu(record->kind))
		slice->launch = launches_find(&walk->launches, record, timeline->process);
	error = walk->writer->begin(timeline, slice);
	if (!error && row_is_api(record->kind))
		error = launches_note(&walk->launches, record, timeline->process);
	return error ? error : begin_copy(walk, record);
}

static int take_record(struct walk *walk, const struct trace_record *record)
{
	struct timeline_slice slice = {
		.record = record,
		.name = trace_name_get(&walk->names, walk->timeline->session, record->kind,
				       record->name),
	};
	struct track *track;
	bool added;
	int error;

	if (!slice.name)
		return -ENOMEM;
	if (walk->writer->started && record->kind == ROW_RANGE && record->result == RANGE_START_END)
		return walk->writer->started(walk->timeline, record, slice.name);
	error = tracks_place(&walk->tracks, record, walk->timeline->process, &track, &added);
	if (!error && added)
		error = describe_track(walk, track);
	if (!error)
		error = end_slices(walk, track, record->start);
	if (!error)
		error = track_open(track, record_end(record));
	slice.track = track;
	return error ? error : begin_slice(walk, &slice);
}

/* What the devices hold; `record` is the next one, NULL behind a process's last. */
static int count_held(struct walk *walk, const struct trace_record *record)
{
	struct held_value value;
	int error = 0;

	while (!error && held_memory_next(&walk->held, record, &value)) {
		error = describe_device(walk, value.device);
		if (!error)
			error = walk->writer->counter(walk->timeline, COUNTER_HELD, value.device,
						      value.time, value.bytes);
	}
	return error;
}

/* Ends all that is still open, behind the last record of a process. */
static int end_process(struct walk *walk)
{
	int error = 0;

	tracks_for_each (&walk->tracks, track) {
		if (!error)
			error = end_slices(walk, track, UINT64_MAX);
	}
	for (int32_t device = 0; device < SESSION_DEVICES && !error; device++)
		error = end_copies(walk, device, UINT64_MAX);
	return error ? error : count_held(walk, NULL);
}

static int take_records(struct walk *walk, struct trace_order *order)
{
	struct progress progress = {.what = "Exporting", .least = TRACE_BAR_LEAST};
	struct timeline *timeline = walk->timeline;
	const struct trace_record *record;
	uint32_t process, last = UINT32_MAX;
	int error;

	while (!(error = trace_order_next(order, &record)) && record && !ferror(timeline->file)) {
		const struct job_process *owner;

		progress_show(&progress, trace_order_done(order), trace_order_count(order));
		process = trace_order_process(order, &owner);
		if (process != last) {
			error = end_process(walk);
			last = timeline->process = process;
			timeline->owner = owner;
			walk->devices = 0;
			if (!error)
				error = walk->writer->process(timeline);
		}
		if (!error)
			error = count_held(walk, record);
		if (!error && record->kind != TRACE_HELD)
			error = take_record(walk, record);
		if (error)
			break;
	}
	progress_wipe(&progress);
	return error ? error : end_process(walk);
}

int timeline_walk(struct timeline *timeline, const struct timeline_writer *writer,
		  const struct session *session, const struct options *options, char *message,
		  size_t size)
{
	const struct trace_window window = trace_window(session, options);
	struct walk walk = {.timeline = timeline, .writer = writer};
	struct trace_order *order;
	int error = trace_order_open(&order, session, window.from, window.to);

	timeline->session = session;
	timeline->zero = window.zero;
	walk.held.from = window.from > window.zero ? window.from : window.zero;
	if (!error)
		error = take_records(&walk, order);
	if (error == -E2BIG)
		snprintf(
			message, size,
			"more than %d operations of a stream or ranges of a thread at once: export "
			"a part of the trace with --from and --to",
			TRACK_LANES);
	else if (error)
		snprintf(message, size, "%s", strerror(-error));
	trace_order_close(order);
	tracks_free(&walk.tracks);
	launches_free(&walk.launches);
	for (int32_t device = 0; device < SESSION_DEVICES; device++)
		running_copies_free(&walk.running[device]);
	trace_names_free(&walk.names);
	trace_names_free(&walk.raw);
	return error;
}
