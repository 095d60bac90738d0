/* SPDX-License-Identifier: MIT */
#include "report/export/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/order.h"
#include "report/merge/progress.h"
#include "report/session/items.h"

/* Fewer records are written in no time: they need no bar. Chosen. */
#define BAR_LEAST 500000

struct walk {
	struct timeline *timeline;
	const struct timeline_writer *writer;
	struct entry *names;
	struct tracks tracks;
	struct launches launches;
	struct running_copies running[SESSION_DEVICES];
	struct held_memory held;
	uint64_t devices; /* bit for each of the process's that was described */
};

static struct track_key key_of(const struct trace_record *record, uint32_t process)
{
	struct track_key key = {.kind = TRACK_THREAD, .process = process, .id = record->thread};

	if (row_is_gpu(record->kind)) {
		key.kind = TRACK_STREAM;
		key.device = record->device;
		key.context = record->context;
		key.id = record->stream;
	} else if (record->kind == ROW_RANGE && record->result == RANGE_START_END) {
		key.kind = TRACK_STARTED;
	}
	return key;
}

/* Whether a slice can be the next on a track. */
static bool has_room(const struct track *track, uint64_t start, uint64_t end)
{
	uint32_t depth = track->depth;

	while (depth && track->open[depth - 1] <= start)
		depth--;
	return !depth || (track->key.kind == TRACK_THREAD && end <= track->open[depth - 1]);
}

int tracks_place(struct tracks *tracks, const struct trace_record *record, uint32_t process,
		 struct track **result, bool *added)
{
	const struct track_key key = key_of(record, process);
	const uint64_t numbers[ENTRY_NUMBERS] = {key.kind, key.process, (uint32_t)key.device,
						 key.context, key.id};
	struct track *track = entry_of(&tracks->first, numbers, sizeof(*track));
	uint32_t lane = 0;

	/* A new one has no number yet. */
	while (track && track->number && !has_room(track, record->start, record_end(record))) {
		if (++lane == TRACK_LANES)
			return -E2BIG;
		if (!track->next)
			track->next = calloc(1, sizeof(*track));
		track = track->next;
	}
	if (!track)
		return -ENOMEM;
	*added = !track->number;
	if (*added) {
		track->key = key;
		track->lane = lane;
		track->number = ++tracks->counts[key.kind];
	}
	*result = track;
	return 0;
}

bool track_close(struct track *track, uint64_t time, uint64_t *end)
{
	if (!track->depth || track->open[track->depth - 1] > time)
		return false;
	*end = track->open[--track->depth];
	return true;
}

int track_open(struct track *track, uint64_t end)
{
	if (track->depth == track->room) {
		uint32_t room = track->room * 2 + 2;
		uint64_t *open = realloc(track->open, room * sizeof(*open));

		if (!open)
			return -ENOMEM;
		track->open = open;
		track->room = room;
	}
	track->open[track->depth++] = end;
	return 0;
}

void tracks_free(struct tracks *tracks)
{
	tracks_for_each (tracks, lane)
		free(lane->open);
	entries_for_each(struct track, tracks->first,
			 first) for (struct track *lane = first->next, *next; lane; lane = next)
	{
		next = lane->next;
		free(lane);
	}
	entries_free(&tracks->first);
}

static struct launch *place_of(const struct launches *launches, uint32_t correlation)
{
	return launches->calls + (correlation & (LAUNCHES_KNOWN - 1));
}

int launches_note(struct launches *launches, const struct trace_record *record, uint32_t process)
{
	if (!record->correlation)
		return 0;
	if (!launches->calls)
		launches->calls = calloc(LAUNCHES_KNOWN, sizeof(*launches->calls));
	if (!launches->calls)
		return -ENOMEM;
	*place_of(launches, record->correlation) = (struct launch){
		.start = record->start,
		.process = process,
		.correlation = record->correlation,
		.thread = record->thread,
	};
	return 0;
}

struct launch *launches_find(const struct launches *launches, const struct trace_record *record,
			     uint32_t process)
{
	struct launch *launch;

	if (!record->correlation || !launches->calls)
		return NULL;
	launch = place_of(launches, record->correlation);
	return launch->correlation == record->correlation && launch->process == process &&
			       launch->start <= record->start
		       ? launch
		       : NULL;
}

void launches_free(struct launches *launches)
{
	free(launches->calls);
	launches->calls = NULL;
}

/* A copy that runs: they are a heap, the one that ends first on top. */
struct ending {
	uint64_t end, bytes;
};

/* The last of the heap takes the place of the one on top. */
static void drop_top(struct running_copies *running)
{
	struct ending *heap = running->endings, moved = heap[--running->count];
	size_t place = 0, child;

	while ((child = 2 * place + 1) < running->count) {
		if (child + 1 < running->count && heap[child + 1].end < heap[child].end)
			child++;
		if (moved.end <= heap[child].end)
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = moved;
}

bool running_copies_end(struct running_copies *running, uint64_t time, uint64_t *end)
{
	if (!running->count || running->endings[0].end > time)
		return false;
	*end = running->endings[0].end;
	running->bytes -= running->endings[0].bytes;
	drop_top(running);
	return true;
}

int running_copies_begin(struct running_copies *running, uint64_t end, uint64_t bytes)
{
	size_t place = running->count;
	struct ending *heap = running->endings;

	if (running->count == running->room) {
		running->room = running->room * 2 + 8;
		heap = realloc(heap, running->room * sizeof(*heap));
		if (!heap) {
			running->room = running->count;
			return -ENOMEM;
		}
		running->endings = heap;
	}
	for (; place && heap[(place - 1) / 2].end > end; place = (place - 1) / 2)
		heap[place] = heap[(place - 1) / 2];
	heap[place] = (struct ending){end, bytes};
	running->count++;
	running->bytes += bytes;
	return 0;
}

void running_copies_free(struct running_copies *running)
{
	free(running->endings);
	*running = (struct running_copies){.bytes = 0};
}

static bool is_of_device(const struct trace_record *record)
{
	return record->kind == TRACE_HELD && record->device >= 0 &&
	       record->device < SESSION_DEVICES;
}

bool held_memory_next(struct held_memory *held, const struct trace_record *record,
		      struct held_value *value)
{
	if (record && record->start < held->from) {
		/* The last one before the timeline is what it begins with. */
		if (is_of_device(record)) {
			held->waiting |= 1ULL << record->device;
			held->bytes[record->device] = record->bytes;
		}
		return false;
	}
	if (record && record->start == held->from && is_of_device(record))
		held->waiting &= ~(1ULL << record->device);
	if (held->waiting) {
		value->device = __builtin_ctzll(held->waiting);
		value->time = held->from;
		value->bytes = held->bytes[value->device];
		held->waiting &= held->waiting - 1;
		return true;
	}
	if (!record || !is_of_device(record) || record == held->last)
		return false;
	held->last = record;
	*value = (struct held_value){record->device, record->start, record->bytes};
	return true;
}

#define ARGUMENT_TEXT(name, text, ...) text,
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

enum argument_form {
	FORM_NUMBER,
	FORM_BYTES,
	FORM_ABOVE_0,
	FORM_EXTENT,
	FORM_MEMORY,
	FORM_CLOCK,
	FORM_OTHER
};

/* The value of an argument; false: the slice has none. */
static bool find_argument(const struct timeline_slice *slice, enum argument_form form,
			  const void *member, struct argument *argument)
{
	const uint32_t *extent = member;

	argument->type = ARGUMENT_NUMBER;
	switch (form) {
	case FORM_BYTES:
		argument->number = *(const uint64_t *)member;
		return true;
	case FORM_NUMBER:
	case FORM_ABOVE_0:
		argument->number = *(const uint32_t *)member;
		return form == FORM_NUMBER || argument->number;
	case FORM_EXTENT:
		argument->type = ARGUMENT_TEXT;
		snprintf(argument->text, sizeof(argument->text), "%ux%ux%u", extent[0], extent[1],
			 extent[2]);
		return true;
	case FORM_MEMORY:
		argument->type = ARGUMENT_WORD;
		argument->number = *(const uint8_t *)member;
		if (argument->number >= MEMORY_KINDS)
			argument->number = MEMORY_UNKNOWN;
		return true;
	case FORM_CLOCK:
		argument->type = ARGUMENT_WORD;
		argument->number = WORD_EVENTS;
		return *(const uint8_t *)member == CLOCK_EVENTS;
	default:
		argument->type = ARGUMENT_OTHER;
		return slice->other;
	}
}

unsigned timeline_arguments(const struct timeline_slice *slice,
			    struct argument arguments[ARGUMENT_COUNT])
{
	static const struct {
		uint16_t kinds, offset;
		enum argument_form form;
	} lines[] = {
#define ARGUMENT_LINE(name, text, kinds, form, member)                                             \
	{kinds, offsetof(struct trace_record, member), FORM_##form},
		ARGUMENTS(ARGUMENT_LINE)
#undef ARGUMENT_LINE
	};
	const struct trace_record *record = slice->record;
	unsigned count = 0;

	for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
		arguments[count] = (struct argument){.name = i};
		if (lines[i].kinds >> record->kind & 1)
			count += find_argument(slice, lines[i].form,
					       (const char *)record + lines[i].offset,
					       &arguments[count]);
	}
	return count;
}

static void describe_device(struct walk *walk, int32_t device)
{
	if (device < 0 || device >= SESSION_DEVICES || walk->devices & 1ULL << device)
		return;
	walk->devices |= 1ULL << device;
	walk->writer->device(walk->timeline, device);
}

/* Ends what ended on a track by `time`. */
static void end_slices(struct walk *walk, struct track *track, uint64_t time)
{
	uint64_t end;

	while (track_close(track, time, &end))
		if (walk->writer->end)
			walk->writer->end(walk->timeline, track, end);
}

static void count_copied(struct walk *walk, int32_t device, uint64_t time)
{
	walk->writer->counter(walk->timeline, COUNTER_COPIED, device, time,
			      walk->running[device].bytes);
}

/* What copies that ended by `time` no longer move. */
static void end_copies(struct walk *walk, int32_t device, uint64_t time)
{
	uint64_t end;

	while (running_copies_end(&walk->running[device], time, &end))
		count_copied(walk, device, end);
}

static int begin_copy(struct walk *walk, const struct trace_record *record)
{
	int error;

	if ((record->kind != ROW_MEMCPY && record->kind != ROW_MOVEMENT) || !record->bytes ||
	    record->device < 0 || record->device >= SESSION_DEVICES)
		return 0;
	end_copies(walk, record->device, record->start);
	error = running_copies_begin(&walk->running[record->device], record_end(record),
				     record->bytes);
	if (!error)
		count_copied(walk, record->device, record->start);
	return error;
}

static int find_names(struct walk *walk, struct timeline_slice *slice)
{
	const struct session *session = walk->timeline->session;
	const struct trace_record *record = slice->record;
	bool has_other = true;

	slice->name = trace_name_get(&walk->names, session, record->kind, record->name);
	if (record->kind == ROW_KERNEL)
		slice->other = trace_name_get(&walk->names, session, ROW_OTHER, record->name);
	else if (row_is_api(record->kind) && record->kernel)
		slice->other = trace_name_get(&walk->names, session, ROW_KERNEL, record->kernel);
	else if (record->kind == ROW_RANGE && *session_string(session, record->kernel))
		slice->other = trace_name_get(&walk->names, session, ROW_RANGE, record->kernel);
	else
		has_other = false;
	return !slice->name || (has_other && !slice->other) ? -ENOMEM : 0;
}

static int take_record(struct walk *walk, const struct trace_record *record)
{
	struct timeline *timeline = walk->timeline;
	struct timeline_slice slice = {.record = record};
	struct track *track;
	bool added;
	int error = find_names(walk, &slice);

	if (error)
		return error;
	if (walk->writer->started && record->kind == ROW_RANGE &&
	    record->result == RANGE_START_END) {
		walk->writer->started(timeline, record, slice.name);
		return 0;
	}
	error = tracks_place(&walk->tracks, record, timeline->process, &track, &added);
	if (error)
		return error;
	if (track->key.kind == TRACK_STREAM)
		describe_device(walk, track->key.device);
	if (added)
		walk->writer->track(timeline, track);
	end_slices(walk, track, record->start);
	error = track_open(track, record_end(record));
	if (error)
		return error;
	slice.track = track;
	if (row_is_gpu(record->kind))
		slice.launch = launches_find(&walk->launches, record, timeline->process);
	walk->writer->begin(timeline, &slice);
	if (row_is_api(record->kind))
		error = launches_note(&walk->launches, record, timeline->process);
	return error ? error : begin_copy(walk, record);
}

/* What the devices hold; `record` is the next one, NULL behind a process's last. */
static void count_held(struct walk *walk, const struct trace_record *record)
{
	struct held_value value;

	while (held_memory_next(&walk->held, record, &value)) {
		describe_device(walk, value.device);
		walk->writer->counter(walk->timeline, COUNTER_HELD, value.device, value.time,
				      value.bytes);
	}
}

/* Ends all that is still open, behind the last record of a process. */
static void end_process(struct walk *walk)
{
	tracks_for_each (&walk->tracks, track)
		end_slices(walk, track, UINT64_MAX);
	for (int32_t device = 0; device < SESSION_DEVICES; device++)
		end_copies(walk, device, UINT64_MAX);
	count_held(walk, NULL);
}

static int take_records(struct walk *walk, struct trace_order *order)
{
	struct progress progress = {.what = "Exporting", .least = BAR_LEAST};
	struct timeline *timeline = walk->timeline;
	const struct trace_record *record;
	uint32_t process, last = UINT32_MAX;
	int error;

	while (!(error = trace_order_next(order, &record)) && record && !timeline->error &&
	       !ferror(timeline->file)) {
		const struct job_process *owner;

		progress_show(&progress, trace_order_done(order), trace_order_count(order));
		process = trace_order_process(order, &owner);
		if (process != last) {
			end_process(walk);
			last = timeline->process = process;
			timeline->owner = owner;
			walk->devices = 0;
			walk->writer->process(timeline);
		}
		count_held(walk, record);
		if (record->kind != TRACE_HELD)
			error = take_record(walk, record);
		if (error)
			break;
	}
	progress_wipe(&progress);
	end_process(walk);
	return error ? error : timeline->error;
}

static int find_clocks(struct timeline *timeline)
{
	struct waits waits;
	int error;

	if (!session_header(timeline->session)->processes)
		return 0;
	error = waits_find(&waits, timeline->session);
	if (error)
		return error;
	job_clocks_text(timeline->session, &waits, timeline->clocks);
	waits_free(&waits);
	return 0;
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
		error = find_clocks(timeline);
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
	return error;
}
